"""Forks at the table: banks and credit that continue, a fork's own clock, seats that play again, and restarts."""

from dataclasses import replace
from functools import cache
from typing import Any, Final

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import FORKED, AnsweredBy, Ending, Header, Incident, Parent, PlayIncident, Status
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.matches.forking import ForkWish, fork_lines, secrets_of
from mergemaker_table import CLOCKS, ClockTerms, Table, TableError, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import Joined, Left, Resign, RoundTrip, Void
from mergemaker_table.outputs import DefaultTaken, Request
from mergemaker_table.record_checks import TermsFound, check_terms
from mergemaker_table.table import RECOVERED
from mergemaker_testkit.table_driver import Said, TableDriver, random_player, silent_player, table_setup

CLASSIC: Final = preset("renegade-classic")
SEATS: Final = 3
BANKED: Final = Terms(
    ClockTerms(
        name="banked",
        allowance_ms=10,
        bank_ms=9_000,
        increment_ms=5,
        startup_ms=1_000,
        credit_decision_ms_max=40,
        credit_match_ms_max=60,
    )
)

OTHER: Final = Terms(replace(BANKED.clock, name="other", bank_ms=8_000))


def thinking_player(request: Request, nonce: bytes, refused: int) -> Said:
    """Answers at random, after a time that depends on the decision."""
    return replace(random_player(request, nonce, refused), after_ms=20 + request.decision_id % 7)


def failing_player(request: Request, nonce: bytes, refused: int) -> Said | None:
    """Does not answer its first three questions."""
    return None if request.decision_id <= 3 else random_player(request, nonce, refused)


@cache
def played(
    terms: str | Terms = BANKED,
    players: tuple[Any, ...] = (thinking_player,) * SEATS,
    mode: DealMode = DealMode.SERVER,
    never: tuple[int, ...] = (),
) -> Record:
    """A match played to its end."""
    driver = TableDriver(Table(table_setup(CLASSIC, SEATS, terms, mode)), players)
    driver.start(*(seat for seat in range(SEATS) if seat not in never))
    for seat in range(SEATS):
        if seat not in never:
            driver.feed(RoundTrip(seat, in_ns(3)))
    driver.play_on()
    return verify(driver.lines).record


def forked(record: Record, decision: int, *, players: tuple[Any, ...] = (thinking_player,) * SEATS, **wish: Any) -> TableDriver:
    """A fork of it, before its bots arrive."""
    wished = ForkWish(record=record, decision=decision, bots=("other",) * SEATS, **wish)
    lines = fork_lines(wished, f"{record.header.match}-fork", "mergemaker", "2026-11-19T00:00:00Z")
    assert record.end is not None
    driver = TableDriver(Table.recovered(read_record(lines), secrets_of(record.end)), players)
    driver.lines += lines
    driver.open()
    return driver


def arrive(driver: TableDriver) -> None:
    """All bots come, each at a distance of 3 ms."""
    driver.join()
    for seat in range(SEATS):
        driver.feed(RoundTrip(seat, in_ns(3)))


def go_on(driver: TableDriver) -> Record:
    """Plays a fork to its end; its record verifies."""
    arrive(driver)
    driver.play_on()
    record = verify(driver.lines, with_audit=True).record
    assert check_terms(record) is TermsFound.CHECKED
    return record


def last_bank(record: Record, seat: int, before: int) -> int:
    """A seat's remaining bank before a decision, from the record."""
    found = [line.run["bank_ms"] for line in record.decisions[: before - 1] if line.seat == seat and "bank_ms" in line.run]
    bank = found[-1] if found else BANKED.clock.bank_ms
    assert isinstance(bank, int)
    return bank


def driver_seat(driver: TableDriver) -> int:
    """The seat with the open question."""
    found = [(seat, driver.table.snapshot(seat, driver.now_ns)) for seat in range(SEATS)]
    return next(seat for seat, snapshot in found if snapshot is not None and snapshot.request is not None)


def place_of(what: str, driver: TableDriver) -> int:
    """The place of the only incident of a kind."""
    (place,) = [at for at, line in enumerate(driver.opened()) if isinstance(line, Incident) and line.what == what]
    return place


def header_of(driver: TableDriver) -> Header:
    line = driver.opened()[0]
    assert isinstance(line, Header)
    return line


