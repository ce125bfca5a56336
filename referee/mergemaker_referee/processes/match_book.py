"""The matches of all processes, as the process that serves keeps them: who sits where, what is over, and what made them."""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import structlog
import trio
from mergemaker.v1 import matches_pb2
from mergemaker_engine.errors import EngineError

from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.identities import Identity, KnownBot, Operator
from mergemaker_referee.matches.log_calls import log_heads
from mergemaker_referee.matches.made_requests import MadeRequests
from mergemaker_referee.processes.announcing import AnnouncedMatch
from mergemaker_referee.processes.far_matches import FarMatch
from mergemaker_referee.processes.house import PROCESS_GONE, House
from mergemaker_referee.records.journal_writer import LineWriter
from mergemaker_referee.records.leftovers import end_line
from mergemaker_referee.records.past_matches import PastMatch, past_match, past_matches
from mergemaker_referee.records.public_log import PublicLog
from mergemaker_referee.records.signing import RecordEnd
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.tokens import TokenBook

_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


class MatchBook:
    """All matches of a server, whichever process plays them."""

    def __init__(
        self,
        settings: Settings,
        about: About,
        clocks: Clocks,
        random_bytes: Callable[[int], bytes],
        log: PublicLog,
        writer: LineWriter,
    ) -> None:
        self.log: Final = log
        self.writer: Final = writer
        self.tokens: Final[TokenBook[Identity]] = TokenBook()
        if settings.operator_token_hash is not None:
            self.tokens.add(settings.operator_token_hash, Operator())
        for name, hashed in settings.bots.items():
            self.tokens.add(hashed, KnownBot(name))
        self.seating: Final[Seating[FarMatch]] = Seating(self.tokens)
        self.lobby: Final = Lobby(self.seating, settings.limits, about, clocks, random_bytes, log_heads(log))
        self.finished: Final[dict[str, tuple[matches_pb2.MatchSummary, Path]]] = {}
        """Matches that are over, as lists show them, and their records."""
        self.made: Final[dict[str, int]] = {}
        """By match, while it is listed: how many this server had before it."""
        self.requests: Final = MadeRequests()
        self.released: Final[dict[str, trio.Event]] = {}
        """By match that is played: set when it is finished."""
        self._settings: Final = settings
        self._clocks: Final = clocks
        self._made_count = 0
        self._leaving: Final[deque[tuple[int, FarMatch]]] = deque()
        """Matches that are over, and when they ended: their bots may still come back for the result."""
        self._ends: Final[dict[str, trio.Event]] = {}
        """By match, while it is kept: set when its end is in the log."""

    def is_there(self, house: House, announced: AnnouncedMatch) -> None:
        """A process plays a match: a new one, or one from before its start."""
        house.announced.add(announced.match)
        match = self.seating.matches.get(announced.match)
        if match is not None:
            match.announced = announced  # it is back, as `all_are_there` finds
            return
        match = FarMatch(announced, house)
        house.matches[match.id] = match
        self.released[match.id] = trio.Event()
        self._made_count += 1
        self.made[match.id] = self._made_count
        self.requests.remember(match.id, announced.request)
        self.seating.add(match, announced.keys)
        if not match.is_over:
            self.lobby.match_made(match, announced.keys, is_taken_up=announced.is_taken_up)

    def note_end(self, id_: str, summary: matches_pb2.MatchSummary) -> None:
        """Notes that a match is over: it stays listed, and for a while its bots may come back for the result."""
        match = self.seating.matches.get(id_)
        if match is None or (released := self.released.pop(id_, None)) is None:
            return
        match.is_over = True
        self.requests.over(id_)
        self.finished[id_] = (summary, match.announced.record)
        while len(self.finished) > self._settings.limits.finished_matches_kept:
            oldest = next(iter(self.finished))
            del self.finished[oldest]
            self.made.pop(oldest, None)
            self.requests.forget(oldest)
        self._leaving.append((self._clocks.awake_ns(), match))
        self.lobby.match_over(match)
        released.set()

    # --- processes that come back ---

    async def all_are_there(self, house: House) -> None:
        """A process has announced all its matches; what it does not know any more is over or lost."""
        for match in [self.seating.matches[id_] for id_ in house.matches if id_ in self.seating.matches]:
            if match.id in house.announced:
                match.is_back(match.announced)
            elif match.id in self.finished:
                house.matches.pop(match.id)  # its bots come back for the result in vain: nobody keeps it any more
                self._drop(match)
            else:
                await self._is_missing(match)

    async def _is_missing(self, match: FarMatch) -> None:
        """A process no longer knows a match that it played: it had ended, or its record cannot be read."""
        match.house.matches.pop(match.id, None)
        record = match.announced.record
        found: list[tuple[PastMatch | None, bytes | None]] = []
        try:
            await self.writer.run(lambda: found.append((past_match(record), end_line(record))))
        except (EngineError, OSError) as problem:
            _LOG.error("a match cannot be taken up", match=match.id, record=str(record), problem=str(problem))
        for past, line in found:
            if past is not None:
                self.finished[match.id] = (past.summary, past.record)
                self.log_end(match.id, line)
        self._drop(match)

    def _drop(self, match: FarMatch) -> None:
        """Nobody can play a match any more, or be shown its end. Its bots come back, and hear that."""
        match.is_over = True
        self.requests.over(match.id)
        self.lobby.match_over(match)
        for link in match.links:
            if link is not None and link.session.links.pop(match.id, None) is not None:
                link.session.close(PROCESS_GONE)
        self._forget(match)

    # --- matches that are over ---

    def log_end(self, match: str, line: bytes | None) -> trio.Event:
        """Publishes an end once, however often processes that died and came back ask for it."""
        written = self._ends.get(match)
        if written is None:
            written = self.log.ended_before(match)
        if written is None:
            written = self.log.end(match, line)
        self._ends[match] = written
        return written

    async def remember(self, folders: Sequence[Path]) -> list[RecordEnd]:
        """Lists matches that ended earlier, from the records of some folders, up to the limit. Returns what there is to sign."""
        found: list[PastMatch] = []
        kept = self._settings.limits.finished_matches_kept
        try:
            await self.writer.run(lambda: found.extend(past_matches(folders, kept)))
        except OSError as problem:
            _LOG.error("matches that are over cannot be listed", folders=list(map(str, folders)), problem=str(problem))
        for past in found:
            self.finished.setdefault(past.summary.match, (past.summary, past.record))
            self.requests.remember(past.summary.match, past.request)
        return [past.end for past in found if past.end is not None]

    def let_go_of_finished(self) -> None:
        """Forgets matches that have been over long enough: nobody comes back for them."""
        keep = self._settings.limits.session_keep_ms * _NS_PER_MS
        while self._leaving and self._clocks.awake_ns() - self._leaving[0][0] > keep:
            self._forget(self._leaving.popleft()[1])

    def _forget(self, match: FarMatch) -> None:
        match.house.matches.pop(match.id, None)
        self.seating.remove(match)
        self._ends.pop(match.id, None)
        released = self.released.pop(match.id, None)
        if released is not None:
            released.set()
        for link in match.links:
            if link is not None:
                match.forget(link)
