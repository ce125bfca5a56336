package mergemaker

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

const takenOverReason = "taken-over"

// wishes are what a bot wants of the referee.
type wishes struct {
	name, version string
	events        wire.EventMode
	// matches is how many are played; 0: as many as there are.
	matches       int
	matchesAtOnce int
	evict         bool
}

// conversation is the client's side of a stream, without I/O: what came goes in, and what is to be done comes out. It outlives
// its streams: it knows the session, and of each match how far it was seen, what is asked, and what was answered.
type conversation struct {
	wishes      wishes
	freshPart   func() [partBytes]byte
	resumeToken string
	isWelcome   bool
	// limit is how many matches at once the referee allows.
	limit   int
	goodbye *wire.Goodbye
	// isClosed is whether all is done; then problem is what stopped it, if anything did.
	isClosed bool
	problem  error

	matches []*matchTalk
	over    map[string]bool
	played  int
	// waiting are seats that were asked for and neither given nor refused.
	waiting int
	// refusal is why no other seat is given.
	refusal error
	// declined are matches that require what is unknown here, and unknown is what the last of them requires.
	declined map[string]bool
	unknown  error
}

// matchTalk is what is known of one match.
type matchTalk struct {
	id        string
	promise   *promise
	hasBegun  bool
	lastEvent uint64
	// decision is what was asked last; it stays after its answer, which may have to be sent again.
	decision *wire.Decision
	answer   *wire.PlayRequest
	// isOpen is whether an answer of the bot still counts, fellBack whether the default was answered because its own was refused.
	isOpen, fellBack bool
	// toldDefaults are the decisions whose default was reported.
	toldDefaults []uint64
}

func newConversation(wishes wishes, freshPart func() [partBytes]byte) *conversation {
	return &conversation{wishes: wishes, freshPart: freshPart, limit: 1, over: map[string]bool{}, declined: map[string]bool{}}
}

func (c *conversation) match(id string) *matchTalk {
	for _, match := range c.matches {
		if match.id == id {
			return match
		}
	}
	return nil
}

// capabilities are what is done here beyond what every client does.
var capabilities = []string{"joint-deal"}

const unknownRequirementReason = "unknown-requirement"

func (c *conversation) forget(gone *matchTalk) {
	c.matches = slices.DeleteFunc(c.matches, func(match *matchTalk) bool { return match == gone })
}

// hello is the first request of a new stream.
func (c *conversation) hello() *wire.PlayRequest {
	c.isWelcome = false
	c.goodbye = nil
	hello := &wire.Hello{
		Protocols:    []uint32{Protocol},
		BotName:      c.wishes.name,
		BotVersion:   c.wishes.version,
		Library:      "mergemaker-go " + Version,
		EventMode:    c.wishes.events,
		MatchesMax:   uint32(c.wishes.matchesAtOnce),
		Evict:        c.wishes.evict,
		Capabilities: capabilities,
	}
	if c.resumeToken != "" {
		hello.Resume = &wire.Resume{ResumeToken: c.resumeToken}
		for _, match := range c.matches {
			hello.Resume.Seen = append(hello.Resume.Seen, &wire.SeenMatch{Match: match.id, LastEvent: match.lastEvent})
		}
	}
	return &wire.PlayRequest{Kind: &wire.PlayRequest_Hello{Hello: hello}}
}

