"""Findings of runs by seeds, one test each: the referee keeps its promises while its disk is slow or refuses."""

import errno
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.secrets_file import write_secrets
from mergemaker_table import CLOCKS, ClockTerms, Table, Terms
from mergemaker_table.inputs import Answered, AnswerIndex, Handed, Joined, Left, Tick, Void
from mergemaker_table.outputs import Ask, Barrier, Output, WriteLine
from mergemaker_testkit.table_driver import table_setup

from . import scenario_run
from .bots import Asked, SimBot
from .characters import GOOD, Habits, WildBot
from .checks import problems_of
from .disk import LifeDisk, LoopCommitter, NoFaults, Op, SimDisk
from .lives import RECORDS, Machine
from .office import Wanted, settings_with
from .scenario_run import ScenarioRun
from .scenarios import KNOWN_BOTS, LookOn, MatchPlan, Scenario, SeatPlan
from .standing_still import STOPPED, SUSPENDED, THROTTLED, Stop
from .test_world import SLOW_WAY, Played
from .troubles import DiskTrouble, Troubles
from .ways import NO_WAY, Way
from .world import MS, S

BREAKING = Habits(name="breaking", breaks=0.3)
ALWAYS_SLOW = Troubles(until_ns=30 * S, stalls=1.0)


def _run(
    troubles: Troubles,
    *spectators: LookOn,
    habits: Habits = GOOD,
    seats: tuple[str | None, ...] = (None, None),
    cancelled_after: int | None = None,
    limits: Limits | None = None,
    clock: ClockTerms = CLOCKS["standard"],
    way: Way = NO_WAY,
) -> ScenarioRun:
    plan = SeatPlan(habits=habits, way=way)
    match = MatchPlan(
        wanted=Wanted(seats=seats, clock=replace(clock, startup_ms=15_000)),
        made_at_ns=0,
        seats=(plan,) * len(seats),
        cancelled_at_ns=None,
        cancelled_after=cancelled_after,
        spectators=spectators,
    )
    known = dict.fromkeys(KNOWN_BOTS, plan)
    settings = settings_with(*KNOWN_BOTS, limits=limits or Limits())
    scenario = Scenario(seed="found", settings=settings, matches=(match,), known=known, known_at_once=3, troubles=troubles)
    return ScenarioRun(scenario).run()


def test_who_begins_to_look_on_while_a_line_is_written_does_not_see_it_before() -> None:
    moments = (LookOn(after_ns=each * 171 * MS, delay_ms=0, freezes_ns=0) for each in range(24))
    assert problems_of(_run(ALWAYS_SLOW, *moments, cancelled_after=60)) == []


def test_who_comes_back_while_a_line_is_written_is_shown_the_match_first() -> None:
    assert problems_of(_run(ALWAYS_SLOW, habits=BREAKING, cancelled_after=120)) == []


class _Hasty(WildBot):
    """Also answers its next decision before the question."""

    def asked(self, asked: Asked) -> None:
        for decision in (asked.decision.id, asked.decision.id + 1):
            answer = referee_pb2.Answer(decision=decision, index=0)
            self.say(referee_pb2.PlayRequest(match=asked.match, answer=answer))


def test_who_answers_before_he_is_asked_is_asked_before_his_answer_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario_run, "WildBot", _Hasty)
    assert problems_of(_run(Troubles())) == []


def test_what_is_said_behind_something_that_is_no_request_is_not_missed() -> None:
    raving = Habits(name="raving", raves=0.5, thinks_ns=5 * MS)
    held_up = Troubles(until_ns=30 * S, hold_ups=1.0)
    run = _run(held_up, habits=raving, clock=replace(CLOCKS["fast"], bank_ms=0), way=SLOW_WAY)
    assert problems_of(run) == []


@pytest.mark.parametrize(
    "stop",
    [
        Stop(kind=STOPPED, for_ns=100 * MS, told=20),
        Stop(kind=STOPPED, for_ns=30 * S, told=20),
        Stop(kind=STOPPED, for_ns=120 * S, told=3),
        Stop(kind=THROTTLED, for_ns=90 * MS, told=5, times=40, runs_ns=10 * MS),
        Stop(kind=SUSPENDED, for_ns=60 * S, told=20),
    ],
    ids=lambda stop: f"{stop.kind} for {stop.for_ns // MS} ms",
)
def test_nobody_pays_for_a_process_that_does_not_run(stop: Stop) -> None:
    thinking = Habits(name="thinking", thinks_ns=60 * MS)
    run = _run(Troubles(until_ns=30 * S, stops=(stop,)), habits=thinking, clock=replace(CLOCKS["fast"], bank_ms=0), way=SLOW_WAY)
    assert problems_of(run) == []
    assert run.machine.left_out
    (path,) = run.records()
    assert b'"by":"default' not in run.machine.disk.written(path)


