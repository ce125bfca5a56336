"""How good all bots are, on one scale: the table of a tournament.

The score of a seat is explained by its match, its bot and its seat, by least squares. So a bot's rating is how much more it
gets than the anchor at the same table and in the same seat, whatever the others are like. The intervals take each block as one
observation, because matches on one deal are not independent (cluster-robust, by blocks).

Ratings do not depend on the order of matches or seats: sums are exact before they are rounded (`math.fsum`), players are taken in
the order of their names, and results are rounded. So the same records give the same table everywhere.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_contest.errors import ContestError
from mergemaker_contest.least_squares import Fit, Played, Seat
from mergemaker_contest.meetings import Looks, factor
from mergemaker_contest.results import BlockResult, Forfeits, Player
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN, Interval

BLOCKS_MIN: Final = INTERVAL_BLOCKS_MIN
"""A player with fewer blocks gets 'too few' instead of a number, which would say more about luck."""
DIGITS: Final = 9
"""Numbers are rounded to this many digits after the point: the last bits depend on the order of seats."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's row of the table."""

    player: Player
    group: int
    """Which group the player belongs to, counted from 0. Only players of one group are compared."""
    blocks: int
    matches: int
    rating: float | None
    """By how much its score is above the anchor's; without an anchor, above the group's mean. None: too few blocks."""
    interval: Interval | None
    """Of the rating. None: too few blocks, or it is the anchor."""


@dataclass(frozen=True, slots=True)
class Advantage:
    """What a seat is worth by itself."""

    seat: Seat
    advantage: float
    """By how much its score is above the mean of the table's seats."""
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Standings:
    """The ratings of all players."""

    ratings: tuple[Rating, ...]
    """By group; there the best first, and those with too few blocks last."""
    advantages: tuple[Advantage, ...]
    """By seat. Empty if the seats cannot be told from the players, or with too few blocks."""
    anchor: Player | None
    """Its rating is 0. None: none was asked for, or it has too few blocks."""
    blocks: int
    notes: tuple[str, ...]
    """What a reader of the table must know."""


def rate(
    blocks: Iterable[BlockResult],
    score: Score = Score.SHARE,
    *,
    anchor: Player | None = None,
    forfeits: Forfeits = Forfeits.AS_PLAYED,
    looks: Looks = Looks.ANY,
    alpha: float = 0.05,
) -> Standings:
    """The ratings of all players of these blocks."""
    if not 0 < alpha < 1:
        raise ContestError("bad-error-rate", f"alpha is an error rate between 0 and 1, not {alpha}")
    ordered = sorted(blocks, key=lambda block: block.block)
    played = Played(ordered)
    standing_anchor = anchor if anchor is not None and played.blocks_of[anchor] >= BLOCKS_MIN else None
    fit = Fit(ordered, score, forfeits, played)
    ratings = [
        row
        for number, players in enumerate(played.groups)
        for row in _rows(fit, played, number, players, standing_anchor, looks, alpha)
    ]
    notes = tuple(_notes(played, anchor, standing_anchor))
    return Standings(tuple(ratings), _advantages(fit, played, looks, alpha), standing_anchor, len(ordered), notes)


def _rows(
    fit: Fit, played: Played, group: int, players: Sequence[Player], anchor: Player | None, looks: Looks, alpha: float
) -> list[Rating]:
    rated = [player for player in players if played.blocks_of[player] >= BLOCKS_MIN]
    zero = fit.mean([player for player in rated if player == anchor] or rated) if rated else None
    rows = []
    for player in players:
        blocks, matches = played.blocks_of[player], played.matches_of[player]
        if zero is None or blocks < BLOCKS_MIN:
            rows.append(Rating(player, group, blocks, matches, None, None))
            continue
        value, error = fit.compared(player, zero)
        interval = None if player == anchor else _interval(value, error * factor(looks, blocks, alpha))
        rows.append(Rating(player, group, blocks, matches, round(value, DIGITS), interval))
    return sorted(rows, key=lambda row: (row.rating is None, -(row.rating or 0.0), row.player))


def _interval(value: float, half: float) -> Interval:
    return Interval(round(value - half, DIGITS), round(value + half, DIGITS))


def _advantages(fit: Fit, played: Played, looks: Looks, alpha: float) -> tuple[Advantage, ...]:
    if not fit.seats_are_known:
        return ()
    found = []
    for seat in played.seats:
        blocks = played.blocks_of[seat]
        if blocks >= BLOCKS_MIN:
            value, error = fit.compared(seat, fit.mean([other for other in played.seats if other.seats == seat.seats]))
            interval = _interval(value, error * factor(looks, blocks, alpha))
            found.append(Advantage(seat, round(value, DIGITS), interval))
    return tuple(found)


def _notes(played: Played, anchor: Player | None, standing: Player | None) -> Iterable[str]:
    if anchor is not None and standing is None:
        blocks = played.blocks_of[anchor]
        yield f"{anchor} has {blocks} blocks, and an anchor needs {BLOCKS_MIN}: each group's mean is 0"
    if len(played.groups) > 1:
        listed = "; ".join(", ".join(map(str, players)) for players in played.groups)
        yield f"players of different groups never met, not even through others, and are not compared: {listed}"
    few = [player for group in played.groups for player in group if played.blocks_of[player] < BLOCKS_MIN]
    if few:
        yield f"fewer than {BLOCKS_MIN} blocks, which is too few for a number: {', '.join(map(str, few))}"