// received takes a response; its fields in their order.
func (c *conversation) received(response *wire.PlayResponse) []output {
	var out []output
	about := c.match(response.GetMatch())
	if response.Welcome != nil {
		out = append(out, c.welcome(response.Welcome)...)
	}
	if response.MatchOffered != nil {
		out = append(out, c.offered(response.GetMatch(), about, response.MatchOffered)...)
		about = c.match(response.GetMatch())
	}
	if about != nil {
		out = append(out, c.aboutMatch(about, response)...)
	}
	if response.AnswerRefused != nil {
		out = append(out, c.answerRefused(response.GetMatch(), about, response.AnswerRefused)...)
	}
	if response.DefaultTaken != nil {
		out = append(out, c.defaultTaken(response.GetMatch(), about, response.DefaultTaken)...)
	}
	if about != nil {
		out = append(out, c.play(about, response)...)
	}
	if response.RequestRefused != nil {
		out = append(out, c.requestRefused(response.GetMatch(), response.RequestRefused)...)
	}
	if response.Ping != nil {
		pong := &wire.Pong{Id: response.Ping.GetId()}
		out = append(out, sendOut{&wire.PlayRequest{Kind: &wire.PlayRequest_Pong{Pong: pong}}})
	}
	if response.Goodbye != nil {
		c.goodbye = response.Goodbye
		text := fmt.Sprintf("the referee ends the stream (%s): %s%s", c.goodbye.GetReason(), c.goodbye.GetText(), askedBy(c.goodbye.GetTrace()))
		out = append(out, noticeOut{text: text})
	}
	if len(c.matches) == 0 && c.waiting == 0 && c.isWelcome && !c.isClosed {
		c.isClosed = true
		if c.played == 0 {
			c.problem = cmp.Or(c.unknown, c.refusal)
		}
	}
	return out
}

// aboutMatch takes what comes before anything about answers.
func (c *conversation) aboutMatch(match *matchTalk, response *wire.PlayResponse) []output {
	var out []output
	if response.SeatsCommitted != nil && match.promise.hasPart {
		promise := match.promise
		commitments := response.SeatsCommitted.GetCommitments()
		if promise.seats != nil && !slices.EqualFunc(promise.seats, commitments, bytes.Equal) {
			promise.isChanged = true
		}
		if promise.seats == nil {
			promise.seats = commitments
		}
		promise.isRevealed = true
		reveal := &wire.SeatReveal{Part: promise.part[:]}
		out = append(out, sendOut{&wire.PlayRequest{Match: match.id, Kind: &wire.PlayRequest_SeatReveal{SeatReveal: reveal}}})
	}
	if response.MatchStarted != nil && !match.hasBegun {
		match.hasBegun = true
		out = append(out, beginOut{match.id, match.promise.offered, response.MatchStarted})
	}
	if accepted := response.AnswerAccepted; accepted != nil && match.decision.GetId() == accepted.GetDecision() {
		match.isOpen = false
	}
	return out
}

// play takes events, questions, and the end.
func (c *conversation) play(match *matchTalk, response *wire.PlayResponse) []output {
	var out []output
	var fresh []*wire.Event
	for _, event := range response.GetEvents() {
		if event.GetNumber() > match.lastEvent { // after a resume, events may come again
			fresh = append(fresh, event)
		}
	}
	if len(fresh) > 0 {
		match.lastEvent = fresh[len(fresh)-1].GetNumber()
		out = append(out, tellOut{match.id, fresh})
	}
	if response.Decision != nil {
		out = append(out, c.decision(match, response.Decision)...)
	}
	if response.MatchEnded != nil {
		c.forget(match)
		c.played++
		c.over[match.id] = true
		c.refusal = nil
		// Now it hears what was done in its name while it was away.
		for _, taken := range response.MatchEnded.GetDefaults() {
			if !slices.Contains(match.toldDefaults, taken.GetDecision()) {
				out = append(out, noticeOut{match.id, defaultText(taken)})
			}
		}
		if response.MatchEnded.Voided != nil {
			out = append(out, noticeOut{match.id, "the match was voided" + evidenceText(response.MatchEnded.Voided)})
		}
		out = append(out, endOut{match.id, response.MatchEnded, match.promise})
		out = append(out, c.takeSeats()...)
	}
	return out
}

// answered takes the bot's answer. It is dropped if its time is over, and kept while there is no stream.
func (c *conversation) answered(about string, decision uint64, answer Answer) []output {
	match := c.match(about)
	if match == nil || match.decision.GetId() != decision || !match.isOpen || match.answer != nil {
		return nil
	}
	return c.answer(match, answer)
}

