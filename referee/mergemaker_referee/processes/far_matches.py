"""A match that another process plays, as the process that serves seats its bots: a `SeatedMatch`."""

from collections.abc import Callable, Mapping
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_table.inputs import JoiningBegins, RoundTrip, Void

from mergemaker_referee.connections import Connection
from mergemaker_referee.matches.seat_link import Claim, GiveBack, Inbound, Release, SeatLink
from mergemaker_referee.processes.announcing import AnnouncedMatch, ClaimedSeat
from mergemaker_referee.processes.frames import Kind, as_json
from mergemaker_referee.processes.house import House


class FarMatch:
    """What bots do at its seats goes through the channel of its process; while that is gone, claims of seats wait."""

    def __init__(self, announced: AnnouncedMatch, house: House) -> None:
        self.announced = announced
        self.house: Final = house
        self.id: Final = announced.match
        self.links: Final[list[SeatLink | None]] = [None] * len(announced.keys)
        self.awaited: Callable[[], Mapping[str, str]] = dict
        self.waits_to_join = announced.waits_to_join
        self.is_over = announced.is_shown_again
        self.is_shown_again = announced.is_shown_again
        self.created: Final = announced.created
        self.joining: Final = announced.joining
        self.recovery_grace_ms: Final = announced.recovery_grace_ms
        self.is_without_clock: Final = announced.is_without_clock
        self._void: Void | None = None
        """Why it is to be void, if it is."""
        self._numbers: Final[dict[int, int]] = {}
        """By seat: the number of its link in the channel."""
        self._waiting: Final[dict[int, tuple[SeatLink, int, Connection | None, int]]] = {}
        """By seat: the claim that waits until the process is there again."""

    def post(self, given: Inbound) -> None:
        """Sends what happens at a seat."""
        house = self.house
        match given:
            case Claim(link, seen, connection, at_ns):
                self._claim(link, seen, connection, at_ns)
            case Release(link, why):
                self._waiting.pop(link.seat, None)
                self._send(Kind.RELEASE, link, data=why.encode())
            case GiveBack(link, why, at_ns):
                self._waiting.pop(link.seat, None)
                self._send(Kind.GIVE_BACK, link, at_ns, why.encode())
                self.forget(link)
            case RoundTrip(seat, round_trip_ns) if seat in self._numbers:
                house.send(Kind.ROUND_TRIP, self._numbers[seat], round_trip_ns)
            case JoiningBegins():
                self.waits_to_join = False
                house.send(Kind.BEGIN_JOINING, data=self.id.encode())
            case Void(text, at_fault, reason):
                self._void = given
                house.send(Kind.VOID, data=as_json([self.id, text, at_fault, reason]))
            case _:
                pass  # a way that was measured before the seat was claimed again; all else is forwarded

    def forward(self, link: SeatLink, request: referee_pb2.PlayRequest, at_ns: int) -> None:
        """Sends a request to where it is read."""
        self._send(Kind.REQUEST, link, at_ns, request.SerializeToString())

    def show_result(self, link: SeatLink, seen: int) -> None:
        """Has the end shown to a bot that comes back after it."""
        self._claim(link, seen, link.session.connection, 0)

    def _send(self, kind: Kind, link: SeatLink, value: int = 0, data: bytes = b"") -> None:
        number = self._numbers.get(link.seat)
        if number is not None and self.house.holds(number, link):
            self.house.send(kind, number, value, data)

    def _claim(self, link: SeatLink, seen: int, connection: Connection | None, at_ns: int) -> None:
        self.forget(link)
        if not self.house.is_there:
            self._waiting[link.seat] = (link, seen, connection, at_ns)
            return
        number = self._numbers[link.seat] = self.house.link(self, link, connection)
        session = link.session
        claimed = ClaimedSeat(
            match=self.id,
            seat=link.seat,
            seen=seen,
            trace=session.trace,
            version=session.bot_version,
            wants_events_at_once=session.wants_events_at_once,
            round_trip_ns=session.round_trip_ns,
        )
        self.house.send(Kind.SHOW_RESULT if self.is_over else Kind.CLAIM, number, at_ns, claimed.data())

    def forget(self, link: SeatLink) -> None:
        """Drops the number of a seat: what still comes for it is for an older stream."""
        number = self._numbers.pop(link.seat, None)
        if number is not None:
            self.house.unlink(number)

    def lost(self) -> None:
        """Its process is gone."""
        self._numbers.clear()

    def is_back(self, announced: AnnouncedMatch) -> None:
        """Its process is there again, and has taken it up: claims that waited are made."""
        begins = announced.waits_to_join and not self.waits_to_join
        self.announced = announced
        self.is_over = self.is_over or announced.is_shown_again
        if begins:
            self.post(JoiningBegins())
        if self._void is not None:
            self.post(self._void)
        waiting = list(self._waiting.values())
        self._waiting.clear()
        for link, seen, connection, at_ns in waiting:
            if connection is not None and link.session.connection is connection:
                self._claim(link, seen, connection, at_ns)
