"""Schedules: who plays whom, in which seats, and how evenly."""

from collections import Counter
from itertools import chain, combinations, islice

import pytest
from mergemaker_contest.designs import Design
from mergemaker_contest.errors import ContestError
from mergemaker_contest.schedules import Block, Schedule, duel, gauntlet, round_robin

GOLDEN = [("c", "f", "d", "i"), ("e", "a", "c", "k"), ("b", "f", "g", "e")]


def _names(bots: int) -> list[str]:
    return [f"bot{number:02}" for number in range(bots)]


def _schedules() -> list[Schedule]:
    return [
        round_robin(_names(9), 4, seed=3),
        round_robin(_names(17), 5),
        gauntlet(["new", "newer"], _names(7), 4),
        gauntlet(["new"], _names(3), 2),
        duel("a", "b", 4),
        duel("a", "b", 5, design=Design.EXCHANGE, others=_names(4)),
    ]


@pytest.mark.parametrize("schedule", _schedules(), ids=lambda schedule: f"{schedule.format}, {schedule.seats} seats")
def test_blocks_are_numbered_and_have_their_own_deals(schedule: Schedule) -> None:
    blocks = list(islice(schedule.blocks(5), 4))
    assert [block.number for block in blocks] == [5, 6, 7, 8]
    assert len({block.deal for block in blocks}) == 4
    assert blocks[2] == schedule.block(7), "a block is the same, whichever were asked for before it"
    assert {len(block.tables) for block in blocks} == {schedule.tables_in_block}
    assert {len(seating) for block in blocks for seating in block.tables} == {schedule.seats}
    assert {*chain(*chain(*(block.tables for block in islice(schedule.blocks(), schedule.cycle))))} == {*schedule.bots}


@pytest.mark.parametrize("schedule", [each for each in _schedules() if len(each.bots) > 5], ids=lambda schedule: schedule.format)
def test_seats_are_exactly_equal_over_a_cycle(schedule: Schedule) -> None:
    taken: Counter[tuple[str, int]] = Counter()
    for block in islice(schedule.blocks(), schedule.cycle):
        for seating in block.tables:
            taken.update((bot, seat) for seat, bot in enumerate(seating))
    for bot in schedule.bots:
        assert len({taken[bot, seat] for seat in range(schedule.seats)}) == 1


def test_a_schedule_follows_from_bots_seats_and_seed() -> None:
    def blocks(bots: list[str], seats: int, seed: int) -> list[Block]:
        return list(islice(round_robin(bots, seats, seed=seed).blocks(), 30))

    assert blocks(_names(8), 4, 1) == blocks(_names(8)[::-1], 4, 1), "the order in which bots are named does not matter"
    assert blocks(_names(8), 4, 1) != blocks(_names(8), 4, 2)
    assert [block.tables[0] for block in islice(round_robin(list("abcdefghijkl"), 4, seed=1).blocks(10), 3)] == GOLDEN, (
        "it never changes: a tournament may be continued by another version"
    )


def test_in_a_round_robin_of_few_bots_each_table_is_played_once_a_cycle() -> None:
    schedule = round_robin(_names(8), 4)
    assert schedule.cycle == 70
    tables = [frozenset(block.tables[0]) for block in islice(schedule.blocks(), schedule.cycle)]
    assert {*tables} == {frozenset(table) for table in combinations(_names(8), 4)}


def test_in_a_gauntlet_each_table_has_one_challenger() -> None:
    schedule = gauntlet(["new", "newer"], _names(6), 4)
    blocks = list(islice(schedule.blocks(), schedule.cycle))
    with_others: Counter[tuple[str, str]] = Counter()
    for block in blocks:
        challengers = {bot for bot in block.tables[0] if bot.startswith("new")}
        assert len(challengers) == 1
        with_others.update((challenger, other) for challenger in challengers for other in {*block.tables[0]} - challengers)
    assert len({*with_others.values()}) == 1, "they meet all others equally often"
    assert len(with_others) == 2 * 6


@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("more", [0, 1, 2, 7, 16])
def test_any_number_of_bots_can_play(seats: int, more: int) -> None:
    bots = _names(seats + more)
    for block in islice(round_robin(bots, seats).blocks(), 3):
        assert all(len({*seating}) == seats for seating in block.tables)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: round_robin(_names(3), 4), "too-few-bots"),
        (lambda: round_robin(_names(9), 7), "bad-seats"),
        (lambda: round_robin(_names(9), 1), "bad-seats"),
        (lambda: round_robin(["a", "b", "a"], 2), "same-bot"),
        (lambda: round_robin(_names(9), 4, tables_max=10**6), "too-many-tables"),
        (lambda: round_robin(_names(9), 4).block(-1), "bad-block"),
        (lambda: gauntlet([], _names(9), 4), "no-challenger"),
        (lambda: gauntlet(["a", "b"], ["c", "d"], 4), "too-few-bots"),
        (lambda: gauntlet(["bot00"], _names(9), 4), "same-bot"),
        (lambda: duel("a", "a", 4), "same-bot"),
        (lambda: duel("a", "b", 4, design=Design.EXCHANGE), "no-field"),
        (lambda: duel("a", "b", 4, others=["c"]), "mirror-with-field"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(make: object, reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        make()  # type: ignore[operator]
    assert refused.value.reason == reason
