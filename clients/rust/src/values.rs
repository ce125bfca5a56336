//! What is answered, and what the numbers of messages stand for.

use std::fmt;

use crate::errors::Unreadable;
pub use crate::kinds::Action;

/// How many chains there are; they are numbered from 0 in the order of `Rules.chain_names`.
pub const CHAINS: usize = 7;
/// How many squares the board has. They are numbered along the rows: 12A is 11, 1B is 12.
pub const SQUARES: usize = 108;
/// How many can play.
pub(crate) const SEATS_MAX: usize = 6;
/// How many shares each chain has.
pub(crate) const SHARES_PER_CHAIN: u32 = 25;
const NUMBERS: usize = 12;

/// Seven counts, by chain.
pub type Shares = [u32; CHAINS];

/// The name of a square, such as `12A`.
pub fn square_name(square: usize) -> String {
    format!("{}{}", square % NUMBERS + 1, char::from(b'A' + (square / NUMBERS) as u8))
}

/// The number of a chain that a message names.
pub(crate) fn chain(number: u32, what: &str) -> Result<usize, Unreadable> {
    index(number, CHAINS, what)
}

/// The number of a square that a message names.
pub(crate) fn square(number: u32, what: &str) -> Result<usize, Unreadable> {
    index(number, SQUARES, what)
}

/// The number of a seat that a message names.
pub(crate) fn seat(number: u32, what: &str) -> Result<usize, Unreadable> {
    index(number, SEATS_MAX, what)
}

pub(crate) fn index(number: u32, below: usize, what: &str) -> Result<usize, Unreadable> {
    match usize::try_from(number) {
        Ok(read) if read < below => Ok(read),
        _ => Err(Unreadable(format!("{what} is below {below}, not {number}"))),
    }
}

/// Seven numbers of a message.
pub(crate) fn by_chain(numbers: &[u32], what: &str) -> Result<Shares, Unreadable> {
    numbers.try_into().map_err(|_| Unreadable(format!("{what} has {CHAINS} numbers, not {}", numbers.len())))
}

/// Seven counts of shares; an empty list stands for none.
pub(crate) fn counts(numbers: &[u32], what: &str) -> Result<Shares, Unreadable> {
    let read = if numbers.is_empty() { [0; CHAINS] } else { by_chain(numbers, what)? };
    match read.iter().find(|count| **count > SHARES_PER_CHAIN) {
        Some(count) => Err(Unreadable(format!("{what} holds at most {SHARES_PER_CHAIN} of a chain, not {count}"))),
        None => Ok(read),
    }
}

impl Action {
    /// Whether it declares the end.
    pub fn declares_end(&self) -> bool {
        matches!(self, Self::StopPlay | Self::Place { declare: true, .. } | Self::Buy { declare: true, .. })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place { square, declare } => {
                let end = if *declare { ", and declare the end" } else { "" };
                write!(formatter, "place {}{end}", square_name(*square))
            }
            other => write!(formatter, "{other:?}"),
        }
    }
}
