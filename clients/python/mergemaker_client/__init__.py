"""The tools for a bot in Python."""

from typing import TYPE_CHECKING  # noqa: TID251 - `run` is imported when it is first used, see below

from mergemaker_client.answer import Answer, Noted
from mergemaker_client.bot import AnyBot, AsyncBot, Bot, BotFactory, bot_from
from mergemaker_client.errors import BotError
from mergemaker_client.problems import FalseDeal
from mergemaker_client.turn import Clock, DealFinding, MatchInfo, MatchResult, Standing, TileChoice, Turn

if TYPE_CHECKING:
    from mergemaker_client.running import run as run

__all__ = [
    "Answer",
    "AnyBot",
    "AsyncBot",
    "Bot",
    "BotError",
    "BotFactory",
    "Clock",
    "DealFinding",
    "FalseDeal",
    "MatchInfo",
    "MatchResult",
    "Noted",
    "Standing",
    "TileChoice",
    "Turn",
    "bot_from",
    "run",
]


def __getattr__(name: str) -> object:
    # The network part is imported when it is first used: bots that play in this process need no gRPC.
    if name == "run":
        from mergemaker_client.running import run  # noqa: PLC0415 - see above

        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
