//! What a bot is shown: its match, and a turn, which is one question with all that is needed to answer it.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::answers::Answers;
use crate::bot::Answer;
use crate::deal::Stream;
use crate::deal_check::FalseDeal;
use crate::errors::Unreadable;
use crate::kinds::question_name;
use crate::receipt::Receipt;
use crate::values::{CHAINS, Shares, chain, index, square};
use crate::view::View;
use crate::wire::{self, Event, Rules, TileEffect, question::Kind as Question};

const CHANCE_LABEL: &[u8] = b"mergemaker bot chance 1";
const CHANCE_STREAM: &str = "bot";

/// The time that a seat has. None stands for no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// `fast`, `standard`, `slow`, `none`, or a name of the operator's.
    pub name: String,
    /// Free for each decision.
    pub allowance_ms: Option<u64>,
    /// For the whole match, once the allowance is used up.
    pub bank_ms: Option<u64>,
    /// Goes into the bank with each answer.
    pub increment_ms: u64,
}

/// What a bot knows of its match before the first tile.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchInfo {
    /// The match's id.
    pub id: String,
    /// What is played, in full.
    pub rules: Rules,
    /// How many play.
    pub seats: usize,
    /// The bot's own seat.
    pub seat: usize,
    /// The names of the bots, by seat.
    pub bots: Vec<String>,
    /// For this seat alone: where the chances of a repeatable bot come from.
    pub nonce: [u8; 32],
    /// How time is measured.
    pub clock: Clock,
}

impl MatchInfo {
    pub(crate) fn read(
        id: &str,
        offered: &wire::MatchOffered,
        started: &wire::MatchStarted,
    ) -> Result<Self, Unreadable> {
        let rules = offered.rules.clone().unwrap_or_default();
        if rules.chain_names.len() != CHAINS {
            let text = format!("rules.chain_names are {CHAINS}, not {}", rules.chain_names.len());
            return Err(Unreadable(text));
        }
        if let Some(knob) = rules.newer_knobs.first() {
            let text =
                format!("the rules have the knob {knob:?}, which this library does not know: a newer one may know it");
            return Err(Unreadable(text));
        }
        let nonce = started.nonce.as_slice().try_into();
        let clock = offered.clock.clone().unwrap_or_default();
        let seats = offered.seats as usize;
        Ok(Self {
            id: id.to_owned(),
            rules,
            seats,
            seat: index(offered.seat, seats, "match_offered.seat")?,
            bots: started.bots.iter().map(|bot| bot.name.clone()).collect(),
            nonce: nonce.map_err(|_| Unreadable(format!("a nonce has 32 bytes, not {}", started.nonce.len())))?,
            clock: Clock {
                name: if clock.name.is_empty() { "none".into() } else { clock.name },
                allowance_ms: clock.allowance_ms,
                bank_ms: clock.bank_ms,
                increment_ms: clock.increment_ms,
            },
        })
    }
}

/// Whether the deal was the one that the referee had promised before the first tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DealFinding {
    /// Promise, seed, and every tile that the seat saw agree.
    Proven,
    /// What this process saw agrees, but it did not see all, as after a restart of the bot.
    InPart,
    /// Nothing was promised, as where a deal is dealt again; the tiles agree with the seed that was revealed.
    NotPromised,
    /// The referee reveals the seed later, or not to bots.
    NotReleased,
    /// They do not agree.
    False(FalseDeal),
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// The match's id.
    pub id: String,
    /// The bot's own seat.
    pub seat: usize,
    /// `declared` or `stuck` as in the rules, or why it was given up.
    pub why: String,
    /// By seat; empty if it was voided.
    pub standings: Vec<wire::Standing>,
    /// Whether the deal was the one promised.
    pub deal: DealFinding,
    /// What to keep, to compare the match's record with; none if the referee sent none.
    pub receipt: Option<Receipt>,
}

