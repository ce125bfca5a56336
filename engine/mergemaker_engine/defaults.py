"""The default answer for a seat that gives none, for each kind of decision (the table in `RECORDS.md`).

A default does nothing optional: no further tile, no offer, no accepted trade, no power, no further swap, no
declaration, no purchase. It does as little as it must: the lowest tile, the first chain, the first legal answer.
"""

from collections.abc import Sequence

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import ChooseExchange, Decision, RepeatedDecision
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.game import Game


def default_index(decision: Decision, answers: Sequence[Action]) -> int:
    """The default's place among all legal answers, which are in the documented order.

    It is nearly always the first one: the lowest tile without a declaration, 'no offer', 'decline', 'no power', 'buy
    nothing' (with Three free the first share there is, PWR-2), 'keep all', the first chain. From a turn's second tile or
    swap on it is the last one, which makes no more of them. Dead tiles are exchanged (DRW-2).
    """
    is_last = isinstance(decision, ChooseExchange) or (isinstance(decision, RepeatedDecision) and decision.number > 1)
    return len(answers) - 1 if is_last else 0


def default_answer(game: Game) -> tuple[int, Action]:
    """The default of a game's open decision: its place among the legal answers, and the answer."""
    decision = game.decision
    if decision is None:
        raise IllegalAction("game-over", "a default is taken of an open decision, and the game is over", "END-3")
    answers = game.legal()
    index = default_index(decision, answers)
    return index, answers[index]
