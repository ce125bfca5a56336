package mergemaker

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/mergemaker/mergemaker/clients/go/internal/vectors"
	"github.com/mergemaker/mergemaker/clients/go/wire"
)

// hangGuard bounds what a test waits for: only a test that hangs reaches it.
const hangGuard = 60 * time.Second

// referee plays by scripts: one for each stream, in order.
type referee struct {
	wire.UnimplementedRefereeServiceServer
	t       *testing.T
	scripts chan func(*talkTo) error
}

// talkTo is a stream as a script sees it.
type talkTo struct {
	wire.RefereeService_PlayServer
	t *testing.T
}

func (r *referee) Play(stream wire.RefereeService_PlayServer) error {
	sent, _ := metadata.FromIncomingContext(stream.Context())
	if token := sent.Get("authorization"); len(token) != 1 || token[0] != "Bearer token-of-ann" {
		r.t.Errorf("the token is %v", token)
	}
	select {
	case script := <-r.scripts:
		return script(&talkTo{stream, r.t})
	default:
		r.t.Error("there is a stream more than there should be")
		return status.Error(codes.Aborted, "too many streams")
	}
}

func (s *talkTo) say(responses ...*wire.PlayResponse) {
	s.t.Helper()
	for _, response := range responses {
		if err := s.Send(response); err != nil {
			s.t.Errorf("%v cannot be sent: %v", response, err)
		}
	}
}

// hears takes the next requests, which must be these in short.
func (s *talkTo) hears(should ...string) *wire.PlayRequest {
	s.t.Helper()
	var last *wire.PlayRequest
	for _, should := range should {
		request, err := s.Recv()
		is := "the end"
		if !errors.Is(err, io.EOF) {
			is = sentWord(request)
		}
		if is != should {
			s.t.Errorf("%q came, %v, not %q", is, err, should)
		}
		last = request
	}
	return last
}

const helloWord = "*wire.PlayRequest_Hello"

// greets takes the client as far as a first match.
func (s *talkTo) greets(dialogue vectors.Dialogue) {
	s.t.Helper()
	s.hears(helloWord)
	s.say(welcomeResponse("resume-1", 1, false))
	s.hears("seat")
	s.say(&wire.PlayResponse{Match: dialogue.Name, MatchOffered: dialogue.Offered})
	s.say(&wire.PlayResponse{Match: dialogue.Name, MatchStarted: dialogue.Started})
}

// leaves ends the match and gives no other seat.
func (s *talkTo) leaves(dialogue vectors.Dialogue) error {
	s.t.Helper()
	s.say(&wire.PlayResponse{Match: dialogue.Name, MatchEnded: &wire.MatchEnded{Ending: wire.Ending_ENDING_VOIDED, Text: "enough"}})
	s.hears("seat")
	s.say(refusedSeat("", "no-seat"))
	s.hears("the end")
	return nil
}

// served starts a referee, and gives the environment of a bot that is to play there.
func served(t *testing.T, scripts ...func(*talkTo) error) Environment {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := &referee{t: t, scripts: make(chan func(*talkTo) error, len(scripts))}
	for _, script := range scripts {
		service.scripts <- script
	}
	server := grpc.NewServer()
	wire.RegisterRefereeServiceServer(server, service)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		server.Stop()
		serving.Wait()
		if left := len(service.scripts); left > 0 {
			t.Errorf("%d streams were not opened", left)
		}
		noneLeft(t)
	})
	return Environment{Server: Server{"127.0.0.1", listener.Addr().(*net.TCPAddr).Port, false}, Token: "token-of-ann"}
}

// noneLeft checks that no goroutine of this library is left.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	deadline := time.Now().Add(hangGuard)
	for {
		text := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(text, "mergemaker.(*") && !strings.Contains(text, "mergemaker.sendAll") {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("goroutines are left:\n%s", text)
			return
		}
		runtime.Gosched()
	}
}

// notes collects what is reported.
type notes struct {
	mutex sync.Mutex
	texts []string
}

func (n *notes) report(text string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.texts = append(n.texts, text)
}

func (n *notes) has(part string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return strings.Contains(strings.Join(n.texts, "\n"), part)
}

func played(t *testing.T, environment Environment, newBot func() Bot) ([]*Result, *notes, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), hangGuard)
	defer stop()
	said := &notes{}
	results, err := Play(ctx, environment, newBot, Options{Report: said.report})
	if ctx.Err() != nil {
		t.Error("it came to the hang guard")
	}
	return results, said, err
}
