"""Whole positions as text, both ways, so that a test or a bug report is a few readable lines.

`position_text` (in `positions`) writes everything about a game except past events. `parse_position` reads that, and shorter
texts in which missing parts have their usual value. `VOCABULARY.md` describes the lines. The words for squares, actions and
events are in `wording`.
"""

import re
from collections.abc import Iterable
from typing import Final

from mergemaker_engine.actions import POWERS
from mergemaker_engine.audit import ASKS_NOTHING, audit
from mergemaker_engine.board import CELL, CHAINS, INDEPENDENT, LABEL, LETTERS, NUMBERS, SQUARES, cells_of, squares_of
from mergemaker_engine.deal import SEED_BYTES, Deal
from mergemaker_engine.errors import NotationError
from mergemaker_engine.events import EndReason, Event
from mergemaker_engine.game import Game
from mergemaker_engine.positions import CHANCE_MARK, EMPTY_MARK, INDEPENDENT_MARK, position_text, rules_text
from mergemaker_engine.rules import KNOB_NAMES, PRESETS, Rules, preset
from mergemaker_engine.shown import shown
from mergemaker_engine.state import State, set_size
from mergemaker_engine.tables import tables_for
from mergemaker_engine.turn import advance, begin_turn
from mergemaker_engine.wording import (
    action_text,
    decision_text,
    event_text,
    parse_action,
    parse_chain,
    parse_square,
    parse_step,
    shares_text,
    square_name,
    step_text,
)

__all__ = [
    "action_text",
    "decision_text",
    "event_text",
    "parse_action",
    "parse_chain",
    "parse_position",
    "parse_rules",
    "parse_square",
    "position_text",
    "rules_text",
    "shares_text",
    "square_name",
    "step_text",
]

POSITION_CHARACTERS_MAX: Final = 20_000
_REST: Final = "rest"
_POWER_NAMES: Final = [str(power) for power in POWERS]
_YES_NO: Final = {"yes": True, "no": False}
# Few enough digits for Python to read.
_NUMBER_FORM: Final = re.compile("[0-9]{1,6}")


def _knob_from_text(knob: str, text: str) -> object:
    if knob == "chains":
        return [tier.split(",") for tier in text.split("/")]
    if text in _YES_NO:
        return _YES_NO[text]
    return int(text) if _NUMBER_FORM.fullmatch(text) else text


def parse_rules(text: str) -> Rules:
    """The rules that `rules_text` wrote."""
    name, *changes = text.split() if isinstance(text, str) and text.strip() else [""]
    knobs: dict[str, object] = {}
    for change in changes:
        knob, equals, value = change.partition("=")
        if not equals or knob in knobs:
            raise NotationError(
                "bad-rules",
                f"rules are a preset and knob=value, each knob once, not {shown(change)}; the knobs are {', '.join(KNOB_NAMES)}",
            )
        knobs[knob] = _knob_from_text(knob, value)
    if not name:
        raise NotationError("bad-rules", f"rules begin with a preset, {', '.join(PRESETS)}, not {shown(text)}")
    return preset(name).with_knobs(knobs)


_LINE_NAMES: Final = (
    "rules", "seats", "turn", "board", "seat", "pile", "aside", "declared", "power-used", "moved", "idle",
    "market-seed", "market-draws", "market-tiles", "over", "agenda",
)  # fmt: skip
_SEAT_FORM: Final = re.compile(
    r"seat (?P<seat>[0-9])(?: cash (?P<cash>[0-9]{1,7}))?(?: tiles(?P<tiles>(?: [0-9]{1,2}[A-I])*))?"
    r"(?: shares(?P<shares>(?: [A-Z][0-9]{1,2})*))?(?: powers (?P<powers>[a-z,-]+))?"
)
_BOARD_FORM: Final = re.compile(r"(?P<letter>[A-I]) (?P<marks>\S{12})")


