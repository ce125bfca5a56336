"""How matches are played: in this program, or by the referee's server."""

from enum import StrEnum


class Way(StrEnum):
    """How matches are played."""

    AUTO = "auto"
    """Fast if all bots are built-in ones or module:Class, and otherwise served."""
    FAST = "fast"
    """All bots are called in this program's own processes; Python files, too."""
    SERVED = "served"
    """By the referee's server: programs are started as processes."""
