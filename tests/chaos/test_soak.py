"""Growth is told from none; and a soak of a few matches, while `python -m tests.chaos.soak` has thousands."""

import os
import random
from pathlib import Path

import pytest

from tests.chaos.busy_calls import CALLS
from tests.chaos.quick_bots import LEFT
from tests.chaos.server_process import until
from tests.chaos.slopes import POINTS_MAX, POINTS_MIN, slope, theil_sen, thinned
from tests.chaos.soak import NUMBERS, line_of, soaking
from tests.chaos.watched_process import PROC, look_at

MATCHES = 4
needs_proc = pytest.mark.skipif(not PROC.is_dir(), reason="the server is looked at in /proc, which is Linux's")


def _drifting(each: float, seed: int, count: int = 300) -> list[tuple[float, float]]:
    """A line with noise that remembers its past."""
    chance = random.Random(seed)  # noqa: S311 - it must repeat
    points, rest = [], 0.0
    for x in range(count):
        rest = 0.5 * rest + chance.gauss(0, 50)
        points.append((float(x), 70_000 + each * x + rest))
    return points


def test_a_single_peak_does_not_move_a_slope() -> None:
    points = [(float(x), 2.0 * x) for x in range(30)]
    points[10] = (10.0, 1e9)
    assert theil_sen(points) == pytest.approx(2.0)


def test_what_grows_is_found_and_what_does_not_is_not() -> None:
    chance = random.Random(1)  # noqa: S311 - it must repeat
    grows = [slope(_drifting(1.0, seed), chance) for seed in range(10)]
    stays = [slope(_drifting(0.0, seed), chance) for seed in range(10)]
    assert all(found is not None and found.low > 0.5 for found in grows)
    # One or two of ten intervals may miss the true value.
    assert sum(found is not None and found.low <= 1.0 <= found.high for found in grows) >= 8
    assert sum(found is not None and found.low <= 0.0 <= found.high for found in stays) >= 8
    assert all(found is not None and found.low < 0.1 for found in stays)


def test_few_points_have_no_slope() -> None:
    chance = random.Random(1)  # noqa: S311 - it must repeat
    assert slope([(float(x), 0.0) for x in range(POINTS_MIN - 1)], chance) is None
    assert slope([(1.0, float(x)) for x in range(POINTS_MIN)], chance) is None
    assert "too few" in line_of(NUMBERS[0], None)


def test_many_points_are_brought_together() -> None:
    found = thinned([(float(x), float(x)) for x in range(10 * POINTS_MAX + 1)])
    assert len(found) <= POINTS_MAX
    assert theil_sen(found) == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(("each", "verdict"), [(NUMBERS[0].limit * 4, "GROWS"), (NUMBERS[0].limit / 4, "grows not")])
def test_a_slope_fails_whose_lower_bound_is_above_the_limit(each: float, verdict: str) -> None:
    points = [(x, each * x) for x in map(float, range(50))]
    assert verdict in line_of(NUMBERS[0], slope(points, random.Random(0)))  # noqa: S311 - it must repeat


@needs_proc
def test_descriptors_of_a_process_are_counted(tmp_path: Path) -> None:
    before = look_at(os.getpid())
    with (tmp_path / "more").open("w"):
        assert look_at(os.getpid()).descriptors == before.descriptors + 1
    assert before.memory_kb > 1_000
    assert before.threads >= 1


@needs_proc
@pytest.mark.slow
@pytest.mark.checkout
def test_a_soak_plays_reconnects_cancels_and_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with soaking(tmp_path, bots=4, seed=1) as soak:

        def has_seen_all() -> bool:
            soak.make(at_once=4)
            soak.look()
            left = sum(count for what, count in soak.restless.lost.items() if LEFT in what)
            return soak.over >= MATCHES and soak.cancelled > 0 and left > 0 and set(soak.calls.answered) == set(CALLS)

        until(has_seen_all, "matches are played, bots leave and come back, and calls of every kind are made")
        soak.report()
    said = capsys.readouterr().out
    assert all(soak.points[-1].shown[name] > 0 for name in ("mergemaker_transport_tasks", "mergemaker_referee_tasks"))
    assert all(number.name in said for number in NUMBERS)
    assert not soak.problems or all("grows" in problem for problem in soak.problems)
