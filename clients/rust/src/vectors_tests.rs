//! `clients/vectors` and the engine's deal vectors. If this folder stands alone, they are skipped, and say so.

use std::path::PathBuf;
use std::sync::Arc;

use prost::Message;
use serde_json::Value;

use crate::answers::Answers;
use crate::bot::{Answered, Bot, Choice};
use crate::bots::{Greedy, Random};
use crate::deal::{Deal, Hash, Stream};
use crate::drawing::{Drawing, Tone};
use crate::json::json_of;
use crate::kinds::question_name;
use crate::turn::{MatchInfo, Turn, chance_seed};
use crate::values::{Action, square_name};
use crate::wire::{self, MatchOffered, MatchStarted, PlayResponse};

fn repository(path: &str) -> Option<PathBuf> {
    let found = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if !found.exists() {
        eprintln!("skipped: {path} is in Mergemaker's repository, which is not here");
        return None;
    }
    Some(found)
}

fn lines(path: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn base64(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for letter in value.as_str().expect("bytes are a text").bytes().filter(|letter| *letter != b'=') {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

fn message<M: Message + Default>(value: &Value) -> M {
    M::decode(base64(value).as_slice()).expect("a message can be read")
}

fn hash(value: &Value) -> Hash {
    let text = value.as_str().expect("a hash is a text");
    std::array::from_fn(|place| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).expect("hexadecimal digits"))
}

fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).expect("a whole number")
}

fn chosen(answered: Answered) -> Choice {
    answered.expect("the example bots do not fail").choice
}

#[test]
fn greedy_and_random_answer_the_dialogues_index_for_index() {
    let Some(folder) = repository("clients/vectors/dialogues") else { return };
    let (mut questions, mut kinds) = (0, std::collections::BTreeSet::new());
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let dialogue = lines(&entry.expect("an entry").path());
        let (first, rest) = dialogue.split_first().expect("a line");
        let offered: MatchOffered = message(&first["offered"]);
        let started: MatchStarted = message(&first["started"]);
        let name = first["dialogue"].as_str().expect("a name");
        let info = Arc::new(MatchInfo::read(name, &offered, &started).expect("the match can be read"));
        for line in rest.iter().filter(|line| line.get("decision").is_some()) {
            let response: PlayResponse = message(&line["response"]);
            let decision = response.decision.expect("a question");
            let turn = Turn::read(&info, &decision, response.events, 0).expect("the question can be read");
            let about = format!("{name}, decision {}", turn.id);
            assert_eq!(turn.answers.count(), number(&line["count"]), "{about}");
            assert_eq!(chosen(Greedy.answer(&turn)), Choice::Index(number(&line["greedy"])), "greedy in {about}");
            assert_eq!(chosen(Random.answer(&turn)), Choice::Index(number(&line["random"])), "random in {about}");
            kinds.insert(question_name(turn.question()));
            questions += 1;
        }
    }
    let question = crate::fields::MESSAGES.iter().find(|message| message.name == "Question").expect("a message");
    let all = question.fields.len() - 1; // but for the seat
    assert!(questions > 600 && kinds.len() == all, "{questions} questions of the kinds {kinds:?}");
}

#[test]
fn listings_are_as_written() {
    let Some(file) = repository("clients/vectors/listings.jsonl") else { return };
    let listings = lines(&file);
    assert!(listings.len() > 20);
    for line in listings {
        let answers = Answers::read(&message(&line["answers"])).expect("the answers can be read");
        for pair in line["actions"].as_array().expect("a list") {
            let (index, written) = (number(&pair[0]), message::<wire::Action>(&pair[1]));
            let action = answers.get(index).expect("there is such an answer");
            assert_eq!(action, Action::read(&written).expect("an action"), "{} at {index}", line["listing"]);
            assert_eq!(action.message(), Some(written), "{} at {index}", line["listing"]);
        }
        assert_eq!(answers.get(answers.count()), None);
    }
}

#[test]
fn chances_are_as_written() {
    let Some(file) = repository("clients/vectors/chances.jsonl") else { return };
    for line in lines(&file) {
        let kind = line["kind"].as_str().expect("a name");
        let seed = chance_seed(&hash(&line["nonce"]), number(&line["last_event"]), kind);
        assert_eq!(seed, hash(&line["seed"]));
        let mut stream = Stream::new(seed, "bot");
        for pair in line["below"].as_array().expect("a list") {
            assert_eq!(stream.below(number(&pair[0])), number(&pair[1]), "below {} of {kind}", pair[0]);
        }
    }
}

