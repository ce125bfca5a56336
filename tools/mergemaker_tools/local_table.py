"""A game in this process: bots at their seats, the game between them, and the record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.events import audience
from mergemaker_engine.record.lines import By

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.game import Game

    from mergemaker_tools.bots import SeatedBot
    from mergemaker_tools.recording import Recorder


class LocalTable:
    """A game and the bots around it. Each is told what its seat may know before it is asked; then the line is written."""

    def __init__(self, game: Game, bots: Sequence[SeatedBot], recorder: Recorder) -> None:
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
            self._recorder.decision(decision, answer, by, game)
            self.tell(events)
            yield events
        self._recorder.end(game)
        for seat in range(len(self._bots)):
            self._hand_over(seat)

    def _hand_over(self, seat: int) -> None:
        untold, self._untold[seat] = self._untold[seat], []
        self._bots[seat].observe(tuple(untold))
