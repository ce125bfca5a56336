//! What to keep of a match that is over, and the signatures of its record's end.

use std::fmt;

use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use crate::wire;

/// What to keep of a match that is over: `mergemaker verify --receipt` tells with it whether a record is the one that was written
/// then. Its text is as in logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The match's id.
    pub id: String,
    /// The hash of the whole record.
    pub line: [u8; 32],
    /// The hash of the play.
    pub game: [u8; 32],
}

impl Receipt {
    /// The receipt of a match; none if what came is not that.
    pub(crate) fn read(id: &str, message: Option<wire::Receipt>) -> Option<Self> {
        let message = message.filter(|message| message.r#match == id)?;
        Some(Self { id: id.into(), line: message.line.try_into().ok()?, game: message.game.try_into().ok()? })
    }
}

/// What a referee signed of a record, beside what the receipt has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedEnd {
    /// The promise in the record's header, in hexadecimal digits; none in plain mode.
    pub commitment: Option<String>,
    /// When it was signed, by the referee's clock: `2026-11-18T12:30:00Z`.
    pub at: String,
    /// The id of the key.
    pub key: String,
}

/// Why a receipt or a signature does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadProof {
    /// For programs; it does not change between versions.
    pub reason: &'static str,
    /// For people.
    pub text: String,
}

impl BadProof {
    fn new(reason: &'static str, text: impl Into<String>) -> Self {
        Self { reason, text: text.into() }
    }
}

impl fmt::Display for BadProof {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} ({})", self.text, self.reason)
    }
}

impl std::error::Error for BadProof {}

impl std::str::FromStr for Receipt {
    type Err = BadProof;

    /// Reads a receipt in the form of logs, `MATCH:LINE:GAME`.
    fn from_str(text: &str) -> Result<Self, BadProof> {
        let mut parts = text.split(':');
        let id =
            parts.next().filter(|id| is_of(id, 1..=64, |letter| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-')));
        let hashes = (parts.next().and_then(bytes_in), parts.next().and_then(bytes_in), parts.next());
        if let (Some(id), (Some(line), Some(game), None)) = (id, hashes) {
            return Ok(Self { id: id.into(), line, game });
        }
        let shown: String = text.chars().take(160).collect();
        Err(BadProof::new(
            "bad-receipt",
            format!("a receipt is MATCH:LINE:GAME with two hashes of 43 characters, not {shown:?}"),
        ))
    }
}

/// What is in a file `.jsonl.sig`.
struct Parts<'a> {
    signed: &'a str,
    receipt: Receipt,
    end: SignedEnd,
    signature: [u8; 64],
}

impl<'a> Parts<'a> {
    fn read(content: &'a str) -> Option<Self> {
        let (signed, signature) = content.strip_suffix("\"}\n")?.split_once(",\"signature\":\"")?;
        let (id, rest) = signed.strip_prefix("{\"match\":\"")?.split_once("\",\"line\":\"")?;
        let (line, rest) = rest.split_once("\",\"game\":\"")?;
        let (game, rest) = rest.split_once("\",\"commitment\":")?;
        let (commitment, rest) = rest.split_once(",\"at\":\"")?;
        let (at, key) = rest.strip_suffix('"')?.split_once("\",\"key\":\"")?;
        let commitment = match commitment {
            "null" => None,
            hex => Some(hex.strip_prefix('"')?.strip_suffix('"')?),
        };
        let is_hex = |text: &str| is_of(text, 64..=64, |letter| matches!(letter, b'0'..=b'9' | b'a'..=b'f'));
        let is_right = commitment.is_none_or(is_hex) && is_time(at) && bytes_in::<16>(key).is_some();
        let end = SignedEnd { commitment: commitment.map(Into::into), at: at.into(), key: key.into() };
        let receipt = format!("{id}:{line}:{game}").parse().ok()?;
        is_right.then_some(Self { signed, receipt, end, signature: bytes_in(signature)? })
    }
}

impl Receipt {
    /// Checks that the holder of one of the keys, 32 bytes each, signed the end of the record with this receipt. The content is
    /// that of the record's file `.jsonl.sig`.
    pub fn check_signature(&self, content: &[u8], keys: &[[u8; 32]]) -> Result<SignedEnd, BadProof> {
        let none = || BadProof::new("bad-signature", "what is in the file is no signature of a record's end");
        let parts = std::str::from_utf8(content).ok().and_then(Parts::read).ok_or_else(none)?;
        let named = &parts.end.key;
        let key = keys.iter().find(|key| key_id(key) == *named).ok_or_else(|| {
            BadProof::new("other-key", format!("it was signed with the key {named}, which is none of those given"))
        })?;
        let signed = [END_NAME, parts.signed.as_bytes()].concat();
        UnparsedPublicKey::new(&ED25519, key).verify(&signed, &parts.signature).map_err(|_| {
            BadProof::new(
                "wrong-signature",
                "what the file says was not signed by the key that it names: it was changed",
            )
        })?;
        let (id, found) = (&self.id, &parts.receipt);
        if found.id != *id {
            return Err(BadProof::new(
                "signature-match",
                format!("the signature is of the match {}, not of {id}", found.id),
            ));
        }
        if found.game != self.game {
            return Err(BadProof::new("signature-game", format!("the signature is of another play of the match {id}")));
        }
        if found.line != self.line {
            let text = format!("the signature is of a record of the match {id} with other names, times or notes");
            return Err(BadProof::new("signature-line", text));
        }
        Ok(parts.end)
    }
}

const END_NAME: &[u8] = b"mergemaker/end-signature/1\0";
const KEY_NAME: &[u8] = b"mergemaker/signing-key/1\0";

/// Names a public key in signatures.
pub fn key_id(key: &[u8; 32]) -> String {
    text_of(&Sha256::new().chain_update(KEY_NAME).chain_update(key).finalize()[..16])
}

/// Whether a text has as many letters as it may, all of a kind.
fn is_of(text: &str, count: std::ops::RangeInclusive<usize>, kind: impl Fn(u8) -> bool) -> bool {
    count.contains(&text.len()) && text.bytes().all(kind)
}

/// Whether a text has the form `2026-11-18T12:30:00Z`.
fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let fits = |(letter, form): (u8, &u8)| if *form == b'0' { letter.is_ascii_digit() } else { letter == *form };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}

