"""A match's messages beyond its game: refusals, standings and receipts, in both directions."""

from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker_engine.errors import RecordError, Refusal
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_engine.values import dataclass

from mergemaker_wire.enums import FAULT_CAUSES, STATUSES
from mergemaker_wire.errors import WireError, not_set
from mergemaker_wire.fields import number, seat

UINT32_MAX: Final = 2**32 - 1

_place: Final = number(1, SEATS_MAX)
_count: Final = number(1, UINT32_MAX)


def refusal_to_message(refusal: Refusal) -> referee_pb2.Problem:
    """The message of a refusal."""
    return referee_pb2.Problem(reason=refusal.reason, text=refusal.text, rule=refusal.rule or "", trace=refusal.trace)


def refusal_from_message(message: referee_pb2.Problem) -> Refusal:
    """The refusal in a message."""
    if not message.reason:
        raise not_set("problem.reason", "a name for programs")
    return Refusal(message.reason, message.text, message.rule or None, message.trace)


@dataclass(frozen=True, slots=True)
class SeatBot:
    """The player at a seat."""

    name: str
    """The name of the seat's player, for people."""
    id: str = ""
    """The bot's name in the referee's configuration; empty for the holder of a seat's token."""
    version: str = ""
    """The version in its Hello; empty while no bot has taken the seat."""


def bot_to_message(bot: SeatBot) -> match_pb2.SeatBot:
    """The message of a seat's player."""
    return match_pb2.SeatBot(name=bot.name, id=bot.id, version=bot.version)


def bot_from_message(message: match_pb2.SeatBot) -> SeatBot:
    """The player at a seat in a message."""
    return SeatBot(message.name, message.id, message.version)


def standing_to_message(standing: Standing) -> match_pb2.Standing:
    """The message of a seat's result, in a match that has one."""
    return match_pb2.Standing(
        seat=standing.seat,
        bot=bot_to_message(SeatBot(standing.bot, standing.bot_id, standing.version)),
        cash=standing.cash or 0,
        place=standing.place or 0,
        status=STATUSES.numbers[standing.status],
        faults=[
            match_pb2.FaultCount(cause=FAULT_CAUSES.numbers[cause], count=count)
            for cause, count in standing.faults.items()
            if count
        ],
    )


def standing_from_message(message: match_pb2.Standing) -> Standing:
    """A seat's result in a message."""
    bot = bot_from_message(message.bot)
    faults: dict[AnsweredBy, int] = {}
    for fault in message.faults:
        cause = FAULT_CAUSES.read(fault.cause, "standing.faults.cause")
        if cause in faults:
            raise WireError("named-twice", f"standing.faults has the cause {cause} twice; each may be there once")
        faults[cause] = _count(fault.count, "standing.faults.count")
    return Standing(
        seat=seat(message.seat, "standing.seat"),
        bot=bot.name,
        bot_id=bot.id,
        version=bot.version,
        cash=message.cash,
        place=_place(message.place, "standing.place"),
        status=STATUSES.read(message.status, "standing.status"),
        faults=faults,
    )


def receipt_to_message(receipt: Receipt | None) -> match_pb2.Receipt | None:
    """The message of a receipt, if there is one."""
    return None if receipt is None else match_pb2.Receipt(match=receipt.match, line=receipt.line, game=receipt.game)


def receipt_from_message(message: match_pb2.Receipt) -> Receipt:
    """The receipt in a message."""
    try:
        return Receipt(message.match, message.line, message.game)
    except RecordError as error:
        raise WireError(error.reason, error.message) from error
