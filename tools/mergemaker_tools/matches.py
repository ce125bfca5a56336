"""A match in this process: bots at their seats, the game between them, and who listens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mergemaker_engine.deal import Deal, derived_seed
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.game import Game

from mergemaker_tools.bots import BOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergemaker_engine.events import Event
    from mergemaker_engine.rules import Rules

    Listener = Callable[[Sequence[Event]], None]

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


def play_match_game(match: Match, number: int, listener: Listener | None = None) -> Game:
    """Plays one game of a match to its end; the listener hears all events, also those for one seat alone."""
    seed = match.game_seed(number)
    bots = [BOTS[name](seed, seat) for seat, name in enumerate(match.bots)]
    game = Game(match.rules, len(bots), Deal.from_seed(seed))
    if listener:
        listener(game.start_events)
    while (decision := game.decision) is not None:
        answers = game.legal()
        if len(answers) == 1 and not isinstance(decision, ChooseReply):
            answer = answers[0]  # not asked (TBL-3)
        else:
            answer = bots[decision.seat].answer(game.view(decision.seat), answers)
        events = game.apply(answer)
        if listener:
            listener(events)
    return game
