"""The outer part of the launcher: passes bytes on, enforces the limits, and reports what happens.

It reports in lines, on the pipe on which the bot's supervisor reports to the command:

    started PID            the bot's program runs; the number is that of the first process of its namespace
    refused ERRNO          it cannot be started
    confined JSON          it is about to be started; what enforces its limits, and which user it runs as
    trouble JSON           the bot reached one of its limits, or looked for something hidden
    unconfined JSON        it is not started because this step failed; `refusals` explains it
"""

import contextlib
import os
import select
import signal
import socket
import time

from mergemaker_processes.confinement import kernel
from mergemaker_processes.confinement.guarding import Guard, Reports
from mergemaker_processes.confinement.inside import GO_WITHOUT_GROUP, MESSAGE_BYTES_MAX, Order, go_inside, tell
from mergemaker_processes.confinement.relay import Relay
from mergemaker_processes.confinement.steps import Step, step
from mergemaker_processes.confinement.terms import NOT_STARTED, SETUP_LIMIT_S

_ENVIRONMENT = "the first process's environment, in /proc"


class Network:
    """Counts what a bot tries to send out of its own network, which has no way out."""

    def __init__(self, first: int) -> None:
        """Opened while the first process runs: it stays readable."""
        self._files = [open(f"/proc/{first}/net/{name}", "rb", buffering=0) for name in ("snmp", "snmp6")]  # noqa: PTH123, SIM115 - held until the end
        self._is_told = False

    def look(self) -> list[dict[str, object]]:
        """The trouble to report, once."""
        count = self._tries()
        if not count or self._is_told:
            return []
        self._is_told = True
        return [{"kind": "network", "measured": count}]

    def _tries(self) -> int:
        texts = []
        for file in self._files:
            file.seek(0)
            texts.append(file.read().decode("ascii", "replace"))
        return no_routes(*texts)


def no_routes(version_4: str, version_6: str) -> int:
    """How many packets had no route, by the counters of both versions of the protocol."""
    names, values = (line.split() for line in version_4.splitlines() if line.startswith("Ip:"))
    count = int(dict(zip(names, values, strict=True)).get("OutNoRoutes", "0"))
    for line in version_6.splitlines():
        name, _, value = line.partition(" ")
        if name.strip() == "Ip6OutNoRoutes":
            count += int(value)
    return count


