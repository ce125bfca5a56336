"""Ratings: they find what was planted, say what they do not know, and do not depend on any order."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from math import sqrt

import pytest
from mergemaker_contest.errors import ContestError
from mergemaker_contest.least_squares import Seat
from mergemaker_contest.linear import inverse
from mergemaker_contest.meetings import Looks, cross_table, groups, without_versions
from mergemaker_contest.ratings import BLOCKS_MIN, Standings, rate
from mergemaker_contest.results import BlockResult, Forfeits, MatchResult, Player, SeatStatus
from mergemaker_contest.schedules import Block, gauntlet, round_robin
from mergemaker_contest.scores import Score
from mergemaker_testkit.made_results import match_of, play, whole

STRENGTH = {"bad": -0.05, "fair": 0.0, "good": 0.03, "better": 0.06, "best": 0.08}
FAIR = Player("fair")


def _matches(blocks: int = 60, seed: int = 0, advantages: Sequence[float] = (0.0,) * 6) -> list[MatchResult]:
    return play(islice(round_robin([*STRENGTH], 3, seed=seed).blocks(), blocks), STRENGTH, seed, advantages=advantages)


def _blocks(blocks: int = 60, seed: int = 0) -> tuple[BlockResult, ...]:
    return whole(_matches(blocks, seed))


def test_planted_strengths_and_seats_are_found() -> None:
    advantages = (0.05, 0.0, -0.05)
    standings = rate(whole(_matches(400, advantages=advantages)), anchor=FAIR, looks=Looks.ONCE)
    assert [row.player.bot for row in standings.ratings] == ["best", "better", "good", "fair", "bad"]
    for row in standings.ratings:
        assert row.rating == pytest.approx(STRENGTH[row.player.bot], abs=0.012)
        assert (row.interval is None) == (row.player == FAIR)
    assert [seat.seat for seat in standings.advantages] == [Seat(3, 0), Seat(3, 1), Seat(3, 2)]
    assert [seat.advantage for seat in standings.advantages] == pytest.approx(advantages, abs=0.012)
    assert standings.notes == ()


def test_whom_a_bot_met_does_not_matter() -> None:
    """A bot that met only the best has worse scores than one that met only the worst, and the same rating."""
    strength = {**STRENGTH, "with the best": 0.0, "with the worst": 0.0}
    tables = [["best", "better", "with the best"], ["bad", "fair", "with the worst"], ["best", "fair", "bad"]]
    blocks = [
        Block(number, number, tuple((*table[turn:], *table[:turn]) for turn in range(3)))
        for number, table in enumerate(tables * 150)
    ]
    rows = {row.player.bot: row for row in rate(whole(play(blocks, strength))).ratings}
    above, below = rows["with the best"].rating, rows["with the worst"].rating
    assert above is not None
    assert below is not None
    assert above == pytest.approx(below, abs=0.02)


@pytest.mark.parametrize("looks", Looks)
def test_intervals_miss_planted_differences_as_rarely_as_they_say(looks: Looks) -> None:
    missed = shown = 0
    for seed in range(60):
        for row in rate(_blocks(40, seed), anchor=FAIR, looks=looks).ratings:
            if row.interval is not None:
                shown += 1
                missed += not row.interval.low <= STRENGTH[row.player.bot] <= row.interval.high
    assert shown == 60 * 4
    assert missed / shown <= (0.08 if looks is Looks.ONCE else 0.01)


def _turned(match: MatchResult) -> MatchResult:
    return replace(match, seats=match.seats[::-1])


def test_ratings_depend_on_no_order() -> None:
    matches = _matches()
    shuffled = [*matches]
    random.Random(2).shuffle(shuffled)  # noqa: S311 - it must repeat
    standings = rate(whole(matches), anchor=FAIR)
    assert rate(whole(shuffled), anchor=FAIR) == standings, "simultaneous matches end in any order"
    assert rate(whole(matches)[::-1], anchor=FAIR) == standings
    assert cross_table(whole(shuffled)) == cross_table(whole(matches))
    turned = rate(whole(map(_turned, matches)), anchor=FAIR)
    assert turned.ratings == standings.ratings, "and bots may be listed in any order of seats"
    assert [seat.advantage for seat in turned.advantages] == [seat.advantage for seat in standings.advantages[::-1]]


def test_too_few_blocks_are_no_number() -> None:
    def standings(blocks: int) -> Standings:
        of_all = play(islice(round_robin(["a", "b", "c"], 3).blocks(), 30), {"a": 0.1, "b": 0.0, "c": 0.0})
        with_new = [Block(100 + number, number, (("new", "b"), ("b", "new"))) for number in range(blocks)]
        return rate(whole([*of_all, *play(with_new, {"b": 0.0, "new": 0.3})]), anchor=Player("b"))

    few, enough = standings(BLOCKS_MIN - 1), standings(BLOCKS_MIN)
    assert [row.player.bot for row in few.ratings][-1] == "new", "at the end of the table, however good it may be"
    assert few.ratings[-1].rating is None
    assert few.ratings[-1].interval is None
    assert few.notes == ("fewer than 20 blocks, which is too few for a number: new",)
    assert enough.ratings[0].player.bot == "new"
    assert enough.ratings[0].interval is not None
    assert enough.notes == ()


def test_an_anchor_with_too_few_blocks_holds_nothing() -> None:
    standings = rate(_blocks(20), anchor=FAIR)
    assert standings.anchor is None
    assert standings.notes[0] == "fair has 12 blocks, and an anchor needs 20: each group's mean is 0"
    standings = rate(_blocks(60), anchor=Player("unknown"))
    assert sum(row.rating or 0 for row in standings.ratings) == pytest.approx(0)


def test_bots_that_never_met_are_not_compared() -> None:
    of_first = play(islice(round_robin(["a", "b", "c"], 2).blocks(), 90), {"a": 0.1, "b": 0.0, "c": 0.0})
    of_others = [
        replace(match, block=match.block + 500, match=f"other {match.match}")
        for match in play(islice(round_robin(["x", "y"], 2).blocks(), 30), {"x": 0.1, "y": 0.0})
    ]
    blocks = whole([*of_first, *of_others])
    assert [[player.bot for player in group] for group in groups(blocks)] == [["a", "b", "c"], ["x", "y"]]
    standings = rate(blocks, anchor=Player("b"))
    assert {(row.player.bot, row.group) for row in standings.ratings} == {("a", 0), ("b", 0), ("c", 0), ("x", 1), ("y", 1)}
    assert [row.group for row in standings.ratings] == [0, 0, 0, 1, 1]
    assert standings.notes == (
        "players of different groups never met, not even through others, and are not compared: a, b, c; x, y",
    )
    bridge = play([Block(900 + number, number, (("a", "x"), ("x", "a"))) for number in range(20)], {"a": 0.1, "x": 0.1})
    assert {row.group for row in rate(whole([*of_first, *of_others, *bridge])).ratings} == {0}


def test_seats_that_cannot_be_told_from_bots_are_left_out() -> None:
    blocks = [Block(number, number, (("a", "b", "c"),)) for number in range(40)]
    standings = rate(whole(play(blocks, {"a": 0.1, "b": 0.0, "c": 0.0})))
    assert standings.advantages == ()
    assert standings.ratings[0].player.bot == "a"


def test_a_tournament_without_a_whole_block_has_an_empty_table() -> None:
    standings = rate(())
    assert (standings.ratings, standings.advantages, standings.notes, standings.blocks) == ((), (), (), 0)


def test_blocks_that_are_all_equal_have_an_interval_of_no_width() -> None:
    matches = [match_of(block, table, seating, (0.5, 0.5)) for block in range(30) for table, seating in enumerate(["ab", "ba"])]
    assert [row.rating for row in rate(whole(matches)).ratings] == [0, 0]


def test_versions_are_players_of_their_own_until_they_are_joined() -> None:
    tables = [Block(number, number, (("a@1", "b"), ("b", "a@1"), ("a@2", "b"), ("b", "a@2"))) for number in range(25)]
    blocks = whole(play(tables, {"a@1": 0.0, "a@2": 0.2, "b": 0.0}))
    meetings = cross_table(blocks)
    old, new = (meetings[Player("a", version), Player("b")] for version in "12")
    assert old.difference is not None
    assert new.difference is not None
    assert new.difference - old.difference == pytest.approx(0.2, abs=0.05)
    joined = cross_table(without_versions(blocks))[Player("a"), Player("b")]
    assert (joined.blocks, joined.matches) == (25, 100)
    assert joined.difference == pytest.approx((old.difference + new.difference) / 2)


def test_a_cross_table_counts_both_ways() -> None:
    matches = [
        match_of(block, table, seating, shares)
        for block in range(BLOCKS_MIN)
        for table, (seating, shares) in enumerate([("abc", (0.5, 0.3, 0.2)), ("bca", (0.4, 0.2, 0.4))])
    ]
    meetings = cross_table(whole(matches))
    meeting, back = meetings[Player("a"), Player("b")], meetings[Player("b"), Player("a")]
    assert (meeting.blocks, meeting.matches, meeting.ahead, meeting.equal, meeting.behind) == (20, 40, 20, 20, 0)
    assert (back.ahead, back.equal, back.behind) == (0, 20, 20)
    assert meeting.difference == pytest.approx(0.1)
    assert back.difference == pytest.approx(-0.1)
    few = cross_table(whole(matches[:-2]))[Player("a"), Player("b")]
    assert (few.blocks, few.difference, few.interval) == (BLOCKS_MIN - 1, None, None)


def test_wins_places_and_forfeits_are_counted_as_asked() -> None:
    blocks = whole(_matches(40))
    for score in Score:
        assert rate(blocks, score).ratings[0].player.bot in ("best", "better")
    lazy = [
        replace(
            match,
            seats=tuple(
                replace(seat, status=SeatStatus.AUTOPILOT) if seat.player.bot == "best" else seat for seat in match.seats
            ),
        )
        for block in blocks
        for match in block.matches
    ]
    assert rate(whole(lazy)).ratings[0].player.bot == "best"
    assert rate(whole(lazy), forfeits=Forfeits.LAST).ratings[-1].player.bot == "best"


def test_a_gauntlet_rates_bots_that_met_only_through_the_challenger() -> None:
    schedule = gauntlet(["new"], ["a", "b", "c"], 2)
    strength = {"new": 0.05, "a": 0.0, "b": 0.1, "c": 0.0}
    rows = rate(whole(play(islice(schedule.blocks(), 600), strength)), anchor=Player("new")).ratings
    for row in rows:
        assert row.rating == pytest.approx(strength[row.player.bot] - 0.05, abs=0.025)


def test_an_inverse_leaves_out_what_says_nothing_new() -> None:
    found = inverse([[4.0, 2.0, 6.0], [2.0, 5.0, 7.0], [6.0, 7.0, 13.0]])  # the third is the sum of the first two
    assert found.left_out == (2,)
    assert found.times([1.0, 0.0, 0.0]) == pytest.approx([5 / 16, -2 / 16, 0])
    assert inverse([]).rows == ()


def test_an_error_rate_is_checked() -> None:
    with pytest.raises(ContestError) as refused:
        rate((), alpha=1.5)
    assert refused.value.reason == "bad-error-rate"


def test_an_interval_is_wider_if_it_may_be_looked_at_any_time() -> None:
    blocks = _blocks()
    for once, ever in zip(rate(blocks, looks=Looks.ONCE).ratings, rate(blocks).ratings, strict=True):
        assert once.interval is not None
        assert ever.interval is not None
        assert 1.2 < ever.interval.half_width / once.interval.half_width < sqrt(4)
