"""A bot: a class with one method for each kind of decision, or one function.

Every method has a default, so that a bot says only what it cares for. One instance plays one match; whoever runs bots
is given a factory, which makes one for each match. A class is a factory; `bot_from` makes one from a function.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import (
    ChooseAcquired,
    ChooseDisposal,
    ChooseExchange,
    ChooseFounded,
    ChooseOffer,
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseReply,
    ChooseSurvivor,
    ChooseTile,
    Decision,
)
from mergemaker_engine.events import Event
from mergemaker_engine.shown import shown

from mergemaker_client.errors import BotError
from mergemaker_client.problems import FalseDeal
from mergemaker_client.turn import MatchInfo, MatchResult, Turn

NOTE_BYTES_MAX: Final = 1_024

METHODS: Final[dict[type[Decision], str]] = {
    ChooseTile: "choose_tile",
    ChooseFounded: "choose_founded",
    ChooseSurvivor: "choose_survivor",
    ChooseAcquired: "choose_acquired",
    ChooseDisposal: "choose_disposal",
    ChoosePurchase: "choose_purchase",
    ChooseExchange: "choose_exchange",
    ChoosePower: "choose_power",
    ChoosePairTrade: "choose_pair_trade",
    ChooseOffer: "choose_offer",
    ChooseReply: "choose_reply",
}
"""By kind of decision: the bot's method that answers it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer with a note. Notes are recorded, and nobody sees them before the match is over."""

    answer: Action | int
    note: str

    def __post_init__(self) -> None:
        """Refuses a note that the referee would not take."""
        if not isinstance(self.note, str):
            raise BotError("bad-note", f"a note is text, not {shown(self.note)}")
        size = len(self.note.encode("utf-8", "replace"))
        if size > NOTE_BYTES_MAX:
            raise BotError("note-too-long", f"a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, not {size}")


Answer: TypeAlias = Action | int | Noted
"""An action, or its index in `turn.answers`; either may have a note."""
ANSWER_FORMS: Final = "an action, its index in turn.answers, or Noted(either, text)"


class _Told:
    """What every bot may be told, and by default does not listen to."""

    def on_start(self, match: MatchInfo) -> None:
        """Is told of the match before its first tile."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Is told what happened, as far as its seat may know; always before it is asked again."""

    def on_end(self, result: MatchResult) -> None:
        """Is told how the match ended."""

    def on_false_deal(self, problem: FalseDeal) -> None:
        """Is told that the deal was not the one promised; it is reported and traced in any case. `on_end` follows."""


class Bot(_Told):
    """Plays one seat of one match. Every method that is not written takes the referee's default."""

    def answer(self, turn: Turn) -> Answer:
        """Answers any question: by the method for its kind, unless a bot has its own way."""
        match turn.decision:
            case ChooseTile():
                return self.choose_tile(turn)
            case ChooseFounded():
                return self.choose_founded(turn)
            case ChooseSurvivor():
                return self.choose_survivor(turn)
            case ChooseAcquired():
                return self.choose_acquired(turn)
            case ChooseDisposal():
                return self.choose_disposal(turn)
            case ChoosePurchase():
                return self.choose_purchase(turn)
            case ChooseExchange():
                return self.choose_exchange(turn)
            case ChoosePower():
                return self.choose_power(turn)
            case ChoosePairTrade():
                return self.choose_pair_trade(turn)
            case ChooseOffer():
                return self.choose_offer(turn)
            case ChooseReply():
                return self.choose_reply(turn)
            case _:
                assert_never(turn.decision)

    def choose_tile(self, turn: Turn) -> Answer:
        """Which tile to place."""
        return turn.default

    def choose_founded(self, turn: Turn) -> Answer:
        """Which name to give to the chain just founded."""
        return turn.default

    def choose_survivor(self, turn: Turn) -> Answer:
        """Which of the equal largest chains survives."""
        return turn.default

    def choose_acquired(self, turn: Turn) -> Answer:
        """Which of the equal largest chains is settled next."""
        return turn.default

    def choose_disposal(self, turn: Turn) -> Answer:
        """How many shares of an acquired chain to sell and to trade; the rest is kept."""
        return turn.default

    def choose_purchase(self, turn: Turn) -> Answer:
        """Which shares to buy."""
        return turn.default

    def choose_exchange(self, turn: Turn) -> Answer:
        """Whether to exchange dead tiles."""
        return turn.default

    def choose_power(self, turn: Turn) -> Answer:
        """Which special power to use, or none."""
        return turn.default

    def choose_pair_trade(self, turn: Turn) -> Answer:
        """Which two shares to give to the market for one."""
        return turn.default

    def choose_offer(self, turn: Turn) -> Answer:
        """Which trade to offer, or none."""
        return turn.default

    def choose_reply(self, turn: Turn) -> Answer:
        """Whether to accept an offer."""
        return turn.default


