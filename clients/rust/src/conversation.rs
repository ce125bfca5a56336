//! The client's side of a stream, without I/O: what came goes in, and what is to be done comes out.
//!
//! A [`Conversation`] outlives its streams. It knows the session, and of each match how far it was seen, what is asked,
//! and what was answered. Its driver opens a stream and sends [`Conversation::hello`], hands on every response,
//! every answer of a bot and every break, and does what it is told, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use tonic::Code;

use crate::bot::Choice;
use crate::deal::Hash;
use crate::deal_check::Promise;
use crate::errors::Error;
use crate::evidence::{asked_by, default_text, evidence_text, problem_text};
use crate::outputs::{Outcome, Output, advice};
use crate::run::{EventMode, Options};
use crate::wire::{
    self, Answer, Decision, DeclineSeat, Ending, Event, Goodbye, Hello, MatchEnded, MatchOffered, MatchStarted,
    PlayRequest, PlayResponse, Pong, Problem, Resume, SeatReady, SeatReveal, SeenMatch, TakeSeat, Welcome, answer,
    play_request::Kind,
};

/// The version of the protocol that this library speaks.
const PROTOCOL: u32 = 1;
/// What this library does beyond what every client does.
const CAPABILITIES: [&str; 1] = ["joint-deal"];
const UNKNOWN_REQUIREMENT: &str = "unknown-requirement";
const NAME_CHARACTERS_MAX: usize = 64;

/// What a match requires that is unknown here, such as a knob of its rules.
fn unknown_requirement(offered: &MatchOffered) -> Option<String> {
    let strange = offered.requires.iter().find(|name| !CAPABILITIES.contains(&name.as_str())).cloned();
    let knob = || offered.rules.as_ref()?.newer_knobs.first().map(|name| format!("knob:{name}"));
    strange.or_else(knob).map(|name| name.chars().take(NAME_CHARACTERS_MAX).collect())
}
/// What the library calls itself in `Hello`.
const LIBRARY: &str = concat!("mergemaker-rust ", env!("CARGO_PKG_VERSION"));
/// The reason of a goodbye on which no client comes back.
const TAKEN_OVER: &str = "taken-over";

/// What is known of one match.
#[derive(Debug)]
struct MatchTalk {
    promise: Promise,
    is_begun: bool,
    last_event: u64,
    /// What was asked last; it stays after its answer, which may have to be sent again.
    decision: Option<(u64, u64)>,
    /// What was answered to it.
    answer: Option<PlayRequest>,
    /// Whether an answer of the bot still counts.
    is_open: bool,
    /// Whether the default was answered, because the bot's own answer was refused.
    fell_back: bool,
    /// Decisions whose taken default was reported.
    told_defaults: BTreeSet<u64>,
}

impl MatchTalk {
    fn new(promise: Promise) -> Self {
        Self {
            promise,
            is_begun: false,
            last_event: 0,
            decision: None,
            answer: None,
            is_open: false,
            fell_back: false,
            told_defaults: BTreeSet::new(),
        }
    }

    fn is_about(&self, decision: u64) -> bool {
        self.decision.is_some_and(|(id, _)| id == decision)
    }
}

/// One bot's talk with one referee, over as many streams as it takes.
pub(crate) struct Conversation {
    name: String,
    options: Options,
    fresh_part: Box<dyn FnMut() -> Hash + Send>,
    resume_token: String,
    is_welcome: bool,
    /// How many matches at once the referee allows.
    limit: usize,
    goodbye: Option<Goodbye>,
    closing: Option<Result<(), Error>>,
    matches: BTreeMap<String, MatchTalk>,
    /// Matches that were played to their end.
    over: BTreeSet<String>,
    played: usize,
    /// Seats that were asked for and neither given nor refused.
    waiting: usize,
    /// Why no other seat is given.
    refusal: Option<Error>,
    /// Matches that require what is unknown here.
    declined: BTreeSet<String>,
    /// What the last of them requires.
    unknown: Option<Error>,
}

