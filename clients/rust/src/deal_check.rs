//! Whether a deal was the one that the referee promised, as far as one seat can tell.
//!
//! Before the first tile the referee shows a commitment; at the end it tells what the commitment was made of.
//! [`check_deal`] computes the commitment and the deal again, and goes through all tiles that the seat saw, its own and
//! everybody's: each has to come off the pile where the deal has it (RECORDS.md, 'The promise'; DEAL.md).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::deal::{Deal, Hash, commitment, joint_seed, seat_commitment};
use crate::turn::DealFinding;
use crate::values::square_name;
use crate::wire::{DealMode, DealProof, Event, MatchOffered, event::Kind};

/// The deal was not the one that the referee had promised, or it withheld what would show that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalseDeal {
    /// For programs; the Python client's README lists them.
    pub reason: &'static str,
    /// For people.
    pub text: String,
}

impl fmt::Display for FalseDeal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}): {}", self.reason, self.text)
    }
}

impl std::error::Error for FalseDeal {}

fn false_deal<T>(reason: &'static str, text: impl Into<String>) -> Result<T, FalseDeal> {
    Err(FalseDeal { reason, text: text.into() })
}

/// The promises for a match's deal, by the referee and, in joint mode, by all seats.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The match's id.
    pub id: String,
    /// The first offer: later ones change no promise.
    pub offered: MatchOffered,
    /// In joint mode: this seat's part of the seed.
    pub part: Option<Hash>,
    /// In joint mode: the promises of all seats; none if this process did not get it.
    pub seats: Option<Vec<Vec<u8>>>,
    /// Whether this process has revealed the seat's part.
    pub is_revealed: bool,
    /// Whether the referee refused this seat's promise or part.
    pub is_refused: bool,
    /// Whether another promise was shown later.
    pub is_changed: bool,
}

impl Promise {
    /// What a match's first offer promises.
    pub fn new(id: &str, offered: MatchOffered) -> Self {
        let id = id.to_owned();
        Self { id, offered, part: None, seats: None, is_revealed: false, is_refused: false, is_changed: false }
    }

    /// Whether the seats contribute to the seed.
    pub fn is_joint(&self) -> bool {
        self.offered.deal_mode() == DealMode::Joint
    }

    /// What the referee promised; none where that is no promise.
    pub fn commitment(&self) -> Option<Hash> {
        self.offered.commitment.as_slice().try_into().ok()
    }

    /// Takes a later offer of the same match, as after a break.
    pub fn shown_again(&mut self, offered: &MatchOffered) {
        let before = &self.offered;
        self.is_changed |= offered.commitment != before.commitment
            || offered.promise_match != before.promise_match
            || offered.deal_mode != before.deal_mode;
    }

    /// In joint mode: this seat's promise.
    pub fn own_commitment(&self) -> Option<Hash> {
        Some(seat_commitment(&self.commitment()?, u8::try_from(self.offered.seat).ok()?, &self.part?))
    }
}

/// What a seat saw of the tiles, in order.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    events: Vec<Kind>,
    last: u64,
    has_strange: bool,
}

impl Witness {
    /// Takes events in order.
    pub fn saw(&mut self, events: &[Event]) -> Result<(), FalseDeal> {
        for event in events {
            if event.number != self.last + 1 {
                let (due, last, number) = (self.last + 1, self.last, event.number);
                let text = format!("event {due} never came: the one after {last} was {number}");
                return false_deal("events-missing", text);
            }
            self.last = event.number;
            match &event.kind {
                Some(kind) => self.events.push(kind.clone()),
                None => self.has_strange = true,
            }
        }
        Ok(())
    }
}

