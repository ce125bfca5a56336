//! What is answered, and what the numbers of messages stand for.

use std::fmt;

use crate::errors::Unreadable;
use crate::wire::{self, Power, action::Kind};

/// How many chains there are; they are numbered from 0 in the order of `Rules.chain_names`.
pub const CHAINS: usize = 7;
/// How many squares the board has. They are numbered along the rows: 12A is 11, 1B is 12.
pub const SQUARES: usize = 108;
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

/// An answer to a question. Which are legal is said with each of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Place a tile; with `declare`, the end is declared first.
    Place {
        /// A square of the hand.
        square: usize,
        /// Whether the end is declared.
        declare: bool,
    },
    /// Declare the end and stop at once.
    StopPlay,
    /// Place no more tiles in this turn.
    EndPlacing,
    /// Name the chain that was founded.
    NameFounded(usize),
    /// Name the chain that survives.
    NameSurvivor(usize),
    /// Name the chain that is settled next.
    NameAcquired(usize),
    /// Sell and trade shares of an acquired chain, and keep the rest.
    Dispose {
        /// How many are sold.
        sell: u32,
        /// How many are given up, two for one.
        trade: u32,
    },
    /// Buy shares, or none; with `declare`, the end is declared first.
    Buy {
        /// By chain.
        shares: Shares,
        /// Whether the end is declared.
        declare: bool,
    },
    /// Exchange dead tiles, or keep them.
    Exchange(bool),
    /// Use a special power, or none.
    UsePower(Option<Power>),
    /// Give two shares to the market for one of another chain.
    TradePair {
        /// The chain of which two are given.
        give: usize,
        /// The chain of which one is taken.
        take: usize,
    },
    /// Make no more such trades.
    EndTrading,
    /// Offer nothing.
    NoOffer,
    /// Offer a trade.
    OfferTrade {
        /// The seat to which it is offered.
        partner: usize,
        /// What is given, by chain.
        give_shares: Shares,
        /// Dollars that are given.
        give_cash: u32,
        /// What is asked for, by chain.
        take_shares: Shares,
        /// Dollars that are asked for.
        take_cash: u32,
    },
    /// Accept an offer, or decline it.
    Reply(bool),
    /// Something that only a newer version of this library knows. It can be answered by its index alone.
    Newer,
}

impl Action {
    /// Whether it declares the end.
    pub fn declares_end(&self) -> bool {
        matches!(self, Self::StopPlay | Self::Place { declare: true, .. } | Self::Buy { declare: true, .. })
    }

    pub(crate) fn read(message: &wire::Action) -> Result<Self, Unreadable> {
        Ok(match &message.kind {
            None => Self::Newer,
            Some(Kind::Place(it)) => Self::Place { square: square(it.square, "place.square")?, declare: it.declare },
            Some(Kind::StopPlay(_)) => Self::StopPlay,
            Some(Kind::EndPlacing(_)) => Self::EndPlacing,
            Some(Kind::NameFounded(it)) => Self::NameFounded(chain(it.chain, "name_founded.chain")?),
            Some(Kind::NameSurvivor(it)) => Self::NameSurvivor(chain(it.chain, "name_survivor.chain")?),
            Some(Kind::NameAcquired(it)) => Self::NameAcquired(chain(it.chain, "name_acquired.chain")?),
            Some(Kind::Dispose(it)) => Self::Dispose { sell: it.sell, trade: it.trade },
            Some(Kind::Buy(it)) => Self::Buy { shares: counts(&it.shares, "buy.shares")?, declare: it.declare },
            Some(Kind::Exchange(it)) => Self::Exchange(it.exchange),
            Some(Kind::UsePower(it)) => match Power::try_from(it.power) {
                Ok(Power::None) => Self::UsePower(None),
                Ok(Power::Unspecified) | Err(_) => Self::Newer,
                Ok(power) => Self::UsePower(Some(power)),
            },
            Some(Kind::TradePair(it)) => {
                Self::TradePair { give: chain(it.give, "trade_pair.give")?, take: chain(it.take, "trade_pair.take")? }
            }
            Some(Kind::EndTrading(_)) => Self::EndTrading,
            Some(Kind::NoOffer(_)) => Self::NoOffer,
            Some(Kind::OfferTrade(it)) => Self::OfferTrade {
                partner: usize::try_from(it.partner).unwrap_or(usize::MAX),
                give_shares: counts(&it.give_shares, "offer_trade.give_shares")?,
                give_cash: it.give_cash,
                take_shares: counts(&it.take_shares, "offer_trade.take_shares")?,
                take_cash: it.take_cash,
            },
            Some(Kind::Reply(it)) => Self::Reply(it.accept),
        })
    }

    /// The message that stands for it; none for what only a newer version knows.
    pub(crate) fn message(&self) -> Option<wire::Action> {
        // Only what was read, or what a bot's author wrote, gets here: a number beyond 32 bits is refused by the referee.
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let kind = match self {
            Self::Place { square, declare } => Kind::Place(wire::Place { square: number(*square), declare: *declare }),
            Self::StopPlay => Kind::StopPlay(wire::StopPlay {}),
            Self::EndPlacing => Kind::EndPlacing(wire::EndPlacing {}),
            Self::NameFounded(chain) => Kind::NameFounded(wire::NameFounded { chain: number(*chain) }),
            Self::NameSurvivor(chain) => Kind::NameSurvivor(wire::NameSurvivor { chain: number(*chain) }),
            Self::NameAcquired(chain) => Kind::NameAcquired(wire::NameAcquired { chain: number(*chain) }),
            Self::Dispose { sell, trade } => Kind::Dispose(wire::Dispose { sell: *sell, trade: *trade }),
            Self::Buy { shares, declare } => Kind::Buy(wire::Buy { shares: shares.to_vec(), declare: *declare }),
            Self::Exchange(exchange) => Kind::Exchange(wire::Exchange { exchange: *exchange }),
            Self::UsePower(power) => Kind::UsePower(wire::UsePower { power: power.unwrap_or(Power::None).into() }),
            Self::TradePair { give, take } => {
                Kind::TradePair(wire::TradePair { give: number(*give), take: number(*take) })
            }
            Self::EndTrading => Kind::EndTrading(wire::EndTrading {}),
            Self::NoOffer => Kind::NoOffer(wire::NoOffer {}),
            Self::OfferTrade { partner, give_shares, give_cash, take_shares, take_cash } => {
                Kind::OfferTrade(wire::OfferTrade {
                    partner: number(*partner),
                    give_shares: give_shares.to_vec(),
                    give_cash: *give_cash,
                    take_shares: take_shares.to_vec(),
                    take_cash: *take_cash,
                })
            }
            Self::Reply(accept) => Kind::Reply(wire::Reply { accept: *accept }),
            Self::Newer => return None,
        };
        Some(wire::Action { kind: Some(kind) })
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
