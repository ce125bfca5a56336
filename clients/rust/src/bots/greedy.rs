//! The bot `greedy`: looks one turn ahead, and leaves nothing to chance. `clients/python/GREEDY.md` says its rule.
//!
//! Each legal answer has a score. The highest is taken, and of equal ones the first in the documented order.

use super::worth::{Worth, price_at};
use crate::answers::LARGEST_PURCHASE;
use crate::bot::{Answer, Answered, Bot};
use crate::turn::Turn;
use crate::values::{Action, CHAINS, SQUARES, Shares};
use crate::wire::question::Kind as Question;
use crate::wire::{ChooseDisposal, ChooseReply, EffectKind, Power, PurchaseTerms, TileEffect};

/// More than any other score: for the answers that declare the end, negative if that would be wrong.
const ENDING: i64 = 100_000_000;
const STOPPING: i64 = -1_000_000_000;
/// The size assumed for a chain that has just been founded, or may be again.
const FOUNDED_SIZE: i64 = 2;
const GROWTH: i64 = 200;
const GROWTH_SIZE: i64 = 2;
/// Dollars: spending below it counts a quarter more.
const RESERVE: i64 = 3_000;
const RESERVE_PART: i64 = 4;
/// It takes three free shares if three of this price can be had, or when the pile is low.
const FREE_PRICE: i64 = 400;
const FREE_SHARES: i64 = 3;
const LOW_PILE: i64 = 30;

/// Takes the answer with the highest score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Bot for Greedy {
    fn answer(&mut self, turn: &Turn) -> Answered {
        // Of offers, only making none gets a score.
        let scores = turn.answers.listed().map(|actions| scores_of(turn, actions)).unwrap_or_default();
        let first_highest = |best: (u64, i64), each: (u64, i64)| if each.1 > best.1 { each } else { best };
        let best = (0..).zip(scores).reduce(first_highest);
        Ok(Answer::index(best.map_or(0, |(index, _)| index)))
    }
}

/// The score of each legal answer, in their order.
fn scores_of(turn: &Turn, actions: &[Action]) -> Vec<i64> {
    let worth = Worth::new(&turn.view);
    match turn.question() {
        Question::ChooseTile(_) => tile_scores(turn, &worth, actions),
        Question::ChoosePurchase(it) => {
            let is_free = it.terms() == PurchaseTerms::ThreeFree;
            purchase_scores(turn, &worth, actions, is_free)
        }
        Question::ChooseDisposal(it) => disposal_scores(turn, &worth, actions, *it),
        question => actions.iter().map(|action| simple_score(question, &worth, action)).collect(),
    }
}

/// The score of an answer that needs nothing but itself and the view.
fn simple_score(question: &Question, worth: &Worth, action: &Action) -> i64 {
    match (action, question) {
        (Action::NameFounded(chain), _) => founding(worth, *chain, FOUNDED_SIZE),
        (Action::NameSurvivor(chain), Question::ChooseSurvivor(it)) => {
            let size = 1 + it.chains.iter().map(|each| worth.sizes[*each as usize]).sum::<i64>();
            merger(worth, *chain, &it.chains, size)
        }
        (Action::NameAcquired(chain), _) => worth.mine[*chain],
        (Action::Exchange(exchange), _) => i64::from(*exchange),
        (Action::UsePower(power), _) => power_score(worth, *power),
        (Action::TradePair { give, take }, _) => worth.bought(*give, -2) + worth.bought(*take, 1),
        (Action::Reply(true), Question::ChooseReply(it)) => trade_score(worth, it),
        _ => 0,
    }
}

// --- tiles

/// What it is worth to found a chain of this size, with the founder's share.
fn founding(worth: &Worth, chain: usize, size: i64) -> i64 {
    let held = worth.mine[chain] + i64::from(worth.market[chain] > 0);
    worth.lead(chain, price_at(chain, size), held)
}

/// What it is worth that a chain grows to this size.
fn growing(worth: &Worth, chain: usize, size: i64) -> i64 {
    worth.lead(chain, price_at(chain, size), worth.mine[chain]) - worth.lead_now(chain)
}

/// What it is worth that one of these chains takes the others over and has this size then.
fn merger(worth: &Worth, survivor: usize, chains: &[u32], size: i64) -> i64 {
    let others = chains.iter().map(|chain| *chain as usize).filter(|chain| *chain != survivor);
    growing(worth, survivor, size) + others.map(|chain| worth.paid_lead(chain) - worth.lead_now(chain)).sum::<i64>()
}

/// What it is worth to place a tile with this effect; nothing, where only a newer version knows it.
fn effect_score(worth: &Worth, effect: &TileEffect) -> i64 {
    let size = i64::from(effect.size);
    let best = match effect.kind() {
        EffectKind::Lone | EffectKind::Unspecified => None,
        EffectKind::Grows => effect.chains.first().map(|chain| growing(worth, *chain as usize, size)),
        EffectKind::Founds => {
            let free = (0..CHAINS).filter(|chain| worth.sizes[*chain] == 0);
            free.map(|chain| founding(worth, chain, size)).max()
        }
        EffectKind::Merges => {
            let survivors = effect.survivors.iter();
            survivors.map(|survivor| merger(worth, *survivor as usize, &effect.chains, size)).max()
        }
    };
    best.unwrap_or(0)
}

