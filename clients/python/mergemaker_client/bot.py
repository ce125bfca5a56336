"""A bot: a class with one method for each kind of decision, or one function.

Every method has a default, so a bot needs only the methods that it cares about. One instance plays one match. The runner
of bots gets a factory, which makes one for each match. A class is a factory; `bot_from` makes one from a function.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias, get_args

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import Decision
from mergemaker_engine.events import Event
from mergemaker_engine.shown import shown

from mergemaker_client.answer import ANSWER_FORMS, Answer, Noted
from mergemaker_client.errors import BotError
from mergemaker_client.handlers import AsyncHandlers, Handlers
from mergemaker_client.problems import FalseDeal
from mergemaker_client.turn import MatchInfo, MatchResult, Turn

METHODS: Final[dict[type[Decision], str]] = {
    kind: re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in get_args(Decision)
}
"""By kind of decision: the bot's method that answers it."""


class _Told:
    """The calls that every bot may get; by default it ignores them."""

    def on_start(self, match: MatchInfo) -> None:
        """Called with the match before its first tile."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Called with the events that its seat may know; always before it is asked again."""

    def on_end(self, result: MatchResult) -> None:
        """Called with the match's result."""

    def on_false_deal(self, problem: FalseDeal) -> None:
        """Called if the deal was not the one promised. That is reported and traced in any case. `on_end` follows."""


class Bot(Handlers, _Told):
    """Plays one seat of one match. Every missing method takes the referee's default."""

    def answer(self, turn: Turn) -> Answer:
        """Answers any question with the method for its kind, unless a bot overrides this."""
        method: Callable[[Turn], Answer] = getattr(self, METHODS[type(turn.decision)])
        return method(turn)


class AsyncBot(AsyncHandlers, _Told):
    """A `Bot` with `async def` methods: for bots that wait for something, such as another program."""

    async def answer(self, turn: Turn) -> Answer:
        """Answers any question with the method for its kind, unless a bot overrides this."""
        method: Callable[[Turn], Awaitable[Answer]] = getattr(self, METHODS[type(turn.decision)])
        return await method(turn)


AnyBot: TypeAlias = Bot | AsyncBot
BotFactory: TypeAlias = Callable[[], AnyBot]
"""Makes the bot for one match."""


class _FunctionBot(Bot):
    """A bot that is one function."""

    def __init__(self, function: Callable[[Turn], Answer]) -> None:
        self._function = function

    def answer(self, turn: Turn) -> Answer:
        """Answers with the function."""
        return self._function(turn)


class _AsyncFunctionBot(AsyncBot):
    """A bot that is one async function."""

    def __init__(self, function: Callable[[Turn], Awaitable[Answer]]) -> None:
        self._function = function

    async def answer(self, turn: Turn) -> Answer:
        """Answers with the function."""
        return await self._function(turn)


def bot_from(function: Callable[[Turn], Answer] | Callable[[Turn], Awaitable[Answer]]) -> BotFactory:
    """A factory of bots that answer every question with one function, sync or async."""
    if inspect.isclass(function) or not callable(function):
        raise BotError("no-function", f"a bot is made from a function of a turn, not from {shown(function)}")
    if inspect.iscoroutinefunction(function):
        return lambda: _AsyncFunctionBot(function)
    return lambda: _FunctionBot(function)  # type: ignore[arg-type]  # not async; if it returns an awaitable, `settled` refuses it


def make_bot(factory: object) -> AnyBot:
    """The bot for one match, made by what should be a factory."""
    if not callable(factory):
        raise BotError(
            "no-factory", f"bots are made by a factory, such as a class or bot_from(function), not by {shown(factory)}"
        )
    made = factory()
    if not isinstance(made, Bot | AsyncBot):
        raise BotError("no-bot", f"a factory makes a Bot or an AsyncBot, not {shown(made)}")
    return made


def settled(turn: Turn, answer: object) -> tuple[Action, str]:
    """A bot's return value as an action, and its note, which may be empty.

    This checks only the form. The referee decides whether the action is legal, and gives a reason if not.
    """
    note = ""
    if isinstance(answer, Noted):
        note, answer = answer.note, answer.answer
    if type(answer) is int:
        count = len(turn.answers)
        if not 0 <= answer < count:
            raise BotError("bad-index", f"{_method(turn)} returned the index {answer}; there are answers 0 to {count - 1}")
        return turn.answers[answer], note
    if isinstance(answer, Action):
        return answer, note
    if inspect.iscoroutine(answer):
        answer.close()
        raise BotError("not-awaited", f"{_method(turn)} is async: derive the bot from AsyncBot, or write it without async")
    if answer is None:
        raise BotError("no-answer", f"{_method(turn)} returned nothing; it returns {ANSWER_FORMS}")
    raise BotError("bad-answer", f"{_method(turn)} returns {ANSWER_FORMS}, not {shown(answer)}")


def _method(turn: Turn) -> str:
    return METHODS[type(turn.decision)]
