"""Built-in bots by name and options: `random`, `planner:playouts=200`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.shown import shown

from mergemaker_client.bot import Bot
from mergemaker_client.bots.greedy import WEIGHT_BOUNDS, GreedyBot
from mergemaker_client.bots.planner import PLAYOUTS_MAX, PlannerBot
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.errors import BotError


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a built-in bot: a whole number with its bounds."""

    low: int
    high: int
    text: str
    """A short description."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of built-in bot: how it is made, and which options it has."""

    maker: Callable[..., Bot]
    options: Mapping[str, Option]


_PLAYOUTS: Final = Option(1, PLAYOUTS_MAX, "games played for each answer, instead of thinking by the clock")

_GREEDY_TEXTS: Final = {
    "reserve": "dollars that are spent less gladly",
    "reserve_part": "how much less: one part in this many",
    "growth": "dollars that a share is expected to gain",
    "growth_size": "tiles of a chain that gains half of it",
    "free_price": "the price from which three free shares are taken",
    "low_pile": "tiles left at which they are taken at any price",
}
_GREEDY: Final = {name: Option(*WEIGHT_BOUNDS[name], text) for name, text in _GREEDY_TEXTS.items()}

_KINDS: Final[Mapping[str, _Kind]] = MappingProxyType(
    {
        "random": _Kind(RandomBot, {}),
        "greedy": _Kind(GreedyBot, _GREEDY),
        "planner": _Kind(PlannerBot, {"playouts": _PLAYOUTS}),
    }
)


NAMES: Final = tuple(_KINDS)
"""The built-in bots, the simplest first."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A known built-in bot with checked options: a factory of bots."""

    name: str
    options: tuple[tuple[str, int], ...]

    def __call__(self) -> Bot:
        """Makes the bot for one match."""
        return _KINDS[self.name].maker(**dict(self.options))


def parse(text: str) -> BuiltIn:
    """The built-in bot that a text names: a name, a colon, then options separated by commas."""
    if not isinstance(text, str):
        raise BotError("unknown-bot", f"a built-in bot is named by text, such as random, not by {shown(text)}")
    name, colon, rest = text.partition(":")
    if name not in _KINDS:
        near = nearest_names(name, NAMES)
        raise BotError("unknown-bot", f"there is no built-in bot {shown(name)}; there are {', '.join(NAMES)}{near}")
    known = _KINDS[name].options
    options: dict[str, int] = {}
    for part in rest.split(",") if colon else ():
        option, value = _option(name, known, part)
        if option in options:
            raise BotError("bad-option", f"{name} is given the option {option} twice")
        options[option] = value
    return BuiltIn(name, tuple(options.items()))


def _option(name: str, known: Mapping[str, Option], part: str) -> tuple[str, int]:
    option, _, value = part.partition("=")
    if option not in known:
        raise BotError("bad-option", f"{name} has no option {shown(option)}; {_known(known)}{nearest_names(option, known)}")
    low, high = known[option].low, known[option].high
    is_short = value.isascii() and value.isdigit() and len(value) <= len(str(high))
    if not is_short or not low <= int(value) <= high:
        raise BotError("bad-option", f"{name}:{option} is a whole number from {low} to {high}, not {shown(value)}")
    return option, int(value)


def _known(known: Mapping[str, Option]) -> str:
    if not known:
        return "it has none"
    return "it has " + ", ".join(f"{name} ({option.low} to {option.high}: {option.text})" for name, option in known.items())


def make(text: str) -> Bot:
    """The bot that a text names, for one match."""
    return parse(text)()
