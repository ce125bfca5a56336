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

func TestTheLeadIsCountedWhereHoldingsAreShownAndGuessedWhereTheyAreHidden(t *testing.T) {
	shares := func(count int) *ByChain { return &ByChain{0: count} }
	for _, test := range []struct {
		name                string
		others              []*ByChain
		lead, first, second int
	}{
		{"two others", []*ByChain{shares(3), shares(7)}, -2, 7, 3},
		{"equal ones", []*ByChain{shares(4), shares(4)}, 1, 4, 4},
		{"nobody else has any", []*ByChain{shares(0)}, 5, 0, 0},
		{"one other, hidden", []*ByChain{nil}, -3, 8, 0},
		{"two others, hidden", []*ByChain{nil, nil}, -1, 6, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			view := &View{Seats: 1 + len(test.others), Seat: 1, Market: ByChain{0: 12}}
			view.Players = []Player{{Shares: test.others[0]}, {Shares: shares(5)}}
			for _, other := range test.others[1:] {
				view.Players = append(view.Players, Player{Shares: other})
			}
			turn := &Turn{View: view}
			if is := turn.Lead(0); is != test.lead {
				t.Errorf("the lead is %d, not %d", is, test.lead)
			}
			if first, second := view.TopsOfOthers(1, 0); first != test.first || second != test.second {
				t.Errorf("the largest of the others are %d and %d, not %d and %d", first, second, test.first, test.second)
			}
		})
	}
}
