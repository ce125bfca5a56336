//! A bot: one method for each kind of question, each with a default.

use std::error::Error;

use crate::deal_check::FalseDeal;
use crate::turn::{MatchInfo, MatchResult, Turn};
use crate::values::Action;
use crate::wire::{Event, question::Kind as Question};

/// How long a note may be, in bytes of UTF-8.
pub const NOTE_BYTES_MAX: usize = 1_024;

/// Whatever went wrong in a bot. It is reported, and the default is answered.
pub type BotError = Box<dyn Error + Send + Sync>;
/// What a bot's methods return.
pub type Answered = Result<Answer, BotError>;

/// An answer: an action, or the index of one in `turn.answers`; either may have a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub(crate) choice: Choice,
    pub(crate) note: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Action(Action),
    Index(u64),
}

impl Answer {
    /// The legal answer at this index.
    pub fn index(index: u64) -> Self {
        Self { choice: Choice::Index(index), note: String::new() }
    }

    /// An action. Whether it is legal is for the referee to say.
    pub fn action(action: Action) -> Self {
        Self { choice: Choice::Action(action), note: String::new() }
    }

    /// The same with a note, which is recorded and shown to nobody before the match is over.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Refuses what cannot be sent.
    pub(crate) fn check(&self, turn: &Turn) -> Result<(), BotError> {
        if self.note.len() > NOTE_BYTES_MAX {
            return Err(format!("a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, not {}", self.note.len()).into());
        }
        match &self.choice {
            Choice::Index(index) if *index >= turn.answers.count() => {
                Err(format!("there is no answer {index}; there are answers 0 to {}", turn.answers.count() - 1).into())
            }
            Choice::Action(Action::Newer) => {
                Err("what only a newer version knows can be answered by its index alone".into())
            }
            _ => Ok(()),
        }
    }
}

impl From<Action> for Answer {
    fn from(action: Action) -> Self {
        Self::action(action)
    }
}

impl From<u64> for Answer {
    fn from(index: u64) -> Self {
        Self::index(index)
    }
}

/// Plays one seat of one match. Every method that is not written takes the referee's default.
///
/// A method that returns an error or panics costs no match: it is reported, and the default is answered at once.
pub trait Bot {
    /// Answers any question: by the method for its kind, unless a bot has its own way.
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

    /// Which tile to place.
    fn choose_tile(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which name to give to the chain just founded.
    fn choose_founded(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which of the equal largest chains survives.
    fn choose_survivor(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which of the equal largest chains is settled next.
    fn choose_acquired(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// How many shares of an acquired chain to sell and to trade; the rest is kept.
    fn choose_disposal(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which shares to buy.
    fn choose_purchase(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Whether to exchange dead tiles.
    fn choose_exchange(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which special power to use, or none.
    fn choose_power(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which two shares to give to the market for one.
    fn choose_pair_trade(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Which trade to offer, or none.
    fn choose_offer(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Whether to accept an offer.
    fn choose_reply(&mut self, turn: &Turn) -> Answered {
        Ok(turn.default())
    }

    /// Is told of the match before its first tile.
    fn on_start(&mut self, _info: &MatchInfo) {}

    /// Is told what happened, as far as its seat may know; always before it is asked again.
    fn on_events(&mut self, _events: &[Event]) {}

    /// Is told that the deal was not the one promised; it is reported and traced in any case. `on_end` follows.
    fn on_false_deal(&mut self, _problem: &FalseDeal) {}

    /// Is told how the match ended.
    fn on_end(&mut self, _result: &MatchResult) {}
}

/// A factory of bots that answer every question with one function.
pub fn bot_from<F>(function: F) -> impl Fn() -> FunctionBot<F> + Send + Sync + 'static
where
    F: FnMut(&Turn) -> Answered + Clone + Send + Sync + 'static,
{
    move || FunctionBot(function.clone())
}

/// A bot that is one function.
#[derive(Clone, Debug)]
pub struct FunctionBot<F>(F);

impl<F: FnMut(&Turn) -> Answered> Bot for FunctionBot<F> {
    fn answer(&mut self, turn: &Turn) -> Answered {
        (self.0)(turn)
    }
}
