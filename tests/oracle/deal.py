"""The order of the tiles and the market's draws from a seed, as DEAL.md describes them."""

import hashlib
from collections.abc import Callable, Sequence

from .board import SQUARES

SEED_BYTES = 32
LONGEST_LABEL_CHARACTERS = 19
WORD_VALUES = 65536  # a word has 16 bits
WORD_BYTES = 2


class Stream:
    """The words of one stream, named by a seed and a label."""

    def __init__(self, seed: bytes, label: str) -> None:
        """Start at the first word; ValueError for a seed or label that DEAL.md does not allow."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"Expected a seed of {SEED_BYTES} bytes, got {len(seed)}. Give one of that length.")
        if not 1 <= len(label) <= LONGEST_LABEL_CHARACTERS or not label.isascii():
            raise ValueError(f"Expected an ASCII label of 1 to {LONGEST_LABEL_CHARACTERS} characters, got {label!r}. Shorten it.")
        self._name = seed + label.encode("ascii")
        self._blocks_made = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """Give a whole number from 0 to n - 1, each equally likely."""
        if n < 1:
            raise ValueError(f"Expected at least one number to choose from, got {n}. Ask for below(1) or more.")
        words_each = 1
        while WORD_VALUES**words_each < n:
            words_each += 1
        values = WORD_VALUES**words_each
        while True:  # each round ends it with a chance of more than one half
            number = 0
            for _ in range(words_each):
                number = number * WORD_VALUES + self._next_word()
            if number < values - values % n:
                return number % n

    def _next_word(self) -> int:
        if not self._words:
            block = hashlib.sha256(self._name + self._blocks_made.to_bytes(4, "big")).digest()
            self._blocks_made += 1
            self._words = [int.from_bytes(block[i : i + WORD_BYTES], "big") for i in range(0, len(block), WORD_BYTES)]
        return self._words.pop(0)


def tile_order(seed: bytes) -> list[str]:
    """Give all 108 tiles in the order in which they leave the pile."""
    stream = Stream(seed, "deal")
    tiles = list(SQUARES)
    for i in range(len(tiles) - 1, 0, -1):
        j = stream.below(i + 1)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    return tiles


def market_draws(seed: bytes) -> Callable[[int, Sequence[str]], str]:
    """Give the function that shows a tile of the pile at market draw number d (TWO-5, TWO-6)."""

    def draw(number: int, pile: Sequence[str]) -> str:
        return pile[Stream(seed, f"market/{number}").below(len(pile))]

    return draw


def game_seed(simulation_seed: bytes, game: int) -> bytes:
    """Give the seed of one game of a simulation."""
    return hashlib.sha256(simulation_seed + b"game" + game.to_bytes(4, "big")).digest()
