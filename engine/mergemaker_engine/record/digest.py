"""The state of a game as plain data, and its digest: what a decision line says of the state after it."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from mergemaker_engine.board import BOARD_CELLS, INDEPENDENT, LABEL, LETTERS, NUMBERS, ROW, SQUARE, SQUARE_NAMES, squares_of
from mergemaker_engine.game import Game
from mergemaker_engine.powers import used_powers
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.wording import decision_text

DIGEST_BYTES: Final = 16

_RULES_KEPT_MAX: Final = 64
_TEXTS_KEPT_MAX: Final = 4_096
"""Boards, hands and holdings change little from one decision to the next."""
_ROWS: Final = tuple(slice(ROW * row + 1, ROW * row + 1 + NUMBERS) for row in range(1, len(LETTERS) + 1))
_TRUTH: Final = ("false", "true")
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


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _board_text(board: bytes, chain_names: tuple[str, ...]) -> str:
    marks = board.translate(_marks(chain_names))
    return b"".join([marks[row] for row in _ROWS]).decode("ascii")


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


def state_text(game: Game) -> str:
    """The canonical JSON of `state_document`, put together at once: a digest is made for every decision."""
    tables = game.tables
    seats, names = tables.seats, tables.rules.chain_names
    decision = game.decision
    asked = f'"{decision_text(decision, tables.rules)}"' if decision else "null"
    used = "[]," * seats
    if any(game.powers_used):
        used = "".join([_texts(used_powers(game, seat)) + "," for seat in range(seats)])
    ended = f'"{game.reason}"' if game.reason else "null"
    return (
        f'{{"turn":{game.turn},"seat":{game.seat},"asked":{asked},"board":"{_board_text(bytes(game.board), names)}",'
        f'"cash":{_numbers_text(tuple(game.cash))},"shares":{_shares_text(tuple(game.shares), seats)},'
        f'"market":{_numbers_text(tuple(game.market))},'
        f'"hands":{_hands_text(tuple(game.hands))},"aside":{_names_text(game.aside)},"drawn":{game.drawn},"market_draws":{game.market_draws},'
        f'"powers_used":[{used[:-1]}],"power_used":{_TRUTH[game.power_used]},"declared":{_TRUTH[game.declared]},'
        f'"moved":{_TRUTH[game.moved]},"idle":{game.idle},"ended":{ended}}}'
    )


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _shares_text(shares: tuple[int, ...], seats: int) -> str:
    return f"[{','.join([_numbers_text(shares[seat::seats]) for seat in range(seats)])}]"


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _hands_text(hands: tuple[bytes, ...]) -> str:
    return f"[{','.join([_names_text(hand) for hand in hands])}]"


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _numbers_text(numbers: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, numbers))}]"


@lru_cache(maxsize=_TEXTS_KEPT_MAX)
def _names_text(cells: bytes) -> str:
    return f"[{','.join([_NAME_TEXTS[cell] for cell in cells])}]"


def _texts(words: Iterable[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"[{','.join(quoted)}]"


def state_digest(game: Game) -> str:
    """The first 16 bytes of the SHA-256 of the state's canonical JSON, as a record writes hashes."""
    return hash_text(hashlib.sha256(state_text(game).encode("ascii")).digest()[:DIGEST_BYTES])