def test_a_torn_line_may_stay_where_the_disk_is_given_up() -> None:
    torn = DiskTrouble(kind="torn", first=13, count=1, one_match=False)
    uncut = DiskTrouble(kind="read-only", first=14, count=50, one_match=True)  # its secrets can be deleted
    run = _run(Troubles(until_ns=30 * S, disk=(torn, uncut)), limits=Limits(disk_give_up_ms=1_500))
    (path,) = run.records()
    assert run.machine.disk.written(path)
    assert not run.machine.disk.written(path).endswith(b"\n")
    assert problems_of(run) == []


def test_who_comes_while_the_end_is_written_is_told_of_it_when_it_is() -> None:
    run = _run(replace(ALWAYS_SLOW, stalls=0.4), habits=BREAKING)
    assert problems_of(run) == []
    assert all(player.bot.ended_with for player in run.matches[0].players.values())


def test_time_to_join_stands_while_the_first_line_cannot_be_written() -> None:
    full = DiskTrouble(kind="full", first=5, count=50, one_match=False)
    run = _run(Troubles(until_ns=30 * S, disk=(full,)), seats=KNOWN_BOTS)
    (path,) = run.records()
    record = run.machine.disk.written(path)
    assert problems_of(run) == []
    assert b"never joined" not in record
    assert min(at for at, size in run.notebook.sizes[path] if size) > 15 * S


@pytest.mark.parametrize("first", range(4, 16))
def test_who_comes_while_the_disk_is_given_up_is_told_so(first: int) -> None:
    torn = DiskTrouble(kind="torn", first=first, count=12, one_match=False)
    run = _run(Troubles(until_ns=30 * S, disk=(torn,)), seats=(None,) * 4, limits=Limits(disk_give_up_ms=1_500))
    assert problems_of(run) == []
    assert all(player.bot.ended_with for player in run.matches[0].players.values())


class _Refuses(NoFaults):
    """A disk that refuses an operation several times."""

    def __init__(self, op: Op, times: int) -> None:
        self._op = op
        self.left = times

    def before(self, op: Op, path: PurePath, size: int) -> int | None:  # noqa: ARG002 - as in the port
        if op is self._op and self.left:
            self.left -= 1
            raise OSError(errno.EROFS, "read-only")
        return None


def test_a_match_that_the_disk_keeps_from_being_taken_up_is_tried_again() -> None:
    refuses = _Refuses(Op.TRUNCATE, 3)

    def trouble(machine: Machine, _: list[SimBot]) -> None:
        machine.faults = refuses
        machine.world.after(200 * MS, machine.kill)
        machine.world.after(300 * MS, machine.start)

    played = Played(2, trouble, SLOW_WAY)
    assert refuses.left == 0
    assert played.record.count(b'"what":"recovered"') == 1
    assert played.record.count(b'"by":"default') == 0
    assert all(bot.ended_with for bot in played.bots)


def test_a_record_whose_name_cannot_be_made_durable_is_not_left_there() -> None:
    disk = SimDisk()
    port = LifeDisk(disk, _Refuses(Op.SYNC, 1))
    with pytest.raises(OSError, match="read-only"):
        Journal.create(Path("/records/m.jsonl"), LoopCommitter(port.sync), port)
    assert not disk.files


def _left_without_sync(record: bytes) -> tuple[SimDisk, LifeDisk, Path]:
    """A record that the previous server wrote, but that was not durable when it ended."""
    disk = SimDisk()
    port = LifeDisk(disk, NoFaults())
    path = RECORDS / "20261118-120000-m.jsonl"
    port.write(port.create(path, 0o644), record)
    return disk, port, path


def test_what_is_taken_up_is_durable_before_anything_is_told_of_it() -> None:
    whole = Played(2).record
    header = whole[: whole.index(b"\n") + 1]
    disk, port, path = _left_without_sync(header)
    Journal.resume(path, LoopCommitter(port.sync), port)
    assert disk.durable(path, against_power=True) == header


def test_what_cannot_be_made_durable_is_not_taken_up() -> None:
    disk, _, path = _left_without_sync(Played(2).record)
    port = LifeDisk(disk, _Refuses(Op.SYNC, 1))
    with pytest.raises(OSError, match="read-only"):
        Journal.resume(path, LoopCommitter(port.sync), port)


