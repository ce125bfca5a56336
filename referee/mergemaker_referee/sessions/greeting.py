"""The first request of a stream, and the session that follows: a new one, or a resumed one."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeAlias

import structlog
from mergemaker.v1 import public_log_pb2, referee_pb2
from mergemaker_engine.record.commitments import MATCH_ID_BYTES_MAX
from mergemaker_engine.shown import shown
from mergemaker_wire.fields import at_least_one

from mergemaker_referee.about import About
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import BOT_NAME_CHARACTERS_MAX
from mergemaker_referee.connections import CloseCode, Closing, Connection
from mergemaker_referee.identities import KnownBot, Player
from mergemaker_referee.matches.encoding import part
from mergemaker_referee.sessions.session import Session, end_stream
from mergemaker_referee.tokens import TokenBook

LogHeads: TypeAlias = Callable[[], public_log_pb2.LogHead]
"""The head of the public log at the time."""
PROTOCOL: Final = 1
"""The version that this referee speaks."""
SEEN_SHARE: Final = 2
"""A bot that comes back may name at most this many times as many matches as it may play at once."""
OLDEST_PROTOCOL: Final = max(1, PROTOCOL - 1)
"""It also serves clients that speak the version before, if there is one."""
PROTOCOLS_MAX: Final = 16
"""The most versions that a Hello names."""
CAPABILITIES_MAX: Final = 64
CAPABILITY: Final = re.compile(r"[a-z0-9:_-]{1,64}")
_NS_PER_MS: Final = 1_000_000
SESSION_ID_BYTES: Final = 6
"""Random. A number that counts up would tell a bot how often others come."""
_LOG = structlog.get_logger(__name__)

NO_HELLO: Final = Closing(CloseCode.INVALID_ARGUMENT, "no-hello", "the first request of a stream is a Hello")
HELLO_LATE: Final = Closing(CloseCode.DEADLINE_EXCEEDED, "no-hello", "no Hello came in time", reconnect=True)
TAKEN_OVER: Final = Closing(CloseCode.ABORTED, "taken-over", "another stream has taken this session or its seats over")
SESSION_ALIVE: Final = Closing(
    CloseCode.ALREADY_EXISTS,
    "session-alive",
    "another session with this token is alive; end it, or say `evict` in the Hello, which ends it",
)
MAYBE_ALIVE: Final = Closing(
    CloseCode.UNAVAILABLE,
    SESSION_ALIVE.reason,
    "another session with this token is alive, or broke off while the referee stood still, which will be known soon; try again",
    reconnect=True,
)
TOO_MANY: Final = Closing(
    CloseCode.RESOURCE_EXHAUSTED,
    "too-many-sessions",
    "as many bots are connected as this referee takes; try again later",
    reconnect=True,
)


def chosen_protocol(spoken: Sequence[int]) -> int | None:
    """The newest version that both sides speak; None if there is none. A client that names no version speaks 1; 0 means 1."""
    return max((each for each in map(at_least_one, spoken or (1,)) if OLDEST_PROTOCOL <= each <= PROTOCOL), default=None)


def _check_capabilities(names: Sequence[str]) -> Closing | None:
    """Refuses what cannot be the name of a capability. An unknown capability is no problem."""
    if len(names) > CAPABILITIES_MAX:
        text = f"capabilities has at most {CAPABILITIES_MAX} names, not {len(names)}"
        return Closing(CloseCode.INVALID_ARGUMENT, "too-many-capabilities", text)
    wrong = [name for name in names if not CAPABILITY.fullmatch(name)]
    if not wrong:
        return None
    text = f"a capability has 1 to 64 of a-z 0-9 - : _, not {shown(wrong[0])}"
    return Closing(CloseCode.INVALID_ARGUMENT, "bad-capability", text)


class Greeter:
    """Makes sessions from streams."""

    def __init__(
        self,
        limits: Limits,
        about: About,
        now_ns: Callable[[], int],
        random_bytes: Callable[[int], bytes],
        on_leave: Callable[[Session, str], None],
        are_breaks_ours: Callable[[], bool] = lambda: False,
        log_head: LogHeads | None = None,
    ) -> None:
        """`are_breaks_ours` says whether connections may have broken by now because the referee stood still."""
        self._log_head: Final = log_head
        self._limits: Final = limits
        self._about: Final = about
        self._random_bytes: Final = random_bytes
        self._on_leave: Final = on_leave
        self._are_breaks_ours: Final = are_breaks_ours
        self._now_ns: Final = now_ns
        self._silent: Final[dict[Connection, tuple[int, str]]] = {}
        """Streams that have not said Hello: when they opened, and their names in the log."""
        self.sessions: Final[dict[str, Session]] = {}
        self._resuming: Final[TokenBook[Session]] = TokenBook()
        """By the token that resumes each session."""
        self._by_identity: Final[dict[Player, Session]] = {}

    def await_hello(self, connection: Connection, trace: str = "") -> None:
        """A stream is open; `trace` names it in the log."""
        self._silent[connection] = (self._now_ns(), trace)

    def await_no_more(self, connection: Connection) -> None:
        """It has said Hello, or is gone."""
        self._silent.pop(connection, None)

    def end_silent(self, now_ns: int) -> None:
        """Ends streams that say nothing for too long."""
        for connection, (since, trace) in tuple(self._silent.items()):
            if now_ns - since > self._limits.hello_ms_max * _NS_PER_MS:
                self.await_no_more(connection)
                end_stream(connection, HELLO_LATE, trace)

    def greet(
        self, connection: Connection, identity: Player, request: referee_pb2.PlayRequest, trace: str = ""
    ) -> Session | Closing:
        """The session of a stream, already welcomed; or why there is none."""
        self.await_no_more(connection)
        if not request.HasField("hello"):
            return NO_HELLO
        hello = request.hello
        problem = self._check(hello)
        if problem is not None:
            return problem
        session = self._resumed(identity, hello)
        is_resumed = session is not None
        if session is None:
            fresh = self._fresh(identity, hello)
            if isinstance(fresh, Closing):
                return fresh
            session = fresh
        elif session.connection is not None:
            # The bot noticed before us that its stream is broken.
            session.close(TAKEN_OVER)
        session.is_resumed = is_resumed
        self._attach(session, connection, hello, trace)
        self._welcome(session)
        return session

    def _check(self, hello: referee_pb2.Hello) -> Closing | None:
        if len(hello.protocols) > PROTOCOLS_MAX:
            text = f"protocols has at most {PROTOCOLS_MAX} versions, not {len(hello.protocols)}"
            return Closing(CloseCode.INVALID_ARGUMENT, "too-many-protocols", text)
        if chosen_protocol(hello.protocols) is None:
            spoken = ", ".join(map(str, hello.protocols))
            return Closing(
                CloseCode.FAILED_PRECONDITION,
                "protocol-version",
                f"this referee speaks version {PROTOCOL} of the protocol, and the client {spoken}: "
                f"update the {'referee' if min(hello.protocols) > PROTOCOL else 'client'}",
            )
        problem = _check_capabilities(hello.capabilities)
        if problem is not None:
            return problem
        for name, text in (("bot_name", hello.bot_name), ("bot_version", hello.bot_version), ("library", hello.library)):
            if len(text) > BOT_NAME_CHARACTERS_MAX or not text.isprintable():
                return Closing(
                    CloseCode.INVALID_ARGUMENT,
                    "bad-name",
                    f"{name} has at most {BOT_NAME_CHARACTERS_MAX} characters, all of which can be printed",
                )
        return self._check_seen(hello.resume.seen)

    def _check_seen(self, seen: Collection[referee_pb2.SeenMatch]) -> Closing | None:
        most = SEEN_SHARE * self._limits.matches_per_stream_max
        if len(seen) > most:
            text = f"resume.seen names at most {most} matches here, those that go on; not {len(seen)}"
            return Closing(CloseCode.INVALID_ARGUMENT, "too-many-seen", text)
        longest = max((len(each.match) for each in seen), default=0)
        if longest > MATCH_ID_BYTES_MAX:
            text = f"a match's name has at most {MATCH_ID_BYTES_MAX} characters, not {longest}"
            return Closing(CloseCode.INVALID_ARGUMENT, "bad-name", text)
        return None

    def _resumed(self, identity: Player, hello: referee_pb2.Hello) -> Session | None:
        """The session to resume. An unknown token begins a new one: the referee may have been restarted."""
        if not hello.HasField("resume"):
            return None
        session = self._resuming.find(hello.resume.resume_token)
        return session if session is not None and session.identity == identity else None

    def _fresh(self, identity: Player, hello: referee_pb2.Hello) -> Session | Closing:
        before = self._by_identity.get(identity)
        if before is not None and before.connection is not None:
            if not hello.evict:
                return MAYBE_ALIVE if self._are_breaks_ours() else SESSION_ALIVE
            before.close(TAKEN_OVER)
            self._on_leave(before, TAKEN_OVER.reason)
        if before is None and len(self.sessions) >= self._limits.sessions_max:
            return TOO_MANY
        name = identity.name if isinstance(identity, KnownBot) else hello.bot_name
        session = Session(f"s{self._random_bytes(SESSION_ID_BYTES).hex()}", identity, name)
        if before is not None:
            self.forget(before)  # its seats are the bot's in any session: TakeSeat claims them
        self.sessions[session.id] = session
        self._by_identity[identity] = session
        return session

    def _attach(self, session: Session, connection: Connection, hello: referee_pb2.Hello, trace: str) -> None:
        protocol = chosen_protocol(hello.protocols)
        assert protocol is not None, "the Hello was checked"
        session.protocol = protocol
        session.capabilities = frozenset(hello.capabilities)
        session.bot_version, session.library = hello.bot_version, hello.library
        session.wants_events_at_once = hello.event_mode == referee_pb2.EVENT_MODE_IMMEDIATE
        # The Welcome has the limit, so that a bot that asked for more knows what it has.
        session.matches_max = min(at_least_one(hello.matches_max), self._limits.matches_per_stream_max)
        session.attach(connection, trace)

    def _welcome(self, session: Session) -> None:
        self._resuming.remove(session.resume_hash)
        token = session.new_resume_token(self._random_bytes)
        self._resuming.add(session.resume_hash, session)
        limits = self._limits
        welcome = referee_pb2.Welcome(
            protocol=session.protocol,
            session=session.id,
            resume_token=token,
            software=self._about.software,
            signing_key=self._about.signing_key,
            earlier_signing_keys=self._about.earlier_signing_keys,
            resumed=session.is_resumed,
            bot_name=session.bot_name,
            log_head=None if self._log_head is None else self._log_head(),
            limits=referee_pb2.Limits(
                request_bytes_max=limits.request_bytes,
                note_bytes_max=limits.note_bytes_max,
                unread_bytes_max=limits.unread_bytes_max,
                requests_per_s_max=limits.requests_per_s_max,
                matches_max=limits.matches_per_stream_max,
                pong_ms_max=limits.pong_ms_max,
            ),
        )
        assert session.connection is not None, "a session that is welcomed has a stream"
        session.connection.send(part("welcome", welcome).data)
        said = {
            "session": session.id,
            "bot": session.bot_name,
            "version": session.bot_version,
            "library": session.library,
            "resumed": session.is_resumed,
        }
        _LOG.info("a bot is there", trace=session.trace, **said)

    def session_of(self, identity: Player) -> Session | None:
        """The session of a bot."""
        return self._by_identity.get(identity)

    def forget(self, session: Session) -> None:
        """Drops a session that nobody will resume."""
        self.sessions.pop(session.id, None)
        self._resuming.remove(session.resume_hash)
        if self._by_identity.get(session.identity) is session:
            del self._by_identity[session.identity]
