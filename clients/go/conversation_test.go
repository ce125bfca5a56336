package mergemaker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// told is what came of a response, in short: requests by their kind and what matters in them, other outputs by their type.
func told(outputs []output) string {
	var words []string
	for _, out := range outputs {
		switch out := out.(type) {
		case sendOut:
			words = append(words, sentWord(out.request))
		case beginOut:
			words = append(words, "begin "+out.match)
		case tellOut:
			words = append(words, fmt.Sprintf("tell %s %d-%d", out.match, out.events[0].GetNumber(), out.events[len(out.events)-1].GetNumber()))
		case askOut:
			words = append(words, fmt.Sprintf("ask %s %d", out.match, out.decision.GetId()))
		case settledOut:
			words = append(words, fmt.Sprintf("settled %s %d", out.match, out.decision))
		case endOut:
			words = append(words, "end "+out.match)
		case noticeOut:
			words = append(words, "notice")
		}
	}
	return strings.Join(words, ", ")
}

func sentWord(request *wire.PlayRequest) string {
	switch kind := request.GetKind().(type) {
	case *wire.PlayRequest_TakeSeat:
		if kind.TakeSeat.Seat != nil {
			return fmt.Sprintf("claim %s %d", request.GetMatch(), kind.TakeSeat.GetSeat())
		}
		return "seat"
	case *wire.PlayRequest_Answer:
		if _, isAction := kind.Answer.GetChoice().(*wire.Answer_Action); isAction {
			return fmt.Sprintf("answer %s %d by action", request.GetMatch(), kind.Answer.GetDecision())
		}
		return fmt.Sprintf("answer %s %d by %d", request.GetMatch(), kind.Answer.GetDecision(), kind.Answer.GetIndex())
	case *wire.PlayRequest_Pong:
		return fmt.Sprintf("pong %d", kind.Pong.GetId())
	case *wire.PlayRequest_DeclineSeat:
		return fmt.Sprintf("decline %s %s %s", request.GetMatch(), kind.DeclineSeat.GetReason(), kind.DeclineSeat.GetText())
	case *wire.PlayRequest_SeatReady:
		return "ready " + request.GetMatch()
	case *wire.PlayRequest_SeatReveal:
		return fmt.Sprintf("reveal %s %d", request.GetMatch(), kind.SeatReveal.GetPart()[0])
	}
	return fmt.Sprintf("%T", request.GetKind())
}

func welcomeResponse(token string, matchesMax uint32, resumed bool) *wire.PlayResponse {
	return &wire.PlayResponse{Welcome: &wire.Welcome{ResumeToken: token, Limits: &wire.Limits{MatchesMax: matchesMax}, Resumed: resumed}}
}

func offer(match string) *wire.PlayResponse {
	return &wire.PlayResponse{Match: match, MatchOffered: &wire.MatchOffered{Seat: 2, Seats: 3, DealMode: wire.DealMode_DEAL_MODE_PLAIN}}
}

func question(match string, id uint64) *wire.PlayResponse {
	asked := &wire.Question{Kind: &wire.Question_ChooseExchange{ChooseExchange: &wire.ChooseExchange{}}}
	listed := &wire.LegalAnswers_Listed{Listed: &wire.ListedAnswers{}}
	return &wire.PlayResponse{Match: match, Decision: &wire.Decision{
		Id: id, View: &wire.View{Asked: asked}, Answers: &wire.LegalAnswers{Count: 2, Kind: listed}, DefaultIndex: 1,
	}}
}

func eventsOf(match string, numbers ...uint64) *wire.PlayResponse {
	response := &wire.PlayResponse{Match: match}
	for _, number := range numbers {
		response.Events = append(response.Events, &wire.Event{Number: number})
	}
	return response
}

// step is something that happens to a conversation, and what is to come of it.
type step struct {
	what   any // a response, an answer, or a break
	should string
}

type given struct {
	match    string
	decision uint64
	answer   Answer
}

type broken struct {
	code codes.Code
	text string
}

