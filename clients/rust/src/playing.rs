//! A bot's matches: each has a thread and a bot of its own, so that one may think while others are asked.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use crate::bot::{Answer, Bot, Choice};
use crate::deal_check::{FalseDeal, Promise, Witness, check_deal};
use crate::kinds::question_name;
use crate::outputs::Output;
use crate::receipt::Receipt;
use crate::trace::Trace;
use crate::turn::{DealFinding, MatchInfo, MatchResult, Turn};
use crate::wire::{Decision, Ending, Event, MatchEnded};

/// The time that bots have to hear that all is over.
const FAREWELL_LIMIT: Duration = Duration::from_secs(10);

/// Makes the bot for one match.
pub(crate) type Factory = Arc<dyn Fn() -> Box<dyn Bot> + Send + Sync>;

/// Writes to standard error, if there is one.
pub(crate) fn complain(text: &str) {
    // If nobody listens, nobody can hear that.
    let _ = writeln!(std::io::stderr(), "mergemaker: {text}");
}

/// A bot's answer, on its way to the referee.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) id: String,
    pub(crate) decision: u64,
    pub(crate) choice: Choice,
    pub(crate) note: String,
}

enum ToMatch {
    Tell(Vec<Event>),
    Ask(Box<Decision>, Instant),
    End(Box<MatchEnded>, Box<Promise>),
}

/// The channel to a match's thread.
struct Inbox {
    sender: Sender<ToMatch>,
    /// The first question that is not settled, which can be seen past all that waits.
    open_from: Arc<AtomicU64>,
}

impl Inbox {
    /// Whether it was taken; a thread that has gone takes nothing.
    fn put(&self, message: ToMatch) -> bool {
        self.sender.send(message).is_ok()
    }

    /// Settles all questions before this one.
    fn settle_before(&self, decision: u64) {
        self.open_from.fetch_max(decision, Ordering::Relaxed);
    }
}

/// All matches that are played.
pub(crate) struct Players {
    factory: Factory,
    answers: UnboundedSender<Given>,
    trace: Option<Arc<Trace>>,
    seats: BTreeMap<String, Inbox>,
    results: Receiver<MatchResult>,
    /// The channel for the threads' results; kept to be cloned.
    finished: Sender<MatchResult>,
}

impl Players {
    pub(crate) fn new(factory: Factory, answers: UnboundedSender<Given>, trace: Option<Arc<Trace>>) -> Self {
        let (finished, results) = channel();
        Self { factory, answers, trace, seats: BTreeMap::new(), results, finished }
    }

    /// Does what a conversation wants done except sending and closing.
    pub(crate) fn deliver(&mut self, output: Output) {
        match output {
            Output::Begin(id, offered, started) => match MatchInfo::read(&id, &offered, &started) {
                Ok(info) => self.begin(info),
                Err(error) => {
                    complain(&format!("match {id}: it cannot be read, so its defaults are answered: {error}"))
                }
            },
            Output::Tell(id, events) => {
                if let Some(seat) = self.seats.get(&id) {
                    // A thread that is gone has reported it.
                    let _ = seat.put(ToMatch::Tell(events));
                }
            }
            Output::Ask(id, decision) => {
                let (number, default) = (decision.id, decision.default_index);
                let asked = ToMatch::Ask(Box::new(decision), Instant::now());
                let is_put = self.seats.get(&id).is_some_and(|seat| {
                    seat.settle_before(number);
                    seat.put(asked)
                });
                if !is_put {
                    let choice = Choice::Index(default);
                    let _ = self.answers.send(Given { id, decision: number, choice, note: String::new() });
                }
            }
            Output::Settled(id, decision) => {
                if let Some(seat) = self.seats.get(&id) {
                    seat.settle_before(decision.saturating_add(1));
                }
            }
            Output::End(id, ended, promise) => {
                let ending = ToMatch::End(Box::new(ended.clone()), Box::new(promise.clone()));
                let is_put = self.seats.remove(&id).is_some_and(|seat| {
                    seat.settle_before(u64::MAX);
                    seat.put(ending)
                });
                if !is_put {
                    let deal = finding(&id, &promise, &ended, None, self.trace.as_deref());
                    let _ = self.finished.send(result_of(&promise, ended, deal));
                }
            }
            Output::Notice(text) => complain(&text),
            Output::Send(_) | Output::Close => {}
        }
    }