class _Lines:
    """The lines of a position, by their first word."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or len(text) > POSITION_CHARACTERS_MAX:
            raise NotationError("bad-position", f"a position is a text of at most {POSITION_CHARACTERS_MAX} characters")
        self.single: dict[str, str] = {}
        self.seats: dict[str, str] = {}
        """By the number after the word `seat`."""
        self.board: dict[str, str] = {}
        """By the letter of the row."""
        in_board = False
        for number, raw in enumerate(text.splitlines(), 1):
            line = " ".join(raw.split("#")[0].split())
            if not line:
                continue
            name, _, rest = line.partition(" ")
            if in_board and _BOARD_FORM.fullmatch(line):
                self._put(self.board, name, line, f"line {number}: a second row {name}")
                continue
            in_board = name == "board"
            if name not in _LINE_NAMES or (in_board and rest):
                raise NotationError(
                    "bad-position", f"line {number}: {shown(raw.strip())}; a line begins with {', '.join(_LINE_NAMES)}"
                )
            if name == "seat":
                seat = rest.partition(" ")[0]
                self._put(self.seats, seat, line, f"line {number}: a second line {shown(f'seat {seat}')}")
            else:
                self._put(self.single, name, rest, f"line {number}: a second line {shown(name)}")

    @staticmethod
    def _put(lines: dict[str, str], key: str, line: str, twice: str) -> None:
        """Takes a line, and refuses a second one of the same kind."""
        if key in lines:
            raise NotationError("bad-position", f"{twice}; leave one of the two out")
        lines[key] = line

    def number(self, name: str, default: int) -> int:
        text = self.single.get(name, str(default))
        if not _NUMBER_FORM.fullmatch(text):
            raise NotationError("bad-position", f"{name} is followed by a whole number, not {shown(text)}")
        return int(text)

    def flag(self, name: str) -> bool:
        text = self.single.get(name, "no")
        if text not in _YES_NO:
            raise NotationError("bad-position", f"{name} is followed by yes or no, not {shown(text)}")
        return _YES_NO[text]


def _read_board(game: State, rows: Iterable[str]) -> None:
    for row in rows:
        letter, marks = row.split()
        for number, mark in enumerate(marks):
            cell = CELL[LETTERS.index(letter) * NUMBERS + number]
            if mark == INDEPENDENT_MARK:
                game.board[cell] = INDEPENDENT
            elif mark != EMPTY_MARK:
                game.board[cell] = LABEL[parse_chain(mark, game.tables.rules)]
    for chain in range(CHAINS):
        set_size(game, chain, game.board.count(LABEL[chain]))


def _read_seat(game: State, line: str) -> None:
    match = _SEAT_FORM.fullmatch(line)
    if not match or int(match["seat"]) >= game.tables.seats:
        raise NotationError(
            "bad-position",
            f"{shown(line)}: a seat is written as in: seat 0 cash 6000 tiles 1A 2B shares T3 L2 powers take-five",
        )
    seat = int(match["seat"])
    if match["cash"]:
        game.cash[seat] = int(match["cash"])
    squares = [parse_square(name) for name in (match["tiles"] or "").split()]
    game.hands[seat] = cells_of(sorted(squares))
    for part in (match["shares"] or "").split():
        chain = parse_chain(part[0], game.tables.rules)
        at = chain * game.tables.seats + seat
        if game.shares[at]:
            raise NotationError("bad-position", f"{shown(line)}: {part[0]} stands twice; leave one of the two out")
        game.shares[at] = int(part[1:])
        game.market[chain] -= int(part[1:])
    for name in (match["powers"] or "").split(","):
        if name and name not in _POWER_NAMES:
            raise NotationError("bad-position", f"there is no power {shown(name)}; the powers are {', '.join(POWERS)}")
        if name:
            game.powers_used[seat] |= 1 << _POWER_NAMES.index(name)


def _read_tiles(text: str, free: list[int]) -> list[int]:
    """Squares by name; `rest` at the end stands for all free tiles."""
    names = text.split()
    rest = names[-1:] == [_REST]
    squares = [parse_square(name) for name in (names[:-1] if rest else names)]
    return squares + [square for square in free if square not in squares] if rest else squares


def _place_other_tiles(game: State, lines: _Lines) -> Deal:
    """Reads the pile and the tiles set aside. Without a line, the pile is all tiles that are nowhere else."""
    on_board = [square for square, cell in enumerate(CELL) if game.board[cell]]
    in_hands = [square for hand in game.hands for square in squares_of(hand)]
    elsewhere = {*on_board, *in_hands}
    aside_text = lines.single.get("aside", "")
    pile_text = lines.single.get("pile", _REST)
    fixed = {parse_square(name) for name in f"{aside_text} {pile_text}".split() if name != _REST}
    free = [square for square in range(SQUARES) if square not in elsewhere | fixed]
    game.aside = cells_of(_read_tiles(aside_text, free))
    market_seed = lines.single.get("market-seed", "0" * 2 * SEED_BYTES)
    if not re.fullmatch(r"[0-9a-f]{64}", market_seed):
        raise NotationError(
            "bad-position", f"market-seed is followed by {2 * SEED_BYTES} hexadecimal digits, not {shown(market_seed)}"
        )
    return Deal(_read_tiles(pile_text, free), bytes.fromhex(market_seed), _read_market_tiles(lines))


def _read_market_tiles(lines: _Lines) -> list[int | None]:
    """The named tiles of the market's draws, with None for past draws, which no longer matter."""
    named = [None if name == CHANCE_MARK else parse_square(name) for name in lines.single.get("market-tiles", "").split()]
    past: list[int | None] = [None] * lines.number("market-draws", 0)
    return past + named if named else []