class AsyncBot(_Told):
    """A `Bot` whose methods are `async def`: for those that wait for something, such as another program."""

    async def answer(self, turn: Turn) -> Answer:
        """Answers any question: by the method for its kind, unless a bot has its own way."""
        match turn.decision:
            case ChooseTile():
                return await self.choose_tile(turn)
            case ChooseFounded():
                return await self.choose_founded(turn)
            case ChooseSurvivor():
                return await self.choose_survivor(turn)
            case ChooseAcquired():
                return await self.choose_acquired(turn)
            case ChooseDisposal():
                return await self.choose_disposal(turn)
            case ChoosePurchase():
                return await self.choose_purchase(turn)
            case ChooseExchange():
                return await self.choose_exchange(turn)
            case ChoosePower():
                return await self.choose_power(turn)
            case ChoosePairTrade():
                return await self.choose_pair_trade(turn)
            case ChooseOffer():
                return await self.choose_offer(turn)
            case ChooseReply():
                return await self.choose_reply(turn)
            case _:
                assert_never(turn.decision)

    async def choose_tile(self, turn: Turn) -> Answer:
        """Which tile to place."""
        return turn.default

    async def choose_founded(self, turn: Turn) -> Answer:
        """Which name to give to the chain just founded."""
        return turn.default

    async def choose_survivor(self, turn: Turn) -> Answer:
        """Which of the equal largest chains survives."""
        return turn.default

    async def choose_acquired(self, turn: Turn) -> Answer:
        """Which of the equal largest chains is settled next."""
        return turn.default

    async def choose_disposal(self, turn: Turn) -> Answer:
        """How many shares of an acquired chain to sell and to trade; the rest is kept."""
        return turn.default

    async def choose_purchase(self, turn: Turn) -> Answer:
        """Which shares to buy."""
        return turn.default

    async def choose_exchange(self, turn: Turn) -> Answer:
        """Whether to exchange dead tiles."""
        return turn.default

    async def choose_power(self, turn: Turn) -> Answer:
        """Which special power to use, or none."""
        return turn.default

    async def choose_pair_trade(self, turn: Turn) -> Answer:
        """Which two shares to give to the market for one."""
        return turn.default

    async def choose_offer(self, turn: Turn) -> Answer:
        """Which trade to offer, or none."""
        return turn.default

    async def choose_reply(self, turn: Turn) -> Answer:
        """Whether to accept an offer."""
        return turn.default


AnyBot: TypeAlias = Bot | AsyncBot
BotFactory: TypeAlias = Callable[[], AnyBot]
"""Makes the bot for one match."""


class _FunctionBot(Bot):
    """A bot that is one function."""

    def __init__(self, function: Callable[[Turn], Answer]) -> None:
        self._function = function

    def answer(self, turn: Turn) -> Answer:
        """Answers as the function does."""
        return self._function(turn)


class _AsyncFunctionBot(AsyncBot):
    """A bot that is one async function."""

    def __init__(self, function: Callable[[Turn], Awaitable[Answer]]) -> None:
        self._function = function

    async def answer(self, turn: Turn) -> Answer:
        """Answers as the function does."""
        return await self._function(turn)


def bot_from(function: Callable[[Turn], Answer] | Callable[[Turn], Awaitable[Answer]]) -> BotFactory:
    """A factory of bots that answer every question with one function, sync or async."""
    if inspect.isclass(function) or not callable(function):
        raise BotError("no-function", f"a bot is made from a function of a turn, not from {shown(function)}")
    if inspect.iscoroutinefunction(function):
        return lambda: _AsyncFunctionBot(function)
    return lambda: _FunctionBot(function)  # type: ignore[arg-type]  # not async; if it returns an awaitable, `settled` refuses it


def make_bot(factory: object) -> AnyBot:
    """The bot for one match from whatever should be a factory."""
    if not callable(factory):
        raise BotError(
            "no-factory", f"bots are made by a factory, such as a class or bot_from(function), not by {shown(factory)}"
        )
    made = factory()
    if not isinstance(made, Bot | AsyncBot):
        raise BotError("no-bot", f"a factory makes a Bot or an AsyncBot, not {shown(made)}")
    return made


def settled(turn: Turn, answer: object) -> Noted:
    """What a bot returned, as an action with its note, which may be empty.

    Only the form is checked. Whether the action is legal is the referee's to say, who has a reason for it.
    """
    note = ""
    if isinstance(answer, Noted):
        note, answer = answer.note, answer.answer
    if type(answer) is int:
        count = len(turn.answers)
        if not 0 <= answer < count:
            raise BotError("bad-index", f"{_method(turn)} returned the index {answer}; there are answers 0 to {count - 1}")
        return Noted(turn.answers[answer], note)
    if isinstance(answer, Action):
        return Noted(answer, note)
    if inspect.iscoroutine(answer):
        answer.close()
        raise BotError("not-awaited", f"{_method(turn)} is async: derive the bot from AsyncBot, or write it without async")
    if answer is None:
        raise BotError("no-answer", f"{_method(turn)} returned nothing; it returns {ANSWER_FORMS}")
    raise BotError("bad-answer", f"{_method(turn)} returns {ANSWER_FORMS}, not {shown(answer)}")


def _method(turn: Turn) -> str:
    return METHODS[type(turn.decision)]
