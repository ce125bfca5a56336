"""`mergemaker gate`: its three steps, its one verdict, and its exit status."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from mergemaker_client import Answer, Turn
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_engine.actions import STOP
from mergemaker_tools.commands import gate
from mergemaker_tools.conformance.cases import all_cases

from tests.tools.conftest import Run

HERE: Final = "tests.tools.test_gate"
FAST: Final = ("--seats", "2", "--seed", "01", "--jobs", "1")


class Wrong(GreedyBot):
    """Gives an illegal answer to its ninth question."""

    def answer(self, turn: Turn) -> Answer:
        return STOP if turn.number == 9 else super().answer(turn)


class Failing(GreedyBot):
    """Fails at its ninth question."""

    def answer(self, turn: Turn) -> Answer:
        if turn.number == 9:
            raise LookupError("no such idea")
        return super().answer(turn)


def steps_in(run: Callable[..., Run], *arguments: str) -> tuple[int, str, dict[str, str]]:
    played = run("gate", *arguments, *FAST, "--json")
    document = json.loads(played.out)
    return played.status, document["verdict"], {step["step"]: step["outcome"] for step in document["steps"]}


def test_a_better_bot_passes_in_three_steps(run: Callable[..., Run]) -> None:
    played = run("gate", "greedy", "random", *FAST, "--need", "better")
    assert played.status == 0
    lines = played.out.splitlines()
    assert lines[0] == "conformance: left out, this bot is called in this program, and needs no protocol"
    assert lines[1].startswith("positions: passed, ")
    assert lines[-2:] == ["duel: passed, greedy is better than random", "gate: greedy passes"]


@pytest.mark.parametrize(
    ("arguments", "status", "verdict", "duel"),
    [
        (("random", "greedy"), 1, "does not pass", "failed"),
        (("greedy", "greedy"), 0, "passes", "passed"),
        (("greedy", "greedy", "--need", "better"), 1, "does not pass", "failed"),
        (("greedy", "random", "--matches", "2"), 2, "no answer", "open"),
    ],
)
def test_the_duel_decides(run: Callable[..., Run], arguments: tuple[str, ...], status: int, verdict: str, duel: str) -> None:
    assert steps_in(run, *arguments) == (status, verdict, {"conformance": "left out", "positions": "passed", "duel": duel})


@pytest.mark.parametrize(("bot", "says"), [("Wrong", "is illegal"), ("Failing", "LookupError: no such idea")])
def test_a_bot_that_cannot_answer_a_position_does_not_pass(run: Callable[..., Run], bot: str, says: str) -> None:
    failed = run("gate", f"{HERE}:{bot}", "greedy", *FAST)
    assert failed.status == 1
    assert "positions: failed, a match of built-in bots by " in failed.out
    assert says in failed.out
    assert failed.out.endswith(f"gate: {bot} does not pass\n")
    assert "against" not in failed.out


def test_positions_are_those_of_ones_own_records(run: Callable[..., Run]) -> None:
    run("match", "random", "random", "--games", "2", "--seed", "5", "--records", "r")
    asked = run("gate", "greedy", "random", *FAST, "--matches", "2", "--positions", "r").out
    assert re.search(r"^positions: passed, 1\d\d questions", asked, re.MULTILINE), asked
    next(Path("r").iterdir()).write_bytes(b"{}")
    broken = run("gate", "greedy", "random", *FAST, "--positions", "r")
    assert broken.status == 2
    assert "cannot read the record r/" in broken.err
    Path("empty").mkdir()
    assert run("gate", "greedy", "random", *FAST, "--positions", "empty").status == 2


def test_a_program_has_to_speak_the_protocol(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    few = [case for case in all_cases() if case.level == "core"][:2]
    monkeypatch.setattr(gate, "all_cases", lambda: few)
    Path("ends.py").write_text("raise SystemExit(0)", "utf-8")
    failed = run("gate", "ends.py", "greedy", *FAST)
    assert failed.status == 1
    assert "conformance: failed, 2 of 2 cases: " in failed.out
    assert "gate: ends does not pass\n" in failed.out


def test_what_cannot_be_played_is_refused_before_the_first_step(run: Callable[..., Run]) -> None:
    for arguments in (
        ("greedy",),
        ("greedy", "human"),
        ("greedy", "random", "--need", "best"),
        ("greedy", "random", "--score", "x"),
    ):
        refused = run("gate", *arguments)
        assert (refused.status, refused.out) == (2, "")
