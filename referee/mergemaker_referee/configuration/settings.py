"""The settings of a server, as values. `configuration.file` reads them from a file; CONFIGURATION.md explains them."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from mergemaker_engine.rules import Rules, preset
from mergemaker_engine.shown import shown
from mergemaker_table.join_terms import MissingSeats
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.journal import Durability

USUAL_PORT: Final = 7_350
USUAL_METRICS_PORT: Final = 7_351
USUAL_WEB_PORT: Final = 7_352
USUAL_RULES: Final = "renegade-classic"
USUAL_CLOCK: Final = "standard"
USUAL_WAIT_MS: Final = 86_400_000
"""A day."""
PORT_MAX: Final = 65_535
BOT_NAME_CHARACTERS_MAX: Final = 64
PROCESSES_MAX: Final = 64
SPECTATING_DELAY_MS_MAX: Final = 86_400_000
"""A day."""

_ADDRESS: Final = re.compile(r"(?P<host>\[[^\[\]\s]+\]|[^\[\]:\s]+):(?P<port>[0-9]{1,5})")
_LOOPBACK_NAMES: Final = frozenset({"localhost", "localhost.", "ip6-localhost"})


class LogFormat(StrEnum):
    """The form of the log."""

    CONSOLE = "console"
    """For people."""
    JSON = "json"
    """A JSON object on each line."""


class LogLevel(StrEnum):
    """The least important level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens: a host's name or number, and a port. With port 0, the system chooses one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Parses an address: `127.0.0.1:7350`, `referee.example:443`, `[::1]:0`."""
        found = _ADDRESS.fullmatch(text)
        if not found or int(found["port"]) > PORT_MAX:
            raise RefereeError(
                "bad-address",
                f"an address is HOST:PORT, as in 127.0.0.1:{USUAL_PORT} or [::1]:{USUAL_PORT}, with a port from 0 to "
                f"{PORT_MAX}, not {shown(text)}",
            )
        return cls(found["host"].strip("[]"), int(found["port"]))

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of the same machine can reach it."""
        if self.host.lower() in _LOOPBACK_NAMES:
            return True
        try:
            return ipaddress.ip_address(self.host.partition("%")[0]).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Tls:
    """The files that make connections private, both in PEM. The certificate includes its chain."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSettings:
    """What is served to browsers."""

    listen: Address | None = None
    """None: nothing is."""
    prefix: str = ""
    """The path in front of all addresses, `/watch`, if a proxy passes only that on; empty: none."""
    address: str = ""
    """Where people reach the pages, without the prefix: `https://acquire.example`; empty: what their browser asks for."""
    password_hash: str | None = None
    """What viewers' password is kept as; None: they need none."""
    frame_ancestors: tuple[str, ...] = ()
    """The pages that may show those below `/embed` in a frame; empty: none may."""
    behind_proxy: bool = False
    """Whether a proxy says whose requests it passes on."""
    delay_ms: int = 0
    """The least delay with which live matches are shown."""
    database: str | None = None
    """The database of tournaments' results; None: none is shown."""
    spectators_max: int = 500
    spectators_per_address_max: int = 16
    connections_max: int = 1_000
    connections_per_address_max: int = 64
    requests_per_s_max: int = 50


