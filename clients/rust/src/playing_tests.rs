//! What comes to a bot, in which order, and what becomes of its answers.

use std::sync::Mutex;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::bot::Answered;
use crate::values::{Action, CHAINS, SQUARES};
use crate::wire::{self, DealMode, MatchOffered, MatchStarted, event, question};

const ID: &str = "m-1";

type Log = Arc<Mutex<Vec<String>>>;

/// Answers as instructed, and writes down what it hears.
struct Listener {
    log: Log,
    answer: fn(&Turn) -> Answered,
}

impl Listener {
    fn write(&self, text: String) {
        self.log.lock().expect("nobody panicked").push(text);
    }
}

impl Bot for Listener {
    fn choose_exchange(&mut self, turn: &Turn) -> Answered {
        self.write(format!("asked {} after {} events", turn.id, turn.events.len()));
        (self.answer)(turn)
    }

    fn on_start(&mut self, info: &MatchInfo) {
        self.write(format!("start {} as {}", info.id, info.seat));
    }

    fn on_events(&mut self, events: &[Event]) {
        self.write(format!("events {:?}", events.iter().map(|event| event.number).collect::<Vec<_>>()));
    }

    fn on_false_deal(&mut self, problem: &FalseDeal) {
        self.write(format!("false: {}", problem.reason));
    }

    fn on_end(&mut self, result: &MatchResult) {
        self.write(format!("end {}", result.why));
    }
}

fn players(answer: fn(&Turn) -> Answered) -> (Players, UnboundedReceiver<Given>, Log) {
    let (sender, answers) = unbounded_channel();
    let log = Log::default();
    let shared = Arc::clone(&log);
    let factory: Factory = Arc::new(move || Box::new(Listener { log: Arc::clone(&shared), answer }));
    (Players::new(factory, sender, None), answers, log)
}

fn offered() -> MatchOffered {
    let names = (0..CHAINS).map(|chain| format!("chain {chain}")).collect();
    let rules = Some(wire::Rules { chain_names: names, ..wire::Rules::default() });
    MatchOffered { seat: 1, seats: 2, rules, deal_mode: DealMode::Plain.into(), ..MatchOffered::default() }
}

fn begin() -> Output {
    Output::Begin(ID.into(), offered(), MatchStarted { nonce: vec![0; 32], ..MatchStarted::default() })
}

fn asked(id: u64) -> Decision {
    let player = wire::SeatView {
        cash: Some(6_000),
        shares: Some(wire::Shares { counts: vec![0; CHAINS] }),
        ..wire::SeatView::default()
    };
    let kind = Some(question::Kind::ChooseExchange(wire::ChooseExchange {}));
    let view = wire::View {
        seats: 2,
        board: vec![0; SQUARES],
        sizes: vec![0; CHAINS],
        prices: vec![0; CHAINS],
        market: vec![25; CHAINS],
        players: vec![player; 2],
        asked: Some(wire::Question { seat: 1, kind }),
        ..wire::View::default()
    };
    let actions = [Action::Exchange(false), Action::Exchange(true)].iter().filter_map(Action::message).collect();
    let kind = Some(wire::legal_answers::Kind::Listed(wire::ListedAnswers { actions }));
    let answers = Some(wire::LegalAnswers { count: 2, kind });
    Decision { id, view: Some(view), answers, default_index: 1, ..Decision::default() }
}

fn ask(decision: Decision) -> Output {
    Output::Ask(ID.into(), decision)
}

fn tell(numbers: &[u64]) -> Output {
    let kind = Some(event::Kind::PlacingSkipped(wire::PlacingSkipped { seat: 0 }));
    Output::Tell(ID.into(), numbers.iter().map(|number| Event { number: *number, kind: kind.clone() }).collect())
}

fn end() -> Output {
    let ended = MatchEnded { ending: Ending::Declared.into(), ..MatchEnded::default() };
    Output::End(ID.into(), ended, Promise::new(ID, offered()))
}

