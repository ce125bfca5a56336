"""`mergemaker shadow` with bots as processes, and the referee that it plays for them."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_client.reading import events_of, match_info, turn_of
from mergemaker_client.recorded import turns_of
from mergemaker_client.testing import play_match
from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_referee.connections import Closing, Connection, Listener, OnHanded
from mergemaker_referee.identities import SeatHolder
from mergemaker_referee.records.files import open_record
from mergemaker_referee.tokens import TokenKind, fresh_token
from mergemaker_table.inputs import Answered, AnswerIndex
from mergemaker_tools.shadowing.referee import ShadowFront
from mergemaker_tools.shadowing.seat import RecordedSeat

from tests.tools.conftest import Run

RECORD = "match.jsonl"
GOLDEN = Path(__file__).parents[1] / "golden"
SEAT = 1
TOKEN = fresh_token(TokenKind.SEAT)
GREEDY_BUT_TWICE = """
import sys
from mergemaker_client import run
from mergemaker_client.bot import settled
from mergemaker_client.bots.greedy import GreedyBot

class Twice(GreedyBot):
    told = 0

    def on_events(self, events):
        self.told += len(events)
        super().on_events(events)

    def answer(self, turn):
        assert turn.events_seen == self.told
        usual = settled(turn, super().answer(turn))[0]
        if str(turn.number) in sys.argv[1:]:
            return next(answer for answer in turn.answers if answer != usual)
        return usual

print("this must not be in the output")
print("this is shown", file=sys.stderr)
run(Twice)
"""
ILLEGAL = """
from mergemaker_client import Bot, run

class Four(Bot):
    def choose_purchase(self, turn):
        return turn.buy({0: 2, 1: 2})

if __name__ == "__main__":
    run(Four)
"""
DIES = """
import os, sys
from mergemaker_client import Bot, run

class Dying(Bot):
    def answer(self, turn):
        if turn.number == 3:
            print("these are my last words", file=sys.stderr, flush=True)
            os._exit(7)
        return turn.default

run(Dying)
"""
CLUMSY = """
from mergemaker_client import Bot, run

class Clumsy(Bot):
    def choose_purchase(self, turn):
        raise LookupError(turn.number)

if __name__ == "__main__":
    run(Clumsy)
