"""Noises at the level of HTTP/2, which no gRPC library makes: frames as bytes on sockets, with a valid token."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_testkit.attackers import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    GREETING,
    HEADERS,
    PREFACE,
    SETTINGS,
    call_headers,
    frame,
    message,
)

from tests.chaos.guests import PAUSE_S, Guest, Noise, request
from tests.chaos.quick_bots import hello

PING, RESET, WINDOW_UPDATE = 6, 3, 8
READ_BYTES: Final = 65_536
CHUNK_FRAMES: Final = 1_000
"""Frames that are given to the system at once."""
STREAMS_RESET_MAX: Final = 100_000
"""Streams of one connection, before a new connection is made."""
TRICKLES: Final = 200
TRICKLE_S: Final = 0.01
SMALL_WINDOW: Final = frame(SETTINGS, 0, 0, (4).to_bytes(2, "big") + (1).to_bytes(4, "big"))
"""Allows one byte on its way."""
ACKNOWLEDGED: Final = frame(SETTINGS, 1, 0)


def _open(guest: Guest, stream: int = 1, said: bytes = b"") -> bytes:
    """A Play call with its first messages."""
    opened = frame(HEADERS, END_HEADERS, stream, call_headers(token=guest.where.token))
    return opened + (frame(DATA, 0, stream, message(said)) if said else b"")


async def _connect(guest: Guest, limit: int = 2**20) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = guest.where.target.rpartition(":")
    return await asyncio.open_connection(host, int(port), limit=limit)


async def _throw_away(reader: asyncio.StreamReader) -> None:
    """Reads and ignores everything, and leaves the window shut."""
    while await reader.read(READ_BYTES):
        pass


def _floods(frames: Callable[[Guest], Iterator[bytes]]) -> Noise:
    """Sends frames as fast as the server takes them, on one connection after another."""

    async def noise(guest: Guest) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, writer = await _connect(guest)
                reading = asyncio.ensure_future(_throw_away(reader))
                try:
                    writer.write(GREETING + ACKNOWLEDGED)
                    for chunk in frames(guest):
                        writer.write(chunk)
                        guest.did(count=CHUNK_FRAMES)
                        await writer.drain()
                        if reading.done():
                            break
                finally:
                    reading.cancel()
                    writer.close()
            await asyncio.sleep(PAUSE_S)

    return noise


def _the_same(one: bytes) -> Callable[[Guest], Iterator[bytes]]:
    def frames(guest: Guest) -> Iterator[bytes]:
        yield _open(guest, 1, hello(evict=True))
        yield from itertools.repeat(one * CHUNK_FRAMES)

    return frames


def _resets(guest: Guest) -> Iterator[bytes]:
    """Opens streams, and resets each at once."""
    for first in range(1, STREAMS_RESET_MAX, 2 * CHUNK_FRAMES):
        numbers = range(first, first + 2 * CHUNK_FRAMES, 2)
        yield b"".join(_open(guest, number) + frame(RESET, 0, number, (8).to_bytes(4, "big")) for number in numbers)


async def _never_reads(guest: Guest) -> None:
    """Sends requests that get answers, and reads nothing from its socket; reconnects when it is cut off."""
    said = frame(DATA, 0, 1, message(request("m" * 3_000, take_seat=referee_pb2.TakeSeat())))

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                # A full reader takes nothing more from its socket.
                _, writer = await _connect(guest, 1)
                try:
                    writer.write(GREETING + ACKNOWLEDGED + _open(guest, 1, hello(evict=True)))
                    async with asyncio.timeout(1):
                        while True:
                            writer.write(said)
                            guest.did()
                            await writer.drain()
                finally:
                    writer.close()
            await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*(one() for _ in range(16)))


async def _one_byte_at_a_time(guest: Guest) -> None:
    """Grants the server one byte at a time, on many streams of a connection."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await _connect(guest)
            reading = asyncio.ensure_future(_throw_away(reader))
            try:
                streams = range(1, 2 * TRICKLES, 2)
                writer.write(PREFACE + SMALL_WINDOW + ACKNOWLEDGED)
                writer.write(b"".join(_open(guest, number, hello(evict=True)) for number in streams))
                grants = b"".join(frame(WINDOW_UPDATE, 0, number, (1).to_bytes(4, "big")) for number in streams)
                while not reading.done():
                    writer.write(grants)
                    guest.did(count=TRICKLES)
                    await writer.drain()
                    await asyncio.sleep(TRICKLE_S)
            finally:
                reading.cancel()
                writer.close()
        await asyncio.sleep(PAUSE_S)


async def _slow_messages(guest: Guest) -> None:
    """Sends a long message byte by byte, on many streams of a connection."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await _connect(guest)
            reading = asyncio.ensure_future(_throw_away(reader))
            try:
                streams = range(1, 2 * TRICKLES, 2)
                writer.write(GREETING + ACKNOWLEDGED + b"".join(_open(guest, number) for number in streams))
                head = b"\0" + (60_000).to_bytes(4, "big")
                for byte in itertools.chain(head, itertools.repeat(0)):
                    writer.write(b"".join(frame(DATA, 0, number, bytes([byte])) for number in streams))
                    guest.did(count=TRICKLES)
                    await writer.drain()
                    await asyncio.sleep(TRICKLE_S)
                    if reading.done():
                        break
            finally:
                reading.cancel()
                writer.close()
        await asyncio.sleep(PAUSE_S)


def _headers_on_end(guest: Guest) -> Iterator[bytes]:
    """Endless headers, in small pieces."""
    yield frame(HEADERS, 0, 1, call_headers(token=guest.where.token))
    yield from itertools.repeat(frame(CONTINUATION, 0, 1, b"") * CHUNK_FRAMES)


RAW: Final[Mapping[str, Noise]] = {
    "streams that are reset at once": _floods(_resets),
    "pings of the transport": _floods(_the_same(frame(PING, 0, 0, bytes(8)))),
    "settings of the transport": _floods(_the_same(frame(SETTINGS, 0, 0, b""))),
    "empty frames": _floods(_the_same(frame(DATA, 0, 1))),
    "headers without an end": _floods(_headers_on_end),
    "never reads": _never_reads,
    "reads a byte at a time": _one_byte_at_a_time,
    "messages a byte at a time": _slow_messages,
}
"""Noises made of HTTP/2 frames, by name."""
