"""Over real connections: a bot gets its fault with the measurements, the record has the same, and the numbers add up."""

import threading
import time
from collections.abc import Callable

import structlog
from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker_engine.record.lines import DecisionLine, Incident
from mergemaker_referee.matches.making import MadeMatch
from mergemaker_referee.matches.telling import evidence_message
from mergemaker_referee.records.files import open_record
from mergemaker_table.evidence import AtFault, Evidence, MomentKind, evidence_in
from mergemaker_table.inputs import Void
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.live_referee import Clients, LiveReferee, RawBot

BLINK = ClockTerms(name="blink", allowance_ms=60, bank_ms=40, startup_ms=60_000)
ROOMY = ClockTerms(name="roomy", allowance_ms=400, bank_ms=60_000, startup_ms=60_000)
STALL_S = 0.3
ASKED, HANDED, RECEIVED, PARSED, JUDGED, DEADLINE, LEFT, _, DEFAULT, _ = MomentKind


def _seated(clients: Clients, made: MadeMatch) -> tuple[int, list[RawBot]]:
    """Both bots, and the number of the first asked."""
    bots = [clients.seated(made, seat) for seat in range(2)]
    return bots[0].until("match_started").match_started.view.turn_seat, bots


def _lines(made: MadeMatch) -> list[DecisionLine | Incident]:
    return [line for _, line in open_record(made.journal.path).entries]


def _written(made: MadeMatch, chosen: Callable[[DecisionLine | Incident], bool]) -> tuple[DecisionLine | Incident, Evidence]:
    line = next(line for line in _lines(made) if chosen(line))
    evidence = evidence_in(line.run)
    assert evidence is not None
    return line, evidence


def _first_default(line: DecisionLine | Incident) -> bool:
    return isinstance(line, DecisionLine) and line.by.startswith("default")


def _rejected(line: DecisionLine | Incident) -> bool:
    return isinstance(line, Incident) and line.what == "rejected"


def _at(evidence: Evidence, kind: MomentKind) -> int:
    at_us = evidence.at_us(kind)
    assert at_us is not None
    return at_us


def test_of_a_bot_that_says_nothing(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=BLINK)
    first, bots = _seated(clients, made)
    told = bots[first].until("default_taken").default_taken
    line, evidence = _written(made, _first_default)
    assert told.evidence == evidence_message(evidence)
    assert (evidence.verdict.at_fault, evidence.verdict.reason) == (AtFault.BOT, "no-answer")
    assert told.text == line.run["why"]
    assert [moment.kind for moment in evidence.moments] == [ASKED, HANDED, DEADLINE, DEFAULT]
    assert _at(evidence, ASKED) == 0
    # Its whole time, to the microsecond; a later or stopped time was the referee's own.
    given_us = _at(evidence, DEADLINE) - _at(evidence, HANDED) - evidence.stood_us
    assert given_us in (100_000, 100_001), "each of the three is rounded down"
    assert (line.run["used_ms"], line.run["bank_ms"]) == (100, 0)
    ends = [bot.until("match_ended").match_ended for bot in bots]
    assert ends[first].defaults[0] == told
    for seat, ended in enumerate(ends):
        # Nobody learns of others' faults.
        assert {each.evidence.trace.split(".")[1] for each in ended.defaults} == {str(seat)}


def test_of_illegal_answers(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=ROOMY)
    first, bots = _seated(clients, made)
    asked = bots[first].until("decision").decision
    told = []
    for _ in range(3):
        bots[first].answer(made.table.setup.match, asked.id, index=10_000)
        last = bots[first].until("answer_refused")
        told.append(last.answer_refused)
    taken = last.default_taken  # both arrive at once
    _, evidence = _written(made, _rejected)
    assert told[0].evidence == evidence_message(evidence)
    assert told[0].problem.trace == evidence.trace == f"{made.table.setup.match}.{first}.{asked.id}"
    times = [_at(evidence, kind) for kind in (ASKED, HANDED, RECEIVED, PARSED, JUDGED)]
    assert times[0] == 0
    assert times[2:] == sorted(times[2:])
    line, evidence = _written(made, _first_default)
    assert taken.evidence == evidence_message(evidence)
    assert (taken.cause, evidence.verdict.reason) == (match_pb2.FAULT_CAUSE_ILLEGAL, "refused")
    assert _at(evidence, RECEIVED) <= _at(evidence, PARSED) <= _at(evidence, JUDGED) <= _at(evidence, DEFAULT)
    # The charge is at most the time between the transport's two stamps.
    used = line.run["used_ms"]
    assert isinstance(used, int)
    assert used <= max(_at(evidence, RECEIVED) - _at(evidence, HANDED), 0) // 1_000


