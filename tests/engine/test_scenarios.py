"""The scenarios of the folder `scenarios`, one test each; `mergemaker_testkit.scenario` explains their format."""

from pathlib import Path

import pytest
from mergemaker_testkit.scenario import Scenario, read_folder
from mergemaker_testkit.scenario_run import run

SCENARIOS = read_folder(Path(__file__).parent / "scenarios")


def _title(scenario: Scenario) -> str:
    return f"{scenario.file.removesuffix('.txt')}: {scenario.title}"


@pytest.mark.parametrize("scenario", SCENARIOS, ids=_title)
def test_scenario_comes_out_as_written(scenario: Scenario) -> None:
    run(scenario)


def test_titles_are_different() -> None:
    titles = [_title(scenario) for scenario in SCENARIOS]
    assert sorted(titles) == sorted(set(titles))
