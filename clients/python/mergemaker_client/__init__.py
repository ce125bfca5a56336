"""What a bot in Python is made with."""

from mergemaker_client.bot import Answer, AnyBot, AsyncBot, Bot, BotFactory, Noted, bot_from
from mergemaker_client.errors import BotError
from mergemaker_client.turn import Clock, MatchInfo, MatchResult, Standing, TileChoice, Turn

__all__ = [
    "Answer",
    "AnyBot",
    "AsyncBot",
    "Bot",
    "BotError",
    "BotFactory",
    "Clock",
    "MatchInfo",
    "MatchResult",
    "Noted",
    "Standing",
    "TileChoice",
    "Turn",
    "bot_from",
]
