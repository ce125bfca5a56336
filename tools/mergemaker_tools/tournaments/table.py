"""The table of a tournament: everything that is published of its results, as one document for programs.

It follows from the manifest and the results alone, whatever order they came in. So anybody who has the records can make it again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from statistics import fmean, median, variance
from typing import Any, Final

from mergemaker_contest.errors import ContestError
from mergemaker_contest.meetings import Looks, cross_table
from mergemaker_contest.pair_effects import pair_effects
from mergemaker_contest.ratings import Standings, rate
from mergemaker_contest.results import (
    BlockResult,
    Ended,
    Fault,
    FaultOf,
    Forfeits,
    MatchResult,
    Player,
    SeatResult,
    SeatStatus,
    by_host,
    fault_counts,
    without_faulty,
)
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN, Interval
from mergemaker_contest.worths import davidson_luce
from mergemaker_store.values import MatchResult as StoredResult
from mergemaker_store.values import SeatResult as StoredSeat

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.tournaments.course import Course, Leavings
from mergemaker_tools.tournaments.entrants import HASH_DIGITS

MOMENTS: Final = 12
"""At how many moments of the tournament the ratings are shown."""
DIGITS: Final = 6
"""After the point, of all numbers in the document: more than anybody reads, and fewer than rounding changes."""


def contest_results(results: Iterable[StoredResult], deals: Mapping[int, int] | None = None) -> list[MatchResult]:
    """Stored results as values of the contest. `deals` says the deal of each block; by default each has its own."""
    return [_contest_result(result, deals or {}) for result in results if result.place is not None]


def _contest_result(result: StoredResult, deals: Mapping[int, int]) -> MatchResult:
    place = result.place
    assert place is not None, "the match is of a tournament"
    return MatchResult(
        match=result.match,
        block=place.block,
        table=place.number,
        deal=deals.get(place.block, place.block),
        ended=Ended(result.ended),
        host=result.host,
        seats=tuple(
            SeatResult(
                player=Player(seat.bot.name, seat.bot.version),
                money=seat.cash or 0,
                status=SeatStatus(seat.status),
                faults=tuple(Fault(FaultOf(fault.of), fault.kind, fault.times) for fault in seat.faults),
            )
            for seat in result.seats
        ),
    )


def table_document(
    manifest: Mapping[str, Any], course: Course, results: Iterable[StoredResult], leavings: Leavings
) -> dict[str, Any]:
    """The table."""
    stored = sorted(results, key=lambda result: result.match)
    matches = contest_results(stored)
    try:
        by_number = course.played(matches)
    except ContestError as error:
        raise CommandFailed(f"these results are not those of the schedule: {error.text}") from error
    blocks = [by_number[number] for number in sorted(by_number)]
    score, forfeits = Score(manifest["score"]), Forfeits(manifest["forfeits"])
    counted = [match for block in blocks for match in block.matches]
    anchor = _anchor(manifest)
    standings = rate(blocks, score, anchor=anchor, forfeits=forfeits, looks=Looks.ANY)
    strengths = {worth.player: worth.strength for worth in davidson_luce(blocks, anchor=anchor, forfeits=forfeits)}
    faultless = without_faulty(blocks)
    return {
        "score": str(score),
        "forfeits": str(forfeits),
        "blocks": len(blocks),
        "matches": len(counted),
        "unfinished": sum(not match.is_void for match in matches) - len(counted),
        "void": sum(match.is_void for match in matches),
        "ratings": [
            row | {"strength": _number(strengths[Player(row["bot"], row["version"])])}
            for row in _ratings(standings, counted, score, forfeits)
        ],
        "anchor": manifest["anchor"],
        "course": course.document(by_number, leavings),
        "seats": [
            {"seat": row.seat.seat, "advantage": _number(row.advantage), **_interval(row.interval)}
            for row in standings.advantages
        ],
        "cross": _cross(blocks, score, forfeits),
        "pairs": _pairs(blocks, score, forfeits),
        "over_time": _over_time(blocks, score, forfeits),
        "places": _places(counted),
        "faults": [
            {"bot": player.bot, "version": player.version, "of": str(of), "kind": kind, "times": times}
            for (player, of, kind), times in fault_counts(matches).items()
        ],
        "without_faulty": {
            "blocks": len(faultless),
            "ratings": [_short(row) for row in rate(faultless, score, forfeits=forfeits).ratings] if faultless else [],
        },
        "hosts": _hosts(blocks, stored, score, forfeits, anchor),
        "times": _times(stored),
        "saved": _saved(blocks, score, forfeits),
        "notes": list(standings.notes),
    }


def present_ratings(manifest: Mapping[str, Any], course: Course, results: Iterable[StoredResult]) -> list[dict[str, Any]]:
    """The ratings alone, for the progress: they take much less time than the whole table."""
    by_number = course.played(contest_results(results))
    blocks = [by_number[number] for number in sorted(by_number)]
    score, forfeits = Score(manifest["score"]), Forfeits(manifest["forfeits"])
    standings = rate(blocks, score, anchor=_anchor(manifest), forfeits=forfeits, looks=Looks.ANY)
    return _ratings(standings, [match for block in blocks for match in block.matches], score, forfeits)


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS) + 0.0  # no -0.0


def _interval(interval: Interval | None) -> dict[str, Any]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {"low": _number(low), "high": _number(high)}


def _short(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a rating
    player = row.player
    return {"bot": player.bot, "version": player.version, "rating": _number(row.rating), **_interval(row.interval)}


def _ratings(standings: Standings, matches: Sequence[MatchResult], score: Score, forfeits: Forfeits) -> list[dict[str, Any]]:
    scores: dict[Player, list[float]] = defaultdict(list)
    wins: Counter[Player] = Counter()
    money: dict[Player, list[int]] = defaultdict(list)
    given_up: Counter[Player] = Counter()
    for match in matches:
        for seat, worth, place in zip(match.seats, match.scores(score, forfeits), match.places, strict=True):
            scores[seat.player].append(worth)
            money[seat.player].append(seat.money)
            wins[seat.player] += place == 1
            given_up[seat.player] += seat.has_forfeited
    return [
        {
            **_short(row),
            "group": row.group,
            "blocks": row.blocks,
            "matches": row.matches,
            "seats": len(scores[row.player]),
            "score": _number(fmean(scores[row.player])),
            "wins": wins[row.player],
            "money": round(fmean(money[row.player])),
            "given_up": given_up[row.player],
        }
        for row in standings.ratings
    ]


def _cross(blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits) -> list[dict[str, Any]]:
    return [
        {
            "bot": meeting.player.bot,
            "other": meeting.other.bot,
            "blocks": meeting.blocks,
            "matches": meeting.matches,
            "ahead": meeting.ahead,
            "equal": meeting.equal,
            "behind": meeting.behind,
            "difference": _number(meeting.difference),
            **_interval(meeting.interval),
        }
        for _, meeting in sorted(cross_table(blocks, score, forfeits=forfeits).items())
    ]


def _anchor(manifest: Mapping[str, Any]) -> Player | None:
    """The house bot whose rating is 0."""
    name = manifest["anchor"]
    return next((Player(bot["name"], bot["sha256"][:HASH_DIGITS]) for bot in manifest["bots"] if bot["name"] == name), None)


def _pairs(blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits) -> list[dict[str, Any]]:
    """Bots that do better or worse when a certain other bot is at the table, beyond what chance explains."""
    return [
        {
            "bot": effect.player.bot,
            "other": effect.other.bot,
            "with": effect.blocks_with,
            "without": effect.blocks_without,
            "effect": _number(effect.effect),
            "false_discovery_rate": _number(effect.rate),
        }
        for effect in pair_effects(blocks, score, forfeits=forfeits)
        if effect.is_found()
    ]


def _over_time(blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits) -> list[dict[str, Any]]:
    """The ratings after the first blocks, as they were while the tournament went on."""
    counts = sorted({max(1, len(blocks) * moment // MOMENTS) for moment in range(1, MOMENTS + 1)}) if blocks else []
    return [
        {"blocks": count, "ratings": [_short(row) for row in rate(blocks[:count], score, forfeits=forfeits).ratings]}
        for count in counts
        if count >= INTERVAL_BLOCKS_MIN
    ]


def _places(matches: Sequence[MatchResult]) -> list[dict[str, Any]]:
    """How often each bot had each place, and with how much money on average."""
    money: dict[tuple[Player, int], list[int]] = defaultdict(list)
    for match in matches:
        for seat, place in zip(match.seats, match.places, strict=True):
            money[seat.player, place].append(seat.money)
    return [
        {"bot": player.bot, "place": place, "times": len(found), "money": round(fmean(found))}
        for (player, place), found in sorted(money.items())
    ]


def _hosts(
    blocks: Sequence[BlockResult], stored: Sequence[StoredResult], score: Score, forfeits: Forfeits, anchor: Player | None
) -> list[dict[str, Any]]:
    """What each host played, how fast it was when it was measured, how fast its bots were, and the table of its blocks alone."""
    times: dict[str, list[int]] = defaultdict(list)
    speeds: dict[str, list[int]] = defaultdict(list)
    decisions: Counter[str] = Counter()
    for result in stored:
        if result.host_speed:
            speeds[result.host].append(result.host_speed)
        for seat in result.seats:
            times[result.host].append(seat.total_ms)
            decisions[result.host] += seat.decisions
    return [
        {
            "host": host,
            "blocks": len(found),
            "speed": round(median(speeds[host])) if speeds[host] else None,
            "decision_ms": _number(fsum(times[host]) / decisions[host]) if decisions[host] else None,
            "ratings": _ratings(
                rate(found, score, anchor=anchor, forfeits=forfeits, looks=Looks.ANY),
                [match for block in found for match in block.matches],
                score,
                forfeits,
            ),
        }
        for host, found in by_host(blocks).items()
    ]


def _times(stored: Sequence[StoredResult]) -> list[dict[str, Any]]:
    """How long each bot thought, and apart from that, how long matches waited until it had come."""
    seats: dict[Player, list[StoredSeat]] = defaultdict(list)
    for result in stored:
        for seat in result.seats:
            seats[Player(seat.bot.name, seat.bot.version)].append(seat)
    return [
        {
            "bot": player.bot,
            "version": player.version,
            "decision_ms": _number(fsum(seat.total_ms for seat in found) / (sum(seat.decisions for seat in found) or 1)),
            "longest_ms": max(seat.longest_ms for seat in found),
            "joined_ms": _number(fmean(seat.joined_ms for seat in found)),
            "longest_joined_ms": max(seat.joined_ms for seat in found),
        }
        for player, found in sorted(seats.items())
    ]


def _saved(blocks: Sequence[BlockResult], score: Score, forfeits: Forfeits) -> dict[str, Any] | None:
    """How many matches on deals of their own would say as much. None if there are too few blocks to tell.

    The variance of a bot's mean score is estimated twice: from its blocks, as they were played, and as if each match were
    independent.
    """
    in_blocks: dict[Player, list[list[float]]] = defaultdict(list)
    for block in blocks:
        of_player: dict[Player, list[float]] = defaultdict(list)
        for match in block.matches:
            for seat, worth in zip(match.seats, match.scores(score, forfeits), strict=True):
                of_player[seat.player].append(worth)
        for player, worths in of_player.items():
            in_blocks[player].append(worths)
    ratios = []
    for found in in_blocks.values():
        if len(found) >= INTERVAL_BLOCKS_MIN:
            single = [worth for worths in found for worth in worths]
            by_block = variance(fmean(worths) for worths in found) / len(found)
            if by_block > 0:
                ratios.append(variance(single) / len(single) / by_block)
    if not ratios:
        return None
    matches = sum(len(block.matches) for block in blocks)
    times = fmean(ratios)
    return {"times": _number(times), "matches": round(matches * (times - 1))}
