"""The listener: sockets, limits on connections, and hypercorn's trio worker, which speaks HTTP with them.

Hypercorn's own `serve` has neither a limit on connections nor on how long a client may leave what was sent to it. So this accepts
connections itself, and gives hypercorn's `TCPServer` each of them in `Bounded`. Hypercorn is pinned for that, and
`tests/web/test_listening.py` notices if a newer one behaves differently.
"""

import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
import trio
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypercorn.utils import wrap_app
from mergemaker_referee.beside import Beside
from mergemaker_referee.configuration.settings import Address, Settings, WebSettings
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.rpc.front import Front
from starlette.types import ASGIApp

from mergemaker_web.server.app import application
from mergemaker_web.server.house import House
from mergemaker_web.server.tournaments import TournamentBook

HEADER_S_MAX: Final = 10.0
"""How long a connection may take for a request's header, or stay without a request."""
HANDSHAKE_S_MAX: Final = 10.0
WRITE_S_MAX: Final = 20.0
"""How long a client may leave what was sent to it. Then its connection ends."""
HEADER_BYTES_MAX: Final = 16 * 1_024
STREAMS_PER_CONNECTION_MAX: Final = 32
STOP_S: Final = 0.5
"""How long connections have to end when the server stops."""
BACKLOG: Final = 128
_LOG = structlog.get_logger(__name__)


class Bounded(trio.abc.HalfCloseableStream):
    """A connection that waits for its client only so long."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream: Final = stream
        self.socket: Final = stream.socket

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Sends, or ends the connection."""
        with trio.move_on_after(WRITE_S_MAX) as scope:
            await self._stream.send_all(data)
        if scope.cancelled_caught:
            await trio.aclose_forcefully(self._stream)
            raise trio.BrokenResourceError("the client does not read")

    async def wait_send_all_might_not_block(self) -> None:
        """As of any stream."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """What the client sends."""
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """Nothing more is sent."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """Ends the connection."""
        await self._stream.aclose()


class Listener:
    """Accepts connections, as many as may be."""

    def __init__(self, app: ASGIApp, web: WebSettings, tls: ssl.SSLContext | None) -> None:
        self._app: Final = wrap_app(app, 0, "asgi")  # type: ignore[arg-type]  # hypercorn's own names of the same
        self._web: Final = web
        self._tls: Final = tls
        self._config: Final = _configuration()
        self._context: Final = WorkerContext(None)
        self._addresses: Final[Counter[str]] = Counter()

    @property
    def connections(self) -> int:
        """How many there are."""
        return self._addresses.total()

    async def run(
        self, listeners: list[trio.SocketListener], *, task_status: "trio.TaskStatus[list[trio.SocketListener]]"
    ) -> None:
        """Serves until it is cancelled."""
        await trio.serve_listeners(self._serve, listeners, task_status=task_status)

    async def end(self) -> None:
        """Ends connections in order, as far as their clients let it."""
        await self._context.terminated.set()

    async def _serve(self, stream: trio.SocketStream) -> None:
        try:
            address = str(stream.socket.getpeername()[0])
        except OSError:  # it is gone already
            await trio.aclose_forcefully(stream)
            return
        if self.connections >= self._web.connections_max or self._addresses[address] >= self._web.connections_per_address_max:
            await trio.aclose_forcefully(stream)
            return
        self._addresses[address] += 1
        try:
            await self._speak(stream)
        finally:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    async def _speak(self, stream: trio.SocketStream) -> None:
        bounded: Any = Bounded(stream)
        if self._tls is not None:
            bounded = trio.SSLStream(bounded, self._tls, server_side=True, https_compatible=True)
        try:
            await TCPServer(self._app, self._config, self._context, ConnectionState({}), bounded)
        except Exception:  # noqa: BLE001 - a fault ends one connection; the referee beside it goes on
            _LOG.exception("a connection of the pages broke")
        finally:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + STOP_S):
                await trio.aclose_forcefully(stream)


def _configuration() -> Config:
    config = Config()
    config.accesslog = config.errorlog = None  # no addresses, and so no secrets in them, in any log
    config.keep_alive_timeout = HEADER_S_MAX
    config.ssl_handshake_timeout = HANDSHAKE_S_MAX
    config.h11_max_incomplete_size = HEADER_BYTES_MAX
    config.h2_max_header_list_size = HEADER_BYTES_MAX
    config.h2_max_concurrent_streams = STREAMS_PER_CONNECTION_MAX
    config.include_server_header = False
    return config


class Served:
    """Pages that are served."""

    def __init__(self, address: str, house: House) -> None:
        self.address: Final = address
        """Of the first page."""
        self.watched: Final = house.audience.watched
        """Set when a browser has begun to follow a live match."""


@asynccontextmanager
async def serving_pages(
    settings: Settings, front: Front, software: str, tournaments: TournamentBook | None = None
) -> AsyncIterator[Served]:
    """Serves pages within a block."""
    web = settings.web
    assert web.listen is not None, "pages are served where the settings say where"
    house = House.of(settings, front, software, tournaments)
    tls = _tls_of(settings)
    listeners = await _listeners_on(web.listen)
    listener = Listener(application(house), web, tls)
    port = listeners[0].socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        await house.catalogue.begin()
        nursery.start_soon(house.audience.run)
        await nursery.start(lambda task_status: listener.run(listeners, task_status=task_status))
        try:
            scheme = "http" if tls is None else "https"
            yield Served(f"{scheme}://{Address(web.listen.host, port)}{web.prefix}/", house)
        finally:
            house.hall.close()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + STOP_S):
                await listener.end()
            nursery.cancel_scope.cancel()


def pages_beside(
    settings: Settings, software: str, announce: Callable[[str], None], tournaments: TournamentBook | None = None
) -> Beside:
    """Serves pages beside a referee, and announces their address."""

    @asynccontextmanager
    async def beside(front: Front) -> AsyncIterator[None]:
        async with serving_pages(settings, front, software, tournaments) as served:
            announce(served.address)
            yield

    return beside


async def _listeners_on(address: Address) -> list[trio.SocketListener]:
    try:
        return await trio.open_tcp_listeners(address.port, host=address.host, backlog=BACKLOG)
    except OSError as error:
        raise RefereeError("web-address", f"pages cannot be served on {address}: {error.strerror or error}") from error


def _tls_of(settings: Settings) -> ssl.SSLContext | None:
    if settings.tls is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        context.load_cert_chain(settings.tls.certificate, settings.tls.key, password=b"")
    except (OSError, ValueError) as error:
        raise RefereeError("bad-tls", f"the pages' certificate cannot be used: {error}") from error
    return context
