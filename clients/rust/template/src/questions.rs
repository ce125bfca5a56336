//! The questions to one seat of a recorded match, as a bot meets them.

use base64::{Engine, prelude::BASE64_STANDARD};
use mergemaker::{Turn, testing::turn_of};
use serde_json::Value;

/// The turns of one kind in `testdata/questions.jsonl`.
pub fn turns(kind: &str) -> Vec<Turn> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/questions.jsonl");
    let text = std::fs::read_to_string(path).expect("the recorded questions are there");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    let (offered, started) = (bytes(&lines[0]["offered"]), bytes(&lines[0]["started"]));
    let of_kind = lines.iter().filter(|line| line["kind"] == kind);
    let found: Vec<Turn> = of_kind
        .map(|line| turn_of(&offered, &started, &bytes(&line["response"])).expect("a question can be read"))
        .collect();
    assert!(!found.is_empty(), "no question is a {kind}");
    found
}

fn bytes(field: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(field.as_str().expect("bytes are a text")).expect("bytes are in base64")
}
