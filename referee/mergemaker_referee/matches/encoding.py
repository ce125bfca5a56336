"""Responses as bytes, made from parts, so that an event is encoded once for all that see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message
from mergemaker.v1 import referee_pb2, spectate_pb2
from mergemaker_engine.events import Event
from mergemaker_engine.views import View
from mergemaker_table.outputs import Request
from mergemaker_wire.decision_bytes import answers_bytes, effect_bytes, view_bytes
from mergemaker_wire.events import event_bytes
from mergemaker_wire.matches import SeatBot, bot_to_message
from mergemaker_wire.raw import number_tags, part_bytes, part_tags, varint
from mergemaker_wire.views import view_to_message

_EVENT_NUMBER_TAG: Final = b"\x08"
"""Field 1 of an Event, a varint."""


_NUMBERED_KEPT: Final = 2_048
"""More events than a match has."""
_NUMBERED: Final = tuple(_EVENT_NUMBER_TAG + varint(number) for number in range(_NUMBERED_KEPT))


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a `PlayResponse`."""

    order: int
    """The field's number; clients handle a response's fields in this order."""
    data: bytes
    is_due: bool = True
    """Whether it is sent with its batch. A part that is not due waits for one that is, as events do."""
    asks: int | None = None
    """The decision that it asks for, if it asks for one."""


EVENTS_ORDER: Final = referee_pb2.PlayResponse.EVENTS_FIELD_NUMBER
_ORDERS: Final = {field.name: field.number for field in referee_pb2.PlayResponse.DESCRIPTOR.fields}
_PLAY: Final = part_tags(referee_pb2.PlayResponse)
_WATCH: Final = part_tags(spectate_pb2.WatchResponse)
_EVENTS: Final = _PLAY["events"]
_WATCH_EVENTS: Final = _WATCH["events"]


_ACCEPTED: Final = _PLAY["answer_accepted"]
_ACCEPTED_ORDER: Final = _ORDERS["answer_accepted"]
_ACCEPTED_DECISION: Final = number_tags(referee_pb2.AnswerAccepted)["decision"]


def accepted_part(decision_id: int) -> Part:
    """The part that accepts an answer."""
    return Part(_ACCEPTED_ORDER, part_bytes(_ACCEPTED, _ACCEPTED_DECISION + varint(decision_id)), is_due=False)


def match_part(match: str) -> bytes:
    """The part of a response that names its match: any text, because the response repeats the name that the client gave."""
    return part_bytes(_PLAY["match"], match.encode())


def part(field: str, message: Message) -> Part:
    """The part of a `PlayResponse` that is this message."""
    return Part(_ORDERS[field], part_bytes(_PLAY[field], message.SerializeToString()))


def watch_part(field: str, message: Message) -> bytes:
    """The part of a `WatchResponse` that is this message."""
    return part_bytes(_WATCH[field], message.SerializeToString())


class EventEncoder:
    """Encodes the events of a batch: the event itself once, its number for everyone that sees it.

    Many see the same events under the same numbers, so it keeps whole runs of events, too.
    """

    def __init__(self) -> None:
        self._encoded: dict[int, bytes] = {}
        self._kept: list[Event] = []
        self._runs: list[tuple[bytes, int, tuple[Event, ...], list[bytes]]] = []

    def watch_parts(self, first_number: int, events: tuple[Event, ...]) -> list[bytes]:
        """A part of a `WatchResponse` for each event. Callers do not change the list."""
        return self.parts(first_number, events, _WATCH_EVENTS)

    def parts(self, first_number: int, events: tuple[Event, ...], tag: bytes = _EVENTS) -> list[bytes]:
        """A part of a `PlayResponse` for each event; with another tag, of another message. Callers do not change the list."""
        for other_tag, other_first, others, parts in self._runs:
            if other_first == first_number and other_tag == tag and others == events:
                return parts
        parts = self._parts(tag, first_number, events)
        self._runs.append((tag, first_number, events, parts))
        return parts

    def _parts(self, tag: bytes, first_number: int, events: Iterable[Event]) -> list[bytes]:
        found = []
        encoded = self._encoded
        for number, event in enumerate(events, first_number):
            kind = encoded.get(id(event))
            if kind is None:
                kind = encoded[id(event)] = event_bytes(event)
                self._kept.append(event)  # or another event might get its id
            numbered = (_NUMBERED[number] if number < _NUMBERED_KEPT else _EVENT_NUMBER_TAG + varint(number)) + kind
            found.append(tag + varint(len(numbered)) + numbered)
        return found


_DECISION: Final = part_tags(referee_pb2.Decision)
_DECISION_VIEW, _DECISION_ANSWERS, _DECISION_EFFECTS = (_DECISION[name] for name in ("view", "answers", "effects"))


def decision_part(request: Request) -> Part:
    """The part that asks a decision."""
    head = referee_pb2.Decision(
        id=request.decision_id,
        default_index=request.default_index,
        time_left_ms=request.time_left_ms,
        bank_ms=request.bank_ms,
    )
    seen = view_bytes(request.view, request.events_seen)
    answers = answers_bytes(request.bounds, len(request.answers))
    parts = [head.SerializeToString(), part_bytes(_DECISION_VIEW, seen), part_bytes(_DECISION_ANSWERS, answers)]
    parts += [part_bytes(_DECISION_EFFECTS, effect_bytes(effect)) for effect in request.effects]
    return Part(_ORDERS["decision"], part_bytes(_PLAY["decision"], b"".join(parts)), asks=request.decision_id)


def started_part(bots: Sequence[SeatBot], nonce: bytes, view: View, events_seen: int) -> Part:
    """The part that says that the deal is made."""
    message = referee_pb2.MatchStarted(bots=map(bot_to_message, bots), nonce=nonce, view=view_to_message(view, events_seen))
    return part("match_started", message)
