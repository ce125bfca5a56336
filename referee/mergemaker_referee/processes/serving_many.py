"""A server with several processes, from its settings: the front desk, the processes that play, and the transport."""

import contextlib
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
import trio

from mergemaker_referee.about import About
from mergemaker_referee.beside import Beside, nothing_beside
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.delays import Delays
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.metrics import own_measures, served_page
from mergemaker_referee.processes.front_desk import FrontDesk
from mergemaker_referee.processes.gathered_metrics import Gathered, told
from mergemaker_referee.processes.keeping import Keeper, check_processes, houses_of
from mergemaker_referee.processes.locking import locked
from mergemaker_referee.processes.match_book import MatchBook
from mergemaker_referee.records.data_folder import DataFolder, record_folders
from mergemaker_referee.records.disks import SYSTEM_DISK
from mergemaker_referee.records.ed25519 import read_key
from mergemaker_referee.records.journal import Committer, Durability
from mergemaker_referee.records.journal_writer import ThreadedWriter
from mergemaker_referee.records.leftovers import all_leftovers
from mergemaker_referee.records.log_file import LOG_NAME, open_log
from mergemaker_referee.records.public_log import PublicLog
from mergemaker_referee.records.signing import Signing
from mergemaker_referee.rpc.server import Server
from mergemaker_referee.rpc.starvation import Starvation
from mergemaker_referee.serving import (
    STALL_S_MIN,
    STOP_SIGNALS,
    addresses_of,
    listen_of,
    show_clients,
    show_lag,
    software_text,
    time_of_day,
)
from mergemaker_referee.standstills import Standstills

_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunningMany:
    """A running server with several processes."""

    desk: FrontDesk
    server: Server
    addresses: tuple[str, ...]
    metrics_port: int | None = None


@asynccontextmanager
async def serving_many(settings: Settings, now_ns: Callable[[], int] = time.monotonic_ns) -> AsyncIterator[RunningMany]:
    """Runs a server within a block. At the block's end bots are notified, and running matches can be taken up again."""
    check_processes(settings.processes)
    folders = record_folders(settings.records, settings.processes)
    if settings.records.resolve() == settings.data_folder.resolve():
        text = f"with several processes the records need a folder of their own, and not the data folder {settings.data_folder}"
        raise RefereeError("bad-folder", text)
    # Each process locks its own folders of records. This one locks what is not a folder of records.
    with DataFolder.open(settings.data_folder), contextlib.ExitStack() as stack:
        delays = Delays(now_ns, Standstills(settings.limits))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(delays.run)
            async with locked(folders):  # also waits for processes whose server was killed
                desk = _desk(settings, folders, delays, nursery, stack)
                nursery.start_soon(desk.run)
                await desk.remember(folders)
            starvation = Starvation(now_ns)
            stack.callback(starvation.close)
            server = Server(desk, listen_of(settings), now_ns, starvation)
            delays.transport_ns = server.held_up_ns
            desk.hearing.barrier = server.barrier
            metrics_port = _metrics(settings, desk, server, delays, stack)
            keeper = Keeper(desk, settings, software_text(), lambda: _held_up_ns(delays))
            await nursery.start(keeper.run)
            await nursery.start(server.run)
            if settings.signing_key is None:
                _LOG.info("the ends of records are not signed: there is no server.signing_key")
            try:
                yield RunningMany(desk, server, addresses_of(settings, server), metrics_port)
            finally:
                keeper.stop()
                server.stop(settings.limits.stop_grace_ms / 1_000)
                nursery.cancel_scope.cancel()


def _desk(
    settings: Settings, folders: Sequence[Path], delays: Delays, nursery: trio.Nursery, stack: contextlib.ExitStack
) -> FrontDesk:
    """The front desk, with the public log of all processes."""
    committer = None
    if settings.durability is Durability.POWER:
        committer = Committer()
        stack.callback(committer.close)
    writer = ThreadedWriter(max(settings.limits.disk_give_up_ms / 1_000, STALL_S_MIN), is_quick=committer is None)
    stack.callback(writer.close)
    opened = open_log(settings.data_folder / LOG_NAME, folders, all_leftovers(folders), committer)
    log = PublicLog(opened, writer, time_of_day, settings.limits.disk_retry_ms)
    key = None if settings.signing_key is None else read_key(settings.signing_key)
    clocks = Clocks(
        now_ns=delays.now_ns,
        awake_ns=lambda: delays.now_ns() - delays.held_up().stood_ns,
        today=time_of_day,
        are_breaks_ours=lambda: delays.now_ns() < delays.held_up().breaks_until_ns,
    )
    about = About(software_text(), b"" if key is None else key.public, settings.earlier_signing_keys)
    signing = None if key is None else Signing(key, SYSTEM_DISK, writer, time_of_day)
    nursery.start_soon(log.run)
    book = MatchBook(settings, about, clocks, secrets.token_bytes, log, writer)
    return FrontDesk(settings, about, clocks, book, houses_of(folders, settings.processes), signing, nursery)


def _metrics(settings: Settings, desk: FrontDesk, server: Server, delays: Delays, stack: contextlib.ExitStack) -> int | None:
    """Serves the metrics of all processes, if the settings say so; returns the port."""
    if settings.metrics_listen is None:
        return None
    measures = own_measures()
    show_clients(measures, lambda: desk.sessions, server)
    show_lag(measures, delays)
    gathered = desk.hearing.metrics = Gathered(lambda: told(measures))
    return stack.enter_context(served_page(settings.metrics_listen, gathered.registry()))


def _held_up_ns(delays: Delays) -> int:
    """How long the loops of this process were held up so far. Both count: what one was held up, the other waited for."""
    held = delays.held_up()
    return held.transport_ns + held.referee_ns


async def _serve_until_stopped(settings: Settings, announce: Callable[[RunningMany], None], beside: Beside) -> None:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async with serving_many(settings) as running, beside(running.desk):
            announce(running)
            async for number in signals:
                _LOG.info("stopping", signal=signal.Signals(number).name)
                break


def serve_many_forever(settings: Settings, announce: Callable[[RunningMany], None], beside: Beside = nothing_beside) -> None:
    """Serves until SIGINT or SIGTERM, with something beside it. Calls `announce` once clients can connect."""
    with rare_collections():
        trio.run(_serve_until_stopped, settings, announce, beside)
