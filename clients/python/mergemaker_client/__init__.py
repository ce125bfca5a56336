"""The tools for a bot in Python."""

from typing import TYPE_CHECKING  # noqa: TID251 - `run` is imported when it is first used, see below

from mergemaker_client.answer import Answer, Noted
from mergemaker_client.bot import AnyBot, AsyncBot, Bot, BotFactory, bot_from
from mergemaker_client.drawing import Drawing, Tone
from mergemaker_client.errors import BotError
from mergemaker_client.handlers import (
    AcquiredTurn,
    DisposalTurn,
    ExchangeTurn,
    FoundedTurn,
    OfferTurn,
    PairTradeTurn,
    PowerTurn,
    PurchaseTurn,
    ReplyTurn,
    SurvivorTurn,
    TileTurn,
)
from mergemaker_client.problems import FalseDeal
from mergemaker_client.questions import turn_from
from mergemaker_client.turn import Clock, DealFinding, MatchInfo, MatchResult, Standing, TileChoice, Turn

if TYPE_CHECKING:
    from mergemaker_client.running import run as run

__all__ = [
    "AcquiredTurn",
    "Answer",
    "AnyBot",
    "AsyncBot",
    "Bot",
    "BotError",
    "BotFactory",
    "Clock",
    "DealFinding",
    "DisposalTurn",
    "Drawing",
    "ExchangeTurn",
    "FalseDeal",
    "FoundedTurn",
    "MatchInfo",
    "MatchResult",
    "Noted",
    "OfferTurn",
    "PairTradeTurn",
    "PowerTurn",
    "PurchaseTurn",
    "ReplyTurn",
    "Standing",
    "SurvivorTurn",
    "TileChoice",
    "TileTurn",
    "Tone",
    "Turn",
    "bot_from",
    "run",
    "turn_from",
]


def __getattr__(name: str) -> object:
    # The network part is imported when it is first used: bots that play in this process need no gRPC.
    if name == "run":
        from mergemaker_client.running import run  # noqa: PLC0415 - see above

        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