# --- what is repeated ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", DealMode)
@pytest.mark.parametrize("decision", [1, 2, 57])
def test_a_fork_whose_bots_repeat_ends_as_its_parent_with_the_same_times(mode: DealMode, decision: int) -> None:
    record = played(mode=mode)
    fork = go_on(forked(record, decision))
    assert fork.chains.game == record.chains.game
    timed = [[(line.run.get("used_ms"), line.run.get("bank_ms")) for line in each.decisions] for each in (record, fork)]
    assert timed[0] == timed[1]
    assert [fork.header.parent and fork.header.parent.match, fork.header.bots] == ["m-1", ("other",) * SEATS]


def test_a_seat_that_never_joined_before_the_deal_keeps_the_play_before_the_fork_as_it_was() -> None:
    record = played(never=(1,))
    driver = forked(record, 9)
    lines = driver.opened()
    taken = next(line for line in driver.lines if line.startswith(b'{"kind":"decision","n":8,'))
    assert header_of(driver).parent == Parent("m-1", 9, taken.split(b'"game":"')[1].split(b'"')[0].decode())
    assert getattr(lines[1], "what", None) == PlayIncident.NEVER_JOINED
    fork = go_on(driver)
    assert fork.end is not None
    assert fork.end.statuses == (Status.FINISHED,) * SEATS
    assert not [line for line in fork.decisions[8:] if line.by is AnsweredBy.NEVER_JOINED]


def test_incidents_of_the_parents_run_are_not_repeated_and_one_marks_the_place() -> None:
    record = played()
    driver = forked(record, 30)
    told = [line.what for line in driver.opened() if hasattr(line, "what")]
    assert told == [FORKED]


def test_a_fork_of_a_fork_verifies_and_begins_like_both() -> None:
    record = played(players=(silent_player, thinking_player, thinking_player))
    at_once = (random_player,) * SEATS
    first = go_on(forked(record, 80, players=at_once))
    assert first.decisions[:79] == record.decisions[:79]
    for decision in (60, 80, 100):
        second = go_on(forked(first, decision, players=at_once))
        assert second.decisions[: decision - 1] == first.decisions[: decision - 1]
        assert (second.chains.game == first.chains.game) == (decision >= 80)


def test_decisions_and_events_are_numbered_on_and_a_seat_can_have_all_of_them() -> None:
    record = played()
    driver = forked(record, 40)
    for seat in range(SEATS):
        snapshot = driver.table.snapshot(seat, 0)
        events = driver.table.events_since(seat, 0)
        assert snapshot is not None
        assert len(events) == snapshot.events_seen > 0
    driver.join()
    put = [line for line in record.decisions[:39] if line.seat == driver.question.seat and line.by is AnsweredBy.BOT]
    assert driver.question.request.decision_id == len(put) + 1


# --- the clock ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", [1, 30, 90])
def test_each_seat_goes_on_with_the_bank_and_the_credit_that_the_record_leaves_it(decision: int) -> None:
    record = played()
    fork = go_on(forked(record, decision, players=(random_player,) * SEATS))
    # A bot that answers at once pays nothing, and gets the increment.
    for seat in range(SEATS):
        own = [line for line in fork.decisions[decision - 1 :] if line.seat == seat and line.by is AnsweredBy.BOT]
        assert own[0].run["bank_ms"] == last_bank(record, seat, decision) + 5
    driver = forked(record, decision)
    seat = driver_seat(driver)
    used = sum(
        line.run["credit_ms"]  # type: ignore[misc]  # numbers, as the table wrote them
        for line in record.decisions[: decision - 1]
        if line.seat == seat and "credit_ms" in line.run
    )
    driver.feed(Joined(seat))
    driver.feed(RoundTrip(seat, in_ns(1_000)))
    driver.hand()
    assert driver.table.wake_at_ns == in_ns(10 + last_bank(record, seat, decision) + min(40, 60 - used)) + 1


