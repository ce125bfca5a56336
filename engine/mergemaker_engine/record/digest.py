"""The state of a game as plain data, and its digest: what a decision line says of the state after it."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Final

from mergemaker_engine.board import (
    BOARD_CELLS,
    CHAINS,
    INDEPENDENT,
    LABEL,
    LETTERS,
    NUMBERS,
    ROW,
    SQUARE,
    SQUARE_NAMES,
    squares_of,
)
from mergemaker_engine.game import Game
from mergemaker_engine.powers import used_powers
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_engine.wording import decision_text

DIGEST_BYTES: Final = 16

_RULES_KEPT_MAX: Final = 64
_TEXTS_KEPT_MAX: Final = 256
"""Hands and holdings of one game: of the seats, one changes in a decision."""
_rows_of: Final = itemgetter(*[slice(ROW * row + 1, ROW * row + 1 + NUMBERS) for row in range(1, len(LETTERS) + 1)])
_TRUTH: Final = ("false", "true")
# By length: how a list of whole numbers is written.
_FORMS: Final = tuple(f"[{','.join(['%d'] * count)}]" for count in range(CHAINS + 1))
_NO_POWERS_USED: Final = tuple(",".join(["[]"] * seats) for seats in range(SEATS_MAX + 1))
# By cell, as JSON.
_NAME_TEXTS: Final = tuple(f'"{SQUARE_NAMES[max(SQUARE[cell], 0)]}"' for cell in range(BOARD_CELLS))


@lru_cache(maxsize=_RULES_KEPT_MAX)
def _marks(chain_names: tuple[str, ...]) -> bytes:
    """By label: the character that stands for it on a board."""
    table = bytearray(b"." * 256)
    table[INDEPENDENT] = ord("o")
    for label, name in zip(LABEL, chain_names, strict=True):
        table[label] = ord(name[0])
    return bytes(table)


def _board_text(board: bytes | bytearray, chain_names: tuple[str, ...]) -> str:
    marks = board.translate(_marks(chain_names))
    return b"".join(_rows_of(marks)).decode("ascii")


def _shares(game: Game) -> list[list[int]]:
    """By seat, then chain."""
    shares, seats = game.shares, game.tables.seats
    return [shares[seat::seats] for seat in range(seats)]


def state_document(game: Game) -> dict[str, object]:
    """Everything that a game is, the hidden part too, as plain data in the order that `RECORDS.md` gives."""
    decision = game.decision
    return {
        "turn": game.turn,
        "seat": game.seat,
        "asked": decision_text(decision, game.rules) if decision else None,
        "board": _board_text(bytes(game.board), game.rules.chain_names),
        "cash": list(game.cash),
        "shares": _shares(game),
        "market": list(game.market),
        "hands": [_names(hand) for hand in game.hands],
        "aside": _names(game.aside),
        "drawn": game.drawn,
        "market_draws": game.market_draws,
        "powers_used": [[str(power) for power in used_powers(game, seat)] for seat in range(game.seats)],
        "power_used": game.power_used,
        "declared": game.declared,
        "moved": game.moved,
        "idle": game.idle,
        "ended": str(game.reason) if game.reason else None,
    }


def _names(cells: bytes) -> list[str]:
    return [SQUARE_NAMES[square] for square in squares_of(cells)]


def state_digest(game: Game) -> str:
    """The first 16 bytes of the SHA-256 of the state's canonical JSON, as a record writes hashes."""
    return Digester().digest(game)


class Digester:
    """Makes the digests of a game's states, one after the other.

    A decision changes little of a state. So the text of each part is kept beside its value, and is written again when
    the value is another one; what a digest is does not depend on what was made before it.
    """

    __slots__ = ("_board", "_board_text", "_cash", "_hands", "_hands_text", "_market", "_names", "_shares", "_stock_text")

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._board = bytearray()
        self._board_text = ""
        self._cash: list[int] = []
        self._shares: list[int] = []
        self._market: list[int] = []
        self._stock_text = ""
        """Cash, shares and market: what a purchase changes."""
        self._hands: list[bytes] = []
        self._hands_text = ""

    def digest(self, game: Game) -> str:
        """The digest of a game's state as it is now."""
        return hash_text(sha256(self._text(game).encode("ascii")).digest()[:DIGEST_BYTES])

    def _text(self, game: Game) -> str:
        """The canonical JSON of `state_document`, put together at once."""
        tables = game.tables
        names = tables.rules.chain_names
        if game.board != self._board or names is not self._names:
            self._board, self._names = game.board[:], names
            self._board_text = _board_text(self._board, names)
        if game.cash != self._cash or game.shares != self._shares or game.market != self._market:
            self._write_stock(game)
        if game.hands != self._hands:
            self._hands = game.hands[:]
            self._hands_text = ",".join([_names_text(hand) for hand in self._hands])
        decision = game.decision
        asked = f'"{decision_text(decision, tables.rules)}"' if decision else "null"
        used = _NO_POWERS_USED[tables.seats]
        if any(game.powers_used):
            used = ",".join([_words_text(used_powers(game, seat)) for seat in range(tables.seats)])
        ended = f'"{game.reason}"' if game.reason else "null"
        return (
            f'{{"turn":{game.turn},"seat":{game.seat},"asked":{asked},"board":"{self._board_text}",{self._stock_text},'
            f'"hands":[{self._hands_text}],"aside":{_names_text(game.aside)},"drawn":{game.drawn},'
            f'"market_draws":{game.market_draws},"powers_used":[{used}],"power_used":{_TRUTH[game.power_used]},'
            f'"declared":{_TRUTH[game.declared]},"moved":{_TRUTH[game.moved]},"idle":{game.idle},"ended":{ended}}}'
        )

    def _write_stock(self, game: Game) -> None:
        self._cash, self._shares, self._market = game.cash[:], game.shares[:], game.market[:]
        cash = _FORMS[len(self._cash)] % tuple(self._cash)
        shares = ",".join([_shares_text(tuple(held)) for held in _shares(game)])
        self._stock_text = f'"cash":{cash},"shares":[{shares}],"market":{_FORMS[CHAINS] % tuple(self._market)}'


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _shares_text(held: tuple[int, ...]) -> str:
    return _FORMS[CHAINS] % held


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _names_text(cells: bytes) -> str:
    return f"[{','.join([_NAME_TEXTS[cell] for cell in cells])}]"


def _words_text(words: Iterable[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"[{','.join(quoted)}]"