"""
SILENT = "import threading; threading.Event().wait()"


@pytest.fixture(scope="module")
def lines() -> tuple[bytes, ...]:
    return play_match(["random", "greedy", "random"], seed=9).lines


@pytest.fixture
def record(lines: tuple[bytes, ...], tmp_path: Path) -> Record:
    (tmp_path / RECORD).write_bytes(b"".join(lines))
    return read_record(lines)


def _choices(record: Record) -> list[int]:
    """The questions with more than one answer, by their number for the seat."""
    return [each.turn.number for each in turns_of(record, SEAT) if len(each.turn.answers) > 1]


# --- over the network ------------------------------------------------------------------------------------------------


def test_a_command_line_is_asked_all_and_the_two_differing_answers_are_listed(
    run: Callable[..., Run], tmp_path: Path, record: Record
) -> None:
    (tmp_path / "twice.py").write_text(GREEDY_BUT_TWICE, "utf-8")
    choices = _choices(record)
    changed = [choices[2], choices[-1]]
    command = shlex.join([sys.executable, "twice.py", *map(str, changed)])
    done = run("shadow", RECORD, "--seat", str(SEAT), "--json", "--", command)
    assert done.status == 0, done.err
    assert "this is shown" in done.err
    document = json.loads(done.out)
    by_turn = {each.turn.number: each.number for each in turns_of(record, SEAT)}
    assert document["questions"] == len(by_turn)
    assert [each["decision"] for each in document["differences"]] == [by_turn[turn] for turn in changed]
    assert all(each["legal"] and each["recorded"] != each["answered"] for each in document["differences"])


def test_a_script_answers_as_a_process_as_it_does_in_this_one(run: Callable[..., Run], tmp_path: Path, record: Record) -> None:
    (tmp_path / "shadow_buys_four.py").write_text(ILLEGAL, "utf-8")
    where = f"{RECORD}@{record.decisions[-1].number // 2}"
    documents = [
        json.loads(run("shadow", where, "--seat", str(SEAT), "--json", bot).out)
        for bot in ("shadow_buys_four.py", "shadow_buys_four:Four")
    ]
    assert documents[0]["differences"] == documents[1]["differences"]
    refused = [each for each in documents[0]["differences"] if not each["legal"]]
    assert refused
    assert all(each["refusal"] for each in refused)
    assert documents[0]["questions"] == documents[1]["questions"]


def test_a_script_that_raises_errors_has_failed_also_where_the_default_was_the_recorded_answer(
    run: Callable[..., Run], tmp_path: Path, record: Record
) -> None:
    (tmp_path / "shadow_clumsy.py").write_text(CLUMSY, "utf-8")
    process, here = (
        run("shadow", RECORD, "--seat", str(SEAT), "--json", bot) for bot in ("shadow_clumsy.py", "shadow_clumsy:Clumsy")
    )
    failed, expected = (
        [(each["decision"], each["answered"]) for each in json.loads(done.out)["differences"] if each["failure"]]
        for done in (process, here)
    )
    purchases = [
        line.number for line in record.decisions if (line.seat, line.by, line.asked.split()[0]) == (SEAT, "bot", "ChoosePurchase")
    ]
    assert failed == expected == [(number, None) for number in purchases]
    assert process.err.count("LookupError: ") == len(purchases)


def test_a_bot_that_has_nothing_to_answer_is_not_started(run: Callable[..., Run], tmp_path: Path, record: Record) -> None:
    (tmp_path / "dies.py").write_text("1 / 0", "utf-8")
    last = max(each.number for each in turns_of(record, SEAT))
    assert last < record.decisions[-1].number
    done = run("shadow", f"{RECORD}@{last + 1}", "--seat", str(SEAT), "dies.py")
    assert (done.status, done.out) == (0, "0 questions, 0 answered otherwise\n")


def test_a_dying_bot_is_shown_with_its_last_lines(run: Callable[..., Run], tmp_path: Path, record: Record) -> None:
    assert record.end
    (tmp_path / "dies.py").write_text(DIES, "utf-8")
    done = run("shadow", RECORD, "--seat", str(SEAT), "--logs", "logs", "dies.py")
    assert (done.status, done.out) == (1, "")
    assert "exit status 7" in done.err
    assert "these are my last words" in done.err
    assert len(list((tmp_path / "logs").iterdir())) == 2


def test_a_bot_that_never_answers_is_ended_at_the_limit(run: Callable[..., Run], tmp_path: Path, record: Record) -> None:
    assert record.end
    (tmp_path / "silent.py").write_text(SILENT, "utf-8")
    done = run("shadow", RECORD, "--seat", str(SEAT), "--logs", "logs", "--limit", "1", "silent.py")
    assert (done.status, done.out) == (1, "")
    assert "did not take its seat within 1 s (--limit)" in done.err


# --- responses, without a network ---------------------------------------------------------------------------------


class Wire:
    """A stream to nowhere: keeps each response."""

    peer = "test"
    held_up_ns = 0
    unread_bytes = 0

    def __init__(self) -> None:
        self.sent: list[referee_pb2.PlayResponse] = []
        self.closing: Closing | None = None

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        assert handed is None
        self.sent.append(referee_pb2.PlayResponse.FromString(response))

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

    def barrier(self, passed: Callable[[], None]) -> None:
        raise AssertionError(passed)

    def close(self, closing: Closing, last: bytes = b"") -> None:
        assert referee_pb2.PlayResponse.FromString(last).goodbye.reason in ("", closing.reason)
        self.closing = closing


def _front(record: Record) -> ShadowFront:
    return ShadowFront(RecordedSeat(record, SEAT, 1), TOKEN)


def _stream(front: ShadowFront, resume: str = "", seen: int = 0) -> tuple[Wire, Listener]:
    wire = Wire()
    identity = front.identify(TOKEN)
    assert isinstance(identity, SeatHolder)
    connection: Connection = wire
    listener = front.play(connection, identity)
    hello = referee_pb2.Hello(protocols=[1])
    if resume:
        hello.resume.resume_token = resume
        hello.resume.seen.add(match=front.seat.setup.match, last_event=seen)
    listener.received(referee_pb2.PlayRequest(hello=hello).SerializeToString(), 0)
    return wire, listener


def _say(listener: Listener, **kind: object) -> None:
    listener.received(referee_pb2.PlayRequest(**kind).SerializeToString(), 0)  # type: ignore[arg-type]  # a message's fields


def test_a_seat_is_offered_without_a_clock_and_the_first_question_follows(record: Record) -> None:
    wire, listener = _stream(_front(record))
    _say(listener, take_seat=referee_pb2.TakeSeat())
    welcome, response = wire.sent
    assert welcome.welcome.protocol == 1
    assert (response.match, response.match_offered.seat) == (record.header.match, SEAT)
    assert response.match_offered.clock.name == "none"
    assert tuple(bot.name for bot in response.match_started.bots) == record.header.bots
    assert [event.number for event in response.events] == list(range(1, len(response.events) + 1))
    assert response.decision.id == 1
    assert not response.decision.HasField("time_left_ms")


def test_a_bot_that_comes_back_gets_what_it_missed_and_its_question_again(record: Record) -> None:
    front = _front(record)
    wire, listener = _stream(front)
    _say(listener, take_seat=referee_pb2.TakeSeat())
    _say(listener, match=record.header.match, answer=referee_pb2.Answer(decision=1, index=0))
    before = wire.sent[-1]
    assert before.answer_accepted.decision == 1
    listener.gone("cut off")
    seen = before.events[0].number
    again, _ = _stream(front, wire.sent[0].welcome.resume_token, seen)
    assert again.sent[0].welcome.resumed
    assert again.sent[1].decision == before.decision
    assert [event.number for event in again.sent[1].events] == [event.number for event in before.events[1:]]


def test_after_the_last_answer_the_end_is_told_and_no_other_seat_given(record: Record) -> None:
    front = _front(record)
    wire, listener = _stream(front)
    _say(listener, take_seat=referee_pb2.TakeSeat())
    while not wire.sent[-1].HasField("match_ended"):
        _say(listener, match=record.header.match, answer=referee_pb2.Answer(decision=wire.sent[-1].decision.id, index=0))
    assert record.end
    assert tuple(each.cash for each in wire.sent[-1].match_ended.standings) == record.end.cash
    _say(listener, take_seat=referee_pb2.TakeSeat())
    assert wire.sent[-1].request_refused.problem.reason == "match-over"
    assert front.seat.shadowed.questions == len(list(turns_of(record, SEAT)))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ({"match": "another", "take_seat": referee_pb2.TakeSeat()}, "unknown-match"),
        ({"take_seat": referee_pb2.TakeSeat(seat=0)}, "not-your-seat"),
        ({"seat_ready": referee_pb2.SeatReady()}, "unknown-request"),
        ({}, "unknown-request"),
    ],
)
def test_what_cannot_be_had_is_refused_with_a_reason(record: Record, kind: dict[str, object], reason: str) -> None:
    front = _front(record)
    wire, listener = _stream(front)
    _say(listener, **kind)
    assert wire.sent[-1].request_refused.problem.reason == reason
    assert front.awaited == "take its seat"


def test_a_second_claim_by_the_same_session_is_refused_and_pings_are_answered(record: Record) -> None:
    wire, listener = _stream(_front(record))
    _say(listener, take_seat=referee_pb2.TakeSeat())
    _say(listener, take_seat=referee_pb2.TakeSeat())
    assert wire.sent[-1].request_refused.problem.reason == "taken-seat"
    _say(listener, ping=referee_pb2.Ping(id=5))
    assert wire.sent[-1].pong.id == 5


def test_a_resignation_is_noted(record: Record) -> None:
    front = _front(record)
    _, listener = _stream(front)
    _say(listener, resign=referee_pb2.Resign())
    assert front.has_resigned


def test_strangers_and_what_is_no_request_are_turned_away(record: Record) -> None:
    front = _front(record)
    for token in (None, fresh_token(TokenKind.SEAT)):
        refused = front.identify(token)
        assert isinstance(refused, Closing)
        assert refused.reason == "wrong-token"
    wire, listener = _stream(front)
    listener.received(b"\xff\xff", 0)
    assert wire.closing
    assert wire.closing.reason == "unreadable"
    wire, listener = _stream(_front(record))
    _say(listener, hello=referee_pb2.Hello(protocols=[1]))
    assert wire.closing
    assert wire.closing.reason == "second-hello"


@pytest.mark.parametrize("name", ["classic-2-fork", "tycoon-4-joint", "reference-2-voided"])
def test_what_is_told_is_what_the_record_says_that_the_bot_met(name: str) -> None:
    record = open_record(GOLDEN / f"{name}.jsonl.gz")
    seat = RecordedSeat(record, SEAT, 1)
    response = referee_pb2.PlayResponse.FromString(seat.offer())
    info = match_info(response.match, response.match_offered, response.match_started)
    for recorded in turns_of(record, SEAT):
        turn = recorded.turn
        assert info.nonce == turn.match.nonce
        told = turn_of(info, response.decision, events_of(response.events), 0)
        assert (told.number, told.view, told.decision, told.default) == (turn.number, turn.view, turn.decision, turn.default)
        assert (tuple(told.events), told.events_seen, told.effects) == (turn.events, turn.events_seen, turn.effects)
        answer = Answered(SEAT, turn.number, recorded.answer, None, 0)
        response = referee_pb2.PlayResponse.FromString(seat.answer(answer))
    assert record.end
    assert len(response.match_ended.standings) == len(record.end.cash or ())
    assert seat.shadowed.differences == ()


@pytest.mark.parametrize(
    ("answer", "answered"),
    [(AnswerIndex(10**6), "index 1000000"), (Refusal("no-choice", "an answer holds something"), "unreadable")],
)
def test_an_answer_that_is_none_is_listed_with_its_reason_and_the_record_goes_on(
    record: Record, answer: AnswerIndex | Refusal, answered: str
) -> None:
    seat = RecordedSeat(record, SEAT, 1)
    seat.offer()
    said = referee_pb2.PlayResponse.FromString(seat.answer(Answered(SEAT, 1, answer, None, 0)))
    assert said.answer_refused.refusals_left == 0
    assert said.decision.id == 2
    (difference,) = seat.shadowed.differences
    assert (difference.answered, difference.legal) == (answered, False)
    assert difference.refusal


def test_an_answer_to_another_decision_changes_nothing(record: Record) -> None:
    seat = RecordedSeat(record, SEAT, 1)
    seat.offer()
    said = referee_pb2.PlayResponse.FromString(seat.answer(Answered(SEAT, 7, AnswerIndex(0), None, 0)))
    assert said.answer_refused.problem.reason == "stale-decision"
    assert not said.answer_refused.HasField("refusals_left")
    assert seat.request is not None
    assert seat.request.decision_id == 1
