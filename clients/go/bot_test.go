package mergemaker

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

func TestEachKindHasItsHandler(t *testing.T) {
	one := BotFunc(func(context.Context, *Turn) (Answer, error) { return ByIndex(99), nil })
	for index, asked := range questions {
		turn := &Turn{Asked: asked}
		for bot, should := range map[Bot]Answer{marked{}: ByIndex(uint64(index)), Defaults{}: {}} {
			if is, err := answerOf(context.Background(), bot, turn); is != should || err != nil {
				t.Errorf("%T, %s: %+v, %v", bot, asked.Kind(), is, err)
			}
		}
		if is, err := answerOf(context.Background(), one.New(), turn); is != ByIndex(99) || err != nil {
			t.Errorf("a function, %s: %+v, %v", asked.Kind(), is, err)
		}
	}
}

func TestKindsAreTheMessages(t *testing.T) {
	fields := (&wire.Question{}).ProtoReflect().Descriptor().Oneofs().ByName("kind").Fields()
	if fields.Len() != len(questions) {
		t.Fatalf("%d kinds, not %d", len(questions), fields.Len())
	}
	for index, asked := range questions {
		if name := string(fields.Get(index).Message().Name()); name != asked.Kind() {
			t.Errorf("%s is called %s", name, asked.Kind())
		}
	}
}

func TestAnswersAsTheyAreSent(t *testing.T) {
	turn := &Turn{Asked: ChooseExchange{}, Answers: Answers{listed: []Action{Exchange{false}, Exchange{true}}}, DefaultIndex: 1}
	for _, test := range []struct{ given, should Answer }{
		{Answer{}, ByIndex(1)},
		{Answer{}.WithNote("why"), ByIndex(1).WithNote("why")},
		{ByIndex(0), ByIndex(0)},
		{ByAction(Exchange{true}), ByAction(Exchange{true})},
		{ByIndex(0).WithNote(strings.Repeat("n", NoteBytesMax)), ByIndex(0).WithNote(strings.Repeat("n", NoteBytesMax))},
	} {
		if is, err := test.given.settled(turn); is != test.should || err != nil {
			t.Errorf("%+v becomes %+v, %v", test.given, is, err)
		}
	}
}

func TestAnswersThatCannotBeSent(t *testing.T) {
	turn := &Turn{Asked: ChooseExchange{}, Answers: Answers{listed: []Action{Exchange{false}}}}
	for reason, given := range map[string]Answer{
		"bad-index":      ByIndex(1),
		"note-too-long":  ByIndex(0).WithNote(strings.Repeat("ä", NoteBytesMax/2) + "n"),
		"bad-note":       ByIndex(0).WithNote("\xff"),
		"bad-action":     ByAction(Place{Square: -1}),
		"unknown-action": ByAction(Unknown{}),
	} {
		_, err := given.settled(turn)
		var found *Problem
		if !errors.As(err, &found) || found.Kind != BadAnswer || found.Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for _, action := range []Action{Buy{Shares: ByChain{-1}}, OfferTrade{GiveCash: 1 << 40}, NameFounded{7}, Dispose{Sell: 26}} {
		if _, err := ByAction(action).settled(turn); err == nil {
			t.Errorf("%+v is sent", action)
		}
	}
}

func TestWhatDeclaresTheEnd(t *testing.T) {
	for _, action := range []Action{Place{Declare: true}, Buy{Declare: true}, StopPlay{}} {
		if !DeclaresEnd(action) {
			t.Errorf("%+v declares the end", action)
		}
	}
	for _, action := range []Action{Place{}, Buy{}, EndPlacing{}, Unknown{}} {
		if DeclaresEnd(action) {
			t.Errorf("%+v does not declare the end", action)
		}
	}
}
