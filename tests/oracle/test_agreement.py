"""The engine and the oracle agree on every decision, event and state of many random games.

CI plays 2,000 games (`ORACLE_GAMES`), `python -m tests.oracle.compare` any number.
"""

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Self

import pytest
from mergemaker_engine.rules import PRESETS

from tests.oracle import PRESETS as ORACLE_PRESETS
from tests.oracle.compare import compare, main

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


@pytest.mark.checkout
@pytest.mark.slow
def test_the_long_command_can_be_taken_up_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--first", "20000", "--games", "3", "--jobs", "1"]) == 0
    told = capsys.readouterr()
    decisions = sum(compare(number) for number in range(20_000, 20_003))
    assert told.out == f"3 games agree in {decisions} decisions\n"
    assert told.err.startswith(f"games 20000 to 20002: {decisions} decisions, no difference, ")


def test_an_interrupted_comparison_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Pool:
        def __init__(self, _jobs: int) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def imap(self, _work: object, numbers: range, _together: int) -> Iterator[int]:
            yield from (100 for _ in numbers[:4])
            raise KeyboardInterrupt

    monkeypatch.setattr("multiprocessing.get_context", lambda _: SimpleNamespace(Pool=Pool))
    assert main(["--first", "7", "--games", "10"]) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "interrupted; go on with --first 11 --games 6\n")
