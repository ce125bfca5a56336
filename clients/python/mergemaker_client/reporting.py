"""What a bot's author reads when a bot fails: the error, and the position."""

import sys
import traceback
from typing import Final

from mergemaker_engine.deal import SEED_BYTES, Chances
from mergemaker_engine.determinise import determinise
from mergemaker_engine.errors import EngineError
from mergemaker_engine.positions import position_text
from mergemaker_engine.views import View
from mergemaker_engine.wording import decision_text, shares_text

from mergemaker_client.turn import Turn

FAILURE_NOTE: Final = "default, after"
"""The beginning of the note that a library sends with the default for a failed bot, in every language (clients/README.md)."""
FAILURE_WORDS: Final = "the bot failed"
"""The words in the report of every failure, likewise."""
_MADE_UP: Final = bytes(SEED_BYTES)
"""The seed of what a position makes up, so that it is the same each time."""


def failure_note(error: Exception) -> str:
    """The note with a default that is sent for a bot that raised this error."""
    return f"{FAILURE_NOTE} {type(error).__name__}"


def complain(text: str) -> None:
    """Writes to standard error, if there is one."""
    if sys.stderr is not None:
        print(f"mergemaker: {text}", file=sys.stderr, flush=True)  # noqa: T201 - to the bot's author


def view_text(view: View) -> str:
    """What an asked seat knows, as a position to paste into `parse_position` or `ask`: its bot then gets the same question.

    The seat cannot know the hands of the others, the order of the pile, and what the rules hide: these are made up.
    """
    names = view.rules.chain_names
    chains = [f"{name} {view.sizes[chain]} tiles ${view.prices[chain]}" for chain, name in enumerate(names) if view.sizes[chain]]
    lines = [
        f"# what seat {view.seat} knows; the other hands, the pile and what is hidden are made up",
        f"# chains: {', '.join(chains) or 'none'}",
        f"# market: {shares_text(view.market, view.rules) or 'nothing'}",
    ]
    try:
        position = position_text(determinise(view, Chances(_MADE_UP, "position"))).rstrip()
    except EngineError as error:  # from another referee, a view may be one that no game has; a report must not fail by that
        position = f"# no game has this view: {error}"
    return "\n".join([*lines, position])


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
