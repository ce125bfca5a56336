package mergemaker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// player plays every match that comes with a bot of its own, each in a goroutine of its own.
type player struct {
	newBot func() Bot
	answer func(match string, decision uint64, answer Answer)
	report func(string)
	trace  *trace
	now    func() time.Time

	mutex   sync.Mutex
	seats   map[string]*seat
	results []*Result
	running sync.WaitGroup
}

// seat is one match of a bot. What came waits until the bot is done with what came before.
type seat struct {
	match   string
	offered *wire.MatchOffered
	inbox   chan struct{} // holds a token whenever something waits
	mutex   sync.Mutex
	waiting []stamped
	// thinking ends the context of the open question.
	thinking context.CancelFunc
	asked    uint64

	// Only the goroutine uses what follows.
	bot     Bot
	info    *Match
	untold  []*wire.Event
	witness witness
	problem *Problem
}

// stamped is something to do, when it came, and for a question its context.
type stamped struct {
	output
	came time.Time
	ctx  context.Context
}

func newPlayer(newBot func() Bot, trace *trace, report func(string)) *player {
	return &player{newBot: newBot, report: report, trace: trace, now: time.Now, seats: map[string]*seat{}}
}

// deliver takes what is to be done; it does not wait for bots.
func (p *player) deliver(ctx context.Context, out output) {
	switch out := out.(type) {
	case noticeOut:
		if out.match != "" {
			p.report("match " + out.match + ": " + out.text)
		} else {
			p.report(out.text)
		}
	case beginOut:
		seat := &seat{match: out.match, offered: out.offered, inbox: make(chan struct{}, 1)}
		p.seats[out.match] = seat
		p.running.Go(func() { p.play(seat) })
		seat.put(stamped{out, p.now(), ctx})
	case tellOut:
		p.put(out.match, stamped{out, p.now(), ctx})
	case askOut:
		if seat := p.seats[out.match]; seat != nil {
			seat.put(stamped{out, p.now(), seat.think(ctx, out.decision.GetId())})
		} else {
			p.answer(out.match, out.decision.GetId(), ByIndex(out.decision.GetDefaultIndex()))
		}
	case settledOut:
		if seat := p.seats[out.match]; seat != nil {
			seat.settled(out.decision)
		}
	case endOut:
		p.end(ctx, out)
	}
}

func (p *player) put(match string, what stamped) {
	if seat := p.seats[match]; seat != nil {
		seat.put(what)
	}
}

func (p *player) end(ctx context.Context, out endOut) {
	seat := p.seats[out.match]
	if seat == nil { // it was over before it began
		p.finish(out, nil)
		return
	}
	delete(p.seats, out.match)
	seat.stopThinking()
	seat.put(stamped{out, p.now(), ctx})
}

// stop ends all questions, and waits for the bots; false if the context ended, and they did not return in time.
func (p *player) stop(ctx context.Context, grace time.Duration) bool {
	for _, seat := range p.seats {
		seat.stopThinking()
		seat.put(stamped{})
	}
	done := make(chan struct{})
	go func() {
		p.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(grace):
		return false
	}
}

// think begins a question's context; that of the one before ends.
func (s *seat) think(ctx context.Context, decision uint64) context.Context {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.thinking != nil {
		s.thinking()
	}
	ctx, s.thinking = context.WithCancel(ctx)
	s.asked = decision
	return ctx
}

func (s *seat) settled(decision uint64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.thinking != nil && s.asked == decision {
		s.thinking()
	}
}

func (s *seat) stopThinking() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.thinking != nil {
		s.thinking()
	}
}

func (s *seat) put(what stamped) {
	s.mutex.Lock()
	s.waiting = append(s.waiting, what)
	s.mutex.Unlock()
	select {
	case s.inbox <- struct{}{}:
	default:
	}
}

func (s *seat) take() []stamped {
	<-s.inbox
	s.mutex.Lock()
	defer s.mutex.Unlock()
	waiting := s.waiting
	s.waiting = nil
	return waiting
}

// play does what comes for one match, until its end.
func (p *player) play(seat *seat) {
	for {
		for _, what := range seat.take() {
			switch out := what.output.(type) {
			case beginOut:
				p.begin(seat, out)
			case tellOut:
				p.tell(seat, out)
			case askOut:
				p.ask(what.ctx, seat, out, what.came)
			case endOut:
				p.finish(out, seat)
				return
			case nil: // the bot stops in the middle of the match
				return
			}
		}
	}
}

func (p *player) begin(seat *seat, out beginOut) {
	info, err := ReadMatch(out.match, out.offered, out.started)
	if err != nil {
		p.report(fmt.Sprintf("match %s: it cannot be read, so its defaults are answered: %v", out.match, err))
		return
	}
	seat.info = info
	seat.bot = Defaults{}
	p.guarded(seat, "when it was made, so the defaults are answered", func() {
		if made := p.newBot(); made != nil {
			seat.bot = made
			return
		}
		panic("the factory made no bot")
	})
	p.guarded(seat, "in OnStart", func() { seat.bot.OnStart(info) })
}

