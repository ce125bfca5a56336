"""What a process that plays does with each frame, and what it says of its matches."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import structlog
import trio
from mergemaker.v1 import matches_pb2, referee_pb2
from mergemaker_table.evidence import AtFault
from mergemaker_table.inputs import JoiningBegins, RoundTrip, Void

from mergemaker_referee.connections import CloseCode, Closing, Listener
from mergemaker_referee.identities import Operator
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.operator_calls import summary_of
from mergemaker_referee.matches.seat_link import Claim, GiveBack, Release, SeatLink
from mergemaker_referee.processes.announcing import AnnouncedMatch, ClaimedSeat
from mergemaker_referee.processes.channel import Channel
from mergemaker_referee.processes.far_log import FarLog
from mergemaker_referee.processes.far_sessions import FarConnection, FarSession, Numbers
from mergemaker_referee.processes.far_waits import FarWaits
from mergemaker_referee.processes.frames import Frame, Kind, Said, closing_bytes, identity_of, pair, unpair
from mergemaker_referee.referee import Referee
from mergemaker_referee.sessions.requests import NotTaken, TakeSeat, read

LIST_CURRENT: Final = "ListCurrent"
"""The call for all current matches; the one that serves makes pages of them."""
MATCH_GONE: Final = Closing(CloseCode.UNAVAILABLE, "match-gone", "the match is no longer kept here; come back", reconnect=True)
_LOG = structlog.get_logger(__name__)


class Player:
    """Takes frames, and gives them to the referee of this process."""

    def __init__(
        self,
        channel: Channel,
        referee: Referee,
        log: FarLog,
        waits: FarWaits,
        nursery: trio.Nursery,
        now_ns: Callable[[], int],
    ) -> None:
        self._now_ns: Final = now_ns
        self._channel: Final = channel
        self._referee: Final = referee
        self._handed: Final = Numbers()
        self._barriers: Final = Numbers()
        self._links: Final[dict[int, SeatLink]] = {}
        self._numbers: Final[dict[tuple[str, int], int]] = {}
        """By match and seat: the number of its link."""
        self._connections: Final[dict[int, FarConnection]] = {}
        """By number of a link: bots' and spectators'."""
        self._watchers: Final[dict[int, Listener]] = {}
        self._announced: Final[set[str]] = set()
        self._told_over: Final[set[str]] = set()
        self._held_up_ns = 0
        referee.on_change = self._changed
        referee.barrier = lambda passed: channel.send(Kind.BARRIER, self._barriers.add(lambda _: passed()))
        self._take: Final[dict[int, Callable[[Frame], None]]] = {
            Kind.REQUEST: self._take_request,
            Kind.HANDED: lambda came: self._handed.make(came.number, came.value),
            Kind.CLAIM: self._claim,
            Kind.SHOW_RESULT: self._claim,
            Kind.RELEASE: self._release,
            Kind.GIVE_BACK: self._give_back,
            Kind.ROUND_TRIP: self._take_round_trip,
            Kind.BEGIN_JOINING: self._begin_joining,
            Kind.VOID: self._void,
            Kind.PASSED: lambda came: self._barriers.make(came.number),
            Kind.HELD_UP: self._note_held_up,
            Kind.WATCH: self._watch,
            Kind.GONE: self._gone,
            Kind.CALL: self._call,
            Kind.LOGGED: lambda came: log.written.make(came.number),
            Kind.THREADS: lambda came: waits.covers(json.loads(came.data)),
            Kind.STOP: lambda _: nursery.cancel_scope.cancel(),
        }

    def take(self, came: Frame) -> None:
        """Does what a frame says."""
        self._take[came.kind](came)

    def served_held_up_ns(self) -> int:
        """How long the serving process was held up so far."""
        return self._held_up_ns

    # --- what is said of matches -------------------------------------------------------------------------------------

    def announce_all(self) -> None:
        """Announces the matches that were taken up or are shown again."""
        for match in self._referee.seating.matches.values():
            self._announce(match, is_taken_up=True)
            if match.is_over:
                self._tell_over(match)

    def _changed(self, match: HostedMatch) -> None:
        self._announce(match, is_taken_up=False)
        if match.is_over:
            self._tell_over(match)

    def _announce(self, match: HostedMatch, *, is_taken_up: bool) -> None:
        if match.id not in self._announced and match.id in self._referee.seating.matches:
            self._announced.add(match.id)
            keys = self._referee.seating.keys_of(match.id)
            self._channel.send(Kind.MATCH, data=AnnouncedMatch.of(match, keys, is_taken_up=is_taken_up).data())

    def _tell_over(self, match: HostedMatch) -> None:
        if match.id not in self._told_over:
            self._told_over.add(match.id)
            self._channel.send(Kind.OVER, data=pair(match.id, summary_of(match).SerializeToString()))

    def forget_old(self) -> None:
        """Forgets what belongs to matches that are no longer kept."""
        kept = self._referee.seating.matches
        for place in [place for place in self._numbers if place[0] not in kept]:
            self._drop(self._numbers.pop(place))
        self._announced.intersection_update(kept)
        self._told_over.intersection_update(kept)

    # --- seats -------------------------------------------------------------------------------------------------------

    def _claim(self, came: Frame) -> None:
        claimed = ClaimedSeat.read(came.data)
        match = self._referee.seating.matches.get(claimed.match)
        if match is None:
            self._channel.send(Kind.CLOSE, came.number, data=closing_bytes(MATCH_GONE))
            return
        place = (claimed.match, claimed.seat)
        if (before := self._numbers.pop(place, None)) is not None:
            self._drop(before)
        connection = FarConnection(self._channel, came.number, self._handed, self._barriers)
        link = connection.link = SeatLink(
            FarSession(self._channel, came.number, claimed, connection),
            match,
            claimed.seat,
        )
        self._numbers[place], self._links[came.number] = came.number, link
        self._connections[came.number] = connection
        if match.is_over:
            match.show_result(link, claimed.seen)
        else:
            match.links[link.seat] = link
            match.post(Claim(link, claimed.seen, connection, came.value))

    def _drop(self, number: int) -> SeatLink | None:
        """Forgets a link, and what it waits for."""
        self._forget_handed(number)
        return self._links.pop(number, None)

    def _forget_handed(self, number: int) -> None:
        connection = self._connections.pop(number, None)
        if connection is not None:
            connection.forget()

    def _release(self, came: Frame) -> None:
        self._forget_handed(came.number)
        link = self._links.get(came.number)
        if link is not None:
            link.session.connection = None
            link.lose()
            link.match.post(Release(link, came.data.decode()))

    def _give_back(self, came: Frame) -> None:
        link = self._drop(came.number)
        if link is not None:
            self._numbers.pop((link.match.id, link.seat), None)
            link.match.post(GiveBack(link, came.data.decode(), came.value))

    def _take_request(self, came: Frame) -> None:
        link = self._links.get(came.number)
        if link is None:
            return
        request = referee_pb2.PlayRequest.FromString(came.data)
        given = read(request, {request.match: link}, came.value, self._now_ns)
        assert not isinstance(given, TakeSeat | NotTaken), "the serving process sends only what is for a match"
        link.match.post(given)  # type: ignore[arg-type]  # see above: what is left is for a match

    def _take_round_trip(self, came: Frame) -> None:
        link = self._links.get(came.number)
        if link is not None:
            link.match.post(RoundTrip(link.seat, came.value))

    def _begin_joining(self, came: Frame) -> None:
        match = self._referee.seating.matches.get(came.data.decode())
        if match is not None and match.waits_to_join:
            match.post(JoiningBegins())

    def _void(self, came: Frame) -> None:
        id_, text, at_fault, reason = json.loads(came.data)
        match = self._referee.seating.matches.get(id_)
        if match is not None:
            match.post(Void(text, AtFault(at_fault), reason))

    def _note_held_up(self, came: Frame) -> None:
        self._held_up_ns = came.value

    # --- spectators and calls ----------------------------------------------------------------------------------------

    def _watch(self, came: Frame) -> None:
        who, request = unpair(came.data)
        connection = FarConnection(self._channel, came.number, self._handed, self._barriers)
        self._connections[came.number] = connection
        self._watchers[came.number] = self._referee.watch(connection, identity_of(who), request)

    def _gone(self, came: Frame) -> None:
        self._forget_handed(came.number)
        listener = self._watchers.pop(came.number, None)
        if listener is not None:
            listener.gone("gone")

    def _call(self, came: Frame) -> None:
        method, request = unpair(came.data)
        if method == LIST_CURRENT:
            summaries = map(summary_of, self._referee.seating.matches.values())
            self._reply(came.number, matches_pb2.ListMatchesResponse(matches=summaries).SerializeToString())
        else:
            self._referee.call(method, Operator(), request, partial(self._reply, came.number))

    def _reply(self, number: int, found: bytes | Path | Closing) -> None:
        if isinstance(found, Closing):
            self._channel.send(Kind.REPLY, number, more=Said.REFUSED, data=closing_bytes(found))
        else:
            assert isinstance(found, bytes), "records are read where the client is"
            self._channel.send(Kind.REPLY, number, more=Said.RESPONSE, data=found)
