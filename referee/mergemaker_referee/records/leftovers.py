"""What a server that is gone left behind: matches that were broken off, and files that nobody needs any more."""

import contextlib
import json
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
    """What there is in a folder of records."""

    unfinished: tuple[Path, ...]
    """Records of matches that were broken off and can be taken up again, the oldest first."""
    damaged: tuple[tuple[Path, str], ...]
    """Records with a file of secrets that cannot be read, and why; somebody has to look at them."""
    ended: tuple[Path, ...] = ()
    """Records of matches that had just ended: their bots may not have been told of it."""


NOTHING_LEFT: Final = Leftovers((), ())


def find_leftovers(records: Path, disk: Disk = SYSTEM_DISK) -> Leftovers:
    """Looks for matches that were broken off.

    A file of secrets lies beside each record of whose end not everybody was told. Where the record was never begun, so that
    nobody was told anything, its secrets are removed. A record whose seats nobody can take is somebody else's: it is left
    alone.
    """
    unfinished, damaged, ended = [], [], []
    for name in disk.names(records):
        if not name.endswith(SUFFIX + SECRETS_SUFFIX):
            continue
        record = records / name.removesuffix(SECRETS_SUFFIX)
        try:
            if disk.tail(record, 0) is None and not _is_whole(record, disk):
                forget_secrets(record, disk)  # they were being written when the server ended, before there was a record
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
    """Whether a file of secrets can be read."""
    with contextlib.suppress(RecordError):
        read_secrets(record, disk)
        return True
    return False


def last_line(record: Path, disk: Disk = SYSTEM_DISK) -> bytes | None:
    """The last whole line; None where there is no record, or none that was begun."""
    # A whole line and a torn one behind it, each as long as can be.
    found = disk.tail(record, 2 * LINE_BYTES_MAX)
    lines = [] if found is None else found.split(b"\n")
    return lines[-2] if len(lines) > 1 else None


def has_end(record: Path) -> bool:
    """Whether a record, as it lies on the disk, tells how its match ended."""
    last = last_line(record)
    return last is not None and _is_end(last)


def _is_end(line: bytes) -> bool:
    with contextlib.suppress(ValueError):
        document = json.loads(line)
        return isinstance(document, dict) and document.get("kind") == "end"
    return False