def test_a_clock_of_its_own_has_full_banks_and_leaves_the_parents_in_the_game() -> None:
    record = played()
    driver = forked(record, 60, terms=Terms(CLOCKS["fast"]))
    header = header_of(driver)
    assert header.clock == record.header.clock
    assert header.more["clock"] == {"decision": 60, "terms": Terms(CLOCKS["fast"]).plain()}
    fork = go_on(driver)
    assert fork.chains.game == record.chains.game
    firsts = [
        next(line for line in fork.decisions[59:] if line.seat == seat and line.by is AnsweredBy.BOT) for seat in range(SEATS)
    ]
    assert [line.run["bank_ms"] for line in firsts] == [10_000] * SEATS


def test_a_fork_of_a_fork_has_its_clock_unless_it_begins_before_it() -> None:
    first = go_on(forked(played(), 60, terms=Terms(CLOCKS["fast"])))
    names = {}
    for decision in (59, 60, 61):
        driver = forked(first, decision)
        names[decision] = driver.table.setup.terms.clock.name
        assert header_of(driver).clock == first.header.clock
        bank = driver.table.snapshot(driver_seat(driver), 0)
        assert bank is not None
        assert bank.request is not None
        full = last_bank(first, driver_seat(driver), 59) if decision == 59 else 10_000
        assert bank.request.bank_ms == full
    assert names == {59: "banked", 60: "fast", 61: "fast"}


def test_a_record_without_a_clock_is_gone_on_with_without_one() -> None:
    record = played("none")
    driver = forked(record, 20)
    driver.join()
    driver.hand()
    assert driver.table.wake_at_ns is None
    assert driver.question.request.time_left_ms is None


def test_nobodys_time_runs_before_its_bot_has_come() -> None:
    driver = forked(played(), 40)
    waiting = driver_seat(driver)
    driver.pass_ms(600_000)
    driver.feed(Joined((waiting + 1) % SEATS))
    assert not driver.of_kind(DefaultTaken)
    before = driver.table.snapshot(waiting, driver.now_ns)
    assert before is not None
    assert before.request is not None
    driver.feed(Joined(waiting))
    driver.hand()
    assert driver.question.request.time_left_ms == before.request.time_left_ms == before.request.bank_ms + 10  # type: ignore[operator]  # it has one
    # After that, a broken connection is its own problem.
    driver.feed(Left(waiting))
    driver.pass_ms(60_000)
    driver.look_at_clock()
    assert driver.last_decision().by is AnsweredBy.DISCONNECTED


# --- seats that were out of the play ------------------------------------------------------------------------


@pytest.mark.parametrize("own", [None, Terms(CLOCKS["fast"])], ids=["the record's clock", "its own clock"])
def test_a_seat_on_autopilot_plays_again_and_counts_anew(own: Terms | None) -> None:
    record = played(players=(silent_player, thinking_player, thinking_player))
    assert record.end is not None
    assert record.end.statuses[0] is Status.AUTOPILOT
    # Its bank is empty, unless it has a new one.
    driver = forked(record, 90, players=((thinking_player if own else random_player),) * SEATS, terms=own)
    fork = go_on(driver)
    assert [standing.since for standing in driver.ended.standings] == [None] * SEATS
    assert fork.end is not None
    assert fork.end.statuses == (Status.FINISHED,) * SEATS
    assert {line.by for line in fork.decisions[89:]} <= {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}
    # Defaults in the parent still count.
    assert fork.end.faults[0][AnsweredBy.TIMEOUT] == 5


def test_a_seat_that_plays_again_and_fails_is_given_up_again_after_as_many_defaults() -> None:
    record = played(players=(silent_player, thinking_player, thinking_player))
    fork = go_on(forked(record, 90, players=(silent_player, thinking_player, thinking_player)))
    own = [line.by for line in fork.decisions[89:] if line.seat == 0 and line.by is not AnsweredBy.AUTOMATIC]
    assert own[:6] == [AnsweredBy.TIMEOUT] * 5 + [AnsweredBy.AUTOPILOT]


def test_thinking_of_the_bot_before_is_not_that_of_the_fork() -> None:
    driver = forked(played(), 90, players=(random_player,) * SEATS)
    go_on(driver)
    assert {standing.thinking.total_ms for standing in driver.ended.standings} == {0}


@pytest.mark.parametrize("what", ["resign", "void"])
def test_a_fork_whose_seat_leaves_at_its_first_question_verifies(what: str) -> None:
    driver = forked(played(), 40)
    driver.join()
    if what == "void":
        driver.feed(Void("enough"))
        assert driver.ended.why is Ending.VOIDED
    else:
        driver.feed(Resign(driver.question.seat))
        driver.play_on()
    verify(driver.lines)


