"""On request, answers that need no bot wait as long as a bot's: the time does not show whether anybody was asked."""

from collections import Counter
from collections.abc import Sequence

import pytest
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, EndLine
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import Table
from mergemaker_table.clock import in_ns
from mergemaker_table.disguise import DELAY_MS_MAX, TIMES_KEPT, Disguise
from mergemaker_table.errors import TableError
from mergemaker_table.inputs import Joined, Left, Resign, Tick, Void
from mergemaker_table.outputs import Request
from mergemaker_testkit.table_driver import Player, Said, TableDriver, random_player, table_setup

SECRET = bytes(range(64, 96))
CLASSIC = preset("renegade-classic")
THINKING_MS = 70


def thoughtful(request: Request, nonce: bytes, refused: int = 0) -> Said:
    return Said(random_player(request, nonce, refused).answer, THINKING_MS)


def driver(players: Sequence[Player], most_ms: int | None = 1_000, rules: str = "renegade-classic") -> TableDriver:
    disguise = None if most_ms is None else Disguise(SECRET, len(players), most_ms)
    return TableDriver(Table(table_setup(preset(rules), len(players)), disguise=disguise), players)


def decisions(played: TableDriver) -> list[DecisionLine]:
    return [line for line in played.opened() if isinstance(line, DecisionLine)]


def gaps(played: TableDriver) -> Counter[tuple[AnsweredBy, int]]:
    """For each decision, who answered it and how long it took, as others see it: the match begins at 0."""
    found: Counter[tuple[AnsweredBy, int]] = Counter()
    before = 0
    for line in decisions(played):
        at = line.run["at_ms"]
        assert isinstance(at, int)
        found[line.by, at - before] += 1
        before = at
    return found


def game_hash(played: TableDriver) -> bytes:
    (end,) = [line for line in played.lines if b'"kind":"end"' in line]
    return end.partition(b'"game":"')[2][:22]


def test_without_it_an_answer_that_needs_no_bot_takes_no_time() -> None:
    played = driver([thoughtful] * 3, None)
    played.play()
    found = gaps(played)
    assert {took for by, took in found if by is AnsweredBy.AUTOMATIC} == {0}
    assert found[AnsweredBy.AUTOMATIC, 0] > 10


def test_with_it_the_time_does_not_tell_whether_anybody_was_asked() -> None:
    played = driver([thoughtful] * 3)
    played.play()
    found = gaps(played)
    # The first answers may be automatic ones, before any bot has shown how long bots need.
    assert {(by, took) for (by, took), count in found.items() if count > 1} == {
        (AnsweredBy.BOT, THINKING_MS),
        (AnsweredBy.AUTOMATIC, THINKING_MS),
    }
    verify(played.lines)


@pytest.mark.parametrize("rules", ["renegade-classic", "renegade-tycoon", "avalon-hill"])
def test_the_game_is_the_same_with_it(rules: str) -> None:
    one, other = driver([thoughtful] * 3, None, rules), driver([thoughtful] * 3, 500, rules)
    one.play()
    other.play()
    assert game_hash(one) == game_hash(other)
    assert [(line.answer, line.by) for line in decisions(one)] == [(line.answer, line.by) for line in decisions(other)]
    assert one.ended.standings == other.ended.standings


def test_a_seat_that_is_retired_takes_its_time_as_before() -> None:
    played = driver([thoughtful] * 3)
    played.start()
    while len([line for line in decisions(played) if line.by is AnsweredBy.BOT]) < 12:
        played.step()
    played.feed(Resign(1))
    before = len(decisions(played))
    played.play_on()
    found = [(by, took) for by, took in gaps(played) if by is AnsweredBy.RESIGNED]
    assert len(decisions(played)) > before
    assert set(found) - {(AnsweredBy.RESIGNED, THINKING_MS)} <= {(AnsweredBy.RESIGNED, took) for took in range(THINKING_MS)}
    assert (AnsweredBy.RESIGNED, THINKING_MS) in found


def held_back() -> TableDriver:
    """A match whose next answer needs no bot, but waits."""
    played = driver([thoughtful] * 3)
    played.start()
    while played.asked is not None or played.barrier is not None:
        played.step()
    return played


def test_nobody_is_asked_while_an_answer_waits_and_nothing_is_told() -> None:
    played = held_back()
    wake_at = played.table.wake_at_ns
    assert wake_at is not None
    before = len(played.outputs)
    played.now_ns = wake_at - 1
    assert played.feed(Tick()) == ()
    assert all((snapshot := played.table.snapshot(seat, played.now_ns)) and snapshot.request is None for seat in range(3))
    played.feed(Left(0, "gone"))
    played.feed(Joined(0))
    assert [type(output).__name__ for output in played.outputs[before:]] == ["WriteLine"] * 2
    assert played.table.wake_at_ns == wake_at
    played.now_ns = wake_at
    played.feed(Tick())
    assert decisions(played)[-1].by is AnsweredBy.AUTOMATIC
    played.play_on()
    verify(played.lines)


def test_a_match_that_is_broken_off_while_an_answer_waits_goes_on() -> None:
    whole = driver([thoughtful] * 3)
    whole.play()
    played = held_back()
    again = TableDriver(
        Table.recovered(read_record(played.lines), played.table.setup.secrets, Disguise(bytes(32), 3, 1_000)), [thoughtful] * 3
    )
    again.lines[:] = played.lines
    again.start()
    assert again.asked is None
    again.play_on()
    verify(again.lines)
    assert game_hash(again) == game_hash(whole)


def test_a_match_may_be_voided_while_an_answer_waits() -> None:
    played = held_back()
    played.feed(Void("enough"))
    assert played.table.wake_at_ns is None
    assert any(isinstance(line, EndLine) for line in played.opened())


def test_times_are_those_of_the_seat_or_of_all_or_anything_up_to_the_most() -> None:
    disguise = Disguise(SECRET, 3, 10)
    anything = {disguise.delay_ns(0) for _ in range(100)}
    assert len(anything) > 90
    assert max(anything) <= in_ns(10)
    disguise.note(1, 5)
    assert [disguise.delay_ns(seat) for seat in range(3)] == [5, 5, 5]
    disguise.note(0, 7)
    disguise.note(0, 9)
    assert {disguise.delay_ns(0) for _ in range(100)} == {7, 9}
    assert {disguise.delay_ns(2) for _ in range(100)} == {5, 7, 9}
    disguise.note(1, in_ns(11))
    assert {disguise.delay_ns(1) for _ in range(100)} == {5, in_ns(10)}
    for _ in range(TIMES_KEPT):
        disguise.note(0, 3)
    assert {disguise.delay_ns(0) for _ in range(100)} == {3}


def test_times_follow_from_the_seed_alone() -> None:
    def drawn(seed: bytes) -> list[int]:
        disguise = Disguise(seed, 2, 1_000)
        return [disguise.delay_ns(0) for _ in range(20)]

    assert drawn(SECRET) == drawn(SECRET)
    assert drawn(SECRET) != drawn(bytes(32))


@pytest.mark.parametrize("most", [0, -1, DELAY_MS_MAX + 1])
def test_a_delay_that_cannot_be_is_refused(most: int) -> None:
    with pytest.raises(TableError, match=f"1 to {DELAY_MS_MAX} ms"):
        Disguise(SECRET, 2, most)
