//! Every way in which a referee lies about a deal is found out.

use super::*;
use crate::wire;

const SEATS: u32 = 3;
const OWN: u32 = 1;
const SERVER_SEED: Hash = [1; 32];
const NONCE: Hash = [2; 32];
const OTHER: Hash = [7; 32];

/// All that one seat learns about a match.
struct Told {
    promise: Promise,
    proof: Option<DealProof>,
    events: Vec<Event>,
}

impl Told {
    fn kinds(&mut self) -> impl Iterator<Item = &mut Kind> {
        self.events.iter_mut().filter_map(|event| event.kind.as_mut())
    }

    fn proof(&mut self) -> &mut DealProof {
        self.proof.as_mut().expect("there is one")
    }
}

fn part(seat: u32) -> Hash {
    [10 + seat as u8; 32]
}

/// A true account: start tiles, hands, a tile placed, a draw of the market, tiles set aside, a hand shown.
fn honest(mode: DealMode) -> Told {
    let promised = commitment("m-1", &NONCE, &SERVER_SEED).expect("the id is short");
    let is_promised = mode != DealMode::Plain;
    let commitment = if is_promised { promised.to_vec() } else { Vec::new() };
    let offered =
        MatchOffered { seat: OWN, seats: SEATS, deal_mode: mode.into(), commitment, ..MatchOffered::default() };
    let mut promise = Promise::new("m-1", offered);
    let mut parts = Vec::new();
    let mut seed = SERVER_SEED;
    if mode == DealMode::Joint {
        parts = (0..SEATS).map(part).collect();
        seed = joint_seed(&SERVER_SEED, &parts.iter().copied().map(Some).collect::<Vec<_>>());
        let all = (0..SEATS).map(|seat| seat_commitment(&promised, seat as u8, &part(seat)).to_vec());
        promise.seats = Some(all.collect());
        promise.part = Some(part(OWN));
        promise.is_revealed = true;
    }
    let proof = Some(DealProof {
        seed: seed.to_vec(),
        server_seed: if is_promised { SERVER_SEED.to_vec() } else { Vec::new() },
        nonce: if is_promised { NONCE.to_vec() } else { Vec::new() },
        parts: parts.iter().map(|part| part.to_vec()).collect(),
    });
    let events = (1..).zip(happened(&Deal::from_seed(seed))).map(|(number, kind)| Event { number, kind: Some(kind) });
    Told { promise, proof, events: events.collect() }
}

fn happened(deal: &Deal) -> Vec<Kind> {
    let tiles: Vec<u32> = deal.order().iter().map(|square| *square as u32).collect();
    let mut kinds = Vec::new();
    for seat in 0..SEATS {
        kinds.push(Kind::StartTilePlaced(wire::StartTilePlaced { seat, square: tiles[seat as usize] }));
    }
    let hand = |seat: u32| &tiles[(SEATS + 6 * seat) as usize..][..6];
    for seat in 0..SEATS {
        kinds.push(Kind::TilesDrawn(wire::TilesDrawn { seat, count: 6 }));
        if seat == OWN {
            kinds.push(Kind::TilesReceived(wire::TilesReceived { seat, squares: hand(seat).to_vec() }));
        }
    }
    let drawn = (SEATS * 7) as usize;
    let shown = tiles[drawn + deal.market_index(0, tiles.len() - drawn)];
    kinds.extend([
        Kind::TurnBegan(wire::TurnBegan { seat: 0, turn: 1 }),
        Kind::TilePlaced(wire::TilePlaced { seat: 0, square: hand(0)[2] }),
        Kind::MarketDrew(wire::MarketDrew { chain: 0, square: Some(shown), shares: 1 }),
        Kind::TilesDrawn(wire::TilesDrawn { seat: 0, count: 1 }),
        Kind::TilesSetAside(wire::TilesSetAside { seat: 2, squares: hand(2)[..2].to_vec() }),
        Kind::HandShown(wire::HandShown { seat: 2, squares: hand(2)[2..].to_vec() }),
    ]);
    kinds
}

fn found(told: &Told) -> Result<DealFinding, FalseDeal> {
    let mut witness = Witness::default();
    witness.saw(&told.events)?;
    check_deal(&told.promise, told.proof.as_ref(), Some(&witness))
}