# --- restarts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [0, 1, 40])
@pytest.mark.parametrize("own", [None, Terms(CLOCKS["fast"])], ids=["the record's clock", "its own clock"])
def test_a_fork_that_is_broken_off_goes_on_as_it_would_have(steps: int, own: Terms | None) -> None:
    record = played(players=(silent_player, thinking_player, thinking_player))
    straight = go_on(forked(record, 90, terms=own, chances=bytes(32)))
    driver = forked(record, 90, terms=own, chances=bytes(32))
    if steps:
        driver.join()
    for _ in range(steps):
        driver.step()
    driver.crash()
    assert [len(driver.incidents(what)) for what in (FORKED, RECOVERED, PlayIncident.PLAYS_AGAIN)] == [1, 1, 1]
    fork = go_on(driver)
    assert fork.chains.game == straight.chains.game
    assert fork.decisions[-1].run.get("bank_ms") == straight.decisions[-1].run.get("bank_ms")


@pytest.mark.parametrize("own", [None, OTHER], ids=["the record's clock", "its own clock"])
def test_what_was_used_before_the_fork_is_not_counted_behind_a_restart_and_what_was_used_in_it_is(own: Terms | None) -> None:
    record = played(players=(failing_player, thinking_player, thinking_player))
    failures = [line for line in record.decisions[:89] if line.by is AnsweredBy.TIMEOUT]
    assert len(failures) == 3
    assert record.end is not None
    assert record.end.statuses == (Status.FINISHED,) * SEATS
    banks = []
    for steps in (0, 40):
        driver = forked(record, 90, players=(silent_player, thinking_player, thinking_player), terms=own)
        arrive(driver)
        for _ in range(steps):
            driver.step()
        driver.crash()
        fork = go_on(driver)
        own_lines = [line for line in fork.decisions[89:] if line.seat == 0 and line.by is not AnsweredBy.AUTOMATIC]
        # After a restart in between, an earlier question may be asked once more.
        assert [line.by for line in own_lines[:6]] == [AnsweredBy.TIMEOUT] * 5 + [AnsweredBy.AUTOPILOT]
        banks.append([line.run.get("bank_ms") for line in fork.decisions[89:]])
    assert banks[0] == banks[1]


@pytest.mark.parametrize("cut", [1, 2])
def test_a_crash_while_a_fork_begins_leaves_a_fork_that_begins_again(cut: int) -> None:
    driver = forked(played(players=(silent_player, thinking_player, thinking_player)), 90)
    del driver.lines[place_of(FORKED, driver) + 1 - cut :]
    driver.crash()
    assert [len(driver.incidents(what)) for what in (FORKED, RECOVERED, PlayIncident.PLAYS_AGAIN)] == [1, 0, 1]
    go_on(driver)


def test_a_fork_that_lacks_lines_of_its_parent_is_not_taken_up() -> None:
    driver = forked(played(), 90)
    del driver.lines[place_of(FORKED, driver) - 4 :]
    with pytest.raises(TableError, match="repeats the 89 decisions before its own, and here are 85") as refusal:
        driver.crash()
    assert refusal.value.reason == "unfinished-fork"


# --- chances ------------------------------------------------------------------------------------------------


def test_chances_of_its_own_give_other_nonces_and_a_fork_of_it_keeps_them() -> None:
    record = played()
    plain, own = forked(record, 40), forked(record, 40, chances=bytes(range(32)))
    assert plain.table.setup.seat_nonce(1) == table_setup(CLASSIC, SEATS).seat_nonce(1) != own.table.setup.seat_nonce(1)
    fork = go_on(own)
    assert fork.chains.game != record.chains.game
    assert forked(fork, 20).table.setup.seat_nonce(1) == own.table.setup.seat_nonce(1)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decision", "reason"), [(0, "no-such-decision"), (9_999, "no-such-decision")])
def test_there_is_no_fork_at_a_decision_that_is_not_there(decision: int, reason: str) -> None:
    with pytest.raises(RecordError) as refusal:
        forked(played(), decision)
    assert refusal.value.reason == reason
