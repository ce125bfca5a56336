"""The referee: sessions, matches and records together, without a socket. The transport speaks to it through `Front`."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
import trio
from mergemaker.v1 import matches_pb2
from mergemaker_engine.errors import EngineError

from mergemaker_referee import match_service
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.hosting import Host, HostedMatch
from mergemaker_referee.identities import KnownBot, Onlooker, Operator, SeatHolder
from mergemaker_referee.lobby import Lobby
from mergemaker_referee.match_service import CallProblem
from mergemaker_referee.seating import Seating
from mergemaker_referee.spectating import Gallery
from mergemaker_referee.tokens import TokenBook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergemaker_referee.configuration import Settings
    from mergemaker_referee.connections import Connection, Listener
    from mergemaker_referee.fork_making import ForkWish
    from mergemaker_referee.identities import Identity
    from mergemaker_referee.journal_writer import LineWriter
    from mergemaker_referee.match_making import MadeMatch, MatchMaker, MatchWish
    from mergemaker_referee.rpc.front import Reply

HOUSEKEEPING_S: Final = 1.0
"""How often sessions and finished matches are looked after."""
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)

_NO_TOKEN: Final = Closing(
    CloseCode.UNAUTHENTICATED, "no-token", "no token came: send it as metadata, `authorization: Bearer TOKEN`"
)
_WRONG_TOKEN: Final = Closing(
    CloseCode.UNAUTHENTICATED, "wrong-token", "nobody here has this token; tokens of seats end with their match"
)
_NOT_A_PLAYER: Final = Closing(CloseCode.PERMISSION_DENIED, "no-player", "this token is not a bot's: it has no seat to take")
_NOT_THE_OPERATOR: Final = Closing(CloseCode.PERMISSION_DENIED, "no-operator", "this call is for the operator's token")


class _Nobody:
    """Listens to a stream that is refused."""

    def received(self, request: bytes, at_ns: int) -> None:
        """What still comes is of no account."""

    def gone(self, why: str) -> None:
        """Nothing was there to lose."""


class Referee:
    """All matches of one process."""

    def __init__(self, settings: Settings, maker: MatchMaker, writer: LineWriter, now_ns: Callable[[], int]) -> None:
        self._settings: Final = settings
        self._maker: Final = maker
        self._writer: Final = writer
        self._now_ns: Final = now_ns
        self._book: Final[TokenBook[Identity]] = TokenBook()
        if settings.operator_token_hash is not None:
            self._book.add(settings.operator_token_hash, Operator())
        for name, hashed in settings.bots.items():
            self._book.add(hashed, KnownBot(name))
        self._seating: Final = Seating(self._book)
        self._lobby: Final = Lobby(self._seating, settings.limits, maker.software, now_ns)
        self._gallery: Final = Gallery(
            self._seating.matches, settings.limits.spectators_max, settings.spectating_delay_ms, now_ns
        )
        self._host: Final = Host(writer=writer, limits=settings.limits, now_ns=now_ns, on_change=self._changed)
        self._finished: Final[dict[str, tuple[matches_pb2.MatchSummary, Path]]] = {}
        self._leaving: Final[deque[tuple[int, HostedMatch]]] = deque()
        """Matches that are over, and when they were: their bots may still come back for the result."""
        self._nursery: trio.Nursery | None = None
        self.on_change: Callable[[HostedMatch], None] | None = None
        """Told when a match begins, stands still, goes on or ends."""

    async def run(self, *, task_status: trio.TaskStatus[Referee] = trio.TASK_STATUS_IGNORED) -> None:
        """Plays matches until it is cancelled. Those that run then can be taken up again."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started(self)
            while True:
                await trio.sleep(HOUSEKEEPING_S)
                self._lobby.look_after_sessions()
                self._let_go_of_finished()

    # --- matches -----------------------------------------------------------------------------------------------------

    async def create(self, wish: MatchWish | ForkWish) -> tuple[HostedMatch, MadeMatch]:
        """Makes a match, which then waits for its seats."""
        if len(self._seating.matches) - len(self._leaving) >= self._settings.limits.matches_max:
            raise CallProblem(
                CloseCode.RESOURCE_EXHAUSTED,
                "too-many-matches",
                f"{self._settings.limits.matches_max} matches run, as many as may",
            )
        made: list[MadeMatch] = []
        await self._writer.run(lambda: made.append(self._maker.make(wish)))
        return self._add(made[0]), made[0]

    async def take_up(self, records: Sequence[Path]) -> None:
        """Takes up matches that were broken off. One that cannot be is logged, and left as it is."""
        for record in records:
            made: list[MadeMatch] = []
            try:
                await self._writer.run(lambda record=record, made=made: made.append(self._maker.take_up(record)))  # type: ignore[misc]  # defaults bind the loop's values
            except (EngineError, OSError) as problem:
                _LOG.error("a match cannot be taken up", record=str(record), problem=str(problem))
            else:
                self._add(made[0])

    def _add(self, made: MadeMatch) -> HostedMatch:
        assert self._nursery is not None, "matches are played while the referee runs"
        match = HostedMatch(made.table, made.journal, self._host, made.table.setup.started)
        self._seating.add(match, made.keys)
        self._nursery.start_soon(match.run)
        self._lobby.match_made(match)
        return match

    def _changed(self, match: HostedMatch) -> None:
        if match.is_over:
            summary = match_service.summary_of(match)
            self._finished[match.id] = (summary, match.record)
            while len(self._finished) > self._settings.limits.finished_matches_kept:
                del self._finished[next(iter(self._finished))]
            self._leaving.append((self._now_ns(), match))
            self._lobby.match_over(match)
            _LOG.info("a match is over", match=match.id, ending=str(match.ending))
        if self.on_change is not None:
            self.on_change(match)

    def _let_go_of_finished(self) -> None:
        keep = self._settings.limits.session_keep_ms * _NS_PER_MS
        while self._leaving and self._now_ns() - self._leaving[0][0] > keep:
            _, match = self._leaving.popleft()
            self._seating.remove(match)

    # --- the transport's side ----------------------------------------------------------------------------------------

    def identify(self, token: str | None) -> Identity | Closing:
        """Who has this token."""
        if token is None:
            return Onlooker() if self._settings.spectating_open else _NO_TOKEN
        return self._book.find(token) or _WRONG_TOKEN

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """A bot's stream is open."""
        if isinstance(identity, KnownBot | SeatHolder):
            return self._lobby.play(connection, identity)
        connection.close(_NO_TOKEN if isinstance(identity, Onlooker) else _NOT_A_PLAYER)
        return _Nobody()

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:  # noqa: ARG002 - all who come this far may
        """A spectator's stream is open."""
        assert self._nursery is not None, "the transport runs while the referee does"
        return self._gallery.watch(connection, request, self._nursery)

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:
        """A single call came."""
        if not isinstance(identity, Operator):
            reply(_NO_TOKEN if isinstance(identity, Onlooker) else _NOT_THE_OPERATOR)
            return
        assert self._nursery is not None, "the transport runs while the referee does"
        self._nursery.start_soon(self._answer_call, method, request, reply)

    async def _answer_call(self, method: str, request: bytes, reply: Reply) -> None:
        handler = getattr(self, f"_call_{method}")
        try:
            reply(await handler(request))
        except CallProblem as problem:
            reply(problem.closing)
        except OSError as problem:
            reply(Closing(CloseCode.UNAVAILABLE, "disk", f"the referee cannot write: {problem.strerror or problem}"))
        except Exception:  # noqa: BLE001 - a fault in a call ends this call alone
            _LOG.exception("a call broke", method=method)
            reply(Closing(CloseCode.INTERNAL, "fault", "a fault of the referee; its log says more"))

    async def _call_CreateMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = match_service.read(matches_pb2.CreateMatchRequest, data)
        wish = match_service.wish_of(request, self._settings)
        match, made = await self.create(wish)
        # Whoever has a seat's token may count on the match, also when the referee is killed now.
        await match.begun.wait()
        response = matches_pb2.CreateMatchResponse(match=match_service.summary_of(match), seat_tokens=made.tokens)
        return response.SerializeToString()

    async def _call_ListMatches(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = match_service.read(matches_pb2.ListMatchesRequest, data)
        finished = {match: summary for match, (summary, _) in self._finished.items()}
        return match_service.page_of(self._seating.matches, finished, request).SerializeToString()

    async def _call_GetMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = match_service.read(matches_pb2.GetMatchRequest, data)
        return matches_pb2.GetMatchResponse(match=self._summary(request.match)).SerializeToString()

    async def _call_CancelMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = match_service.read(matches_pb2.CancelMatchRequest, data)
        match = self._seating.matches.get(request.match)
        if match is None:
            self._summary(request.match)
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "match-over", f"the match {request.match} is over")
        match_service.cancel(match, request.why)
        await match.over.wait()
        return matches_pb2.CancelMatchResponse(match=match_service.summary_of(match)).SerializeToString()

    async def _call_FetchRecord(self, data: bytes) -> Path:  # noqa: N802 - named as the call is
        request = match_service.read(matches_pb2.FetchRecordRequest, data)
        self._summary(request.match)
        if request.match not in self._finished:
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "not-released", "the record is released when the match is over")
        return self._finished[request.match][1]

    def _summary(self, match: str) -> matches_pb2.MatchSummary:
        hosted = self._seating.matches.get(match)
        if hosted is not None:
            return match_service.summary_of(hosted)
        if match in self._finished:
            return self._finished[match][0]
        raise CallProblem(CloseCode.NOT_FOUND, "unknown-match", f"there is no match {match!r} here")
