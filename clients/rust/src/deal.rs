//! A deal from its seed, to the byte as `engine/DEAL.md` says it, and the promise as `engine/RECORDS.md` does.

use sha2::{Digest, Sha256};

use crate::values::SQUARES;

/// Bytes of a seed, a nonce, a seat's part and a commitment.
pub const BYTES: usize = 32;
/// A seed, a nonce, a seat's part or a commitment.
pub type Hash = [u8; BYTES];

const WORDS: usize = BYTES / 2;
const WORD_BITS: u32 = 16;

/// Whole numbers made of a seed and a label; each label has other ones.
#[derive(Clone, Debug)]
pub struct Stream {
    seed: Hash,
    label: String,
    block: Hash,
    next_block: u32,
    next_word: usize,
}

impl Stream {
    /// The stream of a seed with a label of 1 to 19 ASCII characters.
    pub fn new(seed: Hash, label: &str) -> Self {
        Self { seed, label: label.to_owned(), block: [0; BYTES], next_block: 0, next_word: WORDS }
    }

    fn word(&mut self) -> u16 {
        if self.next_word == WORDS {
            self.block = sha256(&[&self.seed, self.label.as_bytes(), &self.next_block.to_be_bytes()]);
            self.next_block += 1;
            self.next_word = 0;
        }
        let place = 2 * self.next_word;
        self.next_word += 1;
        u16::from_be_bytes([self.block[place], self.block[place + 1]])
    }

    /// A whole number from 0 to `limit - 1`, each equally likely.
    ///
    /// # Panics
    ///
    /// If `limit` is 0: there is no such number.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "there is no whole number below 0");
        let words = (1..4).find(|words| limit - 1 < 1 << (WORD_BITS * words)).unwrap_or(4);
        let values = 1_u128 << (WORD_BITS * words);
        let limit = u128::from(limit);
        loop {
            let drawn = (0..words).fold(0, |number, _| (number << WORD_BITS) | u128::from(self.word()));
            if drawn < values - values % limit {
                return (drawn % limit) as u64;
            }
        }
    }
}

/// A deal: the order of all tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    seed: Hash,
    order: Vec<usize>,
}

impl Deal {
    /// The deal that a seed makes.
    pub fn from_seed(seed: Hash) -> Self {
        let mut stream = Stream::new(seed, "deal");
        let mut order: Vec<usize> = (0..SQUARES).collect();
        for place in (1..SQUARES).rev() {
            order.swap(place, stream.below(place as u64 + 1) as usize);
        }
        Self { seed, order }
    }

    /// The squares of all tiles in the order in which they come off the pile.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The place in the pile, from its top, of the tile that is shown for a draw of the market (TWO-1).
    pub fn market_index(&self, draw: u64, tiles_in_pile: usize) -> usize {
        Stream::new(self.seed, &format!("market/{draw}")).below(tiles_in_pile as u64) as usize
    }
}

/// What the referee promises before the first tile; none for an id that no match has.
pub fn commitment(promise_match: &str, nonce: &Hash, server_seed: &Hash) -> Option<Hash> {
    let length = u8::try_from(promise_match.len()).ok()?;
    let parts: [&[u8]; 5] = [b"mergemaker/commitment/1\0", &[length], promise_match.as_bytes(), nonce, server_seed];
    Some(sha256(&parts))
}

/// What a seat promises in joint mode.
pub fn seat_commitment(commitment: &Hash, seat: u8, part: &Hash) -> Hash {
    sha256(&[b"mergemaker/seat-commitment/1\0", commitment, &[seat], part])
}

/// The seed of a joint deal; none stands for a part that was not revealed.
pub fn joint_seed(server_seed: &Hash, parts: &[Option<Hash>]) -> Hash {
    let mut all = server_seed.to_vec();
    for part in parts {
        all.extend(part.unwrap_or([0; BYTES]));
    }
    sha256(&[b"mergemaker/joint-deal/1\0", &all])
}

fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}
