"""A copy of a server's public log in a file. It is continued where it ends, and the server's log must go on from there."""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mergemaker.v1 import public_log_pb2
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.public_log import Head, LogChain, log_entries
from mergemaker_processes.texts import shown_path
from mergemaker_referee.records.files import CHUNK_BYTES

from mergemaker_tools.problems import CommandFailed, WrongUse


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy has now."""

    head: Head
    new: int
    """How many of its lines it did not have before."""


def copy_log(path: Path, page_from: Callable[[int], public_log_pb2.ReadLogResponse]) -> Copied:
    """Adds to a copy what the server's log has beyond it. `page_from` fetches lines from one of them on."""
    chain = _copied(path)
    had = chain.head.entries
    page = page_from(had + 1)
    target = Head(page.head.entries, page.head.hash)
    name = shown_path(path)
    if target.entries < had:
        raise CommandFailed(
            f"the server's log has {target.entries:,} entries, and {name} {had:,}: the log was cut, or is another one"
        )
    try:
        with path.open("ab") as file:
            file.truncate(chain.size)  # a torn line, if an earlier command was broken off
            while page.lines and chain.head.entries < target.entries:
                _take(chain, page.lines, name)
                file.write(page.lines)
                page = page_from(chain.head.entries + 1)
    except OSError as error:
        raise CommandFailed(f"cannot write {name}: {error.strerror or error}") from error
    if chain.head.entries < target.entries:
        raise CommandFailed(
            f"the server's log has {target.entries:,} entries, and the server sent only {chain.head.entries:,}; try again"
        )
    if chain.head.entries == target.entries and chain.head != target:
        raise CommandFailed(
            f"the server's log has the head {target}, and {name} has {chain.head}: the log was changed, or is another one"
        )
    return Copied(chain.head, chain.head.entries - had)


def _copied(path: Path) -> LogChain:
    """The chain of the whole lines that a copy has already."""
    chain = LogChain()
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WrongUse(f"{shown_path(path)} is no regular file: name another one with -o")
        with path.open("rb") as file:
            for _ in log_entries(iter(lambda: file.read(CHUNK_BYTES), b""), chain):
                pass
    except FileNotFoundError:
        pass
    except RecordError as error:
        if error.reason != "torn":
            name = shown_path(path)
            raise WrongUse(
                f"{name} is no copy of a public log, and stays as it is: {error}; name another file with -o"
            ) from error
    return chain


def _take(chain: LogChain, lines: bytes, name: str) -> None:
    try:
        for _ in log_entries([lines], chain):
            pass
    except RecordError as error:
        raise CommandFailed(
            f"the server's log does not go on from {name}: {error}. It was changed since, or is another one"
        ) from error
