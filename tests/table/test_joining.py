"""Before the deal: who joins, who does not, and the promises and parts of joint mode."""

from collections.abc import Sequence

import pytest
from mergemaker_engine.record.commitments import DealMode, seat_commitment
from mergemaker_engine.record.lines import AnsweredBy, DealLine, Ending, Status
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import CLOCKS, Phase, Table
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import Joined, Left, Resign, RoundTrip, SeatCommitted, SeatRevealed, TakenOver, Tick, Void
from mergemaker_table.outputs import Ask, Autopilot, Output, PartRefused, SeatsCommitted, Started
from mergemaker_testkit.table_driver import TableDriver, random_player, seat_part, table_setup

CLASSIC = preset("renegade-classic")
STARTUP_MS = 30_000


def _open(mode: DealMode = DealMode.SERVER, seats: int = 3, clock: str = "fast") -> TableDriver:
    driver = TableDriver(Table(table_setup(CLASSIC, seats, clock, mode)), [random_player] * seats, 1_000)
    driver.open()
    return driver


def _time_is_up(driver: TableDriver) -> tuple[Output, ...]:
    wake = driver.table.wake_at_ns
    assert wake is not None
    driver.now_ns = wake
    return driver.feed(Tick())


def _reasons(batch: Sequence[Output]) -> list[str]:
    return [output.refusal.reason for output in batch if isinstance(output, PartRefused)]


def _deal(driver: TableDriver) -> DealLine:
    return next(line for line in driver.opened() if isinstance(line, DealLine))


def _statuses(driver: TableDriver) -> list[Status]:
    return [standing.status for standing in driver.ended.standings]


@pytest.mark.parametrize("mode", [DealMode.SERVER, DealMode.PLAIN])
def test_the_deal_is_made_when_all_have_joined(mode: DealMode) -> None:
    driver = _open(mode)
    assert driver.table.phase is Phase.JOINING
    assert driver.table.wake_at_ns == 1_000 + in_ns(STARTUP_MS)
    driver.join(2, 0)
    assert (driver.table.turn, driver.of_kind(Started)) == (0, [])
    driver.join(1)
    assert (driver.table.phase, driver.table.turn) == (Phase.PLAYING, 1)
    assert [output.seat for output in driver.of_kind(Started)] == [0, 1, 2]
    assert len(driver.of_kind(Ask)) == 1
    assert [line.seat for line in driver.incidents("joined")] == [2, 0, 1]
    driver.play_on()
    verify(driver.lines, with_audit=True)


def test_time_to_start_has_a_limit_of_its_own_and_is_taken_from_no_bank() -> None:
    assert all(clock.startup_ms is None or clock.startup_ms >= STARTUP_MS for clock in CLOCKS.values())
    driver = _open()
    driver.join(0, 1)
    driver.pass_ms(STARTUP_MS - 1)
    assert driver.feed(Tick()) == ()
    driver.join(2)
    clock = CLOCKS["fast"]
    asked = driver.question.request
    assert (asked.bank_ms, asked.time_left_ms) == (clock.bank_ms, (clock.allowance_ms or 0) + clock.bank_ms)


def test_who_left_again_is_waited_for_while_there_is_time() -> None:
    driver = _open()
    driver.join(0)
    driver.feed(Left(0))
    driver.join(1, 2)
    assert driver.table.turn == 0
    driver.join(0)
    assert driver.table.phase is Phase.PLAYING


def test_who_left_again_and_is_not_back_in_time_plays_without_a_connection() -> None:
    driver = _open()
    driver.join(0)
    driver.feed(Left(0))
    driver.join(1, 2)
    _time_is_up(driver)
    assert driver.table.statuses == (Status.FINISHED,) * 3
    driver.play_on()
    assert driver.ended.standings[0].faults[AnsweredBy.DISCONNECTED] == 5


