"""A control group for one bot: the kernel limits its memory and its processes.

Both kinds of hierarchy are supported. A bot's group is made below the command's group, so that the limits of the groups above
hold for the bot, too. In the newer kind, where a group with processes cannot have groups below it, it is made beside that one.
Where processor shares can be set, the group has the weight of one process, however many it has.
"""

import contextlib
import os
import time

PREFIX = "mergemaker-"
REMOVE_LIMIT_MS = 2_000
"""How long a group may still contain ended processes that nobody has waited for."""
_PAUSE_MS = 5
_NEEDED = ("memory", "pids")
_WANTED = ("cpu",)


class NoGroup(Exception):
    """No group can be made here; the text says why."""


class Group:
    """A bot's group: one folder in each hierarchy."""

    def __init__(self, folders: dict[str, str], *, is_unified: bool) -> None:
        self._folders = folders
        self._is_unified = is_unified

    @classmethod
    def made(cls, name: str, memory_bytes_max: int, processes_max: int) -> "Group":
        """Makes a group with these limits, or raises `NoGroup` with the reason."""
        parents, is_unified = parents_here()
        missing = [controller for controller in _NEEDED if controller not in parents]
        if missing:
            raise NoGroup(f"no control group for {' and '.join(missing)} can be made from here")
        group = cls({}, is_unified=is_unified)
        try:
            for controller, parent in parents.items():
                _sweep(parent)
                folder = f"{parent}/{name}"
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder)  # noqa: PTH102 - pathlib is slow to import
                group._folders[controller] = folder
            group._limit(memory_bytes_max, processes_max)
        except OSError as error:
            group.remove()
            raise NoGroup(f"{error.filename}: {error.strerror}") from error
        return group

    def _limit(self, memory_bytes_max: int, processes_max: int) -> None:
        memory = self._folders["memory"]
        if self._is_unified:
            _write(f"{memory}/memory.max", memory_bytes_max)
            _write(f"{memory}/memory.oom.group", 1)
            if os.path.exists(f"{memory}/memory.swap.max"):  # noqa: PTH110 - as above
                _write(f"{memory}/memory.swap.max", 0)
        else:
            _write(f"{memory}/memory.limit_in_bytes", memory_bytes_max)
            if os.path.exists(f"{memory}/memory.memsw.limit_in_bytes"):  # noqa: PTH110 - as above
                _write(f"{memory}/memory.memsw.limit_in_bytes", memory_bytes_max)
        _write(f"{self._folders['pids']}/pids.max", processes_max)

    def add(self, process: int) -> None:
        """Adds a process; its later descendants are in the group, too."""
        for folder in sorted(set(self._folders.values())):
            _write(f"{folder}/cgroup.procs", process)

    def memory_kills(self) -> int:
        """How many processes the kernel has killed at the memory limit."""
        name = "memory.events" if self._is_unified else "memory.oom_control"
        return _counted(f"{self._folders['memory']}/{name}", "oom_kill")

    def memory_bytes(self) -> int:
        """The peak memory, if the kernel records it."""
        names = ("memory.peak", "memory.current") if self._is_unified else ("memory.max_usage_in_bytes",)
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                return int(_read(f"{self._folders['memory']}/{name}"))
        return 0

    def processes_refused(self) -> int:
        """How often the limit of processes has prevented a new one."""
        return _counted(f"{self._folders['pids']}/pids.events", "max")

    def remove(self) -> None:
        """Removes the group when it has no processes."""
        _remove(sorted(set(self._folders.values())))


def remove_left(name: str) -> None:
    """Removes the group of this name, if it still exists because its maker was killed."""
    parents, _ = parents_here()
    _remove([folder for parent in sorted(set(parents.values())) if os.path.isdir(folder := f"{parent}/{name}")])  # noqa: PTH112 - as above


def parents_here() -> tuple[dict[str, str], bool]:
    """By controller, the folder in which groups can be made; and whether it is the newer, unified kind."""
    own = _own_groups(_read("/proc/self/cgroup"))
    unified = None
    found = {}
    for kind, controllers, point, root in _mounted(_read("/proc/self/mountinfo")):
        if kind == "cgroup2":
            unified = _below(point, root, own.get("", "/"))
            continue
        for controller in controllers:
            if controller in (*_NEEDED, *_WANTED) and controller in own:
                folder = _below(point, root, own[controller])
                if folder is not None and os.access(folder, os.W_OK):
                    found[controller] = folder
    if any(controller in found for controller in _NEEDED) or unified is None:
        return found, False
    return _unified_parents(unified), True


def _unified_parents(own: str) -> dict[str, str]:
    """By controller, the folder whose groups have it: our own, or the parent if it passes controllers on."""
    for folder in (own, os.path.dirname(own)):  # noqa: PTH120 - as above
        try:
            passed_on = _read(f"{folder}/cgroup.subtree_control").split()
        except OSError:
            continue
        has_all = all(controller in passed_on for controller in _NEEDED)
        if has_all and os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK):
            return {controller: folder for controller in (*_NEEDED, *_WANTED) if controller in passed_on}
    return {}


def _own_groups(text: str) -> dict[str, str]:
    """By controller, the path of our own group; the unified hierarchy has an empty name."""
    own = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            own[controller] = path
    return own


def _mounted(text: str) -> list[tuple[str, list[str], str, str]]:
    """Kind, controllers, place and root of all mounted hierarchies."""
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            _, _, _, root, point, *_ = before.split(" ")
            found.append((kind, options.split(","), _unescaped(point), _unescaped(root)))
    return found


def _unescaped(text: str) -> str:
    for escaped, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(escaped, letter)
    return text


def _below(point: str, root: str, path: str) -> str | None:
    """The folder of a group, if it is visible in the mount."""
    if root != "/":
        if path != root and not path.startswith(f"{root}/"):
            return None
        path = path[len(root) :]
    if path.startswith("/.."):
        return None
    return (point + path).rstrip("/") if path != "/" else point


def _sweep(parent: str) -> None:
    """Removes the groups of commands that were killed together with all their supervisors."""
    for name in os.listdir(parent):  # noqa: PTH208 - as above
        number = name.removeprefix(PREFIX).split("-", 1)[0]
        if name.startswith(PREFIX) and number.isdigit() and not os.path.exists(f"/proc/{number}"):  # noqa: PTH110 - as above
            with contextlib.suppress(OSError):  # it still has processes, or somebody else was faster
                os.rmdir(f"{parent}/{name}")  # noqa: PTH106 - as above


def _remove(folders: list[str]) -> None:
    until = time.monotonic() + REMOVE_LIMIT_MS / 1_000
    for folder in folders:
        while True:
            try:
                os.rmdir(folder)  # noqa: PTH106 - as above
            except FileNotFoundError:
                break
            except OSError:
                if time.monotonic() > until:
                    break  # the next command that makes a group removes it
                time.sleep(_PAUSE_MS / 1_000)
            else:
                break


def _counted(path: str, key: str) -> int:
    for line in _read(path).splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return int(value)
    return 0


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - as above
        return file.read()


def _write(path: str, value: int) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, str(value).encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(file)