// guarded calls a bot; a panic is reported.
func (p *player) guarded(seat *seat, where string, call func()) {
	defer func() {
		if cause := recover(); cause != nil {
			p.report(fmt.Sprintf("match %s: the bot failed %s: %v\n%s", seat.match, where, cause, debug.Stack()))
		}
	}()
	call()
}

func (p *player) tell(seat *seat, out tellOut) {
	if err := seat.witness.saw(out.events); err != nil && seat.problem == nil {
		p.falseDeal(seat.match, seat, err)
	}
	known := make([]*wire.Event, 0, len(out.events))
	for _, event := range out.events {
		if event.GetKind() != nil { // others only a newer client knows
			known = append(known, event)
		}
	}
	seat.untold = append(seat.untold, known...)
	if seat.bot != nil {
		p.guarded(seat, "in OnEvents", func() { seat.bot.OnEvents(known) })
	}
}

func (p *player) ask(ctx context.Context, seat *seat, out askOut, came time.Time) {
	id, byDefault := out.decision.GetId(), ByIndex(out.decision.GetDefaultIndex())
	if ctx.Err() != nil { // settled before the bot had time for it
		return
	}
	if seat.bot == nil {
		p.answer(out.match, id, byDefault)
		return
	}
	events := seat.untold
	seat.untold = nil
	turn, err := ReadTurn(seat.info, out.decision, events)
	if err != nil {
		p.report(fmt.Sprintf("match %s, decision %d cannot be read: %v; its default is answered", out.match, id, err))
		p.answer(out.match, id, byDefault)
		return
	}
	turn.TimeLeft = max(0, turn.TimeLeft-p.now().Sub(came))
	answer, err := p.think(ctx, seat, turn)
	if err == nil {
		p.answer(out.match, id, answer)
		return
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // it stopped thinking, as requested
		return
	}
	p.answer(out.match, id, byDefault.WithNote("default, after an error of the bot"))
	// In brackets: the decision as it is named after the path of the match's record.
	p.report(fmt.Sprintf("match %s, decision %d (@seat%d:%d), %s of turn %d: the bot failed: %v; answered its default, %+v",
		out.match, id, seat.info.Seat, id, turn.Asked.Kind(), turn.View.Turn, err, turn.Default()))
}

// think asks the bot, and makes sure that its answer can be sent; a panic in either, as over an action that is a nil pointer, is an error.
func (p *player) think(ctx context.Context, seat *seat, turn *Turn) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	answer, err = answerOf(ctx, seat.bot, turn)
	if err != nil {
		return answer, err
	}
	return answer.settled(turn)
}

// finish tells a bot how its match ended, and whether its deal was the one promised.
func (p *player) finish(out endOut, seat *seat) {
	result := resultOf(out.match, out.ended)
	var seen *witness
	if seat != nil {
		seen = &seat.witness
	}
	var found *Problem
	if seat != nil {
		found = seat.problem
	}
	if found == nil {
		finding, err := checkDeal(out.promise, out.ended.GetProof(), seen)
		result.Deal = finding
		if err != nil {
			found = p.falseDeal(out.match, seat, err)
		}
	}
	if found != nil {
		result.Deal, result.Problem = DealFalse, found
	}
	p.mutex.Lock()
	p.results = append(p.results, result)
	p.mutex.Unlock()
	p.report(fmt.Sprintf("match %s is over: %s", out.match, outcome(result, int(out.promise.offered.GetSeat()))))
	if seat != nil && seat.bot != nil {
		p.guarded(seat, "in OnEnd", func() { seat.bot.OnEnd(result) })
	}
}

// falseDeal reports in every place that a deal is not the one promised.
func (p *player) falseDeal(match string, seat *seat, err error) *Problem {
	var found *Problem
	if !errors.As(err, &found) {
		found = &Problem{FalseDeal, "unreadable-proof", err.Error(), err}
	}
	p.report(fmt.Sprintf("match %s: THE DEAL IS NOT THE ONE THAT WAS PROMISED (%s): %s; keep this text, and ask the operator of the referee",
		match, found.Reason, found.Text))
	p.trace.falseDeal(match, found)
	if seat != nil {
		seat.problem = found
	}
	return found
}

func outcome(result *Result, seat int) string {
	text := result.Why
	for _, own := range result.Standings {
		if own.Seat == seat {
			text += fmt.Sprintf("; place %d of %d with $%d, %s", own.Place, len(result.Standings), own.Cash, own.Status)
		}
	}
	if result.Receipt != nil {
		text += "; receipt " + result.Receipt.String()
	}
	return text
}
