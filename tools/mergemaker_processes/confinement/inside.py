"""The inner part of the launcher: makes the namespaces, and is the first process in them, above the bot.

It talks with the outer part (`outside`) over a pair of sockets, one short message at a time:

    ready-to-map     outside enters the users of the new namespace (ordinary users only), and answers `go`
    init PID         this is the first process; its maker ends
    ready            comes with the sockets that listen in the bot's network and the watch of hidden places; outside answers `go`
    started          the bot's program runs
    refused ERRNO    it cannot be started
    ended STATUS     it has ended, while others that it started may go on
    problem STEP ERRNO DETAIL    instead of any of them: this step failed
"""

import contextlib
import os
import platform
import resource
import select
import signal
import socket

from mergemaker_processes.confinement import kernel
from mergemaker_processes.confinement.call_filter import call_filter
from mergemaker_processes.confinement.limited import free_signals, limit
from mergemaker_processes.confinement.root_folder import build, enter
from mergemaker_processes.confinement.steps import Step, step
from mergemaker_processes.confinement.terms import DATA_FACTOR, NOT_STARTED, OPEN_FILES_MAX, SETUP_LIMIT_S, Limits

MESSAGE_BYTES_MAX = 4_096
SETUP_USER, BOT_USER = 0, 1
"""In its own namespace of users: the user that sets up, and the bot's user."""
HOST_NAME = "confined"
GO_WITHOUT_GROUP = "go-without-group"
"""The first `go` where no control group limits the memory."""
_BACKLOG = 16
_OPEN_NUMBERS_MAX = 64
"""All descriptors that the launcher has open are below this."""


class Order:
    """What to set up."""

    arguments: list[str]
    folder: str
    """Where the bot's program starts."""
    user: int
    """The machine's user number that the bot runs as."""
    maps_users: bool
    """Whether the command's user is an ordinary one, who needs a namespace of users."""
    limits: Limits
    has_group: bool
    shown: list[str]
    links: list[tuple[str, str]]
    hidden: list[str]
    listen: list[tuple[str, int]]
    only_tries: bool
    """Whether to set everything up and start nothing, as a test."""


def go_inside(order: Order, outside: socket.socket) -> None:
    """Makes the namespaces, and their first process; this one then ends."""
    try:
        order.has_group = _await_go(outside) != GO_WITHOUT_GROUP
        _go_inside(order, outside)
    except Step as failed:
        tell(outside, f"problem {failed.name} {failed.number} {failed.detail}")
    except Exception as fault:  # noqa: BLE001 - a fault in here is reported like everything else
        tell(outside, f"problem launcher 0 {type(fault).__name__}: {fault}")
    finally:
        os._exit(0)


def _go_inside(order: Order, outside: socket.socket) -> None:
    with step("namespaces"):
        kernel.unshare(kernel.NEW_ANY if order.maps_users else kernel.NEW_ANY & ~kernel.NEW_USER)
    if order.maps_users:
        tell(outside, "ready-to-map")
        _await_go(outside)
        with step("users"):
            os.setresgid(SETUP_USER, SETUP_USER, SETUP_USER)
            os.setresuid(SETUP_USER, SETUP_USER, SETUP_USER)
    first = os.fork()
    if first:
        tell(outside, f"init {first}")
        os._exit(0)
    _await_go(outside)  # this process has ended by then, and the outer part is the parent
    user = BOT_USER if order.maps_users else order.user
    listeners = _make_network(order.listen)
    alarms, numbers = build(order.shown, order.links, order.hidden, order.folder, order.limits.scratch_bytes_max, user)
    enter()
    files = [listener.fileno() for listener in listeners]
    socket.send_fds(outside, [f"ready {' '.join(map(str, numbers))}".encode()], [*files, alarms.file])
    for file in (*files, alarms.file):
        os.close(file)
    _await_go(outside)
    _become_harmless(user, order)
    _be_first(order, outside)


def _make_network(addresses: list[tuple[str, int]]) -> list[socket.socket]:
    """Listens in the bot's network, at the address where the bot looks for the referee."""
    listeners = []
    with step("network"):
        kernel.set_loopback_up()
        for host, port in addresses:
            listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
            listeners.append(listener)
        socket.sethostname(HOST_NAME)
    return listeners


def _become_harmless(user: int, order: Order) -> None:
    """Gives up all privileges that the set-up needed; later forks do not have them either."""
    limits = order.limits
    with step("privileges"):
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_NOFILE, OPEN_FILES_MAX)
        if not order.has_group:
            limit(resource.RLIMIT_NPROC, limits.processes_max + 1)  # this process is the bot's user, too
            limit(resource.RLIMIT_DATA, DATA_FACTOR * limits.memory_bytes_max)
        with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to import
            file.write("1000")  # if the machine runs out of memory, bots are killed first
        kernel.become_user(user, user)
        kernel.become_unreadable()
        kernel.filter_calls(call_filter(platform.machine()))
    # A change of user would have reset it.
    kernel.die_with_parent(signal.SIGKILL)


def _be_first(order: Order, outside: socket.socket) -> None:
    """Starts the bot, waits for all processes that end here, and reports the bot's end; ends when no other process is left."""
    ready, _, _ = select.select([outside], [], [], 0)
    if ready:  # the outer part ended before this process was tied to it
        os._exit(0)
    if order.only_tries:
        os._exit(0)
    told, telling = os.pipe()
    bot = os.fork()
    if not bot:
        _become_bot(order, telling)
    os.close(telling)
    refused = os.read(told, MESSAGE_BYTES_MAX).decode()
    tell(outside, f"refused {refused}" if refused else "started")
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.wait()
            if pid == bot and not refused:
                tell(outside, f"ended {status}")
    os._exit(0)


def _become_bot(order: Order, telling: int) -> None:
    """Runs the bot's program in this process; reports why if that fails."""
    try:
        os.setsid()
        os.umask(0o077)
        free_signals()
        os.chdir(order.folder)
        os.closerange(3, telling)
        os.closerange(telling + 1, _OPEN_NUMBERS_MAX)
        os.execv(order.arguments[0], order.arguments)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(telling, str(error.errno).encode())
    finally:
        os._exit(NOT_STARTED)


def _await_go(outside: socket.socket) -> str:
    ready, _, _ = select.select([outside], [], [], SETUP_LIMIT_S)
    message = outside.recv(MESSAGE_BYTES_MAX).decode() if ready else ""
    if not message:
        os._exit(0)  # the outer part has ended, and with it everything
    return message


def tell(other: socket.socket, message: str) -> None:
    """Sends a message to the outer part, if it still runs."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        other.send(message.encode("utf-8", "surrogateescape")[:MESSAGE_BYTES_MAX])
