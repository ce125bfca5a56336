"""Rules and whole positions as text, which `notation` reads. `VOCABULARY.md` describes the lines."""

from collections.abc import Iterable
from typing import Final

from mergemaker_engine.audit import check_state
from mergemaker_engine.board import CELL, CHAINS, EMPTY, INDEPENDENT, LABEL, LETTERS, NUMBERS, SQUARES, squares_of
from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.powers import used_powers
from mergemaker_engine.rules import PRESETS, Rules, check_rules
from mergemaker_engine.state import State
from mergemaker_engine.wording import square_name, step_text

EMPTY_MARK: Final = "."
INDEPENDENT_MARK: Final = "o"
CHANCE_MARK: Final = "-"
"""Marks a market draw without a named tile."""


def _knob_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "/".join(",".join(tier) for tier in value)
    return str(value)


def rules_text(rules: Rules) -> str:
    """A preset and the knobs that differ from it: `renegade-tycoon dead_tiles=forced`."""
    check_rules(rules)
    knobs = rules.knobs()

    def changes(name: str) -> list[str]:
        base = PRESETS[name].knobs()
        return [f"{knob}={_knob_text(value)}" for knob, value in knobs.items() if base[knob] != value]

    nearest = min(PRESETS, key=lambda name: len(changes(name)))
    return " ".join([nearest, *changes(nearest)])


def _names(squares: Iterable[int]) -> str:
    return " ".join(square_name(square) for square in squares)


def _board_lines(state: State) -> list[str]:
    names = state.tables.rules.chain_names
    marks = {EMPTY: EMPTY_MARK, INDEPENDENT: INDEPENDENT_MARK}
    marks |= {LABEL[chain]: names[chain][0] for chain in range(CHAINS)}
    rows = ["".join(marks[state.board[cell]] for cell in CELL[at : at + NUMBERS]) for at in range(0, SQUARES, NUMBERS)]
    return [f"  {letter} {row}" for letter, row in zip(LETTERS, rows, strict=True) if row.strip(EMPTY_MARK)]


def _seat_line(state: State, seat: int) -> str:
    names = state.tables.rules.chain_names
    held = state.shares[seat :: state.tables.seats]
    shares = [f"{names[chain][0]}{count}" for chain, count in enumerate(held) if count]
    parts = [f"seat {seat} cash {state.cash[seat]}"]
    if state.hands[seat]:
        parts.append(f"tiles {_names(squares_of(state.hands[seat]))}")
    if shares:
        parts.append(f"shares {' '.join(shares)}")
    used = used_powers(state, seat)
    if used:
        parts.append(f"powers {','.join(used)}")
    return " ".join(parts)


def position_text(state: State) -> str:
    """A whole position, in lines of text."""
    check_state(state)
    rules = state.tables.rules
    lines = [
        f"rules {rules_text(rules)}",
        f"seats {state.tables.seats}",
        f"turn {state.turn} seat {state.seat}",
        "board",
    ]
    lines += _board_lines(state)
    lines += [_seat_line(state, seat) for seat in range(state.tables.seats)]
    lines.append(f"pile {_names(squares_of(state.deal.cells[state.drawn :]))}".rstrip())
    if state.aside:
        lines.append(f"aside {_names(sorted(squares_of(state.aside)))}")
    for name, flag in (("declared", state.declared), ("power-used", state.power_used), ("moved", state.moved)):
        if flag:
            lines.append(f"{name} yes")
    if state.idle:
        lines.append(f"idle {state.idle}")
    if state.deal.market_seed != bytes(SEED_BYTES):
        lines.append(f"market-seed {state.deal.market_seed.hex()}")
    if state.market_draws:
        lines.append(f"market-draws {state.market_draws}")
    named = state.deal.market_tiles[state.market_draws :]
    if named:
        lines.append(f"market-tiles {' '.join(CHANCE_MARK if tile is None else square_name(tile) for tile in named)}")
    if state.reason is not None:
        lines.append(f"over {state.reason}")
    else:
        lines.append("agenda " + "; ".join(step_text(step, rules) for step in reversed(state.agenda)))
    return "\n".join(lines) + "\n"
