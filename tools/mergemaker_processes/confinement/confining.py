"""What `--confine` asks for: its options, what each bot is to see, and the launcher's order for each process.

plan = confining_from(options, specs, hidden)      # checks everything, and tries it once
Launch(…, confinement=plan.launch_for(seat, address))
"""

import argparse
import json
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from mergemaker_client.environment import Target

from mergemaker_processes.bot_names import BotSpec, BuiltInBot, CommandBot, ModuleBot, ScriptBot
from mergemaker_processes.confinement import terms
from mergemaker_processes.confinement.cgroups import PREFIX
from mergemaker_processes.confinement.launcher import ORDER
from mergemaker_processes.confinement.refusals import System, ThisSystem, check_system, refusal
from mergemaker_processes.confinement.sight import Sight, is_below, sight_of
from mergemaker_processes.problems import WrongUse
from mergemaker_processes.texts import shown_path

LAUNCHER: Final = Path(__file__).with_name("launcher.py")
TRY_LIMIT_S: Final = 60.0
"""For testing whether a bot can be confined; the test takes much less."""
_KEPT_VARIABLES: Final = frozenset(
    ("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
)
_KEPT_BEGINNINGS: Final = (
    *("LC_", "MERGEMAKER_", "PYTHON", "NODE_", "JAVA_", "JDK_", "GO", "RUST", "GRPC_", "DOTNET_", "RUBY", "PERL", "LUA_", "OMP_"),
)
_SECRET_IN_NAME: Final = re.compile("TOKEN|KEY|SECRET|PASS|AUTH|CREDENTIAL|PROXY", re.IGNORECASE)
_NO_PROXY: Final = ("no_proxy", "NO_PROXY", "no_grpc_proxy")
_SEAT_AND_PLACE: Final = re.compile(r"(?P<seat>[0-9])=(?P<place>.+)", re.DOTALL)
_numbers: Final = count(1)


@dataclass(frozen=True, slots=True)
class ConfinedLaunch:
    """How one bot's process is confined."""

    group: str
    """The name of its control group."""
    scratch: str
    """Its scratch folder, if that is one on the disk."""
    order: Mapping[str, object]
    """The launcher's order, without what to start."""
    saw: tuple[str, ...]
    """The bot's own folders, named in messages if it fails."""

    def command(self, report: int) -> list[str]:
        """The command that starts the launcher, which reports on this descriptor."""
        return [sys.executable, "-I", "-S", str(LAUNCHER), str(report)]

    def environment(self, arguments: Sequence[str], variables: Mapping[str, str]) -> dict[str, str]:
        """The launcher's environment, with its order: what to start, with which environment."""
        return {**variables, ORDER: json.dumps({**self.order, "arguments": list(arguments)})}

    @property
    def leftovers(self) -> str:
        """What the supervisor removes where the launcher could not."""
        return f"{self.group} {self.scratch}".rstrip()


@dataclass(frozen=True, slots=True)
class Confining:
    """How the bots of a match are confined."""

    form: str
    limits: Mapping[str, int]
    """By name, in the units of the system."""
    sights: tuple[Sight | None, ...]
    """By seat; None where the bot is no process."""
    hidden: tuple[tuple[str, Path], ...]
    """Folders that no bot may see, and what they are called."""
    arguments: tuple[str, ...]
    """The arguments that ask for the same again."""
    kept_by: str = ""
    """What enforces the limits here, known after the test."""

    def document(self) -> dict[str, object]:
        """For programs."""
        return {"form": self.form, "kept_by": self.kept_by, **self.limits}

    def launch_for(
        self,
        seat: int,
        server: str,
        environment: Mapping[str, str],
        hidden: Sequence[tuple[str, Path]] = (),
        *,
        tries: bool = False,
    ) -> tuple[ConfinedLaunch, dict[str, str]]:
        """How the process of a seat's bot is confined, and its environment. The bot finds the referee at this address."""
        group = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        sight = self.sights[seat]
        assert sight is not None, "this bot is no process"
        order: dict[str, object] = {"form": self.form, "group": group, "limits": dict(self.limits), "only_tries": tries}
        if self.form == terms.LIMITS:
            scratch = str(Path(tempfile.gettempdir()).resolve() / f"{group}-scratch")
            return ConfinedLaunch(group, scratch, order | {"scratch": scratch}, ()), _variables(environment, scratch)
        target = Target.parse(server)
        inner = target if target.is_loopback else Target("127.0.0.1", target.port, target.secure)
        order |= {
            "folder": sight.folder,
            "shown": sight.shown,
            "links": sight.links,
            "hidden": self._hidden_from(seat, sight, hidden),
            "listen": _listened(inner),
            "referee": _reached(target),
        }
        variables = _variables(environment, terms.SCRATCH)
        if "MERGEMAKER_SERVER" in variables:
            variables["MERGEMAKER_SERVER"] = str(inner)
        return ConfinedLaunch(group, "", order, sight.own), variables

    def _hidden_from(self, seat: int, sight: Sight, more: Sequence[tuple[str, Path]]) -> list[tuple[str, str]]:
        """Hidden places that the bot could otherwise see or might look for: labels and paths."""
        places = [(label, str(path.resolve())) for label, path in (*self.hidden, *more)]
        home = str(Path.home().resolve())
        if home != "/":
            places.append(("the home folder", home))
        for other, its in enumerate(self.sights):
            if other != seat and its is not None:
                places += [(f"the folder of seat {other}", path) for path in its.own]
        found: dict[str, str] = {}
        for label, path in places:
            is_seen = is_below(path, sight.shown)
            needs_it = path in sight.shown or (is_seen and any(is_below(own, [path]) for own in sight.own))
            if not needs_it and path != sight.folder and (not is_seen or Path(path).is_dir()):
                found.setdefault(path, label)
        return [(label, path) for path, label in found.items()]

    def try_once(self, system: System) -> str:
        """Sets up everything for the first bot without starting it; returns what will enforce the limits, or refuses."""
        seat = next(seat for seat, sight in enumerate(self.sights) if sight is not None)
        launch, variables = self.launch_for(seat, "grpc://127.0.0.1:1", os.environ, tries=True)
        try:
            done = subprocess.run(  # noqa: S603 - our own program
                launch.command(1),
                env=launch.environment(["-"], variables),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TRY_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise refusal({"step": "time", "number": 0, "detail": f"nothing came within {TRY_LIMIT_S:.0f} s"}, system) from None
        told = dict(line.split(" ", 1) for line in done.stdout.decode().splitlines() if " " in line)
        if "unconfined" in told:
            raise refusal(json.loads(told["unconfined"]), system)
        if "confined" not in told or done.returncode:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise refusal({"step": "launcher", "number": 0, "detail": "; ".join(last) or f"status {done.returncode}"}, system)
        return str(json.loads(told["confined"])["kept_by"])


def confining_from(
    options: argparse.Namespace, specs: Sequence[BotSpec], hidden: Sequence[tuple[str, Path]], system: System | None = None
) -> Confining | None:
    """How bots will be confined, after a test; None without `--confine`."""
    system = system or ThisSystem()
    if options.confine is None:
        for name in ("see", "memory", "processes", "scratch"):
            if getattr(options, f"confine_{name}"):
                raise WrongUse(f"--confine-{name} is of no use without --confine")
        return None
    check_system(options.confine, system)
    for spec in specs:
        if isinstance(spec, ModuleBot):
            raise WrongUse(
                f"--confine: {spec.module}:{spec.attribute} is a bot of this process, which cannot be confined: "
                "give the path of a file that runs it"
            )
    seen = _seen_by(options.confine_see, len(specs))
    sights = tuple(
        sight_of(spec, seen[seat]) if isinstance(spec, BuiltInBot | ScriptBot | CommandBot) else None
        for seat, spec in enumerate(specs)
    )
    limits = terms.limits_of(options.confine_memory, options.confine_processes, options.confine_scratch)
    confining = Confining(options.confine, limits, sights, tuple(hidden), _arguments(options))
    if not any(sights):
        return confining
    if options.confine == terms.FULL:
        _check_sights(confining, specs)
    return replace(confining, kept_by=confining.try_once(system))


def _arguments(options: argparse.Namespace) -> tuple[str, ...]:
    found = ["--confine" if options.confine == terms.FULL else f"--confine={options.confine}"]
    found += [part for place in options.confine_see for part in ("--confine-see", place)]
    for name in ("memory", "processes", "scratch"):
        if (value := getattr(options, f"confine_{name}")) is not None:
            found += [f"--confine-{name}", str(value)]
    return tuple(found)


def _seen_by(given: Sequence[str], seats: int) -> list[list[Path]]:
    """By seat, the folders that the user has allowed it to see."""
    seen: list[list[Path]] = [[] for _ in range(seats)]
    for text in given:
        found = _SEAT_AND_PLACE.fullmatch(text)
        if found and int(found["seat"]) >= seats:
            raise WrongUse(f"--confine-see: there is no seat {found['seat']}: they are 0 to {seats - 1}, in {text!r}")
        for seat in [int(found["seat"])] if found else range(seats):
            seen[seat].append(Path(found["place"] if found else text))
    return seen


def _check_sights(confining: Confining, specs: Sequence[BotSpec]) -> None:
    """Refuses a bot that would see a hidden place, or could not read its own files."""
    for seat, sight in enumerate(confining.sights):
        if sight is None:
            continue
        for label, path in confining.hidden:
            real = str(path.resolve())
            holds_bot = any(is_below(own, [real]) for own in (*sight.own, *sight.shown))
            if sight.sees(path) and (holds_bot or path.is_file()):
                raise WrongUse(
                    f"--confine: {label}, {shown_path(path)}, would be seen by the bot of seat {seat}: "
                    "name another place, or put the bot into a folder of its own"
                )
        spec = specs[seat]
        for readable in [*sight.own, *([str(spec.path.resolve())] if isinstance(spec, ScriptBot) else [])]:
            _check_readable(readable)


def _check_readable(path: str) -> None:
    """Checks that another user can read the bot's files."""
    mode = os.stat(path).st_mode  # noqa: PTH116 - as text
    wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    if mode & wanted != wanted:
        shown = shown_path(path)
        raise WrongUse(f"--confine: the bot is run as another user, who may not read {shown}: `chmod -R o+rX {shown}` lets it")


def _listened(target: Target) -> list[tuple[str, int]]:
    """Where the bot's own network listens."""
    if target.host.lower() != "localhost":
        return [(target.host, target.port)]
    has_version_6 = Path("/proc/net/if_inet6").exists()
    return [(host, target.port) for host in ("127.0.0.1", "::1")[: 1 + has_version_6]]


def _reached(target: Target) -> tuple[str, int]:
    """The referee's address for the launcher, as a number."""
    *_, address = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)[0]
    return str(address[0]), target.port


def _variables(environment: Mapping[str, str], scratch: str) -> dict[str, str]:
    """The variables that programs need to run, and the bot's own folder; nothing that might be a secret."""
    kept = {
        name: value
        for name, value in environment.items()
        if name in _KEPT_VARIABLES
        or name in _NO_PROXY
        or name.startswith("MERGEMAKER_")
        or (name.startswith(_KEPT_BEGINNINGS) and not _SECRET_IN_NAME.search(name))
    }
    return kept | {"HOME": scratch, "TMPDIR": scratch, "USER": "bot", "LOGNAME": "bot"}
