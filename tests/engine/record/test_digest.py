"""The digest of a state covers everything that makes up a game, in the order and spelling of the format."""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from mergemaker_engine.actions import POWERS
from mergemaker_engine.board import CELL
from mergemaker_engine.deal import Deal
from mergemaker_engine.events import EndReason
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.record.digest import Digester, state_digest, state_document
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_engine.wording import decision_text
from mergemaker_testkit.strategies import STEADY, Played, played_games

SEED: Final = bytes(range(32))


def _document(game: Game) -> dict[str, object]:
    """The state's document, built from the format's description alone."""
    marks = {0: ".", 1: "o"} | {2 << chain: name[0] for chain, name in enumerate(game.rules.chain_names)}
    squares = {CELL[square]: f"{square % 12 + 1}{'ABCDEFGHI'[square // 12]}" for square in range(108)}
    seats = range(game.seats)
    return {
        "turn": game.turn,
        "seat": game.seat,
        "asked": None if game.decision is None else decision_text(game.decision, game.rules),
        "board": "".join(marks[game.board[cell]] for cell in CELL),
        "cash": [game.cash[seat] for seat in seats],
        "shares": [[game.shares[chain * game.seats + seat] for chain in range(7)] for seat in seats],
        "market": [game.market[chain] for chain in range(7)],
        "hands": [[squares[cell] for cell in game.hands[seat]] for seat in seats],
        "aside": [squares[cell] for cell in game.aside],
        "drawn": game.drawn,
        "market_draws": game.market_draws,
        "powers_used": [[str(power) for bit, power in enumerate(POWERS) if game.powers_used[seat] >> bit & 1] for seat in seats],
        "power_used": game.power_used,
        "declared": game.declared,
        "moved": game.moved,
        "idle": game.idle,
        "ended": None if game.reason is None else str(game.reason),
    }


def _digest(document: dict[str, object]) -> str:
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True)
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).decode().rstrip("=")


@settings(STEADY, max_examples=30)
@given(played_games())
def test_a_digest_is_of_the_states_document(played: Played) -> None:
    document = _document(played.game)
    assert state_document(played.game) == document
    assert list(state_document(played.game)) == list(document)
    assert state_digest(played.game) == _digest(document)


@pytest.mark.parametrize("name", PRESETS)
def test_a_digest_is_of_the_states_document_in_every_preset(name: str) -> None:
    for seats in (2, 3, 6):
        if (name, seats) != ("renegade-tycoon", 2):
            game = Game(PRESETS[name], seats, Deal.from_seed(SEED))
            assert state_digest(game) == _digest(_document(game))
            assert state_document(game) == _document(game)


def test_used_powers_and_tiles_set_aside_are_in_the_document() -> None:
    game = parse_position(
        "rules avalon-hill-powers\nseats 3\nboard\n  A TT.LL.......\nseat 0 tiles 5E 7G powers buy-five,trade-two\n"
        "seat 2 powers take-five\naside 1I 2I"
    )
    document = state_document(game)
    assert document == _document(game)
    assert document["powers_used"] == [["buy-five", "trade-two"], [], ["take-five"]]
    assert document["aside"] == ["1I", "2I"]
    assert state_digest(game) == _digest(document)


def test_the_order_of_the_pile_and_the_markets_seed_are_not_in_it() -> None:
    # These follow from the seed in the end line; drawn tiles are in the hands and on the board.
    game = Game(preset("renegade-classic"), 2, Deal.from_seed(SEED))
    other = game.copy()
    other.deal = Deal(game.deal.order, bytes(32))
    assert state_digest(other) == state_digest(game)


def _flip(cells: list[int]) -> None:
    cells[CELL[50]] = 1


CHANGES: Final[dict[str, Callable[[Game], object]]] = {
    "turn": lambda game: setattr(game, "turn", 2),
    "seat": lambda game: setattr(game, "seat", (game.seat + 1) % 3),
    "what is asked": lambda game: game.agenda.pop(),
    "board": lambda game: _flip(game.board),
    "cash": lambda game: game.cash.__setitem__(1, 0),
    "shares": lambda game: game.shares.__setitem__(1, 1),
    "shares of another seat": lambda game: game.shares.__setitem__(2, 1),
    "market": lambda game: game.market.__setitem__(0, 24),
    "hands": lambda game: game.hands.__setitem__(0, game.hands[0][1:]),
    "hands of others": lambda game: game.hands.reverse(),
    "aside": lambda game: setattr(game, "aside", bytes([CELL[3]])),
    "drawn": lambda game: setattr(game, "drawn", 100),
    "market draws": lambda game: setattr(game, "market_draws", 1),
    "powers used": lambda game: game.powers_used.__setitem__(2, 1),
    "a power used": lambda game: setattr(game, "power_used", True),
    "declared": lambda game: setattr(game, "declared", True),
    "moved": lambda game: setattr(game, "moved", True),
    "idle": lambda game: setattr(game, "idle", 1),
    "ended": lambda game: setattr(game, "reason", EndReason.STUCK),
}


def test_everything_in_the_document_changes_the_digest() -> None:
    digests: set[str] = set()
    game = Game(preset("avalon-hill-powers"), 3, Deal.from_seed(SEED))
    for change in (lambda _: None, *CHANGES.values()):
        twin = game.copy()
        change(twin)
        digests.add(state_digest(twin))
        assert state_digest(twin) == _digest(_document(twin))
    assert len(digests) == 1 + len(CHANGES)


@settings(STEADY, max_examples=30)
@given(played_games())
def test_one_digester_makes_the_same_digests_as_new_ones(played: Played) -> None:
    game = Game(played.game.rules, played.game.seats, played.game.deal)
    digester = Digester()
    for answer in played.answers:
        assert digester.digest(game) == _digest(_document(game))
        game.apply(answer)
    assert digester.digest(game) == digester.digest(game) == _digest(_document(game))


def test_a_digester_sees_every_change_in_place() -> None:
    game = Game(preset("avalon-hill-powers"), 3, Deal.from_seed(SEED))
    digester = Digester()
    for change in CHANGES.values():
        before = digester.digest(game)
        change(game)
        assert digester.digest(game) == _digest(_document(game)) != before


def test_a_digester_keeps_nothing_from_another_game() -> None:
    # The same cells, with other names of chains and another number of seats.
    digester = Digester()
    boards = (("renegade-classic", 3, "TT.SS"), ("avalon-hill", 3, "LL.TT"), ("avalon-hill", 4, "LL.TT"))
    games = [parse_position(f"rules {name}\nseats {seats}\nboard\n  A {row}.......") for name, seats, row in boards]
    assert games[0].board == games[1].board
    for game in (*games, games[0]):
        assert digester.digest(game) == _digest(_document(game))
