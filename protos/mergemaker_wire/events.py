"""Events as messages, and back."""

from functools import lru_cache
from typing import Final

from mergemaker.v1 import events_pb2 as pb
from mergemaker_engine.board import SQUARES
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.events import Event
from mergemaker_engine.unchecked import Unchecked

from mergemaker_wire.fields import any_value, by_seat, chain, chains, holdings, number, seat, shares, square, squares
from mergemaker_wire.kinds import Kinds, kinds_of

_KEPT_MAX: Final = 4_096

_SIZE: Final = number(0, SQUARES)
_COUNT: Final = number(0, SHARES_PER_CHAIN)

_EVENTS: Final[Kinds[Event]] = kinds_of(
    "an event",
    Event,
    pb,
    pb.Event,
    {
        "seat": seat,
        "square": square,
        "squares": squares,
        "count": number(1, SQUARES),
        "turn": any_value,
        "partner": seat,
        "give_shares": shares,
        "give_cash": any_value,
        "take_shares": shares,
        "take_cash": any_value,
        "chain": chain,
        "chains": chains,
        "size": _SIZE,
        "founder_rewarded.shares": number(0, 1),
        "shares_bought.shares": shares,
        "assets_shown.shares": shares,
        "shares": _COUNT,
        "result_reached.cash": by_seat,
        "cash": any_value,
        "holdings": holdings,
        "amount": any_value,
        "kept": _COUNT,
        "sold": _COUNT,
        "traded": _COUNT,
        "received": _COUNT,
        "give": chain,
        "take": chain,
        "cost": any_value,
        "places": by_seat,
    },
)


# Every seat gets an event, each with its own number.
@lru_cache(maxsize=_KEPT_MAX)
def event_bytes(event: Event) -> bytes:
    """An event's message without its number, as bytes."""
    return pb.Event(**_EVENTS.write(event)).SerializeToString()


def event_to_message(event: Event, number: Unchecked[int] = 0) -> pb.Event:
    """The message of an event, with its number among those that its reader sees."""
    message = pb.Event(number=number)
    message.MergeFromString(event_bytes(event))
    return message


def event_from_message(message: pb.Event) -> Event:
    """The event in a message. Its number is `message.number`."""
    return _EVENTS.read(message)
