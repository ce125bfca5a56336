"""How error messages show a value: always cut short."""

from typing import Final

SHOWN_CHARACTERS_MAX: Final = 80


def shown(value: object) -> str:
    """A value's `repr`, cut to `SHOWN_CHARACTERS_MAX` characters."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write a whole number of more than a few thousand digits.
        text = f"a value of type {type(value).__name__} that is too long to be written"
    return text if len(text) <= SHOWN_CHARACTERS_MAX else text[:SHOWN_CHARACTERS_MAX] + "…"
