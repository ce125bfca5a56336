//! Messages as protobuf's JSON, for the trace.
//!
//! prost keeps no names of fields. Rather than have all of serde generated for every message, the bytes of a message are
//! read once more, with a table of the fields' names that is generated together with the messages.

use std::fmt::Write as _;

use crate::fields::{ENUMS, MESSAGES};

/// What replaces a token.
pub(crate) const REMOVED: &str = "removed";
const TOKEN_FIELD_END: &str = "token";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What a message has in it.
pub(crate) struct Message {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [Field],
}

/// A field of a message.
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) repeated: bool,
    pub(crate) kind: Kind,
}

/// What a field holds; messages and enums by their places in the tables.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Bool,
    Uint32,
    Uint64,
    Int64,
    Text,
    Bytes,
    Enum(usize),
    Message(usize),
}

/// The names of an enum's values.
pub(crate) type Enum = &'static [(i32, &'static str)];

const VARINT: u64 = 0;
const LENGTH: u64 = 2;

/// A message of this name as JSON, with `removed` in place of every token.
pub(crate) fn json_of(name: &str, message: &impl prost::Message) -> String {
    let mut text = String::new();
    let known = MESSAGES.iter().find(|known| known.name == name);
    // What prost has just written can be read, and a test goes through every field.
    if known.and_then(|known| write_message(&mut text, known, &message.encode_to_vec())).is_none() {
        text = format!("{{\"unreadable\":{}}}", quoted(name));
    }
    text
}

fn write_message(text: &mut String, known: &Message, mut bytes: &[u8]) -> Option<()> {
    // By field: the values that came, in the order in which the fields first came.
    let mut found: Vec<(&Field, Vec<String>)> = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let field = known.fields.iter().find(|field| u64::from(field.number) == key >> 3)?;
        let place = found.iter().position(|(other, _)| other.number == field.number).unwrap_or_else(|| {
            found.push((field, Vec::new()));
            found.len() - 1
        });
        let values = &mut found[place].1;
        match (key & 7, field.kind) {
            (VARINT, kind) => values.push(scalar(kind, varint(&mut bytes)?)?),
            (LENGTH, Kind::Text) => {
                let content = std::str::from_utf8(delimited(&mut bytes)?).ok()?;
                let is_token = field.name.ends_with(TOKEN_FIELD_END) && !content.is_empty();
                values.push(quoted(if is_token { REMOVED } else { content }));
            }
            (LENGTH, Kind::Bytes) => values.push(format!("\"{}\"", base64(delimited(&mut bytes)?))),
            (LENGTH, Kind::Message(number)) => {
                let mut inner = String::new();
                write_message(&mut inner, MESSAGES.get(number)?, delimited(&mut bytes)?)?;
                values.push(inner);
            }
            (LENGTH, kind) => {
                let mut packed = delimited(&mut bytes)?;
                while !packed.is_empty() {
                    values.push(scalar(kind, varint(&mut packed)?)?);
                }
            }
            _ => return None,
        }
    }
    text.push('{');
    for (place, (field, values)) in found.iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let value = if field.repeated { format!("[{}]", values.join(",")) } else { values.last()?.clone() };
        write!(text, "{comma}\"{}\":{value}", field.name).ok()?;
    }
    text.push('}');
    Some(())
}

fn scalar(kind: Kind, value: u64) -> Option<String> {
    Some(match kind {
        Kind::Bool => (value != 0).to_string(),
        Kind::Uint32 => value.to_string(),
        // Numbers of 64 bits are texts in protobuf's JSON.
        Kind::Uint64 => format!("\"{value}\""),
        Kind::Int64 => format!("\"{}\"", value.cast_signed()),
        Kind::Enum(number) => {
            let value = value as i32;
            let named = ENUMS.get(number)?.iter().find(|(known, _)| *known == value);
            named.map_or_else(|| value.to_string(), |(_, name)| format!("\"{name}\""))
        }
        Kind::Text | Kind::Bytes | Kind::Message(_) => return None,
    })
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..10 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << (7 * place);
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn delimited<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(varint(bytes)?).ok()?;
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(content)
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = part.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let is_there = place <= part.len();
            text.push(if is_there { BASE64[bits >> (18 - 6 * place) & 63].into() } else { '=' });
        }
    }
    text
}

/// A text as JSON has it.
pub(crate) fn quoted(content: &str) -> String {
    let mut text = String::from("\"");
    for character in content.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            control if u32::from(control) < 0x20 => text.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{self, Answer, Evidence, Moment, Ping, PlayRequest, SeatReady, action, answer, play_request};

    fn request(kind: play_request::Kind) -> String {
        json_of("PlayRequest", &PlayRequest { r#match: "m \"1\"\n\u{e4}".into(), kind: Some(kind) })
    }

    #[test]
    fn messages_are_written_as_protobuf_has_them() {
        let action = |kind| Some(answer::Choice::Action(wire::Action { kind: Some(kind) }));
        let answered =
            |choice| request(play_request::Kind::Answer(Answer { decision: u64::MAX, choice, note: String::new() }));
        let start = "{\"match\":\"m \\\"1\\\"\\u000a\u{e4}\",";
        assert_eq!(
            answered(action(action::Kind::StopPlay(wire::StopPlay {}))),
            format!("{start}\"answer\":{{\"decision\":\"18446744073709551615\",\"action\":{{\"stop_play\":{{}}}}}}}}")
        );
        let shares = vec![0, 300, 0, 0, 0, 0, 2];
        assert_eq!(
            answered(action(action::Kind::Buy(wire::Buy { shares, declare: true }))),
            format!(
                "{start}\"answer\":{{\"decision\":\"18446744073709551615\",\"action\":{{\"buy\":\
                 {{\"shares\":[0,300,0,0,0,0,2],\"declare\":true}}}}}}}}"
            )
        );
        assert_eq!(request(play_request::Kind::Ping(Ping { id: 7 })), format!("{start}\"ping\":{{\"id\":\"7\"}}}}"));
        for (bytes, text) in [(&b"f"[..], "Zg=="), (b"fo", "Zm8="), (b"foo", "Zm9v"), (&[0xfb, 0xff], "+/8=")] {
            let ready = SeatReady { commitment: bytes.to_vec() };
            assert_eq!(
                request(play_request::Kind::SeatReady(ready)),
                format!("{start}\"seat_ready\":{{\"commitment\":\"{text}\"}}}}")
            );
        }
    }

    #[test]
    fn enums_go_by_their_names_and_newer_ones_by_their_numbers() {
        let moments = vec![Moment { kind: 1, at_us: -5 }, Moment { kind: 99, at_us: 5 }];
        let evidence = Evidence { at_fault: -1, moments, ..Evidence::default() };
        assert_eq!(
            json_of("Evidence", &evidence),
            "{\"at_fault\":-1,\"moments\":[{\"kind\":\"MOMENT_KIND_ASKED\",\"at_us\":\"-5\"},{\"kind\":99,\"at_us\":\"5\"}]}"
        );
    }
}