#[test]
fn an_honest_deal_is_proven() {
    assert_eq!(found(&honest(DealMode::Server)), Ok(DealFinding::Proven));
    assert_eq!(found(&honest(DealMode::Joint)), Ok(DealFinding::Proven));
    assert_eq!(found(&honest(DealMode::Plain)), Ok(DealFinding::NotPromised));
}

#[test]
fn what_is_not_told_is_no_lie() {
    let later = Told { proof: None, ..honest(DealMode::Server) };
    assert_eq!(found(&later), Ok(DealFinding::NotReleased));
    let mut newer = honest(DealMode::Server);
    newer.events[3].kind = None;
    assert_eq!(found(&newer), Ok(DealFinding::InPart));
    let mut restarted = honest(DealMode::Joint);
    restarted.promise.seats = None;
    assert_eq!(found(&restarted), Ok(DealFinding::InPart));
    let told = honest(DealMode::Server);
    assert_eq!(check_deal(&told.promise, told.proof.as_ref(), None), Ok(DealFinding::InPart));
    let mut withheld = honest(DealMode::Joint);
    withheld.promise.is_refused = true;
    assert_eq!(found(&withheld), Ok(DealFinding::InPart));
}

#[test]
fn a_lie_is_found_and_told() {
    type Lie = fn(&mut Told);
    let of_the_server: [(&str, Lie); 15] = [
        ("no-promise", |told| told.promise.offered.commitment.clear()),
        ("promise-changed", |told| {
            let offered = MatchOffered { commitment: OTHER.to_vec(), ..told.promise.offered.clone() };
            told.promise.shown_again(&offered);
        }),
        ("promise-broken", |told| told.proof().nonce = OTHER.to_vec()),
        ("promise-broken", |told| told.promise.offered.promise_match = "m-2".into()),
        ("unreadable-proof", |told| told.proof().nonce = vec![2; 31]),
        ("unreadable-proof", |told| told.proof().seed.clear()),
        ("seed-differs", |told| told.proof().seed = OTHER.to_vec()),
        ("events-missing", |told| drop(told.events.remove(4))),
        ("tiles-differ", |told| {
            let (mine, theirs) = (OTHER, commitment("m-1", &OTHER, &OTHER).expect("the id is short"));
            told.promise.offered.commitment = theirs.to_vec();
            *told.proof() =
                DealProof { seed: mine.into(), server_seed: mine.into(), nonce: mine.into(), parts: vec![] };
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::StartTilePlaced(it) => Some(&mut it.square),
                _ => None,
            })
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::TilesReceived(it) => it.squares.first_mut(),
                _ => None,
            })
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::TilePlaced(it) => Some(&mut it.square),
                _ => None,
            })
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::MarketDrew(it) => it.square.as_mut(),
                _ => None,
            })
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::HandShown(it) => it.squares.first_mut(),
                _ => None,
            })
        }),
        ("tiles-differ", |told| {
            another(told, |kind| match kind {
                Kind::TilesDrawn(it) => Some(&mut it.count),
                _ => None,
            })
        }),
    ];
    let of_the_seats: [(&str, Lie); 7] = [
        ("part-differs", |told| told.promise.seats.as_mut().expect("all promised")[2] = OTHER.to_vec()),
        ("own-promise-differs", |told| told.promise.part = Some(OTHER)),
        ("seed-differs", |told| told.proof().parts.swap(0, 2)),
        ("seed-differs", |told| told.proof().parts[0].clear()),
        ("unreadable-proof", |told| drop(told.proof().parts.pop())),
        ("unreadable-proof", |told| told.proof().parts[0].truncate(31)),
        ("own-part-differs", |told| {
            let parts = [Some(part(0)), None, Some(part(2))];
            told.proof().seed = joint_seed(&SERVER_SEED, &parts).to_vec();
            told.proof().parts[1].clear();
        }),
    ];
    let server = of_the_server.into_iter().map(|lie| (DealMode::Server, lie));
    let joint = of_the_seats.into_iter().map(|lie| (DealMode::Joint, lie));
    for (place, (mode, (reason, lie))) in server.chain(joint).enumerate() {
        let mut told = honest(mode);
        lie(&mut told);
        assert_eq!(found(&told).map_err(|problem| problem.reason), Err(reason), "lie {place} about a deal {mode:?}");
    }
}

/// Changes the first number of this kind.
fn another(told: &mut Told, number: fn(&mut Kind) -> Option<&mut u32>) {
    let square = told.kinds().find_map(number).expect("there is such an event");
    *square = (*square + 1) % 108;
}