/// The bytes in a text of base64 with `-` and `_` and without `=`, if they are that many.
fn bytes_in<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (mut bits, mut held, mut at) = (0_u32, 0, 0);
    for letter in text.bytes() {
        bits = bits << 6 | DIGITS.iter().position(|digit| *digit == letter)? as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            *bytes.get_mut(at)? = (bits >> held) as u8;
            at += 1;
        }
    }
    (at == N && text_of(&bytes) == text).then_some(bytes)
}

impl fmt::Display for Receipt {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}:{}:{}", self.id, text_of(&self.line), text_of(&self.game))
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as records write hashes: base64 with `-` and `_` and without `=`.
fn text_of(bytes: &[u8]) -> String {
    let digit = |place: usize| {
        let (byte, shift) = (place * 6 / 8, place * 6 % 8);
        let two = u16::from(bytes[byte]) << 8 | u16::from(bytes.get(byte + 1).copied().unwrap_or(0));
        char::from(DIGITS[usize::from(two >> (10 - shift) & 63)])
    };
    (0..(bytes.len() * 8).div_ceil(6)).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_receipt_is_refused() {
        let hash = "A".repeat(43);
        let right = format!("m-1:{hash}:{hash}");
        assert_eq!(right.parse::<Receipt>().map(|receipt| receipt.to_string()), Ok(right.clone()));
        let long = format!("{right}:");
        for text in
            ["", "m-1", &right[..47], &right[..90], &right.replace("m-1", "M"), &right.replace("A:", "B:"), &long]
        {
            assert_eq!(text.parse::<Receipt>().map_err(|problem| problem.reason), Err("bad-receipt"), "{text}");
        }
    }
}
