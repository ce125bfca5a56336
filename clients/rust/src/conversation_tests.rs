//! The client's side of a stream, message by message.

use super::*;
use crate::deal::seat_commitment;
use crate::wire::{AnswerRefused, LegalAnswers, ListedAnswers, Question, View, legal_answers, question};
use crate::{Action, wire};

const ID: &str = "m-1";
const PART: Hash = [7; 32];
const COMMITMENT: Hash = [9; 32];

fn talk(options: Options) -> Conversation {
    let mut talk = Conversation::new("Ann".into(), options, || PART);
    talk.hello();
    talk
}

fn welcome(token: &str, resumed: bool) -> PlayResponse {
    let limits = wire::Limits { matches_max: 4, ..wire::Limits::default() };
    let welcome = Welcome { resume_token: token.into(), resumed, limits: Some(limits), ..Welcome::default() };
    PlayResponse { welcome: Some(welcome), ..PlayResponse::default() }
}

fn about_match(id: &str) -> PlayResponse {
    PlayResponse { r#match: id.into(), ..PlayResponse::default() }
}

fn offered(id: &str, mode: wire::DealMode) -> PlayResponse {
    let commitment = COMMITMENT.to_vec();
    let offer = MatchOffered { seat: 2, seats: 4, deal_mode: mode.into(), commitment, ..MatchOffered::default() };
    PlayResponse { match_offered: Some(offer), ..about_match(id) }
}

fn started(id: &str) -> PlayResponse {
    PlayResponse { match_started: Some(MatchStarted::default()), ..about_match(id) }
}

fn asked(id: u64) -> PlayResponse {
    let kind = Some(question::Kind::ChooseTile(wire::ChooseTile { number: 1, most: 1 }));
    let view = View { asked: Some(Question { seat: 2, kind }), ..View::default() };
    let kind = Some(legal_answers::Kind::Listed(ListedAnswers::default()));
    let answers = Some(LegalAnswers { count: 5, kind });
    let decision = Decision { id, view: Some(view), answers, default_index: 3, ..Decision::default() };
    PlayResponse { decision: Some(decision), ..about_match(ID) }
}

fn events(numbers: &[u64]) -> PlayResponse {
    let events = numbers.iter().map(|number| Event { number: *number, kind: None }).collect();
    PlayResponse { events, ..about_match(ID) }
}

fn accepted(decision: u64) -> PlayResponse {
    PlayResponse { answer_accepted: Some(wire::AnswerAccepted { decision }), ..about_match(ID) }
}

fn refused(decision: u64, refusals_left: Option<u32>) -> PlayResponse {
    let answer_refused = AnswerRefused { decision, refusals_left, ..AnswerRefused::default() };
    PlayResponse { answer_refused: Some(answer_refused), ..about_match(ID) }
}

fn ended(id: &str) -> PlayResponse {
    PlayResponse { match_ended: Some(MatchEnded::default()), ..about_match(id) }
}

fn no_seat(id: &str) -> PlayResponse {
    let problem = Some(Problem { reason: "no-match".into(), text: "there is none".into(), ..Problem::default() });
    let request_refused = Some(wire::RequestRefused { request: "take_seat".into(), problem });
    PlayResponse { request_refused, ..about_match(id) }
}

fn goodbye(reason: &str, reconnect: bool) -> PlayResponse {
    let goodbye =
        Goodbye { reason: reason.into(), text: "bye".into(), reconnect, reconnect_after_ms: 700, ..Goodbye::default() };
    PlayResponse { goodbye: Some(goodbye), ..PlayResponse::default() }
}

/// In the words of the protocol: what is sent and done, in order.
fn said(outputs: &[Output]) -> Vec<String> {
    let word = |output: &Output| match output {
        Output::Send(PlayRequest { r#match: id, kind: Some(kind) }) => match kind {
            Kind::TakeSeat(it) => format!("take {id}{:?}", it.seat),
            Kind::Answer(it) => format!("answer {} {:?}", it.decision, it.choice.as_ref().expect("a choice")),
            Kind::Pong(it) => format!("pong {}", it.id),
            Kind::SeatReady(it) => format!("ready {:?}", it.commitment),
            Kind::SeatReveal(it) => format!("reveal {:?}", it.part),
            Kind::DeclineSeat(it) => format!("decline {id} {}", it.reason),
            other => format!("{other:?}"),
        },
        Output::Send(_) => "nothing".into(),
        Output::Begin(id, ..) => format!("begin {id}"),
        Output::Tell(_, events) => format!("tell {:?}", events.iter().map(|event| event.number).collect::<Vec<_>>()),
        Output::Ask(_, decision) => format!("ask {}", decision.id),
        Output::Settled(_, decision) => format!("settled {decision}"),
        Output::End(id, ..) => format!("end {id}"),
        Output::Notice(_) => "notice".into(),
        Output::Close => "close".into(),
    };
    outputs.iter().map(word).collect()
}

fn in_match() -> Conversation {
    let mut talk = talk(Options::default());
    for response in [welcome("first", false), offered(ID, wire::DealMode::Server), started(ID)] {
        talk.received(response);
    }
    talk
}

fn answer(talk: &mut Conversation, decision: u64) -> Vec<String> {
    said(&talk.answered(ID, decision, &Choice::Index(4), "why".into()))
}

fn resume_of(talk: &mut Conversation) -> Option<Resume> {
    match talk.hello().kind {
        Some(Kind::Hello(hello)) => hello.resume,
        other => panic!("the first request is a Hello, not {other:?}"),
    }
}

#[test]
fn the_first_request_says_what_the_bot_wants() {
    let options =
        Options { version: "2".into(), matches_at_once: 3, evict: true, events: EventMode::Immediate, matches: None };
    let Some(Kind::Hello(hello)) = talk(options).hello().kind else { panic!("a Hello comes first") };
    assert_eq!((hello.bot_name.as_str(), hello.bot_version.as_str()), ("Ann", "2"));
    assert_eq!((&hello.protocols, &hello.capabilities), (&vec![1], &vec!["joint-deal".to_owned()]));
    assert_eq!((hello.event_mode(), hello.matches_max, hello.evict), (wire::EventMode::Immediate, 3, true));
    assert!(hello.library.starts_with("mergemaker-rust ") && hello.resume.is_none());
}

#[test]
fn as_many_seats_are_asked_for_as_are_wanted_and_allowed() {
    for (matches, matches_at_once, seats) in
        [(None, 1, 1), (None, 3, 3), (None, 9, 4), (Some(2), 3, 2), (Some(5), 3, 3)]
    {
        let mut talk = talk(Options { matches, matches_at_once, ..Options::default() });
        assert_eq!(said(&talk.received(welcome("first", false))), vec!["take None"; seats]);
    }
}

#[test]
fn matches_follow_each_other_until_there_is_none() {
    let mut talk = in_match();
    assert_eq!(said(&talk.received(ended(ID))), ["end m-1", "take None"]);
    assert_eq!(said(&talk.received(no_seat(""))), ["close"]);
    assert_eq!(talk.broke(Code::Ok, ""), Outcome::Over(Ok(())));
}

#[test]
fn as_many_matches_are_played_as_are_wanted() {
    let mut talk = talk(Options { matches: Some(1), ..Options::default() });
    for response in [welcome("first", false), offered(ID, wire::DealMode::Server), started(ID)] {
        talk.received(response);
    }
    assert_eq!(said(&talk.received(ended(ID))), ["end m-1", "close"]);
}

#[test]
fn a_seat_that_brings_the_same_match_again_brings_no_other() {
    let mut talk = in_match();
    talk.received(ended(ID));
    assert_eq!(said(&talk.received(offered(ID, wire::DealMode::Server))), ["close"]);
    assert!(talk.received(started(ID)).is_empty() && talk.received(ended(ID)).is_empty());
}

#[test]
fn a_seat_that_is_refused_at_the_start_is_an_error() {
    let mut talk = talk(Options::default());
    talk.received(welcome("first", false));
    assert_eq!(said(&talk.received(no_seat(""))), ["close"]);
    let Outcome::Over(Err(error)) = talk.broke(Code::Ok, "") else { panic!("it is an error") };
    assert_eq!(error.reason(), "no-match");
    assert!(error.to_string().contains("there is none"));
}

/// A seat in a match that requires this, and whose rules have this newer knob.
fn requiring(id: &str, name: &str, knob: Option<&str>) -> PlayResponse {
    let mut response = offered(id, wire::DealMode::Server);
    let offer = response.match_offered.as_mut().expect("an offer");
    offer.requires = vec!["joint-deal".into(), name.into()];
    offer.rules =
        Some(wire::Rules { newer_knobs: knob.map(Into::into).into_iter().collect(), ..wire::Rules::default() });
    response
}

#[test]
fn a_seat_in_a_match_that_requires_the_unknown_is_declined() {
    let mut talk = talk(Options::default());
    talk.received(welcome("first", false));
    let strange = "decline a unknown-requirement";
    assert_eq!(said(&talk.received(requiring("a", "telepathy", None))), ["notice", strange, "take None"]);
    assert_eq!(said(&talk.received(started("a"))), Vec::<String>::new());
    let strange = "decline b unknown-requirement";
    assert_eq!(said(&talk.received(requiring("b", "joint-deal", Some("weather")))), ["notice", strange, "take None"]);
    let strange = "decline a unknown-requirement";
    assert_eq!(said(&talk.received(requiring("a", "telepathy", None))), ["notice", strange, "close"]);
    let Outcome::Over(Err(problem)) = talk.broke(Code::Ok, "") else { panic!("it ends by a problem") };
    assert!(problem.to_string().contains("telepathy"), "{problem}");
}

#[test]
fn a_match_that_requires_what_is_known_is_played() {
    let mut talk = talk(Options::default());
    talk.received(welcome("first", false));
    assert_eq!(said(&talk.received(requiring(ID, "joint-deal", None))), Vec::<String>::new());
    assert_eq!(said(&talk.received(started(ID))), [format!("begin {ID}")]);
}

#[test]
fn a_question_is_answered_once_and_the_same_answer_is_sent_again() {
    let mut talk = in_match();
    assert_eq!(said(&talk.received(asked(1))), ["ask 1"]);
    assert_eq!(answer(&mut talk, 2), [""; 0]);
    assert_eq!(answer(&mut talk, 1), ["answer 1 Index(4)"]);
    assert_eq!(answer(&mut talk, 1), [""; 0]);
    assert_eq!(said(&talk.received(asked(1))), ["answer 1 Index(4)"]);
    talk.received(accepted(1));
    assert_eq!(said(&talk.received(asked(2))), ["ask 2"]);
    assert_eq!(said(&talk.received(asked(1))), [""; 0], "a question that is older is passed over");
    assert_eq!(answer(&mut talk, 1), [""; 0]);
}

#[test]
fn an_answer_may_be_an_action_with_a_note() {
    let mut talk = in_match();
    talk.received(asked(1));
    let outputs = talk.answered(ID, 1, &Choice::Action(Action::Place { square: 5, declare: true }), "why".into());
    let [Output::Send(PlayRequest { kind: Some(Kind::Answer(sent)), .. })] = outputs.as_slice() else {
        panic!("an answer")
    };
    let place = wire::action::Kind::Place(wire::Place { square: 5, declare: true });
    assert_eq!(sent.choice, Some(answer::Choice::Action(wire::Action { kind: Some(place) })));
    assert_eq!(sent.note, "why");
}

#[test]
fn what_was_settled_meanwhile_is_not_answered() {
    let mut talk = in_match();
    talk.received(asked(1));
    let default_taken = Some(wire::DefaultTaken { decision: 1, ..wire::DefaultTaken::default() });
    let outputs = talk.received(PlayResponse { default_taken, ..about_match(ID) });
    assert_eq!(said(&outputs), ["notice", "settled 1"]);
    assert_eq!(answer(&mut talk, 1), [""; 0]);
}

#[test]
fn a_refused_answer_is_followed_by_the_default_once() {
    let mut talk = in_match();
    talk.received(asked(1));
    answer(&mut talk, 1);
    assert_eq!(said(&talk.received(refused(1, Some(2)))), ["notice", "answer 1 Index(3)"]);
    assert_eq!(said(&talk.received(refused(1, Some(1)))), ["notice"]);
    talk.received(asked(2));
    answer(&mut talk, 2);
    for quiet in [refused(1, Some(2)), refused(2, None), refused(2, Some(0))] {
        assert_eq!(said(&talk.received(quiet)), ["notice"]);
    }
}

#[test]
fn kinds_that_are_not_known_are_answered_by_their_default() {
    for strange_question in [true, false] {
        let mut talk = in_match();
        let mut response = asked(1);
        let decision = response.decision.as_mut().expect("a question");
        if strange_question {
            decision.view.as_mut().and_then(|view| view.asked.as_mut()).expect("a question").kind = None;
        } else {
            decision.answers.as_mut().expect("answers").kind = None;
        }
        assert_eq!(said(&talk.received(response)), ["notice", "answer 1 Index(3)"]);
    }
}

#[test]
fn after_a_break_events_seen_before_are_passed_over_and_the_answer_is_sent_again() {
    let mut talk = in_match();
    assert_eq!(said(&talk.received(events(&[1, 2, 3]))), ["tell [1, 2, 3]"]);
    talk.received(asked(1));
    assert_eq!(talk.broke(Code::Unavailable, "gone"), Outcome::Again(0));
    assert_eq!(answer(&mut talk, 1), [""; 0], "it is kept back while there is no stream");
    let resume = resume_of(&mut talk).expect("a resume");
    assert_eq!((resume.resume_token.as_str(), resume.seen[0].last_event), ("first", 3));
    assert!(talk.received(welcome("second", true)).is_empty());
    assert!(talk.received(offered(ID, wire::DealMode::Server)).is_empty());
    assert!(talk.received(started(ID)).is_empty());
    assert_eq!(said(&talk.received(events(&[2, 3, 4]))), ["tell [4]"]);
    assert!(talk.received(events(&[4])).is_empty());
    assert_eq!(said(&talk.received(asked(1))), ["answer 1 Index(4)"]);
    assert_eq!(resume_of(&mut talk).expect("a resume").resume_token, "second");
}

#[test]
fn a_lost_session_claims_its_seats_and_a_lost_seat_ends_its_match() {
    let mut talk = in_match();
    talk.broke(Code::Unavailable, "");
    talk.hello();
    assert_eq!(said(&talk.received(welcome("second", false))), ["notice", "take m-1Some(2)"]);
    assert_eq!(said(&talk.received(no_seat(ID))), ["notice", "end m-1", "close"]);
}

#[test]
fn in_joint_mode_the_same_part_is_promised_and_revealed_also_after_a_break() {
    let mut talk = talk(Options::default());
    talk.received(welcome("first", false));
    let ready = format!("ready {:?}", seat_commitment(&COMMITMENT, 2, &PART));
    assert_eq!(said(&talk.received(offered(ID, wire::DealMode::Joint))), std::slice::from_ref(&ready));
    talk.fresh_part = Box::new(|| [1; 32]);
    talk.received(welcome("second", true));
    assert_eq!(said(&talk.received(offered(ID, wire::DealMode::Joint))), [ready]);
    let seats_committed = Some(wire::SeatsCommitted { commitments: vec![vec![1; 32]; 4] });
    let committed = PlayResponse { seats_committed, ..about_match(ID) };
    assert_eq!(said(&talk.received(committed)), [format!("reveal {PART:?}")]);
    assert_eq!(said(&talk.received(started(ID))), ["begin m-1"]);
}

#[test]
fn pings_are_answered_and_strange_matches_passed_over() {
    let mut talk = in_match();
    let ping = Some(wire::Ping { id: u64::MAX });
    assert_eq!(said(&talk.received(PlayResponse { ping, ..PlayResponse::default() })), [format!("pong {}", u64::MAX)]);
    for response in [started("x"), ended("x"), PlayResponse { r#match: "x".into(), ..asked(1) }] {
        assert!(talk.received(response).is_empty());
    }
    assert_eq!(said(&talk.received(PlayResponse { r#match: "x".into(), ..refused(1, Some(2)) })), ["notice"]);
}

#[test]
fn who_is_taken_over_never_comes_back() {
    assert_eq!(in_match().broke(Code::Aborted, ""), Outcome::Over(Err(Error::TakenOver)));
    let mut told = in_match();
    told.received(goodbye("taken-over", true));
    assert_eq!(told.broke(Code::Unavailable, ""), Outcome::Over(Err(Error::TakenOver)));
}

#[test]
fn an_end_of_a_stream_is_final_or_not_as_the_table_says() {
    for code in [Code::Unauthenticated, Code::PermissionDenied, Code::FailedPrecondition, Code::InvalidArgument] {
        let Outcome::Over(Err(error)) = in_match().broke(code, "said") else { panic!("{code:?} is final") };
        assert!(error.to_string().contains("said"));
    }
    for code in [Code::Unimplemented, Code::NotFound] {
        assert!(matches!(in_match().broke(code, ""), Outcome::Over(Err(_))));
    }
    for code in [Code::Ok, Code::Unavailable, Code::Unknown, Code::Internal, Code::ResourceExhausted, Code::Cancelled] {
        assert_eq!(in_match().broke(code, ""), Outcome::Again(0), "{code:?}");
    }
    assert_eq!(in_match().broke(Code::AlreadyExists, ""), Outcome::Again(0));
    assert!(matches!(talk(Options::default()).broke(Code::AlreadyExists, ""), Outcome::Over(Err(_))));
}

#[test]
fn a_goodbye_says_whether_to_come_back() {
    let mut talk = in_match();
    talk.received(goodbye("referee-closing", true));
    assert_eq!(talk.broke(Code::Unavailable, ""), Outcome::Again(700));
    talk.hello();
    assert_eq!(talk.broke(Code::Unavailable, ""), Outcome::Again(0), "a goodbye is of its stream");
    talk.received(goodbye("referee-closing", false));
    assert!(matches!(talk.broke(Code::Unavailable, ""), Outcome::Over(Err(Error::Refused { .. }))));
    let mut done = in_match();
    done.received(ended(ID));
    done.received(goodbye("referee-closing", false));
    assert_eq!(done.broke(Code::Unavailable, ""), Outcome::Over(Ok(())));
}

#[test]
fn defaults_that_were_not_told_of_are_told_at_the_end_with_who_it_lay_with() {
    let mut talk = in_match();
    let taken = |decision| wire::DefaultTaken { decision, text: "late".into(), ..wire::DefaultTaken::default() };
    talk.received(PlayResponse { default_taken: Some(taken(1)), ..about_match(ID) });
    let voided = Some(wire::Evidence { text: "cancelled".into(), trace: "m-1/9".into(), ..wire::Evidence::default() });
    let match_ended = Some(MatchEnded { defaults: vec![taken(1), taken(2)], voided, ..MatchEnded::default() });
    let outputs = talk.received(PlayResponse { match_ended, ..about_match(ID) });
    assert_eq!(said(&outputs), ["notice", "notice", "end m-1", "take None"]);
    let [Output::Notice(default), Output::Notice(voided), ..] = outputs.as_slice() else { panic!("two notices") };
    assert!(default.contains("decision 2") && voided.contains("cancelled; ask the operator about m-1/9"));
}
