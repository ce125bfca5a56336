//! All legal answers to a question, listed from their bounds in the documented order.

use crate::errors::Unreadable;
use crate::values::{Action, CHAINS, SHARES_PER_CHAIN, Shares, by_chain, counts};
use crate::wire::{self, legal_answers::Kind};

/// The largest purchase that any rules allow, in shares.
pub(crate) const LARGEST_PURCHASE: u32 = 5;
/// Purchases of up to this many shares come before the larger ones.
const SHORT_PURCHASE: u32 = 3;
/// An offer has a number for each chain, and one for cash.
const OFFER_NUMBERS: usize = CHAINS + 1;
const PARTNERS_MAX: usize = 5;
const CASH_STEPS_MAX: u32 = 1_000;
const CASH_STEP_MAX: u32 = 100_000;

/// Every legal answer, in the order of their indices.
///
/// There are millions of offers, computed on request: index them, but do not go through all.
#[derive(Clone, Debug)]
pub struct Answers {
    kind: Listing,
}

#[derive(Clone, Debug)]
enum Listing {
    All(Vec<Action>),
    Offers(Box<OfferTable>),
}

impl Answers {
    pub(crate) fn read(message: &wire::LegalAnswers) -> Result<Self, Unreadable> {
        let kind = match &message.kind {
            Some(Kind::Listed(listed)) => {
                Listing::All(listed.actions.iter().map(Action::read).collect::<Result<_, _>>()?)
            }
            Some(Kind::Purchase(bounds)) => Listing::All(purchases(bounds)?),
            Some(Kind::Disposal(bounds)) => Listing::All(disposals(bounds)?),
            Some(Kind::Offer(bounds)) => Listing::Offers(Box::new(OfferTable::read(bounds)?)),
            None => return Err(Unreadable("answers are of a kind that only a newer version knows".into())),
        };
        let answers = Self { kind };
        if answers.count() == 0 || answers.count() != message.count {
            let text = format!("answers.count is {}, and {} can be listed", message.count, answers.count());
            return Err(Unreadable(text));
        }
        Ok(answers)
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        match &self.kind {
            Listing::All(actions) => actions.len() as u64,
            Listing::Offers(table) => table.count,
        }
    }

    /// The answer at an index.
    pub fn get(&self, index: u64) -> Option<Action> {
        match &self.kind {
            Listing::All(actions) => actions.get(usize::try_from(index).ok()?).cloned(),
            Listing::Offers(table) => table.get(index),
        }
    }

    /// All answers in their order. Of offers only the first should be taken.
    pub fn iter(&self) -> impl Iterator<Item = Action> + '_ {
        (0..self.count()).filter_map(|index| self.get(index))
    }

    /// All answers as a list; none for offers, which are too many.
    pub fn listed(&self) -> Option<&[Action]> {
        match &self.kind {
            Listing::All(actions) => Some(actions),
            Listing::Offers(_) => None,
        }
    }
}

/// What is still to choose of a purchase.
struct Purchases<'a> {
    bounds: &'a wire::PurchaseBounds,
    prices: Shares,
    market: Shares,
    found: Vec<Shares>,
}

impl Purchases<'_> {
    /// Adds all purchases of this many more shares, of this chain and later ones.
    fn list(&mut self, chosen: &mut Shares, from: usize, more: u32, cost: u32) {
        if more == 0 {
            self.found.push(*chosen);
            return;
        }
        for chain in from..CHAINS {
            let cost = cost.saturating_add(self.prices[chain]);
            if chosen[chain] < self.market[chain] && self.bounds.cash.is_none_or(|cash| cost <= cash) {
                chosen[chain] += 1;
                self.list(chosen, chain, more - 1, cost);
                chosen[chain] -= 1;
            }
        }
    }
}

fn purchases(bounds: &wire::PurchaseBounds) -> Result<Vec<Action>, Unreadable> {
    if bounds.count_max > LARGEST_PURCHASE {
        let text = format!("purchase.count_max is at most {LARGEST_PURCHASE}, not {}", bounds.count_max);
        return Err(Unreadable(text));
    }
    let prices = by_chain(&bounds.prices, "purchase.prices")?;
    let market = counts(&bounds.market, "purchase.market")?;
    let mut listing = Purchases { bounds, prices, market, found: Vec::new() };
    let mut answers = Vec::new();
    for (least, most) in [(0, SHORT_PURCHASE), (SHORT_PURCHASE + 1, LARGEST_PURCHASE)] {
        listing.found.clear();
        for count in bounds.count_min.max(least)..=bounds.count_max.min(most) {
            listing.list(&mut [0; CHAINS], 0, count, 0);
        }
        for declare in [false, true] {
            if !declare || bounds.declare {
                answers.extend(listing.found.iter().map(|shares| Action::Buy { shares: *shares, declare }));
            }
        }
    }
    Ok(answers)
}

