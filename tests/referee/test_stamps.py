"""Times from the transport's loop: when something arrived, and how long the loop was held up."""

from typing import Any

import pytest
from mergemaker_referee.rpc.stamps import BEAT_MS, LAG_NS, Stamps

BEAT_NS = BEAT_MS * 1_000_000


class Loop:
    """A loop whose timers run when a test says so."""

    def __init__(self) -> None:
        self.now_ns = 1_000
        self.timer: Any = None

    def call_later(self, delay_s: float, call: Any, *arguments: Any) -> "Loop":
        del delay_s
        self.timer = lambda: call(*arguments)
        return self

    def cancel(self) -> None:
        self.timer = None


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def stamps(loop: Loop) -> Stamps:
    made = Stamps(lambda: loop.now_ns)
    made.start(loop)  # type: ignore[arg-type]  # as much of a loop as needed
    return made


def beat(loop: Loop, late_ns: int = 0) -> None:
    loop.now_ns += BEAT_NS + late_ns
    loop.timer()


def test_a_loop_that_runs_is_not_held_up(loop: Loop, stamps: Stamps) -> None:
    for _ in range(5):
        beat(loop, LAG_NS)
    assert stamps.held_up_ns() == 0


def test_delays_add_up_and_the_one_that_goes_on_counts_too(loop: Loop, stamps: Stamps) -> None:
    beat(loop, LAG_NS + 5)
    beat(loop, LAG_NS + 6)
    beat(loop)
    assert stamps.held_up_ns() == 2 * LAG_NS + 11
    loop.now_ns += BEAT_NS + LAG_NS + 7
    assert stamps.held_up_ns() == 3 * LAG_NS + 18
    loop.timer()
    assert stamps.held_up_ns() == 3 * LAG_NS + 18, "counted once"
    assert loop.now_ns > BEAT_NS


def test_what_a_loop_finds_after_a_delay_came_when_it_should_have_looked(loop: Loop, stamps: Stamps) -> None:
    due = loop.now_ns + BEAT_NS
    loop.now_ns = due + LAG_NS + 5
    assert stamps.came() == due
    loop.timer()
    assert stamps.came() == due, "the beat may run before what came is looked at"
    beat(loop)
    assert stamps.came() == loop.now_ns
