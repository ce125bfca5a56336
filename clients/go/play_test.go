package mergemaker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// diary writes down what a bot hears.
type diary struct {
	Defaults
	entries *[]string
}

func (d diary) OnStart(match *Match) { *d.entries = append(*d.entries, "start "+match.ID) }
func (d diary) OnEvents(events []*wire.Event) {
	*d.entries = append(*d.entries, "events")
	if len(events) == 0 || events[0].GetNumber() == 0 {
		*d.entries = append(*d.entries, "of nothing")
	}
}
func (d diary) OnEnd(result *Result) {
	*d.entries = append(*d.entries, "end "+result.Why+", deal "+string(result.Deal))
}
func (d diary) Answer(_ context.Context, turn *Turn) (Answer, error) {
	*d.entries = append(*d.entries, "asked "+turn.Asked.Kind())
	return Answer{}, nil
}

func TestAWholeMatch(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		for _, question := range dialogue.Questions {
			s.say(question.Response)
			answered := s.hears("answer classic-4 " + itoa(int(question.Response.GetDecision().GetId())) + " by " +
				itoa(int(question.Response.GetDecision().GetDefaultIndex())))
			accepted := &wire.AnswerAccepted{Decision: answered.GetAnswer().GetDecision()}
			s.say(&wire.PlayResponse{Match: dialogue.Name, AnswerAccepted: accepted})
		}
		s.say(dialogue.End)
		s.hears("seat")
		s.say(refusedSeat("", "no-seat"))
		s.hears("the end")
		return nil
	})
	environment.Trace = filepath.Join(t.TempDir(), "trace")
	var entries []string
	results, said, err := played(t, environment, func() Bot { return diary{entries: &entries} })
	if err != nil || len(results) != 1 || results[0].Why != "declared" || len(results[0].Standings) != 4 || results[0].Problem != nil {
		t.Fatalf("%+v, %v, %v", results, err, said.texts)
	}
	if entries[0] != "start classic-4" || entries[1] != "events" || entries[2] != "asked ChooseTile" ||
		entries[len(entries)-1] != "end declared, deal not promised" {
		t.Errorf("%q", entries)
	}
	trace, err := os.ReadFile(environment.Trace)
	if lines := strings.Count(string(trace), "\n"); err != nil || lines < 3*len(dialogue.Questions) || strings.Contains(string(trace), "resume-1") {
		t.Errorf("%d lines are traced, %v", lines, err)
	}
}

func TestPingsAreAnsweredWhileTheBotThinks(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	thought := make(chan struct{})
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		s.say(dialogue.Questions[0].Response, ping(41), ping(42))
		s.hears("pong 41", "pong 42")
		close(thought)
		s.hears("answer classic-4 1 by 0")
		return s.leaves(dialogue)
	})
	think := BotFunc(func(ctx context.Context, _ *Turn) (Answer, error) {
		select {
		case <-thought:
		case <-ctx.Done():
		}
		return ByIndex(0), nil
	})
	if results, said, err := played(t, environment, think.New); err != nil || results[0].Why != "enough" {
		t.Errorf("%v, %v, %v", results, err, said.texts)
	}
}

func TestAStreamThatBreaks(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	last := dialogue.Questions[0].Response.GetDecision().GetView().GetLastEvent()
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		s.say(dialogue.Questions[0].Response)
		s.hears("answer classic-4 1 by 0")
		return status.Error(codes.Unavailable, "the referee restarts")
	}, func(s *talkTo) error {
		resume := s.hears(helloWord).GetHello().GetResume()
		if resume.GetResumeToken() != "resume-1" || len(resume.GetSeen()) != 1 || resume.GetSeen()[0].GetLastEvent() != last {
			t.Errorf("resumed by %v", resume)
		}
		s.say(welcomeResponse("resume-2", 1, true))
		s.say(&wire.PlayResponse{Match: dialogue.Name, MatchOffered: dialogue.Offered})
		s.say(&wire.PlayResponse{Match: dialogue.Name, MatchStarted: dialogue.Started})
		s.say(dialogue.Questions[0].Response)
		s.hears("answer classic-4 1 by 0")
		return s.leaves(dialogue)
	})
	asked := 0
	first := BotFunc(func(context.Context, *Turn) (Answer, error) {
		asked++
		return ByIndex(0), nil
	})
	_, said, err := played(t, environment, first.New)
	if err != nil || asked != 1 || !said.has("UNAVAILABLE: the referee restarts); trying again in") {
		t.Errorf("asked %d times, %v, %q", asked, err, said.texts)
	}
}

func TestItIsStopped(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	closed := make(chan struct{})
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		s.say(dialogue.Questions[0].Response)
		s.hears("the end")
		close(closed)
		return nil
	})
	ctx, stop := context.WithTimeout(t.Context(), hangGuard)
	defer stop()
	think := BotFunc(func(ctx context.Context, _ *Turn) (Answer, error) {
		stop()
		<-ctx.Done()
		return Answer{}, ctx.Err()
	})
	said := &notes{}
	if _, err := Play(ctx, environment, think.New, Options{Report: said.report}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-closed
	if said.has("failed") || said.has("left behind") {
		t.Errorf("%q", said.texts)
	}
}

