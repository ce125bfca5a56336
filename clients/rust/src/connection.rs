//! The network: keeps a stream to the referee open, whatever the bots do.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::select;
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};

use crate::conversation::Conversation;
use crate::environment::{CA, Environment, Target};
use crate::errors::Error;
use crate::outputs::{Outcome, Output};
use crate::playing::{Given, Players, complain};
use crate::reconnecting::Backoff;
use crate::trace::Trace;
use crate::wire::referee_service_client::RefereeServiceClient;
use crate::wire::{PlayRequest, PlayResponse};

/// From opening a stream to the referee's Welcome.
const WELCOME_LIMIT: Duration = Duration::from_secs(15);
/// From closing our side of a stream to its end.
const LEAVE_LIMIT: Duration = Duration::from_secs(1);
const KEEPALIVE: Duration = Duration::from_secs(10);
const KEEPALIVE_LIMIT: Duration = Duration::from_secs(5);
const RESPONSE_BYTES_MAX: usize = 4 * 1_024 * 1_024;
/// Requests that wait because the referee does not read; with more the stream counts as broken.
const REQUESTS_WAITING_MAX: usize = 1_024;
/// Responses that wait; if there are more, nothing is read.
const RESPONSES_WAITING_MAX: usize = 64;
const CERTIFICATE_MARK: &str = "-----BEGIN CERTIFICATE-----";

/// How to reach a referee, with all settings checked.
fn endpoint(target: &Target, ca: Option<&Path>) -> Result<Endpoint, Error> {
    let scheme = if target.secure { "https" } else { "http" };
    let address = format!("{scheme}://{}", target.address());
    let bad =
        |error: tonic::transport::Error| Error::setting("bad-server", format!("{target}: {}", chain_text(&error)));
    // Nothing here looks at variables about proxies: the connection to a referee is always direct.
    let endpoint = Endpoint::from_shared(address)
        .map_err(bad)?
        .connect_timeout(WELCOME_LIMIT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE_LIMIT)
        .keep_alive_while_idle(true);
    if !target.secure {
        return Ok(endpoint);
    }
    let tls = ClientTlsConfig::new().domain_name(&target.host);
    let tls = match ca {
        Some(path) => tls.ca_certificate(Certificate::from_pem(certificates(path)?)),
        None => tls.with_native_roots(),
    };
    endpoint.tls_config(tls).map_err(|error| {
        let text = format!("TLS cannot be set up, check {CA}: {}", chain_text(&error));
        Error::setting("bad-ca", text)
    })
}

fn certificates(path: &Path) -> Result<String, Error> {
    let shown = path.display();
    let content = std::fs::read_to_string(path)
        .map_err(|error| Error::setting("bad-ca", format!("the certificates in {shown} cannot be read: {error}")))?;
    if !content.contains(CERTIFICATE_MARK) {
        let text = format!("{CA} names a file with certificates as PEM; {shown} holds none");
        return Err(Error::setting("bad-ca", text));
    }
    Ok(content)
}

/// An error with what it came from.
fn chain_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut inner = error.source();
    while let Some(source) = inner {
        text = format!("{text}: {source}");
        inner = source.source();
    }
    text
}

/// What comes from a stream.
enum Came {
    Response(Box<PlayResponse>),
    Ended(Code, String),
}

/// An open stream. Dropped, it is gone.
struct Stream {
    /// None when our side is closed.
    requests: Option<Sender<PlayRequest>>,
    came: Receiver<Came>,
    task: JoinHandle<()>,
    /// When it is given up: for the Welcome, and later for the end when our side is closed.
    deadline: Option<Instant>,
}