#[test]
fn drawings_are_as_written_or_refused_for_their_reason() {
    let Some(file) = repository("clients/vectors/drawings.jsonl") else { return };
    let drawings = lines(&file);
    assert!(drawings.len() > 10);
    for line in drawings {
        let mut drawing = Drawing::new(line["text"].as_str().expect("a text"));
        for mark in line["marks"].as_array().expect("a list") {
            let at = number(&mark["at"]) as usize;
            let tone = match mark["tone"].as_str() {
                Some("good") => Tone::Good,
                Some("bad") => Tone::Bad,
                _ => Tone::Plain,
            };
            drawing = match mark["kind"].as_str() {
                Some("square") => drawing.square(at, tone),
                Some("arrow") => drawing.arrow(at, number(&mark["to"]) as usize, tone),
                Some("label") => drawing.label(at, mark["text"].as_str().expect("a text"), tone),
                _ => drawing.number(at, mark["number"].as_i64().expect("a number"), tone),
            };
        }
        match drawing.note() {
            Ok(note) => assert_eq!(Value::from(note), line["note"], "{}", line["drawing"]),
            Err(wrong) => assert_eq!(Value::from(wrong.reason), line["reason"], "{}: {wrong}", line["drawing"]),
        }
    }
}

#[test]
fn deals_are_as_the_engine_writes_them() {
    let Some(file) = repository("engine/mergemaker_engine/deal_vectors.json") else { return };
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("a text")).expect("JSON");
    let all = |name: &str| vectors[name].as_array().expect("a list").clone();
    for order in all("orders") {
        let deal = Deal::from_seed(hash(&order["seed"]));
        let names: Vec<_> = deal.order().iter().map(|square| Value::from(square_name(*square))).collect();
        assert_eq!(Value::from(names), order["tiles"]);
    }
    for written in all("streams") {
        let mut stream = Stream::new(hash(&written["seed"]), written["label"].as_str().expect("a label"));
        let below = written["below"].as_array().expect("a list");
        let drawn: Vec<_> = below.iter().map(|limit| Value::from(stream.below(number(limit)))).collect();
        assert_eq!(Value::from(drawn), written["values"]);
    }
    for draw in all("market_draws") {
        let deal = Deal::from_seed(hash(&draw["seed"]));
        let index = deal.market_index(number(&draw["draw"]), number(&draw["tiles_in_pile"]) as usize);
        assert_eq!(index as u64, number(&draw["index"]));
    }
    assert!(all("orders").len() >= 10 && all("streams").len() >= 20 && all("market_draws").len() >= 20);
}

#[test]
fn every_response_of_the_dialogues_can_be_traced() {
    let Some(folder) = repository("clients/vectors/dialogues") else { return };
    for entry in std::fs::read_dir(folder).expect("a folder") {
        for line in lines(&entry.expect("an entry").path()).iter().skip(1) {
            let response: PlayResponse = message(&line["response"]);
            let read: Value = serde_json::from_str(&json_of("PlayResponse", &response)).expect("it is JSON");
            assert_eq!(read["match"], Value::from(response.r#match));
            assert_eq!(read["events"].as_array().map_or(0, Vec::len), response.events.len());
            let Some(decision) = response.decision else { continue };
            let view = decision.view.expect("a view");
            assert_eq!(read["decision"]["id"], Value::from(decision.id.to_string()));
            assert_eq!(base64(&read["decision"]["view"]["board"]), view.board);
            assert_eq!(read["decision"]["view"]["market"], Value::from(view.market));
        }
    }
}

#[test]
fn signatures_are_right_or_refused_for_their_reason() {
    let Some(path) = repository("clients/vectors/signatures.jsonl") else { return };
    for line in lines(&path) {
        let text = |name: &str| line[name].as_str().unwrap_or_default();
        let receipt: crate::Receipt = text("receipt").parse().expect("a receipt");
        let keys: Vec<Hash> = line["keys"].as_array().expect("keys are a list").iter().map(hash).collect();
        let found = receipt.check_signature(text("file").as_bytes(), &keys);
        assert_eq!(found.err().map(|problem| problem.reason), line["reason"].as_str(), "{}", text("signature"));
    }
}
