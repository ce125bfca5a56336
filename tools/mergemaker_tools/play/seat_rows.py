"""What each seat has, as a row of a table under the board: cash, shares by chain, and what all of it is worth now."""

from collections.abc import Iterator, Sequence
from typing import Final

from mergemaker_engine.board import CHAINS
from mergemaker_engine.views import View
from rich.text import Text

from mergemaker_tools.play.standings import short_name

BOT_CHARACTERS: Final = 10
_HEAD: Final = "bold"
_FAINT: Final = "dim"
_COLUMN: Final = 3


def head_row(view: View) -> Text:
    """The heads; the chains by their letters."""
    letters = "".join(f"{name[0]:>{_COLUMN}}" for name in view.rules.chain_names)
    return Text(f"  seat{'':<{BOT_CHARACTERS}} {'cash':>8} {letters} {'worth':>8}", style=_HEAD)


def seat_rows(view: View, names: Sequence[str]) -> Iterator[Text]:
    """The rows, in the order of the seats; `>` marks whose turn it is."""
    for seat, bot in enumerate(names):
        cash, shares = view.cash[seat], view.shares[seat]
        held = _counts(shares) if shares else f"{'hidden':>{_COLUMN * CHAINS}}"
        worth = "-"
        if cash is not None and shares is not None:
            prices = (0,) * CHAINS if view.over else view.prices  # at the end the shares have been sold
            worth = f"${cash + sum(count * price for count, price in zip(shares, prices, strict=True)):,}"
        mark = ">" if seat == view.turn_seat and not view.over else " "
        line = Text(f"{mark} {seat} ", style=_HEAD if mark == ">" else "")
        name = Text(short_name(bot))
        name.truncate(BOT_CHARACTERS + 1, overflow="ellipsis", pad=True)
        money = "-" if cash is None else f"${cash:,}"
        yield line.append_text(name).append(f" {money:>9} {held} {worth:>8}")


def left_row(view: View) -> Text:
    """The shares that can still be bought."""
    return Text(f"  {'shares left':<{BOT_CHARACTERS + 4}} {'':>8} {_counts(view.market)}", style=_FAINT)


def _counts(shares: Sequence[int]) -> str:
    return "".join(f"{count or '.':>{_COLUMN}}" for count in shares)
