"""A server from its settings: its folders, interrupted matches, the referee and its transport, until it has to stop."""

import contextlib
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Final

import structlog
import trio

from mergemaker_referee.beside import Beside, nothing_beside
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.delays import Delays
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.matches.making import MatchMaker
from mergemaker_referee.matches.operator_calls import PHASE_NAMES
from mergemaker_referee.measures import NO_MEASURES
from mergemaker_referee.metrics import PrometheusMeasures, metrics_page
from mergemaker_referee.records.data_folder import DataFolder, record_folders
from mergemaker_referee.records.journal import Committer, Durability
from mergemaker_referee.records.journal_writer import ThreadedWriter
from mergemaker_referee.records.leftovers import NOTHING_LEFT, Leftovers, all_leftovers
from mergemaker_referee.records.log_file import LOG_NAME, open_log
from mergemaker_referee.referee import Referee
from mergemaker_referee.rpc.server import Listen, Server
from mergemaker_referee.rpc.starvation import Starvation
from mergemaker_referee.standstills import Standstills

STALL_S_MIN: Final = 1.0
"""A disk that takes no longer for a line is slow, not stalled, whatever the limits say."""
_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Running:
    """A running server."""

    referee: Referee
    server: Server
    addresses: tuple[str, ...]
    """Where clients reach it: `grpc://HOST:PORT`, or `grpcs://…`."""
    metrics_port: int | None = None
    """The port that serves metrics, if they are served."""


def time_of_day() -> datetime:
    """The time of day, for names and headers."""
    return datetime.now(UTC)


@cache
def software_text() -> str:
    """The program and its version, as records and clients get them."""
    from importlib import metadata  # noqa: PLC0415 - slow to import, and needed once

    try:
        return f"mergemaker {metadata.version('mergemaker')}"
    except metadata.PackageNotFoundError:
        return "mergemaker"


def listen_of(settings: Settings) -> Listen:
    """Where and how the transport listens."""
    if (problem := settings.problem()) is not None:
        raise RefereeError("no-tls", problem)
    certificate = key = None
    if settings.tls is not None:
        try:
            certificate, key = settings.tls.certificate.read_bytes(), settings.tls.key.read_bytes()
        except OSError as error:
            raise RefereeError("bad-tls", f"cannot read {error.filename}: {error.strerror}") from error
    return Listen(
        addresses=tuple(map(str, settings.listen)),
        limits=settings.limits,
        certificate=certificate,
        key=key,
        fast_loop=settings.fast_loop,
    )


def show_matches(page: PrometheusMeasures, referee: Referee, delays: Delays) -> None:
    """Adds numbers to the page that are read when it is requested: those about matches."""
    phases = {name: partial(referee.matches_in, phase) for name, phase in PHASE_NAMES.items()}
    page.show_by_phase("mergemaker_matches", "Matches by phase; those that are over are kept for bots that come back.", phases)
    page.show("mergemaker_spectators", "Spectators.", lambda: referee.spectators)
    show_lag(page, delays)
    page.show("mergemaker_referee_tasks", "Tasks of the referee's own loop: one for each running match.", lambda: referee.tasks)


def show_lag(page: PrometheusMeasures, delays: Delays) -> None:
    """Adds how long the referee's loop was held up."""
    page.show(
        "mergemaker_referee_lag_seconds",
        "The longest that the referee's own loop was held up since the start.",
        lambda: delays.longest_ns / 1e9,
    )


def show_clients(page: PrometheusMeasures, sessions: Callable[[], int], server: Server) -> None:
    """Adds numbers about clients and their transport."""
    page.show("mergemaker_sessions", "Known bots, with and without a stream.", sessions)
    page.show(
        "mergemaker_transport_lag_seconds",
        "The longest that the transport's loop was held up since the start.",
        lambda: server.longest_lag_ns / 1e9,
    )
    page.show("mergemaker_transport_tasks", "Tasks of the transport's loop: a few for each stream.", lambda: server.tasks)


