"""A game told in a line for each turn, from what is announced to all, and from nothing else."""

from collections.abc import Sequence

from mergemaker_engine import events
from mergemaker_engine.events import Event, audience
from mergemaker_engine.rules import Rules

from mergemaker_tools.replaying.phrases import Phrases


class Narrator:
    """Collects events; gives each turn's line when the next turn begins or the game is over."""

    def __init__(self, rules: Rules) -> None:
        self._head = "set-up"
        self._phrases = Phrases(rules)
        self._said: list[str] = []

    def hear(self, heard: Sequence[Event]) -> list[str]:
        """Takes what happened; returns the lines that are complete."""
        lines: list[str] = []
        for event in heard:
            if isinstance(event, events.TurnBegan):
                lines.append(self._line())
                self._head = f"turn {event.turn}, seat {event.seat}"
            if audience(event) is None:
                self._phrases.hear((event,))
            if isinstance(event, events.ResultReached):
                lines.append(self._line())
        self._phrases.take_onto(self._said)
        return lines

    def _line(self) -> str:
        self._phrases.take_onto(self._said)
        line = f"{self._head}: {', '.join(self._said) or 'nothing'}"
        self._said = []
        return line