    fn begin(&mut self, info: MatchInfo) {
        let (sender, messages) = channel();
        let inbox = Inbox { sender, open_from: Arc::default() };
        let open_from = Arc::clone(&inbox.open_from);
        let id = info.id.clone();
        let (factory, answers) = (Arc::clone(&self.factory), self.answers.clone());
        let (trace, finished) = (self.trace.clone(), self.finished.clone());
        let play = move || {
            let bot = made(&info.id, &factory);
            let (info, witness) = (Arc::new(info), Witness::default());
            let untold = Vec::new();
            Seat { bot, info, open_from, untold, witness, problem: None, answers, trace }.play(&messages, &finished);
        };
        match thread::Builder::new().name(format!("match {id}")).spawn(play) {
            Ok(_) => drop(self.seats.insert(id, inbox)),
            Err(error) => complain(&format!("match {id}: no thread can be started, so defaults are answered: {error}")),
        }
    }

    /// How all matches ended, when their bots have heard of it.
    pub(crate) fn results(self) -> Vec<MatchResult> {
        drop(self.finished);
        drop(self.seats);
        let until = Instant::now() + FAREWELL_LIMIT;
        let mut results = Vec::new();
        loop {
            match self.results.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(result) => results.push(result),
                Err(RecvTimeoutError::Disconnected) => return results,
                Err(RecvTimeoutError::Timeout) => {
                    complain(&format!("a bot still thinks {FAREWELL_LIMIT:?} after it was told that all is over"));
                    return results;
                }
            }
        }
    }
}

/// Answers the default to everything, in place of a bot that cannot be made.
struct Defaults;

impl Bot for Defaults {}

fn made(id: &str, factory: &Factory) -> Box<dyn Bot> {
    catch_unwind(AssertUnwindSafe(|| factory())).unwrap_or_else(|_| {
        complain(&format!("match {id}: the bot cannot be made, so its defaults are answered"));
        Box::new(Defaults)
    })
}

/// One match of a bot.
struct Seat {
    bot: Box<dyn Bot>,
    info: Arc<MatchInfo>,
    /// The first question that is not settled.
    open_from: Arc<AtomicU64>,
    /// Events since the bot was last asked.
    untold: Vec<Event>,
    /// What it saw of the tiles.
    witness: Witness,
    /// What showed before the end that the deal cannot be the one promised.
    problem: Option<FalseDeal>,
    answers: UnboundedSender<Given>,
    trace: Option<Arc<Trace>>,
}

impl Seat {
    fn play(mut self, messages: &Receiver<ToMatch>, finished: &Sender<MatchResult>) {
        let info = Arc::clone(&self.info);
        self.tell("on_start", |bot| bot.on_start(&info));
        while let Ok(message) = messages.recv() {
            match message {
                ToMatch::Tell(events) => self.events(events),
                ToMatch::Ask(decision, came) => self.ask(&decision, came),
                ToMatch::End(ended, promise) => {
                    // If this fails, nobody waits for results any more.
                    let _ = finished.send(self.end(*ended, &promise));
                    return;
                }
            }
        }
    }

    fn events(&mut self, mut events: Vec<Event>) {
        if self.problem.is_none()
            && let Err(problem) = self.witness.saw(&events)
        {
            report_false(&self.info.id, &problem, self.trace.as_deref());
            self.tell("on_false_deal", |bot| bot.on_false_deal(&problem));
            self.problem = Some(problem);
        }
        // What only a newer client knows is skipped.
        events.retain(|event| event.kind.is_some());
        self.untold.extend_from_slice(&events);
        self.tell("on_events", |bot| bot.on_events(&events));
    }

