"""A value as an error's message shows it: cut short, whatever it is."""

from typing import Final

SHOWN_CHARACTERS_MAX: Final = 80


def shown(value: object) -> str:
    """How Python writes a value, with at most so many characters of it."""
    try:
        text = repr(value)
    except ValueError:
        # Python writes no whole number of more than some thousand digits.
        text = f"a value of type {type(value).__name__} that is too long to be written"
    return text if len(text) <= SHOWN_CHARACTERS_MAX else text[:SHOWN_CHARACTERS_MAX] + "…"