def test_who_does_not_join_is_played_for_from_the_start() -> None:
    driver = _open()
    driver.join(0, 2)
    batch = _time_is_up(driver)
    assert Autopilot(1, Status.NEVER_JOINED) in batch
    driver.play_on()
    standing = driver.ended.standings[1]
    assert (standing.status, standing.since, set(standing.faults)) == (Status.NEVER_JOINED, 1, {AnsweredBy.NEVER_JOINED})
    assert driver.of_kind(Ask, 1) == []
    verify(driver.lines, with_audit=True)


def test_who_joins_late_looks_on_from_his_own_seat() -> None:
    driver = _open()
    driver.join(0, 2)
    _time_is_up(driver)
    driver.join(1)
    assert driver.table.connected == (True,) * 3
    assert driver.table.statuses[1] is Status.NEVER_JOINED
    driver.play_on()
    assert driver.of_kind(Ask, 1) == []
    snapshot = driver.table.snapshot(1, driver.now_ns)
    assert snapshot is not None
    assert snapshot.events_seen == len(driver.table.events_since(1, 0))
    verify(driver.lines)


@pytest.mark.parametrize("mode", DealMode)
def test_a_match_that_nobody_joins_is_voided(mode: DealMode) -> None:
    driver = _open(mode)
    _time_is_up(driver)
    assert (driver.ended.why, driver.ended.voided_because) == (Ending.VOIDED, "nobody joined")
    assert _statuses(driver) == [Status.NEVER_JOINED] * 3
    assert driver.table.snapshot(0, driver.now_ns) is None
    assert driver.table.public_snapshot() is None
    verify(driver.lines)


def test_without_a_clock_everybody_is_waited_for() -> None:
    driver = _open(clock="none")
    assert driver.table.wake_at_ns is None
    driver.pass_ms(10**9)
    driver.join(0, 1)
    assert driver.table.phase is Phase.JOINING


def test_who_resigns_before_the_deal_is_not_waited_for() -> None:
    driver = _open()
    driver.join(0)
    driver.feed(Resign(0))
    driver.feed(Resign(0))
    assert len(driver.incidents("resigned")) == 1
    driver.feed(Left(0))
    driver.feed(RoundTrip(1, 5))
    driver.join(1, 2)
    driver.play_on()
    assert _statuses(driver) == [Status.RESIGNED, Status.FINISHED, Status.FINISHED]
    verify(driver.lines)


@pytest.mark.parametrize("mode", DealMode)
def test_a_match_may_be_voided_before_its_deal(mode: DealMode) -> None:
    driver = _open(mode)
    driver.join(0, 1)
    driver.feed(Void("the operator cancelled it"))
    assert driver.ended.voided_because == "the operator cancelled it"
    verify(driver.lines)


# --- joint mode ---


def test_in_joint_mode_all_commit_then_all_reveal_and_the_deal_is_made_of_all_parts() -> None:
    driver = _open(DealMode.JOINT)
    driver.join()
    assert driver.table.phase is Phase.JOINING
    driver.commit(0, 1)
    assert driver.of_kind(SeatsCommitted) == []
    driver.commit(2)
    shared = driver.of_kind(SeatsCommitted)
    assert [output.seat for output in shared] == [0, 1, 2]
    assert len(driver.incidents("committed")) == 1
    driver.reveal(0, 1)
    assert driver.table.turn == 0
    driver.reveal(2)
    assert driver.table.turn == 1
    deal = _deal(driver)
    assert (deal.seat_commitments, deal.contributions) == (shared[0].commitments, tuple(seat_part(seat) for seat in range(3)))
    driver.play_on()
    assert driver.ended.contributions == deal.contributions
    assert driver.ended.secrets.seed != driver.ended.secrets.server_seed
    verify(driver.lines, with_audit=True)


def test_a_seat_may_commit_before_the_others_have_joined() -> None:
    driver = _open(DealMode.JOINT)
    for seat in range(3):
        driver.join(seat)
        driver.commit(seat)
    assert len(driver.of_kind(SeatsCommitted)) == 3


