//! What a view's stock is worth to its seat: the numbers that `clients/python/GREEDY.md` defines.
//!
//! All are whole numbers of 64 bits; no dividend is negative.

use crate::values::{CHAINS, SHARES_PER_CHAIN, Shares};
use crate::view::View;

type Numbers = [i64; CHAINS];

/// What the first and the second bonus are worth together, in shares.
const BONUS_SHARES: i64 = 15;
/// Shares, squared, that nobody has yet and that may still end a lead.
const DOUBT: i64 = 16;
/// Sizes from which on a share costs $100 more.
const ROWS: [i64; 8] = [3, 4, 5, 6, 11, 21, 31, 41];
/// By chain: how many hundreds of dollars it costs more than a cheap one.
const TIERS: Numbers = [0, 0, 1, 1, 1, 2, 2];

/// What a holding would be paid if bonuses were paid now, against the two largest of the others.
fn bonus_now(price: i64, held: i64, (first, second): (i64, i64)) -> i64 {
    if held == 0 || held < second {
        0
    } else if first == 0 {
        15 * price
    } else if held > first {
        10 * price
    } else if held == first {
        if held == second { 5 * price } else { 15 * price / 2 }
    } else if held == second {
        5 * price / 2
    } else {
        5 * price
    }
}

fn squares(held: i64, (first, second): (i64, i64)) -> i64 {
    held * held + first * first + second * second + DOUBT
}

/// The mean of what a holding would be paid now and of its part by the squares of the holdings.
fn hoped(price: i64, held: i64, tops: (i64, i64)) -> i64 {
    (BONUS_SHARES * price * held * held / squares(held, tops) + bonus_now(price, held, tops)) / 2
}

/// The same for all others together.
fn rivals_hope(price: i64, held: i64, tops: (i64, i64)) -> i64 {
    let others = tops.0 * tops.0 + tops.1 * tops.1;
    let paid = if held > 0 || tops.0 > 0 { BONUS_SHARES * price } else { 0 };
    (BONUS_SHARES * price * others / squares(held, tops) + paid - bonus_now(price, held, tops)) / 2
}

/// What a share of a chain costs at a size.
pub(super) fn price_at(chain: usize, size: i64) -> i64 {
    let row = ROWS.iter().filter(|least| **least <= size).count() as i64;
    if size < 2 { 0 } else { 100 * (2 + row + TIERS[chain]) }
}

/// A view in the terms of the rule.
pub(super) struct Worth {
    pub(super) cash: i64,
    pub(super) mine: Numbers,
    pub(super) prices: Numbers,
    pub(super) sizes: Numbers,
    pub(super) market: Numbers,
    pub(super) pile: i64,
    rivals: i64,
    /// By chain: the shares of all others together.
    rest: Numbers,
    /// By chain: the two largest holdings of one other seat each.
    tops: [(i64, i64); CHAINS],
}

impl Worth {
    pub(super) fn new(view: &View) -> Self {
        let (mine, market) = (signed(&view.mine), signed(&view.market));
        let rest: Numbers = std::array::from_fn(|c| i64::from(SHARES_PER_CHAIN) - market[c] - mine[c]);
        let rivals = view.seats as i64 - 1;
        let tops = match holdings(view) {
            Some(all) => shown_tops(&all, view.seat),
            None => rest.map(|rest| guessed_top(rest, rivals)),
        };
        let (prices, sizes, pile) = (signed(&view.prices), signed(&view.sizes), view.pile.into());
        Self { cash: view.cash.into(), mine, prices, sizes, market, pile, rivals, rest, tops }
    }

    /// What this many shares of a chain are worth to this seat at a price.
    pub(super) fn own(&self, chain: usize, price: i64, held: i64) -> i64 {
        price * held + hoped(price, held, self.tops[chain])
    }

    /// How much more the seat's shares of a chain are worth with this many more; fewer, if it is negative.
    pub(super) fn bought(&self, chain: usize, count: i64) -> i64 {
        let (price, held) = (self.prices[chain], self.mine[chain]);
        self.own(chain, price, held + count) - self.own(chain, price, held)
    }

    /// What they are worth times the number of rivals, less what the shares of all rivals are worth to them.
    pub(super) fn lead(&self, chain: usize, price: i64, held: i64) -> i64 {
        let against = price * self.rest[chain] + rivals_hope(price, held, self.tops[chain]);
        self.rivals * self.own(chain, price, held) - against
    }

    /// The same for what is held at today's price.
    pub(super) fn lead_now(&self, chain: usize) -> i64 {
        self.lead(chain, self.prices[chain], self.mine[chain])
    }

    /// The same if the bonuses are paid and all shares are sold now.
    pub(super) fn paid_lead(&self, chain: usize) -> i64 {
        let (price, held, rest) = (self.prices[chain], self.mine[chain], self.rest[chain]);
        let bonus = bonus_now(price, held, self.tops[chain]);
        let paid = if held + rest > 0 { BONUS_SHARES * price } else { 0 };
        self.rivals * (price * held + bonus) - (price * rest + paid - bonus)
    }

    /// What this many shares of a chain would bring if the game ended now.
    pub(super) fn closing(&self, chain: usize, held: i64) -> i64 {
        let price = self.prices[chain];
        price * held + bonus_now(price, held, self.tops[chain])
    }

    /// Whether nobody would have more money than this seat if the game ended now, as far as the view tells.
    pub(super) fn is_ahead(&self, view: &View) -> bool {
        let cash: Option<Vec<i64>> = view.players.iter().map(|player| player.cash.map(i64::from)).collect();
        let (Some(all), Some(cash)) = (holdings(view), cash) else {
            return self.seems_ahead(view.seats as i64);
        };
        let total = |seat: usize| {
            let tops = shown_tops(&all, seat);
            let stock = |c: usize| self.prices[c] * all[seat][c] + bonus_now(self.prices[c], all[seat][c], tops[c]);
            cash[seat] + (0..CHAINS).map(stock).sum::<i64>()
        };
        let own = total(view.seat);
        (0..view.seats).all(|seat| total(seat) <= own)
    }

    /// If holdings are hidden: whether the seat's stock would bring a fifth more than an equal part of all.
    fn seems_ahead(&self, seats: i64) -> bool {
        let (mut mine, mut everything) = (0, 0);
        for chain in 0..CHAINS {
            let out = self.mine[chain] + self.rest[chain];
            mine += self.closing(chain, self.mine[chain]);
            if out > 0 {
                everything += self.prices[chain] * (out + BONUS_SHARES);
            }
        }
        5 * seats * mine >= 6 * everything
    }
}

fn signed(numbers: &Shares) -> Numbers {
    numbers.map(i64::from)
}

/// By seat: its shares; none if any are hidden.
fn holdings(view: &View) -> Option<Vec<Numbers>> {
    view.players.iter().map(|player| player.shares.as_ref().map(signed)).collect()
}

/// By chain: the two largest holdings of other seats than this one.
fn shown_tops(all: &[Numbers], seat: usize) -> [(i64, i64); CHAINS] {
    std::array::from_fn(|chain| {
        let others = all.iter().enumerate().filter(|(other, _)| *other != seat);
        others.fold((0, 0), |(first, second), (_, held)| {
            let held = held[chain];
            if held > first { (held, first) } else { (first, second.max(held)) }
        })
    })
}

/// The same where holdings are hidden: two thirds of what the others have, rounded up, and the rest.
fn guessed_top(rest: i64, rivals: i64) -> (i64, i64) {
    if rivals == 1 {
        return (rest, 0);
    }
    let first = (2 * rest + 2) / 3;
    (first, rest - first)
}