func expect(t *testing.T, talk *conversation, steps ...step) {
	t.Helper()
	for number, step := range steps {
		var is string
		switch what := step.what.(type) {
		case *wire.PlayResponse:
			is = told(talk.received(what))
		case given:
			is = told(talk.answered(what.match, what.decision, what.answer))
		case broken:
			least, isOver, err := talk.broke(what.code, what.text)
			is = fmt.Sprintf("again %d", least)
			if isOver {
				is = "over"
			}
			var found *Problem
			if errors.As(err, &found) {
				is += " " + string(found.Kind) + " " + found.Reason
			}
		case string:
			is = hello(talk)
		}
		if is != step.should {
			t.Fatalf("step %d: %q, not %q", number, is, step.should)
		}
	}
}

func hello(talk *conversation) string {
	said := talk.hello().GetHello()
	words := []string{said.GetResume().GetResumeToken()}
	for _, match := range said.GetResume().GetSeen() {
		words = append(words, fmt.Sprintf("%s %d", match.GetMatch(), match.GetLastEvent()))
	}
	return strings.Join(words, ", ")
}

func talkOf(matchesAtOnce, matches int) *conversation {
	return newConversation(wishes{matches: matches, matchesAtOnce: matchesAtOnce}, func() [partBytes]byte { return [partBytes]byte{9} })
}

func refusedSeat(match, reason string) *wire.PlayResponse {
	refused := &wire.RequestRefused{Request: "take_seat", Problem: &wire.Problem{Reason: reason}}
	return &wire.PlayResponse{Match: match, RequestRefused: refused}
}

func started(match string) *wire.PlayResponse {
	return &wire.PlayResponse{Match: match, MatchStarted: &wire.MatchStarted{}}
}

func ended(match string) *wire.PlayResponse {
	return &wire.PlayResponse{Match: match, MatchEnded: &wire.MatchEnded{}}
}

func ping(id uint64) *wire.PlayResponse { return &wire.PlayResponse{Ping: &wire.Ping{Id: id}} }

// asked is a conversation in which decision 5 of match m is open.
func asked(t *testing.T) *conversation {
	t.Helper()
	talk := talkOf(1, 0)
	expect(t, talk,
		step{"hello", ""},
		step{welcomeResponse("one", 1, false), "seat"},
		step{offer("m"), ""},
		step{started("m"), "begin m"},
		step{eventsOf("m", 1, 2, 3), "tell m 1-3"},
		step{question("m", 5), "ask m 5"},
	)
	return talk
}

func TestFromHelloToTheEnd(t *testing.T) {
	talk := asked(t)
	expect(t, talk,
		step{ping(7), "pong 7"},
		step{given{"m", 5, ByIndex(0)}, "answer m 5 by 0"},
		step{given{"m", 5, ByIndex(1)}, ""}, // once for each decision
		step{&wire.PlayResponse{Match: "m", AnswerAccepted: &wire.AnswerAccepted{Decision: 5}}, ""},
		step{question("m", 6), "ask m 6"},
		step{given{"m", 6, ByAction(Exchange{true})}, "answer m 6 by action"},
		step{ended("m"), "end m, seat"},
	)
	if talk.isClosed {
		t.Error("another seat was asked for")
	}
	expect(t, talk, step{refusedSeat("", "no-seat"), ""}, step{broken{codes.OK, ""}, "over"})
	if !talk.isClosed || talk.problem != nil {
		t.Errorf("all is played: %v", talk.problem)
	}
}

func TestWithoutAnySeat(t *testing.T) {
	talk := talkOf(1, 0)
	expect(t, talk, step{"hello", ""}, step{welcomeResponse("one", 1, false), "seat"}, step{refusedSeat("", "no-seat"), ""},
		step{broken{codes.OK, ""}, "over refused no-seat"})
}

func TestSeveralMatches(t *testing.T) {
	talk := talkOf(4, 5)
	expect(t, talk,
		step{"hello", ""},
		step{welcomeResponse("one", 3, false), "seat, seat, seat"}, // no more than the referee allows
		step{offer("a"), ""}, step{offer("b"), ""}, step{offer("c"), ""},
		step{ended("a"), "end a, seat"},
		step{ended("b"), "end b, seat"},
		step{offer("d"), ""},
		step{ended("c"), "end c"}, // five are played with those that go on
	)
}

