"""A process that plays matches for the one that serves: a referee whose bots, spectators and operator are elsewhere.

python -m mergemaker_referee.processes.playing_process DESCRIPTOR, with a pickled `Start` on standard input. The descriptor
is this end of a pair of sockets. The process ends when the other end is gone, so it never outlives the one that serves.
"""

import contextlib
import os
import pickle
import signal
import socket
import sys
import time
from dataclasses import replace
from typing import Final

import structlog
import trio

from mergemaker_referee.configuration.limits import SESSION_KEEP_MS_MAX
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.delays import Delays
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.logs import configure_log
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.measures import NO_MEASURES
from mergemaker_referee.metrics import own_measures
from mergemaker_referee.processes.announcing import Start
from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.far_log import FarLog
from mergemaker_referee.processes.far_waits import FarWaits
from mergemaker_referee.processes.frames import Kind, as_json
from mergemaker_referee.processes.gathered_metrics import told
from mergemaker_referee.processes.locking import locked
from mergemaker_referee.processes.player import Player
from mergemaker_referee.records.journal import Committer, Durability, match_in_name
from mergemaker_referee.records.journal_writer import ThreadedWriter
from mergemaker_referee.records.leftovers import Leftovers, all_leftovers, end_line
from mergemaker_referee.referee import Referee
from mergemaker_referee.serving import STALL_S_MIN, show_matches, time_of_day
from mergemaker_referee.standstills import Standstills

TELL_METRICS_S: Final = 1.0
KEPT_LONGER: Final = 2
"""Matches that are over stay here longer than where bots are seated, which decides how long they are asked for."""
_LOG = structlog.get_logger(__name__)


async def _play(start: Start, end: socket.socket) -> None:
    channel = Channel(end)
    try:
        async with locked(start.folders):
            await _play_in(start, channel)
    except RefereeError as problem:
        channel.send(Kind.PROBLEM, data=as_json([problem.reason, str(problem)]))
        channel.flush()


def _settings_of(start: Start) -> Settings:
    """The settings for this process: what is over is listed by the one that serves."""
    limits = start.settings.limits
    keep_ms = min(KEPT_LONGER * limits.session_keep_ms + limits.hello_ms_max, SESSION_KEEP_MS_MAX)
    return replace(start.settings, limits=replace(limits, finished_matches_kept=0, session_keep_ms=keep_ms))


async def _play_in(start: Start, channel: Channel) -> None:
    settings, limits = _settings_of(start), start.settings.limits
    leftovers = all_leftovers(start.folders)
    for record, problem in leftovers.damaged:
        _LOG.error("a match cannot be taken up", record=str(record), problem=problem)
    with contextlib.ExitStack() as stack:
        committer = None
        if settings.durability is Durability.POWER:
            committer = Committer()
            stack.callback(committer.close)
        writer = ThreadedWriter(max(limits.disk_give_up_ms / 1_000, STALL_S_MIN), is_quick=committer is None)
        stack.callback(writer.close)
        log = FarLog(channel)
        maker = MatchMaker(
            folder=start.folders[0],
            software=start.software,
            today=time_of_day,
            committer=committer,
            leader=log,
            automatic_delay_ms_max=settings.automatic_delay_ms_max,
        )
        measures = None if settings.metrics_listen is None else own_measures()
        waits = FarWaits(os.getppid(), time.monotonic_ns)
        delays = Delays(time.monotonic_ns, Standstills(limits))
        referee = Referee(settings, maker, writer, time.monotonic_ns, measures or NO_MEASURES, waits.seen, delays.held_up)
        if measures is not None:
            show_matches(measures, referee, delays)
        async with trio.open_nursery() as nursery:
            player = Player(channel, referee, log, waits, nursery, time.monotonic_ns)
            delays.transport_ns = player.served_held_up_ns
            nursery.start_soon(waits.run)
            nursery.start_soon(delays.run)
            nursery.start_soon(_until_gone, channel, player, nursery.cancel_scope)
            await nursery.start(referee.run)
            log.left.update(_left_ends(leftovers))
            await referee.take_up(leftovers.unfinished)
            await referee.show_again(leftovers.ended)
            player.announce_all()
            channel.send(Kind.READY)
            while True:
                if measures is not None:
                    channel.send(Kind.METRICS, data=as_json(told(measures)))
                await trio.sleep(TELL_METRICS_S)
                player.forget_old()


async def _until_gone(channel: Channel, player: Player, scope: trio.CancelScope) -> None:
    """Takes frames until the serving process is gone, or says that this one ends."""
    await channel.run(player.take)
    scope.cancel()


def _left_ends(leftovers: Leftovers) -> dict[str, bytes | None]:
    names = ((match_in_name(record.name), record) for record in leftovers.ended)
    return {match: end_line(record) for match, record in names if match is not None}


def main() -> None:
    """Plays until the serving process ends, or ends this one."""
    start = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that starts this one, which is of the same program
    assert isinstance(start, Start), "the serving process starts this one"
    # Ctrl-C and a service manager's signal may reach all processes. The one that serves lets the others end in order.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    configure_log(start.settings.log_format, start.settings.log_level, start.number)
    with rare_collections():
        trio.run(_play, start, socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()
