"""Checks whether a deal was the one that the referee promised, as far as one seat can tell.

Before the first tile the referee shows a commitment; at the end it reveals what the commitment was made of. `check_deal`
makes the commitment and the deal again, and goes through all tiles that the seat saw, its own and everybody's. Each must
come off the pile where the deal has it (RECORDS.md, 'The promise'; DEAL.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker_engine.deal import SEED_BYTES, Deal
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import (
    Event,
    HandShown,
    MarketDrew,
    StartTilePlaced,
    TilePlaced,
    TilesDrawn,
    TilesReceived,
    TilesSetAside,
)
from mergemaker_engine.record.commitments import (
    CONTRIBUTION_BYTES,
    NONCE_BYTES,
    WITHHELD,
    commitment,
    joint_seed,
    seat_commitment,
)
from mergemaker_engine.wording import square_name

from mergemaker_client.problems import FalseDeal
from mergemaker_client.turn import DealFinding

COMMITMENT_BYTES: Final = 32
_OF_TILES: Final = (StartTilePlaced, TilesDrawn, TilesReceived, TilePlaced, HandShown, TilesSetAside, MarketDrew)


@dataclass(slots=True)
class Promise:
    """The promises for a match's deal, by the referee and, in joint mode, by all seats."""

    match: str
    offered: referee_pb2.MatchOffered
    """The first offer: later ones change no promise."""
    part: bytes = b""
    """In joint mode: this seat's part of the seed."""
    seats: tuple[bytes, ...] | None = None
    """In joint mode: the promises of all seats; None if this process did not receive them."""
    is_revealed: bool = False
    """Whether this process has revealed the seat's part."""
    is_refused: bool = False
    """Whether the referee rejected this seat's promise or part."""
    is_changed: bool = False
    """Whether another promise was shown later."""

    @property
    def is_joint(self) -> bool:
        """Whether the seats contribute to the seed."""
        return self.offered.deal_mode == match_pb2.DEAL_MODE_JOINT

    @property
    def is_made(self) -> bool:
        """Whether there is a promise to check against."""
        return len(self.offered.commitment) == COMMITMENT_BYTES

    def shown_again(self, offered: referee_pb2.MatchOffered) -> None:
        """Takes a later offer of the same match, such as after a break."""
        before = self.offered
        if (offered.commitment, offered.promise_match, offered.deal_mode) != (
            before.commitment,
            before.promise_match,
            before.deal_mode,
        ):
            self.is_changed = True

    def own_commitment(self) -> bytes:
        """In joint mode: this seat's promise."""
        return seat_commitment(self.offered.commitment, self.offered.seat, self.part)


@dataclass(slots=True)
class Witness:
    """What a seat saw of the tiles, in order."""

    tiles: list[Event] = field(default_factory=list)
    last: int = 0
    """The number of the last event that it received."""
    is_whole: bool = True
    """Whether this client knew every event."""

    def saw(self, numbers: Sequence[int], events: Iterable[Event]) -> None:
        """Takes events in order. Those that only a newer client knows are missing from `events`, but not from `numbers`."""
        known = list(events)
        self.is_whole = self.is_whole and len(known) == len(numbers)
        for number in numbers:
            if number != self.last + 1:
                raise FalseDeal("events-missing", f"event {self.last + 1} never came: the one after {self.last} was {number}")
            self.last = number
        self.tiles += [event for event in known if isinstance(event, _OF_TILES)]


def check_deal(promise: Promise, proof: referee_pb2.DealProof | None, witness: Witness | None) -> DealFinding:
    """How far the deal was the one promised. Raises `FalseDeal` for a contradiction.

    Without a proof there is nothing to check yet; without a witness no tile was dealt.
    """
    mode = promise.offered.deal_mode
    is_promised = mode in (match_pb2.DEAL_MODE_SERVER, match_pb2.DEAL_MODE_JOINT)
    if is_promised and not promise.is_made:
        raise FalseDeal(
            "no-promise",
            f"a commitment of {COMMITMENT_BYTES} bytes must come first, not one of {len(promise.offered.commitment)}",
        )
    if promise.is_changed:
        raise FalseDeal("promise-changed", "the referee showed one promise first, and another one later")
    if proof is None:
        return DealFinding.NOT_RELEASED
    _has("the seed", proof.seed, SEED_BYTES)
    if is_promised:
        _check_commitment(promise, proof)
    is_known = _check_seed(promise, proof, witness)
    if witness is not None and witness.is_whole:
        _check_tiles(Deal.from_seed(proof.seed), witness.tiles)
    else:
        is_known = False
    if not is_known:
        return DealFinding.IN_PART
    return DealFinding.PROVEN if is_promised else DealFinding.NOT_PROMISED


def _has(what: str, value: bytes, length: int) -> None:
    if len(value) != length:
        raise FalseDeal("unreadable-proof", f"{what} has {length} bytes, not {len(value)}")


