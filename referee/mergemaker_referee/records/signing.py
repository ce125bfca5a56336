"""Signs the ends of records, each in a file beside its record, and never on the path of a match.

An end is signed after it is durable and told. If the server ends before that, or the disk refuses, the next start signs it.
"""

import contextlib
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import structlog
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.receipts import Receipt
from mergemaker_engine.record.signatures import SIGNATURE_FILE_BYTES_MAX, SignedEnd, read_signature

from mergemaker_referee.records.disks import Disk, write_new
from mergemaker_referee.records.ed25519 import SigningKey, key_text
from mergemaker_referee.records.files import signature_path
from mergemaker_referee.records.journal_writer import LineWriter
from mergemaker_referee.times import time_text

SIGNATURE_MODE: Final = 0o644
_LOG = structlog.get_logger(__name__)


class RecordEnd(NamedTuple):
    """A record with an end."""

    record: Path
    receipt: Receipt
    commitment: bytes | None
    """The promise in its header."""


class Signing:
    """The signatures of one server."""

    def __init__(self, key: SigningKey, disk: Disk, writer: LineWriter, today: Callable[[], datetime]) -> None:
        self._key: Final = key
        self._disk: Final = disk
        self._writer: Final = writer
        self._today: Final = today
        _LOG.info("the ends of records are signed", public_key=key_text(key.public), id=key.id)

    async def sign(self, ends: Iterable[RecordEnd]) -> None:
        """Signs what is not signed yet, one after the other. Nobody waits for it."""
        for end in ends:
            try:
                await self._writer.run(partial(self._sign, end))
            except OSError as problem:
                _LOG.warning(
                    "the end of a match is not signed; the next start of the server tries it again",
                    match=end.receipt.match,
                    problem=str(problem),
                )

    def _sign(self, end: RecordEnd) -> None:
        path = signature_path(end.record)
        held = self._disk.tail(path, SIGNATURE_FILE_BYTES_MAX + 1)
        if held is not None and self._is_whole(held, end):
            return
        if held is not None:
            self._disk.remove(path)  # the server, or the disk, ended in the middle of it
        signed = self._key.sign(SignedEnd(end.receipt, end.commitment, time_text(self._today()), self._key.id))
        write_new(path, signed.signed.line(signed.signature), SIGNATURE_MODE, self._disk)

    def _is_whole(self, held: bytes, end: RecordEnd) -> bool:
        """Whether there is a signature, which then stays as it is, with any key."""
        try:
            found = read_signature(held)
        except RecordError:
            return False
        try:
            found.check(end.receipt, end.commitment)
        except RecordError as problem:
            _LOG.error("a signature lies beside a record of which it is not", record=str(end.record), problem=str(problem))
        return True


async def signature_of(record: Path, disk: Disk, writer: LineWriter) -> bytes:
    """The content of a record's signature file; empty if there is none, or it cannot be read now."""
    found: list[bytes | None] = []
    with contextlib.suppress(OSError):
        await writer.run(lambda: found.append(disk.tail(signature_path(record), SIGNATURE_FILE_BYTES_MAX)))
    return (found or [None])[0] or b""
