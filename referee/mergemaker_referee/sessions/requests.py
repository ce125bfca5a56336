"""What a bot's request is: something for one of its matches, something for its session, or something unknown."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, Protocol, TypeAlias, assert_never, get_args

from mergemaker.v1 import referee_pb2
from mergemaker_engine.errors import Refusal, refusal_of
from mergemaker_engine.record.commitments import MATCH_ID_BYTES_MAX
from mergemaker_engine.shown import shown
from mergemaker_table.inputs import Answer, Answered, AnswerIndex, Resign, SeatCommitted, SeatRevealed
from mergemaker_wire.actions import action_from_message
from mergemaker_wire.errors import WireError

NAMES_TOLD_MAX: Final = 8
"""The most matches that a refusal names."""


@dataclass(frozen=True, slots=True)
class TakeSeat:
    """A bot wants a seat: in a match that it names, or in any; a seat that it names, or any."""

    match: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class DeclineSeat:
    """A bot gives back a seat before the match begins, and says why."""

    match: str
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Ping:
    """A bot wants to know whether its stream is alive."""

    number: int


@dataclass(frozen=True, slots=True)
class Pong:
    """A bot answers a ping."""

    number: int


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A request that goes nowhere, and why."""

    match: str
    """The bot's name for its match; empty if that is too long to repeat."""
    request: str
    """The kind of request; empty if unknown."""
    refusal: Refusal
    decision: int | None = None
    """If it is an answer: to which decision."""


KindForMatch: TypeAlias = Literal["answer", "resign", "seat_ready", "seat_reveal"]
KINDS_FOR_MATCH: Final[Collection[str | None]] = get_args(KindForMatch)
"""What a match reads itself, if it is in another process."""
ForMatch: TypeAlias = Answered | Resign | SeatCommitted | SeatRevealed
Read: TypeAlias = ForMatch | TakeSeat | DeclineSeat | Ping | Pong | NotTaken


class Seated(Protocol):
    """A seat that a bot plays."""

    @property
    def seat(self) -> int:
        """Its number."""


def read(
    request: referee_pb2.PlayRequest, seats: Mapping[str, Seated], at_ns: int, now_ns: Callable[[], int] | None = None
) -> Read:
    """Reads a request that is no Hello. `seats` are the bot's own, by match; with a clock, it says when an answer was read."""
    kind = request.WhichOneof("kind")
    if len(request.match) > MATCH_ID_BYTES_MAX:
        text = f"a match's name has at most {MATCH_ID_BYTES_MAX} characters, not {len(request.match)}"
        return NotTaken("", kind or "", Refusal("unknown-match", text))
    match kind:
        case "answer" | "resign" | "seat_ready" | "seat_reveal":
            own = seats.get(request.match)
            if own is not None:
                return _for_match(request, kind, own.seat, at_ns, now_ns)
            decision = request.answer.decision if kind == "answer" else None
            return NotTaken(request.match, kind, no_seat(request.match, seats), decision)
        case "take_seat":
            wanted = request.take_seat
            return TakeSeat(request.match, wanted.seat if wanted.HasField("seat") else None)
        case "decline_seat":
            return DeclineSeat(request.match, request.decline_seat.reason, request.decline_seat.text)
        case "ping":
            return Ping(request.ping.id)
        case "pong":
            return Pong(request.pong.id)
        case "hello" | None:
            text = "this kind of request is not known here: a newer referee may know it"
            return NotTaken(request.match, kind or "", Refusal("unknown-request", text))
        case _:
            assert_never(kind)


def _for_match(
    request: referee_pb2.PlayRequest, kind: KindForMatch, seat: int, at_ns: int, now_ns: Callable[[], int] | None
) -> ForMatch:
    match kind:
        case "answer":
            answer = request.answer
            given = _answer(answer)
            return Answered(seat, answer.decision, given, answer.note or None, at_ns, now_ns() if now_ns else None)
        case "resign":
            return Resign(seat, at_ns)
        case "seat_ready":
            return SeatCommitted(seat, request.seat_ready.commitment)
        case "seat_reveal":
            return SeatRevealed(seat, request.seat_reveal.part)
        case _:
            assert_never(kind)


def _answer(message: referee_pb2.Answer) -> Answer:
    match message.WhichOneof("choice"):
        case "index":
            return AnswerIndex(message.index)
        case "action":
            try:
                return action_from_message(message.action)
            except WireError as problem:
                return refusal_of(problem)
        case None:
            return Refusal("no-choice", "an answer holds an action or an index; this one holds neither")
        case unknown:
            assert_never(unknown)


def no_seat(match: str, seats: Mapping[str, Seated]) -> Refusal:
    """Why a request goes nowhere if its bot has no seat in the match."""
    return Refusal(
        "unknown-match", f"this session has no seat in a match {shown(match)}; it has one in {_some(seats.keys()) or 'none'}"
    )


def _some(names: Collection[str]) -> str:
    """Names for a text: a few, and how many more there are."""
    text = ", ".join(islice(names, NAMES_TOLD_MAX))
    return text if len(names) <= NAMES_TOLD_MAX else f"{text} and {len(names) - NAMES_TOLD_MAX} more"
