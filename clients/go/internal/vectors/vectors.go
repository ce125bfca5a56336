// Package vectors reads the test vectors that all clients are tested with: clients/vectors, and those of the engine. Tests are
// skipped, and say so, where this library was copied away from them.
package vectors

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// lineBytesMax bounds a line of a file.
const lineBytesMax = 4 * 1_024 * 1_024

// Dialogue is what one seat is sent and asked in a whole match.
type Dialogue struct {
	Name      string
	Offered   *wire.MatchOffered
	Started   *wire.MatchStarted
	Questions []Question
	// End holds the last events, and the match's end.
	End *wire.PlayResponse
}

// Question is one question, and the indices of what the example bots answer to it.
type Question struct {
	Kind           string
	Count          uint64
	Greedy, Random uint64
	Response       *wire.PlayResponse
}

// root is the folder of the checkout that this file is in, as far as known.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
}

// open opens a file of the checkout, or skips the test.
func open(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(filepath.Join(root(), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here: this library was copied out of its repository", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// Lines reads a file of JSON lines.
func Lines[T any](t *testing.T, name string) []T {
	t.Helper()
	var lines []T
	scanner := bufio.NewScanner(open(t, name))
	scanner.Buffer(nil, lineBytesMax)
	for scanner.Scan() {
		var line T
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	return lines
}

// JSON reads a file that is one value.
func JSON(t *testing.T, name string, value any) {
	t.Helper()
	if err := json.NewDecoder(open(t, name)).Decode(value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Message reads the base64 of a message.
func Message[T proto.Message](t *testing.T, text string, message T) T {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = proto.Unmarshal(content, message)
	}
	if err != nil {
		t.Fatal(err)
	}
	return message
}

type line struct {
	Dialogue, Offered, Started, Kind, Response string
	Count, Greedy, Random                      uint64
}

// ReadDialogue reads one dialogue.
func ReadDialogue(t *testing.T, name string) Dialogue {
	t.Helper()
	lines := Lines[line](t, "clients/vectors/dialogues/"+name+".jsonl")
	dialogue := Dialogue{
		Name:    lines[0].Dialogue,
		Offered: Message(t, lines[0].Offered, &wire.MatchOffered{}),
		Started: Message(t, lines[0].Started, &wire.MatchStarted{}),
		End:     Message(t, lines[len(lines)-1].Response, &wire.PlayResponse{}),
	}
	for _, line := range lines[1 : len(lines)-1] {
		response := Message(t, line.Response, &wire.PlayResponse{})
		dialogue.Questions = append(dialogue.Questions, Question{line.Kind, line.Count, line.Greedy, line.Random, response})
	}
	return dialogue
}

// Dialogues are the names of all dialogues.
func Dialogues(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root(), "clients", "vectors", "dialogues", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("clients/vectors is not here: this library was copied out of its repository")
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		base := filepath.Base(path)
		names[i] = base[:len(base)-len(".jsonl")]
	}
	return names
}
