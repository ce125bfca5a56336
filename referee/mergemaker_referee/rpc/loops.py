"""The transport's loop: a usual one, except that gRPC frees what it could not send.

If a call is over, gRPC raises an exception where something is still read or written, and then it never frees the message. That
costs some hundred bytes for each bot that leaves during a write, and for each status that nobody waits for (grpcio 1.85).
Without the exception, gRPC goes on as after a success, and frees the message. Nothing is lost: a read finds the end of the
stream, a write has no effect, and the handler learns in another way that its client is gone.
"""

import asyncio
import sys
from typing import Any, Final

from grpc._cython import cygrpc  # type: ignore[attr-defined]  # gRPC's types leave it out

if sys.platform == "win32":
    _UsualLoop = asyncio.ProactorEventLoop
else:
    _UsualLoop = asyncio.SelectorEventLoop


class _NeverRaised(Exception):
    """Stands for gRPC's exception in versions of gRPC without it."""


CALL_IS_OVER: Final[type[Exception]] = getattr(cygrpc, "ExecuteBatchError", _NeverRaised)
"""What gRPC raises if a call was over before something was read or written."""


class _FreeingFuture(asyncio.Future[Any]):
    """A future that counts as done if gRPC could not do something."""

    __slots__ = ()

    def set_exception(self, exception: type[BaseException] | BaseException, /) -> None:
        if isinstance(exception, CALL_IS_OVER):
            self.set_result(None)
        else:
            super().set_exception(exception)


class FreeingLoop(_UsualLoop):
    """asyncio's loop for this system."""

    def create_future(self) -> asyncio.Future[Any]:
        """Makes a future, as gRPC does for each read and write."""
        return _FreeingFuture(loop=self)


def new_loop(*, fast: bool) -> asyncio.AbstractEventLoop:
    """A loop for the transport; uvloop's if it is wanted and installed."""
    if not fast:
        return FreeingLoop()
    try:
        import uvloop  # noqa: PLC0415 - an extra, and not for Windows
    except ImportError:
        return FreeingLoop()

    class FastFreeingLoop(uvloop.Loop):
        """uvloop's loop."""

        def create_future(self) -> asyncio.Future[Any]:
            """The same."""
            return _FreeingFuture(loop=self)

    return FastFreeingLoop()
