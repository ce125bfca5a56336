"""Whole matches in memory between a test's own bots: a test can watch each question and its answer."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from mergemaker_client.answer import Answer
from mergemaker_client.asking import Caller
from mergemaker_client.bot import Bot, settled
from mergemaker_client.local_match import LocalMatch as ClientsMatch
from mergemaker_client.local_match import result_of
from mergemaker_client.playing import OnError
from mergemaker_client.turn import MatchInfo, MatchResult, Turn
from mergemaker_engine.actions import Action
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_table import CLOCKS, Setup, Terms

Watcher: TypeAlias = Callable[[Turn, Action], None]
"""Called with each question and its answer."""


class LocalMatch:
    """One match, and the bots at its seats."""

    def __init__(self, rules: Rules, bots: Sequence[Bot], seed: bytes, watcher: Watcher | None = None) -> None:
        setup = Setup(
            rules=rules,
            bots=tuple(type(bot).__name__ for bot in bots),
            terms=Terms(CLOCKS["none"]),
            mode=DealMode.PLAIN,
            match="local",
            promise=None,
            secrets=Secrets(seed),
            software="test",
        )
        watched = [_Watched(bot, self) for bot in bots]
        self._match = ClientsMatch(setup, watched, Caller(), lambda _: lambda: 0, OnError.RAISE)
        self._watcher = watcher

    @property
    def game(self) -> Game:
        """The game's present state."""
        game = self._match.table._desk.game
        assert game is not None, "nobody is asked before the deal"
        return game

    def play(self) -> MatchResult:
        """Plays to the end."""
        return result_of(self._match.play())


class _Watched(Bot):
    def __init__(self, bot: Bot, match: LocalMatch) -> None:
        self._bot = bot
        self._match = match

    def on_start(self, match: MatchInfo) -> None:
        self._bot.on_start(match)

    def on_events(self, events: Sequence[Event]) -> None:
        self._bot.on_events(events)

    def on_end(self, result: MatchResult) -> None:
        self._bot.on_end(result)

    def answer(self, turn: Turn) -> Answer:
        answer, _ = settled(turn, self._bot.answer(turn))
        if self._match._watcher is not None:
            self._match._watcher(turn, answer)
        return answer


def play_local(rules: Rules, bots: Sequence[Bot], seed: bytes, watcher: Watcher | None = None) -> MatchResult:
    """Plays one match: the deal and the nonces of the seats come from the seed."""
    return LocalMatch(rules, bots, seed, watcher).play()
