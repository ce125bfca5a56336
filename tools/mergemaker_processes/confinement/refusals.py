"""Why bots cannot be confined here, and what to install or allow so that they can."""

import errno
import os
import platform as machines
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from mergemaker_processes.confinement.spare_users import SUBORDINATE_FILES, subordinates
from mergemaker_processes.confinement.terms import FULL, LIMITS
from mergemaker_processes.problems import WrongUse

LINUX_MIN: Final = (5, 12)
"""The first kernel that can make a whole tree of mounts read-only in one step."""
MACHINES: Final = ("x86_64", "aarch64")
"""The machines whose system call numbers the launcher knows."""
HELPERS: Final = ("newuidmap", "newgidmap")
_WEAKER: Final = f"--confine={LIMITS} bounds memory and processes alone, and needs none of this."
_SWITCHES: Final = (
    ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
)
"""Settings by which systems forbid ordinary users a namespace of users, and what allows it."""
_FORBIDDEN_TO_ROOT: Final = {
    "namespaces": "no namespaces can be made",
    "network": "the bot's own network cannot be set up",
    "privileges": "privileges cannot be given up",
}
_NEEDED_BY_ROOT: Final = {
    "namespaces": "the capability SYS_ADMIN",
    "network": "the capability NET_ADMIN",
    "privileges": "the capabilities SETUID, SETGID and SETPCAP",
}
_CONTAINER_MARKS: Final = ("/.dockerenv", "/run/.containerenv")


class CannotConfine(WrongUse):
    """Bots cannot be confined as requested. The reason is a word for programs; the text says what to do."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"--confine: {message}\n{_WEAKER}" if reason != "no-posix" else f"--confine: {message}")
        self.reason: Final = reason


class System(Protocol):
    """What the checks need to know about the machine."""

    @property
    def platform(self) -> str:
        """The value of `sys.platform`."""

    @property
    def machine(self) -> str:
        """The value of `platform.machine`."""

    @property
    def kernel(self) -> str:
        """The kernel's version, as a text."""

    @property
    def user(self) -> tuple[int, str]:
        """The command's user, by number and name."""

    def has_program(self, name: str) -> bool:
        """Whether this program is on the PATH."""

    def text_of(self, path: str) -> str | None:
        """The text of a small file; None if it cannot be read."""


class ThisSystem:
    """The machine on which this runs."""

    platform = sys.platform
    machine = machines.machine()
    kernel = machines.release()

    @property
    def user(self) -> tuple[int, str]:
        """Who runs the command."""
        import pwd  # noqa: PLC0415 - Windows has none, and does not get here

        number = os.getuid()
        try:
            return number, pwd.getpwuid(number).pw_name
        except KeyError:
            return number, str(number)

    def has_program(self, name: str) -> bool:
        """Whether this program is on the PATH."""
        return shutil.which(name) is not None

    def text_of(self, path: str) -> str | None:
        """A small file."""
        try:
            return Path(path).read_text("utf-8", "replace")
        except OSError:
            return None


def check_system(form: str, system: System) -> None:
    """Refuses what is known to be impossible without a test."""
    if system.platform == "win32" or (form == FULL and system.platform != "linux"):
        raise CannotConfine(
            "no-posix" if system.platform == "win32" else "not-linux",
            "bots can be confined on Linux alone, since it needs its namespaces"
            + (": play in WSL 2 or on a Linux machine" if system.platform == "win32" else ": play on a Linux machine"),
        )
    if form == LIMITS:
        return
    if system.machine not in MACHINES:
        raise CannotConfine("machine", f"bots can be confined on {' and '.join(MACHINES)} alone, and this is {system.machine}")
    if _version(system.kernel) < LINUX_MIN:
        raise CannotConfine("old-kernel", f"this needs Linux {LINUX_MIN[0]}.{LINUX_MIN[1]} or newer, and this is {system.kernel}")
    number, name = system.user
    if number != 0:
        _check_ordinary_user(number, name, system)


def _check_ordinary_user(number: int, name: str, system: System) -> None:
    """Without root, the system's permission is needed to give bots their own users."""
    for path, forbidding, allowing in _SWITCHES:
        if (system.text_of(path) or "").strip() == forbidding:
            raise CannotConfine(
                "user-namespaces", f"this system forbids users namespaces: `sudo sysctl -w {allowing}` allows them"
            )
    missing = [helper for helper in HELPERS if not system.has_program(helper)]
    if missing:
        raise CannotConfine(
            "no-uidmap",
            f"to run a bot as another user, {' and '.join(missing)} are needed: install the package uidmap "
            "(Debian, Ubuntu) or shadow-utils (Fedora, Arch)",
        )
    for path in SUBORDINATE_FILES:
        if not subordinates(system.text_of(path) or "", name, number):
            raise CannotConfine(
                "no-subordinates",
                f"{path} lends {name} no numbers to run bots as: "
                f"`sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {name}` does",
            )


def refusal(told: Mapping[str, object], system: System) -> CannotConfine:
    """What the launcher could not do, for people: the step, the reason, and what to do."""
    step, number, detail = str(told["step"]), int(str(told["number"])), str(told["detail"])
    why = os.strerror(number) if number else detail
    at = f" at {detail}" if number and detail else ""
    is_root = system.user[0] == 0
    match step:
        case "namespaces" if number == errno.ENOSPC:
            text = "there may be no more namespaces: `sudo sysctl -w user.max_user_namespaces=15000` allows more"
        case "namespaces" if any(system.text_of(mark) is not None for mark in _CONTAINER_MARKS):
            text = f"this container may make no namespaces ({why}): start it with --privileged, or with --cap-add SYS_ADMIN and "
            text += "--security-opt seccomp=unconfined --security-opt apparmor=unconfined"
        case "namespaces" | "network" | "privileges" if is_root and number == errno.EPERM:
            text = f"{_FORBIDDEN_TO_ROOT[step]} ({why}): this root needs {_NEEDED_BY_ROOT[step]}"
        case "namespaces":
            text = f"this user may make no namespaces ({why}): let a profile of AppArmor or SELinux allow them, or play as root"
        case "proc":
            text = f"/proc cannot be had anew ({why}): what hides parts of it, usually a container, has to show them "
            text += "(--security-opt systempaths=unconfined), or be --privileged"
        case "users":
            text = f"no bot can be run as another user: {why}"
        case "network":
            text = f"the bot's own network cannot be set up ({why}){at}"
        case "show":
            text = f"what the bot is to see cannot be shown ({why}){at}"
        case "measuring":
            text = (
                f"memory and processes cannot be bounded: {why}{at}, and this kernel does not tell whose children processes are "
            )
            text += "(CONFIG_PROC_CHILDREN): let a control group be made (systemd-run --user --scope -p Delegate=yes …)"
        case "privileges":
            text = f"privileges cannot be given up ({why}): the kernel needs CONFIG_SECCOMP_FILTER"
        case _:
            text = f"the step {step!r} failed ({why}){at}"
    return CannotConfine(f"step-{step}", text)


def _version(text: str) -> tuple[int, int]:
    major, _, rest = text.partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)
