//! A bot's methods, and questions and answers by kind, as the protocol has them.
//!
//! Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.

use crate::bot::Answered;
use crate::deal_check::FalseDeal;
use crate::errors::Unreadable;
use crate::turn::{MatchInfo, MatchResult, Turn};
use crate::values::{Shares, chain, counts, seat, square};
use crate::wire::{self, Event, Power, action::Kind, question::Kind as Question};

/// Plays one seat of one match. A method that you do not write takes the referee's default.
///
/// A method that returns an error or panics does not end the match: this is reported, and the bot answers the default at once.
pub trait Bot {
    /// Answers any question. As it is, it calls the method for the question's kind.
    fn answer(&mut self, turn: &Turn) -> Answered {
        match turn.question() {
            Question::ChooseTile(_) => self.choose_tile(turn),
            Question::ChooseFounded(_) => self.choose_founded(turn),
            Question::ChooseSurvivor(_) => self.choose_survivor(turn),
            Question::ChooseAcquired(_) => self.choose_acquired(turn),
            Question::ChooseDisposal(_) => self.choose_disposal(turn),
            Question::ChoosePurchase(_) => self.choose_purchase(turn),
            Question::ChooseExchange(_) => self.choose_exchange(turn),
            Question::ChoosePower(_) => self.choose_power(turn),
            Question::ChoosePairTrade(_) => self.choose_pair_trade(turn),
            Question::ChooseOffer(_) => self.choose_offer(turn),
            Question::ChooseReply(_) => self.choose_reply(turn),
        }
    }