func TestABreak(t *testing.T) {
	talk := asked(t)
	expect(t, talk,
		step{broken{codes.Unavailable, "gone"}, "again 0"},
		step{given{"m", 5, ByIndex(0)}, ""}, // kept back while there is no stream
		step{"hello", "one, m 3"},
		step{welcomeResponse("two", 1, true), ""},
		step{offer("m"), ""},
		step{started("m"), ""},
		step{eventsOf("m", 3, 4), "tell m 4-4"},
		step{question("m", 4), ""},                  // older
		step{question("m", 5), "answer m 5 by 0"},   // again
		step{question("m", 5), "answer m 5 by 0"},   // and again
		step{broken{codes.Internal, ""}, "again 0"}, // the newest token counts
		step{"hello", "two, m 4"},
	)
}

func TestASessionThatIsLost(t *testing.T) {
	talk := asked(t)
	expect(t, talk,
		step{broken{codes.Unavailable, ""}, "again 0"},
		step{"hello", "one, m 3"},
		step{welcomeResponse("two", 1, false), "notice, claim m 2"},
		step{refusedSeat("m", "seat-taken"), "notice, end m"},
		step{broken{codes.OK, ""}, "over"},
	)
}

func TestRefusedAnswers(t *testing.T) {
	refused := func(decision uint64, left *uint32) *wire.PlayResponse {
		refused := &wire.AnswerRefused{Decision: decision, Problem: &wire.Problem{Reason: "not-legal"}, RefusalsLeft: left}
		return &wire.PlayResponse{Match: "m", AnswerRefused: refused}
	}
	talk := asked(t)
	expect(t, talk,
		step{given{"m", 5, ByIndex(0)}, "answer m 5 by 0"},
		step{refused(4, proto.Uint32(2)), "notice"},                  // another decision's
		step{refused(5, nil), "notice"},                              // it came too late
		step{refused(5, proto.Uint32(2)), "notice, answer m 5 by 1"}, // the default, once
		step{refused(5, proto.Uint32(1)), "notice"},                  // the referee takes it by itself
		step{question("m", 6), "ask m 6"},                            // and all begins again
		step{given{"m", 6, ByIndex(0)}, "answer m 6 by 0"},           //
		step{refused(6, proto.Uint32(0)), "notice"},                  // none is left
	)
}

func TestADefaultThatWasTaken(t *testing.T) {
	talk := asked(t)
	taken := &wire.DefaultTaken{Decision: 5, Cause: wire.FaultCause_FAULT_CAUSE_TIMEOUT}
	expect(t, talk,
		step{&wire.PlayResponse{Match: "m", DefaultTaken: taken}, "settled m 5, notice"},
		step{given{"m", 5, ByIndex(0)}, ""},
	)
}

func TestWhatIsNotKnown(t *testing.T) {
	talk := asked(t)
	newer := question("m", 6)
	newer.Decision.View.Asked.Kind = nil
	strange := question("m", 7)
	strange.Decision.Answers.Kind = nil
	expect(t, talk,
		step{newer, "notice, answer m 6 by 1"},
		step{strange, "notice, answer m 7 by 1"},
		step{question("other", 1), ""},
		step{eventsOf("other", 1), ""},
		step{ended("other"), ""},
		step{&wire.PlayResponse{}, ""},
	)
}

func TestJointMode(t *testing.T) {
	talk := talkOf(1, 0)
	joint := offer("m")
	joint.MatchOffered.DealMode, joint.MatchOffered.Commitment = wire.DealMode_DEAL_MODE_JOINT, make([]byte, 32)
	committed := &wire.PlayResponse{Match: "m", SeatsCommitted: &wire.SeatsCommitted{Commitments: make([][]byte, 3)}}
	expect(t, talk,
		step{"hello", ""},
		step{welcomeResponse("one", 1, false), "seat"},
		step{joint, "ready m"},
		step{broken{codes.Unavailable, ""}, "again 0"},
		step{"hello", "one, m 0"},
		step{welcomeResponse("two", 1, true), ""},
		step{joint, "ready m"},
		step{committed, "reveal m 9"},
		step{started("m"), "begin m"},
		step{joint, ""},
	)
	made := SeatCommitment([32]byte{}, 2, [32]byte{9})
	if talk.matches[0].promise.ownCommitment() != made {
		t.Error("another part was promised than is revealed")
	}
}

func TestTheSameMatchAgain(t *testing.T) {
	talk := asked(t)
	expect(t, talk, step{ended("m"), "end m, seat"}, step{offer("m"), ""}, step{broken{codes.OK, ""}, "over"})
}

