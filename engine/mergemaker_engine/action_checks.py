"""Checks of an action's fields: what they refuse, no position could ever accept."""

from mergemaker_engine.board import CHAINS
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.shown import shown

# Each check names the rule that the field is about: who made the wrong value reads there what it stands for.


def check_number(value: object, name: str, low: int, high: int, rule: str) -> None:
    """Refuses what is no whole number between these two."""
    # bool, float and the like are refused by type: `True` is no count, and `2.0` would pass every comparison.
    if type(value) is not int or not low <= value <= high:
        raise MalformedAction("malformed", f"{name} is a whole number from {low} to {high}, not {shown(value)}", rule)


def check_flag(value: object, name: str, rule: str) -> None:
    """Refuses what is no truth value."""
    if type(value) is not bool:
        raise MalformedAction("malformed", f"{name} is True or False, not {shown(value)}", rule)


def check_shares(value: object, name: str, most: int, rule: str) -> None:
    """Refuses what is not one count for each chain, or has a larger count than this."""
    if type(value) is not tuple or len(value) != CHAINS:
        raise MalformedAction("malformed", f"{name} is a tuple of {CHAINS} counts, one for each chain, not {shown(value)}", rule)
    for chain, count in enumerate(value):
        check_number(count, f"{name}[{chain}]", 0, most, rule)
