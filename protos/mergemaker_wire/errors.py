"""What cannot be read, and why."""

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from mergemaker_engine.errors import Reduced, reduced
from mergemaker_engine.shown import shown

UNKNOWN_KIND: Final = "unknown-kind"
"""The reason where a newer version may have sent what this one has no name for."""
FIELDS_TOLD_MAX: Final = 8
"""Fields that are not known, of which an error gives the numbers."""


class WireError(ValueError):
    """A message that says nothing that the engine knows: `reason` is stable, for programs."""

    def __init__(self, reason: str, message: str, rule: str | None = None) -> None:
        self.reason: Final = reason
        self.message: Final = message
        self.rule: Final = rule
        """The id of the rule that stands against it, if one does."""
        super().__init__(message)

    def __reduce__(self) -> Reduced:
        """A copy, also one in another process, has the same reason, text and rule."""
        return reduced(self)


def out_of_range(where: str, expected: str, came: object) -> WireError:
    """The error for a field that has another value than any that it can have."""
    return WireError("out-of-range", f"{where} is {expected}, not {shown(came)}")


def wrong_length(where: str, expected: str, count: int) -> WireError:
    """The error for a list with too few or too many members."""
    return WireError("wrong-length", f"{where} is {expected}, not {count}")


def not_set(where: str, expected: str) -> WireError:
    """The error for a message in which something is missing."""
    return WireError("not-set", f"{where} is not set; expected is {expected}")


def no_known_kind(where: str, message: Message, kinds: Sequence[str]) -> WireError:
    """The error for a message of which no kind is set, or one that only a newer version knows."""
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