def _check_commitment(promise: Promise, proof: referee_pb2.DealProof) -> None:
    """Checks that the referee's own part is the one it promised."""
    _has("the referee's part of the seed", proof.server_seed, SEED_BYTES)
    _has("the nonce", proof.nonce, NONCE_BYTES)
    offered = promise.offered
    try:
        made = commitment(offered.promise_match or promise.match, proof.nonce, proof.server_seed)
    except EngineError as error:
        raise FalseDeal("unreadable-proof", f"the promise cannot be recomputed: {error}") from error
    if made != offered.commitment:
        raise FalseDeal(
            "promise-broken",
            f"before the first tile the referee promised {offered.commitment.hex()}; what it reveals now makes {made.hex()}",
        )


def _check_seed(promise: Promise, proof: referee_pb2.DealProof, witness: Witness | None) -> bool:
    """Checks that the deal's seed follows from the parts. Returns whether all of them could be compared with promises."""
    offered = promise.offered
    if not promise.is_joint:
        if offered.deal_mode == match_pb2.DEAL_MODE_SERVER and proof.seed != proof.server_seed:
            raise FalseDeal("seed-differs", "the deal's seed is not the one that the referee promised")
        return True
    if witness is None and not proof.parts:
        return False  # the match was over before the parts were revealed
    if len(proof.parts) != offered.seats:
        raise FalseDeal("unreadable-proof", f"there is a part for each of {offered.seats} seats, not {len(proof.parts)} of them")
    for seat, part in enumerate(proof.parts):
        if part:
            _has(f"the part of seat {seat}", part, CONTRIBUTION_BYTES)
    if proof.seed != joint_seed(proof.server_seed, [part or WITHHELD for part in proof.parts]):
        raise FalseDeal("seed-differs", "the deal's seed does not follow from the referee's part and those of the seats")
    if promise.seats is None:
        return False
    _check_parts(promise, promise.seats, proof.parts)
    return not promise.is_refused


def _check_parts(promise: Promise, promised: Sequence[bytes], parts: Sequence[bytes]) -> None:
    """Checks that each seat's part is the one it promised, and that this seat's is the one it sent."""
    offered = promise.offered
    if len(promised) != offered.seats:
        raise FalseDeal("unreadable-proof", f"there is a promise for each of {offered.seats} seats, not {len(promised)} of them")
    for seat, (before, part) in enumerate(zip(promised, parts, strict=True)):
        if part and seat_commitment(offered.commitment, seat, part) != before:
            raise FalseDeal("part-differs", f"the part of seat {seat} is not the one that it promised")
    if promise.is_refused or not promise.is_revealed:
        return
    if promised[offered.seat] != promise.own_commitment():
        raise FalseDeal("own-promise-differs", "the referee showed another promise for this seat")
    if parts[offered.seat] != promise.part:
        raise FalseDeal("own-part-differs", "the referee left out the part of the seed that this seat revealed")


def _check_tiles(deal: Deal, tiles: Iterable[Event]) -> None:
    pile = _Pile(deal)
    for event in tiles:
        pile.check(event)


class _Pile:
    """A pile that is drawn from as announced. The number of drawn tiles is public, so every hand can be derived."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._order = deal.order
        self._drawn = 0
        self._market_draws = 0
        self._hands: dict[int, set[int]] = {}
        self._last: tuple[int, ...] = ()
        """The tiles drawn last."""

    def check(self, event: Event) -> None:
        """Compares an announcement with the deal."""
        match event:
            case StartTilePlaced(seat, square):
                self._is(f"the start tile of seat {seat}", (square,), self._taken(1))
            case TilesDrawn(seat, count):
                self._last = self._taken(count)
                if len(self._last) != count:
                    raise FalseDeal("tiles-differ", f"seat {seat} drew {count} tiles, and {len(self._last)} were left")
                self._hands.setdefault(seat, set()).update(self._last)
            case TilesReceived(_, squares):
                self._is("what this seat drew", squares, self._last)
            case TilePlaced(seat, square):
                self._leaves(seat, (square,), "placed")
            case TilesSetAside(seat, squares):
                self._leaves(seat, squares, "set aside")
            case HandShown(seat, squares):
                self._is(f"the hand of seat {seat}", squares, self._hands.get(seat, ()))
            case MarketDrew(_, square, _):
                self._check_market(square)

    def _taken(self, count: int) -> tuple[int, ...]:
        taken = self._order[self._drawn : self._drawn + count]
        self._drawn += len(taken)
        return taken

    def _leaves(self, seat: int, squares: Sequence[int], how: str) -> None:
        hand = self._hands.get(seat, set())
        strange = [square for square in squares if square not in hand]
        if strange:
            raise FalseDeal("tiles-differ", f"seat {seat} {how} {_names(strange)}; by the deal it had {_names(hand)}")
        hand.difference_update(squares)

    def _check_market(self, square: int | None) -> None:
        left = len(self._order) - self._drawn
        expected: tuple[int, ...] = ()
        if left:
            expected = (self._order[self._drawn + self._deal.market_index(self._market_draws, left)],)
            self._market_draws += 1
        self._is("the tile drawn for the market", () if square is None else (square,), expected)

    @staticmethod
    def _is(what: str, seen: Iterable[int], expected: Iterable[int]) -> None:
        if sorted(seen) != sorted(expected):
            raise FalseDeal("tiles-differ", f"{what} was {_names(seen)}; by the deal it is {_names(expected)}")


def _names(squares: Iterable[int]) -> str:
    return " ".join(square_name(square) for square in sorted(squares)) or "nothing"
