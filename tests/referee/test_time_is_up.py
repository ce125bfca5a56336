"""Over a real connection: a silent bot's time runs out although nothing else happens at its table."""

from pathlib import Path

from mergemaker.v1 import match_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_table.terms import ClockTerms
from mergemaker_testkit.live_referee import Clients, live_referee

CLOCK = ClockTerms(name="blink", allowance_ms=20, startup_ms=30_000)
HOUR_MS = 3_600_000


def test_bots_that_say_nothing_come_to_the_end_by_defaults(tmp_path: Path) -> None:
    # No ping stirs the match, either.
    with live_referee(tmp_path, limits=Limits(ping_interval_ms=HOUR_MS, pong_ms_max=HOUR_MS)) as referee:
        clients = Clients(referee)
        try:
            made = referee.create(2, clock=CLOCK)
            bots = [clients.seated(made, seat) for seat in range(2)]
            for bot in bots:
                taken = bot.until("default_taken").default_taken
                assert taken.cause == match_pb2.FAULT_CAUSE_TIMEOUT
            for bot in bots:
                ended = bot.until("match_ended").match_ended
                assert [standing.status for standing in ended.standings] == [match_pb2.SEAT_STATUS_AUTOPILOT] * 2
        finally:
            clients.close()
