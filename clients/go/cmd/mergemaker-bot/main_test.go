package main

import (
	"errors"
	"flag"
	"testing"

	"github.com/mergemaker/mergemaker/clients/go/bots"
)

func TestCommandLines(t *testing.T) {
	newBot, options, err := parse([]string{"greedy", "--matches-at-once=3", "--events=immediate", "--think=40"})
	if err != nil || options.MatchesAtOnce != 3 || !options.Immediate {
		t.Errorf("%+v, %v", options, err)
	}
	if _, ok := newBot().(slow); !ok {
		t.Errorf("%T does not think", newBot())
	}
	newBot, options, err = parse([]string{"--events=held", "random"})
	if _, ok := newBot().(bots.Random); !ok || err != nil || options.MatchesAtOnce != 1 || options.Immediate {
		t.Errorf("%T, %+v, %v", newBot(), options, err)
	}
}

func TestCommandLinesThatAreWrong(t *testing.T) {
	for _, arguments := range [][]string{
		{}, {"planner"}, {"greedy", "random"}, {"greedy", "--matches-at-once=0"}, {"greedy", "--matches-at-once=-1"}, {"greedy", "--matches-at-once=x"},
		{"greedy", "--events=sometimes"}, {"greedy", "--think=-1"}, {"greedy", "--think=99999999999"}, {"greedy", "--strange"}, {"--events=held"},
	} {
		if _, _, err := parse(arguments); err == nil {
			t.Errorf("%q is taken", arguments)
		}
	}
	if _, _, err := parse([]string{"--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("%v", err)
	}
}
