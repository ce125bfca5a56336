"""A referee for one bot in a process of its own: it asks a recorded seat's questions over the protocol."""

import secrets
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, assert_never

import trio
from mergemaker.v1 import referee_pb2
from mergemaker_engine.errors import Refusal
from mergemaker_processes.bot_names import CommandBot, ScriptBot
from mergemaker_processes.confinement.confining import Confining
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_processes.environment import Address
from mergemaker_processes.launching import Launch
from mergemaker_processes.logs import last_lines, new_log_files
from mergemaker_processes.texts import shown_path
from mergemaker_referee.about import About
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing, Connection, Listener
from mergemaker_referee.identities import Identity, SeatHolder
from mergemaker_referee.matches import telling
from mergemaker_referee.matches.encoding import match_part, part
from mergemaker_referee.rpc.front import Reply
from mergemaker_referee.rpc.server import Listen, Server
from mergemaker_referee.serving import software_text
from mergemaker_referee.sessions.greeting import Greeter
from mergemaker_referee.sessions.listening import PlayListener
from mergemaker_referee.sessions.requests import DeclineSeat, NotTaken, Ping, Pong, TakeSeat, read
from mergemaker_referee.sessions.session import Session
from mergemaker_referee.tokens import TokenBook, TokenKind, fresh_token, token_hash
from mergemaker_table.inputs import Answered, Resign, SeatCommitted, SeatRevealed

from mergemaker_tools.play.games import STOP_GRACE_MS, STOP_SIGNALS
from mergemaker_tools.play.players import WAITING_THREADS_MAX, ProcessPlayer
from mergemaker_tools.play.seating import BOT_NAME_CHARACTERS_MAX, command_of, launch_at, launched_aside
from mergemaker_tools.problems import CommandFailed, Interrupted
from mergemaker_tools.shadowing.seat import RecordedSeat

SHOWN_LINES_MAX: Final = 500
"""How many lines of a bot's standard error are shown at the end."""
_ADDRESS: Final = "127.0.0.1:0"
_STRANGER: Final = Closing(CloseCode.UNAUTHENTICATED, "wrong-token", "this referee waits for one bot, and this is not its token")
_PLAY_ONLY: Final = Closing(CloseCode.PERMISSION_DENIED, "no-calls", "this referee has one seat to play, and nothing else")


@dataclass(frozen=True, slots=True)
class _Place:
    """The one seat that there is, whatever its bot calls the match."""

    seat: int


class ShadowFront:
    """The referee of one bot."""

    def __init__(self, seat: RecordedSeat, token: str) -> None:
        limits = Limits(stop_grace_ms=STOP_GRACE_MS)
        self.listen: Final = Listen(addresses=(_ADDRESS,), limits=limits)
        self.seat: Final = seat
        about = About(software_text())
        self.about: Final = about.message().SerializeToString()
        """What it says of itself."""
        self.greeter: Final = Greeter(limits, about, time.monotonic_ns, secrets.token_bytes, self.leave)
        self._book: Final[TokenBook[Identity]] = TokenBook()
        self._book.add(token_hash(token), SeatHolder(seat.setup.match, seat.number))
        self._holder: Session | None = None
        """The session that has taken the seat."""
        self.has_resigned = False
        self.moved = trio.Event()
        """Set when the bot has taken its seat or has answered, and then replaced by a new one."""

    @property
    def awaited(self) -> str:
        """What the bot has to do next."""
        return "take its seat" if self._holder is None else f"answer decision {self.seat.decision}"

    def identify(self, token: str | None) -> Identity | Closing:
        """The identity for a token."""
        return self._book.find(token) or _STRANGER

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """The bot's stream is open."""
        assert isinstance(identity, SeatHolder), "nobody else is let in"
        return self._listener(connection, identity)

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:  # noqa: ARG002 - the port's
        """Refuses: there are no spectators."""
        assert isinstance(identity, SeatHolder), "nobody else is let in"
        connection.close(_PLAY_ONLY)
        return self._listener(connection, identity)

    def _listener(self, connection: Connection, identity: SeatHolder) -> Listener:
        return PlayListener(self, self.greeter, connection, identity)

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:  # noqa: ARG002 - the port's
        """Refuses: there are no calls."""
        reply(_PLAY_ONLY)

    def begin(self, session: Session, hello: referee_pb2.Hello, at_ns: int) -> None:  # noqa: ARG002 - as a listener calls it
        """A session has said Hello, for the first time or again."""
        if session is self._holder and session.connection is not None:
            seen = {each.match: each.last_event for each in hello.resume.seen}
            session.connection.send(self.seat.offer(seen.get(self.seat.setup.match, 0)))

    def leave(self, session: Session, why: str) -> None:  # noqa: ARG002 - as a listener calls it
        """A session has lost its stream. It may come back; the end of its process is noticed elsewhere."""
        session.detach(time.monotonic_ns())

    def take(self, session: Session, request: referee_pb2.PlayRequest, at_ns: int) -> bool:
        """Handles a request that is no Hello. None is charged here."""
        connection = session.connection
        assert connection is not None, "a request comes through a connection"
        given = read(request, {request.match: _Place(self.seat.number)}, at_ns)
        match given:
            case TakeSeat(match, seat):
                connection.send(self._take_seat(session, match, seat))
            case Answered():
                connection.send(self.seat.answer(given))
                self._move()
            case Ping(number):
                connection.send(part("pong", referee_pb2.Pong(id=number)).data)
            case Resign():
                self.has_resigned = True
                self._move()
            case Pong():
                pass  # this referee sends nothing that it would answer
            case SeatCommitted() | SeatRevealed() | DeclineSeat() | NotTaken():
                kind = request.WhichOneof("kind") or ""
                connection.send(_refused(request.match, kind, "unknown-request", "this referee has no use for this request"))
            case _:
                assert_never(given)
        return True

    def _take_seat(self, session: Session, match: str, wanted: int | None) -> bytes:
        seat = self.seat
        if match not in ("", seat.setup.match):
            return _refused(match, "take_seat", "unknown-match", f"the match here is {seat.setup.match}")
        if wanted is not None and wanted != seat.number:
            return _refused(match, "take_seat", "not-your-seat", f"the seat here is {seat.number}")
        if seat.request is None:
            return _refused(match, "take_seat", "match-over", "all questions have been put, and there is no other match")
        if session is self._holder:
            return _refused(match, "take_seat", "taken-seat", "this session has the only seat already")
        self._holder = session
        self._move()
        return seat.offer()

    def send(self, messages: bytes) -> None:
        """Sends to the bot that has the seat. One without a stream gets it all when it comes back."""
        if self._holder is not None and self._holder.connection is not None:
            self._holder.connection.send(messages)

    def _move(self) -> None:
        self.moved.set()
        self.moved = trio.Event()


