"""What the seat that is asked may know of the game: worked out at the first look, because not every bot looks.

A look after the game has gone on shows the same as one before it. The game is then played again up to its question.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import AnswerBounds, answer_bounds
from mergemaker_engine.effects import TileEffect, choice_effects
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.views import View

_Seen = TypeVar("_Seen")


class Sight:
    """The game at one question, as its seat sees it."""

    __slots__ = ("_answers", "_bounds", "_effects", "_game", "_past", "_past_answers", "_seat", "_view", "is_now")

    def __init__(self, game: Game, seat: int, answers: Sequence[Action], past: Sequence[Action]) -> None:
        """`answers` are all legal ones. `past` are those that led here, to which later ones are only added."""
        self._game: Final = game
        self._seat: Final = seat
        self._answers: Final = answers
        self._past: Final = past
        self._past_answers: Final = len(past)
        self._view: View | None = None
        self._bounds: AnswerBounds | None = None
        self._effects: tuple[TileEffect, ...] | None = None
        self.is_now = True
        """Whether the game is still at this question."""

    def apply(self, answer: Unchecked[Action]) -> tuple[Event, ...]:
        """Applies an answer to the game, which goes on from here. A refused one leaves it where it is."""
        self.is_now = False
        try:
            return self._game.apply(answer)
        except EngineError:
            self.is_now = True
            raise

    @property
    def view(self) -> View:
        """The seat's view."""
        if self._view is None:
            self._view = self._look(lambda game: game.view(self._seat))
        return self._view

    @property
    def bounds(self) -> AnswerBounds:
        """The legal answers in short."""
        if self._bounds is None:
            self._bounds = self._look(lambda game: answer_bounds(game, self._answers))
        return self._bounds

    @property
    def effects(self) -> tuple[TileEffect, ...]:
        """For `ChooseTile`: what each placeable tile would do. Empty for other decisions."""
        if self._effects is None:
            self._effects = choice_effects(self.view)
        return self._effects

    def _look(self, look: Callable[[Game], _Seen]) -> _Seen:
        if self.is_now:
            seen = look(self._game)
            # A bot may look from a thread of its own, while the game goes on.
            if self.is_now:
                return seen
        return look(self._as_it_was())

    def _as_it_was(self) -> Game:
        game = Game(self._game.rules, self._game.seats, self._game.deal)
        for answer in self._past[: self._past_answers]:
            game.apply(answer)
        return game
