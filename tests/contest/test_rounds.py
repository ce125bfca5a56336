"""Swiss and knockout: rounds that follow from results, also when bots come late or leave."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from statistics import fmean

import pytest
from mergemaker_contest.errors import ContestError
from mergemaker_contest.knockout import ADVANCING, KnockoutTerms, knockout
from mergemaker_contest.results import BlockResult, Forfeits, SeatStatus
from mergemaker_contest.rounds import table_scores
from mergemaker_contest.schedules import Block
from mergemaker_contest.scores import Score
from mergemaker_contest.swiss import SwissTerms, swiss
from mergemaker_testkit.made_results import match_of, play, whole


def _names(bots: int) -> list[str]:
    return [f"bot{number:02}" for number in range(bots)]


def _results(blocks: Iterable[Block]) -> tuple[BlockResult, ...]:
    """The first bots are the strongest."""
    listed = list(blocks)
    names = sorted({bot for block in listed for bot in block.tables[0]})
    return whole(play(listed, {name: -0.02 * int(name[3:]) for name in names}, seed=listed[0].number if listed else 0))


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("bots", [2, 3, 4, 5, 7, 8, 13, 16, 40])
def test_a_knockout_has_one_champion_and_a_place_for_everybody(seats: int, bots: int) -> None:
    terms = KnockoutTerms(seats=seats, blocks_each=2)
    names, results = _names(bots), list[BlockResult]()
    state = knockout(names, terms)
    while state.champion is None:
        current = state.rounds[-1]
        assert sorted([bot for table in current.tables for bot in table] + [*current.resting]) == sorted(
            set(names) - {bot for out in state.places for bot in out}
        )
        assert all(2 <= len(table) <= seats for table in current.tables)
        assert {len(table) for table in current.tables} == {seats} or len(current.tables) == 1
        assert len(current.resting) < seats
        results += _results(current.blocks)
        state = knockout(names, terms, results)
    assert sorted(bot for out in state.places for bot in out) == names
    assert state.places[0] == (state.champion,)
    numbers = [block.number for each in state.rounds for block in each.blocks]
    assert numbers == [*range(len(numbers))]
    assert knockout(names, terms, results[::-1]) == state, "in whatever order the blocks end"


@pytest.mark.parametrize(("seats", "advancing"), sorted(ADVANCING.items()))
def test_who_goes_on(seats: int, advancing: int) -> None:
    names = _names(seats * 2)
    first = knockout(names, KnockoutTerms(seats=seats, blocks_each=1)).rounds[0]
    assert first.tables[0][0] == "bot00"
    assert first.tables[1][0] == "bot01"
    assert abs(sum(int(bot[3:]) for bot in first.tables[0]) - sum(int(bot[3:]) for bot in first.tables[1])) <= seats
    after = knockout(names, KnockoutTerms(seats=seats, blocks_each=1), _results(first.blocks))
    assert len(after.rounds[1].tables[0]) == 2 * advancing
    assert len(after.places[0]) == 2 * (seats - advancing)


def test_half_a_round_makes_no_next_one() -> None:
    names, terms = _names(8), KnockoutTerms(seats=4, blocks_each=2)
    first = knockout(names, terms).rounds[0]
    assert [len(first.blocks_of(table)) for table in (0, 1)] == [2, 2]
    assert {*first.blocks_of(1)[0].tables[0]} == {*first.tables[1]}
    assert len(knockout(names, terms, _results(first.blocks)[:-1]).rounds) == 1


def test_strong_bots_rest_when_tables_do_not_come_out_even() -> None:
    first = knockout(_names(9), KnockoutTerms(seats=4)).rounds[0]
    assert first.resting == ("bot00",)


@pytest.mark.parametrize(
    ("shares", "order"),
    [
        ([(0.5, 0.3, 0.2), (0.2, 0.3, 0.5)], "acb"),  # a and c have equal shares and places: c is seeded after a
        ([(0.4, 0.4, 0.2), (0.4, 0.4, 0.2)], "abc"),  # equal in all
        ([(0.2, 0.4, 0.4), (0.45, 0.25, 0.3)], "cab"),  # 0.65 each for a and b: a has one win, b half a win
    ],
)
def test_ties_at_a_table_are_broken(shares: list[tuple[float, ...]], order: str) -> None:
    blocks = whole(match_of(block, 0, "abc", each) for block, each in enumerate(shares))
    assert "".join(each.bot for each in table_scores("abc", blocks, Score.SHARE, Forfeits.AS_PLAYED)) == order


def test_a_bot_that_forfeits_does_not_go_on_if_that_is_asked() -> None:
    match = match_of(0, 0, "ab", (0.9, 0.1))
    match = replace(match, seats=(replace(match.seats[0], status=SeatStatus.RESIGNED), match.seats[1]))
    for forfeits, best in ((Forfeits.AS_PLAYED, "a"), (Forfeits.LAST, "b")):
        assert table_scores("ab", whole([match]), Score.SHARE, forfeits)[0].bot == best


def _swiss(present: list[list[str]], terms: SwissTerms) -> Callable[[], tuple[list[BlockResult], int]]:
    def run() -> tuple[list[BlockResult], int]:
        results: list[BlockResult] = []
        for _ in present:
            results += _results(swiss(present, terms, results)[-1].blocks)
        return results, len(swiss(present, terms, results))

    return run


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("bots", [6, 9, 16])
def test_in_a_swiss_tournament_bots_meet_others_and_in_the_end_their_like(seats: int, bots: int) -> None:
    terms, names = SwissTerms(seats=seats), _names(bots)
    present, results = [names] * 8, list[BlockResult]()
    for number in range(8):
        rounds = swiss(present, terms, results)
        assert len(rounds) == number + 1
        current = rounds[-1]
        assert sorted([bot for table in current.tables for bot in table] + [*current.resting]) == names
        assert {len(table) for table in current.tables} == {seats}
        results += _results(current.blocks)
    rounds = swiss(present, terms, results[::-1])
    assert len(rounds) == 8
    rested = Counter(bot for each in rounds for bot in each.resting)
    assert max(rested[name] for name in names) - min(rested[name] for name in names) <= 1
    numbers = [block.number for each in rounds for block in each.blocks]
    assert numbers == [*range(len(numbers))]
    if bots == 16:
        met = Counter(frozenset(pair) for each in rounds for table in each.tables for pair in combinations(table, 2))
        gaps = [abs(int(one[3:]) - int(other[3:])) for one, other in map(sorted, met.elements())]
        assert fmean(gaps) < 17 / 3, "bots of equal strength meet more often than bots drawn at random"


def test_late_bots_join_and_others_leave_without_help() -> None:
    names = _names(8)
    present = [names, names, [*names, "bot99"], [*names[1:], "bot99"], [*names[1:], "bot99"]]
    results, count = _swiss(present, SwissTerms(seats=4))()
    assert count == 5
    rounds = swiss(present, SwissTerms(seats=4), results)
    assert "bot99" in {bot for table in rounds[2].tables for bot in table}, "a newcomer does not rest"
    assert [len(each.resting) for each in rounds] == [0, 0, 1, 0, 0]
    assert "bot00" not in {bot for each in rounds[3:] for table in each.tables for bot in table}


def test_bots_meet_again_only_if_they_must() -> None:
    present = [_names(8)] * 7
    results, _ = _swiss(present, SwissTerms(seats=2))()
    met = Counter(frozenset(table) for each in swiss(present, SwissTerms(seats=2), results) for table in each.tables)
    assert sum(times - 1 for times in met.values()) <= 3, "seven rounds of eight bots could do without"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: KnockoutTerms(seats=7), "bad-seats"),
        (lambda: KnockoutTerms(seats=4, advance=4), "bad-advance"),
        (lambda: KnockoutTerms(seats=4, advance=0), "bad-advance"),
        (lambda: KnockoutTerms(seats=4, blocks_each=0), "bad-blocks"),
        (lambda: knockout(["a"], KnockoutTerms(seats=2)), "bad-bots"),
        (lambda: knockout(["a", "a"], KnockoutTerms(seats=2)), "bad-bots"),
        (lambda: SwissTerms(seats=1), "bad-seats"),
        (lambda: SwissTerms(seats=2, blocks_each=0), "bad-blocks"),
        (lambda: swiss([_names(3)], SwissTerms(seats=4)), "too-few-bots"),
    ],
)
def test_what_cannot_be_played_is_refused(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        make()
    assert refused.value.reason == reason
