"""A run's events, for the checks: everything that passed the network, and what the disk held at that moment."""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final, Protocol

from google.protobuf.message import DecodeError
from mergemaker.v1 import referee_pb2, spectate_pb2
from mergemaker_referee.identities import Identity, KnownBot, Operator, Player, SeatHolder
from mergemaker_referee.records.journal import Durability, match_in_name

from .disk import Op
from .lives import PUBLIC_LOG, Machine
from .streams import Stream

SUFFIX: Final = ".jsonl"
SECRETS: Final = ".secrets"


@dataclass(slots=True)
class Told:
    """One response to a bot."""

    at_ns: int
    life: int
    stream: int
    identity: Player
    raw: bytes
    response: referee_pb2.PlayResponse
    durable: int
    """How many bytes of the match's record were durable at that moment."""
    order: int
    """Counts all notes."""
    is_end_kept: bool = True
    """If it reports the match's end: whether a referee started after that moment would report the same."""
    is_published: bool = True
    """If it is about a match: whether the public log has that, and no loss of power takes it back."""
    handed_ns: int | None = None


@dataclass(slots=True)
class Shown:
    """One response to a spectator."""

    at_ns: int
    stream: int
    response: spectate_pb2.WatchResponse
    durable: int
    is_end_kept: bool


@dataclass(slots=True)
class Came:
    """One request of a bot."""

    at_ns: int
    stamp_ns: int
    life: int
    stream: int
    identity: Player
    request: referee_pb2.PlayRequest
    order: int


@dataclass(slots=True)
class StreamNote:
    """One bot's stream."""

    stream: Stream
    identity: Player
    opened_ns: int
    life: int
    told: list[Told] = field(default_factory=list)
    came: list[Came] = field(default_factory=list)
    closed_ns: int | None = None
    closed_order: int | None = None
    why: str = ""
    left_open_for: int | None = None
    """Another stream of the same bot got its welcome while this one was still open."""
    _handed: int = 0


def last_kind(record: bytes) -> str | None:
    """The kind of a record's last line; None if there is none, or a torn one."""
    lines = record.splitlines()
    try:
        kind = json.loads(lines[-1]).get("kind") if lines else None
    except ValueError:
        return None
    return str(kind)


class HearsOfResponses(Protocol):
    """Causes trouble after a number of responses."""

    def told(self) -> None:
        """Called after each response to a bot."""


