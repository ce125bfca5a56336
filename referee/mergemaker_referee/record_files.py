"""Records as files: opened whatever they are packed with, and packed when they are finished."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import TYPE_CHECKING, Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record, read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from pathlib import Path
    from typing import BinaryIO

CHUNK_BYTES: Final = 65_536
GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

SUFFIX: Final = ".jsonl"
PACKED_SUFFIXES: Final = (".gz", ".zst")


def record_chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a record, unpacked, a bounded piece at a time.

    What cannot be opened raises `OSError`; what cannot be unpacked, `RecordError`.
    """
    with path.open("rb") as file:
        first = file.read(len(ZSTD_MAGIC))
        file.seek(0)
        if first.startswith(GZIP_MAGIC):
            yield from _gunzipped(file)
        elif first == ZSTD_MAGIC:
            yield from _unzstd(file)
        else:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


def _gunzipped(file: BinaryIO) -> Iterator[bytes]:
    try:
        with gzip.open(file) as unpacked:
            while chunk := unpacked.read(CHUNK_BYTES):
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RecordError("bad-packing", f"the gzip packing is damaged or cut short: {error}") from error


def _unzstd(file: BinaryIO) -> Iterator[bytes]:
    zstandard = _zstandard()
    try:
        with zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as unpacked:
            while chunk := unpacked.read(CHUNK_BYTES):
                yield chunk
    except zstandard.ZstdError as error:
        raise RecordError("bad-packing", f"the zstd packing is damaged or cut short: {error}") from error


def _zstandard() -> ModuleType:
    try:
        import zstandard  # noqa: PLC0415 - an extra: whoever has no .zst files need not have it
    except ImportError as error:
        raise RecordError("no-zstd", "zstd needs an extra: `pip install 'mergemaker[zstd]'`") from error
    return zstandard


def open_record(path: Path) -> Record:
    """The record in a file, plain or packed, its chains checked."""
    return read_record(record_chunks(path))


def pack(path: Path, suffix: str) -> Path:
    """Packs a finished record, and removes the plain file when the packed one is whole; returns the new path."""
    packed = path.with_name(path.name + suffix)
    working = path.with_name(path.name + suffix + ".part")
    try:
        with working.open("wb") as target:
            if suffix == ".zst":
                with _zstandard().ZstdCompressor(level=19, write_checksum=True).stream_writer(target, closefd=False) as writer:
                    _copy(path, writer.write)
            else:
                # No time and no name inside: equal records are equal files.
                with gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as writer:
                    _copy(path, writer.write)
            target.flush()
            os.fsync(target.fileno())
        working.replace(packed)
    except BaseException:
        working.unlink(missing_ok=True)
        raise
    path.unlink()
    return packed


def _copy(path: Path, write: Callable[[bytes], object]) -> None:
    for chunk in record_chunks(path):
        write(chunk)
