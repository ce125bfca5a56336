"""The state of a game as plain data, and its digest, which each decision line has of the state after it."""

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
from mergemaker_engine.decisions import Decision
from mergemaker_engine.game import Game
from mergemaker_engine.powers import used_powers
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_engine.tables import Tables
from mergemaker_engine.wording import decision_text, question_text

DIGEST_BYTES: Final = 16

_RULES_KEPT_MAX: Final = 64
_rows_of: Final = itemgetter(*[slice(ROW * row + 1, ROW * row + 1 + NUMBERS) for row in range(1, len(LETTERS) + 1)])
_TRUTH: Final = ("false", "true")
_NO_POWERS_USED: Final = tuple(",".join(["[]"] * seats) for seats in range(SEATS_MAX + 1))
# By cell, as JSON.
_NAME_TEXTS: Final = tuple(f'"{SQUARE_NAMES[max(SQUARE[cell], 0)]}"' for cell in range(BOARD_CELLS))


def _stock_form(seats: int) -> "tuple[str, itemgetter[tuple[int, ...]]]":
    """The form of cash, shares and market in JSON, and a getter that puts a game's numbers into its order."""
    counts = f"[{','.join(['%d'] * CHAINS)}]"
    form = f'"cash":[{",".join(["%d"] * seats)}],"shares":[{",".join([counts] * seats)}],"market":{counts}'
    shares = [seats + chain * seats + seat for seat in range(seats) for chain in range(CHAINS)]
    market = range(seats + CHAINS * seats, seats + CHAINS * seats + CHAINS)
    return form, itemgetter(*range(seats), *shares, *market)


# By number of seats.
_STOCK_FORMS: Final = tuple(_stock_form(seats) for seats in range(SEATS_MAX + 1))


@lru_cache(maxsize=_RULES_KEPT_MAX)
def _marks(chain_names: tuple[str, ...]) -> bytes:
    """By label: its character on a written board."""
    table = bytearray(b"." * 256)
    table[INDEPENDENT] = ord("o")
    for label, name in zip(LABEL, chain_names, strict=True):
        table[label] = ord(name[0])
    return bytes(table)


def _board_text(board: list[int], chain_names: tuple[str, ...]) -> str:
    marks = bytes(board).translate(_marks(chain_names))
    return b"".join(_rows_of(marks)).decode("ascii")


def _shares(game: Game) -> list[list[int]]:
    """By seat, then chain."""
    shares, seats = game.shares, game.tables.seats
    return [shares[seat::seats] for seat in range(seats)]


def state_document(game: Game) -> dict[str, object]:
    """Everything that makes up a game, hidden parts included, as plain data in the order of `RECORDS.md`."""
    decision = game.decision
    return {
        "turn": game.turn,
        "seat": game.seat,
        "asked": decision_text(decision, game.rules) if decision else None,
        "board": _board_text(game.board, game.rules.chain_names),
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
    """The first 16 bytes of the SHA-256 of the state's canonical JSON, as a hash text."""
    return Digester().digest(game)


@lru_cache(maxsize=_RULES_KEPT_MAX)
def turn_texts(tables: Tables) -> dict[int, tuple[str, str]]:
    """The texts of a turn's questions, without and with the seat, by their `id`: the tables keep these very values."""
    rules = tables.rules
    asked = [step for turn in tables.turns for step in turn if isinstance(step, Decision)]
    return {id(step): (question_text(step, rules), decision_text(step, rules)) for step in asked}


class Digester:
    """Makes the digests of a game's states, one after the other.

    A decision changes little of a state. So the text of each part is kept with its value, and written again only if the
    value differs. A digest does not depend on earlier ones.
    """

    __slots__ = (
        "_board",
        "_board_text",
        "_cash",
        "_hands",
        "_hands_text",
        "_hands_texts",
        "_market",
        "_names",
        "_shares",
        "_stock_text",
    )

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._board: list[int] = []
        self._board_text = ""
        self._cash: list[int] = []
        """This and the next two: what a purchase changes."""
        self._shares: list[int] = []
        self._market: list[int] = []
        self._stock_text = ""
        self._hands: list[bytes] = []
        self._hands_texts: list[str] = []
        self._hands_text = ""

    def digest(self, game: Game) -> str:
        """The digest of a game's state as it is now."""
        return hash_text(sha256(self._text(game).encode("ascii")).digest()[:DIGEST_BYTES])

    def _text(self, game: Game) -> str:
        """The canonical JSON of `state_document`, written directly."""
        tables = game.tables
        seats = tables.seats
        names = tables.rules.chain_names
        if game.board != self._board or names is not self._names:
            self._board, self._names = game.board[:], names
            self._board_text = _board_text(self._board, names)
        if game.cash != self._cash or game.market != self._market or game.shares != self._shares:
            self._cash, self._market, self._shares = game.cash[:], game.market[:], game.shares[:]
            form, by_seat = _STOCK_FORMS[seats]
            self._stock_text = form % by_seat((*self._cash, *self._shares, *self._market))
        if game.hands != self._hands:
            self._write_hands(game.hands)
        aside = _names_text(game.aside) if game.aside else "[]"
        decision = game.decision
        asked = "null"
        if decision is not None:
            texts = turn_texts(tables).get(id(decision))
            asked = f'"{texts[1] if texts else decision_text(decision, tables.rules)}"'
        used = _NO_POWERS_USED[seats]
        if any(game.powers_used):
            used = ",".join([_words_text(used_powers(game, seat)) for seat in range(seats)])
        ended = f'"{game.reason}"' if game.reason else "null"
        return (
            f'{{"turn":{game.turn},"seat":{game.seat},"asked":{asked},"board":"{self._board_text}",{self._stock_text},'
            f'"hands":[{self._hands_text}],"aside":{aside},"drawn":{game.drawn},'
            f'"market_draws":{game.market_draws},"powers_used":[{used}],"power_used":{_TRUTH[game.power_used]},'
            f'"declared":{_TRUTH[game.declared]},"moved":{_TRUTH[game.moved]},"idle":{game.idle},"ended":{ended}}}'
        )

    def _write_hands(self, hands: list[bytes]) -> None:
        if len(hands) != len(self._hands):
            self._hands, self._hands_texts = [b""] * len(hands), ["[]"] * len(hands)
        for seat, hand in enumerate(hands):
            if hand != self._hands[seat]:
                self._hands[seat], self._hands_texts[seat] = hand, _names_text(hand)
        self._hands_text = ",".join(self._hands_texts)


def _names_text(cells: bytes) -> str:
    return f"[{','.join([_NAME_TEXTS[cell] for cell in cells])}]"


def _words_text(words: Iterable[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return f"[{','.join(quoted)}]"
