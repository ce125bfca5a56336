"""`mergemaker bench tournament` and `duels`: what their rows are made of."""

import json
import subprocess
from collections.abc import Callable

import pytest
from mergemaker_bench import duel_figures, tournament_speed
from mergemaker_contest.designs import Design
from mergemaker_tools.contests.playing.blocks import Block

from tests.tools.conftest import Run


def test_duels_have_a_row_for_each_pair_and_design(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel_figures, "PAIRS", (("greedy", "random"),))
    monkeypatch.setattr(duel_figures, "QUICK", duel_figures.Effort((4,)))
    monkeypatch.setattr(duel_figures, "usual_jobs", lambda: 1)
    rows = json.loads(run("bench", "duels", "--quick", "--json").out)["rows"]
    assert [row["id"] for row in rows] == [f"greedy-random-{design}" for design in Design]
    assert all(row["measured"] > 0 for row in rows)
    assert all(row["note"].startswith("4 matches; difference ") and "±" not in row["note"] for row in rows)


def test_matches_are_compared_with_the_engines_games(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_speed, "QUICK", tournament_speed.Effort(rounds=1, matches=1, served=2, many=2))
    monkeypatch.setattr(tournament_speed, "usual_jobs", lambda: 1)
    costs = {"served": 0.25, "fast": 0.01}
    monkeypatch.setattr(tournament_speed, "_command_s", lambda way, games: 3.0 + costs[way] * games)
    rows = {row["id"]: row for row in json.loads(run("bench", "tournament", "--quick", "--json").out)["rows"]}
    assert rows.keys() == {"part-of-engine", "processes", "fast-by-served"}
    assert rows["fast-by-served"]["measured"] == pytest.approx(25)
    assert 0 < rows["part-of-engine"]["measured"] < 1


def test_a_whole_command_is_charged_with_all_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: started.append(command))
    assert tournament_speed._command_s("fast", 7) >= 0
    (command,) = started
    assert command[3:] == ["match", *["greedy"] * 4, "--games", "7", "--play", "fast", "--no-record", "--seed", "1"]


def test_blocks_of_the_bench_have_one_match_each() -> None:
    first, second = (next(blocks) for blocks in [tournament_speed._blocks()] for _ in range(2))
    assert isinstance(first, Block)
    assert (first.seatings, first.seed == second.seed) == (((0, 1, 2, 3),), False)
