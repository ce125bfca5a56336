"""A bot's answer."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from mergemaker_engine.actions import Action
from mergemaker_engine.shown import shown

from mergemaker_client.errors import BotError

NOTE_BYTES_MAX: Final = 1_024


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer with a note. Notes are recorded, and nobody sees them before the match is over."""

    answer: Action | int
    note: str

    def __post_init__(self) -> None:
        """Refuses a note that the referee would not accept."""
        if not isinstance(self.note, str):
            raise BotError("bad-note", f"a note is text, not {shown(self.note)}")
        size = len(self.note.encode("utf-8", "replace"))
        if size > NOTE_BYTES_MAX:
            raise BotError("note-too-long", f"a note is at most {NOTE_BYTES_MAX} bytes of UTF-8, not {size}")


Answer: TypeAlias = Action | int | Noted
"""An action, or its index in `turn.answers`; either may have a note."""
ANSWER_FORMS: Final = "an action, its index in turn.answers, or Noted(either, text)"
