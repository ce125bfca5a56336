"""Batches of a simulation in several processes, handed back in the order of their games.

Each process has a pipe of its own and at most two batches at a time. When the command ends, however it went,
the pipes close and the processes end by themselves.
"""

import multiprocessing
import signal
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.simulation import Batch, Task, play_batch

JOBS_MAX: Final = 256
BATCH_LIMIT_S: Final = 600.0
"""How long a batch may take before its process counts as stuck."""
_BATCHES_AHEAD: Final = 2
"""So that a process has its next batch while the last one is being read."""


def play_batches(task: Task, batches: Iterable[tuple[int, int]], jobs: int) -> Generator[Batch]:
    """Plays batches in so many processes (this one, if one) and yields what came of them, in their order."""
    if jobs == 1:
        for first, count in batches:
            yield play_batch(task, first, count)
        return
    waiting = iter(batches)
    asked: list[Connection] = []
    with _started(task, jobs) as pipes:
        for pipe in (*pipes,) * _BATCHES_AHEAD:
            for batch in islice(waiting, 1):
                _send(pipe, batch)
                asked.append(pipe)
        while asked:
            pipe = asked.pop(0)
            yield _received(pipe)
            for batch in islice(waiting, 1):
                _send(pipe, batch)
                asked.append(pipe)


@contextmanager
def _started(task: Task, jobs: int) -> Iterator[list[Connection]]:
    """Starts the processes; yields our end of each one's pipe."""
    # A fresh interpreter for each: forking copies threads and locks in whatever state they are.
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    processes: list[SpawnProcess] = []
    try:
        with _deaf_to_interrupts():
            for _ in range(jobs):
                ours, theirs = context.Pipe()
                pipes.append(ours)
                process = context.Process(target=_work, args=(theirs, task), daemon=True)
                process.start()
                processes.append(process)
                theirs.close()
        yield pipes
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            # It may be in the middle of a batch that nobody wants any more.
            process.terminate()
            process.join(BATCH_LIMIT_S)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started in here ignores Ctrl-C, which a terminal sends to all: this process acts on it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, task: Task) -> None:
    """What a process does: plays batches until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while True:
            first, count = pipe.recv()
            pipe.send(play_batch(task, first, count))
    except (EOFError, ConnectionError):
        return  # the command has ended


def _send(pipe: Connection, batch: tuple[int, int]) -> None:
    try:
        pipe.send(batch)
    except ConnectionError as error:
        raise _lost() from error


def _received(pipe: Connection) -> Batch:
    try:
        if not pipe.poll(BATCH_LIMIT_S):
            raise CommandFailed(f"a process did not finish its games within {BATCH_LIMIT_S:.0f} s: try --jobs 1")
        batch: Batch = pipe.recv()
    except (EOFError, ConnectionError) as error:
        raise _lost() from error
    return batch


def _lost() -> CommandFailed:
    return CommandFailed("a process that played games has ended too early: what it said is above, or try --jobs 1")