def test_an_end_is_durable_before_it_is_told_again() -> None:
    record = Played(2).record
    disk, port, path = _left_without_sync(record)
    end = read_record([record]).end
    assert end is not None, "the match was played"
    write_secrets(path, Secrets(end.seed, end.server_seed, end.nonce), disk=port)
    maker = MatchMaker(
        folder=RECORDS,
        software="test",
        today=lambda: datetime(2026, 11, 18, tzinfo=UTC),
        committer=LoopCommitter(port.sync),
        disk=port,
    )
    made = maker.look_again(path)
    assert made.table.ended is not None
    assert made.receipt == read_record([record]).receipt
    assert disk.durable(path, against_power=True) == record


def test_a_joint_match_that_was_voided_before_its_deal_ends_with_the_same_seed_behind_a_restart() -> None:
    setup = table_setup(preset("renegade-classic"), 2, mode=DealMode.JOINT)
    table = Table(setup)
    outputs = [*table.open(0), *table.feed(Joined(0), 0), *table.feed(Void("enough"), 0)]
    lines = [output.line for output in outputs if isinstance(output, WriteLine)]
    before = table.ended
    again = Table.recovered(read_record(lines[:-1]), setup.secrets)
    again.open(0)
    assert before is not None
    assert again.ended is not None
    assert again.ended.secrets == before.secrets
    assert before.secrets.seed == read_record(lines).end.seed  # type: ignore[union-attr]  # it ended


def _asks(outputs: tuple[Output, ...]) -> list[Ask]:
    return [output for output in outputs if isinstance(output, Ask)]


def test_the_clock_of_a_seat_without_a_connection_stands_while_the_disk_does() -> None:
    clock = CLOCKS["fast"]
    table = Table(table_setup(preset("renegade-classic"), 2, Terms(replace(clock, bank_ms=0))))
    table.open(0)
    table.feed(Joined(0), 0)
    (ask,) = _asks(table.feed(Joined(1), 0))
    table.feed(Left(ask.seat), 10 * MS)
    table.stood_still(5 * S, 5 * S + 10 * MS)
    assert table.wake_at_ns == 5 * S + 110 * MS + 1
    assert not any(isinstance(output, WriteLine) for output in table.feed(Tick(), 5 * S + 110 * MS))
    (again,) = _asks(table.feed(Joined(ask.seat), 5 * S + 110 * MS))
    table.feed(Handed(ask.seat, again.request.decision_id, 5 * S + 110 * MS), 5 * S + 110 * MS)
    answer = Answered(ask.seat, again.request.decision_id, AnswerIndex(0), None, 5 * S + 110 * MS)
    lines = [output.line for output in table.feed(answer, 5 * S + 110 * MS) if isinstance(output, WriteLine)]
    assert str(AnsweredBy.BOT).encode() in lines[0]


def test_who_was_handed_a_question_has_no_more_time_for_a_disk_that_stands() -> None:
    table = Table(table_setup(preset("renegade-classic"), 2, Terms(replace(CLOCKS["fast"], bank_ms=0))))
    table.open(0)
    table.feed(Joined(0), 0)
    (ask,) = _asks(table.feed(Joined(1), 0))
    table.feed(Handed(ask.seat, ask.request.decision_id, 0), 0)
    table.stood_still(5 * S, 5 * S)
    assert any(isinstance(output, Barrier) for output in table.feed(Tick(), 100 * MS + 1))


def test_who_has_come_back_has_more_time_for_a_disk_that_stands_before_the_question_is_handed_again() -> None:
    table = Table(table_setup(preset("renegade-classic"), 2, Terms(replace(CLOCKS["fast"], bank_ms=0))))
    table.open(0)
    table.feed(Joined(0), 0)
    (ask,) = _asks(table.feed(Joined(1), 0))
    decision = ask.request.decision_id
    table.feed(Handed(ask.seat, decision, 0), 0)
    table.feed(Left(ask.seat), 10 * MS)
    assert _asks(table.feed(Joined(ask.seat), 20 * MS))
    table.stood_still(5 * S, 5 * S + 20 * MS)  # while its return is being recorded: it has no question yet
    assert table.wake_at_ns == 5 * S + 100 * MS + 1
    table.feed(Handed(ask.seat, decision, 5 * S + 20 * MS), 5 * S + 20 * MS)
    table.stood_still(S, 6 * S + 20 * MS)
    assert table.wake_at_ns == 5 * S + 100 * MS + 1
