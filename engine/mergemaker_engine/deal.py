"""The deal: the order of the tiles and the market's draws, from 32 bytes alone.

`DEAL.md` in the parent folder specifies it to the byte, so that a program in any language can check a deal.
"""

import struct
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from mergemaker_engine.board import CELL, SQUARES, cells_of, squares_of
from mergemaker_engine.errors import SetupError
from mergemaker_engine.shown import shown
from mergemaker_engine.unchecked import Unchecked

SEED_BYTES: Final = 32
LABEL_BYTES_MAX: Final = 19
DERIVED_NUMBER_MAX: Final = 2**32 - 1
_WORD_VALUES: Final = 65_536
_read_words: Final = struct.Struct(">16H").unpack

_ALL_SQUARES: Final = frozenset(range(SQUARES))

SHUFFLED_MAX: Final = 1_023
"""The most items that can be shuffled, and the largest n for which `below` is fastest. Play needs less."""

# By n: the smallest word that `below(n)` rejects.
_LIMITS: Final = (0, *(_WORD_VALUES - _WORD_VALUES % n for n in range(1, SHUFFLED_MAX + 1)))

# The blocks of a deal: one word for each swap, and five spare ones.
_DEAL_LABEL: Final = "deal"
_DEAL_BLOCKS: Final = tuple(_DEAL_LABEL.encode("ascii") + block.to_bytes(4, "big") for block in range(7))
_read_deal_words: Final = struct.Struct(">112H").unpack


def _check_seed(seed: object) -> None:
    if type(seed) is not bytes or len(seed) != SEED_BYTES:
        raise SetupError("bad-seed", f"a seed is {SEED_BYTES} bytes, not {shown(seed)}; write it as 64 hexadecimal digits")


def _check_label(label: object) -> None:
    if type(label) is not str or not 1 <= len(label) <= LABEL_BYTES_MAX or not label.isascii():
        raise SetupError("bad-label", f"a label is 1 to {LABEL_BYTES_MAX} ASCII characters, not {shown(label)}")


class Chances:
    """An endless sequence of random numbers from a seed and a label. Equal seeds and labels give equal sequences."""

    __slots__ = ("_block", "_root", "_words")

    def __init__(self, seed: Unchecked[bytes], label: Unchecked[str]) -> None:
        if type(seed) is not bytes or len(seed) != SEED_BYTES:
            _check_seed(seed)
        _check_label(label)
        self._root = seed + label.encode("ascii")
        self._block = 0
        self._words: list[int] = []

    def _next_block(self) -> bytes:
        block = self._block
        self._block = block + 1
        return sha256(self._root + block.to_bytes(4, "big")).digest()

    def _refill(self) -> None:
        # Reversed, because words are taken from the end of the list.
        self._words += _read_words(self._next_block())[::-1]

    def below(self, n: Unchecked[int]) -> int:
        """A whole number from 0 to n - 1, each equally likely."""
        if type(n) is not int or not 0 < n <= SHUFFLED_MAX:
            return self._below_wide(n)
        return self.below_small(n)

    def below_small(self, n: int) -> int:
        """The same as `below`, for a whole number from 1 to `SHUFFLED_MAX`, which is not checked."""
        words = self._words
        while True:
            if words:
                word = words.pop()
                if word < _LIMITS[n]:
                    return word % n
            else:
                self._refill()

    def _below_wide(self, n: Unchecked[int]) -> int:
        if type(n) is not int or n < 1:
            raise SetupError("bad-range", f"chances are drawn below a whole number from 1 on, not {shown(n)}")
        count = ((n - 1).bit_length() + 15) // 16
        values = _WORD_VALUES**count
        limit = values - values % n
        while True:
            number = 0
            for _ in range(count):
                if not self._words:
                    self._refill()
                number = number << 16 | self._words.pop()
            if number < limit:
                return number % n

    def _take_words(self, count: int) -> list[int]:
        """At least `count` words in order: those left over, and those of as many new blocks as are needed."""
        words = self._words[::-1]
        if len(words) < count:
            first = self._block
            self._block = first + (count - len(words) + 15) // 16
            root = self._root
            digests = [sha256(root + block.to_bytes(4, "big")).digest() for block in range(first, self._block)]
            words += struct.unpack(f">{16 * len(digests)}H", b"".join(digests))
        return words

    def __reduce__(self) -> tuple[object, ...]:
        return Chances._continued, (self._root, self._block, self._words)

    @classmethod
    def _continued(cls, root: bytes, block: int, words: list[int]) -> "Chances":
        """The sequence that goes on as another did when it was pickled."""
        chances = cls(bytes(SEED_BYTES), _DEAL_LABEL)
        chances._root, chances._block, chances._words = root, block, words
        return chances

    def shuffled(self, items: Sequence[int]) -> list[int]:
        """The items in random order: Fisher-Yates from the top, one `below` for each swap."""
        order = list(items)
        if len(order) > SHUFFLED_MAX:
            raise SetupError("too-many-items", f"at most {SHUFFLED_MAX} items are shuffled, not {len(order)}")
        words = self._take_words(len(order))
        read, left = _shuffle(order, tuple(words))
        self._words = words[read:][::-1]
        for n in range(left, 1, -1):
            swap = self.below_small(n)
            order[n - 1], order[swap] = order[swap], order[n - 1]
        return order


