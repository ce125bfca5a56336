"""The server's connections as the system knows them: gRPC accepts them itself, and reports none before its first call.

They are found among this process's own descriptors. To end one, its socket is shut down, which gRPC takes as the
client's leaving. Where the system does not list descriptors (Windows), none are found.
"""

import contextlib
import ctypes
import ipaddress
import os
import re
import socket
import stat
import struct
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote

Peer: TypeAlias = tuple[str, int]
"""A client's end of a connection: its address and port."""

IPV6_PREFIX_BITS: Final = 64
"""A network customer's whole range counts as one address."""

DESCRIPTORS_SHARE: Final = 4
"""Where descriptors are scarce, one part in this many is for other uses than connections."""

_TCP_INFO: Final[int | None] = getattr(socket, "TCP_INFO", None) if sys.platform == "linux" else None
_RECEIVED: Final = struct.Struct("=Q")
_RECEIVED_AT: Final = 128
"""The position of `tcpi_bytes_received` in Linux's `tcp_info`."""
_INFO_BYTES: Final = _RECEIVED_AT + _RECEIVED.size
_SO_ATTACH_FILTER: Final = 26
_DROP_ALL: Final = struct.pack("=HBBI", 0x06, 0, 0, 0)
"""A socket filter of one instruction: drop all that comes."""

_FOLDERS: Final = ("/proc/self/fd", "/dev/fd")
_GRPC_PEER: Final = re.compile(r"ipv[46]:(?P<host>.*):(?P<port>[0-9]+)")


def descriptors_folder() -> str | None:
    """The folder where the system lists this process's descriptors; None where it does not."""
    return next((folder for folder in _FOLDERS if os.name == "posix" and Path(folder).is_dir()), None)


def connections_that_fit(wanted: int, others: int) -> int:
    """How many connections this process may have: as many as wanted, or as its limit of descriptors allows.

    Raises that limit as far as it may. `others` is how many descriptors the rest needs at most.
    """
    if sys.platform == "win32":
        return wanted
    import resource  # noqa: PLC0415 - exists only there

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + others
    if soft != resource.RLIM_INFINITY and soft < needed:
        raised = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(OSError, ValueError):  # some systems' true limit is lower than the one they report
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    return max(1, soft - min(others, soft // DESCRIPTORS_SHARE))


def plain_host(host: str) -> str:
    """An address in its one form: an IPv4 address that came as an IPv6 one becomes IPv4 again."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def peer_of(text: str) -> Peer | None:
    """A client's end as gRPC writes it: `ipv4:127.0.0.1:5`, `ipv6:%5B::1%5D:5`."""
    found = _GRPC_PEER.fullmatch(unquote(text))
    return None if found is None else (plain_host(found["host"].strip("[]")), int(found["port"]))


def address_of(host: str) -> str:
    """The key for limits per address: an IPv4 address, or the network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(ipaddress.ip_network((address, IPV6_PREFIX_BITS), strict=False))


def host_of(peer: str) -> str:
    """The same for a client's end as gRPC writes it."""
    found = peer_of(peer)
    return peer if found is None else address_of(found[0])


@dataclass(frozen=True, slots=True)
class Accepted:
    """A connection that was accepted."""

    descriptor: int
    identity: int
    """The socket's identity, never the same for two sockets: the system may have reused a descriptor's number."""
    peer: Peer
    since_ns: int
    """When it was first seen."""


class Sockets:
    """The connections to some of this process's ports. Used by one thread at a time."""

    def __init__(self, ports: Collection[int]) -> None:
        self._ports: Final = frozenset(ports)
        self._folder: Final = descriptors_folder()
        self._known: dict[int, tuple[int, Accepted | None]] = {}
        """By descriptor: the identity of what it was, and the result of looking at it."""

    def look(self, now_ns: int) -> list[Accepted]:
        """Open connections, the longest open first."""
        known: dict[int, tuple[int, Accepted | None]] = {}
        for descriptor in self._descriptors():
            try:
                status = os.fstat(descriptor)
            except OSError:
                continue  # closed in the meantime
            if not stat.S_ISSOCK(status.st_mode):
                continue
            before = self._known.get(descriptor)
            if before is None or before[0] != status.st_ino:
                peer = self._peer(descriptor)
                accepted = None if peer is None else Accepted(descriptor, status.st_ino, peer, now_ns)
                before = (status.st_ino, accepted)
            known[descriptor] = before
        self._known = known
        found = [accepted for _, accepted in known.values() if accepted is not None]
        return sorted(found, key=lambda accepted: accepted.since_ns)

    def end(self, accepted: Accepted) -> bool:
        """Ends a connection, if it still exists."""
        with self._copy(accepted) as copy:
            if copy is None:
                return False
            try:
                copy.shutdown(socket.SHUT_RDWR)
            except OSError:
                return False
        return True

    @contextlib.contextmanager
    def _copy(self, accepted: Accepted) -> Iterator[socket.socket | None]:
        """A copy of its descriptor, which keeps its socket whatever happens to the number. None if it is closed."""
        try:
            copy = socket.socket(fileno=os.dup(accepted.descriptor))
        except OSError:
            yield None
            return
        with copy:
            yield copy if os.fstat(copy.fileno()).st_ino == accepted.identity else None

    def received(self, accepted: Accepted) -> int | None:
        """How many bytes a connection has sent; None where the system does not report it."""
        if _TCP_INFO is None:
            return None
        looked_at = None
        try:
            # Family and kind are named so that the system need not be asked for them. They do not matter here.
            looked_at = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=accepted.descriptor)
            info = looked_at.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _INFO_BYTES)
        except OSError:
            return None  # closed in the meantime
        finally:
            if looked_at is not None:
                looked_at.detach()  # gRPC's own: it stays open
        return _RECEIVED.unpack_from(info, _RECEIVED_AT)[0] if len(info) >= _INFO_BYTES else None

    def mute(self, accepted: Accepted) -> bool:
        """Makes the system drop whatever a connection sends from now on, so that it costs this process nothing more.

        A client whose connection was ended at once would be back at once.
        """
        if sys.platform != "linux":
            return self.end(accepted)
        with self._copy(accepted) as copy:
            if copy is None:
                return False
            instruction = ctypes.create_string_buffer(_DROP_ALL)
            program = struct.pack("@HP", 1, ctypes.addressof(instruction))
            try:
                copy.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
            except OSError:
                return False
        return True

    def _descriptors(self) -> Iterator[int]:
        if self._folder is not None:
            with contextlib.suppress(OSError):
                yield from map(int, os.listdir(self._folder))  # noqa: PTH208 - numbers, thousands of them

    def _peer(self, descriptor: int) -> Peer | None:
        """The other end, if this is a connection to one of the ports."""
        try:
            looked_at = socket.socket(fileno=descriptor)
        except OSError:
            return None
        try:
            if looked_at.family not in (socket.AF_INET, socket.AF_INET6) or looked_at.getsockname()[1] not in self._ports:
                return None
            host, port = looked_at.getpeername()[:2]
        except OSError:  # a listening socket, or gone
            return None
        finally:
            looked_at.detach()  # gRPC's own: it stays open
        return plain_host(host), port