// broke takes the end of a stream. It tells how long to wait at least before another one, or that there will be none, and why.
func (c *conversation) broke(code codes.Code, text string) (againAfterMs uint32, isOver bool, err error) {
	c.isWelcome = false
	if c.isClosed {
		return 0, true, c.problem
	}
	goodbye := c.goodbye
	if code == codes.AlreadyExists && c.resumeToken != "" {
		return 0, false, nil // the live session may be our own, whose end the referee has not noticed yet
	}
	if code == codes.Aborted || goodbye.GetReason() == takenOverReason {
		return 0, true, problem(TakenOver, takenOverReason, "another process plays with this bot's token now, so this one stops "+
			"and does not come back; start one process for each token")
	}
	isDone := len(c.matches) == 0 && c.played > 0
	isForGood := goodbye != nil && !goodbye.GetReconnect()
	if isDone && (isForGood || code == codes.OK) {
		return 0, true, nil
	}
	if what, ok := advice[code]; ok {
		reason := codeWord(code)
		if goodbye != nil {
			reason, text = goodbye.GetReason(), goodbye.GetText()
		}
		if text == "" {
			text = "it gave no reason"
		}
		return 0, true, problem(Refused, reason, "the referee refused (%s): %s; %s", codeName(code), text, what)
	}
	if isForGood {
		return 0, true, problem(Refused, goodbye.GetReason(), "the referee ended the stream for good: %s", goodbye.GetText())
	}
	return goodbye.GetReconnectAfterMs(), false, nil
}

func (c *conversation) welcome(welcome *wire.Welcome) []output {
	var out []output
	wasKnown := c.resumeToken != ""
	c.isWelcome = true
	c.resumeToken = welcome.GetResumeToken()
	c.limit = max(1, int(welcome.GetLimits().GetMatchesMax()))
	c.waiting = 0
	if wasKnown && !welcome.GetResumed() {
		out = append(out, noticeOut{text: "the referee does not know the session any more: the seats are claimed again"})
		for _, match := range c.matches {
			seat := match.promise.offered.GetSeat()
			take := &wire.PlayRequest_TakeSeat{TakeSeat: &wire.TakeSeat{Seat: &seat}}
			out = append(out, sendOut{&wire.PlayRequest{Match: match.id, Kind: take}})
		}
	}
	return append(out, c.takeSeats()...)
}

func (c *conversation) offered(id string, match *matchTalk, offered *wire.MatchOffered) []output {
	if c.over[id] {
		// A seat's own token brings the same match again, to show its result: there is no other.
		c.waiting = max(0, c.waiting-1)
		c.refusal = problem(Refused, "match-over", "the match %s is over, and there is no other for this token", id)
		return nil
	}
	if match == nil {
		if unknown, isUnknown := unknownRequirement(offered); isUnknown {
			return c.decline(id, unknown)
		}
		match = &matchTalk{id: id, promise: &promise{match: id, offered: offered}}
		c.matches = append(c.matches, match)
		c.waiting = max(0, c.waiting-1)
	}
	promise := match.promise
	promise.shownAgain(offered)
	if !promise.isJoint() || !promise.isMade() || match.hasBegun {
		return nil
	}
	if !promise.hasPart {
		promise.part, promise.hasPart = c.freshPart(), true
	}
	commitment := promise.ownCommitment()
	ready := &wire.PlayRequest_SeatReady{SeatReady: &wire.SeatReady{Commitment: commitment[:]}}
	return []output{sendOut{&wire.PlayRequest{Match: id, Kind: ready}}}
}

// unknownRequirement is what a match requires that is unknown here, such as a knob of its rules.
func unknownRequirement(offered *wire.MatchOffered) (string, bool) {
	for _, name := range offered.GetRequires() {
		if !slices.Contains(capabilities, name) {
			return name, true
		}
	}
	for _, name := range offered.GetRules().GetNewerKnobs() {
		return "knob:" + name, true
	}
	return "", false
}

// decline gives a seat back: its match cannot be played by this library.
func (c *conversation) decline(id, unknown string) []output {
	c.waiting = max(0, c.waiting-1)
	text := fmt.Sprintf("the match requires %.64q, which this library does not know: a newer one may know it", unknown)
	c.unknown = problem(Refused, unknownRequirementReason, "the seat was declined: %s", text)
	seat := &wire.DeclineSeat{Reason: unknownRequirementReason, Text: text}
	out := []output{
		noticeOut{id, text + "; the seat is declined"},
		sendOut{&wire.PlayRequest{Match: id, Kind: &wire.PlayRequest_DeclineSeat{DeclineSeat: seat}}},
	}
	if c.declined[id] {
		return out
	}
	c.declined[id] = true
	return append(out, c.takeSeats()...)
}