_NO_BOTS: Final[Mapping[str, str]] = MappingProxyType({})
_NO_CLOCKS: Final[Mapping[str, ClockTerms]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything in a server's configuration, checked as far as possible without opening anything."""

    listen: tuple[Address, ...] = (Address("127.0.0.1", USUAL_PORT),)
    """Where it listens; at least one."""
    data_folder: Path = Path("data")
    """The server's own files. No other server may use them at the same time."""
    records_folder: Path | None = None
    """None: `records` in the data folder. See `records`."""
    fast_loop: bool = True
    """Whether to use uvloop where it is installed."""
    processes: int = 1
    """How many processes play matches. With 1, the one that serves plays them, too."""
    tls: Tls | None = None
    """None: connections are not private."""
    plain_text_allowed: bool = False
    """Whether other machines may connect without TLS."""
    operator_token_hash: str | None = None
    """The hash of the token that makes, cancels and fetches matches; None: nobody can."""
    signing_key: Path | None = None
    """The private key that signs the ends of records; None: nothing signs them."""
    earlier_signing_keys: tuple[bytes, ...] = ()
    """Public keys whose signatures are still good."""
    bots: Mapping[str, str] = field(default_factory=lambda: _NO_BOTS)
    """The hashes of the bots' tokens, by the bots' names."""
    rules: Rules = field(default_factory=lambda: preset(USUAL_RULES))
    """The rules of a match that names none."""
    clock: ClockTerms = field(default_factory=lambda: CLOCKS[USUAL_CLOCK])
    """The clock of a match that names none."""
    own_clocks: Mapping[str, ClockTerms] = field(default_factory=lambda: _NO_CLOCKS)
    """Named clocks besides those that every referee has."""
    faults: FaultTerms = field(default_factory=FaultTerms)
    """The fault terms of a match that names none."""
    missing_seats: MissingSeats = MissingSeats.VOID
    """What happens to a match if a seat is not taken, unless the match says otherwise."""
    wait_ms_max: int = USUAL_WAIT_MS
    """How long a match waits for its known bots, unless it says otherwise."""
    durability: Durability = Durability.PROCESS
    """What each line of a record survives before anyone learns of it."""
    automatic_delay_ms_max: int = 0
    """The longest that answers which need no bot wait; 0: they do not wait."""
    spectating_open: bool = False
    """Whether spectators may watch without a token."""
    spectating_delay_ms: int = 0
    """The least delay with which spectators see everything."""
    metrics_listen: Address | None = None
    """Where Prometheus finds metrics; None: they are not served."""
    web: WebSettings = field(default_factory=WebSettings)
    """What is served to browsers."""
    log_format: LogFormat = LogFormat.CONSOLE
    log_level: LogLevel = LogLevel.INFO
    limits: Limits = field(default_factory=Limits)

    @property
    def records(self) -> Path:
        """The folder of the records."""
        return self.data_folder / "records" if self.records_folder is None else self.records_folder

    @property
    def clocks(self) -> Mapping[str, ClockTerms]:
        """All named clocks."""
        return {**CLOCKS, **self.own_clocks}

    def clock_named(self, name: str) -> ClockTerms:
        """A clock by its name."""
        clocks = self.clocks
        if name not in clocks:
            raise RefereeError("unknown-clock", f"there is no clock {shown(name)}; there are {', '.join(clocks)}")
        return clocks[name]

    @property
    def _in_plain_text(self) -> list[str]:
        if self.tls is not None:
            return []
        web = () if self.web.listen is None else (self.web.listen,)
        return [str(address) for address in (*self.listen, *web) if not address.is_loopback]

    def problem(self) -> str | None:
        """Why these settings must not be served, and what to do; None if they may be."""
        if self.plain_text_allowed or not self._in_plain_text:
            return None
        return (
            f"{', '.join(self._in_plain_text)} can be reached from other machines, and without TLS anyone on the route can "
            "read tokens and tiles, and play in others' names. Set tls.certificate and tls.key (`mergemaker serve --init FOLDER "
            "--host NAME` makes both); or listen on 127.0.0.1 behind a proxy that does TLS; or, in a network that you trust, set "
            "tls.plain_text_allowed = true, or give --plain-text"
        )

    def remarks(self) -> tuple[str, ...]:
        """Settings that are allowed, but probably not intended."""
        remarks = []
        if self._in_plain_text:
            remarks.append(
                f"{', '.join(self._in_plain_text)} can be reached from other machines, and without tls anyone on the route can "
                "read tokens and tiles"
            )
        if self.metrics_listen is not None and not self.metrics_listen.is_loopback:
            remarks.append(f"metrics at {self.metrics_listen} can be read from other machines, by anyone: they need no token")
        if self.operator_token_hash is None:
            remarks.append(
                "there is no operator.token_hash, so nobody can make matches; `mergemaker serve --init FOLDER` makes one"
            )
        return tuple(remarks)
