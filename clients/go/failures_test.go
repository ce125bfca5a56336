package mergemaker

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

func TestABotThatFails(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	for name, fails := range map[string]BotFunc{
		"an error": func(context.Context, *Turn) (Answer, error) { return Answer{}, errors.New("no idea at all") },
		"a panic":  func(context.Context, *Turn) (Answer, error) { panic("no idea at all") },
		"a note": func(context.Context, *Turn) (Answer, error) {
			return ByIndex(0).WithNote(strings.Repeat("no idea at all ", 100)), nil
		},
		"an action that is nil": func(context.Context, *Turn) (Answer, error) { return ByAction((*Place)(nil)), nil },
	} {
		t.Run(name, func(t *testing.T) {
			environment := served(t, func(s *talkTo) error {
				s.greets(dialogue)
				s.say(dialogue.Questions[0].Response)
				if note := s.hears("answer classic-4 1 by 0").GetAnswer().GetNote(); note != "default, after an error of the bot" {
					t.Errorf("the note is %q", note)
				}
				return s.leaves(dialogue)
			})
			_, said, err := played(t, environment, fails.New)
			if err != nil || !said.has("match classic-4, decision 1 (@seat1:1), ChooseTile of turn") || !said.has("no idea at all") && !said.has("1024 bytes") && !said.has("nil *Place") {
				t.Errorf("%v, %q", err, said.texts)
			}
		})
	}
}

// failing fails in everything but its answers.
type failing struct{ Defaults }

func (failing) OnStart(*Match)         { panic("in the start") }
func (failing) OnEvents([]*wire.Event) { panic("in the events") }
func (failing) OnEnd(*Result)          { panic("in the end") }

func TestABotThatFailsElsewhere(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	for name, newBot := range map[string]func() Bot{
		"in what it is told": func() Bot { return failing{} },
		"when it is made":    func() Bot { panic("in the start, in the events, in the end") },
		"by being none":      func() Bot { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			environment := served(t, func(s *talkTo) error {
				s.greets(dialogue)
				s.say(dialogue.Questions[0].Response)
				s.hears("answer classic-4 1 by 0")
				return s.leaves(dialogue)
			})
			_, said, err := played(t, environment, newBot)
			if err != nil || !said.has("the bot failed") {
				t.Errorf("%v, %q", err, said.texts)
			}
		})
	}
}

func TestWhatCannotBeReadIsAnsweredByItsDefault(t *testing.T) {
	for name, spoils := range map[string]func(vectors.Dialogue){
		"a board of 107 squares": func(d vectors.Dialogue) {
			view := d.Questions[0].Response.GetDecision().GetView()
			view.Board = view.GetBoard()[1:]
		},
		"players without their own cash": func(d vectors.Dialogue) {
			view := d.Questions[0].Response.GetDecision().GetView()
			view.Players[view.GetSeat()].Cash = nil
		},
		"a player too few": func(d vectors.Dialogue) {
			view := d.Questions[0].Response.GetDecision().GetView()
			view.Players = view.GetPlayers()[1:]
		},
		"a square that there is not": func(d vectors.Dialogue) { d.Questions[0].Response.GetDecision().GetEffects()[0].Square = 108 },
		"a count that is wrong":      func(d vectors.Dialogue) { d.Questions[0].Response.GetDecision().GetAnswers().Count++ },
		"a match without a nonce":    func(d vectors.Dialogue) { d.Started.Nonce = nil },
		"a match with six chains":    func(d vectors.Dialogue) { d.Offered.Rules.ChainNames = d.Offered.GetRules().GetChainNames()[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			dialogue := vectors.ReadDialogue(t, "classic-4")
			spoils(dialogue)
			environment := served(t, func(s *talkTo) error {
				s.greets(dialogue)
				s.say(dialogue.Questions[0].Response)
				s.hears("answer classic-4 1 by 0")
				return s.leaves(dialogue)
			})
			last := BotFunc(func(_ context.Context, turn *Turn) (Answer, error) { return ByIndex(turn.Answers.Len() - 1), nil })
			if _, said, err := played(t, environment, last.New); err != nil || !said.has("cannot be read") {
				t.Errorf("%v, %q", err, said.texts)
			}
		})
	}
}
