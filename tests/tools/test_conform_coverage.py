"""The questions in the cases of `mergemaker conform`: every kind, in every preset, with assets open and hidden."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Final

import pytest
from mergemaker.v1 import questions_pb2
from mergemaker_engine.rules import PRESETS, Assets, DeadTiles, Rules
from mergemaker_tools.conformance.cases import Claim, all_cases
from mergemaker_tools.conformance.dialogues import dialogue, vectors_folder
from mergemaker_wire.rules import rules_from_message

KINDS: Final = tuple(field.name for field in questions_pb2.Question.DESCRIPTOR.oneofs[0].fields)
NEEDS: Final[Mapping[str, Callable[[Rules], bool]]] = {
    "choose_exchange": lambda rules: rules.dead_tiles is not DeadTiles.FORCED,
    "choose_power": lambda rules: rules.special_powers,
    "choose_pair_trade": lambda rules: rules.special_powers,
    "choose_offer": lambda rules: rules.trade_offers > 0,
    "choose_reply": lambda rules: rules.trade_offers > 0,
}
"""By kind of question: whether rules have it. All rules have the other kinds."""
PLAYED_WHOLE: Final = tuple(
    case for case in all_cases() if case.holds_for(Claim.ANY) and any(step.text == "play all" for step in case.steps)
)
"""The cases that play a match to its end, with any bot."""


def _asks_alike(rules: Rules) -> Rules:
    """The same rules with at most one offer: this asks the same questions, in shorter dialogues."""
    return replace(rules, trade_offers=min(rules.trade_offers, 1))


def _asked(rules: Rules) -> set[str]:
    """The questions under these rules, in all matches that are played to the end."""
    found: set[str] = set()
    for name in {name for case in PLAYED_WHOLE for name in case.matches}:
        played = dialogue(name)
        if _asks_alike(rules_from_message(played.offered.rules)) == _asks_alike(rules):
            found |= {question.kind for question in played.questions}
    return found


def _possible(rules: Rules) -> set[str]:
    return {kind for kind in KINDS if kind not in NEEDS or NEEDS[kind](rules)}


@pytest.mark.parametrize(("preset", "assets"), list(product(PRESETS, Assets)))
def test_every_kind_of_question_is_put_in_every_preset_with_assets_open_and_hidden(preset: str, assets: Assets) -> None:
    rules = replace(PRESETS[preset], assets=assets)
    asked, possible = _asked(rules), _possible(rules)
    assert not possible - asked, f"{preset} with {assets} assets: no dialogue of make_vectors.py has {sorted(possible - asked)}"
    assert not asked - possible, f"{preset} with {assets} assets: {sorted(asked - possible)} is asked against NEEDS"


def test_every_kind_of_question_has_rules_that_ask_it() -> None:
    assert set(KINDS) == {kind for rules in PRESETS.values() for kind in _possible(rules)}
    assert set(NEEDS) <= set(KINDS)


def test_every_dialogue_is_played_whole() -> None:
    there = {path.stem for path in (vectors_folder() / "dialogues").glob("*.jsonl")}
    assert there == {name for case in PLAYED_WHOLE for name in case.matches}


def test_a_hand_of_eleven_is_asked_for_a_tile() -> None:
    (case,) = (case for case in all_cases() if case.id == "hand-of-eleven")
    (asked,) = (step.settings["from"] for step in case.steps if "from" in step.settings)
    question = dialogue(case.matches[0]).questions[int(asked) - 1]
    assert (question.kind, len(question.response.decision.view.hand)) == ("choose_tile", 11)
