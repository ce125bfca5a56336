"""Starts the processes that play, and starts another one in the place of each that ends."""

import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog
import trio

from mergemaker_referee.configuration.settings import PROCESSES_MAX, Settings
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.processes.announcing import Start
from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.frames import Frame, Kind, frame
from mergemaker_referee.processes.front_desk import FrontDesk
from mergemaker_referee.processes.house import House

MODULE: Final = "mergemaker_referee.processes.playing_process"
AGAIN_S_FIRST: Final = 0.1
"""How long until the process of one that ended is started again; twice as long each time that it ends soon again."""
AGAIN_S_MAX: Final = 30.0
STEADY_S: Final = 60.0
"""A process that has played for this long did not end because of how it began."""
START_S_MAX: Final = 600.0
"""How long a process may take until it has taken its matches up."""
STOP_S_MAX: Final = 10.0
"""How long a process may take to end. Then it is killed; its matches can be taken up again all the same."""
_LOG = structlog.get_logger(__name__)


def houses_of(folders: Sequence[Path], processes: int) -> tuple[House, ...]:
    """The processes and their folders: each has one of its own, and those of processes that are no more are shared out."""
    return tuple(House(number + 1, tuple(folders[number::processes])) for number in range(processes))


def check_processes(processes: int) -> None:
    """Refuses a number of processes that cannot be."""
    if not 1 <= processes <= PROCESSES_MAX:
        raise RefereeError("bad-processes", f"a server has 1 to {PROCESSES_MAX} processes, not {processes}")
    if processes > 1 and sys.platform == "win32":
        raise RefereeError("bad-processes", "a server has one process on Windows, which cannot share sockets as this needs")


class Keeper:
    """Keeps all processes running."""

    def __init__(self, desk: FrontDesk, settings: Settings, software: str, held_up_ns: Callable[[], int]) -> None:
        """`held_up_ns` says how long the loops of this process were held up so far."""
        self._desk: Final = desk
        self._settings: Final = settings
        self._software: Final = software
        self._held_up_ns: Final = held_up_ns
        self._is_stopping = False

    async def run(self, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED) -> None:
        """Runs until it is cancelled. Has started when all processes play; raises if one cannot begin at all."""
        async with trio.open_nursery() as nursery:
            async with trio.open_nursery() as starting:
                for house in self._desk.houses:
                    starting.start_soon(nursery.start, self._keep, house)
            task_status.started()

    def stop(self) -> None:
        """Says that processes that end now are not to be started again."""
        self._is_stopping = True

    async def _keep(self, house: House, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED) -> None:
        """One process after the other, in one place."""
        wait_s, is_first = AGAIN_S_FIRST, True
        while not self._is_stopping:
            began_s = trio.current_time()
            problem = await self._live(house, task_status if is_first else None)
            if problem is not None and is_first:
                raise problem
            is_first = False
            if self._is_stopping:
                return
            wait_s = AGAIN_S_FIRST if trio.current_time() - began_s > STEADY_S else min(2 * wait_s, AGAIN_S_MAX)
            text = "a process that plays has ended, and is started again: its matches go on"
            _LOG.error(text, number=house.number, status=house.status, problem=str(problem or ""), again_s=wait_s)
            await trio.sleep(wait_s)

    async def _live(self, house: House, task_status: "trio.TaskStatus[None] | None") -> RefereeError | None:
        """One process, from its beginning to its end; returns why it could not begin."""
        problems: list[RefereeError] = []
        is_ready = False

        def take(came: Frame) -> None:
            nonlocal is_ready
            if came.kind == Kind.READY:
                is_ready = True
                starting.deadline = float("inf")
                nursery.start_soon(self._desk.is_ready, house)
                if task_status is not None:
                    task_status.started()
            elif came.kind == Kind.PROBLEM:
                problems.append(RefereeError(*json.loads(came.data)))
            else:
                self._desk.hearing.take(house, came)

        start = Start(number=house.number, settings=self._settings, software=self._software, folders=house.folders)
        try:
            process, channel = await self._begun()
        except OSError as problem:
            return RefereeError("process-not-started", f"process {house.number} cannot be started: {problem.strerror}")
        try:
            house.began(channel)
            assert process.stdin is not None, "it was asked for"
            with trio.move_on_after(START_S_MAX) as starting, contextlib.suppress(trio.BrokenResourceError):
                await process.stdin.send_all(start.data())
                await process.stdin.aclose()
                async with trio.open_nursery() as nursery:
                    await channel.run(take)
                    nursery.cancel_scope.cancel()
        finally:
            self._desk.lost(house)
            house.status = await self._end(process)
        if is_ready:
            return None
        return problems[0] if problems else RefereeError("process-ended", f"process {house.number} ended before it could play")

    async def _begun(self) -> tuple[trio.Process, Channel]:
        """A process, and the channel to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await trio.lowlevel.open_process(
                    [sys.executable, "-m", MODULE, str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                ours.close()
                raise
        return process, Channel(ours, self._first())

    def _first(self) -> Callable[[], bytes]:
        """Says how long this process was held up, before anything that depends on it."""
        told = -1

        def first() -> bytes:
            nonlocal told
            now = self._held_up_ns()
            if now == told:
                return b""
            told = now
            return frame(Kind.HELD_UP, value=now)

        return first

    async def _end(self, process: trio.Process) -> int | None:
        """Its channel is closed, so it ends by itself, or does not run any more. Returns its status."""
        with trio.CancelScope(shield=True):
            with trio.move_on_after(STOP_S_MAX):
                await process.wait()
            if process.returncode is None:
                process.kill()
            await process.wait()
        return process.returncode
