//! What to keep of a match that is over.

use std::fmt;

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

impl fmt::Display for Receipt {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}:{}:{}", self.id, hash_text(&self.line), hash_text(&self.game))
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A hash as records write it: base64 with `-` and `_` and without `=`.
fn hash_text(hash: &[u8; 32]) -> String {
    let digit = |place: usize| {
        let (byte, shift) = (place * 6 / 8, place * 6 % 8);
        let two = u16::from(hash[byte]) << 8 | u16::from(hash.get(byte + 1).copied().unwrap_or(0));
        char::from(DIGITS[usize::from(two >> (10 - shift) & 63)])
    };
    (0..43).map(digit).collect()
}