@pytest.mark.parametrize("at_fault", ["join", "commit", "reveal"])
def test_who_has_no_part_in_the_deal_has_never_joined(at_fault: str) -> None:
    driver = _open(DealMode.JOINT)
    driver.join(*([0, 2] if at_fault == "join" else [0, 1, 2]))
    if at_fault == "join":
        _time_is_up(driver)
    driver.commit(*([0, 2] if at_fault != "reveal" else [0, 1, 2]))
    if at_fault == "commit":
        _time_is_up(driver)
    driver.reveal(0, 2)
    if at_fault == "reveal":
        _time_is_up(driver)
    deal = _deal(driver)
    assert deal.contributions == (seat_part(0), None, seat_part(2))
    assert (deal.seat_commitments[1] is None) == (at_fault != "reveal")
    driver.play_on()
    assert _statuses(driver) == [Status.FINISHED, Status.NEVER_JOINED, Status.FINISHED]
    verify(driver.lines)


def test_each_step_has_the_start_up_time_anew() -> None:
    driver = _open(DealMode.JOINT)
    driver.pass_ms(20_000)
    driver.join()
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(STARTUP_MS)
    driver.pass_ms(20_000)
    driver.commit(0, 1, 2)
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(STARTUP_MS)


@pytest.mark.parametrize("committed", [(), (0, 1, 2)])
def test_a_deal_in_which_nobody_has_a_part_is_voided(committed: tuple[int, ...]) -> None:
    driver = _open(DealMode.JOINT)
    driver.join()
    driver.commit(*committed)
    _time_is_up(driver)
    assert driver.ended.voided_because == "nobody joined"
    verify(driver.lines)


def test_who_comes_back_before_revealing_is_told_the_promises_again() -> None:
    driver = _open(DealMode.JOINT)
    driver.join()
    driver.commit(0, 1, 2)
    driver.feed(Left(1))
    told = driver.feed(Joined(1))
    assert told[-1] == driver.of_kind(SeatsCommitted, 1)[0]
    assert driver.feed(TakenOver(1))[-1] == told[-1]


def test_a_seat_that_resigned_is_not_waited_for_and_its_part_counts_if_it_came() -> None:
    driver = _open(DealMode.JOINT)
    driver.join()
    driver.commit(0, 1, 2)
    driver.reveal(0)
    driver.feed(Resign(0))
    driver.feed(Resign(1))
    driver.reveal(2)
    assert _deal(driver).contributions == (seat_part(0), None, seat_part(2))
    driver.play_on()
    assert _statuses(driver) == [Status.RESIGNED, Status.RESIGNED, Status.FINISHED]
    verify(driver.lines)


def test_commitments_and_parts_that_do_not_count_are_refused_with_a_reason() -> None:
    driver = _open(DealMode.JOINT)
    driver.join()
    promise = driver.table.setup.promise
    assert promise is not None
    mine = seat_commitment(promise.commitment, 0, seat_part(0))
    assert _reasons(driver.feed(SeatCommitted(0, b"short"))) == ["bad-length"]
    assert _reasons(driver.feed(SeatRevealed(0, seat_part(0)))) == ["not-now"]
    assert _reasons(driver.feed(SeatCommitted(0, mine))) == []
    assert _reasons(driver.feed(SeatCommitted(0, mine))) == []
    assert _reasons(driver.feed(SeatCommitted(0, bytes(32)))) == ["committed-already"]
    driver.commit(1)
    _time_is_up(driver)
    assert _reasons(driver.feed(SeatCommitted(2, bytes(32)))) == ["not-now"]
    assert _reasons(driver.feed(SeatCommitted(0, mine))) == []
    assert _reasons(driver.feed(SeatRevealed(2, bytes(32)))) == ["not-committed"]
    assert _reasons(driver.feed(SeatRevealed(0, b"short"))) == ["bad-length"]
    assert _reasons(driver.feed(SeatRevealed(0, seat_part(1)))) == ["wrong-part"]
    driver.reveal(0, 1)
    assert _deal(driver).contributions == (seat_part(0), seat_part(1), None)


def test_nobody_has_a_part_in_a_deal_of_the_server() -> None:
    driver = _open()
    assert _reasons(driver.feed(SeatCommitted(0, bytes(32)))) == ["not-joint"]
    assert _reasons(driver.feed(SeatRevealed(0, bytes(32)))) == ["not-joint"]
