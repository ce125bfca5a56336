"""What each tile of a hand would do if it were placed now, before any chain is named (PLC-3 to PLC-6).

For players without a rules engine. Effects are computed from public knowledge and the player's own hand, and agree with
what `Game.apply` then does.
"""

from enum import StrEnum
from typing import Final

from mergemaker_engine.board import (
    ALL_CHAINS,
    CELL,
    CHAINS_IN,
    INDEPENDENT,
    LABEL,
    NUMBERS,
    ROW,
    SQUARES,
    is_dead,
    near,
    spread,
)
from mergemaker_engine.chains import SAFE_SIZE
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.values import dataclass
from mergemaker_engine.views import View, labels_of

_BORDER: Final = bytes(ROW + 1)
_BETWEEN_ROWS: Final = bytes(ROW - NUMBERS)
_NO_CHAINS: Final = ()


class EffectKind(StrEnum):
    """What a tile does to the board."""

    LONE = "lone"
    """It touches nothing (PLC-3)."""
    GROWS = "grows"
    """It makes one chain larger (PLC-5)."""
    FOUNDS = "founds"
    """It founds a chain (PLC-4)."""
    MERGES = "merges"
    """It joins several chains (PLC-6)."""


@dataclass(frozen=True, slots=True)
class TileEffect:
    """What placing one tile would do."""

    square: int
    kind: EffectKind
    chains: tuple[int, ...]
    """The chain that grows, or all chains that are joined, ascending. Otherwise empty."""
    survivors: tuple[int, ...]
    """For a merger, the largest of these chains, ascending; if there are several, one of them is named (MRG-2)."""
    size: int
    """The size of the grown, founded or surviving chain afterwards; 1 for a lone tile."""


def tile_effects(view: View) -> tuple[TileEffect, ...]:
    """What each placeable tile of the view's hand would do, by ascending square. Empty for the public.

    When the seat is asked for a tile, these are exactly the tiles that it may place.
    """
    board = _padded(view.board)
    active = safe = 0
    for chain, size in enumerate(view.sizes):
        if size:
            active |= LABEL[chain]
            if size >= SAFE_SIZE:
                safe |= LABEL[chain]
    effects = []
    for square in view.hand:
        touched = near(board, CELL[square])
        eighth = touched == INDEPENDENT and active == ALL_CHAINS
        if not eighth and not is_dead(touched, safe):
            effects.append(_effect(view, board, square, touched))
    return tuple(effects)


def choice_effects(view: View) -> tuple[TileEffect, ...]:
    """What each tile would do, in the view of a seat that is asked for one; nothing where something else is asked."""
    return tile_effects(view) if type(view.decision) is ChooseTile else ()


def _padded(board: bytes) -> list[int]:
    """A view's board as the engine keeps it, with its border."""
    labels = labels_of(board)
    rows = [labels[start : start + NUMBERS] for start in range(0, SQUARES, NUMBERS)]
    return list(_BORDER + _BETWEEN_ROWS.join(rows) + _BORDER)


def _effect(view: View, board: list[int], square: int, touched: int) -> TileEffect:
    if not touched:
        return TileEffect(square, EffectKind.LONE, _NO_CHAINS, _NO_CHAINS, 1)
    joined = 1
    if touched & INDEPENDENT:
        # The label does not matter: this counts the tile and the independent tiles connected to it.
        joined = spread(board[:], CELL[square], ALL_CHAINS)
    chains = CHAINS_IN[touched & ALL_CHAINS]
    if not chains:
        return TileEffect(square, EffectKind.FOUNDS, _NO_CHAINS, _NO_CHAINS, joined)
    sizes = [view.sizes[chain] for chain in chains]
    size = joined + sum(sizes)
    if len(chains) == 1:
        return TileEffect(square, EffectKind.GROWS, chains, _NO_CHAINS, size)
    most = max(sizes)
    survivors = tuple([chain for chain in chains if view.sizes[chain] == most])
    return TileEffect(square, EffectKind.MERGES, chains, survivors, size)
