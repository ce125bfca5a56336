"""For how long the referee's own loop was held up, by a beat that comes too late."""

from __future__ import annotations

from mergemaker_referee.delays import BEAT_MS, LAG_MS, Delays
from mergemaker_table.evidence import HeldUp

MS = 1_000_000


class Clock:
    def __init__(self) -> None:
        self.now_ns = 5_000

    def __call__(self) -> int:
        return self.now_ns


def test_a_beat_in_time_is_no_delay_and_one_that_is_late_counts_in_full() -> None:
    clock = Clock()
    delays = Delays(clock)
    assert delays.held_up() == HeldUp(0, 0), "nothing is due before the first beat"
    delays._beat()
    for _ in range(3):
        clock.now_ns += (BEAT_MS + LAG_MS) * MS
        delays._beat()
    assert delays.held_up() == HeldUp(0, 0)
    clock.now_ns += (BEAT_MS + 200) * MS
    assert delays.held_up() == HeldUp(0, 200 * MS), "also before the beat has come"
    delays._beat()
    assert delays.held_up() == HeldUp(0, 200 * MS), "and once"
    clock.now_ns += (BEAT_MS + 50) * MS
    delays._beat()
    assert delays.held_up() == HeldUp(0, 250 * MS)
    assert delays.longest_ns == 200 * MS


def test_what_holds_the_transport_up_is_the_transports_to_say() -> None:
    delays = Delays(Clock())
    delays.transport_ns = lambda: 7 * MS
    assert delays.held_up() == HeldUp(7 * MS, 0)
