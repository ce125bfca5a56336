"""Messages that cannot be read, and why."""

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from mergemaker_engine.errors import Reduced, reduced
from mergemaker_engine.shown import shown

UNKNOWN_KIND: Final = "unknown-kind"
"""The reason where a newer version may have sent what this one has no name for."""
FIELDS_TOLD_MAX: Final = 8
"""The most unknown fields whose numbers an error gives."""


class WireError(ValueError):
    """A message that means nothing to the engine. `reason` is stable, for programs."""

    def __init__(self, reason: str, message: str, rule: str | None = None) -> None:
        self.reason: Final = reason
        self.message: Final = message
        self.rule: Final = rule
        """The id of the rule that it breaks, if it breaks one."""
        super().__init__(message)

    def __reduce__(self) -> Reduced:
        """Makes copies, also those in other processes, keep the reason, text and rule."""
        return reduced(self)


def out_of_range(where: str, expected: str, came: object) -> WireError:
    """The error for a field with an impossible value."""
    return WireError("out-of-range", f"{where} is {expected}, not {shown(came)}")


def wrong_length(where: str, expected: str, count: int) -> WireError:
    """The error for a list with too few or too many members."""
    return WireError("wrong-length", f"{where} is {expected}, not {count}")


def not_set(where: str, expected: str) -> WireError:
    """The error for a message with a missing part."""
    return WireError("not-set", f"{where} is not set; expected {expected}")


def no_known_kind(where: str, message: Message, kinds: Sequence[str]) -> WireError:
    """The error for a message without a kind, or with one that only a newer version knows."""
    expected = f"one of {', '.join(kinds)}"
    unknown = UnknownFieldSet(message)
    numbers = sorted({unknown[at].field_number for at in range(len(unknown))})
    if not numbers:
        return not_set(where, expected)
    fields = ", ".join(map(str, numbers[:FIELDS_TOLD_MAX])) + (", …" if len(numbers) > FIELDS_TOLD_MAX else "")
    return WireError(
        UNKNOWN_KIND,
        f"{where} has a kind that is not known here (field {fields}); known is {expected}: a newer version may know it",
    )