func TestHowStreamsEnd(t *testing.T) {
	goodbye := func(reason string, reconnect bool) *wire.PlayResponse {
		return &wire.PlayResponse{Goodbye: &wire.Goodbye{Reason: reason, Reconnect: reconnect, ReconnectAfterMs: 300}}
	}
	for _, test := range []struct {
		name    string
		goodbye *wire.PlayResponse
		code    codes.Code
		should  string
	}{
		{"a break", nil, codes.Unavailable, "again 0"},
		{"a status of another kind", nil, codes.ResourceExhausted, "again 0"},
		{"an end without a reason", nil, codes.OK, "again 0"},
		{"a goodbye", goodbye("referee-closing", true), codes.Unavailable, "again 300"},
		{"a goodbye for good", goodbye("referee-closing", false), codes.Unavailable, "over refused referee-closing"},
		{"taken over", nil, codes.Aborted, "over taken over taken-over"},
		{"taken over, with a goodbye", goodbye("taken-over", true), codes.OK, "over taken over taken-over"},
		{"one's own session", nil, codes.AlreadyExists, "again 0"},
		{"no token", nil, codes.Unauthenticated, "over refused unauthenticated"},
		{"not allowed", nil, codes.PermissionDenied, "over refused permission-denied"},
		{"another version", goodbye("protocol-version", false), codes.FailedPrecondition, "over refused protocol-version"},
		{"unreadable", nil, codes.InvalidArgument, "over refused invalid-argument"},
		{"no referee", nil, codes.Unimplemented, "over refused unimplemented"},
		{"not found", nil, codes.NotFound, "over refused not-found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			talk := asked(t)
			if test.goodbye != nil {
				expect(t, talk, step{test.goodbye, "notice"})
			}
			expect(t, talk, step{broken{test.code, "text"}, test.should})
		})
	}
	talk := talkOf(1, 0)
	expect(t, talk, step{"hello", ""}, step{broken{codes.AlreadyExists, ""}, "over refused already-exists"})
	talk = asked(t)
	expect(t, talk, step{ended("m"), "end m, seat"}, step{goodbye("referee-closing", false), "notice"}, step{broken{codes.Unavailable, ""}, "over"})
}

func TestAllStatusesHaveNames(t *testing.T) {
	for code := codes.OK; code <= codes.Unauthenticated; code++ {
		if is, should := codeWord(code), code.String(); !strings.EqualFold(strings.ReplaceAll(is, "-", ""), should) && code != codes.Canceled {
			t.Errorf("%s is called %s", should, is)
		}
	}
	if !slices.Contains(codeNames[:], "CANCELLED") || codeName(codes.Code(99)) != "Code(99)" {
		t.Error("names of statuses")
	}
}

func TestASeatInAMatchThatRequiresTheUnknownIsDeclined(t *testing.T) {
	requiring := func(match string, knobs []string, names ...string) *wire.PlayResponse {
		response := offer(match)
		response.MatchOffered.Requires = names
		response.MatchOffered.Rules = &wire.Rules{NewerKnobs: knobs}
		return response
	}
	declined := func(match, name string) string {
		return fmt.Sprintf("notice, decline %s unknown-requirement the match requires %q, which this library does not know: a newer one may know it", match, name)
	}
	talk := newConversation(wishes{matchesAtOnce: 1}, nil)
	talk.hello()
	expect(t, talk,
		step{welcomeResponse("one", 1, false), "seat"},
		step{requiring("a", nil, "joint-deal", "telepathy"), declined("a", "telepathy") + ", seat"},
		step{eventsOf("a", 1), ""},
		step{requiring("b", []string{"weather"}), declined("b", "knob:weather") + ", seat"},
		step{requiring("a", nil, "telepathy"), declined("a", "telepathy")},
	)
	var found *Problem
	if !talk.isClosed || !errors.As(talk.problem, &found) || found.Reason != "unknown-requirement" {
		t.Fatalf("closed: %v, by %v", talk.isClosed, talk.problem)
	}
}

func TestAMatchThatRequiresWhatIsKnownIsPlayed(t *testing.T) {
	talk := newConversation(wishes{matchesAtOnce: 1}, nil)
	talk.hello()
	response := offer("a")
	response.MatchOffered.Requires = []string{"joint-deal"}
	expect(t, talk, step{welcomeResponse("one", 1, false), "seat"}, step{response, ""}, step{question("a", 1), "ask a 1"})
}
