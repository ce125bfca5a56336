"""What bots say, as what a table takes."""

from collections.abc import Callable

from mergemaker.v1 import referee_pb2
from mergemaker_engine.errors import Refusal, refusal_of
from mergemaker_table.inputs import Answer, Answered, AnswerIndex, Input, Resign, SeatCommitted, SeatRevealed
from mergemaker_wire.actions import action_from_message
from mergemaker_wire.errors import WireError


def input_of(
    request: referee_pb2.PlayRequest, kind: str, seat: int, at_ns: int, now_ns: Callable[[], int] | None = None
) -> Input:
    """The input for the table that a request stands for; with a clock, it says when an answer was read."""
    match kind:
        case "resign":
            return Resign(seat, at_ns)
        case "seat_ready":
            return SeatCommitted(seat, request.seat_ready.commitment)
        case "seat_reveal":
            return SeatRevealed(seat, request.seat_reveal.part)
        case _:
            answer = request.answer
            read = _answer(answer)
            return Answered(seat, answer.decision, read, answer.note or None, at_ns, now_ns() if now_ns else None)


def _answer(message: referee_pb2.Answer) -> Answer:
    match message.WhichOneof("choice"):
        case "index":
            return AnswerIndex(message.index)
        case "action":
            try:
                return action_from_message(message.action)
            except WireError as problem:
                return refusal_of(problem)
        case _:
            return Refusal("no-choice", "an answer holds an action or an index; this one holds neither")