class Notebook:
    """Keeps all notes. It is one of the network's `Watching`; `Fate` reports the disk to it."""

    def __init__(self) -> None:
        self.streams: Final[dict[int, StreamNote]] = {}
        self.told_so_far: Final[list[Told]] = []
        self.came_so_far: Final[list[Came]] = []
        self.shown: Final[dict[int, list[Shown]]] = defaultdict(list)
        self.watched: Final[dict[int, str]] = {}
        """By stream: the match that somebody watches."""
        self.sizes: Final[dict[PurePath, list[tuple[int, int]]]] = defaultdict(list)
        """By record: its size at each time."""
        self.secrets: Final[dict[PurePath, dict[str, Any]]] = {}
        """By record: the content of its file of secrets."""
        self.removed_early: Final[list[PurePath]] = []
        """Records whose secrets were removed before their end was durable."""
        self.dealt_early: Final[list[PurePath]] = []
        """Records in which a deal was written before the public log had the match's promise."""
        self.fate: HearsOfResponses | None = None
        self._machine: Machine | None = None
        self._count = 0
        self._paths: Final[dict[str, PurePath]] = {}
        self._awaited: Final[dict[str, tuple[int, Callable[[], None]]]] = {}

    def follow(self, machine: Machine) -> None:
        """Begins the notes."""
        self._machine = machine
        machine.network.watching.append(self)

    @property
    def machine(self) -> Machine:
        """The run's machine."""
        assert self._machine is not None, "a notebook follows a machine"
        return self._machine

    def when_told(self, match: str, responses: int, call: Callable[[], None]) -> None:
        """Makes a call after this many more responses about a match."""
        self._awaited[match] = responses, call

    def _count_down(self, match: str) -> None:
        responses, call = self._awaited.pop(match)
        if responses > 1:
            self._awaited[match] = responses - 1, call
        else:
            call()

    def _order(self) -> int:
        self._count += 1
        return self._count

    # --- the disk ---

    def path_of(self, match: str) -> PurePath | None:
        """The path of a match's record."""
        if match not in self._paths:
            found = [path for path in self.machine.disk.files if path.name.endswith(f"-{match}{SUFFIX}")]
            if not found:
                return None
            self._paths[match] = found[0]
        return self._paths[match]

    def durable(self, match: str) -> int:
        """The durable size of a match's record."""
        path = self.path_of(match)
        disk = self.machine.disk
        file = None if path is None else disk.files.get(path)
        if path is None or file is None:
            return 0
        if self.machine.settings.durability is not Durability.POWER:
            return len(file.data)
        return len(file.synced) if disk.durable_names.get(path) is file else 0

    def has_end(self, match: str) -> bool:
        """Whether the end of a match's record is durable."""
        path = self.path_of(match)
        return path is not None and last_kind(self._durable_data(path)) == "end"

    def keeps_end(self, match: str) -> bool:
        """Whether nothing can revive a match that is over: its end is written, or its secrets are gone for good."""
        return self.has_end(match) or not self._may_have_secrets(match)

    def _may_have_secrets(self, match: str) -> bool:
        """Whether a match's file of secrets exists, or would exist after a power cut."""
        disk = self.machine.disk
        is_safe = self.machine.settings.durability is Durability.POWER
        names = {*disk.files, *disk.durable_names} if is_safe else disk.files
        return any(path.name.endswith(f"-{match}{SUFFIX}{SECRETS}") for path in names)

    def is_published(self, match: str) -> bool:
        """Whether the public log has the begin of a match, which nothing can take away any more."""
        return f'"kind":"begin","match":"{match}"'.encode() in self.machine.disk.durable(PUBLIC_LOG, against_power=True)

    def _durable_data(self, path: PurePath) -> bytes:
        return self.machine.disk.durable(path, against_power=self.machine.settings.durability is Durability.POWER)

    def disk(self, op: Op, path: PurePath) -> None:
        """Called after each operation on a file."""
        disk = self.machine.disk
        if path.name.endswith(SECRETS):
            record = path.with_name(path.name.removesuffix(SECRETS))
            if op is Op.SYNC:
                self.secrets[record] = json.loads(disk.written(path))
            elif op is Op.REMOVE and record in disk.files:
                self._check_removal(record)
        elif op is not Op.READ:
            file = disk.files.get(path)
            self.sizes[path].append((self.machine.world.now_ns, 0 if file is None else len(file.data)))
            match = match_in_name(path.name)
            if op is Op.WRITE and match is not None and b'"kind":"deal"' in disk.written(path) and not self.is_published(match):
                self.dealt_early.append(path)

    def _check_removal(self, record: PurePath) -> None:
        data = self._durable_data(record)
        if data and last_kind(data) != "end":
            self.removed_early.append(record)

    # --- the network ---

    def opened(self, stream: Stream, identity: Identity) -> None:
        """A stream opens at the referee."""
        if isinstance(identity, KnownBot | SeatHolder):
            machine = self.machine
            self.streams[stream.number] = StreamNote(stream, identity, machine.world.now_ns, machine.life.number)

    def told(self, stream: Stream, response: bytes) -> None:
        """The referee sends something."""
        machine = self.machine
        now = machine.world.now_ns
        note = self.streams.get(stream.number)
        if note is None:
            self._shown(stream, response, now)
        else:
            message = referee_pb2.PlayResponse.FromString(response)
            if message.HasField("welcome"):
                self._welcomed(note)
            durable = self.durable(message.match) if message.match else 0
            life = machine.life.number
            told = Told(now, life, stream.number, note.identity, response, message, durable, self._order())
            told.is_end_kept = not message.HasField("match_ended") or self.keeps_end(message.match)
            told.is_published = not message.HasField("match_offered") or self.is_published(message.match)
            note.told.append(told)
            self.told_so_far.append(told)
            machine.world.note("told", stream.number, machine.world.digest_of(response))
            if message.match in self._awaited:
                self._count_down(message.match)
        if self.fate is not None:
            self.fate.told()

    def _shown(self, stream: Stream, response: bytes, now_ns: int) -> None:
        assert isinstance(stream.identity, Operator), "only the operator looks on here"
        match = self.watched[stream.number]
        message = spectate_pb2.WatchResponse.FromString(response)
        is_end_kept = not message.HasField("ended") or self.keeps_end(match)
        shown = Shown(now_ns, stream.number, message, self.durable(match), is_end_kept)
        self.shown[stream.number].append(shown)

    def _welcomed(self, note: StreamNote) -> None:
        """One bot has one open stream: the previous one must be closed by now."""
        for other in self.streams.values():
            if other is not note and other.identity == note.identity and not other.stream.is_closed_here:
                is_welcome = any(told.response.HasField("welcome") for told in other.told)
                if is_welcome:
                    other.left_open_for = note.stream.number

    def handed(self, stream: Stream, response: bytes) -> None:
        """The transport has taken responses of a stream, in their order."""
        note = self.streams.get(stream.number)
        if note is not None:
            while note._handed < len(note.told):
                told = note.told[note._handed]
                note._handed += 1
                if told.raw is response:
                    told.handed_ns = self.machine.world.now_ns
                    break

    def came(self, stream: Stream, request: bytes, stamp_ns: int) -> None:
        """A request arrives."""
        note = self.streams.get(stream.number)
        if note is None:
            return
        try:
            message = referee_pb2.PlayRequest.FromString(request)
        except DecodeError:
            message = referee_pb2.PlayRequest()
        machine = self.machine
        now = machine.world.now_ns
        came = Came(now, stamp_ns, machine.life.number, stream.number, note.identity, message, self._order())
        note.came.append(came)
        self.came_so_far.append(came)
        machine.world.note("came", stream.number, machine.world.digest_of(request))

    def closed(self, stream: Stream, why: str) -> None:
        """The transport knows that a stream is over."""
        note = self.streams.get(stream.number)
        if note is not None and note.closed_ns is None:
            note.closed_ns, note.closed_order, note.why = self.machine.world.now_ns, self._order(), why
            self.machine.world.note("closed", stream.number, why)
