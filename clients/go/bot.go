package mergemaker

import (
	"context"
	"unicode/utf8"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Bot plays one seat of one match. Embed [Defaults] and write what you care for: every handler that is not written answers what
// the referee would take. An error, or a panic, costs no match: it is reported, and the default is answered.
//
// The context of a question ends when it was settled without the bot, and when the bot is to stop. All calls for one match come
// one after the other; those of several matches come at the same time, each to a bot of its own.
type Bot interface {
	Handlers

	// OnStart tells of the match before its first tile.
	OnStart(*Match)
	// OnEvents tells what happened, as far as the seat may know; always before the question that it leads to.
	OnEvents([]*wire.Event)
	// OnEnd tells how the match ended.
	OnEnd(*Result)
}

// Answerer is a bot that answers every question in one place, instead of by the handlers for its kinds.
type Answerer interface {
	Answer(context.Context, *Turn) (Answer, error)
}

// Answer is what a bot answers: made by [ByAction] or [ByIndex]. The zero Answer is the default.
type Answer struct {
	action   Action
	index    uint64
	hasIndex bool
	note     string
}

// ByAction answers with an action. The referee decides whether it is legal.
func ByAction(action Action) Answer { return Answer{action: action} }

// ByIndex answers with the legal answer at an index.
func ByIndex(index uint64) Answer { return Answer{index: index, hasIndex: true} }

// WithNote is the same answer with a note of at most [NoteBytesMax], which is recorded, and shown to nobody before the end.
func (a Answer) WithNote(note string) Answer {
	a.note = note
	return a
}

// settled makes sure that an answer can be sent; the zero answer becomes the default's index.
func (a Answer) settled(turn *Turn) (Answer, error) {
	if len(a.note) > NoteBytesMax {
		return a, problem(BadAnswer, "note-too-long", "a note is at most %d bytes of UTF-8, not %d", NoteBytesMax, len(a.note))
	}
	if !utf8.ValidString(a.note) {
		return a, problem(BadAnswer, "bad-note", "a note is UTF-8; this one is not")
	}
	switch {
	case a.hasIndex:
		if a.index >= turn.Answers.Len() {
			return a, problem(BadAnswer, "bad-index", "%s was answered by the index %d; there are answers 0 to %d",
				turn.Asked.Kind(), a.index, turn.Answers.Len()-1)
		}
	case a.action == nil:
		a.index, a.hasIndex = turn.DefaultIndex, true
	default:
		return a, checkAction(a.action, turn)
	}
	return a, nil
}

// checkAction refuses what no message can hold; the referee decides whether the rest is legal.
func checkAction(action Action, turn *Turn) error {
	refuse := func() error {
		return problem(BadAnswer, "bad-action", "%s was answered by %#v, of which a number cannot be", turn.Asked.Kind(), action)
	}
	message := action.message()
	if message == nil {
		return problem(BadAnswer, "unknown-action", "an answer of an unknown kind is given by its index: ByIndex")
	}
	// A negative number would be sent as a very large one.
	r := &reader{}
	read := r.actionOf(message)
	if r.err != nil || read != action {
		return refuse()
	}
	return nil
}

// answerOf asks a bot by the handler for the kind of question.
func answerOf(ctx context.Context, bot Bot, turn *Turn) (Answer, error) {
	if all, ok := bot.(Answerer); ok {
		return all.Answer(ctx, turn)
	}
	return handlerAnswer(ctx, bot, turn)
}

// Defaults answers every question with the default, and does not listen. Embed it in a bot.
type Defaults struct{}

// OnStart ignores the start.
func (Defaults) OnStart(*Match) {}

// OnEvents ignores what happens.
func (Defaults) OnEvents([]*wire.Event) {}

// OnEnd ignores the end.
func (Defaults) OnEnd(*Result) {}

// BotFunc is a bot that is one function.
type BotFunc func(context.Context, *Turn) (Answer, error)

// New makes a bot of the function: a factory for [Run].
func (f BotFunc) New() Bot { return functionBot{answer: f} }

type functionBot struct {
	Defaults
	answer BotFunc
}

func (b functionBot) Answer(ctx context.Context, turn *Turn) (Answer, error) {
	return b.answer(ctx, turn)
}
