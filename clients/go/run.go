package mergemaker

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// Options are what a bot wants of the referee. The zero value is for a bot that plays one match after the other.
type Options struct {
	// Version is the bot's own, for records; at most 64 characters.
	Version string
	// Matches is how many are played; 0: as many as there are for it.
	Matches int
	// MatchesAtOnce is how many are played at the same time; 0: one.
	MatchesAtOnce int
	// Immediate is whether events come as they happen, for bots that think while others are asked; otherwise they come with the next
	// question, which is the cheapest.
	Immediate bool
	// Evict is whether the bot takes the place of another live process with the same token.
	Evict bool
	// Report takes what the bot's author should read, from any goroutine; nil: it goes to standard error.
	Report func(string)
}

// Exit statuses of a bot's process.
const (
	statusDone        = 0
	statusFailed      = 1
	statusWrong       = 2
	statusInterrupted = 130
)

// Run plays as the environment says until there is nothing more to play, and ends the process: with 0 when all is played or after SIGTERM,
// 1 for what failed, 2 for wrong settings, 130 after Ctrl-C. It is the one call of a bot's main function.
func Run(newBot func() Bot, options Options) {
	os.Exit(runToStatus(newBot, options))
}

func runToStatus(newBot func() Bot, options Options) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case came := <-signals:
			signal.Stop(signals) // the second one ends the process at once
			stop(&signalled{came})
		case <-ctx.Done():
		}
	}()
	environment, err := ReadEnvironment(os.Getenv)
	var results []*Result
	if err == nil {
		results, err = Play(ctx, environment, newBot, options)
	}
	report := reporter(options)
	var by *signalled
	if errors.As(context.Cause(ctx), &by) {
		if by.signal == os.Interrupt {
			report("interrupted")
			return statusInterrupted
		}
		return statusDone
	}
	var found *Problem
	switch {
	case errors.As(err, &found) && found.Kind == BadSetting:
		report(err.Error())
		return statusWrong
	case err != nil:
		report(err.Error())
		return statusFailed
	}
	return statusOf(results, report)
}

// statusOf is the exit status after all was played.
func statusOf(results []*Result, report func(string)) int {
	var reasons []string
	for _, result := range results {
		var found *Problem
		if errors.As(result.Problem, &found) {
			reasons = append(reasons, found.Reason)
		}
	}
	if len(reasons) == 0 {
		return statusDone
	}
	count := len(reasons)
	slices.Sort(reasons)
	report(fmt.Sprintf("%d of %d deals were not the ones promised: %s", count, len(results), strings.Join(slices.Compact(reasons), ", ")))
	return statusFailed
}

type signalled struct{ signal os.Signal }

func (s *signalled) Error() string { return "stopped by " + s.signal.String() }

// Play does what Run does, with settings given, and returns how the matches ended. When the context ends, it closes the stream, waits up to
// a second for the referee to end it, and as long for bots that are thinking, whose contexts end. newBot is called once for each match.
func Play(ctx context.Context, environment Environment, newBot func() Bot, options Options) ([]*Result, error) {
	wanted, err := wishesOf(environment, options)
	if err != nil {
		return nil, err
	}
	report := reporter(options)
	trace, err := openTrace(environment.Trace, environment.Token, report)
	if err != nil {
		return nil, err
	}
	defer trace.close()
	player := newPlayer(newBot, trace, report)
	thinking, stopThinking := context.WithCancel(ctx)
	defer stopThinking()
	deliver := func(out output) { player.deliver(thinking, out) }
	connection, err := newConnection(environment, newConversation(wanted, freshPart), trace, rand.Float64, deliver)
	if err != nil {
		return nil, err
	}
	player.answer = connection.answer
	err = connection.run(ctx)
	if err != nil {
		// Nobody takes answers to what is still being thought about.
		stopThinking()
	}
	if !player.stop(thinking, leaveMax) {
		report("a bot did not stop thinking when its context ended, and is left behind")
	}
	player.mutex.Lock()
	defer player.mutex.Unlock()
	return player.results, err
}

func wishesOf(environment Environment, options Options) (wishes, error) {
	const versionCharactersMax = 64
	if options.Matches < 0 || options.MatchesAtOnce < 0 || options.MatchesAtOnce > matchesAtOnceMax {
		return wishes{}, problem(BadSetting, "bad-setting", "Options.Matches is a number from 1, and MatchesAtOnce one from 1 to %d, not %d and %d",
			matchesAtOnceMax, options.Matches, options.MatchesAtOnce)
	}
	if utf8.RuneCountInString(options.Version) > versionCharactersMax || !utf8.ValidString(options.Version) {
		return wishes{}, problem(BadSetting, "bad-setting", "Options.Version is UTF-8 of at most %d characters", versionCharactersMax)
	}
	made := wishes{
		name:          environment.Name,
		version:       options.Version,
		events:        wire.EventMode_EVENT_MODE_HELD,
		matches:       options.Matches,
		matchesAtOnce: max(1, options.MatchesAtOnce),
		evict:         options.Evict,
	}
	if options.Immediate {
		made.events = wire.EventMode_EVENT_MODE_IMMEDIATE
	}
	return made, nil
}

// matchesAtOnceMax is more than any referee allows; it keeps a slip of the finger from being sent.
const matchesAtOnceMax = 10_000

// freshPart draws a part of a joint deal's seed.
func freshPart() [partBytes]byte {
	var part [partBytes]byte
	_, _ = cryptorand.Read(part[:]) // never fails: it ends the process instead
	return part
}

var complaining sync.Mutex

func reporter(options Options) func(string) {
	if options.Report != nil {
		return options.Report
	}
	return func(text string) {
		complaining.Lock()
		defer complaining.Unlock()
		fmt.Fprintln(os.Stderr, "mergemaker: "+text)
	}
}
