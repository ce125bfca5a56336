//! What a conversation wants done, and what follows from the end of a stream.

use tonic::Code;

use crate::deal_check::Promise;
use crate::errors::Error;
use crate::wire::{Decision, Event, MatchEnded, MatchOffered, MatchStarted, PlayRequest};

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A request for the stream.
    Send(PlayRequest),
    /// A match starts: the bot is made, and gets it.
    Begin(String, MatchOffered, MatchStarted),
    /// What happened since the last report.
    Tell(String, Vec<Event>),
    /// The bot is asked.
    Ask(String, Decision),
    /// The bot's question was settled without it.
    Settled(String, u64),
    /// A match is over; what the deal is compared with.
    End(String, MatchEnded, Promise),
    /// Something that the bot's author should read.
    Notice(String),
    /// Everything is done; the stream is closed.
    Close,
}

/// What follows from the end of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The next one is to be opened after this many milliseconds, or later.
    Again(u64),
    /// No other stream will follow.
    Over(Result<(), Error>),
}

/// What the author of a bot reads of a status after which it makes no sense to come back.
pub(crate) fn advice(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::Unauthenticated => "check MERGEMAKER_TOKEN: it may belong to another referee, or have been withdrawn",
        Code::PermissionDenied => "check MERGEMAKER_TOKEN: this token may not do that",
        Code::FailedPrecondition => "update what is older, the referee or this client",
        Code::AlreadyExists => "another process plays with the same token: end it, or set Options::evict",
        Code::InvalidArgument => "MERGEMAKER_TRACE=FILE writes down what was sent",
        Code::Unimplemented => "there is a gRPC server, but no referee: check MERGEMAKER_SERVER",
        Code::NotFound => "check MERGEMAKER_SERVER",
        _ => return None,
    })
}
