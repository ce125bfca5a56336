"""Does the same work on many things in several processes, and returns the results in the order of the things.

Each process has its own pipe and at most two things at a time. A process that finishes early takes later
things, but not too far ahead, so that few results have to wait. When the command ends, for whatever reason, the
pipes close and the processes end by themselves.
"""

import argparse
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from operator import itemgetter
from typing import Final, Generic, TypeVar

from mergemaker_processes.texts import shown_path

from mergemaker_tools.options import whole_number
from mergemaker_tools.problems import CommandFailed

JOBS_MAX: Final = 256
RESULT_LIMIT_S: Final = 600.0
"""How long to wait for any result before the processes count as stuck."""
RESULTS_AHEAD: Final = 4
"""For each process: how many things may be begun beyond the next one to return."""
_THINGS_AHEAD: Final = 2
"""So that a process has its next thing while the last result is being read."""

_Thing = TypeVar("_Thing")
_Result = TypeVar("_Result")


def usual_jobs() -> int:
    """As many processes as there are processors for this one."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # only some systems know
        count = os.cpu_count() or 1
    return min(count, JOBS_MAX)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Adds `--jobs`."""
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=whole_number(1, JOBS_MAX),
        default=usual_jobs(),
        help="processes to work in (default: as many as there are processors)",
    )


@dataclass(slots=True)
class _Worker(Generic[_Thing, _Result]):
    """A process, our end of its pipe, and its unfinished things with their numbers."""

    process: BaseProcess
    pipe: Connection
    advice: str
    has: deque[tuple[int, _Thing]] = field(default_factory=deque)

    def give(self, number: int, thing: _Thing) -> None:
        """Gives it one more thing."""
        self.has.append((number, thing))
        try:
            self.pipe.send(thing)
        except ConnectionError as error:
            raise self._lost() from error

    def take(self) -> tuple[int, _Result]:
        """The result of the first thing that it has, and the thing's number."""
        try:
            result: _Result = self.pipe.recv()
        except (EOFError, ConnectionError) as error:
            raise self._lost() from error
        number, _ = self.has.popleft()
        return number, result

    def _lost(self) -> CommandFailed:
        what = shown_path(str(self.has[0][1]))
        return CommandFailed(f"a process ended in the middle of {what}: what it said is above; {self.advice}")


def in_order(
    work: Callable[[_Thing], _Result],
    things: Iterable[_Thing],
    jobs: int,
    advice: str = "leave it out, or try --jobs 1",
    limit_s: float | None = None,
) -> Generator[_Result]:
    """Does the work on each thing in this many processes (this one, if one) and yields the results in the things' order.

    `advice` is what to do where a process does not finish a thing within `limit_s`. Work, things and results are pickled.
    What the work raises ends the process that does it, and so the command.
    """
    if jobs == 1:
        yield from map(work, things)
        return
    waiting = enumerate(things)
    results: dict[int, _Result] = {}
    due = 0
    with _started(work, jobs, advice) as workers:
        begun = _hand_out(workers, waiting, _THINGS_AHEAD * jobs)
        while begun > due:
            for worker in _ready(workers, advice, RESULT_LIMIT_S if limit_s is None else limit_s):
                number, result = worker.take()
                results[number] = result
            while due in results:
                yield results.pop(due)
                due += 1
            begun += _hand_out(workers, waiting, due + RESULTS_AHEAD * jobs - begun)


def _hand_out(workers: list[_Worker[_Thing, _Result]], waiting: Iterator[tuple[int, _Thing]], most: int) -> int:
    """Gives things to processes that have too few, at most `most` in all; returns how many."""
    given = 0
    for _ in range(_THINGS_AHEAD):
        for worker in workers:
            if len(worker.has) < _THINGS_AHEAD and given < most:
                for number, thing in islice(waiting, 1):
                    worker.give(number, thing)
                    given += 1
    return given


@contextmanager
def _started(work: Callable[[_Thing], _Result], jobs: int, advice: str) -> Iterator[list[_Worker[_Thing, _Result]]]:
    """Starts the processes."""
    # A fresh interpreter for each: forking copies threads and locks in whatever state they are.
    context = multiprocessing.get_context("spawn")
    workers: list[_Worker[_Thing, _Result]] = []
    try:
        with _deaf_to_interrupts():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=_work, args=(theirs, work), daemon=True)
                _start(process)
                theirs.close()
                workers.append(_Worker(process, ours, advice))
        yield workers
    finally:
        for worker in workers:
            worker.pipe.close()
        for worker in workers:
            # It may still work on something that is not needed any more.
            worker.process.terminate()
            worker.process.join(RESULT_LIMIT_S)


def _start(process: BaseProcess) -> None:
    try:
        process.start()
    except OSError as error:
        raise CommandFailed(f"no further process can be started ({error.strerror}): try fewer with --jobs") from error


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started in here ignore Ctrl-C, which a terminal sends to all: this process handles it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, work: Callable[[_Thing], _Result]) -> None:
    """A process's main function: works on what comes until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, ConnectionError):
        return  # the command has ended


def _ready(workers: list[_Worker[_Thing, _Result]], advice: str, limit_s: float) -> list[_Worker[_Thing, _Result]]:
    """The processes that have a result, after waiting for the first of them."""
    by_pipe = {worker.pipe: worker for worker in workers if worker.has}
    ready = [by_pipe[pipe] for pipe in connection.wait(list(by_pipe), limit_s) if pipe in by_pipe]
    if not ready:
        oldest = min((worker.has[0] for worker in by_pipe.values()), key=itemgetter(0))
        what = shown_path(str(oldest[1]))
        raise CommandFailed(f"nothing was finished within {limit_s:.0f} s, and {what} is the first that is missing: {advice}")
    return ready
