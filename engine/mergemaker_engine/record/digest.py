"""The state of a game as plain data, and its digest: what a decision line says of the state after it."""

import hashlib
from typing import Final

from mergemaker_engine.board import CELL, CHAINS, INDEPENDENT, LABEL, SQUARE_NAMES, squares_of
from mergemaker_engine.game import Game
from mergemaker_engine.powers import used_powers
from mergemaker_engine.record.canonical import encoded, hash_text
from mergemaker_engine.wording import decision_text

DIGEST_BYTES: Final = 16


def state_document(game: Game) -> dict[str, object]:
    """Everything that a game is, the hidden part too, as plain data in the order that `RECORDS.md` gives."""
    seats = game.seats
    marks = {0: ".", INDEPENDENT: "o"} | {LABEL[chain]: name[0] for chain, name in enumerate(game.rules.chain_names)}
    decision = game.decision
    return {
        "turn": game.turn,
        "seat": game.seat,
        "asked": decision_text(decision, game.rules) if decision else None,
        "board": "".join([marks[game.board[cell]] for cell in CELL]),
        "cash": list(game.cash),
        "shares": [game.shares[seat : seats * CHAINS : seats] for seat in range(seats)],
        "market": list(game.market),
        "hands": [_names(hand) for hand in game.hands],
        "aside": _names(game.aside),
        "drawn": game.drawn,
        "market_draws": game.market_draws,
        "powers_used": [[str(power) for power in used_powers(game, seat)] for seat in range(seats)],
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
    text = encoded(state_document(game))
    return hash_text(hashlib.sha256(text.encode("utf-8")).digest()[:DIGEST_BYTES])
