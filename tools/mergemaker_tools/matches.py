"""A match in this process: bots at their seats, the game between them, who listens, and the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from mergemaker_engine.deal import Deal, derived_seed
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.events import audience
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import By

from mergemaker_tools.bots import BOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.rules import Rules

    from mergemaker_tools.bots import Bot
    from mergemaker_tools.recording import Recorder

    Listener: TypeAlias = Callable[[Sequence[Event]], None]

MATCH_GAMES_MAX: Final = 100_000
"""Each game is kept for the report, so this bounds memory."""


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays what: bots by seat, rules, and the seed that all games come from."""

    bots: tuple[str, ...]
    rules: Rules
    seed: bytes

    def game_seed(self, number: int) -> bytes:
        """The seed of one game: its deal, and the chances of the bots in it."""
        return derived_seed(self.seed, "game", number)


def play_match_game(match: Match, number: int, listener: Listener | None = None, recorder: Recorder | None = None) -> Game:
    """Plays one game of a match to its end; the listener hears all events, also those for one seat alone."""
    seed = match.game_seed(number)
    table = LocalTable(Game(match.rules, len(match.bots), Deal.from_seed(seed)), seats_of(match.bots, seed), recorder)
    if recorder:
        recorder.deal(table.game)
    table.tell(table.game.start_events)
    if listener:
        listener(table.game.start_events)
    for events in table.play():
        if listener:
            listener(events)
    return table.game


def seats_of(bots: Sequence[str], seed: bytes) -> list[Bot]:
    """A bot for each seat, their chances from a game's seed."""
    return [BOTS[name](seed, seat) for seat, name in enumerate(bots)]


class LocalTable:
    """A game and the bots around it. Each is told what its seat may know before it is asked; then the line is written."""

    def __init__(self, game: Game, bots: Sequence[Bot], recorder: Recorder | None) -> None:
        self.game: Final = game
        self._bots = bots
        self._recorder = recorder
        self._untold: list[list[Event]] = [[] for _ in bots]

    def tell(self, events: Sequence[Event]) -> None:
        """Keeps what happened for each seat that may know, until it is asked."""
        for event in events:
            only = audience(event)
            for seat, untold in enumerate(self._untold):
                if only is None or only == seat:
                    untold.append(event)

    def play(self) -> Iterator[tuple[Event, ...]]:
        """Plays on to the end; gives what happened, decision by decision, once it is recorded."""
        game = self.game
        while (decision := game.decision) is not None:
            answers = game.legal()
            if len(answers) == 1 and not isinstance(decision, ChooseReply):
                answer, by = answers[0], By.AUTOMATIC  # not asked (TBL-3)
            else:
                bot = self._bots[decision.seat]
                self._hand_over(decision.seat)
                answer, by = bot.answer(game.view(decision.seat), answers), By.BOT
            events = game.apply(answer)
            if self._recorder:
                self._recorder.decision(decision, answer, by, game)
            self.tell(events)
            yield events
        if self._recorder:
            self._recorder.end(game)
        for seat in range(len(self._bots)):
            self._hand_over(seat)

    def _hand_over(self, seat: int) -> None:
        untold, self._untold[seat] = self._untold[seat], []
        self._bots[seat].observe(tuple(untold))