    fn ask(&mut self, decision: &Decision, came: Instant) {
        if decision.id < self.open_from.load(Ordering::Relaxed) {
            // Settled before the bot had time for it.
            return;
        }
        let events = std::mem::take(&mut self.untold);
        let waited_ms = u64::try_from(came.elapsed().as_millis()).unwrap_or(u64::MAX);
        let id = &self.info.id;
        let turn = match Turn::read(&self.info, decision, events, waited_ms) {
            Ok(turn) => turn,
            Err(error) => {
                let number = decision.id;
                complain(&format!("match {id}, decision {number} cannot be read: {error}; its default is answered"));
                return self.give(decision.id, Answer::index(decision.default_index));
            }
        };
        let bot = &mut self.bot;
        let problem = match catch_unwind(AssertUnwindSafe(|| bot.answer(&turn))) {
            Ok(Ok(answer)) => match answer.check(&turn) {
                Ok(()) => return self.give(turn.id, answer),
                Err(error) => error.to_string(),
            },
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it panicked, as said above".into(),
        };
        let (number, kind) = (turn.id, question_name(turn.question()));
        let default = turn.answers.get(turn.default_index).map_or_else(String::new, |action| action.to_string());
        self.give(turn.id, turn.default().note("default, after an error"));
        complain(&format!(
            // In brackets: the decision as it is named after the path of the match's record.
            "match {}, decision {number} (@seat{}:{number}), {kind}: the bot failed: {problem}; answered its default: {default}\n{}",
            self.info.id, self.info.seat, turn.view
        ));
    }

    fn give(&self, decision: u64, answer: Answer) {
        let Answer { choice, note } = answer;
        // If nobody takes answers any more, all is over.
        let _ = self.answers.send(Given { id: self.info.id.clone(), decision, choice, note });
    }

    fn end(&mut self, ended: MatchEnded, promise: &Promise) -> MatchResult {
        let known = self.problem.take();
        let was_known = known.is_some();
        let trace = self.trace.as_deref();
        let deal = known
            .map_or_else(|| finding(&self.info.id, promise, &ended, Some(&self.witness), trace), DealFinding::False);
        if let DealFinding::False(problem) = &deal
            && !was_known
        {
            self.tell("on_false_deal", |bot| bot.on_false_deal(problem));
        }
        let result = result_of(promise, ended, deal);
        self.tell("on_end", |bot| bot.on_end(&result));
        result
    }

    fn tell(&mut self, method: &str, told: impl FnOnce(&mut dyn Bot)) {
        let bot = self.bot.as_mut();
        if catch_unwind(AssertUnwindSafe(|| told(bot))).is_err() {
            complain(&format!("match {}: the bot panicked in {method}, as said above", self.info.id));
        }
    }
}

fn finding(
    id: &str,
    promise: &Promise,
    ended: &MatchEnded,
    witness: Option<&Witness>,
    trace: Option<&Trace>,
) -> DealFinding {
    check_deal(promise, ended.proof.as_ref(), witness).unwrap_or_else(|problem| {
        report_false(id, &problem, trace);
        DealFinding::False(problem)
    })
}

/// Reports in every place that a deal is not the one promised.
fn report_false(id: &str, problem: &FalseDeal, trace: Option<&Trace>) {
    complain(&format!(
        "match {id}: THE DEAL IS NOT THE ONE THAT WAS PROMISED {problem}; keep this text, and ask the referee's operator"
    ));
    if let Some(trace) = trace {
        trace.false_deal(id, problem);
    }
}

/// How a match ended, which is reported.
fn result_of(promise: &Promise, ended: MatchEnded, deal: DealFinding) -> MatchResult {
    let why = match ended.ending() {
        Ending::Declared => "declared".into(),
        Ending::Stuck => "stuck".into(),
        _ if ended.text.is_empty() => "voided".into(),
        _ => ended.text,
    };
    let (id, seat) = (promise.id.clone(), promise.offered.seat as usize);
    let own = ended.standings.iter().find(|standing| standing.seat as usize == seat);
    let place = own.map_or_else(String::new, |own| {
        format!("; place {} of {} with ${}, {:?}", own.place, ended.standings.len(), own.cash, own.status())
    });
    let receipt = Receipt::read(&id, ended.receipt);
    let kept = receipt.as_ref().map_or_else(String::new, |receipt| format!("; receipt {receipt}"));
    complain(&format!("match {id} is over: {why}{place}{kept}"));
    MatchResult { id, seat, why, standings: ended.standings, deal, receipt }
}

#[cfg(test)]
#[path = "playing_tests.rs"]
mod tests;
