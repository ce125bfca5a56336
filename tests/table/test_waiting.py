"""A match that waits for its time to join, and what happens to one if not all come."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, Ending, Header, PlayIncident, Status
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_table import Phase, Table, TableError
from mergemaker_table.clock import in_ns
from mergemaker_table.evidence import AtFault, evidence_in
from mergemaker_table.inputs import Joined, JoiningBegins, Left, Resign, Tick, Void
from mergemaker_table.join_terms import WAIT_MS_MAX, JoinTerms, MissingSeats, join_terms_in
from mergemaker_table.outputs import Ask, Output, PartRefused
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

CLASSIC = preset("renegade-classic")
STARTUP_MS = 30_000
FAR_MS = 10 * STARTUP_MS
WAITING = JoinTerms(wait_ms_max=86_400_000)
ALL = JoinTerms(missing=MissingSeats.VOID)
ALL_WAITING = JoinTerms(missing=MissingSeats.VOID, wait_ms_max=86_400_000)


def _open(joining: JoinTerms, mode: DealMode = DealMode.SERVER, seats: int = 3) -> TableDriver:
    setup = replace(table_setup(CLASSIC, seats, "fast", mode), joining=joining)
    driver = TableDriver(Table(setup), [random_player] * seats, 1_000)
    driver.open()
    return driver


def _time_is_up(driver: TableDriver) -> tuple[Output, ...]:
    wake = driver.table.wake_at_ns
    assert wake is not None
    driver.now_ns = wake
    return driver.feed(Tick())


def _statuses(driver: TableDriver) -> list[Status]:
    return [standing.status for standing in driver.ended.standings]


def test_while_a_match_waits_no_time_to_join_runs_and_then_all_of_it() -> None:
    driver = _open(WAITING)
    assert (driver.table.phase, driver.table.wake_at_ns) == (Phase.WAITING, None)
    driver.pass_ms(FAR_MS)
    assert driver.feed(Tick()) == ()
    driver.feed(JoiningBegins())
    assert driver.table.phase is Phase.JOINING
    assert driver.table.wake_at_ns == driver.now_ns + in_ns(STARTUP_MS)
    assert [line.run["at_ms"] for line in driver.incidents("joining began")] == [FAR_MS]
    driver.join(0, 1, 2)
    driver.play_on()
    verify(driver.lines, with_audit=True)
    assert not driver.incidents("never joined")


def test_who_has_come_while_a_match_waited_need_not_come_again() -> None:
    driver = _open(WAITING)
    driver.join()
    assert (driver.table.phase, driver.table.connected) == (Phase.WAITING, (True,) * 3)
    assert driver.of_kind(Ask) == []
    driver.feed(JoiningBegins())
    assert driver.table.phase is Phase.PLAYING


def test_the_time_to_join_begins_once() -> None:
    driver = _open(WAITING)
    driver.feed(JoiningBegins())
    driver.pass_ms(STARTUP_MS - 1)
    driver.feed(JoiningBegins())
    driver.pass_ms(1)
    driver.join(0)
    driver.feed(Tick())
    assert driver.table.phase is Phase.PLAYING
    assert driver.feed(JoiningBegins()) == ()
    assert len(driver.incidents("joining began")) == 1
    for _ in range(2_000):
        if driver.table.ended is None:
            driver.step()
    assert driver.feed(JoiningBegins()) == ()


def test_a_match_that_does_not_wait_needs_no_beginning() -> None:
    driver = _open(ALL)
    assert driver.table.phase is Phase.JOINING
    assert driver.feed(JoiningBegins()) == ()
    assert driver.table.wake_at_ns == 1_000 + in_ns(STARTUP_MS)


def test_one_may_leave_commit_resign_or_be_voided_while_a_match_waits() -> None:
    driver = _open(WAITING, DealMode.JOINT)
    driver.join(0, 1)
    driver.feed(Left(0))
    driver.commit(1)
    assert driver.of_kind(PartRefused) == []
    driver.feed(Resign(1))
    assert driver.table.phase is Phase.WAITING
    driver.feed(Void("enough"))
    assert (driver.table.phase, driver.ended.voided_because) == (Phase.OVER, "enough")
    verify(driver.lines)


@pytest.mark.parametrize("joining", [JoinTerms(), ALL, WAITING, ALL_WAITING])
def test_a_restart_changes_nothing_for_a_match_that_waits(joining: JoinTerms) -> None:
    driver = _open(joining)
    phase = driver.table.phase
    driver.crash()
    assert driver.table.phase is phase
    assert driver.table.setup.joining == joining
    driver.feed(JoiningBegins())
    assert driver.table.phase is Phase.JOINING
    driver.crash()
    assert driver.table.phase is Phase.JOINING
    assert driver.table.wake_at_ns == in_ns(STARTUP_MS)
    assert len(driver.incidents("joining began")) == joining.waits


def test_a_table_knows_before_it_is_opened_whether_it_waits() -> None:
    driver = _open(WAITING)
    lines = list(driver.lines)
    driver.feed(JoiningBegins())
    assert Table(driver.table.setup).phase is Phase.WAITING
    assert Table.recovered(read_record(lines), driver.table.setup.secrets).phase is Phase.WAITING
    assert Table.recovered(read_record(driver.lines), driver.table.setup.secrets).phase is Phase.JOINING


# --- some do not come ---


def test_a_match_to_which_only_some_come_is_void_and_says_who_is_missing() -> None:
    driver = _open(ALL)
    driver.join(0)
    _time_is_up(driver)
    text = "not all bots joined in time; missing: bot 1 (seat 1), bot 2 (seat 2)"
    assert (driver.ended.why, driver.ended.voided_because) == (Ending.VOIDED, text)
    assert _statuses(driver) == [Status.FINISHED, Status.NEVER_JOINED, Status.NEVER_JOINED]
    assert [line.seat for line in driver.incidents(PlayIncident.NEVER_JOINED)] == [1, 2]
    (voided,) = driver.incidents(PlayIncident.VOIDED)
    written = evidence_in(voided.run)
    assert written is not None
    assert (written.verdict.at_fault, written.verdict.reason, written.verdict.text) == (AtFault.NOBODY, "missing-seats", text)
    assert driver.ended.evidence is not None
    assert driver.ended.evidence.verdict == written.verdict
    assert driver.of_kind(Ask) == []
    verify(driver.lines)


def test_where_the_terms_say_so_it_is_played_without_them() -> None:
    driver = _open(JoinTerms(missing=MissingSeats.PLAY, wait_ms_max=1))
    driver.feed(JoiningBegins())
    driver.join(0)
    _time_is_up(driver)
    driver.play_on()
    assert driver.ended.why is not Ending.VOIDED
    assert _statuses(driver) == [Status.FINISHED, Status.NEVER_JOINED, Status.NEVER_JOINED]
    assert set(driver.ended.standings[1].faults) == {AnsweredBy.NEVER_JOINED}


@pytest.mark.parametrize("mode", DealMode)
def test_a_match_to_which_nobody_comes_is_void_as_ever(mode: DealMode) -> None:
    driver = _open(ALL, mode)
    _time_is_up(driver)
    assert (driver.ended.why, driver.ended.voided_because) == (Ending.VOIDED, "nobody joined")
    assert _statuses(driver) == [Status.NEVER_JOINED] * 3


def test_who_came_and_left_again_is_not_missing() -> None:
    driver = _open(ALL)
    driver.join(0, 1, 2)
    assert driver.table.phase is Phase.PLAYING
    driver = _open(ALL)
    driver.join(0)
    driver.feed(Left(0))
    driver.join(1, 2)
    _time_is_up(driver)
    assert driver.table.phase is Phase.PLAYING


def test_who_came_and_gave_its_seat_up_is_not_missing() -> None:
    driver = _open(ALL)
    driver.join(0)
    driver.feed(Resign(0))
    driver.join(1, 2)
    assert driver.table.phase is Phase.PLAYING


@pytest.mark.parametrize("step", ["commit", "reveal"])
def test_nobody_can_void_a_match_by_keeping_its_part_of_the_deal_back(step: str) -> None:
    driver = _open(ALL, DealMode.JOINT)
    driver.join()
    if step == "commit":
        driver.commit(0, 1)
        _time_is_up(driver)
        driver.crash()
        driver.join()
    else:
        driver.commit(0, 1, 2)
    driver.reveal(0, 1)
    if driver.table.phase is not Phase.PLAYING:
        _time_is_up(driver)
    assert driver.table.phase is Phase.PLAYING
    driver.play_on()
    assert _statuses(driver) == [Status.FINISHED, Status.FINISHED, Status.NEVER_JOINED]


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_restart_between_the_missing_seats_and_the_end_makes_it_void_all_the_same(kept: int) -> None:
    driver = _open(ALL)
    driver.join(0)
    before = len(driver.lines)
    _time_is_up(driver)
    assert len(driver.lines) == before + 4
    del driver.lines[before + kept :]
    driver.crash()
    assert driver.ended.why is Ending.VOIDED
    assert driver.ended.voided_because is not None
    assert driver.ended.voided_because.startswith("not all bots joined in time; missing: bot 1 (seat 1)")
    verify(driver.lines)


# --- what is recorded ---


def _run_of(driver: TableDriver) -> Any:
    header = driver.opened()[0]
    assert isinstance(header, Header)
    return header.more


def test_terms_as_they_always_were_leave_nothing_in_the_record() -> None:
    assert _run_of(_open(JoinTerms())) == {}
    assert join_terms_in({}) == JoinTerms()


BEGINS = datetime(2026, 11, 18, 18, 0, 0, 500_000, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("joining", "plain"),
    [
        (ALL, {"missing": "void"}),
        (WAITING, {"missing": "play", "wait_ms_max": 86_400_000}),
        (JoinTerms(begins=BEGINS), {"missing": "play", "begins": "2026-11-18T17:00:00.500Z"}),
    ],
)
def test_other_terms_stand_in_the_header_and_are_read_back(joining: JoinTerms, plain: dict[str, object]) -> None:
    driver = _open(joining)
    assert _run_of(driver) == {"joining": plain}
    assert join_terms_in(_run_of(driver)) == joining


@pytest.mark.parametrize(
    "plain",
    [
        3,
        {},
        {"missing": "maybe"},
        {"missing": "void", "wait_ms_max": "1"},
        {"missing": "void", "wait_ms_max": True},
        {"missing": "void", "wait_ms_max": -1},
        {"missing": "void", "begins": "soon"},
        {"missing": "void", "begins": "2026-11-18T17:00:00"},
        {"missing": "void", "begins": 7},
    ],
)
def test_terms_that_are_none_are_refused(plain: object) -> None:
    with pytest.raises(TableError) as refused:
        join_terms_in({"joining": plain})
    assert refused.value.reason == "bad-terms"


@pytest.mark.parametrize(
    "terms",
    [{"wait_ms_max": WAIT_MS_MAX + 1}, {"wait_ms_max": 1.5}, {"begins": datetime(2026, 11, 18)}],  # noqa: DTZ001 - refused
)
def test_wrong_terms_are_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(TableError):
        JoinTerms(**terms)
    assert JoinTerms(begins=datetime(2026, 11, 18, tzinfo=UTC), wait_ms_max=WAIT_MS_MAX).waits


def test_a_record_that_is_broken_off_in_any_place_goes_on_as_it_was() -> None:
    whole = _open(ALL_WAITING)
    whole.feed(JoiningBegins())
    whole.join()
    whole.play_on()
    for cut in range(1, 6):
        driver = TableDriver(
            Table.recovered(read_record(whole.lines[:cut]), whole.table.setup.secrets), [random_player] * 3, 5_000
        )
        driver.lines = list(whole.lines[:cut])
        driver.open()
        _begin(driver, range(3))
        assert driver.play_on().why is whole.ended.why
        assert verify(driver.lines).record.end is not None


def _begin(driver: TableDriver, seats: Sequence[int]) -> None:
    if driver.table.phase is Phase.WAITING:
        driver.feed(JoiningBegins())
    for seat in seats:
        driver.feed(Joined(seat))
