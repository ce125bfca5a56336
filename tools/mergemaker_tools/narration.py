"""Describes a game in a line for each turn, from public events alone."""

from collections.abc import Iterable

from mergemaker_engine.events import Event, ResultReached, TurnBegan, audience
from mergemaker_engine.rules import Rules

from mergemaker_tools.phrases import Phrases


class Narrator:
    """Collects events; gives each turn's line when the next turn begins or the game is over."""

    def __init__(self, rules: Rules) -> None:
        self._head = "set-up"
        self._phrases = Phrases(rules)

    def hear(self, heard: Iterable[Event]) -> list[str]:
        """Takes what happened; returns the lines that are complete."""
        lines: list[str] = []
        for event in heard:
            if audience(event) is not None:
                continue  # only one seat may know it
            if isinstance(event, TurnBegan):
                lines.append(self._line())
                self._head = f"turn {event.turn}, seat {event.seat}"
            self._phrases.hear([event])
            if isinstance(event, ResultReached):
                lines.append(self._line())
        return lines

    def _line(self) -> str:
        return f"{self._head}: {'; '.join(self._phrases.take()) or 'nothing'}"
