"""The engine and the oracle agree in every decision, event and state of many random games.

CI plays 2,000 games (`ORACLE_GAMES`), `python -m tests.oracle.compare` any number.
"""

import os

import pytest
from mergemaker_engine.rules import PRESETS

from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle.compare import compare

GAMES = int(os.environ.get("ORACLE_GAMES", "100"))
GAMES_TOGETHER = 20


@pytest.mark.checkout
@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, GAMES, GAMES_TOGETHER))
def test_engine_and_oracle_play_the_same_games(first: int) -> None:
    for number in range(first, min(first + GAMES_TOGETHER, GAMES)):
        assert compare(number) > 0


@pytest.mark.checkout
@pytest.mark.slow
def test_presets_are_the_same() -> None:
    assert set(PRESETS) == set(ORACLE_PRESETS)
    for name, rules in PRESETS.items():
        assert {**rules.knobs(), "chains": rules.chains} == dict(ORACLE_PRESETS[name]), name
