"""The one thread that writes. While the database is away, it tries again and again, in the same order, so nothing is lost."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from mergemaker_store.connecting import WRITES

_Found = TypeVar("_Found")

LAST_ATTEMPT_S: Final = 10.0
"""How long the end waits for an attempt that has begun."""
CONFLICTS_MAX: Final = 5
"""How often one piece of work is tried when another process writes the same rows at the same time."""


def is_away(error: BaseException) -> bool:
    """Whether it is about the database, and not about what was to be written."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | InterfaceError | PoolTimeout)


def why_away(error: BaseException) -> str:
    """What the database's driver says, in one line."""
    told = getattr(error, "orig", None) or error
    return " ".join(str(told).split()) or type(told).__name__


@dataclass(frozen=True, slots=True)
class _Work:
    """Something to write, and who waits for it."""

    write: Callable[[Connection], Any]
    done: Future[Any]


class Writer:
    """Writes what is posted, one transaction each, in the order of posting."""

    def __init__(self, engine: Engine, retry_s: float) -> None:
        self._engine: Final = engine.execution_options(**{WRITES: True})
        self._retry_s: Final = retry_s
        self._waiting: Final[queue.Queue[_Work | None]] = queue.Queue()
        self._closing: Final = threading.Event()
        self._left = 0
        self.away: str | None = None
        """Why the database takes nothing now; None if it does."""
        self._thread: Final = threading.Thread(target=self._run, name="mergemaker-store", daemon=True)
        self._thread.start()

    def post(self, write: Callable[[Connection], _Found]) -> Future[_Found]:
        """Writes this after everything that was posted before."""
        done: Future[_Found] = Future()
        self._waiting.put(_Work(write, done))
        return done

    def close(self, limit_s: float) -> int:
        """Ends the thread when all is written, or after this time. Returns how much was not written."""
        self._waiting.put(None)
        self._thread.join(limit_s)
        self._closing.set()
        # One attempt may still be on its way: it ends by the limits of its connection.
        self._thread.join(LAST_ATTEMPT_S)
        return self._left + (1 if self._thread.is_alive() else 0)

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            self._write(work)

    def _write(self, work: _Work) -> None:
        conflicts = 0
        while not self._closing.is_set():
            try:
                with self._engine.begin() as connection:
                    found = work.write(connection)
            except IntegrityError as error:
                conflicts += 1
                if conflicts == CONFLICTS_MAX:
                    work.done.set_exception(error)
                    return
            except BaseException as error:  # noqa: BLE001 - the caller gets it
                if not is_away(error):
                    work.done.set_exception(error)
                    return
                self.away = why_away(error)
                self._closing.wait(self._retry_s)
            else:
                self.away = None
                work.done.set_result(found)
                return
        self._left += 1
        work.done.cancel()


def waited(done: "Future[_Found]", limit_s: float) -> _Found:
    """The outcome, if it comes in time; `TimeoutError` otherwise, and it may still come later."""
    began = time.monotonic()
    with contextlib.suppress(TimeoutError):
        return done.result(limit_s)
    raise TimeoutError(f"nothing was written for {time.monotonic() - began:.0f} s")
