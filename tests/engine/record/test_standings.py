"""The results of all seats, as one value."""

import pytest
from mergemaker_engine.record.standings import Thinking


@pytest.mark.parametrize(("decisions", "total_ms", "mean_ms"), [(0, 0, 0), (3, 8, 2), (3, 9, 3)])
def test_the_mean_of_thinking_times_is_rounded_down(decisions: int, total_ms: int, mean_ms: int) -> None:
    assert Thinking(decisions, total_ms, longest_ms=total_ms).mean_ms == mean_ms
