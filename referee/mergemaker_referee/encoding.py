"""Responses as bytes, put together from parts, so that an event is encoded once for all who see it.

The fields of a message may follow each other in any order and in pieces: the bytes of several parts, joined, are the message
that has them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from google.protobuf.message import Message
from mergemaker.v1 import referee_pb2, spectate_pb2
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.effects import tile_effects
from mergemaker_wire.answers import answers_to_message, effect_to_message
from mergemaker_wire.events import event_bytes
from mergemaker_wire.views import view_to_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.views import View
    from mergemaker_table.outputs import Request

_LENGTH_DELIMITED: Final = 2
_EVENT_NUMBER_TAG: Final = b"\x08"
"""Field 1 of an Event, a varint."""


_VARINTS_KEPT: Final = 2_048
"""More than a match has events, and than most parts have bytes."""


def varint(value: int) -> bytes:
    """A whole number from 0, as protobuf writes it: seven bits a byte, the lowest first."""
    return _VARINTS[value] if value < _VARINTS_KEPT else _made_varint(value)


def _made_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_VARINTS: Final = tuple(map(_made_varint, range(_VARINTS_KEPT)))


def _tag(number: int) -> bytes:
    return varint(number << 3 | _LENGTH_DELIMITED)


def _tags(kind: type[Message]) -> dict[str, bytes]:
    return {field.name: _tag(field.number) for field in kind.DESCRIPTOR.fields}


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a `PlayResponse`."""

    order: int
    """The field's number, by which clients handle what one response holds."""
    data: bytes


EVENTS_ORDER: Final = referee_pb2.PlayResponse.EVENTS_FIELD_NUMBER
_ORDERS: Final = {field.name: field.number for field in referee_pb2.PlayResponse.DESCRIPTOR.fields}
_PLAY: Final = _tags(referee_pb2.PlayResponse)
_WATCH: Final = _tags(spectate_pb2.WatchResponse)
_EVENTS: Final = _PLAY["events"]
_WATCH_EVENTS: Final = _WATCH["events"]


def match_part(match: str) -> bytes:
    """The part of a response that names its match."""
    name = match.encode("ascii")
    return _PLAY["match"] + varint(len(name)) + name


def part(field: str, message: Message) -> Part:
    """The part of a `PlayResponse` that is this message."""
    data = message.SerializeToString()
    return Part(_ORDERS[field], _PLAY[field] + varint(len(data)) + data)


def watch_part(field: str, message: Message) -> bytes:
    """The part of a `WatchResponse` that is this message."""
    data = message.SerializeToString()
    return _WATCH[field] + varint(len(data)) + data


class EventEncoder:
    """Encodes the events of a batch: what happened once, and its number for each who sees it."""

    def __init__(self) -> None:
        self._encoded: dict[int, bytes] = {}
        self._kept: list[Event] = []

    def parts(self, first_number: int, events: Iterable[Event]) -> list[bytes]:
        """A part of a `PlayResponse` for each event."""
        return self._parts(_EVENTS, first_number, events)

    def watch_parts(self, first_number: int, events: Iterable[Event]) -> list[bytes]:
        """A part of a `WatchResponse` for each event."""
        return self._parts(_WATCH_EVENTS, first_number, events)

    def _parts(self, tag: bytes, first_number: int, events: Iterable[Event]) -> list[bytes]:
        found = []
        encoded = self._encoded
        for number, event in enumerate(events, first_number):
            kind = encoded.get(id(event))
            if kind is None:
                kind = encoded[id(event)] = event_bytes(event)
                self._kept.append(event)  # or its id might be another event's
            numbered = varint(number)
            size = varint(len(_EVENT_NUMBER_TAG) + len(numbered) + len(kind))
            found.append(b"".join((tag, size, _EVENT_NUMBER_TAG, numbered, kind)))
        return found


def decision_part(request: Request) -> Part:
    """The part that asks."""
    view = request.view
    effects = tile_effects(view) if type(request.decision) is ChooseTile else ()
    message = referee_pb2.Decision(
        id=request.decision_id,
        view=view_to_message(view, request.events_seen),
        answers=answers_to_message(request.bounds, len(request.answers)),
        default_index=request.default_index,
        effects=[effect_to_message(effect) for effect in effects],
        time_left_ms=request.time_left_ms,
        bank_ms=request.bank_ms,
    )
    return part("decision", message)


def started_part(bots: Sequence[str], nonce: bytes, view: View, events_seen: int) -> Part:
    """The part that says that the deal is made."""
    message = referee_pb2.MatchStarted(bots=bots, nonce=nonce, view=view_to_message(view, events_seen))
    return part("match_started", message)