func TestABotThatDoesNotStopThinking(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		s.say(dialogue.Questions[0].Response)
		s.hears("the end")
		return nil
	})
	ctx, stop := context.WithTimeout(t.Context(), hangGuard)
	defer stop()
	free := make(chan struct{})
	stubborn := BotFunc(func(context.Context, *Turn) (Answer, error) {
		stop()
		<-free
		return Answer{}, nil
	})
	said := &notes{}
	if _, err := Play(ctx, environment, stubborn.New, Options{Report: said.report}); !errors.Is(err, context.Canceled) || !said.has("left behind") {
		t.Errorf("%v, %q", err, said.texts)
	}
	close(free)
}

func TestTakenOver(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		return status.Error(codes.Aborted, "taken over")
	})
	_, _, err := played(t, environment, func() Bot { return Defaults{} })
	var found *Problem
	if !errors.As(err, &found) || found.Kind != TakenOver {
		t.Errorf("%v", err)
	}
}

func TestAQuestionThatWasSettled(t *testing.T) {
	dialogue := vectors.ReadDialogue(t, "classic-4")
	thinking, stopped := make(chan struct{}), make(chan struct{})
	environment := served(t, func(s *talkTo) error {
		s.greets(dialogue)
		s.say(dialogue.Questions[0].Response)
		select {
		case <-thinking:
		case <-s.Context().Done():
		}
		s.say(&wire.PlayResponse{Match: dialogue.Name, DefaultTaken: &wire.DefaultTaken{Decision: 1}})
		select {
		case <-stopped: // at once, not only when it is asked something else
		case <-s.Context().Done():
		}
		s.say(dialogue.Questions[1].Response)
		s.hears("answer classic-4 2 by 0")
		return s.leaves(dialogue)
	})
	slow := BotFunc(func(ctx context.Context, turn *Turn) (Answer, error) {
		if turn.Number == 1 {
			close(thinking)
			<-ctx.Done()
			close(stopped)
			return Answer{}, ctx.Err()
		}
		return ByIndex(0), nil
	})
	if _, said, err := played(t, environment, slow.New); err != nil || said.has("the bot failed") {
		t.Errorf("%v, %q", err, said.texts)
	}
}

func TestStatusesThatAreFinal(t *testing.T) {
	environment := served(t, func(*talkTo) error { return status.Error(codes.Unauthenticated, "no such token") })
	_, _, err := played(t, environment, func() Bot { return Defaults{} })
	var found *Problem
	if !errors.As(err, &found) || found.Kind != Refused || found.Reason != "unauthenticated" || !strings.Contains(found.Text, tokenVariable) {
		t.Errorf("%v", err)
	}
}

func TestCertificatesThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, folder, filepath.Join(folder, "missing.pem")} {
		environment := Environment{Server: Server{"127.0.0.1", 1, true}, Token: "t", CA: path}
		_, err := Play(t.Context(), environment, func() Bot { return Defaults{} }, Options{})
		var found *Problem
		if !errors.As(err, &found) || found.Kind != BadSetting || found.Reason != "bad-ca" || !strings.Contains(found.Text, path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	for _, options := range []Options{{Matches: -1}, {MatchesAtOnce: -1}, {MatchesAtOnce: matchesAtOnceMax + 1}, {Version: strings.Repeat("v", 65)}} {
		_, err := Play(t.Context(), Environment{}, func() Bot { return Defaults{} }, options)
		var found *Problem
		if !errors.As(err, &found) || found.Reason != "bad-setting" {
			t.Errorf("%+v: %v", options, err)
		}
	}
}

func TestExitStatuses(t *testing.T) {
	said := &notes{}
	newBot := func() Bot { return Defaults{} }
	t.Setenv(serverVariable, "")
	t.Setenv(tokenVariable, "")
	if is := runToStatus(newBot, Options{Report: said.report}); is != statusWrong || !said.has(serverVariable) {
		t.Errorf("%d, %q", is, said.texts)
	}
	environment := served(t, func(s *talkTo) error {
		s.hears(helloWord)
		return status.Error(codes.Unauthenticated, "")
	})
	t.Setenv(serverVariable, environment.Server.String())
	t.Setenv(tokenVariable, environment.Token)
	if is := runToStatus(newBot, Options{Report: said.report}); is != statusFailed || !said.has("the referee refused (UNAUTHENTICATED): it gave no reason") {
		t.Errorf("%d, %q", is, said.texts)
	}
	if is := statusOf([]*Result{{}}, said.report); is != statusDone {
		t.Errorf("%d", is)
	}
	if is := statusOf([]*Result{{}, {Problem: problem(FalseDeal, "seed-differs", "")}}, said.report); is != statusFailed || !said.has("1 of 2 deals") {
		t.Errorf("%d, %q", is, said.texts)
	}
}
