"""Refusals that several parts of the rules share."""

from mergemaker_engine.actions import Action
from mergemaker_engine.board import SQUARE_NAMES
from mergemaker_engine.decisions import Decision
from mergemaker_engine.errors import IllegalAction, MalformedAction
from mergemaker_engine.shown import shown
from mergemaker_engine.state import State, end_allowed


def wrong_kind(decision: Decision, action: object, rule: str) -> IllegalAction | MalformedAction:
    """The error for an answer to another question, or for a value that is not an action."""
    asked = type(decision).__name__
    if isinstance(action, Action):
        return IllegalAction(
            "wrong-kind", f"seat {decision.seat} is asked {asked}, which {type(action).__name__} does not answer", rule
        )
    hint = ": parse_action(text, game.rules) makes one of a text" if isinstance(action, str) else ""
    return MalformedAction("malformed", f"seat {decision.seat} is asked {asked}; {shown(action)} is not an action{hint}", rule)


def check_may_declare(state: State) -> None:
    """Refuses to declare the end when the rules do not allow it now (END-1, END-2)."""
    if state.declared:
        raise IllegalAction("declared-already", "the end has been declared in this turn", "END-2")
    if not end_allowed(state):
        raise IllegalAction("end-not-reached", "no chain has 41 tiles and not all chains are safe", "END-1")


def name_of_square(square: int) -> str:
    """A square's name, for messages."""
    return SQUARE_NAMES[square]
