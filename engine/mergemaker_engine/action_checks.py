"""Checks of an action's fields. They refuse what no position could ever accept."""

from mergemaker_engine.board import CHAINS
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.shown import shown

# Each check names the rule that the field is about, so that the error explains what the field means.


def check_number(value: object, name: str, low: int, high: int, rule: str) -> None:
    """Refuses anything but a whole number in this range."""
    # Other types are refused: `True` is not a count, and `2.0` would pass every comparison.
    if type(value) is not int or not low <= value <= high:
        raise MalformedAction("malformed", f"{name} is a whole number from {low} to {high}, not {shown(value)}", rule)


def check_flag(value: object, name: str, rule: str) -> None:
    """Refuses anything but True and False."""
    if type(value) is not bool:
        raise MalformedAction("malformed", f"{name} is True or False, not {shown(value)}", rule)


def check_shares(value: object, name: str, most: int, rule: str) -> None:
    """Refuses anything but one count for each chain, each at most `most`."""
    if type(value) is not tuple or len(value) != CHAINS:
        raise MalformedAction("malformed", f"{name} is a tuple of {CHAINS} counts, one for each chain, not {shown(value)}", rule)
    for chain, count in enumerate(value):
        if type(count) is not int or not 0 <= count <= most:  # so the usual one costs neither a call nor a text
            check_number(count, f"{name}[{chain}]", 0, most, rule)