/// Plays what comes, each question until it is answered, and returns what was answered, what the bot wrote down, and how the
/// matches ended.
fn played(answer: fn(&Turn) -> Answered, outputs: Vec<Output>) -> (Vec<Given>, Vec<String>, Vec<MatchResult>) {
    let (mut players, mut answers, log) = players(answer);
    let mut given = Vec::new();
    for output in outputs {
        let is_question = matches!(output, Output::Ask(..));
        players.deliver(output);
        given.extend(is_question.then(|| answers.blocking_recv().expect("an answer, if only the default")));
    }
    let results = players.results();
    assert!(answers.try_recv().is_err(), "one answer to each question");
    let log = log.lock().expect("nobody panicked").clone();
    (given, log, results)
}

#[test]
fn a_bot_is_told_of_everything_in_its_order() {
    let mut newer = tell(&[3, 4]);
    if let Output::Tell(_, events) = &mut newer {
        events[0].kind = None;
    }
    let outputs = vec![begin(), tell(&[1, 2]), newer, ask(asked(1)), ask(asked(2)), end()];
    let (given, log, results) = played(|_| Ok(Answer::index(0).note("why")), outputs);
    let wanted = [
        "start m-1 as 1",
        "events [1, 2]",
        "events [4]",
        "asked 1 after 3 events",
        "asked 2 after 0 events",
        "end declared",
    ];
    assert_eq!(log, wanted);
    let given: Vec<_> = given.iter().map(|it| (it.decision, &it.choice, it.note.as_str())).collect();
    assert_eq!(given, [(1, &Choice::Index(0), "why"), (2, &Choice::Index(0), "why")]);
    assert_eq!((results.len(), &results[0].deal), (1, &DealFinding::NotReleased));
}

/// What a bot is asked if all of this comes while it still handles the start.
fn asked_behind(outputs: Vec<Output>) -> Vec<String> {
    struct Slow(Listener, std::sync::mpsc::Receiver<()>);
    impl Bot for Slow {
        fn choose_exchange(&mut self, turn: &Turn) -> Answered {
            self.0.choose_exchange(turn)
        }

        fn on_start(&mut self, _: &MatchInfo) {
            // The sender that lets it go on may also hang up.
            let _ = self.1.recv();
        }
    }
    let (go_on, waiting) = channel();
    let (waiting, log) = (Mutex::new(Some(waiting)), Log::default());
    let shared = Arc::clone(&log);
    let factory: Factory = Arc::new(move || {
        let waits = waiting.lock().expect("nobody panicked").take().expect("one match");
        Box::new(Slow(Listener { log: Arc::clone(&shared), answer: |_| Ok(Answer::index(0)) }, waits))
    });
    let (sender, mut answers) = unbounded_channel();
    let mut players = Players::new(factory, sender, None);
    let is_over = matches!(outputs.last(), Some(Output::End(..)));
    players.deliver(begin());
    outputs.into_iter().for_each(|output| players.deliver(output));
    drop(go_on);
    if !is_over {
        answers.blocking_recv().expect("the last question is answered");
        players.deliver(end());
    }
    assert_eq!(players.results().len(), 1);
    log.lock().expect("nobody panicked").clone()
}

#[test]
fn a_question_that_was_settled_before_the_bot_had_time_for_it_is_not_asked() {
    let settled = |id| Output::Settled(ID.into(), id);
    let outputs = vec![tell(&[1]), ask(asked(1)), settled(1), tell(&[2, 3]), ask(asked(2))];
    assert_eq!(asked_behind(outputs), ["asked 2 after 3 events"], "what happened is told with the next one");
    let outputs = vec![ask(asked(1)), settled(1), ask(asked(2)), settled(1)];
    assert_eq!(asked_behind(outputs), ["asked 2 after 0 events"], "this one is open");
    assert_eq!(asked_behind(vec![ask(asked(1)), ask(asked(2))]), ["asked 2 after 0 events"]);
    assert_eq!(asked_behind(vec![ask(asked(1)), end()]), [""; 0]);
}

