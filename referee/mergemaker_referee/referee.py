"""The referee: sessions, matches and records together, without a socket. The transport talks to it through `Front`."""

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog
import trio
from mergemaker.v1 import matches_pb2
from mergemaker_engine.errors import EngineError
from mergemaker_engine.shown import shown
from mergemaker_table.evidence import NOT_HELD_UP, HeldUp
from mergemaker_table.run_members import request_in

from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import (
    NO_TOKEN,
    NOT_A_PLAYER,
    NOT_THE_OPERATOR,
    WRONG_TOKEN,
    CloseCode,
    Closing,
    Connection,
    Listener,
    Nobody,
)
from mergemaker_referee.identities import Identity, KnownBot, Onlooker, Operator, SeatHolder
from mergemaker_referee.matches import operator_calls
from mergemaker_referee.matches.forking import ForkWish
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.log_calls import log_entries, log_heads, read_log
from mergemaker_referee.matches.made_requests import MadeByRequest, MadeRequests
from mergemaker_referee.matches.making import MadeMatch, MatchMaker, MatchWish
from mergemaker_referee.matches.operator_calls import CallProblem
from mergemaker_referee.matches.own_delays import Waits
from mergemaker_referee.matches.services import RefereeServices
from mergemaker_referee.matches.spectating import Gallery
from mergemaker_referee.measures import NO_MEASURES, Measures
from mergemaker_referee.records.ed25519 import read_key
from mergemaker_referee.records.journal_writer import DiskStalled, LineWriter
from mergemaker_referee.records.past_matches import PastMatch, past_matches
from mergemaker_referee.records.patient import run_patiently
from mergemaker_referee.records.public_log import PublicLog
from mergemaker_referee.records.signing import RecordEnd, Signing, signature_of
from mergemaker_referee.rpc.front import READ_LOG, Reply
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.tokens import TokenBook

TAKE_UP_S_MAX: Final = 30.0
"""How long the referee tries to take up interrupted matches that the disk does not let it take up.

Nobody is served before that: bots that come back would hear that their match is unknown.
"""
HOUSEKEEPING_S: Final = 1.0
"""The time between two checks of sessions and finished matches."""
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