fn disposals(bounds: &wire::DisposalBounds) -> Result<Vec<Action>, Unreadable> {
    for (what, count) in [("held", bounds.held), ("pairs_max", bounds.pairs_max)] {
        if count > SHARES_PER_CHAIN {
            return Err(Unreadable(format!("disposal.{what} is at most {SHARES_PER_CHAIN}, not {count}")));
        }
    }
    let (held, most) = (bounds.held, 2 * bounds.pairs_max);
    let trades = |sell| (0..=most.min(held - sell)).step_by(2).map(move |trade| Action::Dispose { sell, trade });
    Ok((0..=held).flat_map(trades).collect())
}

/// Computes the offer at an index: there are far too many to list them.
#[derive(Clone, Debug)]
struct OfferTable {
    partners: Vec<usize>,
    /// By number: how much can be given.
    most: [u64; OFFER_NUMBERS],
    cash_step: u32,
    /// How many ways there are to choose the numbers from a place on, by whether something is given, and asked, before.
    ways: [[[u64; 2]; 2]; OFFER_NUMBERS + 1],
    count: u64,
}

impl OfferTable {
    fn read(bounds: &wire::OfferBounds) -> Result<Self, Unreadable> {
        let steps = bounds.cash_steps.max(bounds.asked_cash_steps_max);
        if bounds.partners.len() > PARTNERS_MAX || steps > CASH_STEPS_MAX || bounds.cash_step > CASH_STEP_MAX {
            return Err(Unreadable("offer: more partners or cash than any rules allow".into()));
        }
        if bounds.asked_shares_max > SHARES_PER_CHAIN {
            return Err(Unreadable(format!("offer.asked_shares_max is at most {SHARES_PER_CHAIN}")));
        }
        let held = counts(&bounds.held, "offer.held")?;
        let mut most = [u64::from(bounds.cash_steps); OFFER_NUMBERS];
        let mut asked = [u64::from(bounds.asked_cash_steps_max); OFFER_NUMBERS];
        for chain in 0..CHAINS {
            most[chain] = held[chain].into();
            asked[chain] = bounds.asked_shares_max.into();
        }
        // With these bounds the largest number is below 1,001 + 1,000, seven times 51: about 2^47.
        let mut ways = [[[0; 2]; 2]; OFFER_NUMBERS + 1];
        ways[OFFER_NUMBERS][1][1] = 1;
        for place in (0..OFFER_NUMBERS).rev() {
            let next = ways[place + 1];
            for (given, wanted) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                ways[place][given][wanted] =
                    next[given][wanted] + most[place] * next[1][wanted] + asked[place] * next[given][1];
            }
        }
        let partners: Vec<usize> = bounds.partners.iter().map(|partner| *partner as usize).collect();
        let count = 1 + partners.len() as u64 * ways[0][0][0];
        Ok(Self { partners, most, cash_step: bounds.cash_step, ways, count })
    }

    fn get(&self, index: u64) -> Option<Action> {
        let Some(place) = index.checked_sub(1) else {
            return Some(Action::NoOffer);
        };
        if index >= self.count {
            return None;
        }
        let each = self.ways[0][0][0];
        let partner = self.partners[usize::try_from(place / each).ok()?];
        let (give, take) = self.numbers(place % each);
        let shares = |side: &[u32; OFFER_NUMBERS]| std::array::from_fn(|chain| side[chain]);
        Some(Action::OfferTrade {
            partner,
            give_shares: shares(&give),
            give_cash: give[CHAINS] * self.cash_step,
            take_shares: shares(&take),
            take_cash: take[CHAINS] * self.cash_step,
        })
    }

    /// The numbers of the offer that has this many before it, given and asked.
    fn numbers(&self, mut rest: u64) -> ([u32; OFFER_NUMBERS], [u32; OFFER_NUMBERS]) {
        let (mut give, mut take) = ([0; OFFER_NUMBERS], [0; OFFER_NUMBERS]);
        let (mut given, mut wanted) = (0, 0);
        for place in 0..OFFER_NUMBERS {
            let next = &self.ways[place + 1];
            if rest < next[given][wanted] {
                continue;
            }
            rest -= next[given][wanted];
            let step = next[1][wanted];
            if rest < self.most[place] * step {
                give[place] = (1 + rest / step) as u32;
                rest %= step;
                given = 1;
                continue;
            }
            rest -= self.most[place] * step;
            let step = next[given][1];
            take[place] = (1 + rest / step) as u32;
            rest %= step;
            wanted = 1;
        }
        (give, take)
    }
}
