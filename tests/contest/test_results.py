"""Results as values: what a match is worth, and which blocks count."""

from dataclasses import replace
from typing import Any

import pytest
from mergemaker_contest.errors import ContestError
from mergemaker_contest.results import (
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
    whole_blocks,
    without_faulty,
)
from mergemaker_contest.scores import Score

OUT = SeatStatus.AUTOPILOT


def _match(*money: int, out: tuple[int, ...] = (), **more: Any) -> MatchResult:
    seats = tuple(
        SeatResult(Player("ABCDEF"[seat]), cash, OUT if seat in out else SeatStatus.FINISHED) for seat, cash in enumerate(money)
    )
    return replace(MatchResult(match="m", block=0, deal=0, seats=seats), **more)


@pytest.mark.parametrize(
    ("score", "money", "out", "worth"),
    [
        (Score.SHARE, (600, 300, 100), (0,), (0, 0.75, 0.25)),
        (Score.SHARE, (600, 300), (0,), (0, 1)),
        (Score.SHARE, (600, 0, 0), (0,), (0, 0.5, 0.5)),
        (Score.SHARE, (600, 300, 100), (0, 1, 2), (0.6, 0.3, 0.1)),
        (Score.WIN, (600, 300, 100), (0,), (0, 1, 0)),
        (Score.PLACE, (600, 300, 100), (0,), (0, 1, 0.5)),
        (Score.PLACE, (600, 300, 100, 0), (0, 1), (1 / 6, 1 / 6, 1, 2 / 3)),
        (Score.PLACE, (600, 0), (0,), (0, 1)),
    ],
)
def test_a_seat_that_forfeits_is_last_if_that_is_asked(
    score: Score, money: tuple[int, ...], out: tuple[int, ...], worth: tuple[float, ...]
) -> None:
    match = _match(*money, out=out)
    assert match.scores(score, Forfeits.LAST) == pytest.approx(worth)
    assert match.scores(score, Forfeits.AS_PLAYED) == _match(*money).scores(score)


def test_places_are_shared_by_equal_money() -> None:
    assert _match(300, 500, 300, 100).places == (2, 1, 2, 4)


def test_a_block_counts_when_all_its_tables_are_played() -> None:
    first, second = _match(1, 2, match="one"), _match(3, 4, match="two", table=1)
    void = replace(first, match="void", ended=Ended.VOIDED)
    of_next = replace(first, match="next", block=1, deal=1)
    assert whole_blocks([first, void], {0: 2}) == ()
    for matches in ([first, second, void, of_next], [of_next, void, second, first, first]):
        blocks = whole_blocks(matches, {0: 2, 1: 1})
        assert [(block.block, [match.match for match in block.matches]) for block in blocks] == [
            (0, ["one", "two"]),
            (1, ["next"]),
        ]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"table": 2}, "not-scheduled"),
        ({"block": 7}, "not-scheduled"),
        ({"match": "again"}, "played-twice"),
        ({"table": 1, "deal": 5}, "several-deals"),
    ],
)
def test_matches_that_belong_to_no_block_are_refused(other: dict[str, Any], reason: str) -> None:
    with pytest.raises(ContestError) as refused:
        whole_blocks([_match(1, 2), _match(1, 2, **other)], {0: 2})
    assert refused.value.reason == reason


def test_blocks_with_faults_are_told_apart_by_whose_they_were() -> None:
    late, slow = Fault(FaultOf.BOT, "default: timeout"), Fault(FaultOf.NETWORK, "default: timeout", 3)
    matches = [
        replace(
            _match(1, 2),
            block=block,
            deal=block,
            match=str(block),
            seats=(SeatResult(Player("A"), 1, faults=faults), SeatResult(Player("B"), 2)),
        )
        for block, faults in enumerate([(), (late,), (slow,), (late, slow)])
    ]
    blocks = whole_blocks(matches, dict.fromkeys(range(4), 1))
    assert [block.block for block in without_faulty(blocks)] == [0]
    assert [block.block for block in without_faulty(blocks, frozenset({FaultOf.BOT}))] == [0, 2]
    counts = fault_counts(matches)
    assert counts == {(Player("A"), FaultOf.BOT, late.kind): 2, (Player("A"), FaultOf.NETWORK, slow.kind): 6}


def test_blocks_are_split_by_host() -> None:
    matches = [
        replace(_match(1, 2), block=block, deal=block, table=table, match=f"{block}/{table}", host=host)
        for block, hosts in enumerate([("x", "x"), ("y", "x"), ("x", "x")])
        for table, host in enumerate(hosts)
    ]
    split = by_host(whole_blocks(matches, dict.fromkeys(range(3), 2)))
    assert {host: [block.block for block in blocks] for host, blocks in split.items()} == {"x": [0, 2], "x + y": [1]}


def test_a_match_has_two_seats_or_more() -> None:
    with pytest.raises(ContestError) as refused:
        _match(1)
    assert refused.value.reason == "bad-seats"