def test_of_garbage(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=BLINK)
    first, bots = _seated(clients, made)
    bots[first].until("decision")
    bots[first].send(b"\xff\xff\xff")
    said, _ = bots[first].goodbye()
    assert said.reason == "unreadable"
    assert said.trace
    bots[1 - first].until("match_ended")
    gone, evidence = _written(made, lambda line: isinstance(line, Incident) and line.what == "disconnected")
    assert isinstance(gone, Incident)
    assert (gone.seat, evidence.verdict.reason, evidence.verdict.at_fault) == (first, "unreadable", AtFault.BOT)
    assert _at(evidence, LEFT) > 0
    joined = [line for line in _lines(made) if isinstance(line, Incident) and line.what == "joined" and line.seat == first]
    # The record has the name that the bot can quote.
    assert [line.run["trace"] for line in joined] == [said.trace]
    line, evidence = _written(made, lambda line: isinstance(line, DecisionLine) and line.by == "default: disconnected")
    assert isinstance(line, DecisionLine)
    assert (line.seat, evidence.verdict.reason) == (first, "unreadable")


def test_of_a_bot_that_is_killed(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=BLINK)
    first, bots = _seated(clients, made)
    bots[first].until("decision")
    bots[first].drop()
    ended = bots[1 - first].until("match_ended").match_ended
    line, evidence = _written(made, lambda line: isinstance(line, DecisionLine) and line.by == "default: disconnected")
    assert isinstance(line, DecisionLine)
    assert (line.seat, evidence.verdict.at_fault, evidence.verdict.reason) == (first, AtFault.BOT, "left")
    causes = {fault.cause for fault in ended.standings[first].faults}
    assert match_pb2.FAULT_CAUSE_DISCONNECTED in causes
    assert evidence.at_us(DEADLINE) is not None


def test_of_a_referee_that_stands_still(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=ROOMY)
    first, bots = _seated(clients, made)
    asked = bots[first].until("decision").decision
    standing = threading.Event()

    def stall() -> None:
        standing.set()
        time.sleep(STALL_S)  # the fault under test, not a wait of the test

    threading.Thread(target=lambda: referee.run_sync(stall), daemon=True).start()
    assert standing.wait(60)
    bots[first].answer(made.table.setup.match, asked.id, index=int(asked.default_index))
    bots[first].until("answer_accepted")
    line = next(line for line in _lines(made) if isinstance(line, DecisionLine) and line.by == "bot")
    lag, used = line.run["referee_lag_ms"], line.run["used_ms"]
    assert isinstance(lag, int)
    assert isinstance(used, int)
    # A beat may have been under way when it began.
    assert lag >= STALL_S * 1_000 - 20
    assert line.run["bank_ms"] == 60_000, "nobody was charged"


def test_of_a_fault_of_the_referee_no_bot_hears_a_reproach(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=ROOMY)
    _, bots = _seated(clients, made)
    running = referee.running
    assert running is not None
    hosted = running.referee._seating.matches[made.table.setup.match]

    def broken(*_: object) -> None:
        raise KeyError("by a fault of the program")

    hosted.table._playing.take = broken  # type: ignore[union-attr,method-assign]  # the fault
    bots[0].answer(made.table.setup.match, 1, index=0)
    for bot in bots:
        ended = bot.until("match_ended").match_ended
        assert ended.ending == match_pb2.ENDING_VOIDED
        assert (ended.voided.at_fault, ended.voided.reason) == (match_pb2.AT_FAULT_REFEREE, "fault")
        assert not ended.standings
        assert not ended.defaults
    _, evidence = _written(made, lambda line: isinstance(line, Incident) and line.what == "voided")
    assert (evidence.verdict.at_fault, evidence.verdict.text) == (AtFault.REFEREE, "a fault of the referee: KeyError")


def test_of_a_match_that_is_cancelled(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=ROOMY)
    _, bots = _seated(clients, made)
    running = referee.running
    assert running is not None
    hosted = running.referee._seating.matches[made.table.setup.match]
    referee.run_sync(hosted.post, Void("enough", AtFault.NOBODY, "cancelled"))
    ended = bots[0].until("match_ended").match_ended
    assert (ended.voided.at_fault, ended.voided.reason, ended.voided.text) == (match_pb2.AT_FAULT_NOBODY, "cancelled", "enough")
    assert ended.voided.trace == made.table.setup.match


def test_what_the_bot_is_told_stands_in_the_log(referee: LiveReferee, clients: Clients) -> None:
    made = referee.create(clock=ROOMY)
    with structlog.testing.capture_logs() as logged:
        first, bots = _seated(clients, made)
        asked = bots[first].until("decision").decision
        match = made.table.setup.match
        for _ in range(3):
            bots[first].answer(match, asked.id, index=10_000)
        refused = bots[first].until("default_taken").answer_refused
        bots[first].send(referee_pb2.PlayRequest(match="another", resign=referee_pb2.Resign()))
        problem = bots[first].until("request_refused").request_refused.problem
        bots[first].send(referee_pb2.PlayRequest(match="another", answer=referee_pb2.Answer(decision=7)))
        unknown = bots[first].until("answer_refused").answer_refused.problem
        bots[first].send(b"\xff")
        said, _ = bots[first].goodbye()
    by_trace = {(entry["event"], entry.get("trace")) for entry in logged}
    assert ("an answer was refused", refused.problem.trace) in by_trace
    assert ("a default was taken", refused.problem.trace) in by_trace
    assert problem.trace == unknown.trace == said.trace != ""
    for event in ("a bot is there", "a request was refused", "a stream is ended"):
        assert (event, said.trace) in by_trace
