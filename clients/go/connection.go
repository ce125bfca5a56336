package mergemaker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/mergemaker/mergemaker/clients/go/wire"
)

const (
	welcomeMax       = 15 * time.Second // from opening a stream to the referee's Welcome
	leaveMax         = time.Second      // from closing our side of a stream to its end
	keepaliveEvery   = 10 * time.Second
	keepaliveMax     = 5 * time.Second
	responseBytesMax = 4 * 1_024 * 1_024
)

// connection holds a conversation with the referee, over as many streams as it takes.
type connection struct {
	environment Environment
	options     []grpc.DialOption
	trace       *trace
	backoff     *backoff
	// deliver takes everything to be done except sending, in order; it must not wait.
	deliver func(output)

	// mutex is over what follows: bots answer while the stream is read.
	mutex  sync.Mutex
	talk   *conversation
	unsent *requests
}

func newConnection(environment Environment, talk *conversation, trace *trace, chance func() float64, deliver func(output)) (*connection, error) {
	options, err := dialOptions(environment)
	if err != nil {
		return nil, err
	}
	return &connection{
		environment: environment,
		options:     options,
		trace:       trace,
		backoff:     newBackoff(chance, time.Now()),
		deliver:     deliver,
		talk:        talk,
		unsent:      newRequests(),
	}, nil
}

func dialOptions(environment Environment) ([]grpc.DialOption, error) {
	security := insecure.NewCredentials()
	if environment.Server.IsSecure {
		settings := &tls.Config{MinVersion: tls.VersionTLS12}
		if environment.CA != "" {
			trusted, err := certificates(environment.CA)
			if err != nil {
				return nil, err
			}
			settings.RootCAs = trusted
		}
		security = credentials.NewTLS(settings)
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(security),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveEvery, Timeout: keepaliveMax, PermitWithoutStream: true}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(responseBytesMax)),
		grpc.WithDisableServiceConfig(), // no name server decides how a bot connects
	}
	if environment.Server.IsLoopback() {
		options = append(options, grpc.WithNoProxy())
	}
	return options, nil
}

func certificates(path string) (*x509.CertPool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, &Problem{BadSetting, "bad-ca", fmt.Sprintf("the certificates that %s names cannot be read: %v", caVariable, err), err}
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(content) {
		return nil, problem(BadSetting, "bad-ca", "%s names a file with certificates as PEM; %s holds none", caVariable, path)
	}
	return trusted, nil
}