/// How far the deal was the one promised; what does not agree is an error.
///
/// Without a proof there is nothing to check yet; without a witness no tile was dealt.
pub fn check_deal(
    promise: &Promise,
    proof: Option<&DealProof>,
    witness: Option<&Witness>,
) -> Result<DealFinding, FalseDeal> {
    let is_promised = matches!(promise.offered.deal_mode(), DealMode::Server | DealMode::Joint);
    let promised = promise.commitment();
    if is_promised && promised.is_none() {
        let length = promise.offered.commitment.len();
        return false_deal("no-promise", format!("a commitment of 32 bytes was to come first, not one of {length}"));
    }
    if promise.is_changed {
        return false_deal("promise-changed", "the referee showed one promise first, and another one later");
    }
    let Some(proof) = proof else {
        return Ok(DealFinding::NotReleased);
    };
    let seed = has_32("the seed", &proof.seed)?;
    if is_promised {
        check_commitment(promise, proof)?;
    }
    let is_known = check_seed(promise, proof, &seed, witness.is_some())?;
    match witness {
        Some(witness) if !witness.has_strange => check_tiles(&Deal::from_seed(seed), &witness.events)?,
        _ => return Ok(DealFinding::InPart),
    }
    Ok(match (is_known, is_promised) {
        (false, _) => DealFinding::InPart,
        (true, true) => DealFinding::Proven,
        (true, false) => DealFinding::NotPromised,
    })
}