/// One question to a bot: what is asked, what may be answered, and what the seat knows.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The match.
    pub info: Arc<MatchInfo>,
    /// The decision's id: counts the questions to this seat.
    pub id: u64,
    /// All that the seat may know, and what is asked.
    pub view: View,
    /// Every legal answer.
    pub answers: Answers,
    /// The index of what the referee takes when no answer comes.
    pub default_index: u64,
    /// What each tile would do that may be placed; empty when something else is asked. A kind that only a newer version
    /// knows reads as unspecified.
    pub effects: Vec<TileEffect>,
    /// Events since the bot was last asked.
    pub events: Vec<Event>,
    /// For this answer, bank included; none without a limit.
    pub time_left_ms: Option<u64>,
    /// What of it is the bank's.
    pub bank_ms: Option<u64>,
}

impl Turn {
    /// Reads a question; `waited_ms` have gone by since it came.
    pub(crate) fn read(
        info: &Arc<MatchInfo>,
        decision: &wire::Decision,
        events: Vec<Event>,
        waited_ms: u64,
    ) -> Result<Self, Unreadable> {
        let message = decision.view.as_ref().ok_or_else(|| Unreadable("decision.view is not set".into()))?;
        let view = View::read(message)?;
        let answers = decision.answers.as_ref().ok_or_else(|| Unreadable("decision.answers is not set".into()))?;
        let answers = Answers::read(answers)?;
        if decision.default_index >= answers.count() {
            let text = format!("default_index is below {}, not {}", answers.count(), decision.default_index);
            return Err(Unreadable(text));
        }
        for effect in &decision.effects {
            square(effect.square, "effect.square")?;
            for number in effect.chains.iter().chain(&effect.survivors) {
                chain(*number, "a chain of an effect")?;
            }
        }
        Ok(Self {
            info: Arc::clone(info),
            id: decision.id,
            view,
            answers,
            default_index: decision.default_index,
            effects: decision.effects.clone(),
            events,
            time_left_ms: decision.time_left_ms.map(|left| left.saturating_sub(waited_ms)),
            bank_ms: decision.bank_ms,
        })
    }

    /// What is asked.
    pub fn question(&self) -> &Question {
        &self.view.question
    }

    /// What the referee takes when no answer comes.
    pub fn default(&self) -> Answer {
        Answer::index(self.default_index)
    }

    /// The names of the chains, by number.
    pub fn names(&self) -> &[String] {
        &self.info.rules.chain_names
    }

    /// The number of the chain with this name.
    pub fn chain(&self, name: &str) -> Option<usize> {
        self.names().iter().position(|each| each == name)
    }

    /// The bot's own cash.
    pub fn cash(&self) -> u32 {
        self.view.cash
    }

    /// The bot's own shares, by chain.
    pub fn mine(&self) -> &Shares {
        &self.view.mine
    }

    /// What placing a tile would do.
    pub fn effect(&self, square: usize) -> Option<&TileEffect> {
        self.effects.iter().find(|effect| effect.square as usize == square)
    }

    /// Whether this answer may declare the end (END-1, END-2).
    pub fn may_declare(&self) -> bool {
        let is_moment = matches!(self.question(), Question::ChooseTile(_) | Question::ChoosePurchase(_));
        is_moment && self.view.end_allowed && !self.view.declared
    }

    /// Chances that repeat: they depend on nonce, last event seen and kind of question alone (RANDOM.md).
    pub fn chance(&self) -> Stream {
        let seed = chance_seed(&self.info.nonce, self.view.last_event, question_name(self.question()));
        Stream::new(seed, CHANCE_STREAM)
    }
}

/// The seed of a decision's chances.
pub(crate) fn chance_seed(nonce: &[u8; 32], last_event: u64, kind: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(CHANCE_LABEL);
    hash.update(nonce);
    hash.update(last_event.to_be_bytes());
    hash.update(kind.as_bytes());
    hash.finalize().into()
}
