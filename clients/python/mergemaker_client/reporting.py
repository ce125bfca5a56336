"""What a bot's author reads when a bot fails: the error, and the position."""

import sys
import traceback
from typing import Final

from mergemaker_engine.board import LETTERS, NUMBERS
from mergemaker_engine.views import EMPTY_SQUARE, FIRST_CHAIN_SQUARE, View
from mergemaker_engine.wording import decision_text, shares_text, square_name

from mergemaker_client.turn import Turn

FAILURE_NOTE: Final = "default, after"
"""The beginning of the note that a library sends with the default for a failed bot, in every language (clients/README.md)."""
FAILURE_WORDS: Final = "the bot failed"
"""The words in the report of every failure, likewise."""
_EMPTY_MARK: Final = "."
_INDEPENDENT_MARK: Final = "o"
_HIDDEN: Final = "hidden"


def failure_note(error: Exception) -> str:
    """The note with a default that is sent for a bot that raised this error."""
    return f"{FAILURE_NOTE} {type(error).__name__}"


def complain(text: str) -> None:
    """Writes to standard error, if there is one."""
    if sys.stderr is not None:
        print(f"mergemaker: {text}", file=sys.stderr, flush=True)  # noqa: T201 - to the bot's author


def view_text(view: View) -> str:
    """What a seat knows, in a few lines: turn and hand, the board, the chains, and what each seat has."""
    names = view.rules.chain_names
    hand = " ".join(square_name(square) for square in view.hand) or "nothing"
    lines = [f"turn {view.turn} of seat {view.turn_seat}; seat {view.seat} has {hand}; {view.pile} tiles in the pile"]
    for row, letter in enumerate(LETTERS):
        marks = "".join(_mark(view, held) for held in view.board[row * NUMBERS : (row + 1) * NUMBERS])
        lines.append(f"  {letter} {marks}")
    chains = [f"{name} {view.sizes[chain]} tiles ${view.prices[chain]}" for chain, name in enumerate(names) if view.sizes[chain]]
    lines.append(f"  chains: {', '.join(chains) or 'none'}")
    lines.append(f"  market: {shares_text(view.market, view.rules) or 'nothing'}")
    for seat, (cash, shares) in enumerate(zip(view.cash, view.shares, strict=True)):
        held = _HIDDEN if shares is None else shares_text(shares, view.rules) or "no shares"
        lines.append(f"  seat {seat}: {_HIDDEN if cash is None else f'${cash}'}, {held}")
    return "\n".join(lines)


def _mark(view: View, held: int) -> str:
    if held >= FIRST_CHAIN_SQUARE:
        return view.rules.chain_names[held - FIRST_CHAIN_SQUARE][0]
    return _EMPTY_MARK if held == EMPTY_SQUARE else _INDEPENDENT_MARK


def question_line(turn: Turn) -> str:
    """Identifies a question: match, decision (in brackets, as it is written after the path of the match's record), and kind."""
    place = f"@seat{turn.seat}:{turn.number}"
    return f"match {turn.match.match}, decision {turn.number} ({place}), {decision_text(turn.decision, turn.match.rules)}"


def failure_text(what: str, error: BaseException, turn: Turn | None = None) -> str:
    """An exception in a bot, with its traceback and, if there is one, the position."""
    lines = [what, "".join(traceback.format_exception(error)).rstrip()]
    if turn is not None:
        lines.append(view_text(turn.view))
    return "\n".join(lines)
