"""Broken bots, each in its own way, among good ones: each ends as predicted, and nobody else notices.

CI has every kind at once (`CHAOS=full`), as `python -m tests.chaos.broken_matches` does.
"""

from pathlib import Path
from typing import Final

import pytest

from tests.chaos import FULL
from tests.chaos.broken_bots import ACTS
from tests.chaos.broken_matches import CONTROLS, PREDICTED, play_with_broken_bots

pytestmark = [pytest.mark.slow, pytest.mark.checkout]

QUICK: Final = ("answers with an index that is not there", "resigns")


@pytest.mark.larger
def test_each_ends_in_its_predicted_cause_and_good_bots_are_untouched(tmp_path: Path) -> None:
    kinds = list(ACTS) if FULL else QUICK
    problems = play_with_broken_bots(tmp_path, kinds, print, controls=CONTROLS if FULL else 1)
    assert not problems, "\n".join(problems)


def test_each_kind_has_a_prediction_and_there_are_more_than_enough() -> None:
    assert set(ACTS) == set(PREDICTED)
    assert len(ACTS) >= 24
