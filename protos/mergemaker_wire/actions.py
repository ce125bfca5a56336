"""Answers as messages, and back."""

from typing import Final

from mergemaker.v1 import actions_pb2 as pb
from mergemaker_engine.actions import Action, Power
from mergemaker_engine.errors import MalformedAction

from mergemaker_wire.enums import POWERS
from mergemaker_wire.errors import WireError
from mergemaker_wire.fields import Field, any_count, any_value, chain, seat, shares_or_none, square
from mergemaker_wire.kinds import Kinds, kinds_of


def _power(value: int, where: str) -> Power | None:
    return None if value == pb.POWER_NONE else POWERS.read(value, where)


def _power_number(power: Power | None) -> pb.Power.ValueType:
    return pb.POWER_NONE if power is None else POWERS.numbers[power]


# An action checks some things itself when it is made; these are not repeated here.
ACTIONS: Final[Kinds[Action]] = kinds_of(
    "an action",
    Action,
    pb,
    pb.Action,
    {
        "square": square,
        "chain": chain,
        "sell": any_count,
        "trade": any_count,
        "shares": shares_or_none,
        "use_power.power": Field("power", _power, _power_number),
        "give": chain,
        "take": chain,
        "partner": seat,
        "give_shares": shares_or_none,
        "give_cash": any_value,
        "take_shares": shares_or_none,
        "take_cash": any_value,
    },
)


def action_to_message(action: Action) -> pb.Action:
    """The message of an answer."""
    return pb.Action(**ACTIONS.write(action))


def action_from_message(message: pb.Action) -> Action:
    """The answer in a message. Whether the position accepts it is another question."""
    try:
        return ACTIONS.read(message)
    except MalformedAction as error:
        # No position could ever accept it: this gives the engine's own reason, text and rule.
        raise WireError(error.reason, f"{message.WhichOneof('kind')}: {error.message}", error.rule) from error
