"""Records as files: opens them with any packing, and packs them when they are finished."""

import errno
import gzip
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.record.signatures import SIGNATURE_SUFFIX
from mergemaker_engine.record.splitting import RECORD_BYTES_MAX

CHUNK_BYTES: Final = 65_536
ZSTD_PIECE_BYTES: Final = 64
"""Packed bytes read at a time: four bytes can stand for 128 KiB, so a piece is at most 2 MiB unpacked."""
ZSTD_WINDOW_BYTES_MAX: Final = 8 * 1024 * 1024
"""How far a frame may look back, and so the memory to unpack it. The format's specification asks every reader for this much."""
_FRAME_HEADER_BYTES_MAX: Final = 18
GZIP_MAGIC: Final = b"\x1f\x8b"
ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

SUFFIX: Final = ".jsonl"
PACKED_SUFFIXES: Final = (".gz", ".zst")


def signature_path(record: Path) -> Path:
    """Where a record's signature lies: under the same name, however the record is packed."""
    return record.with_name(record.name.partition(SUFFIX)[0] + SUFFIX + SIGNATURE_SUFFIX)


def record_chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a record, unpacked, a bounded piece at a time.

    Raises `OSError` for a file that cannot be opened, and `RecordError` for one that cannot be unpacked or is no regular file.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise RecordError("no-file", "a record is a file, and this is a pipe, a device or the like")
    if found.st_size > RECORD_BYTES_MAX:
        raise RecordError("too-large", f"a record has at most {RECORD_BYTES_MAX:,} bytes; this file has {found.st_size:,}")
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
    frame = None
    try:
        while piece := file.read(ZSTD_PIECE_BYTES):
            while piece:
                if frame is None:
                    piece += file.read(max(_FRAME_HEADER_BYTES_MAX - len(piece), 0))
                    _check_window(zstandard.get_frame_parameters(piece).window_size)
                    frame = zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(piece)
                piece, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise RecordError("bad-packing", f"the zstd packing is damaged: {error}") from error
    if frame is not None:
        raise RecordError("bad-packing", "the zstd packing is cut short")


def _check_window(window_bytes: int) -> None:
    if window_bytes > ZSTD_WINDOW_BYTES_MAX:
        raise RecordError(
            "large-window",
            f"unpacking this zstd file takes a window of {window_bytes:,} bytes, and {ZSTD_WINDOW_BYTES_MAX:,} are allowed: "
            "pack it anew without --long and --ultra",
        )


def _zstandard() -> ModuleType:
    try:
        import zstandard  # noqa: PLC0415 - an extra: only .zst files need it
    except ImportError as error:
        raise RecordError("no-zstd", "zstd needs an extra: `pip install 'mergemaker[zstd]'`") from error
    return zstandard


def open_record(path: Path) -> Record:
    """The record in a file, plain or packed, with its chains checked."""
    return read_record(record_chunks(path))


def pack(path: Path, suffix: str) -> Path:
    """Packs a finished record, and removes the plain file once the packed one is complete. Returns the new path."""
    packed = path.with_name(path.name + suffix)
    working = path.with_name(path.name + suffix + ".part")
    try:
        with working.open("wb") as target:
            if suffix == ".zst":
                with _zstandard().ZstdCompressor(level=19, write_checksum=True).stream_writer(target, closefd=False) as writer:
                    _copy(path, writer.write)
            else:
                # The file holds no time and no name, so that equal records are equal files.
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