impl Conversation {
    /// `fresh_part` draws 32 bytes by a generator that is fit for secrets.
    pub(crate) fn new(name: String, options: Options, fresh_part: impl FnMut() -> Hash + Send + 'static) -> Self {
        Self {
            name,
            options,
            fresh_part: Box::new(fresh_part),
            resume_token: String::new(),
            is_welcome: false,
            limit: 1,
            goodbye: None,
            closing: None,
            matches: BTreeMap::new(),
            over: BTreeSet::new(),
            played: 0,
            waiting: 0,
            refusal: None,
            declined: BTreeSet::new(),
            unknown: None,
        }
    }

    /// Whether the stream's Hello was answered.
    pub(crate) fn is_welcome(&self) -> bool {
        self.is_welcome
    }

    /// Whether a match goes on.
    pub(crate) fn is_playing(&self) -> bool {
        !self.matches.is_empty()
    }

    /// The first request of a new stream.
    pub(crate) fn hello(&mut self) -> PlayRequest {
        self.is_welcome = false;
        self.goodbye = None;
        let seen = |(id, talk): (&String, &MatchTalk)| SeenMatch { r#match: id.clone(), last_event: talk.last_event };
        let resume = (!self.resume_token.is_empty())
            .then(|| Resume { resume_token: self.resume_token.clone(), seen: self.matches.iter().map(seen).collect() });
        let event_mode = match self.options.events {
            EventMode::Held => wire::EventMode::Held,
            EventMode::Immediate => wire::EventMode::Immediate,
        };
        about_none(Kind::Hello(Hello {
            protocols: vec![PROTOCOL],
            bot_name: self.name.clone(),
            bot_version: self.options.version.clone(),
            library: LIBRARY.into(),
            event_mode: event_mode.into(),
            matches_max: u32::try_from(self.options.matches_at_once).unwrap_or(u32::MAX),
            resume,
            evict: self.options.evict,
            capabilities: CAPABILITIES.map(Into::into).into(),
        }))
    }

    /// Takes a response; what it holds in the order of the fields.
    pub(crate) fn received(&mut self, response: PlayResponse) -> Vec<Output> {
        let mut outputs = Vec::new();
        let out = &mut outputs;
        let id = response.r#match;
        if let Some(welcome) = response.welcome {
            self.welcome(out, welcome);
        }
        if let Some(offered) = response.match_offered {
            self.match_offered(out, &id, offered);
        }
        if let Some(committed) = response.seats_committed {
            self.seats_committed(out, &id, committed.commitments);
        }
        if let Some(started) = response.match_started {
            self.match_started(out, &id, started);
        }
        if let Some(accepted) = response.answer_accepted {
            self.settled(&id, accepted.decision);
        }
        if let Some(refused) = response.answer_refused {
            self.answer_refused(out, &id, refused);
        }
        if let Some(taken) = response.default_taken {
            self.default_taken(out, &id, &taken);
        }
        if !response.events.is_empty() {
            self.events(out, &id, response.events);
        }
        if let Some(decision) = response.decision {
            self.decision(out, &id, decision);
        }
        if let Some(ended) = response.match_ended {
            self.match_ended(out, &id, ended);
        }
        if let Some(refused) = response.request_refused {
            self.request_refused(out, &id, &refused.request, refused.problem.unwrap_or_default());
        }
        if let Some(ping) = response.ping {
            out.push(Output::Send(about_none(Kind::Pong(Pong { id: ping.id }))));
        }
        if let Some(goodbye) = response.goodbye {
            let (reason, text, more) = (&goodbye.reason, &goodbye.text, asked_by(&goodbye.trace));
            out.push(Output::Notice(format!("the referee ends the stream ({reason}): {text}{more}")));
            self.goodbye = Some(goodbye);
        }
        self.close_if_done(out);
        outputs
    }

    /// Takes a bot's answer. It is dropped if its time is over, and kept while there is no stream.
    pub(crate) fn answered(&mut self, id: &str, decision: u64, choice: &Choice, note: String) -> Vec<Output> {
        let mut outputs = Vec::new();
        if let Some(talk) = self.matches.get(id)
            && talk.is_about(decision)
            && talk.is_open
            && talk.answer.is_none()
        {
            self.answer(&mut outputs, id, choice, note);
        }
        outputs
    }

    /// Takes the end of a stream: its status, and what that says.
    pub(crate) fn broke(&mut self, code: Code, text: &str) -> Outcome {
        self.is_welcome = false;
        if let Some(closing) = &self.closing {
            return Outcome::Over(closing.clone());
        }
        if code == Code::AlreadyExists && !self.resume_token.is_empty() {
            // The live session may be our own, whose end the referee has not noticed yet.
            return Outcome::Again(0);
        }
        let goodbye = self.goodbye.as_ref();
        if code == Code::Aborted || goodbye.is_some_and(|goodbye| goodbye.reason == TAKEN_OVER) {
            return Outcome::Over(Err(Error::TakenOver));
        }
        let is_done = self.matches.is_empty() && self.played > 0;
        let is_for_good = goodbye.is_some_and(|goodbye| !goodbye.reconnect);
        if is_done && (is_for_good || code == Code::Ok) {
            return Outcome::Over(Ok(()));
        }
        let said = goodbye.map_or(text, |goodbye| &goodbye.text);
        if let Some(advice) = advice(code) {
            let reason = goodbye.map_or_else(|| format!("{code:?}"), |goodbye| goodbye.reason.clone());
            let said = if said.is_empty() { "it gave no reason" } else { said };
            let text = format!("the referee refused ({code:?}): {said}; {advice}");
            return Outcome::Over(Err(Error::refused(reason, text)));
        }
        match goodbye {
            Some(goodbye) if is_for_good => {
                let text = format!("the referee ended the stream for good: {said}");
                Outcome::Over(Err(Error::refused(goodbye.reason.clone(), text)))
            }
            Some(goodbye) => Outcome::Again(goodbye.reconnect_after_ms.into()),
            None => Outcome::Again(0),
        }
    }

    // What a response can hold, in the order of its fields.

    fn welcome(&mut self, out: &mut Vec<Output>, welcome: Welcome) {
        let was_known = !mem::replace(&mut self.resume_token, welcome.resume_token).is_empty();
        self.is_welcome = true;
        self.limit = welcome.limits.map_or(1, |limits| limits.matches_max.max(1) as usize);
        self.waiting = 0;
        if was_known && !welcome.resumed {
            let text = "the referee does not know the session any more: the seats are claimed again";
            out.push(Output::Notice(text.into()));
            for (id, talk) in &self.matches {
                let seat = Some(talk.promise.offered.seat);
                out.push(Output::Send(about(id, Kind::TakeSeat(TakeSeat { seat }))));
            }
        }
        self.take_seats(out);
    }

    fn match_offered(&mut self, out: &mut Vec<Output>, id: &str, offered: MatchOffered) {
        if self.over.contains(id) {
            // A seat's own token brings the same match again, to show its result: there is no other.
            self.waiting = self.waiting.saturating_sub(1);
            let text = format!("the match {id} is over, and there is no other for this token");
            self.refusal = Some(Error::refused("match-over", text));
            return;
        }
        if !self.matches.contains_key(id) {
            if let Some(unknown) = unknown_requirement(&offered) {
                self.decline(out, id, &unknown);
                return;
            }
            self.matches.insert(id.to_owned(), MatchTalk::new(Promise::new(id, offered.clone())));
            self.waiting = self.waiting.saturating_sub(1);
        }
        let Some(talk) = self.matches.get_mut(id) else { return };
        let promise = &mut talk.promise;
        promise.shown_again(&offered);
        if promise.is_joint() && promise.commitment().is_some() && !talk.is_begun {
            promise.part.get_or_insert_with(&mut self.fresh_part);
            if let Some(commitment) = promise.own_commitment() {
                let commitment = commitment.to_vec();
                out.push(Output::Send(about(id, Kind::SeatReady(SeatReady { commitment }))));
            }
        }
    }

    /// Gives a seat back: its match cannot be played by this library.
    fn decline(&mut self, out: &mut Vec<Output>, id: &str, unknown: &str) {
        self.waiting = self.waiting.saturating_sub(1);
        let text = format!("the match requires {unknown:?}, which this library does not know: a newer one may know it");
        self.unknown = Some(Error::refused(UNKNOWN_REQUIREMENT, format!("the seat was declined: {text}")));
        out.push(Output::Notice(format!("match {id}: {text}; the seat is declined")));
        out.push(Output::Send(about(id, Kind::DeclineSeat(DeclineSeat { reason: UNKNOWN_REQUIREMENT.into(), text }))));
        if self.declined.insert(id.to_owned()) {
            self.take_seats(out);
        }
    }

    fn seats_committed(&mut self, out: &mut Vec<Output>, id: &str, commitments: Vec<Vec<u8>>) {
        let Some(talk) = self.matches.get_mut(id) else { return };
        let promise = &mut talk.promise;
        let Some(part) = promise.part else { return };
        promise.is_changed |= promise.seats.as_ref().is_some_and(|before| *before != commitments);
        promise.seats.get_or_insert(commitments);
        promise.is_revealed = true;
        out.push(Output::Send(about(id, Kind::SeatReveal(SeatReveal { part: part.to_vec() }))));
    }

    fn match_started(&mut self, out: &mut Vec<Output>, id: &str, started: MatchStarted) {
        if let Some(talk) = self.matches.get_mut(id)
            && !mem::replace(&mut talk.is_begun, true)
        {
            out.push(Output::Begin(id.to_owned(), talk.promise.offered.clone(), started));
        }
    }

    fn settled(&mut self, id: &str, decision: u64) {
        if let Some(talk) = self.matches.get_mut(id)
            && talk.is_about(decision)
        {
            talk.is_open = false;
        }
    }

    fn answer_refused(&mut self, out: &mut Vec<Output>, id: &str, refused: wire::AnswerRefused) {
        let (decision, problem) = (refused.decision, refused.problem.unwrap_or_default());
        let more = refused.evidence.as_ref().map(|evidence| format!("; {}", evidence_text(evidence)));
        let more = more.unwrap_or_else(|| asked_by(&problem.trace));
        let said = problem_text(&problem);
        out.push(Output::Notice(format!("match {id}: the answer to decision {decision} was refused {said}{more}")));
        let Some(talk) = self.matches.get_mut(id) else { return };
        let Some((_, default)) = talk.decision.filter(|(open, _)| *open == decision) else { return };
        if refused.refusals_left.is_some_and(|left| left > 0) && talk.is_open && !talk.fell_back {
            talk.fell_back = true;
            self.answer(out, id, &Choice::Index(default), String::new());
        }
    }

    fn default_taken(&mut self, out: &mut Vec<Output>, id: &str, taken: &wire::DefaultTaken) {
        self.settled(id, taken.decision);
        if let Some(talk) = self.matches.get_mut(id) {
            talk.told_defaults.insert(taken.decision);
        }
        out.push(Output::Notice(format!("match {id}: {}", default_text(taken))));
        out.push(Output::Settled(id.to_owned(), taken.decision));
    }

    fn events(&mut self, out: &mut Vec<Output>, id: &str, mut events: Vec<Event>) {
        let Some(talk) = self.matches.get_mut(id) else { return };
        // After a resume, events may come again.
        let first = events.first().map_or(0, |event| event.number);
        if first <= talk.last_event {
            events.retain(|event| event.number > talk.last_event);
        }
        if let Some(last) = events.last() {
            talk.last_event = last.number;
            out.push(Output::Tell(id.to_owned(), events));
        }
    }

    fn decision(&mut self, out: &mut Vec<Output>, id: &str, decision: Decision) {
        let Some(talk) = self.matches.get_mut(id) else { return };
        if talk.is_about(decision.id) {
            // It comes again after a resume. The bot still thinks about it, or its answer may never have arrived.
            if let Some(answer) = &talk.answer {
                talk.is_open = true;
                out.push(Output::Send(answer.clone()));
            }
            return;
        }
        if talk.decision.is_some_and(|(last, _)| decision.id < last) {
            return;
        }
        talk.decision = Some((decision.id, decision.default_index));
        talk.answer = None;
        talk.is_open = true;
        talk.fell_back = false;
        let asked = decision.view.as_ref().and_then(|view| view.asked.as_ref());
        let is_known = asked.is_some_and(|asked| asked.kind.is_some())
            && decision.answers.as_ref().is_some_and(|answers| answers.kind.is_some());
        if is_known {
            out.push(Output::Ask(id.to_owned(), decision));
        } else {
            let number = decision.id;
            out.push(Output::Notice(format!(
                "match {id}: decision {number} is of a kind that only a newer client knows: answered its default"
            )));
            self.answer(out, id, &Choice::Index(decision.default_index), String::new());
        }
    }

    fn match_ended(&mut self, out: &mut Vec<Output>, id: &str, ended: MatchEnded) {
        let Some(talk) = self.matches.remove(id) else { return };
        self.played += 1;
        self.over.insert(id.to_owned());
        self.refusal = None;
        let untold = ended.defaults.iter().filter(|taken| !talk.told_defaults.contains(&taken.decision));
        out.extend(untold.map(|taken| Output::Notice(format!("match {id}: {}", default_text(taken)))));
        if let Some(evidence) = &ended.voided {
            out.push(Output::Notice(format!("match {id}: it was voided; {}", evidence_text(evidence))));
        }
        out.push(Output::End(id.to_owned(), ended, talk.promise));
        self.take_seats(out);
    }

    fn request_refused(&mut self, out: &mut Vec<Output>, id: &str, request: &str, problem: Problem) {
        let why = format!("{}{}", problem_text(&problem), asked_by(&problem.trace));
        let said = format!("{request} was refused {why}");
        if request != "take_seat" {
            if let Some(talk) = self.matches.get_mut(id) {
                talk.promise.is_refused |= ["seat_ready", "seat_reveal"].contains(&request);
            }
            out.push(Output::Notice(said));
            return;
        }
        if let Some(talk) = self.matches.remove(id) {
            // The seat was claimed after the session was lost, and is lost, too.
            self.played += 1;
            out.push(Output::Notice(format!("match {id}: {said}")));
            let ended = MatchEnded { ending: Ending::Voided.into(), text: said, ..MatchEnded::default() };
            out.push(Output::End(id.to_owned(), ended, talk.promise));
        } else {
            self.waiting = self.waiting.saturating_sub(1);
        }
        self.refusal = Some(Error::refused(problem.reason, format!("the referee gives no seat {why}")));
    }

    // What follows from it.

    fn answer(&mut self, out: &mut Vec<Output>, id: &str, choice: &Choice, note: String) {
        let Some(talk) = self.matches.get_mut(id) else { return };
        let Some((decision, default)) = talk.decision else { return };
        let choice = match choice {
            Choice::Index(index) => answer::Choice::Index(*index),
            // What only a newer version knows was refused before it came here.
            Choice::Action(action) => action.message().map_or(answer::Choice::Index(default), answer::Choice::Action),
        };
        let request = about(id, Kind::Answer(Answer { decision, choice: Some(choice), note }));
        talk.answer = Some(request.clone());
        if self.is_welcome {
            out.push(Output::Send(request));
        }
    }

    /// Asks for as many seats as are wanted and allowed at once.
    fn take_seats(&mut self, out: &mut Vec<Output>) {
        if self.refusal.is_some() {
            return;
        }
        let taken = self.matches.len() + self.waiting;
        let mut most = self.options.matches_at_once.min(self.limit);
        if let Some(matches) = self.options.matches {
            most = most.min(matches.saturating_sub(self.played));
        }
        for _ in taken..most {
            self.waiting += 1;
            out.push(Output::Send(about_none(Kind::TakeSeat(TakeSeat { seat: None }))));
        }
    }

    fn close_if_done(&mut self, out: &mut Vec<Output>) {
        let is_busy = !self.matches.is_empty() || self.waiting > 0;
        if is_busy || self.closing.is_some() || !self.is_welcome {
            return;
        }
        let closing = match self.unknown.as_ref().or(self.refusal.as_ref()) {
            Some(refusal) if self.played == 0 => Err(refusal.clone()),
            _ => Ok(()),
        };
        self.closing = Some(closing);
        out.push(Output::Close);
    }
}

fn about(id: &str, kind: Kind) -> PlayRequest {
    PlayRequest { r#match: id.to_owned(), kind: Some(kind) }
}

fn about_none(kind: Kind) -> PlayRequest {
    about("", kind)
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
