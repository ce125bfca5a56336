"""The house bot, which plays a fresh deal to its end for every seat."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from mergemaker_client.bots.greedy import scores_of
from mergemaker_client.questions import turn_of
from mergemaker_client.turn import NONCE_BYTES, MatchInfo, Turn
from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Chances
from mergemaker_engine.game import Game
from mergemaker_engine.playout import play_out
from mergemaker_engine.views import View

_NO_NONCE: Final = bytes(NONCE_BYTES)
_PLAY: Final = "play"


class House(StrEnum):
    """Who plays on after an answer."""

    GREEDY = "greedy"
    """The built-in bot of this name. It leaves nothing to chance."""
    RANDOM = "random"
    """Random answers. Many times faster, and a weaker judge."""


def house_turn(view: View, answers: Sequence[Action]) -> Turn:
    """A question as the house bot meets it. What it does follows from the view alone."""
    assert view.seat is not None, "a question is asked of a seat"
    match = MatchInfo("review", view.rules, view.seats, view.seat, ("house",) * view.seats, _NO_NONCE)
    return turn_of(match, 1, view, answers, (), 0)


def play_on(game: Game, house: House, seed: bytes) -> tuple[int, ...]:
    """Plays a game to its end; returns the money by seat. It changes the game, so pass a copy."""
    if house is House.RANDOM:
        play_out(game, Chances(seed, _PLAY))
        return tuple(game.cash)
    while (decision := game.decision) is not None:
        answers = game.legal()
        chosen = 0
        if len(answers) > 1:
            scores = scores_of(house_turn(game.view(decision.seat), answers))
            chosen = scores.index(max(scores))
        game.take(answers[chosen], None)
    return tuple(game.cash)
