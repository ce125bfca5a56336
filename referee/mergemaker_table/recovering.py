"""A match from an interrupted record: plays again what happened, and writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.errors import EngineError, Refusal
from mergemaker_engine.game import Game
from mergemaker_engine.record.commitments import WITHHELD, DealMode, joint_seed
from mergemaker_engine.record.digest import state_digest
from mergemaker_engine.record.lines import FORKED, STATUS_OF, AnsweredBy, DecisionLine, Incident, PlayIncident
from mergemaker_engine.record.reading import Record, answered, wrong
from mergemaker_engine.record.scribe import Secrets

from mergemaker_table.desk import DECLINED, DISCONNECTED, JOINED, TAKEN_OVER, Desk
from mergemaker_table.errors import TableError
from mergemaker_table.evidence import Evidence, evidence_in
from mergemaker_table.joining import COMMITTED, JOINING_BEGAN, committed_in
from mergemaker_table.refusals import LATE, REJECTED, Rejection
from mergemaker_table.run_members import VERSION, text_in
from mergemaker_table.run_notes import WHY
from mergemaker_table.seats import FAILURES, OVERDUE, PUT, Seat

_COMING_AND_GOING: Final = frozenset({JOINED, DISCONNECTED, TAKEN_OVER, DECLINED})


@dataclass(slots=True)
class Recovery:
    """What a record says beside the game and the seats, as of its last line."""

    at_ms: int = 0
    """How much of the match had passed."""
    refusals: int = 0
    """How many answers to the open decision were refused."""
    last_refusal: Rejection | None = None
    """The last of them."""
    committed: tuple[bytes | None, ...] | None = None
    """Joint mode: the seats' commitments, once all knew them."""
    joining_began: bool = False
    """Whether the time to join had begun, if the match waited for that."""
    voided: str | None = None
    """Why the match was voided, if only its end line is missing."""
    voided_evidence: Evidence | None = None
    """Whose fault that was."""
    begins_fork: bool = False
    """Whether the record has only what a fork repeats from its parent."""


def seed_of(record: Record, secrets: Secrets) -> bytes:
    """The seed of a deal. In joint mode the seats' parts are in it; before it was made, none of them."""
    if record.header.mode is not DealMode.JOINT or secrets.server_seed is None:
        return secrets.seed
    parts = (None,) * record.header.seats if record.deal is None else record.deal.contributions
    return joint_seed(secrets.server_seed, [WITHHELD if part is None else part for part in parts])


def recover(desk: Desk, record: Record) -> Recovery:
    """Brings game and seats to where the record ends; all its events count as sent."""
    if record.end is not None:
        raise TableError("ended", "this record has an end line: the match is over, and cannot be taken up again")
    if record.deal is not None:
        game = record.start(desk.secrets.seed)
        if state_digest(game) != record.deal.digest:
            raise TableError("wrong-secrets", "these secrets make another deal than the record's: they are of another match")
        desk.contributions = record.deal.contributions
        desk.game = game
        desk.announce(game.start_events)
    found = Recovery()
    decisions = 0
    for line_number, line in record.entries:
        found.at_ms = max(found.at_ms, _number(line.run, "at_ms") or 0)
        if isinstance(line, Incident):
            _repeat_incident(desk, line, found, decisions + 1)
            continue
        assert desk.game is not None, "a record has its deal line before its first decision"
        _begin_clocks_anew(desk, line.number)
        try:
            _repeat_decision(desk, desk.game, line)
        except EngineError as error:
            raise wrong(error, line_number) from error
        found.refusals, found.last_refusal = 0, None
        decisions += 1
    _begin_clocks_anew(desk, decisions + 1)
    _begin_fork(desk, record, found, decisions)
    _check_last_digest(desk, record)
    desk.mark_told()
    for seat in desk.seats:
        seat.back = False
    return found


def _begin_clocks_anew(desk: Desk, decision: int) -> None:
    """Where a fork's own clock begins, time used on another one does not count."""
    fork = desk.setup.fork
    if fork is not None and fork.terms is not None and fork.clock_from == decision:
        for seat in desk.seats:
            seat.clock.begin_anew()


