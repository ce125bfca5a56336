// mergemaker-bot plays as one of the example bots: mergemaker-bot random|greedy [--matches-at-once=N] [--events=immediate] [--think=MS]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	mergemaker "github.com/mergemaker/mergemaker/clients/go"
	"github.com/mergemaker/mergemaker/clients/go/bots"
)

const usage = `usage: run random|greedy [--matches-at-once=N] [--events=held|immediate] [--think=MS]

  random               takes any legal answer, each as likely as the others
  greedy               looks one turn ahead
  --matches-at-once=N  how many matches at the same time; usually 1
  --events=immediate   events as they happen; usually held
  --think=MS           waits this many milliseconds before each answer

MERGEMAKER_SERVER, MERGEMAKER_TOKEN, and if needed MERGEMAKER_BOT, MERGEMAKER_CA, MERGEMAKER_PLAIN_TEXT and
MERGEMAKER_TRACE say where to go: clients/README.md.
`

const (
	statusHelp     = 0
	statusWrongUse = 2
	thinkMsMax     = 3_600_000
)

func main() {
	newBot, options, err := parse(os.Args[1:])
	switch {
	case err == flag.ErrHelp:
		fmt.Print(usage)
		os.Exit(statusHelp)
	case err != nil:
		fmt.Fprintf(os.Stderr, "mergemaker: %v\n\n%s", err, usage)
		os.Exit(statusWrongUse)
	}
	mergemaker.Run(newBot, options)
}

// parse reads the command line.
func parse(arguments []string) (func() mergemaker.Bot, mergemaker.Options, error) {
	var options mergemaker.Options
	flags := flag.NewFlagSet("mergemaker-bot", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	matches := flags.Uint("matches-at-once", 1, "")
	events := flags.String("events", "held", "")
	think := flags.Uint("think", 0, "")
	if len(arguments) == 0 {
		return nil, options, fmt.Errorf("say which bot plays: random or greedy")
	}
	// The bot may stand before or after the options.
	name := ""
	for rest := arguments; len(rest) > 0; {
		if err := flags.Parse(rest); err != nil {
			return nil, options, err
		}
		if rest = flags.Args(); len(rest) > 0 {
			if name != "" {
				return nil, options, fmt.Errorf("one bot plays, not both %q and %q", name, rest[0])
			}
			name, rest = rest[0], rest[1:]
		}
	}
	newBot, ok := map[string]func() mergemaker.Bot{"random": bots.NewRandom, "greedy": bots.NewGreedy}[name]
	if !ok {
		return nil, options, fmt.Errorf("a bot is random or greedy, not %q", name)
	}
	if *matches < 1 || *matches > 1_000 {
		return nil, options, fmt.Errorf("--matches-at-once is 1 to 1000, not %d", *matches)
	}
	if *events != "held" && *events != "immediate" {
		return nil, options, fmt.Errorf("--events is held or immediate, not %q", *events)
	}
	if *think > thinkMsMax {
		return nil, options, fmt.Errorf("--think is at most %d milliseconds, not %d", thinkMsMax, *think)
	}
	options.MatchesAtOnce = int(*matches)
	options.Immediate = *events == "immediate"
	if *think > 0 {
		newBot = slowed(newBot, time.Duration(*think)*time.Millisecond)
	}
	return newBot, options, nil
}

// slow waits before each answer, as a bot that thinks does.
type slow struct {
	mergemaker.Answerer
	mergemaker.Bot
	think time.Duration
}

func slowed(newBot func() mergemaker.Bot, think time.Duration) func() mergemaker.Bot {
	return func() mergemaker.Bot {
		bot := newBot()
		answerer, ok := bot.(mergemaker.Answerer)
		if !ok {
			return bot
		}
		return slow{answerer, bot, think}
	}
}

// Answer waits, and answers as the bot does.
func (s slow) Answer(ctx context.Context, turn *mergemaker.Turn) (mergemaker.Answer, error) {
	select {
	case <-ctx.Done():
		return mergemaker.Answer{}, ctx.Err()
	case <-time.After(s.think):
	}
	return s.Answerer.Answer(ctx, turn)
}
