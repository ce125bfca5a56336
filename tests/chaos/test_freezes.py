"""A server that stands still during matches: a few times here; `python -m tests.chaos.freezes` does any number."""

import random
import signal
from pathlib import Path

import pytest

from tests.chaos import FULL
from tests.chaos.freezes import LONG_EVERY, LONG_S, Freeze, Kind, Quota, Survived, plan, survive
from tests.chaos.shares import full_only

pytestmark = [
    pytest.mark.slow,
    pytest.mark.checkout,
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped by a signal that this system does not have"),
]

SHORT = (Freeze(Kind.STOPPED, 1.2), Freeze(Kind.DISK, 0.8), Freeze(Kind.STOPPED, 1.0))
MORE = (*SHORT, Freeze(Kind.STOPPED, 6.0), Freeze(Kind.STOPPED, 0.3))


@pytest.mark.larger
def test_nobody_pays_for_a_server_that_stands_still(tmp_path: Path) -> None:
    freezes = MORE if FULL else SHORT
    survived = survive(tmp_path, 20261119, freezes, at_once=2, newcomers_every=3 if FULL else len(freezes) + 1, tell=print)
    print(survived)
    assert survived.problems == []
    assert sum(survived.freezes.values()) == len(freezes)
    assert survived.matches >= 2
    assert survived.decisions


@full_only
@pytest.mark.larger
def test_nobody_pays_for_one_of_several_processes_that_stands_still(tmp_path: Path) -> None:
    freezes = [Freeze(Kind.IN_PART, for_s) for for_s in (1.2, 3.0, 0.5, 2.0)]
    survived = survive(tmp_path, 20261120, freezes, at_once=2, newcomers_every=3, processes=2, tell=print)
    print(survived)
    assert survived.problems == []
    assert survived.decisions


def test_a_plan_has_all_kinds_and_some_that_are_long() -> None:
    freezes = plan(random.Random(7), 100, list(Kind), long=True)  # noqa: S311 - it must repeat
    assert {each.kind for each in freezes} == set(Kind)
    assert sum(each.for_s == LONG_S for each in freezes) == 100 // LONG_EVERY
    assert max(each.for_s for each in plan(random.Random(7), 100, list(Kind))) < LONG_S  # noqa: S311 - it must repeat


def test_where_there_is_no_cgroup_it_is_said_why() -> None:
    quota = Quota(roots=())
    assert quota.why_not
    quota.take(1)
    quota.close()


def test_what_a_record_blames_a_bot_for_is_found() -> None:
    survived = Survived()
    run = {"what": "disconnected", "evidence": {"fault": "bot", "reason": "left", "text": "it went"}}
    survived._look_at_line("here", {"run": run})
    assert survived.problems == ["here: bot, left: it went"]
    assert survived.breaks == {"left": 1}
