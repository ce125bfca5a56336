"""What Linux offers for confining and Python 3.11 does not: namespaces, mounts, privileges. Each call raises `OSError`.

Imported by the launcher, which starts with every bot: nothing slow is imported here.
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys

assert sys.platform == "linux"  # for mypy, which then knows what else is there

NEW_MOUNTS = 0x0002_0000
NEW_CGROUP = 0x0200_0000
NEW_HOST_NAME = 0x0400_0000
NEW_IPC = 0x0800_0000
NEW_USER = 0x1000_0000
NEW_PIDS = 0x2000_0000
NEW_NETWORK = 0x4000_0000
NEW_ANY = NEW_MOUNTS | NEW_CGROUP | NEW_HOST_NAME | NEW_IPC | NEW_USER | NEW_PIDS | NEW_NETWORK

READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
BIND, RECURSIVE, SLAVE = 0x1000, 0x4000, 0x8_0000
"""For `mount`."""

_DETACH = 2
_HERE = -100
_AT_RECURSIVE = 0x8000
_MOUNT_SETATTR = 442
"""The same number on all machines."""
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MACHINES = tuple(_PIVOT_ROOT)
"""Machines whose system call numbers are known here."""

_PARENT_DEATH_SIGNAL, _SUBREAPER, _DUMPABLE, _DROP_FROM_BOUNDS, _NO_NEW_PRIVILEGES, _SECCOMP = 1, 36, 4, 24, 38, 22
_FILTER = 2
_CAPABILITIES_MAX = 64

_OPENED = 0x0000_0020
_SET_FLAGS, _UP, _FLAGS_AT = 0x8914, 0x1, 16

_LIBC = ctypes.CDLL(None, use_errno=True)


def _done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def unshare(flags: int) -> None:
    """Moves this process, or with `NEW_PIDS` its children, into namespaces of their own."""
    _done(_LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    """Mounts."""
    given = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    _done(_LIBC.mount(given[0], given[1], given[2], ctypes.c_ulong(flags), os.fsencode(data)), target)


def bind(source: str, target: str, flags: int) -> None:
    """Mounts a file or folder, with everything mounted below it, at a second place, with these flags."""
    mount(source, target, None, BIND | RECURSIVE)
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    _done(_LIBC.syscall(_MOUNT_SETATTR, _HERE, os.fsencode(target), _AT_RECURSIVE, attributes, len(attributes)), target)


def make_read_only(target: str) -> None:
    """Makes what is mounted there read-only."""
    attributes = struct.pack("QQQQ", READ_ONLY, 0, 0, 0)
    _done(_LIBC.syscall(_MOUNT_SETATTR, _HERE, os.fsencode(target), 0, attributes, len(attributes)), target)


def pivot_root(new: str, old: str) -> None:
    """Makes `new` the root, and mounts the previous root at `old`."""
    _done(_LIBC.syscall(_PIVOT_ROOT[platform.machine()], os.fsencode(new), os.fsencode(old)), new)


def unmount(target: str) -> None:
    """Unmounts what is there, with everything mounted below it."""
    _done(_LIBC.umount2(os.fsencode(target), _DETACH), target)


def _prctl(option: int, first: int, second: object = 0) -> None:
    _done(_LIBC.prctl(option, ctypes.c_ulong(first), second, 0, 0), "prctl")


def die_with_parent(number: int) -> None:
    """Makes the kernel send this process a signal when its parent ends. A change of user resets that."""
    _prctl(_PARENT_DEATH_SIGNAL, number)


def become_subreaper() -> None:
    """Makes orphaned descendants of this process its children."""
    _prctl(_SUBREAPER, 1)


def become_unreadable() -> None:
    """Protects this process from other processes of the same user."""
    _prctl(_DUMPABLE, 0)


def become_user(user: int, group: int) -> None:
    """Gives up all privileges for good: the previous user's, and any that a program could give back."""
    for capability in range(_CAPABILITIES_MAX):
        try:
            _prctl(_DROP_FROM_BOUNDS, capability)
        except OSError as error:
            if error.errno == errno.EPERM:
                raise
            break  # there are no more capabilities
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    _prctl(_NO_NEW_PRIVILEGES, 1)


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def filter_calls(instructions: bytes) -> None:
    """Filters all system calls of this process and its descendants, for good."""
    _prctl(_SECCOMP, _FILTER, ctypes.byref(_Filter(len(instructions) // 8, instructions)))


def set_loopback_up() -> None:
    """Makes the loopback of this network usable."""
    import fcntl  # noqa: PLC0415 - it exists wherever this runs

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack(f"{_FLAGS_AT}sH22x", b"lo", _UP))


class Alarms:
    """Reports when a process opens certain files or folders."""

    def __init__(self, file: int | None = None) -> None:
        """Starts a watch, or continues one that another process has started."""
        self.file = _done(_LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), "inotify") if file is None else file

    def watch(self, path: str) -> int:
        """Watches this file or folder; returns its number."""
        return _done(_LIBC.inotify_add_watch(self.file, os.fsencode(path), _OPENED), path)

    def opened(self) -> list[int]:
        """The numbers of what was opened since the last call."""
        try:
            events = os.read(self.file, 65_536)
        except BlockingIOError:
            return []
        numbers, at = [], 0
        while at < len(events):
            number, what, _, length = struct.unpack_from("iIII", events, at)
            if what & _OPENED:  # otherwise the place itself is gone, with the namespace
                numbers.append(number)
            at += 16 + length
        return numbers
