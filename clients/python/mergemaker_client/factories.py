"""What can be played: a class, a function of a turn, or anything else that makes bots."""

from collections.abc import Awaitable, Callable
from inspect import Parameter, isclass, signature
from typing import TypeAlias, cast

from mergemaker_engine.shown import shown

from mergemaker_client.answer import Answer
from mergemaker_client.bot import AsyncBot, Bot, BotFactory, bot_from
from mergemaker_client.errors import BotError
from mergemaker_client.turn import Turn

AnyKind: TypeAlias = BotFactory | Callable[[Turn], Answer] | Callable[[Turn], Awaitable[Answer]]
"""What can be run: a class, another factory, or a function of a turn."""


def factory_of(bot: object) -> BotFactory:
    """A factory made from anything that can be run."""
    if isinstance(bot, Bot | AsyncBot):
        kind = type(bot).__name__
        raise BotError("no-factory", f"every match has a bot of its own: give the class, {kind}, not one {kind}")
    if not callable(bot):
        raise BotError("no-factory", f"a bot is a class derived from Bot, or a function of a turn, not {shown(bot)}")
    if isclass(bot) or not _takes_turn(bot):
        return cast("BotFactory", bot)
    return bot_from(bot)


def _takes_turn(function: Callable[..., object]) -> bool:
    """Whether a function needs an argument. A bot that is one function does; a factory does not."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return any(parameter.kind in positional and parameter.default is Parameter.empty for parameter in parameters)