@asynccontextmanager
async def serving(settings: Settings, now_ns: Callable[[], int] = time.monotonic_ns) -> AsyncIterator[Running]:
    """Runs a server within a block. At the block's end bots are notified, and running matches can be taken up again."""
    others = record_folders(settings.records)[1:]
    with DataFolder.open(settings.data_folder, settings.records, *others) as folder:
        leftovers = all_leftovers((folder.records, *others))
        for record, problem in leftovers.damaged:
            _LOG.error("a match cannot be taken up", record=str(record), problem=problem)
        log = folder.root / LOG_NAME
        async with refereeing(settings, folder.records, leftovers, now_ns, others=others, remembers=True, log=log) as running:
            if settings.signing_key is None:
                _LOG.info("the ends of records are not signed: there is no server.signing_key")
            yield running


@asynccontextmanager
async def refereeing(
    settings: Settings,
    records: Path,
    leftovers: Leftovers = NOTHING_LEFT,
    now_ns: Callable[[], int] = time.monotonic_ns,
    *,
    others: Sequence[Path] = (),
    remembers: bool = False,
    log: Path | None = None,
) -> AsyncIterator[Running]:
    """Runs a server in a folder that others may write records to as well: it has no data folder and locks nothing.

    `others` are the folders of records from when more processes played.
    `log` is the path of its public log; without one, nothing is published.
    """
    with contextlib.ExitStack() as stack:
        committer = None
        if settings.durability is Durability.POWER:
            committer = Committer()
            stack.callback(committer.close)
        give_up_s = max(settings.limits.disk_give_up_ms / 1_000, STALL_S_MIN)
        writer = ThreadedWriter(give_up_s, is_quick=committer is None)
        stack.callback(writer.close)
        maker = MatchMaker(
            folder=records,
            software=software_text(),
            today=time_of_day,
            committer=committer,
            log=None if log is None else open_log(log, (records, *others), leftovers, committer),
            automatic_delay_ms_max=settings.automatic_delay_ms_max,
        )
        page = metrics_port = None
        if settings.metrics_listen is not None:
            page, metrics_port = stack.enter_context(metrics_page(settings.metrics_listen))
        starvation = Starvation(now_ns)
        stack.callback(starvation.close)
        delays = Delays(now_ns, Standstills(settings.limits))
        referee = Referee(settings, maker, writer, now_ns, page or NO_MEASURES, starvation, delays.held_up)
        server = Server(referee, listen_of(settings), now_ns, starvation)
        delays.transport_ns = server.held_up_ns
        referee.barrier = server.barrier
        if page is not None:
            show_matches(page, referee, delays)
            show_clients(page, lambda: referee.sessions, server)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(delays.run)
            await nursery.start(referee.run)
            if remembers:
                await referee.remember((records, *others))
            await referee.take_up(leftovers.unfinished)
            await referee.show_again(leftovers.ended)
            await nursery.start(server.run)
            try:
                yield Running(referee, server, addresses_of(settings, server), metrics_port)
            finally:
                server.stop(settings.limits.stop_grace_ms / 1_000)
                nursery.cancel_scope.cancel()


def addresses_of(settings: Settings, server: Server) -> tuple[str, ...]:
    """Where clients reach a server that listens."""
    scheme = "grpc" if settings.tls is None else "grpcs"
    hosts = [str(address).rpartition(":")[0] for address in settings.listen]
    return tuple(f"{scheme}://{host}:{port}" for host, port in zip(hosts, server.ports, strict=True))


STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


async def _serve_until_stopped(settings: Settings, announce: Callable[[Running], None], beside: Beside) -> None:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async with serving(settings) as running, beside(running.referee):
            announce(running)
            async for number in signals:
                _LOG.info("stopping", signal=signal.Signals(number).name)
                break


def serve_forever(settings: Settings, announce: Callable[[Running], None], beside: Beside = nothing_beside) -> None:
    """Serves until SIGINT or SIGTERM, with something beside it. Calls `announce` once clients can connect."""
    with rare_collections():
        trio.run(_serve_until_stopped, settings, announce, beside)
