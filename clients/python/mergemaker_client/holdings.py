"""What others hold: counted if the view shows it, or else guessed as `GREEDY.md` says."""

from collections.abc import Sequence

from mergemaker_engine.board import CHAINS
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.views import View


def tops_of_others(view: View, seat: int) -> list[tuple[int, int]]:
    """By chain: the two largest holdings of other seats; 0 where there is none."""
    others = [shares for other, shares in enumerate(view.shares) if other != seat and shares is not None]
    rivals = view.seats - 1
    if len(others) == rivals:
        return shown_tops(others)
    mine = view.shares[seat]
    assert mine is not None, "a seat's own shares are never hidden"
    return _guessed_tops([SHARES_PER_CHAIN - view.market[chain] - mine[chain] for chain in range(CHAINS)], rivals)


def shown_tops(others: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """By chain: the two largest of these holdings."""
    tops = []
    for held in zip(*others, strict=True):
        second, first = sorted((0, *held))[-2:]
        tops.append((first, second))
    return tops


def _guessed_tops(rest: Sequence[int], rivals: int) -> list[tuple[int, int]]:
    """The same with hidden holdings: two thirds of what the others have together, rounded up, and the rest."""
    if rivals == 1:
        return [(count, 0) for count in rest]
    firsts = [(2 * count + 2) // 3 for count in rest]
    return [(first, count - first) for first, count in zip(firsts, rest, strict=True)]
