"""Builds the root of all files that a confined bot sees: an empty folder with what it may see, and nothing else.

All of it lies in the bot's mount namespace, and disappears with it: nothing is left on any disk.
"""

import os

from mergemaker_processes.confinement import kernel
from mergemaker_processes.confinement.steps import step
from mergemaker_processes.confinement.terms import SCRATCH

_BASE = "/tmp"  # noqa: S108 - only a place to mount upon, in a namespace of its own
_NEW, _OLD = "/new", "/old"
ROOT_BYTES_MAX = 4_194_304
"""Room for the folders and links that lead to what is shown."""
ROOT_FILES_MAX = 10_000
SCRATCH_FILES_MAX = 65_536
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the bot's own
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SHOWN = kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES
_FOLDER_MODE = 0o755


def build(
    shown: list[str], links: list[tuple[str, str]], hidden: list[str], folder: str, scratch_bytes_max: int, user: int
) -> tuple[kernel.Alarms, list[int]]:
    """Makes the new root; returns the watch of the hidden places, and the number of each, `/proc/1/environ` last."""
    os.umask(0)
    with step("mount"):
        kernel.mount("none", "/", None, kernel.SLAVE | kernel.RECURSIVE)
        _turn_to_new()
        _make_devices(scratch_bytes_max, user)
    with step("show"):
        for path in shown:
            _show(path)
        for path, target in links:
            _link(path, target)
        _made_folder(_NEW + folder)  # the program starts there, even if nothing there is shown
    with step("proc"):
        kernel.mount("proc", _made_folder(f"{_NEW}/proc"), "proc", kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_PROGRAMS)
    with step("mount"):
        _make_users(user)
        for path in hidden:
            _hide(path, shown)
        return _watched(hidden)


def enter() -> None:
    """Makes the new root the only one."""
    with step("mount"):
        os.chdir(_NEW)
        kernel.pivot_root(".", ".")
        kernel.unmount(".")
        os.chdir("/")
        kernel.make_read_only("/")


def _turn_to_new() -> None:
    """Moves the machine's files below `_OLD`, and makes an empty folder at `_NEW`."""
    kernel.mount("none", _BASE, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, "size=65536,mode=755")
    for name in (_NEW, _OLD):
        os.mkdir(_BASE + name, _FOLDER_MODE)  # noqa: PTH102 - pathlib is slow to import
    kernel.pivot_root(_BASE, _BASE + _OLD)
    os.chdir("/")
    limits = f"size={ROOT_BYTES_MAX},nr_inodes={ROOT_FILES_MAX},mode=755"
    kernel.mount("none", _NEW, "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, limits)


def _show(path: str) -> None:
    """Shows a file or folder at its usual place."""
    source, target = _OLD + path, _NEW + path
    if os.path.isdir(source):  # noqa: PTH112 - as above
        _made_folder(target)
    else:
        _made_file(target)
    kernel.bind(source, target, _SHOWN)


def _link(path: str, target: str) -> None:
    _made_folder(os.path.dirname(_NEW + path))  # noqa: PTH120 - as above
    os.symlink(target, _NEW + path)  # noqa: PTH211 - as above


def _hide(path: str, shown: list[str]) -> None:
    """Covers a visible folder with an empty one; if it is not visible, makes an empty one as bait."""
    if any(path.startswith(f"{folder}/") for folder in shown):
        kernel.mount("none", _NEW + path, "tmpfs", _SHOWN, "size=4096,mode=755")
    else:
        _made_folder(_NEW + path)


def _make_devices(scratch_bytes_max: int, user: int) -> None:
    for name in _DEVICES:
        _made_file(f"{_NEW}/dev/{name}")
        kernel.bind(f"{_OLD}/dev/{name}", f"{_NEW}/dev/{name}", kernel.NO_SUID | kernel.NO_PROGRAMS)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{_NEW}/dev/{name}")  # noqa: PTH211 - as above
    os.symlink("/proc/self/fd", f"{_NEW}/dev/fd")  # noqa: PTH211 - as above
    limits = f"size={scratch_bytes_max},nr_inodes={SCRATCH_FILES_MAX},mode=700,uid={user},gid={user}"
    for place in (SCRATCH, SHARED_MEMORY):
        kernel.mount("none", _made_folder(_NEW + place), "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES, limits)


def _make_users(user: int) -> None:
    files = {
        "passwd": f"root:x:0:0::/:/bin/false\nbot:x:{user}:{user}::{SCRATCH}:/bin/sh\n",
        "group": f"root:x:0:\nbot:x:{user}:\n",
        "hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }
    _made_folder(f"{_NEW}/etc")
    for name, text in files.items():
        with open(f"{_NEW}/etc/{name}", "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
            file.write(text)
        os.chmod(f"{_NEW}/etc/{name}", 0o444)  # noqa: PTH101 - as above


def _watched(hidden: list[str]) -> tuple[kernel.Alarms, list[int]]:
    """Watches the hidden folders, and an empty file in place of the first process's environment."""
    decoy = f"{_NEW}/environ"
    _made_file(decoy)
    os.chmod(decoy, 0o444)  # noqa: PTH101 - as above
    kernel.mount(decoy, f"{_NEW}/proc/1/environ", None, kernel.BIND)
    alarms = kernel.Alarms()
    numbers = [alarms.watch(_NEW + path) for path in hidden]
    numbers.append(alarms.watch(decoy))
    os.unlink(decoy)  # noqa: PTH108 - as above
    return alarms, numbers


def _made_folder(path: str) -> str:
    os.makedirs(path, _FOLDER_MODE, exist_ok=True)  # noqa: PTH103 - as above
    return path


def _made_file(path: str) -> None:
    _made_folder(os.path.dirname(path))  # noqa: PTH120 - as above
    with open(path, "ab"):  # noqa: PTH123 - as above
        return
