"""How long either loop stood still, measured by a late beat, whatever the cause."""

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.delays import BEAT_MS, LAG_MS, Delays
from mergemaker_referee.standstills import Standstills
from mergemaker_table.evidence import HeldUp

MS = 1_000_000
S = 1_000 * MS
LIMITS = Limits(keepalive_ms=10_000, keepalive_timeout_ms=5_000)


class Clock:
    def __init__(self) -> None:
        self.now_ns = 50 * S

    def __call__(self) -> int:
        return self.now_ns


class Watched:
    """Both loops, and the machine's other clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.suspended_ns = 7 * S
        self.transport_ns = 0
        self.delays = Delays(self.clock, Standstills(LIMITS), lambda: self.suspended_ns)
        self.delays.transport_ns = lambda: self.transport_ns
        self.delays._beat()

    def pass_ms(self, milliseconds: int) -> HeldUp:
        """Both run for this long."""
        for _ in range(milliseconds // BEAT_MS):
            self.clock.now_ns += BEAT_MS * MS
            self.delays._beat()
        return self.delays.held_up()

    def stop_ms(self, milliseconds: int) -> HeldUp:
        """Both stop, from the moment when the next beats are due."""
        self.clock.now_ns += (BEAT_MS + milliseconds) * MS
        self.transport_ns += milliseconds * MS
        self.delays._beat()
        return self.delays.held_up()


def _measured(held_up: HeldUp) -> tuple[int, int]:
    return held_up.transport_ns // MS, held_up.referee_ns // MS


def _stood_ms(held_up: HeldUp) -> float:
    return held_up.stood_ns / MS


def test_a_beat_in_time_is_no_delay_and_one_that_is_late_counts_in_full() -> None:
    watched = Watched()
    clock, delays = watched.clock, watched.delays
    for _ in range(3):
        clock.now_ns += (BEAT_MS + LAG_MS) * MS
        delays._beat()
    assert delays.held_up() == HeldUp(0, 0)
    clock.now_ns += (BEAT_MS + 90) * MS
    assert _measured(delays.held_up()) == (0, 90), "also before the beat has come"
    delays._beat()
    assert _measured(delays.held_up()) == (0, 90), "and once"
    clock.now_ns += (BEAT_MS + 50) * MS
    delays._beat()
    assert _measured(delays.held_up()) == (0, 140)
    assert delays.held_up() == HeldUp(0, 140 * MS, 140 * MS, clock.now_ns)
    assert delays.longest_ns == 90 * MS


def test_nothing_is_due_before_the_first_beat() -> None:
    assert Delays(Clock(), Standstills(LIMITS)).held_up() == HeldUp(0, 0)


def test_what_holds_the_transport_up_is_the_transports_to_say() -> None:
    watched = Watched()
    watched.transport_ns = 7 * MS
    assert watched.delays.held_up() == HeldUp(7 * MS, 0, 7 * MS, watched.clock.now_ns)


def test_both_loops_of_a_process_that_is_stopped_stand_once() -> None:
    watched = Watched()
    watched.pass_ms(100)
    held_up = watched.stop_ms(90)
    assert (_measured(held_up), _stood_ms(held_up)) == ((90, 90), 90)
    assert held_up.stood_until_ns == watched.clock.now_ns
    assert _stood_ms(watched.pass_ms(1_000)) == 90


def test_what_the_transport_counts_a_beat_later_is_not_counted_again() -> None:
    watched = Watched()
    watched.clock.now_ns += (BEAT_MS + 90) * MS
    watched.delays._beat()
    watched.clock.now_ns += BEAT_MS * MS
    watched.transport_ns += 90 * MS
    watched.delays._beat()
    assert _stood_ms(watched.delays.held_up()) == 100


def test_a_transport_that_stands_by_itself_is_nobodys_time_either() -> None:
    watched = Watched()
    for _ in range(5):
        watched.clock.now_ns += BEAT_MS * MS
        watched.transport_ns += BEAT_MS * MS
        watched.delays._beat()
    watched.transport_ns -= 30 * MS  # for a moment, it may lack what it is just counting
    assert _stood_ms(watched.pass_ms(20)) == 50
    watched.transport_ns += 30 * MS
    assert _stood_ms(watched.pass_ms(20)) == 50


def test_after_a_long_stop_the_time_is_nobodys_until_what_came_meanwhile_is_found() -> None:
    watched = Watched()
    stopped = _stood_ms(watched.stop_ms(1_000))
    assert stopped == 1_000
    assert _stood_ms(watched.pass_ms(100)) == 1_100
    assert _stood_ms(watched.pass_ms(400)) == 1_250
    assert _stood_ms(watched.stop_ms(30_000)) == 31_250
    assert _stood_ms(watched.pass_ms(5_000)) == 33_250, "no more than two seconds"
    assert watched.delays.held_up().breaks_until_ns == watched.clock.now_ns + 15_000 * MS - 3_000 * MS


def test_who_is_stopped_again_and_again_has_time_in_between_that_counts() -> None:
    watched = Watched()
    for _ in range(100):
        watched.stop_ms(900)
        watched.pass_ms(100)
    counted = (watched.clock.now_ns - 50 * S - watched.delays.held_up().stood_ns) / MS
    assert counted > 100 * 100 / 3


def test_connections_that_break_are_ours_if_we_stood_for_as_long_as_a_probe_is_waited_for() -> None:
    watched = Watched()
    assert watched.stop_ms(4_999).breaks_until_ns == 0
    watched.pass_ms(10_000)
    held_up = watched.stop_ms(5_000)
    assert held_up.breaks_until_ns == watched.clock.now_ns + 15 * S
    before = watched.pass_ms(3_000).breaks_until_ns
    assert watched.stop_ms(1_000).breaks_until_ns == before + 1_000 * MS, "by our own time"


def test_a_machine_that_was_suspended_has_not_answered_and_takes_no_time() -> None:
    watched = Watched()
    watched.pass_ms(10_000)
    watched.suspended_ns += 20 * MS
    assert watched.pass_ms(10).breaks_until_ns == 0
    watched.suspended_ns += 3_600 * S
    held_up = watched.pass_ms(10)
    assert held_up.breaks_until_ns == watched.clock.now_ns + 15 * S
    assert held_up.stood_ns == 0
    assert _stood_ms(watched.pass_ms(5_000)) == 2_000, "until what came meanwhile is found"
