package mergemaker

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// newerField is field 15 of the rules, which this library does not know, with the value 1.
const newerField = "\x78\x01"

func offeredByKnobs(t *testing.T, knobs ...string) *wire.MatchOffered {
	t.Helper()
	names := strings.Fields("Luxor Tower American Festival Worldwide Continental Imperial")
	rules, err := proto.Marshal(&wire.Rules{ChainNames: names, NewerKnobs: knobs})
	if err != nil {
		t.Fatal(err)
	}
	offered := &wire.MatchOffered{Seats: 3, Rules: &wire.Rules{}}
	if err := proto.Unmarshal(append(rules, newerField...), offered.Rules); err != nil {
		t.Fatal(err)
	}
	return offered
}

func TestAMatchWithNewerKnobsIsReadWhileTheyAreNeutral(t *testing.T) {
	started := &wire.MatchStarted{Nonce: make([]byte, 32)}
	if _, err := ReadMatch("m", offeredByKnobs(t), started); err != nil {
		t.Fatal(err)
	}
	_, err := ReadMatch("m", offeredByKnobs(t, "weather", "colour"), started)
	if err == nil || !strings.Contains(err.Error(), `the knob "weather", which this library does not know`) {
		t.Fatalf("a match with an unknown knob: %v", err)
	}
}
