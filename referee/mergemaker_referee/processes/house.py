"""One of the processes that play, as the process that serves knows it: its channel, its matches, and what was asked of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import trio

from mergemaker_referee.connections import CloseCode, Closing, Connection
from mergemaker_referee.matches.operator_calls import CallProblem
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.frames import Kind, Said, closing_of, pair

PROCESS_GONE: Final = Closing(
    CloseCode.UNAVAILABLE,
    "referee-closing",
    "a process of the referee has ended, and another one takes its place",
    reconnect=True,
)
NUMBER_MAX: Final = 0xFFFF_FFFF


class Housed(Protocol):
    """A match that the process plays."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""

    def lost(self) -> None:
        """Its process is gone."""


class HouseGone(Exception):
    """The process ended before it answered."""


@dataclass(frozen=True, slots=True)
class HeldLink:
    """A seat whose bot's responses come from this process."""

    match: Housed
    link: SeatLink
    connection: Connection | None
    """The stream on which the seat was claimed: another one gets nothing from this link."""


class House:
    """One process."""

    def __init__(self, number: int, folders: tuple[Path, ...]) -> None:
        self.number: Final = number
        self.folders: Final = folders
        self.channel: Channel | None = None
        self.is_there = False
        """Whether its matches are announced, so that it can be spoken to."""
        self.came: trio.Event = trio.Event()
        """Set when it is there; another one for each life."""
        self.status: int | None = None
        """How its last process ended: an exit status, or minus the number of a signal; None before."""
        self.matches: Final[dict[str, Housed]] = {}
        """By id: those that are seated here."""
        self.announced: Final[set[str]] = set()
        """The matches that this life of the process has announced."""
        self.links: Final[dict[int, HeldLink]] = {}
        self.watchers: Final[dict[int, Connection]] = {}
        self._last = 0
        self._calls: Final[dict[int, trio.MemorySendChannel[bytes | Closing]]] = {}

    @property
    def load(self) -> int:
        """How many matches it plays."""
        return sum(not match.is_over for match in self.matches.values())

    def send(self, kind: Kind, number: int = 0, value: int = 0, data: bytes = b"") -> None:
        """Sends a frame, if there is a process."""
        if self.channel is not None:
            self.channel.send(kind, number, value, data=data)

    def fresh(self) -> int:
        """A number that names nothing yet."""
        self._last = self._last % NUMBER_MAX + 1
        return self._last

    def link(self, match: Housed, link: SeatLink, connection: Connection | None) -> int:
        """The number of a seat that is claimed."""
        number = self.fresh()
        self.links[number] = HeldLink(match, link, connection)
        return number

    def unlink(self, number: int) -> None:
        """A seat is claimed no longer, or again."""
        self.links.pop(number, None)

    def holds(self, number: int, link: SeatLink) -> bool:
        """Whether a number is of this link."""
        held = self.links.get(number)
        return held is not None and held.link is link

    async def call(self, method: str, request: bytes) -> bytes:
        """Has the process answer a call. Raises `HouseGone` if it ends before."""
        if not self.is_there:
            raise HouseGone
        number = self.fresh()
        send, receive = trio.open_memory_channel[bytes | Closing](1)
        self._calls[number] = send
        self.send(Kind.CALL, number, data=pair(method, request))
        try:
            found = await receive.receive()
        except trio.EndOfChannel:
            raise HouseGone from None
        finally:
            self._calls.pop(number, None)
        if isinstance(found, Closing):
            raise CallProblem(found.code, found.reason, found.text)
        return found

    def replied(self, number: int, said: int, data: bytes) -> None:
        """A call is answered."""
        call = self._calls.get(number)
        if call is not None:
            call.send_nowait(closing_of(data) if said == Said.REFUSED else data)

    def began(self, channel: Channel) -> None:
        """A process begins."""
        self.channel = channel
        self.announced.clear()

    def lost(self, tell: Callable[[SeatLink], None]) -> None:
        """The process is gone: its bots are told so, its spectators and callers, too."""
        self.is_there, self.channel, self.came = False, None, trio.Event()
        for match in self.matches.values():
            match.lost()
        held = list(self.links.values())
        self.links.clear()
        for each in held:
            if not each.match.is_over and each.link.session.connection is each.connection:
                tell(each.link)
        for watcher in self.watchers.values():
            watcher.close(PROCESS_GONE)
        self.watchers.clear()
        for call in tuple(self._calls.values()):
            call.close()
