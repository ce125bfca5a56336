"""Starts small programs as confined bots, without a match: their referee echoes what it gets."""

import argparse
import json
import os
import selectors
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import pytest
from mergemaker_processes.bot_names import CommandBot
from mergemaker_processes.confinement.confining import ConfinedLaunch, Confining, confining_from
from mergemaker_processes.confinement.refusals import CannotConfine
from mergemaker_processes.environment import Address, bot_environment
from mergemaker_processes.launching import BotProcess, Launch
from mergemaker_processes.logs import new_log_files
from mergemaker_tools.confine_options import add_confine

LIMIT_S: Final = 60.0
"""How long each step may take on a slow machine."""
TOKEN: Final = "a-token-that-nobody-else-may-see"  # noqa: S105 - made up
HIDE_GROUPS: Final = ("-m", "sh", "-c", 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', "sh")
"""For `unshare`, before a command: hides control groups from it."""


STEPS_OF_OURS: Final = ("step-mount", "step-show", "step-network", "step-ended", "step-launcher", "step-time")
"""If one of these fails, no machine has refused anything: such a fault of the launcher must not be skipped."""


class Echo:
    """A loopback server that echoes everything it gets, on any number of connections."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._listener: Final = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port: Final[int] = self._listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.address: Final = f"grpc://{shown}:{self.port}"
        self.peers: Final[set[socket.socket]] = set()
        self._over, self._end = socket.socketpair()
        self._thread: Final = threading.Thread(target=self._run, name="echo", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.close()
        self._thread.join(LIMIT_S)
        for each in (self._over, self._listener, *self.peers):
            each.close()
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for each in (self._over, self._listener):
                selector.register(each, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj is self._over:
                        return
                    if key.fileobj is self._listener:
                        peer, _ = self._listener.accept()
                        self.peers.add(peer)
                        selector.register(peer, selectors.EVENT_READ)
                        continue
                    assert isinstance(key.fileobj, socket.socket)
                    if data := key.fileobj.recv(65_536):
                        key.fileobj.sendall(data)
                    else:
                        selector.unregister(key.fileobj)
                        key.fileobj.shutdown(socket.SHUT_WR)


@dataclass
class Bots:
    """Makes a test's confined bots, with all their files in a separate folder."""

    folder: Path
    server: str = "grpc://127.0.0.1:1"
    options: list[str] = field(default_factory=lambda: ["--confine"])
    hidden: list[tuple[str, Path]] = field(default_factory=list)

    def script(self, name: str, text: str) -> tuple[str, str]:
        """The command line of a Python program in its own folder, whose name has a blank."""
        path = self.folder / f"bot {name}" / "bot.py"
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        return sys.executable, str(path)

    def confining(self, *commands: Sequence[str]) -> Confining:
        """How to confine these command lines; skips the test if that is impossible."""
        parser = argparse.ArgumentParser()
        add_confine(parser)
        specs = [CommandBot(tuple(command)) for command in commands]
        try:
            confining = confining_from(parser.parse_args(self.options), specs, self.hidden)
        except CannotConfine as problem:
            if problem.reason in STEPS_OF_OURS:
                raise
            pytest.skip(f"bots cannot be confined here: {problem}")
        assert confining is not None
        return confining

    def launches(self, *commands: Sequence[str]) -> list[Launch]:
        """Launches of bots that know of each other's seats."""
        confining = self.confining(*commands)
        return [self._launch(confining, seat, tuple(command)) for seat, command in enumerate(commands)]

    def _launch(self, confining: Confining, seat: int, command: tuple[str, ...]) -> Launch:
        logs = new_log_files(self.folder / "logs", "match", seat, "bot")
        variables = bot_environment(os.environ, Address(self.server, TOKEN, "bot"))
        confinement, variables = confining.launch_for(seat, self.server, variables, [("the logs", self.folder / "logs")])
        return Launch("bot", command, variables, logs, confinement=confinement)

    def start(self, text: str) -> BotProcess:
        """Starts one Python program."""
        (launch,) = self.launches(self.script("0", text))
        return BotProcess(launch)


def over(bot: BotProcess) -> BotProcess:
    """Waits until nothing of the bot is left, and ends it in any case."""
    try:
        assert bot.wait_gone(LIMIT_S), "the bot goes on and on"
    finally:
        bot.stop(0)
    return bot


def said(bot: BotProcess) -> Any:
    """A bot's standard output, as JSON."""
    text = bot.launch.logs.out.read_text("utf-8")
    assert text, bot.launch.logs.err.read_text("utf-8")
    return json.loads(text)


def await_output(bot: BotProcess, text: str) -> None:
    """Waits until the bot has written this."""
    for _ in range(int(LIMIT_S / 0.005)):
        if text in bot.launch.logs.out.read_text("utf-8"):
            return
        assert not bot.wait_gone(0.005) or text in bot.launch.logs.out.read_text("utf-8"), bot.failure()
    pytest.fail(f"the bot did not write {text!r} within {LIMIT_S} s")


def without_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes launchers find no control groups, so they watch by themselves."""
    unshare = shutil.which("unshare")
    if os.getuid() != 0 or unshare is None:
        pytest.skip("hiding control groups takes root, and the program unshare")
    usual: Callable[[ConfinedLaunch, int], list[str]] = ConfinedLaunch.command
    monkeypatch.setattr(ConfinedLaunch, "command", lambda launch, report: [unshare, *HIDE_GROUPS, *usual(launch, report)])