class Outside:
    """One confined bot, seen from outside."""

    def __init__(self, order: Order, guard: Guard, referee: tuple[str, int], labels: list[str], reports: Reports) -> None:
        self._order = order
        self._guard = guard
        self._referee = referee
        self._labels = labels
        self._reports = reports
        self._poll = select.poll()
        self._relay: Relay | None = None
        self._alarms: kernel.Alarms | None = None
        self._network: Network | None = None
        self._places: dict[int, str] = {}
        self._status: int | None = None
        self._first = 0
        self._inside: socket.socket

    def run(self) -> int:
        """Starts the bot, and stays until nothing of it is left; returns how it ended, as `os.wait` has it."""
        kernel.become_subreaper()
        self._inside, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        maker = os.fork()
        if not maker:
            self._inside.close()
            go_inside(self._order, theirs)
        theirs.close()
        try:
            self._guard.take_in(maker)
            tell(self._inside, "go" if self._guard.kept_by == "cgroup" else GO_WITHOUT_GROUP)
            if self._order.maps_users:
                self._expect("ready-to-map")
                _map_users(maker, self._order.user)
                tell(self._inside, "go")
            self._first = int(self._expect("init"))
            os.waitpid(maker, 0)
            tell(self._inside, "go")
            self._take_over()
            self._reports.tell("confined", {"kept_by": self._guard.kept_by, "user": self._order.user})
            tell(self._inside, "go")
            if not self._order.only_tries:
                self._take_start()
            self._attend()
            self._await_end()
        except BaseException:
            for each in filter(None, (maker, self._first)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            raise
        return self._status if self._status is not None else 0

    def _expect(self, kind: str) -> str:
        """The next message from the inner part, which must be of this kind."""
        ready, _, _ = select.select([self._inside], [], [], SETUP_LIMIT_S)
        message = self._inside.recv(MESSAGE_BYTES_MAX) if ready else b""
        return self._said(kind, message.decode("utf-8", "surrogateescape"))

    @staticmethod
    def _said(kind: str, message: str) -> str:
        word, _, rest = message.partition(" ")
        if word == "problem":
            name, number, detail = rest.split(" ", 2)
            raise Step(name, int(number), detail)
        if word != kind:
            raise Step("ended", 0, f"{kind} was expected, {message or 'nothing'!r} came")
        return rest

    def _take_over(self) -> None:
        """Receives the sockets that listen inside, and the watch of the hidden places."""
        ready, _, _ = select.select([self._inside], [], [], SETUP_LIMIT_S)
        message, files, _, _ = socket.recv_fds(self._inside, MESSAGE_BYTES_MAX if ready else 0, len(self._order.listen) + 1)
        numbers = self._said("ready", message.decode("utf-8", "surrogateescape")).split()
        *listening, watching = files
        self._relay = Relay(self._poll, [socket.socket(fileno=file) for file in listening], self._referee)
        self._alarms = kernel.Alarms(watching)
        self._places = dict(zip(map(int, numbers), [*self._labels, _ENVIRONMENT], strict=True))
        self._network = Network(self._first)
        self._poll.register(watching, select.POLLIN)
        self._poll.register(self._inside, select.POLLIN)

    def _take_start(self) -> None:
        """Receives whether the bot's program runs."""
        ready, _, _ = select.select([self._inside], [], [], SETUP_LIMIT_S)
        message = self._inside.recv(MESSAGE_BYTES_MAX).decode() if ready else ""
        if message.startswith("refused "):
            self._reports.tell("refused", message.partition(" ")[2])
            self._status = NOT_STARTED << 8
            return
        self._said("started", message)
        self._reports.tell("started", self._first)

    def _attend(self) -> None:
        """Passes bytes on and watches the bot until its namespace is about to end."""
        assert self._relay is not None
        look_at, is_inside_open = time.monotonic(), True
        while is_inside_open:
            pause_ms = max(0, int((look_at - time.monotonic()) * 1_000) + 1)
            for file, events in sorted(self._poll.poll(pause_ms), key=lambda each: self._is_last(each[0])):
                if file == self._inside.fileno():
                    is_inside_open = self._hear()
                elif self._alarms is not None and file == self._alarms.file:
                    self._tell_of_places()
                else:
                    self._relay.attend(file, events)
            if time.monotonic() >= look_at:
                self._look()
                look_at = time.monotonic() + self._guard.interval_s
        self._relay.close()
        self._tell_of_places()
        self._look()

    def _is_last(self, file: int) -> bool:
        return self._relay is not None and self._relay.is_listener(file)

    def _hear(self) -> bool:
        """Takes a message of the first process; False if that is about to end."""
        message = self._inside.recv(MESSAGE_BYTES_MAX).decode()
        if message:
            self._status = int(self._said("ended", message))
            if self._status:  # it cannot play any more, even if other processes are left
                self._end()
        return bool(message)

    def _look(self) -> None:
        troubles, is_over = self._guard.look(self._first)
        for trouble in [*troubles, *(self._network.look() if self._network else ())]:
            self._reports.tell("trouble", trouble)
        if is_over:
            self._end()

    def _tell_of_places(self) -> None:
        """Reports each hidden place once, when a process has looked for it."""
        assert self._alarms is not None
        for number in self._alarms.opened():
            if place := self._places.pop(number, None):
                self._reports.tell("trouble", {"kind": "looked", "where": place})

    def _end(self) -> None:
        """Ends the namespace, and so all processes in it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._first, signal.SIGKILL)

    def _await_end(self) -> None:
        _, status = os.waitpid(self._first, 0)
        if self._status is None:  # the first process was killed before its bot ended, and the bot with it
            self._status = status


def _map_users(process: int, subordinate: int) -> None:
    """Makes the system's helper enter two users in a process's namespace: one that sets up, and the bot's."""
    import subprocess  # noqa: PLC0415 - slow to import, and only for ordinary users

    for helper, own in (("newuidmap", os.getuid()), ("newgidmap", os.getgid())):
        with step("users"):
            done = subprocess.run(  # noqa: S603 - the system's own helper
                [helper, str(process), "0", str(own), "1", "1", str(subordinate), "1"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=SETUP_LIMIT_S,
                check=False,
            )
        if done.returncode:
            raise Step("users", 0, done.stderr.decode("utf-8", "replace").strip())
