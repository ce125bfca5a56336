"""Who the bots of a contest belong to: it decides what may be kept from match to match."""

from enum import StrEnum


class Trust(StrEnum):
    """Who the bots of a contest belong to."""

    OTHERS = "others"
    """To different owners: nothing of a match may reach the next one of its block, so each match has fresh processes."""
    OWN = "own"
    """All to one author, who has nothing to gain: they may be called in this program, and programs stay from match to match."""