def _begin_fork(desk: Desk, record: Record, found: Recovery, decisions: int) -> None:
    """Finds whether a fork has been played on, or still ends with its parent's lines."""
    parent = record.header.parent
    if parent is None:
        return
    if desk.game is None or decisions + 1 < parent.decision:
        raise TableError(
            "unfinished-fork",
            f"a fork repeats the {parent.decision - 1} decisions before its own, and here are {decisions}: fork the match again",
        )
    is_begun = any(isinstance(line, Incident) and line.what == FORKED for _, line in record.entries)
    found.begins_fork = decisions + 1 == parent.decision and not is_begun and found.voided is None


def _check_last_digest(desk: Desk, record: Record) -> None:
    decisions = record.decisions
    if desk.game is not None and decisions and state_digest(desk.game) != decisions[-1].digest:
        raise TableError("wrong-state", "playing the record again gives another state than its last decision says")


def _repeat_incident(desk: Desk, line: Incident, found: Recovery, decision: int) -> None:
    if line.what == PlayIncident.VOIDED:
        found.voided = line.why or ""
        found.voided_evidence = evidence_in(line.run)
    elif line.what in (JOINING_BEGAN, COMMITTED):
        _repeat_joining(desk, line, found)
    elif line.what == FORKED:
        found.refusals, found.last_refusal = 0, None
        for each in desk.seats:
            each.begin_fork()
    elif line.seat is not None:
        _repeat_incident_of(desk.seats[line.seat], line, found, decision)


def _repeat_incident_of(seat: Seat, line: Incident, found: Recovery, decision: int) -> None:
    """What a seat's incident says about that seat."""
    if line.what == PlayIncident.PLAYS_AGAIN:
        seat.begin_fork()
    elif line.what in STATUS_OF:
        seat.retire(STATUS_OF[line.what], decision)
    elif line.what in _COMING_AND_GOING:
        _repeat_connection(seat, line)
    elif line.what == REJECTED:
        found.refusals += 1
        cause = AnsweredBy.ILLEGAL if line.run.get("cause") == AnsweredBy.ILLEGAL else AnsweredBy.PROTOCOL
        found.last_refusal = Rejection(cause, Refusal(str(line.run.get("reason")), line.why or ""))
    elif line.what == LATE:
        seat.late.add(_number(line.run, "id") or 0)


def _repeat_connection(seat: Seat, line: Incident) -> None:
    seat.connection_lines += 1
    seat.joined = line.what != DECLINED
    if line.what != DISCONNECTED:
        seat.version = text_in(line.run, VERSION)


def _repeat_joining(desk: Desk, line: Incident, found: Recovery) -> None:
    """How far a match had come before its deal."""
    found.joining_began = True
    if line.what == COMMITTED:
        found.committed = committed_in(line.run.get("commitments"), len(desk.seats))


def _repeat_decision(desk: Desk, game: Game, line: DecisionLine) -> None:
    _, answer, events = answered(game, line)
    desk.answers.append(answer)
    desk.announce(events)
    seat = desk.seats[line.seat]
    decision_id = None
    if line.by in PUT:
        seat.last_id += 1
        decision_id = seat.last_id
        _repeat_times(seat, line)
    seat.answered(line.by, decision_id)
    _repeat_default(desk, seat, line)
    if line.by in OVERDUE:
        seat.overdue[seat.last_id] = None


def _repeat_default(desk: Desk, seat: Seat, line: DecisionLine) -> None:
    """What the bot learned about a default, which it gets again at the end."""
    evidence = evidence_in(line.run)
    number = seat.last_id
    if line.by is AnsweredBy.RESIGNED and evidence is not None:
        number += 1  # it was asked, and the bot resigned over it: nothing is asked after it
    elif line.by not in FAILURES:
        return
    why = line.run.get(WHY)
    seat.default_taken(number, line.by, why if isinstance(why, str) else "", evidence, desk.setup.terms.faults.defaults_max)


def _repeat_times(seat: Seat, line: DecisionLine) -> None:
    run = line.run
    used, bank = _number(run, "used_ms"), _number(run, "bank_ms")
    if used is not None:
        seat.thought(used)
    if bank is not None:
        seat.clock.restore(bank, _number(run, "credit_ms") or 0, by_bot=line.by is AnsweredBy.BOT)


def _number(run: Mapping[str, object], name: str) -> int | None:
    """A number of a line's `run`. Everything in it may be missing or of another type."""
    value = run.get(name)
    return value if type(value) is int and value >= 0 else None
