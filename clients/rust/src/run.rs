//! [`run`]: the one call of a bot's file. Connects as the environment says, and plays.

use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::mpsc::unbounded_channel;

use crate::bot::Bot;
use crate::connection::Connection;
use crate::conversation::Conversation;
use crate::deal::{BYTES, Hash};
use crate::environment::Environment;
use crate::errors::Error;
use crate::playing::{Factory, Players, complain};
use crate::trace::Trace;
use crate::turn::{DealFinding, MatchResult};

const FAILED: u8 = 1;
pub(crate) const WRONG_USE: u8 = 2;
const VERSION_CHARACTERS_MAX: usize = 64;
/// As shells have it after Ctrl-C: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

/// How a bot gets events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventMode {
    /// With its next question: the cheapest.
    #[default]
    Held,
    /// As they happen: for bots that think while others are asked.
    Immediate,
}

/// What a bot wants of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The bot's own version, for records; up to 64 characters.
    pub version: String,
    /// How many matches it plays; none: as many as there are for it.
    pub matches: Option<usize>,
    /// How many of them at once, on the one stream.
    pub matches_at_once: usize,
    /// How it gets events.
    pub events: EventMode,
    /// Whether it takes the place of another live process with the same token.
    pub evict: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { version: String::new(), matches: None, matches_at_once: 1, events: EventMode::Held, evict: false }
    }
}

/// Plays until the referee has no more matches for this bot. Each match has a bot of its own, in a thread of its own.
///
/// Where to go is in the environment ([`Environment`]). Problems are written to standard error, and the status says how it
/// went: 0 all is played, or SIGTERM came; 1 it failed, or a deal was not the one promised; 2 wrong settings; 130 Ctrl-C.
pub fn run<B: Bot + 'static>(factory: impl Fn() -> B + Send + Sync + 'static, options: Options) -> ExitCode {
    let played = Environment::read().and_then(|environment| play_until(factory, &environment, options, signalled()));
    match played {
        Ok(Played::Stopped(Signal::Interrupt)) => leave("interrupted", INTERRUPTED),
        Ok(Played::Stopped(Signal::Terminate)) => ExitCode::SUCCESS,
        Ok(Played::All(results)) => {
            let problems = results.iter().filter_map(|result| match &result.deal {
                DealFinding::False(problem) => Some(problem.reason),
                _ => None,
            });
            let reasons: Vec<_> = problems.collect();
            if reasons.is_empty() {
                return ExitCode::SUCCESS;
            }
            let (false_ones, all, reasons) = (reasons.len(), results.len(), reasons.join(", "));
            leave(&format!("{false_ones} of {all} deals were not the ones promised: {reasons}"), FAILED)
        }
        Err(problem @ Error::BadSetting { .. }) => leave(&problem.to_string(), WRONG_USE),
        Err(problem) => leave(&problem.to_string(), FAILED),
    }
}

fn leave(text: &str, status: u8) -> ExitCode {
    complain(text);
    ExitCode::from(status)
}

/// Plays as [`run`] does, with settings given, and returns how the matches ended. Signals are left alone.
pub fn play<B: Bot + 'static>(
    factory: impl Fn() -> B + Send + Sync + 'static,
    environment: &Environment,
    options: Options,
) -> Result<Vec<MatchResult>, Error> {
    match play_until(factory, environment, options, pending::<Infallible>())? {
        Played::All(results) => Ok(results),
        Played::Stopped(never) => match never {},
    }
}

/// How playing ended.
enum Played<S> {
    All(Vec<MatchResult>),
    Stopped(S),
}

fn check(options: &Options) -> Result<(), Error> {
    if options.matches_at_once == 0 || options.matches == Some(0) {
        return Err(Error::setting("bad-setting", "matches and matches_at_once are whole numbers from 1, not 0"));
    }
    if options.version.chars().count() > VERSION_CHARACTERS_MAX {
        let text = format!("Options::version has at most {VERSION_CHARACTERS_MAX} characters");
        return Err(Error::setting("bad-setting", text));
    }
    Ok(())
}

fn play_until<B: Bot + 'static, S>(
    factory: impl Fn() -> B + Send + Sync + 'static,
    environment: &Environment,
    options: Options,
    stop: impl Future<Output = S>,
) -> Result<Played<S>, Error> {
    check(&options)?;
    let path = environment.trace.as_deref();
    let opened = path.map(|path| Trace::open(path, &environment.token, SystemTime::now)).transpose()?;
    let trace = opened.map(Arc::new);
    let (given, answers) = unbounded_channel();
    let factory: Factory = Arc::new(move || Box::new(factory()));
    let players = Players::new(factory, given, trace.clone());
    let conversation = Conversation::new(environment.name.clone(), options, fresh_part);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Unreachable(format!("the network cannot be used: {error}")))?;
    let played = runtime.block_on(async {
        let mut connection = Connection::new(environment, conversation, players, answers, trace)?;
        Ok(match connection.hold(pin!(stop)).await? {
            Some(stopped) => Played::Stopped(stopped),
            None => Played::All(connection.results()),
        })
    });
    // Without waiting: the system may still look for a host's name.
    runtime.shutdown_background();
    played
}

/// A seat's part of a joint seed.
///
/// # Panics
///
/// If the system has no random numbers: there is no promise without them.
fn fresh_part() -> Hash {
    let mut part = [0; BYTES];
    getrandom::fill(&mut part).expect("the system has random numbers");
    part
}

/// What asks a process to end.
enum Signal {
    Interrupt,
    Terminate,
}

#[cfg(unix)]
async fn signalled() -> Signal {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // As without this: the system ends the process.
        return pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Signal::Interrupt,
        _ = terminate.recv() => Signal::Terminate,
    }
}

#[cfg(not(unix))]
async fn signalled() -> Signal {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Signal::Interrupt,
        Err(_) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_a_wrong_setting() {
        let version = |count| Options { version: "ä".repeat(count), ..Options::default() };
        assert!(check(&version(64)).is_ok());
        let none = [
            Options { matches_at_once: 0, ..Options::default() },
            Options { matches: Some(0), ..Options::default() },
            version(65),
        ];
        for options in none {
            assert!(matches!(check(&options), Err(Error::BadSetting { .. })), "{options:?}");
        }
    }
}
