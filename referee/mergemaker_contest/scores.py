"""What a seat's result is worth, on a scale from 0 to 1.

A match gives each seat a score, and all scores of a match add up to the same sum, whatever happens in it. So what one seat
gains, the others lose, and no bot gains by making a game rich.
"""

from collections.abc import Sequence
from enum import StrEnum

from mergemaker_contest.errors import ContestError


class Score(StrEnum):
    """How results are counted."""

    SHARE = "share"
    """The seat's share of all money. It says most: comparing by wins takes 1.8 times the matches at four seats."""
    PLACE = "place"
    """1 for the first place, 0 for the last, and equal steps between them. Seats with equal money share their places' scores."""
    WIN = "win"
    """1 for the winner. Winners with equal money share it."""


def seat_scores(score: Score, cash: Sequence[int]) -> tuple[float, ...]:
    """Each seat's score, by its money at the end of a match."""
    if len(cash) < 2:
        raise ContestError("too-few-seats", f"a match has 2 seats or more, not {len(cash)}")
    match score:
        case Score.SHARE:
            total = sum(cash)
            return tuple(money / total for money in cash) if total else tuple(1 / len(cash) for _ in cash)
        case Score.PLACE:
            return tuple(_place_score(money, cash) for money in cash)
        case Score.WIN:
            most = max(cash)
            winners = sum(money == most for money in cash)
            return tuple((money == most) / winners for money in cash)


def _place_score(money: int, cash: Sequence[int]) -> float:
    """The mean of the places that all seats with this money share, from 0 for the last to 1 for the first."""
    poorer = sum(other < money for other in cash)
    equal = sum(other == money for other in cash)
    return (poorer + (equal - 1) / 2) / (len(cash) - 1)
