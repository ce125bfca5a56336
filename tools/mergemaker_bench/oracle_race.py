"""Compares the engine with the tests' rules oracle in the same games; needs a checkout."""

import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import mergemaker_engine
from mergemaker_engine.board import SQUARE_NAMES
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.wording import action_text
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.simulation import play_random_game

from mergemaker_bench.workloads import PLAYERS, RULES, SEED, TASK

_PACKAGE: Final = "mergemaker_rules_oracle"


def find_oracle() -> Path | None:
    """The oracle's `__init__.py`, if the engine is that of a checkout."""
    package = mergemaker_engine.__file__
    if package is None:
        return None
    engine = Path(package).resolve().parents[1]
    oracle = engine.parent / "tests" / "oracle" / "__init__.py"
    return oracle if engine.name == "engine" and oracle.is_file() else None


def race(oracle: Path, games: int) -> float:
    """The ratio of the engine's games to the oracle's, in a CPU second."""
    module = _load(oracle)
    engine_ns = oracle_ns = 0
    for number in range(games):
        began = time.process_time_ns()
        _, answers = play_random_game(TASK, number)
        between = time.process_time_ns()
        told = _play_by_oracle(module, number)
        engine_ns += between - began
        oracle_ns += time.process_time_ns() - between
        if told != [action_text(answer, RULES) for answer in answers]:
            raise CommandFailed(f"engine and oracle play game {number} of seed {SEED.hex()} differently: run tests/oracle")
    return oracle_ns / max(engine_ns, 1)


def _load(oracle: Path) -> ModuleType:
    """Imports the oracle's package by its place, without putting the checkout on the path."""
    if _PACKAGE in sys.modules:
        return sys.modules[_PACKAGE]
    spec = importlib.util.spec_from_file_location(_PACKAGE, oracle, submodule_search_locations=[str(oracle.parent)])
    if spec is None or spec.loader is None:
        raise CommandFailed(f"{oracle} cannot be imported: is it a Python file?")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = module
    spec.loader.exec_module(module)
    return module


def _play_by_oracle(module: Any, number: int) -> list[str]:  # noqa: ANN401 - the oracle's types are not available everywhere
    """Plays the game with a number by the same policy; returns the answers."""
    seed = derived_seed(SEED, "game", number)
    deal = Deal.from_seed(seed)

    def draw_market(draw: int, pile: Sequence[str]) -> str:
        return pile[deal.market_index(draw, len(pile))]

    knobs = {**RULES.knobs(), "chains": RULES.chains}
    game = module.Oracle(knobs, PLAYERS, [SQUARE_NAMES[square] for square in deal.order], draw_market)
    stream = Chances(seed, "play")
    told: list[str] = []
    while game.question() is not None:
        answers: list[str] = game.answers()
        answers = [answer for answer in answers if answer.endswith(" end")] or answers
        told.append(answers[stream.below(len(answers))] if len(answers) > 1 else answers[0])
        game.answer(told[-1])
    return told
