"""The bots that play in this process, by name, and what a bot is."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from mergemaker_engine.deal import Stream
from mergemaker_engine.decisions import ChoosePurchase, ChooseTile
from mergemaker_engine.playout import declares_end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mergemaker_engine.actions import Action
    from mergemaker_engine.events import Event
    from mergemaker_engine.views import View


class Bot(Protocol):
    """Plays one seat of one game: is shown what the seat may know, and picks one of the legal answers."""

    def observe(self, events: Sequence[Event]) -> None:
        """Is told what happened since it was last told, as far as its seat may know."""

    def answer(self, view: View, answers: Sequence[Action]) -> Action:
        """Answers `view.decision` with one of the answers."""


class RandomBot:
    """Picks any answer, each as likely as the others; declares the end as soon as it may."""

    def __init__(self, chance: Stream) -> None:
        self._chance = chance

    def observe(self, events: Sequence[Event]) -> None:
        """Needs no memory."""

    def answer(self, view: View, answers: Sequence[Action]) -> Action:
        """Answers at random."""
        # Only these two can declare, and other decisions may have too many answers to look through.
        if view.end_allowed and not view.declared and isinstance(view.decision, ChooseTile | ChoosePurchase):
            answers = [answer for answer in answers if declares_end(answer)] or answers
        return answers[self._chance.below(len(answers))]


BOTS: Final[Mapping[str, Callable[[bytes, int], Bot]]] = MappingProxyType(
    {"random": lambda seed, seat: RandomBot(Stream(seed, f"seat/{seat}"))}
)
"""By name: makes the bot for a game's seed and a seat."""
