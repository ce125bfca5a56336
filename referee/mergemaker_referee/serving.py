"""A server from its settings: folders, records that were broken off, the referee and its transport, until it is told to stop."""

from __future__ import annotations

import contextlib
import signal
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import structlog
import trio

from mergemaker_referee.data_folder import DataFolder
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.journal import Committer, Durability
from mergemaker_referee.journal_writer import ThreadedWriter
from mergemaker_referee.match_making import MatchMaker
from mergemaker_referee.referee import Referee
from mergemaker_referee.rpc.server import Listen, Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from mergemaker_referee.configuration import Settings

_LOG = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs."""

    referee: Referee
    server: Server
    addresses: tuple[str, ...]
    """Where clients reach it: `grpc://HOST:PORT`, or `grpcs://…`."""


def software_text() -> str:
    """The program and its version, as records and clients are told."""
    from importlib import metadata  # noqa: PLC0415 - slow to import, and needed once

    try:
        return f"mergemaker {metadata.version('mergemaker')}"
    except metadata.PackageNotFoundError:
        return "mergemaker"


def _listen(settings: Settings) -> Listen:
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


@asynccontextmanager
async def serving(settings: Settings, now_ns: Callable[[], int] = time.monotonic_ns) -> AsyncIterator[Running]:
    """Runs a server within a block. At its end bots are told, and matches that run can be taken up again."""
    with DataFolder.open(settings.data_folder, settings.records) as folder:
        leftovers = folder.leftovers()
        for record, problem in leftovers.damaged:
            _LOG.error("a match cannot be taken up", record=str(record), problem=problem)
        async with refereeing(settings, folder.records, leftovers.unfinished, now_ns) as running:
            yield running


@asynccontextmanager
async def refereeing(
    settings: Settings, records: Path, unfinished: Sequence[Path] = (), now_ns: Callable[[], int] = time.monotonic_ns
) -> AsyncIterator[Running]:
    """Runs a server in a folder that others may write records to as well: it has no data folder and locks nothing."""
    with contextlib.ExitStack() as stack:
        committer = None
        if settings.durability is Durability.POWER:
            committer = Committer()
            stack.callback(committer.close)
        writer = ThreadedWriter()
        stack.callback(writer.close)
        maker = MatchMaker(folder=records, software=software_text(), today=lambda: datetime.now(UTC), committer=committer)
        referee = Referee(settings, maker, writer, now_ns)
        server = Server(referee, _listen(settings), now_ns)
        async with trio.open_nursery() as nursery:
            await nursery.start(referee.run)
            await referee.take_up(unfinished)
            await nursery.start(server.run)
            scheme = "grpc" if settings.tls is None else "grpcs"
            hosts = [str(address).rpartition(":")[0] for address in settings.listen]
            addresses = tuple(f"{scheme}://{host}:{port}" for host, port in zip(hosts, server.ports, strict=True))
            try:
                yield Running(referee, server, addresses)
            finally:
                server.stop(settings.limits.stop_grace_ms / 1_000)
                nursery.cancel_scope.cancel()


STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


async def _serve_until_stopped(settings: Settings, announce: Callable[[Running], None]) -> None:
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:
        async with serving(settings) as running:
            announce(running)
            async for number in signals:
                _LOG.info("stopping", signal=signal.Signals(number).name)
                break


def serve_forever(settings: Settings, announce: Callable[[Running], None]) -> None:
    """Serves until SIGINT or SIGTERM; `announce` is called when clients can come."""
    trio.run(_serve_until_stopped, settings, announce)