def _refused(match: str, request: str, reason: str, text: str) -> bytes:
    return (match_part(match) if match.isascii() and match else b"") + telling.request_refused(
        request, Refusal(reason, text)
    ).data


def shadow_process(
    seat: RecordedSeat,
    spec: CommandBot | ScriptBot,
    confining: Confining | None,
    limit_s: int,
    logs: Path | None,
    tell: Callable[[str], None],
) -> None:
    """Starts a bot and asks it all questions of a seat. Its standard error is shown at the end.

    Its logs are kept in a given folder, or else only after a failure.
    """
    folder = logs or Path(tempfile.mkdtemp(prefix="mergemaker-logs-"))
    name = spec.name[:BOT_NAME_CHARACTERS_MAX]
    files = new_log_files(folder, seat.setup.match, seat.number, name)
    launch = partial(launch_at, name=name, command=command_of(spec), logs=files, confining=confining, seat=0)

    async def ask_all(front: ShadowFront, player: ProcessPlayer, launch: Launch, interrupts: Interrupts) -> None:
        await until_moved(front, player, launch, interrupts, limit_s, lambda: seat.request is None)

    problem, troubles = trio.run(drive_bot, seat, launch, ask_all)
    for trouble in troubles:
        tell(str(trouble))
    if isinstance(problem, CommandFailed):
        raise problem
    for line in last_lines(files.err, SHOWN_LINES_MAX):
        tell(line)
    if logs is None:
        shutil.rmtree(folder, ignore_errors=True)
    if problem is not None:
        raise problem


Interrupts: TypeAlias = Callable[[], Awaitable[Exception]]
"""Waits for Ctrl-C."""
Drive: TypeAlias = Callable[[ShadowFront, ProcessPlayer, Launch, Interrupts], Awaitable[None]]
"""Sees a bot through its questions."""


async def drive_bot(
    seat: RecordedSeat, launch: Callable[..., Launch], drive: Drive
) -> tuple[CommandFailed | Interrupted | None, tuple[Trouble, ...]]:
    """Starts and serves one bot while `drive` runs; returns what went wrong, or None, and reports of its confinement."""
    token = fresh_token(TokenKind.SEAT)
    front = ShadowFront(seat, token)
    server = Server(front, front.listen, time.monotonic_ns)
    problem: CommandFailed | Interrupted | None = None
    player: ProcessPlayer | None = None
    with trio.open_signal_receiver(*STOP_SIGNALS) as signals:

        async def interrupted() -> Exception:
            await anext(signals)
            return Interrupted(f"interrupted after {front.seat.shadowed.questions - 1} questions")

        async with trio.open_nursery() as nursery:
            await nursery.start(server.run)
            address = Address(f"grpc://127.0.0.1:{server.ports[0]}", token, seat.setup.bots[seat.number])
            try:
                async with launched_aside([launch(address)]) as (process,):
                    player = ProcessPlayer(process, trio.CapacityLimiter(WAITING_THREADS_MAX))
                    await drive(front, player, process.launch, interrupted)
            except (CommandFailed, Interrupted) as found:
                problem = found
            server.stop(STOP_GRACE_MS / 1_000)
            nursery.cancel_scope.cancel()
    return problem, player.troubles if player is not None else ()


async def until_moved(
    front: ShadowFront,
    player: ProcessPlayer,
    launch: Launch,
    interrupts: Interrupts,
    limit_s: int,
    is_there: Callable[[], bool],
) -> None:
    """Waits until the bot has come to where it should be; raises an earlier problem."""
    found: list[Exception] = []

    async def fail_with(wait: Callable[[], Awaitable[Exception]]) -> None:
        found.append(await wait())
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail_with, player.failed)
        nursery.start_soon(fail_with, interrupts)
        while not is_there():
            with trio.move_on_after(limit_s) as limit:
                await front.moved.wait()
            if limit.cancelled_caught or front.has_resigned:
                late = f"did not {front.awaited} within {limit_s} s (--limit)"
                what = f"resigned when it was to {front.awaited}" if front.has_resigned else late
                text = f"the bot {launch.bot} {what}; what it wrote is in {shown_path(launch.logs.err)}"
                found.append(CommandFailed(text))
                break
        nursery.cancel_scope.cancel()
    if found and not is_there():
        raise found[0]