    /// Place a tile.
    fn choose_tile(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Name the founded chain.
    fn choose_founded(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Name the survivor of a merger of equals.
    fn choose_survivor(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Name the chain that is settled next.
    fn choose_acquired(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Keep, sell and trade shares of an acquired chain.
    fn choose_disposal(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Buy shares, or none.
    fn choose_purchase(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Exchange dead tiles, or keep them.
    fn choose_exchange(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Use a special power, or none.
    fn choose_power(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Trade two shares for one with the market.
    fn choose_pair_trade(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Offer a trade to another player.
    fn choose_offer(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Accept or decline a trade.
    fn choose_reply(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Called before the first tile, with what is known of the match.
    fn on_start(&mut self, _info: &MatchInfo) {}

    /// Called with what happened, as far as the seat may know. This is always before the next question.
    fn on_events(&mut self, _events: &[Event]) {}

    /// Called if the deal was not the one promised. This is reported and traced in any case. `on_end` follows.
    fn on_false_deal(&mut self, _problem: &FalseDeal) {}

    /// Called with how the match ended.
    fn on_end(&mut self, _result: &MatchResult) {}
}

/// The name of a kind of question, such as `ChooseTile`.
pub(crate) fn question_name(question: &Question) -> &'static str {
    match question {
        Question::ChooseTile(_) => "ChooseTile",
        Question::ChooseFounded(_) => "ChooseFounded",
        Question::ChooseSurvivor(_) => "ChooseSurvivor",
        Question::ChooseAcquired(_) => "ChooseAcquired",
        Question::ChooseDisposal(_) => "ChooseDisposal",
        Question::ChoosePurchase(_) => "ChoosePurchase",
        Question::ChooseExchange(_) => "ChooseExchange",
        Question::ChoosePower(_) => "ChoosePower",
        Question::ChoosePairTrade(_) => "ChoosePairTrade",
        Question::ChooseOffer(_) => "ChooseOffer",
        Question::ChooseReply(_) => "ChooseReply",
    }
}

/// Checks the numbers of a question by which lists are indexed: chains, squares and seats.
pub(crate) fn check_question(question: &Question) -> Result<(), Unreadable> {
    match question {
        Question::ChooseFounded(it) => {
            square(it.square, "choose_founded.square")?;
        }
        Question::ChooseSurvivor(it) => {
            square(it.square, "choose_survivor.square")?;
            it.chains.iter().try_for_each(|number| chain(*number, "choose_survivor.chains").map(drop))?;
        }
        Question::ChooseAcquired(it) => {
            chain(it.survivor, "choose_acquired.survivor")?;
        }
        Question::ChooseDisposal(it) => {
            chain(it.acquired, "choose_disposal.acquired")?;
            chain(it.survivor, "choose_disposal.survivor")?;
        }
        Question::ChooseReply(it) => {
            seat(it.proposer, "choose_reply.proposer")?;
            counts(&it.give_shares, "choose_reply.give_shares")?;
            counts(&it.take_shares, "choose_reply.take_shares")?;
        }
        Question::ChooseTile(_)
        | Question::ChoosePurchase(_)
        | Question::ChooseExchange(_)
        | Question::ChoosePower(_)
        | Question::ChoosePairTrade(_)
        | Question::ChooseOffer(_) => {}
    }
    Ok(())
}

/// An answer to a question. Each question says which are legal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Place a tile (PLC-1).
    Place {
        /// A square of the hand: 0 to 107.
        square: usize,
        /// Whether the end is declared first (END-2).
        declare: bool,
    },
    /// Declare the end and stop at once, instead of placing a tile (END-2).
    StopPlay,
    /// Place no more tiles in this turn (PWR-5).
    EndPlacing,
    /// Give the founded chain its name (FND-1).
    NameFounded(usize),
    /// Name the chain that survives a merger of equals (MRG-2).
    NameSurvivor(usize),
    /// Name the next of several equal chains to be settled (MRG-4).
    NameAcquired(usize),
    /// Sell some shares of an acquired chain, give up others two for one, and keep the rest (MRG-6).
    Dispose {
        /// How many are sold: 0 to 25.
        sell: u32,
        /// How many are given up, two for each share of the survivor: an even number.
        trade: u32,
    },
    /// Buy shares, or none (BUY-1).
    Buy {
        /// Seven counts, by chain.
        shares: Shares,
        /// Whether the end is declared first (END-2).
        declare: bool,
    },
    /// Exchange all dead tiles of the hand, or keep them (DRW-2).
    Exchange(bool),
    /// Use a special power, or none (PWR-1).
    UsePower(Option<Power>),
    /// Give two shares of a chain to the market for one of another (PWR-4).
    TradePair {
        /// The chain of which two are given.
        give: usize,
        /// The chain of which one is taken.
        take: usize,
    },
    /// Make no more trades with this power (PWR-4).
    EndTrading,
    /// Offer nothing, or nothing more, in this turn (TRD-1).
    NoOffer,
    /// Offer a trade (TRD-1, TRD-3). A chain stands on one side at most, and so does cash; no side is empty.
    OfferTrade {
        /// The seat to which it is offered.
        partner: usize,
        /// Seven counts, by chain: what the offerer gives.
        give_shares: Shares,
        /// Dollars that the offerer gives: a multiple of 100, at most 100,000.
        give_cash: u32,
        /// Seven counts, by chain: what the offerer asks for.
        take_shares: Shares,
        /// Dollars that the offerer asks for: a multiple of 100, at most 100,000.
        take_cash: u32,
    },
    /// Answer an offer (TRD-1).
    Reply(bool),
    /// Something that only a newer version of this library knows. Only its index can answer with it.
    Newer,
}

impl Action {
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
                partner: seat(it.partner, "offer_trade.partner")?,
                give_shares: counts(&it.give_shares, "offer_trade.give_shares")?,
                give_cash: it.give_cash,
                take_shares: counts(&it.take_shares, "offer_trade.take_shares")?,
                take_cash: it.take_cash,
            },
            Some(Kind::Reply(it)) => Self::Reply(it.accept),
        })
    }

    /// Its message; none for what only a newer version knows.
    pub(crate) fn message(&self) -> Option<wire::Action> {
        // A bot's author can write any number here. The referee refuses one beyond 32 bits.
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
