package mergemaker

import (
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

func someEvidence() *wire.Evidence {
	return &wire.Evidence{
		AtFault: wire.AtFault_AT_FAULT_NETWORK,
		Text:    "a long way",
		Moments: []*wire.Moment{
			{Kind: wire.MomentKind_MOMENT_KIND_HANDED, AtUs: 1_250},
			{Kind: wire.MomentKind(77), AtUs: -300},
		},
		RefereeLagUs: 12_000,
		Trace:        "7b38.0.17",
	}
}

const someEvidenceText = "; the way's fault: a long way (in ms: handed 1.2, 77 -0.3); the referee was held up meanwhile, " +
	"its transport for 0.0 ms, itself for 12.0 ms; ask the operator about 7b38.0.17"

// noticesOf are the texts of what the author reads of a response.
func noticesOf(talk *conversation, response *wire.PlayResponse) []string {
	var texts []string
	for _, out := range talk.received(response) {
		if notice, ok := out.(noticeOut); ok {
			texts = append(texts, notice.text)
		}
	}
	return texts
}

func TestFaultsAreToldWithTheirEvidence(t *testing.T) {
	refusedFor := &wire.Problem{Reason: "not-legal", Text: "no", Rule: "a rule", Trace: "7b38.0.5"}
	taken := func(decision uint64) *wire.DefaultTaken {
		return &wire.DefaultTaken{Decision: decision, Cause: wire.FaultCause_FAULT_CAUSE_TIMEOUT, Text: "2 s", DefaultsLeft: 4, Evidence: someEvidence()}
	}
	for _, test := range []struct {
		name     string
		response *wire.PlayResponse
		should   []string
	}{
		{"a refusal", &wire.PlayResponse{AnswerRefused: &wire.AnswerRefused{Decision: 5, Problem: refusedFor, Evidence: someEvidence()}},
			[]string{"the answer to decision 5 was refused (not-legal): no [a rule]" + someEvidenceText}},
		{"a refusal without evidence", &wire.PlayResponse{AnswerRefused: &wire.AnswerRefused{Decision: 4, Problem: refusedFor}},
			[]string{"the answer to decision 4 was refused (not-legal): no [a rule]; ask the operator about 7b38.0.5"}},
		{"a default, which is not told again at the end", &wire.PlayResponse{DefaultTaken: taken(5),
			MatchEnded: &wire.MatchEnded{Defaults: []*wire.DefaultTaken{taken(5), taken(6)}}},
			[]string{
				"a default was taken for decision 5 (timeout): 2 s; 4 more, and the seat is no longer asked" + someEvidenceText,
				"a default was taken for decision 6 (timeout): 2 s; 4 more, and the seat is no longer asked" + someEvidenceText,
			}},
		{"a void match", &wire.PlayResponse{MatchEnded: &wire.MatchEnded{Voided: &wire.Evidence{AtFault: 99, Text: "the disk", Trace: "7b38"}}},
			[]string{"the match was voided; fault of 99: the disk; ask the operator about 7b38"}},
		{"a goodbye", &wire.PlayResponse{Goodbye: &wire.Goodbye{Reason: "no-pong", Text: "gone", Trace: "s-1"}},
			[]string{"the referee ends the stream (no-pong): gone; ask the operator about s-1"}},
		{"a request", &wire.PlayResponse{RequestRefused: &wire.RequestRefused{Request: "seat_ready", Problem: refusedFor}},
			[]string{"seat_ready was refused (not-legal): no [a rule]; ask the operator about 7b38.0.5"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.response.Match = "m"
			is := noticesOf(asked(t), test.response)
			if len(is) != len(test.should) {
				t.Fatalf("%q", is)
			}
			for i, text := range is {
				if text != test.should[i] {
					t.Errorf("%q\nnot\n%q", text, test.should[i])
				}
			}
		})
	}
}
