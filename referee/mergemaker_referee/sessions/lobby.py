"""Where bots arrive: they say who they are and take seats, and their requests go to their matches."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final, assert_never

import structlog
from mergemaker.v1 import referee_pb2
from mergemaker_engine.errors import Refusal
from mergemaker_engine.shown import shown
from mergemaker_table.inputs import Answered, Resign, RoundTrip, SeatCommitted, SeatRevealed

from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.identities import KnownBot, Player
from mergemaker_referee.matches import telling
from mergemaker_referee.matches.encoding import Part, match_part, part
from mergemaker_referee.matches.seat_link import Claim, GiveBack, Release, SeatedMatch, SeatLink
from mergemaker_referee.records.secrets_file import SeatKey
from mergemaker_referee.sessions.greeting import Greeter, LogHeads
from mergemaker_referee.sessions.listening import PlayListener
from mergemaker_referee.sessions.requests import KINDS_FOR_MATCH, DeclineSeat, NotTaken, Ping, Pong, TakeSeat, no_seat, read
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.sessions.session import Session
from mergemaker_referee.sessions.starting import Starter

_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)
DECLINE_REASON: Final = re.compile(r"[a-z0-9-]{1,64}")
DECLINE_CHARACTERS_MAX: Final = 200
"""The most characters of the text beside the reason."""
STREAM_NAME_BYTES: Final = 6
"""Random. A number that counts up would tell a bot how often others come."""

NO_PONG: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "no-pong", "a ping was not answered in time", reconnect=True)


class Lobby:
    """All sessions, and the way from them to the matches."""

    def __init__(
        self,
        seating: Seating[Any],
        limits: Limits,
        about: About,
        clocks: Clocks,
        random_bytes: Callable[[int], bytes],
        log_head: LogHeads | None = None,
    ) -> None:
        """`log_head` is that of the public log at the time, if there is one: a Welcome has it."""
        self._seating: Final[Seating[Any]] = seating
        self._limits: Final = limits
        self._now_ns: Final = clocks.now_ns
        self._awake_ns: Final = clocks.awake_ns
        self._work_ns: Final = clocks.work_ns
        self._random_bytes: Final = random_bytes
        self._greeter: Final = Greeter(limits, about, clocks.awake_ns, random_bytes, self.leave, clocks.are_breaks_ours, log_head)
        self._starter: Final = Starter(seating, clocks, self._session_of, self._seat_now)

    @property
    def sessions(self) -> int:
        """How many there are, with and without a stream."""
        return len(self._greeter.sessions)

    # --- streams -----------------------------------------------------------------------------------------------------

    def play(self, connection: Connection, identity: Player) -> Listener:
        """A bot's stream is open; waits for its first request."""
        trace = f"t{self._random_bytes(STREAM_NAME_BYTES).hex()}"
        return PlayListener(self, self._greeter, connection, identity, trace, self._work_ns)

    def begin(self, session: Session, hello: referee_pb2.Hello, at_ns: int) -> None:
        """A session has said Hello, or is back: shows its seats again."""
        session.heard_hello(at_ns, self._now_ns())
        # The bot asks again for what it waited for, even if this stream comes before the end of the last one is noticed.
        self._seating.waiting.pop(session.id, None)
        self._ping_if_due(session)  # before there is a question to ask: a match may begin with the first seat that is taken
        seen = {each.match: each.last_event for each in hello.resume.seen}
        session.seats_untold = len(session.links.keys() - seen.keys())
        for link in tuple(session.links.values()):
            self._claim(link, seen.pop(link.match.id, 0), at_ns)
        if session.is_resumed:
            self._claim_named(session, seen, at_ns)

    def _claim_named(self, session: Session, seen: dict[str, int], at_ns: int) -> None:
        """Gives a session the seats of matches that its bot says it plays, but that the session does not know.

        The bot's claim, or the end that it was sent, was lost with the stream before. It does not ask again.
        """
        for match, last_event in seen.items():
            if match:
                session.told_ends.discard(match)
                self._take_seat(session, match, None, at_ns, last_event)

    def leave(self, session: Session, why: str) -> None:
        """A session has lost its stream."""
        session.detach(self._awake_ns())
        self._seating.waiting.pop(session.id, None)
        for link in session.links.values():
            link.match.post(Release(link, why))

    # --- requests ----------------------------------------------------------------------------------------------------

    def take(self, session: Session, request: referee_pb2.PlayRequest, at_ns: int) -> bool:
        """Deals with a request that is no Hello; returns whether the bot was asked for it."""
        link = session.links.get(request.match)
        if link is not None and link.match.forward is not None and request.WhichOneof("kind") in KINDS_FOR_MATCH:
            link.match.forward(link, request, at_ns)
            return request.HasField("answer") and link.answers(request.answer.decision)
        given = read(request, session.links, at_ns, self._now_ns)
        match given:
            case Answered():
                link = session.links[request.match]
                was_asked = link.answers(given.decision_id)
                link.match.post(given)
                return was_asked
            case Resign() | SeatCommitted() | SeatRevealed():
                session.links[request.match].match.post(given)
            case TakeSeat(match, seat):
                self._take_seat(session, match, seat, session.would_have_come_ns(at_ns))
            case DeclineSeat():
                self._decline(session, given, at_ns)
            case Ping(number):
                self._say(session, "", part("pong", referee_pb2.Pong(id=number)))
            case Pong(number):
                return self._take_pong(session, number, at_ns)
            case NotTaken():
                self._refuse(session, given)
            case _:
                assert_never(given)
        return False

    def _take_pong(self, session: Session, number: int, at_ns: int) -> bool:
        """Returns whether the bot was asked for it: whether this is the expected pong."""
        was_asked = session.awaits_pong(number)
        way = session.pong(number, at_ns)
        if way is not None:
            for link in session.links.values():
                link.match.post(RoundTrip(link.seat, way))
            self._ping_if_due(session)
        return was_asked

    def _decline(self, session: Session, declined: DeclineSeat, at_ns: int) -> None:
        """Takes a seat back; any bot that may have it can take it from now on."""
        link = session.links.get(declined.match)
        if link is None or link.match.is_over:
            self._refuse(session, NotTaken(declined.match, "decline_seat", no_seat(declined.match, session.links)))
        elif not DECLINE_REASON.fullmatch(declined.reason):
            text = f"a reason to decline a seat has 1 to 64 of a-z 0-9 -, not {shown(declined.reason)}"
            self._refuse(session, NotTaken(declined.match, "decline_seat", Refusal("bad-reason", text)))
        elif len(declined.text) > DECLINE_CHARACTERS_MAX or not declined.text.isprintable():
            text = f"text has at most {DECLINE_CHARACTERS_MAX} characters, all of which can be printed"
            self._refuse(session, NotTaken(declined.match, "decline_seat", Refusal("bad-reason", text)))
        else:
            why = f"{declined.reason}: {declined.text}" if declined.text else declined.reason
            _LOG.info("a bot declines a seat", trace=session.trace, match=link.match.id, seat=link.seat, why=why)
            del session.links[link.match.id]
            session.declined.add(link.match.id)
            link.match.post(GiveBack(link, why, at_ns))

    def _refuse(self, session: Session, what: NotTaken) -> None:
        """Refuses a request, with the name by which the operator finds it."""
        refusal = replace(what.refusal, trace=session.trace)
        if what.decision is not None:
            self._say(session, what.match, telling.answer_refused(what.decision, refusal, None))
            return
        _LOG.debug("a request was refused", trace=session.trace, request=what.request, reason=refusal.reason)
        self._say(session, what.match, telling.request_refused(what.request, refusal))

    def _say(self, session: Session, match: str, said: Part) -> None:
        if session.connection is not None:
            session.connection.send((match_part(match) if match else b"") + said.data)

    # --- seats -------------------------------------------------------------------------------------------------------

    def _take_seat(self, session: Session, match: str, seat: int | None, at_ns: int, seen: int = 0) -> None:
        found = self._seating.find(session, match, seat)
        if found is None:
            if match or session.playing + self._seating.awaited_by(session) < session.matches_max:
                self._wait(session, match)
                return
            if session.seats_untold:
                # Its stream broke before it heard that it has the seat. It asks again, so it is shown the seat.
                session.seats_untold -= 1
                return
            found = self._too_many(session)
        if isinstance(found, Refusal):
            self._refuse(session, NotTaken(match, "take_seat", found))
            return
        hosted, number = found
        if hosted.id not in session.links and not session.has_room:
            self._refuse(session, NotTaken(match, "take_seat", self._too_many(session)))
            return
        self._seat(session, hosted, number, at_ns, seen)

    def _wait(self, session: Session, match: str) -> None:
        """A known bot waits for any match, or for this one."""
        self._seating.wait(session, match)
        if isinstance(session.identity, KnownBot):
            self._starter.look((session.identity.name,))

    def _too_many(self, session: Session) -> Refusal:
        return Refusal(
            "too-many-matches",
            f"this session plays {session.matches_max} at once, by its Hello and the limit here; it takes more when one is over",
        )

    def _seat(self, session: Session, match: SeatedMatch, seat: int, at_ns: int, seen: int = 0) -> None:
        session.declined.discard(match.id)
        link = session.links.get(match.id)
        if link is None or link.seat != seat:
            link = session.links[match.id] = SeatLink(session, match, seat)
        elif not link.is_shown:
            return  # it was claimed when the stream began, with what its bot has seen, and is shown soon
        self._claim(link, seen, at_ns)

    def _claim(self, link: SeatLink, seen: int, at_ns: int) -> None:
        if link.match.is_over:
            link.match.show_result(link, seen)
            link.session.links.pop(link.match.id, None)
        else:
            link.match.links[link.seat] = link
            link.match.post(Claim(link, seen, link.session.connection, at_ns))

    def _session_of(self, bot: str) -> Session | None:
        return self._greeter.session_of(KnownBot(bot))

    def _seat_now(self, session: Session, match: SeatedMatch, seat: int) -> None:
        self._seat(session, match, seat, self._now_ns())

    def match_made(self, match: SeatedMatch, keys: Sequence[SeatKey], *, is_taken_up: bool = False) -> None:
        """Gives a new match's seats to the known bots that wait for one, if its time to join runs."""
        self._starter.made(match, keys, is_taken_up=is_taken_up)

    def match_over(self, match: SeatedMatch) -> None:
        """Frees the sessions of a match that is over."""
        for link in match.links:
            if link is not None and link.session.connection is not None and link.is_shown:
                link.session.links.pop(match.id, None)
        bots = self._seating.bots_of(match)
        if self._seating.over_ahead(match):
            self._tell_those_who_asked(match, bots)
        self._starter.look(bots)

    def _tell_those_who_asked(self, match: SeatedMatch, bots: Collection[str]) -> None:
        """A match has ended before its time to join began: shows that to bots that asked for it by name."""
        for bot in bots:
            session = self._session_of(bot)
            waiting = None if session is None else self._seating.waiting.get(session.id)
            if session is not None and waiting is not None and match.id in waiting.named:
                self._seating.stop_waiting(session, match.id)
                self._take_seat(session, match.id, None, self._now_ns())

    def look_after_matches_ahead(self) -> None:
        """Begins the time to join if a named time has come, and gives up matches that have waited too long."""
        self._starter.look_at_all()

    # --- housekeeping ------------------------------------------------------------------------------------------------

    def look_after_sessions(self) -> None:
        """Ends streams that never say Hello or do not answer pings, sends pings, and forgets bots that are away too long."""
        now = self._awake_ns()
        self._greeter.end_silent(now)
        for session in tuple(self._greeter.sessions.values()):
            session.declined.intersection_update(self._seating.matches)
            if session.connection is None:
                self._forget_if_away(session, now)
            elif session.ping_sent_ns is None:
                self._ping_if_due(session)
            elif not session.may_be_silent and now - session.ping_sent_ns > self._limits.pong_ms_max * _NS_PER_MS:
                session.close(NO_PONG)

    def _ping_if_due(self, session: Session) -> None:
        """Sends a ping, if it is time for one."""
        session.ping_if_due(self._awake_ns(), self._limits.ping_interval_ms * _NS_PER_MS)

    def _forget_if_away(self, session: Session, now: int) -> None:
        for match in [link.match for link in session.links.values() if link.match.is_over]:
            if now - (session.away_since_ns or now) > self._limits.session_keep_ms * _NS_PER_MS:
                del session.links[match.id]
        is_long = session.away_since_ns is not None and now - session.away_since_ns > self._limits.session_keep_ms * _NS_PER_MS
        if is_long and not session.links:
            self._greeter.forget(session)
