"""What a previous server left: interrupted matches, and files that nobody needs any more."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.splitting import LINE_BYTES_MAX

from mergemaker_referee.records.disks import SYSTEM_DISK, Disk
from mergemaker_referee.records.files import SUFFIX
from mergemaker_referee.records.secrets_file import SECRETS_SUFFIX, forget_secrets, forget_unbegun, read_seats, read_secrets


@dataclass(frozen=True, slots=True)
class Leftovers:
    """The leftovers in a folder of records."""

    unfinished: tuple[Path, ...]
    """Records of interrupted matches that can be taken up again, the oldest first."""
    damaged: tuple[tuple[Path, str], ...]
    """Records whose secrets file cannot be read, and why. An operator has to look at them."""
    ended: tuple[Path, ...] = ()
    """Records of matches that had just ended: their bots may not have received the result."""


NOTHING_LEFT: Final = Leftovers((), ())


def all_leftovers(folders: Sequence[Path]) -> Leftovers:
    """The leftovers in several folders, together."""
    found = [find_leftovers(folder) for folder in folders]
    return Leftovers(
        tuple(sorted((path for each in found for path in each.unfinished), key=lambda path: path.name)),
        tuple(damaged for each in found for damaged in each.damaged),
        tuple(sorted((path for each in found for path in each.ended), key=lambda path: path.name)),
    )


def find_leftovers(records: Path, disk: Disk = SYSTEM_DISK) -> Leftovers:
    """Finds interrupted matches.

    A secrets file lies beside each record whose end has not reached everybody. If a record was never begun, nobody was sent
    anything, and its secrets are removed. A record whose seats nobody can take belongs to another program, and is left
    alone.
    """
    unfinished, damaged, ended = [], [], []
    for name in sorted(name for name in disk.names(records) if name.endswith(SUFFIX + SECRETS_SUFFIX)):
        record = records / name.removesuffix(SECRETS_SUFFIX)
        try:
            if disk.tail(record, 0) is None and not _is_whole(record, disk):
                forget_secrets(record, disk)  # the server ended while it wrote them, before the record existed
                continue
            read_secrets(record, disk)
            if not read_seats(record, disk):
                continue
            last = last_line(record, disk)
            if last is None:
                forget_unbegun(record, disk)
            elif _is_end(last):
                ended.append(record)
            else:
                unfinished.append(record)
        except (RecordError, OSError) as error:
            damaged.append((record, str(error)))
    return Leftovers(tuple(unfinished), tuple(damaged), tuple(ended))


def _is_whole(record: Path, disk: Disk) -> bool:
    """Whether a secrets file can be read."""
    with contextlib.suppress(RecordError):
        read_secrets(record, disk)
        return True
    return False


def last_line(record: Path, disk: Disk = SYSTEM_DISK) -> bytes | None:
    """The last whole line; None if there is no record, or it was never begun."""
    # Room for a whole line and a torn one after it, each as long as possible.
    found = disk.tail(record, 2 * LINE_BYTES_MAX)
    lines = [] if found is None else found.split(b"\n")
    return lines[-2] if len(lines) > 1 else None


def end_line(record: Path, disk: Disk = SYSTEM_DISK) -> bytes | None:
    """The line with the end of a record's match; None if the record has none."""
    last = last_line(record, disk)
    return last if last is not None and _is_end(last) else None


def _is_end(line: bytes) -> bool:
    with contextlib.suppress(ValueError):
        document = json.loads(line)
        return isinstance(document, dict) and document.get("kind") == "end"
    return False