/// What declaring the end counts.
fn ending(turn: &Turn, worth: &Worth) -> i64 {
    if turn.may_declare() && worth.is_ahead(&turn.view) { ENDING } else { -ENDING }
}

fn tile_scores(turn: &Turn, worth: &Worth, actions: &[Action]) -> Vec<i64> {
    let ending = ending(turn, worth);
    let score = |action: &Action| match action {
        Action::Place { square, declare } => {
            let effect = turn.effect(*square).map_or(0, |effect| effect_score(worth, effect));
            effect + if *declare { ending } else { 0 }
        }
        Action::EndPlacing => 0,
        _ => STOPPING,
    };
    actions.iter().map(score).collect()
}

// --- shares

/// What a purchase is judged by.
struct Purchase<'a> {
    worth: &'a Worth,
    is_free: bool,
    /// Whether it is made in the game's last turn.
    is_last: bool,
}

impl Purchase<'_> {
    /// What it is worth to buy this many shares of a chain.
    fn gain(&self, chain: usize, count: i64) -> i64 {
        let worth = self.worth;
        let (price, held) = (worth.prices[chain], worth.mine[chain]);
        let cost = if self.is_free { 0 } else { price };
        if self.is_last {
            return worth.closing(chain, held + count) - worth.closing(chain, held) - cost * count;
        }
        let growth = GROWTH * worth.pile / (GROWTH_SIZE + worth.sizes[chain]);
        worth.bought(chain, count) + (growth - cost) * count
    }

    /// By chain and number of shares.
    fn gains(&self) -> [[i64; LARGEST_PURCHASE as usize + 1]; CHAINS] {
        std::array::from_fn(|chain| std::array::from_fn(|count| self.gain(chain, count as i64)))
    }
}

fn purchase_scores(turn: &Turn, worth: &Worth, actions: &[Action], is_free: bool) -> Vec<i64> {
    let [usual, last] = [false, true].map(|is_last| Purchase { worth, is_free, is_last }.gains());
    let ending = ending(turn, worth);
    let score = |shares: &Shares, declare: bool| {
        let is_last = declare || turn.view.declared;
        let gains = if is_last { &last } else { &usual };
        let gain: i64 = (0..CHAINS).map(|chain| gains[chain][shares[chain] as usize]).sum();
        let cost: i64 = (0..CHAINS).map(|chain| worth.prices[chain] * i64::from(shares[chain])).sum();
        let reserve = if is_last || is_free { 0 } else { (RESERVE - worth.cash + cost).max(0) / RESERVE_PART };
        gain - reserve + if declare { ending } else { 0 }
    };
    let all = actions.iter().map(|action| match action {
        Action::Buy { shares, declare } if shares.iter().all(|count| *count <= LARGEST_PURCHASE) => {
            score(shares, *declare)
        }
        _ => STOPPING,
    });
    all.collect()
}

fn disposal_scores(turn: &Turn, worth: &Worth, actions: &[Action], asked: ChooseDisposal) -> Vec<i64> {
    let (acquired, survivor) = (asked.acquired as usize, asked.survivor as usize);
    let (price, held) = (worth.prices[acquired], worth.mine[acquired]);
    // What the survivor's shares will cost when this merger is over, as far as these two chains go.
    let later = price_at(survivor, worth.sizes[acquired] + worth.sizes[survivor] + 1);
    let owned = worth.mine[survivor];
    let before = worth.own(survivor, later, owned);
    let refounded = price_at(acquired, FOUNDED_SIZE);
    let score = |sell: i64, trade: i64| {
        let kept = held - sell - trade;
        let again =
            if turn.view.declared { 0 } else { worth.own(acquired, refounded, kept) * worth.pile / SQUARES as i64 };
        sell * price + worth.own(survivor, later, owned + trade / 2) - before + again
    };
    let all = actions.iter().map(|action| match action {
        Action::Dispose { sell, trade } => score((*sell).into(), (*trade).into()),
        _ => STOPPING,
    });
    all.collect()
}

// --- powers and trades

fn power_score(worth: &Worth, power: Option<Power>) -> i64 {
    let good = match power {
        None => return 0,
        Some(Power::TakeFive | Power::PlaceFour) => true,
        Some(Power::ThreeFree) => {
            let is_dear = |chain| worth.market[chain] >= FREE_SHARES && worth.prices[chain] >= FREE_PRICE;
            worth.pile < LOW_PILE || (0..CHAINS).any(is_dear)
        }
        Some(Power::BuyFive) => worth.cash >= RESERVE,
        Some(Power::TradeTwo | Power::Unspecified | Power::None) => false,
    };
    if good { 1 } else { -1 }
}

/// What it is worth to accept an offer.
fn trade_score(worth: &Worth, offer: &ChooseReply) -> i64 {
    let count = |side: &[u32], chain: usize| side.get(chain).copied().map_or(0, i64::from);
    let more = |chain| worth.bought(chain, count(&offer.give_shares, chain) - count(&offer.take_shares, chain));
    i64::from(offer.give_cash) - i64::from(offer.take_cash) + (0..CHAINS).map(more).sum::<i64>()
}
