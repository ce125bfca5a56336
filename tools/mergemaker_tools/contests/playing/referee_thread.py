"""A referee in a thread of its own. It runs as long as it is needed; other threads give it work, and wait for it."""

import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import trio
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.gc_tuning import rare_collections
from mergemaker_referee.rpc.server import ServerProblem
from mergemaker_referee.serving import Running, refereeing

from mergemaker_tools.problems import CommandFailed, Interrupted, only_problem

LOOK_S: Final = 0.5
"""How long to wait at a time: on some systems, Ctrl-C is noticed between two waits alone."""
CLOSE_LIMIT_S: Final = 60.0
"""How long the end may take: bots have their own limits, and after that the thread ends with its process."""

_Found = TypeVar("_Found")


class RefereeThread:
    """A running referee, without matches at first."""

    def __init__(self, settings: Settings, records: Path) -> None:
        """Starts it, and waits until it runs. Raises what keeps it from running."""
        self._settings: Final = settings
        self._records: Final = records
        self._ready: Final[Future[tuple[trio.lowlevel.TrioToken, Running, trio.Nursery]]] = Future()
        self._open: Final[set[Future[Any]]] = set()
        """What somebody may wait for."""
        self._closing: Final = trio.Event()
        self._thread: Final = threading.Thread(target=self._run, name="referee of blocks", daemon=True)
        self._thread.start()
        self._token, self.running, self._nursery = self._ready.result()

    def start(self, job: Callable[[Running], Awaitable[_Found]]) -> "Future[_Found]":
        """Begins a job in the referee's thread, and returns what it will come to."""
        future: Future[_Found] = Future()
        self.soon(partial(self._nursery.start_soon, self._do, job, future))
        return future

    def soon(self, call: Callable[[], object]) -> None:
        """Calls something in the referee's thread."""
        try:
            self._token.run_sync_soon(call)
        except trio.RunFinishedError as error:
            raise CommandFailed("the referee of the blocks has ended: try again") from error

    def close(self) -> None:
        """Ends all jobs, and then the referee."""
        if self._thread.is_alive():
            try:
                self._token.run_sync_soon(self._closing.set)
            except trio.RunFinishedError:  # it ended by itself
                return
            self._thread.join(CLOSE_LIMIT_S)

    def _run(self) -> None:
        problem: BaseException = CommandFailed("the referee of the blocks has ended: try again")
        try:
            with rare_collections():
                trio.run(self._serve)
        except BaseException as error:  # noqa: BLE001 - all who wait for this thread hear of it
            only = only_problem(error)
            problem = CommandFailed(str(only)) if isinstance(only, RefereeError | ServerProblem) else only
        waited: list[Future[Any]] = [self._ready, *self._open]
        for future in waited:
            if not future.done():
                future.set_exception(problem)

    async def _serve(self) -> None:
        async with refereeing(self._settings, self._records) as running, trio.open_nursery() as nursery:
            self._ready.set_result((trio.lowlevel.current_trio_token(), running, nursery))
            await self._closing.wait()
            nursery.cancel_scope.cancel()

    async def _do(self, job: Callable[[Running], Awaitable[_Found]], future: "Future[_Found]") -> None:
        self._open.add(future)
        try:
            future.set_result(await job(self.running))
        except trio.Cancelled:
            future.set_exception(Interrupted("broken off"))
            raise
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - the one who waits for the job hears of it
            future.set_exception(only_problem(error))
        finally:
            self._open.discard(future)


def waited_for(future: "Future[_Found]", on_interrupt: Callable[[], None]) -> _Found:
    """What a job comes to. `on_interrupt` is called after each Ctrl-C; this goes on waiting, because jobs end soon then."""
    while True:
        try:
            return future.result(LOOK_S)
        except KeyboardInterrupt:
            on_interrupt()
        except TimeoutError:
            if future.done():
                raise
