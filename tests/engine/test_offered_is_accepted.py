"""`legal()` and `apply()` agree on every action: offered ones are accepted, all others are refused."""

from collections.abc import Iterator
from typing import Final

import pytest
from mergemaker_engine.actions import CODES, CodedAction, action_of_code
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseOffer, ChooseReply, Decision
from mergemaker_engine.errors import IllegalAction, MalformedAction
from mergemaker_engine.game import Game
from mergemaker_engine.notation import position_text
from mergemaker_engine.rules import PRESETS, Rules
from mergemaker_testkit.strategies import pick_answer

SEATS: Final = 4
GAMES_OF_A_TABLE: Final = 2
LOOKED_AT_OF_A_KIND_MAX: Final = 2
ALL_AT_ONCE: Final = PRESETS["avalon-hill-powers"].with_knobs(
    {"dead_tiles": "forced-then-optional", "unplayable_hand": "redraw", "trade_offers": 1, "bonus_chart": "three-holders"}
)
TABLES: Final[dict[str, Rules]] = {**PRESETS, "all at once": ALL_AT_ONCE}
UNCODED_DECISIONS: Final = (ChooseOffer, ChooseReply)


def _all_actions() -> Iterator[CodedAction]:
    for code in range(CODES):
        try:
            yield action_of_code(code)
        except MalformedAction:
            continue  # the codes of impossible disposals, and of pairs of one chain with itself


ACTIONS: Final = tuple(_all_actions())


def _accepted(game: Game) -> set[CodedAction]:
    """The actions that a game accepts. A refused one leaves it as it was, so one copy serves to try all refusals."""
    accepted = set()
    named_rules = set()
    twin = game.copy()
    for action in ACTIONS:
        try:
            twin.apply(action)
        except IllegalAction as refusal:
            named_rules.add(refusal.rule)
        else:
            accepted.add(action)
            twin = game.copy()
    assert None not in named_rules
    assert position_text(twin) == position_text(game)
    return accepted


def _kind(decision: Decision, game: Game) -> tuple[object, ...]:
    """What distinguishes questions: kind, terms, and whether the end can be declared."""
    part = getattr(decision, "terms", None) or getattr(decision, "phase", None) or getattr(decision, "number", None)
    return (type(decision), part, game.view(decision.seat).end_allowed, game.declared)


@pytest.mark.parametrize("name", TABLES)
def test_every_action_is_accepted_where_it_is_offered_and_nowhere_else(name: str) -> None:
    looked_at: dict[tuple[object, ...], int] = {}
    for number in range(GAMES_OF_A_TABLE):
        seed = bytes([number + 1]) * 32
        game, chances = Game(TABLES[name], SEATS, Deal.from_seed(seed)), Chances(seed, "answers")
        while game.decision is not None:
            kind = _kind(game.decision, game)
            looked_at[kind] = looked_at.get(kind, 0) + 1
            if looked_at[kind] <= LOOKED_AT_OF_A_KIND_MAX:
                is_uncoded = isinstance(game.decision, UNCODED_DECISIONS)
                assert _accepted(game) == (set() if is_uncoded else set(game.legal())), position_text(game)
            game.apply(pick_answer(game, chances, shy=number % 2 == 1))
    assert len(looked_at) > 5