func (c *conversation) answerRefused(id string, match *matchTalk, refused *wire.AnswerRefused) []output {
	out := []output{noticeOut{id, refusalText(refused)}}
	if match == nil || match.decision.GetId() != refused.GetDecision() || refused.GetRefusalsLeft() == 0 {
		return out // it came too late, or the referee takes the default by itself
	}
	if match.isOpen && !match.fellBack {
		match.fellBack = true
		out = append(out, c.answer(match, ByIndex(match.decision.GetDefaultIndex()))...)
	}
	return out
}

func (c *conversation) defaultTaken(id string, match *matchTalk, taken *wire.DefaultTaken) []output {
	var out []output
	if match != nil && match.decision != nil && match.decision.GetId() == taken.GetDecision() {
		match.isOpen = false
		out = append(out, settledOut{id, taken.GetDecision()})
	}
	if match != nil {
		match.toldDefaults = append(match.toldDefaults, taken.GetDecision())
	}
	return append(out, noticeOut{id, defaultText(taken)})
}

func (c *conversation) decision(match *matchTalk, decision *wire.Decision) []output {
	if match.decision != nil && decision.GetId() < match.decision.GetId() {
		return nil
	}
	if match.decision != nil && decision.GetId() == match.decision.GetId() {
		// It comes again after a resume. The bot still thinks about it, or its answer may never have arrived.
		if match.answer == nil {
			return nil
		}
		match.isOpen = true
		return []output{sendOut{match.answer}}
	}
	match.decision, match.answer = decision, nil
	match.isOpen, match.fellBack = true, false
	if decision.GetView().GetAsked().GetKind() != nil && decision.GetAnswers().GetKind() != nil {
		return []output{askOut{match.id, decision}}
	}
	text := fmt.Sprintf("decision %d is of a kind that only a newer client knows: answered its default", decision.GetId())
	return append([]output{noticeOut{match.id, text}}, c.answer(match, ByIndex(decision.GetDefaultIndex()))...)
}

func (c *conversation) requestRefused(id string, refused *wire.RequestRefused) []output {
	why := problemText(refused.GetProblem()) + askedBy(refused.GetProblem().GetTrace())
	said := refused.GetRequest() + " was refused " + why
	match := c.match(id)
	if refused.GetRequest() != "take_seat" {
		if match != nil && (refused.GetRequest() == "seat_ready" || refused.GetRequest() == "seat_reveal") {
			match.promise.isRefused = true
		}
		return []output{noticeOut{id, said}}
	}
	c.refusal = problem(Refused, refused.GetProblem().GetReason(), "the referee gives no seat %s", why)
	if match == nil {
		c.waiting = max(0, c.waiting-1)
		return nil
	}
	// The seat was claimed after the session was lost, and is lost, too.
	c.forget(match)
	c.played++
	ended := &wire.MatchEnded{Ending: wire.Ending_ENDING_VOIDED, Text: said}
	return []output{noticeOut{id, said}, endOut{id, ended, match.promise}}
}

func (c *conversation) answer(match *matchTalk, answer Answer) []output {
	message := &wire.Answer{Decision: match.decision.GetId(), Note: answer.note}
	if answer.hasIndex {
		message.Choice = &wire.Answer_Index{Index: answer.index}
	} else {
		message.Choice = &wire.Answer_Action{Action: answer.action.message()}
	}
	match.answer = &wire.PlayRequest{Match: match.id, Kind: &wire.PlayRequest_Answer{Answer: message}}
	if !c.isWelcome {
		return nil
	}
	return []output{sendOut{match.answer}}
}

// takeSeats asks for as many seats as are wanted and allowed at once.
func (c *conversation) takeSeats() []output {
	if c.refusal != nil {
		return nil
	}
	taken := len(c.matches) + c.waiting
	room := min(c.wishes.matchesAtOnce, c.limit) - taken
	if c.wishes.matches > 0 {
		room = min(room, c.wishes.matches-c.played-taken)
	}
	var out []output
	for range room {
		c.waiting++
		out = append(out, sendOut{&wire.PlayRequest{Kind: &wire.PlayRequest_TakeSeat{TakeSeat: &wire.TakeSeat{}}}})
	}
	return out
}
