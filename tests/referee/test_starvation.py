"""Nobody is charged for the time that gRPC's threads waited for a processor."""

import sys
import threading
from pathlib import Path

import pytest
from mergemaker_referee.matches.own_delays import AGAIN_NS, HOLD_NS, HOLD_NS_MAX, LOOK_BACK_NS, OwnDelays
from mergemaker_referee.rpc.starvation import LIST_EVERY, Starvation
from mergemaker_table.inputs import Answered, AnswerIndex, BarrierPassed, Handed, Tick

MS = 1_000_000


class Threads:
    """Threads as Linux reports them, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 0

    def waited(self, thread: int, waited_ns: int) -> None:
        (self.folder / str(thread)).mkdir(exist_ok=True)
        (self.folder / str(thread) / "schedstat").write_text(f"123 {waited_ns} 4\n")

    def is_in(self, thread: int, state: str, name: str = "grpc_global_tim") -> None:
        (self.folder / str(thread) / "stat").write_text(f"{thread} ({name}) {state} 1 2 3\n")

    def ended(self, thread: int) -> None:
        (self.folder / str(thread) / "schedstat").write_text("")

    def starvation(self, *ours: int) -> Starvation:
        return Starvation(lambda: self.now, self.folder, lambda: frozenset(ours))


@pytest.fixture
def threads(tmp_path: Path) -> Threads:
    return Threads(tmp_path)


def test_what_threads_waited_adds_up_and_what_was_before_does_not_count(threads: Threads) -> None:
    threads.waited(7, 500 * MS)
    threads.waited(8, 0)
    starvation = threads.starvation()
    for now, first, second in ((10, 500, 0), (20, 520, 3), (30, 520, 3), (40, 530, 3)):
        threads.now = now * MS
        threads.waited(7, first * MS)
        threads.waited(8, second * MS)
        starvation.look()
    assert starvation.since_ns(0) == 33 * MS
    assert starvation.since_ns(10 * MS) == 33 * MS
    assert starvation.since_ns(29 * MS) == 10 * MS  # the previous look shows the waiting time by then
    assert starvation.since_ns(40 * MS) == 0
    threads.waited(7, 541 * MS)
    threads.now = 41 * MS
    assert starvation.since_ns(40 * MS) == 11 * MS  # asking looks it up now
    starvation.close()


def test_pythons_own_threads_are_the_beats_affair_and_threads_come_and_go(threads: Threads) -> None:
    threads.waited(7, 0)
    threads.waited(8, 0)
    starvation = threads.starvation(8)
    starvation.look()
    threads.waited(7, 5 * MS)
    threads.waited(8, 90 * MS)
    threads.waited(9, 1_000 * MS)
    threads.now = 10 * MS
    assert starvation.since_ns(0) == 5 * MS
    threads.ended(7)
    for _ in range(LIST_EVERY):
        starvation.look()
    threads.waited(9, 1_002 * MS)
    threads.now = 20 * MS
    assert starvation.since_ns(0) == 7 * MS
    starvation.close()


def test_where_nobody_tells_nobody_has_waited(tmp_path: Path) -> None:
    for tasks in (tmp_path / "not there", tmp_path):
        (tmp_path / "7").mkdir(exist_ok=True)  # a thread that the kernel does not report
        starvation = Starvation(lambda: 0, tasks)
        starvation.look()
        assert starvation.since_ns(0) == 0
        starvation.close()


def test_a_thread_that_is_ready_is_seen_to_wait(threads: Threads) -> None:
    for thread in (7, 8, 9):
        threads.waited(thread, 0)
    starvation = threads.starvation(9)
    starvation.look()
    assert not starvation.is_any_waiting()  # nothing is known of them
    threads.is_in(7, "S")
    threads.is_in(8, "S", name="a) R (b")
    threads.is_in(9, "R")  # Python's own
    assert not starvation.is_any_waiting()
    threads.is_in(8, "R", name="a) S (b")
    assert starvation.is_any_waiting()
    starvation.close()
    assert not starvation.is_any_waiting()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long threads waited")
def test_linux_tells_of_the_threads_of_this_process() -> None:
    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = files()
    starvation = Starvation(lambda: 0, ours=frozenset)
    starvation.look()
    assert threading.get_native_id() in starvation._files
    assert starvation.is_any_waiting()  # this one runs
    starvation.close()
    starvation.look()
    assert files() == before


class Transport:
    """A transport whose threads waited for this time; one may still wait."""

    def __init__(self, waited_ns: int = 0, *, waits: bool = False) -> None:
        self.waited_ns = waited_ns
        self.waits = waits
        self.asked_since: list[int] = []

    def since_ns(self, at_ns: int) -> int:
        self.asked_since.append(at_ns)
        return self.waited_ns

    def is_any_waiting(self) -> bool:
        return self.waits


def answer(at_ms: int, decision: int = 3) -> Answered:
    return Answered(1, decision, AnswerIndex(0), None, at_ms * MS)


ASKED = Handed(1, 3, 1_000 * MS)


@pytest.mark.parametrize(
    ("came_ms", "starved_ms", "counts_ms"),
    [
        (1_100, 70, 1_100),  # within its allowance: nothing is looked up
        (1_130, 30, 1_100),
        (1_130, 0, 1_130),
        (1_130, 400, 1_000),  # never before it was asked
        (9_000, 40, 8_960),
    ],
)
def test_an_answer_behind_its_allowance_is_given_back_what_the_transport_waited(
    came_ms: int, starved_ms: int, counts_ms: int
) -> None:
    transport = Transport(starved_ms * MS)
    found = OwnDelays(lambda: 0, transport, 100).without(answer(came_ms), ASKED)
    assert found == answer(counts_ms)
    assert transport.asked_since == ([] if came_ms <= 1_100 else [max(ASKED.at_ns, came_ms * MS - LOOK_BACK_NS)])


def test_what_is_no_answer_to_what_was_asked_stays_as_it_is() -> None:
    delays = OwnDelays(lambda: 0, Transport(10**12), 100)
    for given in (Tick(), answer(5_000, decision=2)):
        assert delays.without(given, ASKED) is given
    assert delays.without(answer(5_000), None) == answer(5_000)
    assert OwnDelays(lambda: 0, None, 100).without(answer(5_000), ASKED) == answer(5_000)


def test_a_default_waits_for_what_the_transport_may_have_missed() -> None:
    now, transport = 0, Transport()
    delays = OwnDelays(lambda: now, transport, 100)
    passed = BarrierPassed(1, 3)
    assert delays.barrier_due() is None
    assert delays.holds(passed)
    assert delays.wake_at_ns(None) == delays.wake_at_ns(10**12) == HOLD_NS
    assert delays.wake_at_ns(5) == 5
    now = HOLD_NS - 1
    assert delays.barrier_due() is None
    now, transport.waited_ns = HOLD_NS, 3 * HOLD_NS
    assert delays.barrier_due() is None  # a thread waited longer than that
    assert delays.wake_at_ns(None) == 3 * HOLD_NS
    now = 3 * HOLD_NS
    assert delays.barrier_due() is passed
    assert delays.wake_at_ns(None) is None
    assert delays.barrier_due() is None


def test_a_default_waits_for_a_thread_of_which_it_is_not_known_yet_how_long_it_waits() -> None:
    now, transport = 0, Transport(waits=True)
    delays = OwnDelays(lambda: now, transport, 100)
    delays.holds(BarrierPassed(1, 3))
    now = HOLD_NS
    assert delays.barrier_due() is None
    assert delays.wake_at_ns(None) == HOLD_NS + AGAIN_NS
    now = HOLD_NS + AGAIN_NS
    transport.waits = False
    assert delays.barrier_due() is not None  # as soon as it runs


def test_nobody_is_waited_for_who_is_always_ready() -> None:
    now = 0
    delays = OwnDelays(lambda: now, Transport(waits=True), 100)
    delays.holds(BarrierPassed(1, 3))
    looked = 0
    while delays.barrier_due() is None:
        wake = delays.wake_at_ns(None)
        assert wake is not None
        now, looked = wake, looked + 1
    assert now == HOLD_NS_MAX
    assert looked <= HOLD_NS_MAX // AGAIN_NS


def test_no_default_waits_for_ever() -> None:
    now = 0
    delays = OwnDelays(lambda: now, Transport(10**15), 100)
    delays.holds(BarrierPassed(1, 3))
    now = HOLD_NS
    assert delays.barrier_due() is None
    now = LOOK_BACK_NS
    assert delays.barrier_due() is not None


def test_where_nobody_knows_what_the_transport_waited_nothing_is_held() -> None:
    delays = OwnDelays(lambda: 0, None, 100)
    assert not delays.holds(BarrierPassed(1, 3))
    assert delays.wake_at_ns(7) == 7
