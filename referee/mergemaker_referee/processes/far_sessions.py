"""Bots' sessions, as a match sees them whose process does not serve: what it sends goes through the channel."""

from collections.abc import Callable
from functools import partial
from typing import Final

from mergemaker_referee.connections import Closing, Connection, OnHanded
from mergemaker_referee.identities import KnownBot, Player
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.processes.announcing import ClaimedSeat
from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.frames import Kind, closing_bytes


class Numbers:
    """Calls that the serving process makes later, by the numbers that it gets for them."""

    def __init__(self) -> None:
        self._last = 0
        self._calls: Final[dict[int, Callable[[int], None]]] = {}

    def add(self, call: Callable[[int], None]) -> int:
        """The number for a call; never 0."""
        self._last = self._last % 0xFFFF_FFFF + 1
        self._calls[self._last] = call
        return self._last

    def __len__(self) -> int:
        return len(self._calls)

    def drop(self, number: int) -> None:
        """A call that need not be made any more."""
        self._calls.pop(number, None)

    def make(self, number: int, value: int = 0) -> None:
        """Makes a call, once."""
        call = self._calls.pop(number, None)
        if call is not None:
            call(value)


class FarConnection:
    """A stream to a client that the serving process holds: a `Connection`."""

    def __init__(self, channel: Channel, number: int, handed: Numbers, barriers: Numbers) -> None:
        self._channel: Final = channel
        self._number: Final = number
        self._handed: Final = handed
        self._barriers: Final = barriers
        self.link: SeatLink | None = None
        """The seat whose bot it reaches; None for a spectator's."""
        self.unread_bytes = 0
        """Counted for spectators only: bots' sessions are elsewhere."""
        self._awaited: Final[list[int]] = []
        """Numbers of what was sent and may not have been handed over."""

    @property
    def peer(self) -> str:
        """Not known here, and needed by nobody here."""
        return ""

    @property
    def held_up_ns(self) -> int:
        """Known where sessions are, which alone need it."""
        return 0

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Sends a response."""
        asked = 0
        if self.link is None:
            self.unread_bytes += len(response)
            handed = partial(self._taken, len(response))
        elif handed is not None:
            asked = self.link.unanswered or 0
        number = 0
        if handed is not None:
            number = self._handed.add(handed)
            if self.link is not None:
                self.forget()  # a bot is asked one question at a time
            self._awaited.append(number)
        self._channel.send(Kind.SEND, self._number, number, asked, response)

    def _taken(self, size: int, _at_ns: int) -> None:
        self.unread_bytes -= size
        if not self.unread_bytes:
            self._awaited.clear()

    def forget(self) -> None:
        """Nobody needs to know when it was handed over: the client is gone, or was sent something newer."""
        while self._awaited:
            self._handed.drop(self._awaited.pop())

    def barrier(self, passed: Callable[[], None]) -> None:
        """Calls back after everything that has come from this client by now."""
        self._channel.send(Kind.BARRIER, self._barriers.add(lambda _: passed()), self._number)

    def charge(self, cost_ns: int) -> None:
        """Charges the client's account."""
        self._channel.send(Kind.CHARGE, self._number, max(cost_ns, 0))

    def close(self, closing: Closing, last: bytes = b"") -> None:  # noqa: ARG002 - matches say nothing last
        """Ends the stream."""
        self._channel.send(Kind.CLOSE, self._number, data=closing_bytes(closing))


class _ToldEnds(set[str]):
    """The matches whose end was sent; the serving process learns of each before the response that says so."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell: Final = tell

    def add(self, match: str) -> None:
        """The end of a match is sent."""
        super().add(match)
        self._tell()


class FarSession:
    """A bot's session at one seat, from the claim of the seat on: a `BotSession`."""

    def __init__(self, channel: Channel, number: int, claimed: ClaimedSeat, connection: FarConnection) -> None:
        self._channel: Final = channel
        self._number: Final = number
        self.connection: Connection | None = connection
        self.trace = claimed.trace
        self.wants_events_at_once = claimed.wants_events_at_once
        self.bot_version = claimed.version
        self.round_trip_ns = claimed.round_trip_ns
        self.links: dict[str, SeatLink] = {}
        self.told_ends: set[str] = _ToldEnds(lambda: channel.send(Kind.TOLD_END, number))

    @property
    def identity(self) -> Player:
        """Whose session it is does not matter here."""
        return KnownBot("")

    def ping_if_due(self, now_ns: int, interval_ns: int) -> None:  # noqa: ARG002 - the serving process has these
        """Nothing is asked now: the serving process may measure the way."""
        self._channel.send(Kind.UNASKED, self._number)

    def question_handed(self) -> None:
        """The serving process has noted that itself."""

    def close(self, closing: Closing) -> None:
        """Ends the stream."""
        self._channel.send(Kind.CLOSE, self._number, data=closing_bytes(closing))