#[test]
fn a_bot_that_fails_costs_no_match() {
    let failures: [fn(&Turn) -> Answered; 5] = [
        |_| Err("no idea".into()),
        |_| panic!("this panic is part of a test"),
        |_| Ok(Answer::index(2)),
        |turn| Ok(turn.default().note("x".repeat(1_025))),
        |_| Ok(Action::Newer.into()),
    ];
    for (place, failure) in failures.into_iter().enumerate() {
        let (given, log, results) = played(failure, vec![begin(), ask(asked(1)), end()]);
        assert_eq!(given.len(), 1, "failure {place}");
        assert_eq!((&given[0].choice, given[0].note.as_str()), (&Choice::Index(1), "default, after an error"));
        assert_eq!((log.last().map(String::as_str), results.len()), (Some("end declared"), 1));
    }
}

#[test]
fn an_answer_may_be_an_action() {
    let (given, ..) = played(|_| Ok(Action::Exchange(false).into()), vec![begin(), ask(asked(1)), end()]);
    assert_eq!(given[0].choice, Choice::Action(Action::Exchange(false)));
}

#[test]
fn what_cannot_be_read_is_answered_by_its_default() {
    let spoils: [fn(&mut wire::View); 7] = [
        |view| view.seats = 7,
        |view| view.board.truncate(107),
        |view| view.board[5] = 9,
        |view| view.players[1].cash = None,
        |view| view.market[0] = 26,
        |view| view.prices.truncate(6),
        |view| view.hand = vec![108],
    ];
    for (place, spoil) in spoils.into_iter().enumerate() {
        let mut decision = asked(1);
        spoil(decision.view.as_mut().expect("there is one"));
        let (given, log, _) = played(|_| Ok(Answer::index(0)), vec![begin(), ask(decision), end()]);
        assert_eq!((given.len(), &given[0].choice), (1, &Choice::Index(1)), "view {place}");
        assert_eq!(log, ["start m-1 as 1", "end declared"], "view {place}");
    }
    let mut miscounted = asked(1);
    miscounted.answers.as_mut().expect("there are some").count = 3;
    let (given, ..) = played(|_| Ok(Answer::index(0)), vec![begin(), ask(miscounted), end()]);
    assert_eq!(given[0].choice, Choice::Index(1));
}

#[test]
fn a_match_that_cannot_be_read_is_played_by_its_defaults() {
    let (given, log, results) = played(|_| Ok(Answer::index(0)), vec![ask(asked(1)), end()]);
    assert_eq!((given.len(), &given[0].choice), (1, &Choice::Index(1)));
    assert!(log.is_empty());
    assert_eq!(results.len(), 1);
    let short = Output::Begin(ID.into(), offered(), MatchStarted::default());
    assert_eq!(played(|_| Ok(Answer::index(0)), vec![short, ask(asked(1)), end()]).0[0].choice, Choice::Index(1));
}

#[test]
fn a_bot_hears_of_a_false_deal_before_the_end() {
    let (_, log, results) = played(|_| Ok(Answer::index(0)), vec![begin(), tell(&[1]), tell(&[3]), end()]);
    assert_eq!(log[2..], ["false: events-missing", "events [3]", "end declared"]);
    assert!(matches!(&results[0].deal, DealFinding::False(problem) if problem.reason == "events-missing"));
}

#[test]
fn a_factory_that_panics_costs_no_match() {
    let (sender, mut answers) = unbounded_channel();
    let factory: Factory = Arc::new(|| panic!("this panic is part of a test"));
    let mut players = Players::new(factory, sender, None);
    players.deliver(begin());
    players.deliver(ask(asked(1)));
    assert_eq!(answers.blocking_recv().expect("the default").choice, Choice::Index(1));
    players.deliver(end());
    assert_eq!(players.results().len(), 1);
}
