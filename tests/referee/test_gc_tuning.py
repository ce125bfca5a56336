"""How often Python looks for reference cycles while a process is a referee."""

import gc
import weakref

import pytest
from mergemaker_referee.gc_tuning import YOUNG_MAX, rare_collections


class Circle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def test_circles_are_looked_for_rarely_and_found_all_the_same() -> None:
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() == (YOUNG_MAX, *before[1:])
        gone = weakref.ref(Circle())
        kept: list[list[object]] = []
        for _ in range(2 * YOUNG_MAX):
            kept.append([])  # noqa: PERF401 - one after another, like a match's objects
        assert gone() is None
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_all_is_as_before_however_the_block_ends() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyboardInterrupt), rare_collections():
        raise KeyboardInterrupt
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
