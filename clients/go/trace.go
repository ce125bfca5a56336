package mergemaker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// removed replaces a token.
const removed = "removed"

// trace writes every message to a file as a line of JSON, without tokens. A failed write is reported once, and does not
// stop the bot. A nil trace writes nothing.
type trace struct {
	secrets [][]byte
	report  func(string)
	now     func() time.Time
	mutex   sync.Mutex
	file    *os.File // nil once it has failed or is closed
}

// openTrace opens the file; without a path there is no trace.
func openTrace(path, token string, report func(string)) (*trace, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, &Problem{BadSetting, "bad-trace", fmt.Sprintf("the trace (%s) cannot be written: %v", traceVariable, err), err}
	}
	// A token with a quotation mark or a backslash is escaped in JSON.
	quoted := jsonOf(token)
	return &trace{[][]byte{[]byte(token), quoted[1 : len(quoted)-1]}, report, time.Now, sync.Mutex{}, file}, nil
}

// traceLine is a line; direction is sent or received with a message, stream with its state, or problem with its text.
type traceLine struct {
	At        string `json:"at"`
	Direction string `json:"direction"`
	Message   any    `json:"message,omitempty"`
	What      string `json:"what,omitempty"`
	Match     string `json:"match,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Text      string `json:"text,omitempty"`
}

func (t *trace) message(direction string, message proto.Message) {
	if t == nil {
		return
	}
	var content any
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(message)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		err = decoder.Decode(&content)
	}
	if err != nil {
		content = map[string]any{"unreadable": err.Error()}
	}
	t.write(traceLine{Direction: direction, Message: withoutTokens(content)})
}

func (t *trace) stream(what string) { t.write(traceLine{Direction: "stream", What: what}) }

func (t *trace) falseDeal(match string, found *Problem) {
	t.write(traceLine{Direction: "problem", Match: match, Reason: found.Reason, Text: found.Text})
}

func (t *trace) write(line traceLine) {
	if t == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.file == nil {
		return
	}
	line.At = t.now().UTC().Format("2006-01-02T15:04:05.000000Z")
	text := jsonOf(line)
	for _, secret := range t.secrets {
		text = bytes.ReplaceAll(text, secret, []byte(removed))
	}
	// The operating system has a line when Write returns, so that a bot that is killed leaves a whole trace.
	if _, err := t.file.Write(append(text, '\n')); err != nil {
		t.report(fmt.Sprintf("the trace ends here, it cannot be written: %v", err))
		t.shut()
	}
}

func (t *trace) close() {
	if t == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.shut()
}

func (t *trace) shut() {
	if t.file == nil {
		return
	}
	if err := t.file.Close(); err != nil {
		t.report(fmt.Sprintf("the trace cannot be closed: %v", err))
	}
	t.file = nil
}

// jsonOf is a value without a line end, and with characters as they are.
func jsonOf(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // text and what was read from JSON can be written as JSON
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// withoutTokens is the same with every field whose name ends in token emptied.
func withoutTokens(content any) any {
	switch value := content.(type) {
	case map[string]any:
		for name, inner := range value {
			if strings.HasSuffix(name, "token") && inner != "" {
				value[name] = removed
			} else {
				value[name] = withoutTokens(inner)
			}
		}
	case []any:
		for i, inner := range value {
			value[i] = withoutTokens(inner)
		}
	}
	return content
}
