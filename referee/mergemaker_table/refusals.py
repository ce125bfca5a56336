"""Why an answer is refused, and whose fault its refusals are in the end."""

from dataclasses import dataclass

from mergemaker_engine.record.lines import NOTE_BYTES_MAX, AnsweredBy

from mergemaker_table.outputs import RefusalReason


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was wrong with an answer, and which cause the default has if it was the last one."""

    cause: AnsweredBy
    """`ILLEGAL` for what the position does not allow, `PROTOCOL` for what cannot be read."""
    reason: str
    text: str
    rule: str | None = None


def note_refusal(note: str | None) -> Refusal | None:
    """What is wrong with a note, if anything is."""
    if note is None:
        return None
    try:
        size = len(note.encode("utf-8"))
    except UnicodeEncodeError:
        return Refusal(
            AnsweredBy.PROTOCOL, RefusalReason.BAD_NOTE, "a note is text that has a UTF-8 form; leave out half surrogate pairs"
        )
    if size > NOTE_BYTES_MAX:
        text = f"a note has at most {NOTE_BYTES_MAX} bytes in UTF-8, not {size}; the answer is not taken without it"
        return Refusal(AnsweredBy.PROTOCOL, RefusalReason.NOTE_TOO_LONG, text)
    return None
