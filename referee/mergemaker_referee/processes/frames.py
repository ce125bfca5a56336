"""What the process that serves and the processes that play say to each other: frames, in order, through a pair of sockets.

A frame is a head of fixed size and some bytes. What comes often has only numbers in its head and the bytes of a message; the
rest is JSON. Both sides are of the same version: one starts the other.
"""

import json
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, Final, NamedTuple

from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.identities import Identity, KnownBot, Onlooker, Operator, SeatHolder

FRAME_BYTES_MAX: Final = 64 * 1_024 * 1_024
"""No frame is longer; a longer one is a fault of the program."""
_HEAD: Final = struct.Struct("<IBIQI")
_BETWEEN: Final = b"\0"


class Kind(IntEnum):
    """What a frame says. `number` names a link, unless the text says otherwise."""

    # To a process that plays.
    STOP = 2
    """It ends, and its matches can be taken up again."""
    CLAIM = 3
    """A bot takes a seat: `number` is the new link, `value` when that came, the bytes are a `ClaimedSeat`."""
    SHOW_RESULT = 4
    """The same for a bot that comes back after the end."""
    RELEASE = 5
    """The bot lost its stream; the bytes say why."""
    GIVE_BACK = 6
    """The bot declines the seat: `value` is when that came, the bytes say why."""
    REQUEST = 7
    """A bot's request: `value` is when it came, the bytes are the PlayRequest."""
    ROUND_TRIP = 8
    """A round trip was measured: `value` nanoseconds."""
    BEGIN_JOINING = 9
    """The time to join begins; the bytes name the match."""
    VOID = 10
    """A match has waited in vain; the bytes are JSON."""
    HANDED = 11
    """What was sent as `number` went to the transport at `value`."""
    PASSED = 12
    """The barrier `number` has passed."""
    HELD_UP = 13
    """The serving process was held up for `value` nanoseconds so far."""
    WATCH = 14
    """Somebody watches: `number` is the new link, the bytes are who, and the WatchRequest."""
    GONE = 15
    """A spectator is gone."""
    CALL = 16
    """A single call `number`: the bytes are its name, and the request."""
    LOGGED = 17
    """The entry `number` of the public log is on the disk."""
    THREADS = 18
    """The serving process's threads that its beat covers, as JSON."""

    # From a process that plays.
    READY = 32
    """All matches of its folders are announced."""
    PROBLEM = 33
    """It cannot start: JSON with a reason and a text."""
    MATCH = 34
    """A match is there; the bytes are an `AnnouncedMatch`."""
    OVER = 35
    """A match is over: the bytes are its name, and its MatchSummary."""
    SEND = 36
    """A response: `value` is its number if somebody wants to know when it is handed over, `more` the decision that it asks."""
    BARRIER = 37
    """Asks for a barrier `number`, on the link `value` or, if that is 0, on all."""
    CHARGE = 38
    """The bot pays for `value` nanoseconds."""
    UNASKED = 39
    """Nothing is asked of the bot now: its way may be measured."""
    TOLD_END = 40
    """The next response tells the bot the end of the match."""
    CLOSE = 41
    """Ends the stream; the bytes are JSON."""
    REPLY = 42
    """Answers the call `number`: `more` says how, the bytes what."""
    LOG = 43
    """An entry `number` for the public log: `more` is an `Entry`, the bytes are the match, and the entry's content."""
    METRICS = 44
    """What it measured so far, as JSON."""


class Said(IntEnum):
    """How a call is answered."""

    RESPONSE = 0
    REFUSED = 1


class Entry(IntEnum):
    """What an entry for the public log says."""

    BEGIN = 0
    BEGIN_UNPROMISED = 1
    END = 2
    END_WITHOUT_LINE = 3


class Frame(NamedTuple):
    """One frame. A tuple is cheapest, and there are several for each decision."""

    kind: int
    number: int
    value: int
    more: int
    data: bytes


class BadFrame(Exception):
    """What came is no frame: the other side is not this program."""


def frame(kind: Kind, number: int = 0, value: int = 0, more: int = 0, data: bytes = b"") -> bytes:
    """A frame as bytes."""
    return _HEAD.pack(len(data), kind, number, value, more) + data


class Frames:
    """Takes bytes as they come, and gives whole frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole now."""
        data = self._rest + data if self._rest else data
        place, end = 0, len(data)
        while end - place >= _HEAD.size:
            length, kind, number, value, more = _HEAD.unpack_from(data, place)
            if length > FRAME_BYTES_MAX:
                raise BadFrame(f"a frame has at most {FRAME_BYTES_MAX:,} bytes, not {length:,}")
            after = place + _HEAD.size + length
            if after > end:
                break
            yield Frame(kind, number, value, more, data[place + _HEAD.size : after])
            place = after
        self._rest = data[place:]


def pair(name: str, content: bytes) -> bytes:
    """A name and some bytes."""
    return name.encode() + _BETWEEN + content


def unpair(data: bytes) -> tuple[str, bytes]:
    """The name and the bytes."""
    name, _, content = data.partition(_BETWEEN)
    return name.decode(), content


def as_json(document: object) -> bytes:
    """A document as a frame has it."""
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def closing_bytes(closing: Closing) -> bytes:
    """Why a stream or a call ends."""
    return as_json([closing.code, closing.reason, closing.text, closing.reconnect])


def closing_of(data: bytes) -> Closing:
    """The same, read."""
    code, reason, text, reconnect = json.loads(data)
    return Closing(CloseCode(code), reason, text, reconnect=reconnect)


def identity_text(identity: Identity) -> str:
    """Who a caller is."""
    match identity:
        case Operator():
            document: list[Any] = ["operator"]
        case KnownBot(name):
            document = ["bot", name]
        case SeatHolder(match, seat):
            document = ["seat", match, seat]
        case Onlooker():
            document = ["onlooker"]
    return as_json(document).decode("ascii")


def identity_of(text: str) -> Identity:
    """The same, read."""
    match json.loads(text):
        case ["operator"]:
            return Operator()
        case ["bot", str(name)]:
            return KnownBot(name)
        case ["seat", str(match), int(seat)]:
            return SeatHolder(match, seat)
        case _:
            return Onlooker()
