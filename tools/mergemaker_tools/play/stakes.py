"""What majorities are worth: who would be paid what if a chain were settled, or the game ended, now. No I/O.

Nothing here is a secret: what the view hides is not guessed, and then there is no answer.
"""

from collections.abc import Sequence

from mergemaker_engine.board import CHAINS
from mergemaker_engine.bonuses import share_out
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import View

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def ordinal(place: int) -> str:
    """A place in words, from 1."""
    return _ORDINALS[place - 1]


def bonuses_of(view: View, chain: int, *, price: int | None = None) -> tuple[int, ...]:
    """What the places are paid for a chain at its price, or at another one; first place first."""
    found: tuple[int, ...] = tables_for(view.rules, view.seats).places[price or view.prices[chain]]
    return found


def paid_now(view: View, chain: int) -> tuple[int, ...] | None:
    """By seat: the bonus if the chain were settled now. None if that is not known: holdings are hidden, or a tile is drawn."""
    if tables_for(view.rules, view.seats).market_plays:
        return None
    held = [shares[chain] for shares in view.shares if shares is not None]
    if len(held) < view.seats:
        return None
    return share_out(bonuses_of(view, chain), held)


def totals_now(view: View) -> list[int] | None:
    """By seat: all its money if the game ended now; None if that is not known."""
    totals = []
    paid = {chain: paid_now(view, chain) for chain in range(CHAINS) if view.sizes[chain]}
    for seat, (cash, shares) in enumerate(zip(view.cash, view.shares, strict=True)):
        if cash is None or shares is None:
            return None
        total = cash + sum(count * price for count, price in zip(shares, view.prices, strict=True))
        for bonuses in paid.values():
            if bonuses is None:
                return None
            total += bonuses[seat]
        totals.append(total)
    return totals


def most_of_others(view: View, chain: int, seat: int) -> tuple[int, list[int]] | None:
    """The largest holding of another seat, and who has it; None if holdings are hidden."""
    held = {other: shares[chain] for other, shares in enumerate(view.shares) if shares is not None and other != seat}
    if len(held) < view.seats - 1:
        return None
    most = max(held.values())
    return most, [other for other, count in held.items() if count == most]


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a list: `a, b and c`."""
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
