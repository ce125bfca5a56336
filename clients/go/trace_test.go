package mergemaker

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

func traced(t *testing.T, token string, write func(*trace)) []map[string]any {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte("{\"before\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := openTrace(path, token, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	opened.now = func() time.Time { return time.Date(2026, 11, 18, 20, 15, 4, 123_456_000, time.FixedZone("", 3_600)) }
	write(opened)
	opened.close()
	opened.close()
	opened.stream("written after the end")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), token) {
		t.Errorf("the token stands in %s", content)
	}
	var lines []map[string]any
	for line := range strings.Lines(string(content)) {
		var read map[string]any
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, read)
	}
	return lines[1:]
}

func TestTheTraceHasNoTokens(t *testing.T) {
	lines := traced(t, `se"cr<e\t`, func(w *trace) {
		hello := &wire.Hello{Protocols: []uint32{1}, BotName: `x se"cr<e\t y`, Resume: &wire.Resume{ResumeToken: "resume-me"}}
		w.message("sent", &wire.PlayRequest{Kind: &wire.PlayRequest_Hello{Hello: hello}})
		w.message("received", &wire.PlayResponse{Welcome: &wire.Welcome{ResumeToken: "resume-me"}, Ping: &wire.Ping{Id: 1 << 60}})
		w.stream(`ended UNAVAILABLE: se"cr<e\t`)
		w.falseDeal("m", problem(FalseDeal, "seed-differs", "text"))
	})
	should := []string{
		`{"at":"2026-11-18T19:15:04.123456Z","direction":"sent","message":{"hello":{"bot_name":"x removed y","protocols":[1],"resume":{"resume_token":"removed"}}}}`,
		`{"at":"2026-11-18T19:15:04.123456Z","direction":"received","message":{"ping":{"id":"1152921504606846976"},"welcome":{"resume_token":"removed"}}}`,
		`{"at":"2026-11-18T19:15:04.123456Z","direction":"stream","what":"ended UNAVAILABLE: removed"}`,
		`{"at":"2026-11-18T19:15:04.123456Z","direction":"problem","match":"m","reason":"seed-differs","text":"text"}`,
	}
	if len(lines) != len(should) {
		t.Fatalf("%d lines, not %d", len(lines), len(should))
	}
	for i, line := range lines {
		if is := string(jsonOf(line)); is != should[i] {
			t.Errorf("%s, not %s", is, should[i])
		}
	}
}

func TestATraceThatCannotBeWritten(t *testing.T) {
	_, err := openTrace(filepath.Join(t.TempDir(), "no", "such", "folder"), "token", nil)
	var found *Problem
	if !errors.As(err, &found) || found.Kind != BadSetting || found.Reason != "bad-trace" {
		t.Errorf("%v", err)
	}
	var said []string
	opened, err := openTrace(filepath.Join(t.TempDir(), "trace"), "token", func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.file.Close(); err != nil {
		t.Fatal(err)
	}
	opened.stream("one")
	opened.stream("two")
	if len(said) == 0 || !strings.Contains(said[0], "the trace ends here") || len(said) > 2 {
		t.Errorf("it is said once: %q", said)
	}
}

func TestWithoutATrace(t *testing.T) {
	none, err := openTrace("", "token", nil)
	if none != nil || err != nil {
		t.Fatal(none, err)
	}
	none.stream("nothing is written")
	none.message("sent", &wire.PlayRequest{})
	none.close()
}
