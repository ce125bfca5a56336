"""Bots play a fresh deal on from each answer, in this process and without a clock.

They get what they would get in a match, except for its end: there is no referee, and no record.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot, BotFactory, make_bot
from mergemaker_client.bots import parse
from mergemaker_client.questions import turn_of
from mergemaker_client.reporting import FAILURE_WORDS, failure_text, question_line
from mergemaker_client.turn import MatchInfo, Turn
from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import ChooseReply, Decision
from mergemaker_engine.events import Event, seen_by
from mergemaker_engine.game import Game
from mergemaker_processes.bot_names import BuiltInBot, ModuleBot

from mergemaker_tools.play.modules import factory_in
from mergemaker_tools.redealing.question import Question
from mergemaker_tools.redealing.worlds import World, world_of

_ResultT = TypeVar("_ResultT")


@dataclass(frozen=True, slots=True)
class Task:
    """What is played in every deal."""

    question: Question
    bots: tuple[BuiltInBot | ModuleBot, ...]
    """Who plays on, by seat."""
    seed: bytes


@dataclass(frozen=True, slots=True)
class Dealt:
    """One deal, played on from each answer."""

    cash: tuple[tuple[int, ...], ...]
    """By answer, then seat: the money at the end."""
    failure: str | None = None
    """How a bot failed: then nothing else counts."""


class _BotFailed(Exception):
    """A bot raised an error, or gave an answer that is not legal."""


def play_deal(task: Task, number: int) -> Dealt:
    """Plays a deal on from each answer. What bots print goes to standard error."""
    question = task.question
    world = world_of(question, question.ledger(), task.seed, number)
    factories = [_factory(bot) for bot in task.bots]
    with redirect_stdout(sys.stderr), Caller() as caller:
        try:
            return Dealt(tuple(_Game(question, world, factories, caller).play(answer) for answer in question.answers))
        except _BotFailed as failed:
            return Dealt((), f"deal {number}: {failed}")


def _factory(bot: BuiltInBot | ModuleBot) -> BotFactory:
    if isinstance(bot, BuiltInBot):
        return parse(bot.word)
    factory: BotFactory = factory_in(bot)
    return factory


class _Seat:
    """A bot, and what it has not been told yet."""

    def __init__(self, bot: AnyBot, match: MatchInfo, told: Sequence[Event], put: int) -> None:
        self.bot = bot
        self.match = match
        self.untold = list(told)
        self.seen = len(self.untold)
        self.put = put


class _Game:
    """One game: the fresh deal, one answer, and bots that play on."""

    def __init__(self, question: Question, world: World, factories: Sequence[BotFactory], caller: Caller) -> None:
        self._question = question
        self._game: Game = world.game.copy()
        self._caller = caller
        self._seats: list[_Seat] = []
        for seat, factory in enumerate(factories):
            match = MatchInfo(question.match, question.rules, question.seats, seat, question.bots, world.nonces[seat])
            bot = _guarded(partial(make_bot, factory), f"{FAILURE_WORDS} when it was made")
            _guarded(partial(bot.on_start, match), f"{FAILURE_WORDS} in on_start")
            self._seats.append(_Seat(bot, match, world.told[seat], question.put[seat]))
        self._seats[question.seat].put += 1

    def play(self, answer: Action) -> tuple[int, ...]:
        """Plays to the end; returns the money by seat."""
        game = self._game
        self._apply(answer)
        while (decision := game.decision) is not None:
            answers = game.legal()
            if len(answers) > 1 or isinstance(decision, ChooseReply):
                self._ask(decision, answers)
            else:
                self._apply(answers[0])
        assert game.result is not None, "a game that asks nothing is over"
        return game.result.cash

    def _apply(self, answer: Action) -> None:
        events = self._game.apply(answer)
        for number, seat in enumerate(self._seats):
            news = seen_by(number, events)
            seat.untold += news
            seat.seen += len(news)

    def _ask(self, decision: Decision, answers: Sequence[Action]) -> None:
        seat = self._seats[decision.seat]
        seat.put += 1
        events, seat.untold = seat.untold, []
        turn = turn_of(seat.match, seat.put, self._game.view(decision.seat), answers, events, seat.seen)
        _guarded(partial(self._answer, seat.bot, turn), f"{FAILURE_WORDS}: {question_line(turn)}", turn)

    def _answer(self, bot: AnyBot, turn: Turn) -> None:
        bot.on_events(turn.events)
        answer, _ = self._caller.answer(bot, turn)
        self._apply(answer)


def _guarded(call: Callable[[], _ResultT], what: str, turn: Turn | None = None) -> _ResultT:
    """Whatever a bot raises is a failure of its own, and so is an answer that the game refuses."""
    try:
        return call()
    except Exception as error:
        raise _BotFailed(failure_text(what, error, turn)) from error