// run opens streams until there is nothing left to do, or until the context ends; then it says goodbye first.
func (c *connection) run(ctx context.Context) error {
	for {
		code, text := c.oneStream(ctx)
		c.mutex.Lock()
		least, isOver, err := c.talk.broke(code, text)
		isPlaying := len(c.talk.matches) > 0
		c.mutex.Unlock()
		if isOver {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		said := codeName(code)
		if text != "" {
			said += ": " + text
		}
		wait, isPatient := c.backoff.wait(time.Now(), milliseconds(uint64(least)), isPlaying)
		if !isPatient {
			return problem(Unreachable, "unreachable", "%s could not be reached for %d s (%s): is the referee running there?",
				c.environment.Server, int(c.backoff.limit().Seconds()), said)
		}
		c.deliver(noticeOut{text: fmt.Sprintf("no stream to %s (%s); trying again in %d ms", c.environment.Server, said, wait.Milliseconds())})
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// oneStream opens a stream, and receives until it ends; it tells how.
func (c *connection) oneStream(ctx context.Context) (codes.Code, string) {
	c.backoff.opened(time.Now())
	// passthrough leaves names to Go's own resolver, which tries all addresses.
	scheme := "dns:///"
	if c.environment.Server.IsLoopback() {
		scheme = "passthrough:///"
	}
	channel, err := grpc.NewClient(scheme+c.environment.Server.Address(), c.options...)
	if err != nil {
		return codes.Unavailable, err.Error()
	}
	// What it says no longer matters.
	defer func() { _ = channel.Close() }()

	// The stream outlives ctx for a moment: it is closed, and its end is waited for.
	streaming, cancel := context.WithCancel(metadata.AppendToOutgoingContext(context.WithoutCancel(ctx), "authorization",
		"Bearer "+c.environment.Token))
	defer cancel()
	unsent := newRequests()
	deadline := time.AfterFunc(welcomeMax, cancel)
	defer deadline.Stop()
	// Our side is closed after all that still waits; a referee that does not end the stream then gets little time.
	leave := func() {
		if unsent.close() {
			time.AfterFunc(leaveMax, cancel)
		}
	}
	defer context.AfterFunc(ctx, leave)()

	c.mutex.Lock()
	c.unsent = unsent
	c.send([]output{sendOut{c.talk.hello()}})
	c.mutex.Unlock()

	stream, err := wire.NewRefereeServiceClient(channel).Play(streaming)
	if err == nil {
		var sending sync.WaitGroup
		sending.Go(func() { sendAll(streaming, stream, unsent) })
		err = c.receiveAll(stream, deadline.Stop, leave)
		cancel()
		sending.Wait()
	}
	return c.ended(ctx, err)
}

// receiveAll takes what comes until the stream ends; it calls welcomed after the Welcome, and leave when all is done.
func (c *connection) receiveAll(stream wire.RefereeService_PlayClient, welcomed func() bool, leave func()) error {
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		c.trace.message("received", response)
		c.mutex.Lock()
		wasWelcome := c.talk.isWelcome
		outputs := c.talk.received(response)
		c.send(outputs)
		isNew, isClosed := c.talk.isWelcome && !wasWelcome, c.talk.isClosed
		c.mutex.Unlock()
		if isNew {
			c.backoff.welcomed()
			welcomed()
		}
		for _, out := range outputs {
			switch out.(type) {
			case sendOut:
			case noticeOut:
				c.deliver(out)
			default:
				c.backoff.progressed()
				c.deliver(out)
			}
		}
		if isClosed {
			leave()
		}
	}
}

// ended is the status of a stream's end.
func (c *connection) ended(ctx context.Context, err error) (codes.Code, string) {
	code, text := codes.OK, ""
	if err != nil && !errors.Is(err, io.EOF) {
		code, text = status.Code(err), status.Convert(err).Message()
	}
	c.trace.stream(joined("ended "+codeName(code), text))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if code == codes.Canceled && !c.talk.isWelcome && ctx.Err() == nil {
		return codes.DeadlineExceeded, fmt.Sprintf("no Welcome came within %d s", int(welcomeMax.Seconds()))
	}
	return code, text
}

func joined(what, text string) string {
	if text == "" {
		return what
	}
	return what + ": " + text
}

// answer sends the bot's answer, now or when there is a stream again.
func (c *connection) answer(match string, decision uint64, answer Answer) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.send(c.talk.answered(match, decision, answer))
}

// send hands requests to the stream; the mutex is held.
func (c *connection) send(outputs []output) {
	for _, out := range outputs {
		if send, ok := out.(sendOut); ok {
			if c.unsent.put(send.request) {
				c.trace.message("sent", send.request)
			}
		}
	}
}

// requests are those that wait to be sent on one stream, in order, so that only the sender waits for a slow network.
type requests struct {
	mutex    sync.Mutex
	waiting  []*wire.PlayRequest
	isClosed bool
	// changed holds a token whenever there is something new.
	changed chan struct{}
}

func newRequests() *requests { return &requests{changed: make(chan struct{}, 1)} }

// put adds a request; false if the stream takes no more.
func (r *requests) put(request *wire.PlayRequest) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.isClosed {
		return false
	}
	r.waiting = append(r.waiting, request)
	r.wake()
	return true
}

// close lets our side of the stream be closed after all that still waits; false if it was closed before.
func (r *requests) close() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	wasOpen := !r.isClosed
	r.isClosed = true
	r.wake()
	return wasOpen
}

func (r *requests) wake() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *requests) take() (waiting []*wire.PlayRequest, isClosed bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	waiting, r.waiting = r.waiting, nil
	return waiting, r.isClosed
}

// sendAll sends what comes until the requests are closed, or the stream ends. The reader of a stream reports what is wrong with it.
func sendAll(streaming context.Context, stream wire.RefereeService_PlayClient, unsent *requests) {
	for {
		waiting, isClosed := unsent.take()
		for _, request := range waiting {
			if stream.Send(request) != nil {
				return
			}
		}
		if isClosed {
			_ = stream.CloseSend()
			return
		}
		select {
		case <-unsent.changed:
		case <-streaming.Done():
			return
		}
	}
}
