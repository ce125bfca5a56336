"""Which system calls a confined bot may not make: a filter for the kernel, instruction by instruction.

The filter refuses sockets of families outside the network namespace (a virtual machine's `AF_VSOCK` leads past it), new
namespaces and mounts, the keys of the user's session, and calls that attacks on kernels use.
Programs for another kind of machine (32 bits) get no system calls at all: their numbers mean other things.
"""

import errno
import socket
import struct

from mergemaker_processes.confinement.kernel import NEW_ANY

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_ALLOWED, _REFUSED = 0x7FFF_0000, 0x0005_0000
_OTHER_PROGRAMS = 0x4000_0000
"""From this number on, calls belong to another interface of the same machine."""
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, 16)
"""The last one lists the machine's addresses."""

_MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
_SOCKET = {"x86_64": 41, "aarch64": 198}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE_3 = 435
_EVERYWHERE = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442)
"""io_uring, which opens sockets past this filter, and the newer calls for mounts."""
_DENIED = {
    # mount umount2 pivot_root unshare setns, keys, open_by_handle_at, bpf, perf, userfaultfd, modules, kexec, swap, acct, reboot
    "x86_64": (165, 166, 155, 272, 308, 248, 249, 250, 304, 321, 298, 323, 175, 176, 313, 246, 320, 167, 168, 163, 169),
    "aarch64": (40, 39, 41, 97, 268, 217, 218, 219, 265, 280, 241, 282, 105, 106, 273, 104, 294, 224, 225, 89, 142),
}


def call_filter(machine: str) -> bytes:
    """The filter for this kind of machine, as the kernel takes it."""
    denied = sorted({*_DENIED[machine], *_EVERYWHERE})
    # Each test: what is compared, how, and where to go if it holds. After the last test comes the result.
    tests = [(_EQUAL, _SOCKET[machine], "socket"), (_EQUAL, _CLONE[machine], "clone"), (_EQUAL, _CLONE_3, "unknown")]
    tests += [(_EQUAL, number, "denied") for number in denied]
    parts: tuple[tuple[str, int | None, list[tuple[int, int, str]], int], ...] = (
        ("start", _MACHINE_AT, [(_EQUAL, _MACHINES[machine], "number")], _no(errno.ENOSYS)),
        ("number", _NUMBER_AT, [(_AT_LEAST, _OTHER_PROGRAMS, "unknown"), *tests], _ALLOWED),
        ("socket", _FIRST_ARGUMENT_AT, [(_EQUAL, int(family), "allowed") for family in _FAMILIES], _no(errno.EAFNOSUPPORT)),
        ("clone", _FIRST_ARGUMENT_AT, [(_ANY_BIT, NEW_ANY, "denied")], _ALLOWED),
        ("unknown", None, [], _no(errno.ENOSYS)),  # as on an older kernel, so that programs fall back to another way
        ("denied", None, [], _no(errno.EPERM)),
        ("allowed", None, [], _ALLOWED),
    )
    places, at = {}, 0
    for name, load, checks, _ in parts:
        places[name] = at
        at += (load is not None) + len(checks) + 1
    code = b""
    for _, load, checks, end in parts:
        if load is not None:
            code += _instruction(_LOAD, load)
        for how, value, goal in checks:
            code += _instruction(how, value, places[goal] - len(code) // 8 - 1)
        code += _instruction(_RETURN, end)
    return code


def _no(number: int) -> int:
    return _REFUSED | number


def _instruction(code: int, value: int, jump: int = 0) -> bytes:
    return struct.pack("HBBI", code, jump, 0, value)
