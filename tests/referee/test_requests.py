"""What a request is: for a match, for the session, or refused."""

from dataclasses import dataclass

import pytest
from mergemaker.v1 import actions_pb2, referee_pb2
from mergemaker_engine.actions import Place
from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.commitments import MATCH_ID_BYTES_MAX
from mergemaker_referee.sessions.requests import NotTaken, Ping, Pong, Read, TakeSeat, read
from mergemaker_table.inputs import Answered, AnswerIndex, Resign, SeatCommitted, SeatRevealed


@dataclass(frozen=True)
class Own:
    seat: int


OWN = {"m": Own(2)}
PLACED = actions_pb2.Action(place=actions_pb2.Place(square=5))


def _answer(**choice: object) -> referee_pb2.Answer:
    return referee_pb2.Answer(decision=4, note="so", **choice)  # type: ignore[arg-type]  # one of two


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"answer": _answer(index=1)}, Answered(2, 4, AnswerIndex(1), "so", 7, 9)),
        ({"answer": _answer(action=PLACED)}, Answered(2, 4, Place(5), "so", 7, 9)),
        ({"resign": referee_pb2.Resign()}, Resign(2, 7)),
        ({"seat_ready": referee_pb2.SeatReady(commitment=b"c")}, SeatCommitted(2, b"c")),
        ({"seat_reveal": referee_pb2.SeatReveal(part=b"p")}, SeatRevealed(2, b"p")),
        ({"take_seat": referee_pb2.TakeSeat()}, TakeSeat("m", None)),
        ({"take_seat": referee_pb2.TakeSeat(seat=0)}, TakeSeat("m", 0)),
        ({"ping": referee_pb2.Ping(id=3)}, Ping(3)),
        ({"pong": referee_pb2.Pong(id=3)}, Pong(3)),
    ],
)
def test_each_kind_is_read(content: dict[str, object], expected: Read) -> None:
    request = referee_pb2.PlayRequest(match="m", **content)  # type: ignore[arg-type]  # one of the kinds
    assert read(request, OWN, 7, lambda: 9) == expected


@pytest.mark.parametrize(
    ("content", "reason", "decision"),
    [
        ({"match": "other", "answer": _answer(index=1)}, "unknown-match", 4),
        ({"match": "other", "resign": referee_pb2.Resign()}, "unknown-match", None),
        ({"match": "x" * (MATCH_ID_BYTES_MAX + 1), "answer": _answer(index=1)}, "unknown-match", None),
        ({"match": "m"}, "unknown-request", None),
    ],
)
def test_what_goes_nowhere_says_why(content: dict[str, object], reason: str, decision: int | None) -> None:
    given = read(referee_pb2.PlayRequest(**content), OWN, 7)  # type: ignore[arg-type]  # as above
    assert isinstance(given, NotTaken)
    assert (given.refusal.reason, given.decision, given.request) == (
        reason,
        decision,
        next((name for name in content if name != "match"), ""),
    )


def test_an_answer_that_no_position_accepts_names_the_rule_that_it_breaks() -> None:
    traded = actions_pb2.Action(trade_pair=actions_pb2.TradePair(give=1, take=1))
    given = read(referee_pb2.PlayRequest(match="m", answer=_answer(action=traded)), OWN, 7)
    assert isinstance(given, Answered)
    assert isinstance(given.answer, Refusal)
    assert (given.answer.reason, given.answer.rule) == ("same-chain", "PWR-4")