impl Stream {
    /// Closes our side; the referee has a moment to end its own.
    fn close(&mut self) {
        self.requests = None;
        self.deadline = Some(Instant::now() + LEAVE_LIMIT);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Holds a conversation with the referee, over as many streams as it takes.
pub(crate) struct Connection {
    target: Target,
    endpoint: Endpoint,
    authorization: MetadataValue<Ascii>,
    conversation: Conversation,
    players: Players,
    answers: UnboundedReceiver<Given>,
    trace: Option<Arc<Trace>>,
    backoff: Backoff,
    began: Instant,
}

impl Connection {
    pub(crate) fn new(
        environment: &Environment,
        conversation: Conversation,
        players: Players,
        answers: UnboundedReceiver<Given>,
        trace: Option<Arc<Trace>>,
    ) -> Result<Self, Error> {
        let target = environment.target.clone();
        let endpoint = endpoint(&target, environment.ca.as_deref())?;
        let mut authorization: MetadataValue<Ascii> = format!("Bearer {}", environment.token)
            .parse()
            .map_err(|_| Error::setting("bad-token", "a token is printable ASCII without spaces; this one is not"))?;
        authorization.set_sensitive(true);
        let (backoff, began) = (Backoff::default(), Instant::now());
        Ok(Self { target, endpoint, authorization, conversation, players, answers, trace, backoff, began })
    }

    /// Keeps a stream open until there is nothing left to do, or until it is stopped; returns what stopped it.
    pub(crate) async fn hold<S>(&mut self, mut stop: Pin<&mut impl Future<Output = S>>) -> Result<Option<S>, Error> {
        loop {
            self.backoff.opened(self.now_ms());
            let (code, text, stopped) = self.one_stream(stop.as_mut()).await;
            if let Some(trace) = &self.trace {
                trace.stream(&format!("ended {code:?}: {text}"));
            }
            if stopped.is_some() {
                return Ok(stopped);
            }
            let least_ms = match self.conversation.broke(code, &text) {
                Outcome::Over(result) => return result.map(|()| None),
                Outcome::Again(least_ms) => least_ms,
            };
            let (target, is_playing) = (&self.target, self.conversation.is_playing());
            let Some(wait_ms) = self.backoff.wait_ms(self.now_ms(), least_ms, is_playing, chance()) else {
                let limit_s = self.backoff.limit_ms() / 1_000;
                return Err(Error::Unreachable(format!(
                    "{target} could not be reached for {limit_s} s ({code:?}: {text}): is the referee running there?"
                )));
            };
            complain(&format!("no stream to {target} ({code:?}: {text}); trying again in {wait_ms} ms"));
            let pause = sleep(Duration::from_millis(wait_ms));
            let mut pause = std::pin::pin!(pause);
            loop {
                select! {
                    () = &mut pause => break,
                    stopped = &mut stop => return Ok(Some(stopped)),
                    Some(given) = self.answers.recv() => self.given(given, None),
                }
            }
        }
    }

    /// How all matches ended.
    pub(crate) fn results(self) -> Vec<crate::MatchResult> {
        self.players.results()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Opens a stream and receives until it ends; returns how, and what stopped it.
    async fn one_stream<S>(&mut self, mut stop: Pin<&mut impl Future<Output = S>>) -> (Code, String, Option<S>) {
        let mut stream = self.open();
        let hello = self.conversation.hello();
        send(&mut stream, hello);
        let mut stopped = None;
        loop {
            let due = sleep_until(stream.deadline.unwrap_or_else(Instant::now));
            select! {
                came = stream.came.recv() => match came {
                    Some(Came::Response(response)) => {
                        let was_welcome = self.conversation.is_welcome();
                        let is_closed = self.received(*response, &mut stream);
                        if self.conversation.is_welcome() && !was_welcome {
                            self.backoff.welcomed();
                            stream.deadline = stream.deadline.filter(|_| stream.requests.is_none());
                        }
                        if is_closed {
                            stream.close();
                        }
                    }
                    Some(Came::Ended(code, text)) => return (code, text, stopped),
                    None => return (Code::Unknown, "the stream's task is gone".into(), stopped),
                },
                Some(given) = self.answers.recv() => self.given(given, Some(&mut stream)),
                () = due, if stream.deadline.is_some() => {
                    let is_leaving = stream.requests.is_none();
                    let text = if is_leaving { "closed" } else { "no Welcome came within 15 s" };
                    return (Code::DeadlineExceeded, text.into(), stopped);
                }
                by = &mut stop, if stopped.is_none() => {
                    stopped = Some(by);
                    stream.close();
                }
            }
        }
    }

    fn open(&self) -> Stream {
        let (requests, waiting) = channel(REQUESTS_WAITING_MAX);
        let (sink, came) = channel(RESPONSES_WAITING_MAX);
        let (endpoint, authorization, trace) = (self.endpoint.clone(), self.authorization.clone(), self.trace.clone());
        let task = tokio::spawn(async move {
            let (code, text) = match receive(endpoint, authorization, waiting, trace, &sink).await {
                Ok(()) => (Code::Ok, String::new()),
                Err(status) => (status.code(), status.message().to_owned()),
            };
            // If nobody listens, nobody wants to know.
            let _ = sink.send(Came::Ended(code, text)).await;
        });
        Stream { requests: Some(requests), came, task, deadline: Some(Instant::now() + WELCOME_LIMIT) }
    }

    /// Takes a response; tells whether with it all is done.
    fn received(&mut self, response: PlayResponse, stream: &mut Stream) -> bool {
        let mut is_closed = false;
        for output in self.conversation.received(response) {
            match output {
                Output::Send(request) => send(stream, request),
                Output::Close => is_closed = true,
                other => {
                    if !matches!(other, Output::Notice(_)) {
                        self.backoff.progressed();
                    }
                    self.players.deliver(other);
                }
            }
        }
        is_closed
    }

    fn given(&mut self, given: Given, stream: Option<&mut Stream>) {
        let Given { id, decision, choice, note } = given;
        let outputs = self.conversation.answered(&id, decision, &choice, note);
        let Some(stream) = stream else { return };
        for output in outputs {
            if let Output::Send(request) = output {
                send(stream, request);
            }
        }
    }
}

fn send(stream: &mut Stream, request: PlayRequest) {
    if let Some(requests) = &stream.requests
        && requests.try_send(request).is_err()
    {
        // The stream is gone, which is reported later, or the referee does not read, which ends it.
        stream.close();
    }
}

async fn receive(
    endpoint: Endpoint,
    authorization: MetadataValue<Ascii>,
    requests: Receiver<PlayRequest>,
    trace: Option<Arc<Trace>>,
    sink: &Sender<Came>,
) -> Result<(), Status> {
    let channel = endpoint.connect().await.map_err(|error| Status::unavailable(chain_text(&error)))?;
    let mut client = RefereeServiceClient::new(channel).max_decoding_message_size(RESPONSE_BYTES_MAX);
    let outgoing = trace.clone();
    let sent = ReceiverStream::new(requests).map(move |request| {
        if let Some(trace) = &outgoing {
            trace.sent(&request);
        }
        request
    });
    let mut request = Request::new(sent);
    request.metadata_mut().insert("authorization", authorization);
    let mut responses = client.play(request).await?.into_inner();
    while let Some(response) = responses.message().await? {
        if let Some(trace) = &trace {
            trace.received(&response);
        }
        if sink.send(Came::Response(Box::new(response))).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// A fresh number from 0 to 1, different for each wait and each process.
fn chance() -> f64 {
    // Without it bots come back at the same time, which is no reason to stop.
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_whose_referee_does_not_read_has_a_deadline() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (requests, _waiting) = channel(1);
            let (_sink, came) = channel(1);
            let task = tokio::spawn(std::future::pending());
            let mut stream = Stream { requests: Some(requests), came, task, deadline: None };
            send(&mut stream, PlayRequest::default());
            assert!(stream.requests.is_some() && stream.deadline.is_none(), "this one waits to be sent");
            send(&mut stream, PlayRequest::default());
            assert!(stream.requests.is_none(), "there is no room for this one");
            assert!(stream.deadline.is_some_and(|deadline| deadline <= Instant::now() + LEAVE_LIMIT));
        });
    }
}
