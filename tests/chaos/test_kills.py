"""A server that is killed at random points under load.

CI kills 10 times (`CHAOS=full`), `python -m tests.chaos.kills` any number.
"""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.chaos import FULL
from tests.chaos.kills import Moment, survive

pytestmark = [pytest.mark.slow, pytest.mark.checkout]

SEED: Final = int(os.environ.get("CHAOS_SEED", "20261118"))
KILLS: Final = 10 if FULL else 1


@pytest.mark.larger
def test_nobody_can_tell_that_the_server_was_killed(tmp_path: Path) -> None:
    survived = survive(tmp_path, SEED, KILLS, at_once=4 if FULL else 2, tell=print)
    print(survived)
    assert sum(survived.moments.values()) == KILLS
    assert survived.moments[Moment.PLAYING]
    assert survived.recoveries