def _shuffle(order: list[int], words: tuple[int, ...]) -> tuple[int, int]:
    """Shuffles from the top until the words run out.

    Returns how many words were read, and how many items are left to shuffle. It is `below`, inlined: a deal must cost no
    more than forty hashes.
    """
    read, left = 0, len(order)
    surely_taken = _WORD_VALUES - left  # for any n up to `left`, fewer than n words are rejected, the highest ones
    while left > 1:
        # As many words as swaps are left; the next round makes up for rejected words.
        round_of_words = words[read : read + left - 1]
        if not round_of_words:
            break
        read += len(round_of_words)
        if max(round_of_words) <= surely_taken:
            # None is rejected, as nearly always.
            for word in round_of_words:
                swap = word % left
                left -= 1
                order[left], order[swap] = order[swap], order[left]
            continue
        for word in round_of_words:
            if word > surely_taken and word >= _LIMITS[left]:
                continue
            swap = word % left
            left -= 1
            order[left], order[swap] = order[swap], order[left]
    return read, left


def check_chances(chances: object) -> None:
    """Refuses anything but `Chances`."""
    if not isinstance(chances, Chances):
        raise SetupError("bad-stream", f"chances come from Chances, such as Chances(seed, 'play'), not {shown(chances)}")


def derived_seed(seed: Unchecked[bytes], label: Unchecked[str], number: Unchecked[int]) -> bytes:
    """The seed of one item of a series, such as game `number` of a simulation."""
    _check_seed(seed)
    _check_label(label)
    if type(number) is not int or not 0 <= number <= DERIVED_NUMBER_MAX:
        raise SetupError("bad-number", f"the number of a derived seed is 0 to {DERIVED_NUMBER_MAX}, not {shown(number)}")
    return sha256(seed + label.encode("ascii") + number.to_bytes(4, "big")).digest()


def _dealt_cells(seed: bytes) -> bytes:
    """The same as `Chances(seed, "deal").shuffled(CELL)`, without making `Chances` unless the words run out.

    A shuffle moves places, whatever lies in them, so cells are shuffled just as squares would be.
    """
    order = [*CELL]
    words = _read_deal_words(b"".join([sha256(seed + block).digest() for block in _DEAL_BLOCKS]))
    _, left = _shuffle(order, words)
    return bytes(order) if left == 1 else bytes(Chances(seed, _DEAL_LABEL).shuffled(CELL))


def _named_tiles(tiles: object, squares: tuple[int, ...]) -> tuple[int | None, ...]:
    """The named tiles of the market's draws. Draws at the end that are left to the seed are dropped."""
    if not isinstance(tiles, Sequence):
        raise SetupError("bad-market-tiles", f"the tiles of the market's draws are a list of squares, not {shown(tiles)}")
    for tile in tiles:
        if tile is not None and (type(tile) is not int or tile not in squares):
            raise SetupError(
                "bad-market-tiles", f"a draw of the market shows a tile of the pile, or None for one by chance, not {shown(tile)}"
            )
    last = max((draw for draw, tile in enumerate(tiles) if tile is not None), default=-1)
    return tuple(tiles[: last + 1])


class Deal:
    """The order in which tiles come off the pile (SET-5), and the source of the market's draws (TWO-5).

    The market's draws are random, from a seed. A deal made by hand can name them instead: `market_tiles` holds the tile
    that draw 0 shows, then that of draw 1, and so on. None leaves a draw to the seed, and so does a tile that has left
    the pile by then.
    """

    __slots__ = ("cells", "market_seed", "market_tiles")

    cells: bytes
    market_seed: bytes
    market_tiles: tuple[int | None, ...]
    """Its last item is a tile: draws at the end that are left to the seed are dropped."""

    def __init__(
        self, order: Sequence[int], market_seed: Unchecked[bytes] = bytes(SEED_BYTES), market_tiles: Sequence[int | None] = ()
    ) -> None:
        _check_seed(market_seed)
        if not isinstance(order, Sequence):
            raise SetupError("bad-order", f"the order of a pile is a list of squares, 0 to {SQUARES - 1}, not {shown(order)}")
        squares = tuple(order)
        if set(map(type, squares)) - {int} or set(squares) - _ALL_SQUARES or len(set(squares)) != len(squares):
            raise SetupError("bad-order", f"the order of a pile is different squares, 0 to {SQUARES - 1}, not {shown(order)}")
        self.cells = cells_of(squares)
        self.market_seed = market_seed
        self.market_tiles = _named_tiles(market_tiles, squares)

    @classmethod
    def from_seed(cls, seed: Unchecked[bytes]) -> "Deal":
        """The deal of a seed of 32 bytes."""
        _check_seed(seed)
        deal = cls((), seed)
        deal.cells = _dealt_cells(seed)
        return deal

    @property
    def order(self) -> tuple[int, ...]:
        """The squares of the pile, in the order in which they are drawn."""
        return squares_of(self.cells)

    def market_index(self, draw: Unchecked[int], tiles_left: Unchecked[int]) -> int:
        """The index in the pile of the tile that market draw number `draw` shows; the next tile has index 0 (TWO-6)."""
        if draw < len(self.market_tiles):
            drawn = len(self.cells) - tiles_left
            named = self.market_tiles[draw]
            at = -1 if named is None else self.cells.find(CELL[named], drawn)
            if at >= 0:
                return at - drawn
        return Chances(self.market_seed, f"market/{draw}").below(tiles_left)

    def __reduce__(self) -> tuple[object, ...]:
        return Deal, (self.order, self.market_seed, self.market_tiles)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Deal):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[object, ...]:
        return (self.cells, self.market_seed, self.market_tiles)