def _read_turn(text: str) -> tuple[int, int]:
    match = re.fullmatch("([0-9]{1,6}) seat ([0-9])", text)
    if not match:
        raise NotationError("bad-position", f"the line turn is written as in: turn 7 seat 0, not {shown(text)}")
    return int(match[1]), int(match[2])


def parse_position(text: str) -> Game:
    """The game that a text describes. Without an agenda, the turn of its seat begins now.

    An impossible position (a tile twice, more than 25 shares, a chain in two parts, a question that the turn cannot
    reach) is refused, with everything that is wrong with it.
    """
    lines = _Lines(text)
    rules = parse_rules(lines.single.get("rules", "renegade-classic"))
    seats = lines.number("seats", 2)
    game = Game.from_state(tables_for(rules, seats), Deal(()))
    turn, seat = _read_turn(lines.single.get("turn", "1 seat 0"))
    if seat >= seats:
        raise NotationError("bad-position", f"it is the turn of seat {seat}, and there are {seats} seats")
    _read_board(game, lines.board.values())
    for line in lines.seats.values():
        _read_seat(game, line)
    game.deal = _place_other_tiles(game, lines)
    game.idle = lines.number("idle", 0)
    game.market_draws = lines.number("market-draws", 0)
    events: list[Event] = []
    if "over" in lines.single or "agenda" in lines.single:
        game.seat, game.turn = seat, turn
    else:
        game.turn = turn - 1
        begin_turn(game, seat, events)
    if "over" in lines.single:
        game.reason = _read_reason(lines.single["over"])
    if "agenda" in lines.single:
        game.agenda = [parse_step(step, rules) for step in reversed(lines.single["agenda"].split(";"))]
    game.declared = lines.flag("declared")
    game.power_used = lines.flag("power-used")
    game.moved = lines.flag("moved")
    _refuse_impossible(game)
    advance(game, events)
    game.begin_in_position(tuple(events))
    return game


def _read_reason(text: str) -> EndReason:
    if text not in list(EndReason):
        raise NotationError("bad-position", f"a game is over by {' or '.join(EndReason)}, not {shown(text)}")
    return EndReason(text)


def _refuse_impossible(game: Game) -> None:
    wrong = [fault for fault in audit(game) if fault != ASKS_NOTHING]
    if wrong:
        raise NotationError("impossible-position", "; ".join(wrong))
