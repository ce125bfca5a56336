package main

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// turns are the questions of one kind to one seat of the match in testdata/questions.jsonl, as a bot meets them.
func turns(t *testing.T, kind string) []*mergemaker.Turn {
	t.Helper()
	file, err := os.Open("testdata/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var match *mergemaker.Match
	var found []*mergemaker.Turn
	for lines.Scan() {
		// The fields hold messages in base64, which is how JSON has bytes.
		var line struct {
			Offered, Started, Response []byte
			Kind                       string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if match == nil {
			offered := message(t, line.Offered, &wire.MatchOffered{})
			match, err = mergemaker.ReadMatch("questions", offered, message(t, line.Started, &wire.MatchStarted{}))
		} else if line.Kind == kind {
			response := message(t, line.Response, &wire.PlayResponse{})
			var turn *mergemaker.Turn
			turn, err = mergemaker.ReadTurn(match, response.Decision, response.Events)
			found = append(found, turn)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines.Err() != nil || len(found) == 0 {
		t.Fatalf("no question is a %s: %v", kind, lines.Err())
	}
	return found
}

func message[T proto.Message](t *testing.T, content []byte, into T) T {
	t.Helper()
	if err := proto.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
	return into
}
