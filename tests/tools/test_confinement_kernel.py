"""What the kernel enforces for `--confine`: the filter of system calls, and control groups."""

import errno
import socket
import struct
from pathlib import Path
from typing import Final

import pytest
from mergemaker_testkit.systems import linux

# --- the filter ---------------------------------------------------------------------------------------------


ALLOWED: Final = 0x7FFF_0000
X86, ARM = 0xC000_003E, 0xC000_00B7


def _verdict(machine: str, architecture: int, number: int, first: int = 0) -> int:
    """The filter's verdict on a system call, found by running its instructions as the kernel does."""
    from mergemaker_processes.confinement.call_filter import call_filter  # noqa: PLC0415 - only on Linux

    code = list(struct.iter_unpack("HBBI", call_filter(machine)))
    data = struct.pack("=IIQQ", number, architecture, 0, first)
    held = at = 0
    while True:
        what, yes, no, value = code[at]
        at += 1
        match what:
            case 0x20:
                (held,) = struct.unpack_from("=I", data, value)
            case 0x15 | 0x35 | 0x45:
                holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[what]
                at += yes if holds else no
            case 0x06:
                return int(value)
            case _:
                pytest.fail(f"no such instruction: {what}")


@linux
@pytest.mark.parametrize(
    ("machine", "architecture", "number", "first", "refused"),
    [
        ("x86_64", X86, 0, 0, 0),  # read
        ("x86_64", X86, 41, socket.AF_INET, 0),
        ("x86_64", X86, 41, 16, 0),
        ("x86_64", X86, 41, 40, errno.EAFNOSUPPORT),  # the machine's own
        ("x86_64", X86, 56, 0x11, 0),  # fork
        ("x86_64", X86, 56, 0x1000_0011, errno.EPERM),  # with its own users
        ("x86_64", X86, 435, 0, errno.ENOSYS),
        ("x86_64", X86, 272, 0, errno.EPERM),  # unshare
        ("x86_64", X86, 425, 0, errno.EPERM),  # io_uring
        ("x86_64", X86, 0x4000_0029, 40, errno.ENOSYS),
        ("x86_64", 0x4000_0003, 359, 40, errno.ENOSYS),  # of 32 bits
        ("aarch64", ARM, 63, 0, 0),  # read
        ("aarch64", ARM, 198, 40, errno.EAFNOSUPPORT),
        ("aarch64", ARM, 198, socket.AF_UNIX, 0),
        ("aarch64", ARM, 220, 0x2000_0011, errno.EPERM),
        ("aarch64", ARM, 97, 0, errno.EPERM),
        ("aarch64", X86, 63, 0, errno.ENOSYS),
    ],
)
def test_the_filter_keeps_from_bots_what_leads_out(
    machine: str, architecture: int, number: int, first: int, refused: int
) -> None:
    assert _verdict(machine, architecture, number, first) == (0x0005_0000 | refused if refused else ALLOWED)


# --- control groups -----------------------------------------------------------------------------------------


V1_MOUNTS = """\
31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
35 31 0:32 {root} {base}/mem\\040ory rw - cgroup cgroup rw,memory
39 31 0:36 / {base}/pids rw - cgroup cgroup rw,pids
41 31 0:38 / {base}/unified rw - cgroup2 cgroup2 rw
"""


def _groups_of(monkeypatch: pytest.MonkeyPatch, own: str, mounts: str) -> tuple[dict[str, str], bool]:
    from mergemaker_processes.confinement import cgroups  # noqa: PLC0415 - only on Linux

    read = cgroups._read
    texts = {"/proc/self/cgroup": own, "/proc/self/mountinfo": mounts}
    monkeypatch.setattr(cgroups, "_read", lambda path: texts.get(path) or read(path))
    return cgroups.parents_here()


@linux
def test_groups_of_the_older_kind_are_made_below_the_own_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mem ory/a", "pids"):
        (tmp_path / name).mkdir(parents=True)
    own = "4:memory:/outer/a\n8:pids:/\n0::/\n"
    found = _groups_of(monkeypatch, own, V1_MOUNTS.format(base=tmp_path, root="/outer"))
    assert found == ({"memory": f"{tmp_path}/mem ory/a", "pids": f"{tmp_path}/pids"}, False)
    # A mount that does not show the own group is useless.
    assert _groups_of(monkeypatch, own, V1_MOUNTS.format(base=tmp_path, root="/other"))[0] == {"pids": f"{tmp_path}/pids"}


@linux
def test_groups_of_the_newer_kind_are_made_beside_the_own_one_where_limits_are_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mergemaker_processes.confinement.cgroups import Group, NoGroup  # noqa: PLC0415 - only on Linux

    slice_, scope = tmp_path / "user.slice", tmp_path / "user.slice" / "session.scope"
    scope.mkdir(parents=True)
    for folder, passed_on in ((slice_, "cpu memory pids"), (scope, "")):
        (folder / "cgroup.subtree_control").write_text(passed_on)
        (folder / "cgroup.procs").write_text("")
    mounts = f"41 31 0:38 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    found = _groups_of(monkeypatch, "0::/user.slice/session.scope\n", mounts)
    assert found == (dict.fromkeys(("memory", "pids", "cpu"), str(slice_)), True)

    group = slice_ / "mergemaker-1-1"
    group.mkdir()
    for name in ("memory.max", "memory.oom.group", "memory.swap.max", "pids.max", "cgroup.procs"):
        (group / name).write_text("")
    (group / "memory.events").write_text("max 7\noom 2\noom_kill 1\n")
    (group / "memory.peak").write_text("4096\n")
    (group / "pids.events").write_text("max 3\n")
    made = Group.made("mergemaker-1-1", 2**20, 5)
    made.add(77)
    written = {name: (group / name).read_text() for name in ("memory.max", "memory.oom.group", "memory.swap.max", "pids.max")}
    assert written == {"memory.max": str(2**20), "memory.oom.group": "1", "memory.swap.max": "0", "pids.max": "5"}
    assert (group / "cgroup.procs").read_text() == "77"
    assert (made.memory_kills(), made.memory_bytes(), made.processes_refused()) == (1, 4_096, 3)

    (slice_ / "cgroup.subtree_control").write_text("cpu pids")
    with pytest.raises(NoGroup, match="no control group for memory and pids can be made from here"):
        Group.made("mergemaker-1-2", 2**20, 5)