fn has_32(what: &str, bytes: &[u8]) -> Result<Hash, FalseDeal> {
    bytes.try_into().or_else(|_| false_deal("unreadable-proof", format!("{what} has 32 bytes, not {}", bytes.len())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The referee's own part is the one it promised.
fn check_commitment(promise: &Promise, proof: &DealProof) -> Result<(), FalseDeal> {
    let server_seed = has_32("the referee's part of the seed", &proof.server_seed)?;
    let nonce = has_32("the nonce", &proof.nonce)?;
    let named = &promise.offered.promise_match;
    let Some(made) = commitment(if named.is_empty() { &promise.id } else { named }, &nonce, &server_seed) else {
        return false_deal("unreadable-proof", "the promise cannot be computed again: its match's id is too long");
    };
    if made.as_slice() != promise.offered.commitment {
        let (before, now) = (hex(&promise.offered.commitment), hex(&made));
        let text = format!("before the first tile the referee promised {before}; what it tells now makes {now}");
        return false_deal("promise-broken", text);
    }
    Ok(())
}

/// The deal's seed follows from the parts; tells whether all of them could be compared with what was promised.
fn check_seed(promise: &Promise, proof: &DealProof, seed: &Hash, was_dealt: bool) -> Result<bool, FalseDeal> {
    let offered = &promise.offered;
    if !promise.is_joint() {
        if offered.deal_mode() == DealMode::Server && proof.seed != proof.server_seed {
            return false_deal("seed-differs", "the deal's seed is not the one that the referee promised");
        }
        return Ok(true);
    }
    if !was_dealt && proof.parts.is_empty() {
        return Ok(false); // the match was over before the parts were revealed
    }
    if proof.parts.len() != offered.seats as usize {
        let text = format!("there is a part for each of {} seats, not {} of them", offered.seats, proof.parts.len());
        return false_deal("unreadable-proof", text);
    }
    let mut parts = Vec::new();
    for (seat, part) in proof.parts.iter().enumerate() {
        parts.push(if part.is_empty() { None } else { Some(has_32(&format!("the part of seat {seat}"), part)?) });
    }
    let server_seed = has_32("the referee's part of the seed", &proof.server_seed)?;
    if *seed != joint_seed(&server_seed, &parts) {
        let text = "the deal's seed does not follow from the referee's part and those of the seats";
        return false_deal("seed-differs", text);
    }
    let Some(promised) = &promise.seats else {
        return Ok(false);
    };
    check_parts(promise, promised, &parts)?;
    Ok(!promise.is_refused)
}

/// Each seat's part is the one it promised, and this seat's is the one it sent.
fn check_parts(promise: &Promise, promised: &[Vec<u8>], parts: &[Option<Hash>]) -> Result<(), FalseDeal> {
    let (Some(before), offered) = (promise.commitment(), &promise.offered) else {
        return false_deal("no-promise", "there is no commitment of 32 bytes");
    };
    if promised.len() != parts.len() {
        let text = format!("there is a promise for each of {} seats, not {} of them", parts.len(), promised.len());
        return false_deal("unreadable-proof", text);
    }
    for (seat, (said, part)) in (0_u8..).zip(promised.iter().zip(parts)) {
        if part.is_some_and(|part| seat_commitment(&before, seat, &part).as_slice() != said) {
            return false_deal("part-differs", format!("the part of seat {seat} is not the one that it promised"));
        }
    }
    if promise.is_refused || !promise.is_revealed {
        return Ok(());
    }
    let own = offered.seat as usize;
    if promised.get(own).map(Vec::as_slice) != promise.own_commitment().as_ref().map(Hash::as_slice) {
        return false_deal("own-promise-differs", "the referee showed another promise in this seat's name");
    }
    if parts.get(own).copied().flatten() != promise.part {
        let text = "the referee left out the part of the seed that this seat revealed";
        return false_deal("own-part-differs", text);
    }
    Ok(())
}

fn check_tiles(deal: &Deal, events: &[Kind]) -> Result<(), FalseDeal> {
    let mut pile = Pile { deal, drawn: 0, market_draws: 0, hands: BTreeMap::new(), last: Vec::new() };
    events.iter().try_for_each(|event| pile.check(event))
}

/// A pile that is drawn from as announced. Everybody knows who draws how many, so every hand can be derived.
struct Pile<'a> {
    deal: &'a Deal,
    drawn: usize,
    market_draws: u64,
    hands: BTreeMap<u32, BTreeSet<usize>>,
    /// The tiles drawn last.
    last: Vec<usize>,
}

impl Pile<'_> {
    /// Compares an announcement with the deal.
    fn check(&mut self, event: &Kind) -> Result<(), FalseDeal> {
        match event {
            Kind::StartTilePlaced(it) => {
                let taken = self.taken(1);
                is(&format!("the start tile of seat {}", it.seat), &[it.square], taken)
            }
            Kind::TilesDrawn(it) => {
                let count = it.count as usize;
                self.last = self.taken(count);
                if self.last.len() != count {
                    let (seat, left) = (it.seat, self.last.len());
                    return false_deal("tiles-differ", format!("seat {seat} drew {count} tiles, and {left} were left"));
                }
                self.hands.entry(it.seat).or_default().extend(&self.last);
                Ok(())
            }
            Kind::TilesReceived(it) => is("what this seat drew", &it.squares, self.last.clone()),
            Kind::TilePlaced(it) => self.leaves(it.seat, &[it.square], "placed"),
            Kind::TilesSetAside(it) => self.leaves(it.seat, &it.squares, "set aside"),
            Kind::HandShown(it) => {
                let hand = self.hands.get(&it.seat).into_iter().flatten().copied().collect();
                is(&format!("the hand of seat {}", it.seat), &it.squares, hand)
            }
            Kind::MarketDrew(it) => self.check_market(it.square),
            _ => Ok(()),
        }
    }

    fn taken(&mut self, count: usize) -> Vec<usize> {
        let order = self.deal.order();
        let end = self.drawn.saturating_add(count).min(order.len());
        let taken = order[self.drawn..end].to_vec();
        self.drawn = end;
        taken
    }

    fn leaves(&mut self, seat: u32, squares: &[u32], how: &str) -> Result<(), FalseDeal> {
        let hand = self.hands.entry(seat).or_default();
        let had = names(hand.iter().copied());
        for square in squares.iter().map(|square| *square as usize) {
            if !hand.remove(&square) {
                let text = format!("seat {seat} {how} {}; by the deal it had {had}", names([square]));
                return false_deal("tiles-differ", text);
            }
        }
        Ok(())
    }

    fn check_market(&mut self, square: Option<u32>) -> Result<(), FalseDeal> {
        let left = self.deal.order().len() - self.drawn;
        let mut expected = Vec::new();
        if left > 0 {
            let place = self.drawn + self.deal.market_index(self.market_draws, left);
            expected.push(self.deal.order()[place]);
            self.market_draws += 1;
        }
        is("the tile drawn for the market", square.as_slice(), expected)
    }
}

fn is(what: &str, seen: &[u32], mut expected: Vec<usize>) -> Result<(), FalseDeal> {
    let mut seen: Vec<usize> = seen.iter().map(|square| *square as usize).collect();
    seen.sort_unstable();
    expected.sort_unstable();
    if seen != expected {
        let text = format!("{what} was {}; by the deal it is {}", names(seen), names(expected));
        return false_deal("tiles-differ", text);
    }
    Ok(())
}

fn names(squares: impl IntoIterator<Item = usize>) -> String {
    let named: Vec<_> = squares.into_iter().map(square_name).collect();
    if named.is_empty() { "nothing".into() } else { named.join(" ") }
}

#[cfg(test)]
#[path = "deal_check_tests.rs"]
mod tests;