class Referee:
    """All matches of one process."""

    def __init__(
        self,
        settings: Settings,
        maker: MatchMaker,
        writer: LineWriter,
        now_ns: Callable[[], int],
        measures: Measures = NO_MEASURES,
        waits: Waits | None = None,
        held_up: Callable[[], HeldUp] = lambda: NOT_HELD_UP,
    ) -> None:
        self._is_led: Final = maker.leader is not None
        """Whether bots are in another process: who gets which seat is decided there."""
        self._settings: Final = settings
        key = None if settings.signing_key is None else read_key(settings.signing_key)
        self._signing: Final = None if key is None else Signing(key, maker.disk, writer, maker.today)
        about = About(maker.software, b"" if key is None else key.public, settings.earlier_signing_keys)
        self.about: Final = about.message().SerializeToString()
        self._maker: Final = maker
        self._writer: Final = writer
        self._book: Final[TokenBook[Identity]] = TokenBook()
        if settings.operator_token_hash is not None:
            self._book.add(settings.operator_token_hash, Operator())
        for name, hashed in settings.bots.items():
            self._book.add(hashed, KnownBot(name))
        self._seating: Final[Seating[HostedMatch]] = Seating(self._book)
        self._gallery: Final = Gallery(self._seating.matches, settings, now_ns, self._barrier)
        self._measures: Final = measures
        self._log: Final = None if maker.log is None else PublicLog(maker.log, writer, maker.today, settings.limits.disk_retry_ms)
        self._services: Final = RefereeServices(
            writer=writer,
            limits=settings.limits,
            now_ns=now_ns,
            held_up=held_up,
            barrier=self._barrier,
            disk=maker.disk,
            committer=maker.committer,
            log=maker.leader or self._log,
            measures=measures,
            waits=waits,
        )
        services = self._services
        clocks = Clocks(
            now_ns=now_ns,
            awake_ns=services.awake_ns,
            work_ns=services.work_ns,
            today=maker.today,
            are_breaks_ours=services.are_breaks_ours,
        )
        heads = log_heads(self._log)
        self._lobby: Final = Lobby(self._seating, settings.limits, about, clocks, maker.random_bytes, heads)
        self._finished: Final[dict[str, tuple[matches_pb2.MatchSummary, Path]]] = {}
        self._made: Final[dict[str, int]] = {}
        """By match, while it is listed: how many this server had made before it."""
        self._made_count = 0
        self._requests: Final = MadeRequests()
        self._leaving: Final[deque[tuple[int, HostedMatch]]] = deque()
        """Matches that are over, and when they ended: their bots may still come back for the result."""
        self._untidy: list[HostedMatch] = []
        """Matches that are over, but whose secrets the disk did not delete."""
        self._nursery: trio.Nursery | None = None
        self.tasks = 0
        """How many of trio's tasks there were when this was last looked up: once in `HOUSEKEEPING_S`."""
        self.barrier: Callable[[Callable[[], None]], None] = lambda passed: passed()
        """Calls back after everything that has come: the transport's barrier, if there is a transport."""
        self.on_change: Callable[[HostedMatch], None] | None = None
        """Called when a match begins, stands still, goes on or ends."""

    async def run(self, *, task_status: "trio.TaskStatus[Referee]" = trio.TASK_STATUS_IGNORED) -> None:
        """Plays matches until it is cancelled. Matches that run at that time can be taken up again."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            if self._log is not None:
                nursery.start_soon(self._log.run)
            task_status.started(self)
            while True:
                self.tasks = trio.lowlevel.current_statistics().tasks_living
                await trio.sleep(HOUSEKEEPING_S)
                self._lobby.look_after_sessions()
                if not self._is_led:
                    self._lobby.look_after_matches_ahead()
                for match in tuple(self._seating.matches.values()):
                    match.keeper.look_at_disk()
                self._untidy = [match for match in self._untidy if match.keeper.secrets.are_there]
                for match in self._untidy:
                    nursery.start_soon(match.keeper.forget_secrets)
                if self._maker.leavings.are_there:
                    nursery.start_soon(self._maker.leavings.forget, self._writer)
                self._let_go_of_finished()

    @property
    def sessions(self) -> int:
        """How many bots are known, with and without a stream."""
        return self._lobby.sessions

    @property
    def seating(self) -> Seating[HostedMatch]:
        """The current matches, and who may take their seats."""
        return self._seating

    @property
    def spectators(self) -> int:
        """How many spectators there are."""
        return self._gallery.spectators

    def matches_in(self, phase: matches_pb2.MatchPhase.ValueType) -> int:
        """How many matches are in a phase now."""
        # A copy in one step: another thread may call this.
        return sum(operator_calls.phase_of(match) == phase for match in tuple(self._seating.matches.values()))

    def _barrier(self, passed: Callable[[], None]) -> None:
        self.barrier(passed)

    # --- matches -----------------------------------------------------------------------------------------------------

    async def create(self, wish: MatchWish | ForkWish) -> tuple[HostedMatch, MadeMatch]:
        """Makes a match, which then waits for its seats."""
        if len(self._seating.matches) - len(self._leaving) >= self._settings.limits.matches_max:
            raise CallProblem(
                CloseCode.RESOURCE_EXHAUSTED,
                "too-many-matches",
                f"{self._settings.limits.matches_max} matches run, which is the limit",
            )
        made: list[MadeMatch] = []
        try:
            await self._writer.run(lambda: made.append(self._maker.make(wish)))
        except DiskStalled as stalled:
            assert self._nursery is not None, "matches are made while the referee runs"
            self._nursery.start_soon(self._unmake, stalled, made)
            raise
        return self._add(made[0]), made[0]

    async def _unmake(self, stalled: DiskStalled, made: list[MadeMatch]) -> None:
        """Removes all of a match that the disk still makes after nobody waits for it any more."""
        with contextlib.suppress(Exception):  # if making it failed, there is no match
            await stalled.outcome()
        if made:
            with contextlib.suppress(DiskStalled):  # it is still being done
                await self._writer.run(lambda: self._maker.unmake(made[0]))

    async def take_up(self, records: Sequence[Path]) -> None:
        """Takes up interrupted matches. One that cannot be taken up is logged, and left as it is."""
        until = trio.current_time() + TAKE_UP_S_MAX
        for record in records:
            made: list[MadeMatch] = []
            try:
                await self._patiently(lambda record=record, made=made: made.append(self._maker.take_up(record)), until)  # type: ignore[misc]  # defaults bind the loop's values
            except (EngineError, OSError) as problem:
                _LOG.error("a match cannot be taken up", record=str(record), problem=str(problem))
            else:
                match = self._add(made[0], is_taken_up=True)
                self._requests.remember(match.id, request_in(match.table.setup.more))

    async def show_again(self, records: Sequence[Path]) -> None:
        """Keeps matches that had just ended: bots that did not hear of the end come back for the result."""
        until = trio.current_time() + TAKE_UP_S_MAX
        for record in records:
            made: list[MadeMatch] = []
            try:
                await self._patiently(lambda record=record, made=made: made.append(self._maker.look_again(record)), until)  # type: ignore[misc]  # defaults bind the loop's values
            except (EngineError, OSError) as problem:
                _LOG.error("the result of a match cannot be shown again", record=str(record), problem=str(problem))
                continue
            match = HostedMatch(made[0].table, made[0].journal, self._services, self._changed)
            match.end_again(made[0].receipt)
            self._requests.remember(match.id, request_in(match.table.setup.more))
            self._seating.add(match, made[0].keys)
            self._keep(match)

    async def _patiently(self, job: Callable[[], None], until_s: float) -> None:
        await run_patiently(self._writer, job, until_s, self._settings.limits.disk_retry_ms / 1_000)

    async def remember(self, folders: Sequence[Path]) -> None:
        """Lists matches that ended earlier, from the records of some folders, up to the limit."""
        found: list[PastMatch] = []
        kept = self._settings.limits.finished_matches_kept
        try:
            await self._writer.run(lambda: found.extend(past_matches(folders, kept, self._maker.disk)))
        except OSError as problem:
            _LOG.error("matches that are over cannot be listed", folders=list(map(str, folders)), problem=str(problem))
        for past in found:
            self._finished.setdefault(past.summary.match, (past.summary, past.record))
            self._requests.remember(past.summary.match, past.request)
        self._sign([past.end for past in found if past.end is not None])

    def _sign(self, ends: Sequence[RecordEnd]) -> None:
        """Has ends signed that are not signed yet; no match waits for it."""
        if self._signing is not None and ends:
            assert self._nursery is not None, "matches end, and are remembered, while the referee runs"
            self._nursery.start_soon(self._signing.sign, ends)

    def _add(self, made: MadeMatch, *, is_taken_up: bool = False) -> HostedMatch:
        assert self._nursery is not None, "matches are played while the referee runs"
        match = HostedMatch(made.table, made.journal, self._services, self._changed)
        self._made_count += 1
        self._made[match.id] = self._made_count
        self._seating.add(match, made.keys)
        self._nursery.start_soon(match.run)
        if not self._is_led:
            self._lobby.match_made(match, made.keys, is_taken_up=is_taken_up)
        return match

    def _changed(self, match: HostedMatch) -> None:
        if match.is_over:
            self._requests.over(match.id)
            self._keep(match)
            self._lobby.match_over(match)
            if (end := match.keeper.record_end) is not None:
                self._sign([end])
            _LOG.info("a match is over", match=match.id, ending=str(match.ending))
            if match.ending is not None:
                self._measures.match_over(match.ending)
        if self.on_change is not None:
            self.on_change(match)

    def _keep(self, match: HostedMatch) -> None:
        """A match is over: it stays listed, and for a while its bots may come back for the result."""
        if match.keeper.secrets.are_there and not match.is_shown_again:
            self._untidy.append(match)
        self._finished[match.id] = (operator_calls.summary_of(match), match.record)
        while len(self._finished) > self._settings.limits.finished_matches_kept:
            oldest = next(iter(self._finished))
            del self._finished[oldest]
            self._made.pop(oldest, None)
            self._requests.forget(oldest)
        self._leaving.append((self._services.awake_ns(), match))

    def _let_go_of_finished(self) -> None:
        keep = self._settings.limits.session_keep_ms * _NS_PER_MS
        while self._leaving and self._services.awake_ns() - self._leaving[0][0] > keep:
            _, match = self._leaving.popleft()
            self._seating.remove(match)
            if match.is_shown_again:  # its secrets are still there, so that its bots are known
                self._untidy.append(match)

    # --- the transport's side ----------------------------------------------------------------------------------------

    def identify(self, token: str | None) -> Identity | Closing:
        """Who has this token."""
        if token is None:
            return Onlooker() if self._settings.spectating_open else NO_TOKEN
        return self._book.find(token) or WRONG_TOKEN

    def play(self, connection: Connection, identity: Identity) -> Listener:
        """A bot's stream is open."""
        if isinstance(identity, KnownBot | SeatHolder):
            return self._lobby.play(connection, identity)
        connection.close(NO_TOKEN if isinstance(identity, Onlooker) else NOT_A_PLAYER)
        return Nobody()

    def watch(self, connection: Connection, identity: Identity, request: bytes) -> Listener:
        """A spectator's stream is open."""
        assert self._nursery is not None, "the transport runs while the referee does"
        return self._gallery.watch(connection, identity, request, self._nursery)

    def call(self, method: str, identity: Identity, request: bytes, reply: Reply) -> None:
        """A single call came."""
        if not isinstance(identity, Operator) and method != READ_LOG:
            reply(NO_TOKEN if isinstance(identity, Onlooker) else NOT_THE_OPERATOR)
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
        except Exception:  # noqa: BLE001 - a fault in a call ends only this call
            _LOG.exception("a call broke", method=method)
            reply(Closing(CloseCode.INTERNAL, "fault", "a fault of the referee; its log says more"))

    async def _call_CreateMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.CreateMatchRequest, data)
        wish = operator_calls.wish_of(request, self._settings, self._maker.today())
        made = await (self._begin(wish) if wish.request is None else self._requests.once(wish.request, lambda: self._begin(wish)))
        return matches_pb2.CreateMatchResponse(match=self._summary(made.match), seat_tokens=made.tokens).SerializeToString()

    async def _begin(self, wish: MatchWish) -> MadeByRequest:
        """Makes a match, and waits until it outlives this process: anyone who has a seat's token can rely on it."""
        match, made = await self.create(wish)
        await match.begun.wait()
        return MadeByRequest(match.id, made.tokens)

    async def _call_ListMatches(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.ListMatchesRequest, data)
        finished = {match: summary for match, (summary, _) in self._finished.items()}
        current = map(operator_calls.summary_of, self._seating.matches.values())
        return operator_calls.page_of(current, finished, request, self._made).SerializeToString()

    async def _call_GetMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.GetMatchRequest, data)
        summary = self._summary(request.match)
        response = matches_pb2.GetMatchResponse(match=summary, log_entries=log_entries(self._log, request.match))
        if (finished := self._finished.get(request.match)) is not None:
            response.end_signature = await signature_of(finished[1], self._maker.disk, self._writer)
        return response.SerializeToString()

    async def _call_CancelMatch(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.CancelMatchRequest, data)
        match = self._seating.matches.get(request.match)
        if match is None:
            self._summary(request.match)
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "match-over", f"the match {request.match} is over")
        operator_calls.cancel(match, request.why)
        await match.end_told.wait()
        return matches_pb2.CancelMatchResponse(match=operator_calls.summary_of(match)).SerializeToString()

    async def _call_FetchRecord(self, data: bytes) -> Path:  # noqa: N802 - named as the call is
        request = operator_calls.read(matches_pb2.FetchRecordRequest, data)
        hosted = self._seating.matches.get(request.match)
        if hosted is not None and hosted.is_over:
            await hosted.end_told.wait()  # its bots know already; a moment later it is a finished match
        self._summary(request.match)
        hosted = self._seating.matches.get(request.match)
        if hosted is not None and hosted.is_over:
            await hosted.end_told.wait()  # its bots get the end a moment before its record is released
        if request.match not in self._finished:
            raise CallProblem(CloseCode.FAILED_PRECONDITION, "not-released", "the record is released when the match is over")
        return self._finished[request.match][1]

    async def _call_ReadLog(self, data: bytes) -> bytes:  # noqa: N802 - named as the call is
        return await read_log(self._log, data)

    def _summary(self, match: str) -> matches_pb2.MatchSummary:
        hosted = self._seating.matches.get(match)
        if hosted is not None:
            return operator_calls.summary_of(hosted)
        if match in self._finished:
            return self._finished[match][0]
        raise CallProblem(CloseCode.NOT_FOUND, "unknown-match", f"there is no match {shown(match)} here")
