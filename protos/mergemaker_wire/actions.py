"""Answers, both ways."""

from typing import Final

from mergemaker.v1 import actions_pb2 as pb
from mergemaker_engine.actions import (
    Action,
    Buy,
    Dispose,
    EndPlacing,
    EndTrading,
    Exchange,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    NoOffer,
    OfferTrade,
    Place,
    Power,
    Reply,
    StopPlay,
    TradePair,
    UsePower,
)
from mergemaker_engine.errors import MalformedAction

from mergemaker_wire.enums import POWERS
from mergemaker_wire.errors import WireError
from mergemaker_wire.fields import Field, Kind, Kinds, any_value, chain, seat, shares_or_none, square


def _power(value: int, where: str) -> Power | None:
    return None if value == pb.POWER_NONE else POWERS.read(value, where)


def _power_number(power: Power | None) -> pb.Power.ValueType:
    return pb.POWER_NONE if power is None else POWERS.numbers[power]


_SEAT: Final = Field("partner", seat)
_CHAIN: Final = Field("chain", chain)
_DECLARE: Final = Field("declare", any_value)

# What an action checks by itself when it is made is not said here once more.
_KINDS: Final[Kinds[Action]] = Kinds(
    "an action",
    Action,
    Kind(Place, pb.Place, "place", Field("square", square), _DECLARE),
    Kind(StopPlay, pb.StopPlay, "stop_play"),
    Kind(EndPlacing, pb.EndPlacing, "end_placing"),
    Kind(NameFounded, pb.NameFounded, "name_founded", _CHAIN),
    Kind(NameSurvivor, pb.NameSurvivor, "name_survivor", _CHAIN),
    Kind(NameAcquired, pb.NameAcquired, "name_acquired", _CHAIN),
    Kind(Dispose, pb.Dispose, "dispose", Field("sell", any_value), Field("trade", any_value)),
    Kind(Buy, pb.Buy, "buy", Field("shares", shares_or_none), _DECLARE),
    Kind(Exchange, pb.Exchange, "exchange", Field("exchange", any_value)),
    Kind(UsePower, pb.UsePower, "use_power", Field("power", _power, _power_number)),
    Kind(TradePair, pb.TradePair, "trade_pair", Field("give", chain), Field("take", chain)),
    Kind(EndTrading, pb.EndTrading, "end_trading"),
    Kind(NoOffer, pb.NoOffer, "no_offer"),
    Kind(
        OfferTrade,
        pb.OfferTrade,
        "offer_trade",
        _SEAT,
        Field("give_shares", shares_or_none),
        Field("give_cash", any_value),
        Field("take_shares", shares_or_none),
        Field("take_cash", any_value),
    ),
    Kind(Reply, pb.Reply, "reply", Field("accept", any_value)),
)


def action_to_message(action: Action) -> pb.Action:
    """The message that stands for an answer."""
    return pb.Action(**_KINDS.write(action))


def action_from_message(message: pb.Action) -> Action:
    """The answer that a message stands for; whether the position accepts it is another question."""
    try:
        return _KINDS.read(message)
    except MalformedAction as error:
        # No position could ever accept it: the engine's own reason, text and rule.
        raise WireError(error.reason, f"{message.WhichOneof('kind')}: {error.message}", error.rule) from error
