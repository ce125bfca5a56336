package bots

import (
	"context"
	"testing"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// answer is what a bot answers.
func answer(t *testing.T, bot mergemaker.Bot, turn *mergemaker.Turn) mergemaker.Answer {
	t.Helper()
	given, err := bot.(mergemaker.Answerer).Answer(context.Background(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return given
}

func TestDialogues(t *testing.T) {
	for _, name := range vectors.Dialogues(t) {
		t.Run(name, func(t *testing.T) {
			dialogue := vectors.ReadDialogue(t, name)
			match, err := mergemaker.ReadMatch(dialogue.Name, dialogue.Offered, dialogue.Started)
			if err != nil {
				t.Fatal(err)
			}
			for _, question := range dialogue.Questions {
				decision := question.Response.GetDecision()
				turn, err := mergemaker.ReadTurn(match, decision, nil)
				if err != nil {
					t.Fatalf("decision %d: %v", decision.GetId(), err)
				}
				if turn.Answers.Len() != question.Count {
					t.Errorf("decision %d: %d answers, not %d", turn.Number, turn.Answers.Len(), question.Count)
				}
				if is, should := answer(t, NewGreedy(), turn), mergemaker.ByIndex(question.Greedy); is != should {
					t.Errorf("decision %d, %s: greedy answers %+v, not %+v", turn.Number, question.Kind, is, should)
				}
				if is, should := answer(t, NewRandom(), turn), mergemaker.ByIndex(question.Random); is != should {
					t.Errorf("decision %d, %s: random answers %+v, not %+v", turn.Number, question.Kind, is, should)
				}
			}
		})
	}
}

func TestGreedyLeavesWhatItDoesNotKnow(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	match, err := mergemaker.ReadMatch(dialogue.Name, dialogue.Offered, dialogue.Started)
	if err != nil {
		t.Fatal(err)
	}
	decision := dialogue.Questions[0].Response.GetDecision()
	for _, effect := range decision.GetEffects() {
		effect.Kind = wire.EffectKind(1_001)
	}
	decision.GetAnswers().GetListed().GetActions()[0].Kind = nil
	turn, err := mergemaker.ReadTurn(match, decision, nil)
	if err != nil {
		t.Fatal(err)
	}
	if is := answer(t, NewGreedy(), turn); is != mergemaker.ByIndex(0) {
		t.Errorf("all is worth nothing, so the first is taken, not %+v", is)
	}
}

func TestPrices(t *testing.T) {
	for _, test := range []struct{ chain, size, price int }{
		{0, 0, 0}, {0, 1, 0}, {0, 2, 200}, {1, 3, 300}, {2, 5, 600}, {4, 6, 700}, {4, 10, 700}, {5, 11, 900}, {6, 41, 1_200}, {0, 108, 1_000},
	} {
		if is := priceAt(test.chain, test.size); is != test.price {
			t.Errorf("chain %d at %d tiles is $%d, not $%d", test.chain, test.size, is, test.price)
		}
	}
}
