"""Describes a game in a line for each turn: from public events, or also from those of one seat."""

from collections.abc import Iterable
from typing import Final

from mergemaker_engine.events import Event, ResultReached, TurnBegan, audience
from mergemaker_engine.rules import Rules

from mergemaker_tools.phrases import Phrases, Voice


class Narrator:
    """Collects events; gives each turn's line when the next turn begins or the game is over."""

    def __init__(self, rules: Rules, voice: Voice | None = None, seat: int | None = None) -> None:
        self._voice: Final = voice or Voice()
        self._phrases: Final = Phrases(rules, self._voice)
        self._seat: Final = seat
        """The seat whose own events are told, too."""
        self._head = "set-up"
        self._is_begun = False
        """Whether a part of this turn has been told."""

    def hear(self, heard: Iterable[Event]) -> list[str]:
        """Takes what happened; returns the lines that are complete."""
        lines: list[str] = []
        for event in heard:
            if audience(event) not in (None, self._seat):
                continue  # only another seat may know it
            if isinstance(event, TurnBegan):
                lines += self._line()
                self._head, self._is_begun = f"turn {event.turn}, {self._voice.who(event.seat)}", False
            self._phrases.hear([event])
            if isinstance(event, ResultReached):
                lines += self._line()
        return lines

    def so_far(self) -> list[str]:
        """The line of the turn that goes on, from where the last line ended."""
        said = self._phrases.take()
        if not said:
            return []
        head = f"{self._head} (continued)" if self._is_begun else self._head
        self._is_begun = True
        return [f"{head}: {'; '.join(said)}"]

    def _line(self) -> list[str]:
        return self.so_far() or ([] if self._is_begun else [f"{self._head}: nothing"])
