"""What was wrong with an answer, and whose fault its refusals are in the end."""

from dataclasses import dataclass

from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.lines import NOTE_BYTES_MAX, AnsweredBy
from mergemaker_engine.shown import shown

from mergemaker_table.inputs import Answer
from mergemaker_table.outputs import RefusalReason


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that does not count, and which cause the default has if it was the last one."""

    cause: AnsweredBy
    """`ILLEGAL` for what the position does not allow, `PROTOCOL` for what cannot be read."""
    refusal: Refusal


def refusal_of_note(note: str | None) -> Refusal | None:
    """What is wrong with a note, if anything is."""
    if note is None:
        return None
    try:
        size = len(note.encode("utf-8"))
    except UnicodeEncodeError:
        return Refusal(RefusalReason.BAD_NOTE, "a note is text that has a UTF-8 form; leave out half surrogate pairs")
    if size > NOTE_BYTES_MAX:
        text = f"a note has at most {NOTE_BYTES_MAX} bytes in UTF-8, not {size}; the answer is not taken without it"
        return Refusal(RefusalReason.NOTE_TOO_LONG, text)
    return None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """How a record shows an answer that no action could be made of."""

    reason: str
    text: str


def shown_answer(answer: Answer) -> str:
    """An answer as the record of its refusal shows it."""
    return shown(Unreadable(answer.reason, answer.text) if isinstance(answer, Refusal) else answer)
