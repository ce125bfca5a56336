"""Runs by seeds: a few here, 1,000 in a step of CI; and they find planted bugs."""

import inspect

import pytest

from . import planted, seeds
from .another_process import printed_with
from .checks import Problem
from .planted import Found, find
from .planted_bugs import BUGS
from .planting import Bug
from .scenarios import scenario_of
from .seeds import Outcome, outcome_of, problems_of_seed

HERE = range(20)


@pytest.mark.parametrize("seed", HERE)
def test_nothing_is_wrong_with_what_comes_of_a_seed(seed: int) -> None:
    assert outcome_of(seed).problems == ()


def test_scenarios_are_of_all_kinds() -> None:
    scenarios = [scenario_of(seed) for seed in range(300)]
    assert {match.wanted.mode.value for each in scenarios for match in each.matches} == {"server", "joint"}
    assert {len(match.seats) for each in scenarios for match in each.matches} == {2, 3, 4, 5, 6}
    assert {len(each.matches) for each in scenarios} == {1, 2, 3}
    assert {end.kind for each in scenarios for end in each.troubles.ends} == {"kill", "power", "stop"}
    assert {end.trigger for each in scenarios for end in each.troubles.ends} == {"time", "operation", "told"}
    assert len({trouble.kind for each in scenarios for trouble in each.troubles.disk}) == 7
    assert sum(each.troubles.are_none for each in scenarios) > 50


def test_a_seed_is_always_the_same_run() -> None:
    first, again, other = outcome_of(7), outcome_of(7), outcome_of(8)
    assert first == again
    assert first.trace_hash != other.trace_hash


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_is_the_same_run_in_every_process(hash_seed: str) -> None:
    program = "from tests.simulation.seeds import outcome_of\nprint('trace', outcome_of(7).trace_hash)"
    assert f"trace {outcome_of(7).trace_hash}" in printed_with(hash_seed, program)


def test_there_are_enough_bugs_and_each_has_a_name() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= 20


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_is_called_as_what_it_stands_in_place_of(bug: Bug) -> None:
    for holder, name, instead in bug.patches:
        real = getattr(holder, name)
        if not callable(real):
            continue  # a property
        parameters = inspect.signature(real).parameters.values()
        named = {each.name: None for each in parameters if each.kind is each.KEYWORD_ONLY}
        inspect.signature(instead).bind(*(None for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD), **named)


def test_a_planted_bug_is_found_and_gone_afterwards() -> None:
    found = find("event skipped")
    assert found.seed is not None
    assert "is due" in found.text
    assert problems_of_seed(found.seed)[0] == []


def test_a_seed_that_fails_without_a_bug_finds_none(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def failing(seed: int) -> tuple[list[Problem], None]:
        looked.append(seed)
        return [Problem("run", "wrong anyhow")], None

    monkeypatch.setattr(planted, "problems_of_seed", failing)
    assert find("event skipped", 3) == Found("event skipped", None, "")
    assert looked == [0, 0, 1, 1, 2, 2]


def test_a_failure_is_told_with_its_seed_and_how_to_see_it_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bug = next(each for each in BUGS if each.name == "double charge")
    monkeypatch.setattr(seeds, "outcomes", lambda numbers, _: [Outcome(numbers[0], ("[clocks] wrong",), "", 1, 1, 1)])
    with bug.plant():
        status = seeds.main(["--seeds", "1", "--from", "7", "--jobs", "1"])
    said = capsys.readouterr().out
    assert status == 1
    assert "seed 7 at commit" in said
    assert "python -m tests.simulation.seeds --seed 7" in said
    assert "[clocks] wrong" in said
    assert "the end of the trace:" in said
    assert said.endswith("simulation: 0 passed, 1 failed\n")


def test_one_seed_is_shown_with_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert seeds.main(["--seed", "4"]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("simulation: 1 passed, 0 failed\n")
    assert "listens" in said.err


@pytest.mark.parametrize("wrong", [["--seeds", "0"], ["--jobs", "0"], ["--seed", "x"]])
def test_wrong_use_is_said(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        seeds.main(wrong)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err
