"""The planted bugs: what each breaks, and how. Each patches one or two functions of the real code."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mergemaker_engine.decisions import ChooseFounded, ChoosePurchase
from mergemaker_engine.defaults import default_index
from mergemaker_engine.events import TilesReceived, audience
from mergemaker_engine.record.lines import Status
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.record_keeping import RecordKeeper
from mergemaker_referee.matches.speaking import Speaker
from mergemaker_referee.matches.spectating import Watcher
from mergemaker_referee.records import forgetting as forgetting_module
from mergemaker_referee.records import log_file as log_file_module
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.secrets_file import forget_secrets
from mergemaker_referee.referee import Referee
from mergemaker_referee.sessions.greeting import Greeter
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.sessions.session import Session
from mergemaker_table import asking as asking_module
from mergemaker_table import desk as desk_module
from mergemaker_table import playing as playing_module
from mergemaker_table import table as table_module
from mergemaker_table.clock import SeatClock
from mergemaker_table.playing import Playing
from mergemaker_table.recovering import Recovery, recover
from mergemaker_table.seats import Seat
from mergemaker_table.table import Phase, Table

from . import planted_clock_bugs  # noqa: F401 - the import adds them to BUGS, before those here
from .planting import BUGS, Patch, bug

__all__ = ["BUGS"]

# --- the public log ---

bug(
    "log not caught up",
    "a restart does not publish what was missing",
    (log_file_module, "_missing", lambda records, leftovers, reading, disk: iter(())),  # noqa: ARG005 - as the real one
)

# --- signatures ---


async def _remember_nothing(self: Any, records: Any) -> None:
    """Replaces remembering what ended before."""


bug("never signed later", "a restart does not sign what is not signed", (Referee, "remember", _remember_nothing))

# --- after a restart ---


def _recovered_with(change: Callable[[Any, Recovery], None]) -> Patch:
    def recover_badly(desk: Any, record: Any) -> Recovery:
        found = recover(desk, record)
        change(desk, found)
        return found

    return table_module, "recover", recover_badly


def _forget_ids(desk: Any, _: Recovery) -> None:
    for seat in desk.seats:
        seat.last_id = 0


def _forget_failures(desk: Any, _: Recovery) -> None:
    for seat in desk.seats:
        seat.failures = 0


def _forget_autopilot(desk: Any, _: Recovery) -> None:
    for seat in desk.seats:
        if seat.status is Status.AUTOPILOT:
            seat.status, seat.failures = Status.FINISHED, 0  # with its failures, autopilot would take it over at once


bug("ids begin anew", "decision ids do not last over a restart", _recovered_with(_forget_ids))
bug("strikes forgotten", "a restart forgets defaults", _recovered_with(_forget_failures))
bug("autopilot forgotten", "a restart asks a seat that is on autopilot", _recovered_with(_forget_autopilot))
bug(
    "bank not restored",
    "a restart fills every bank",
    (SeatClock, "restore", lambda self, bank_ms, credit_used_ms, *, by_bot: None),  # noqa: ARG005 - like the real one
)


async def _take_up_one(self: Any, records: Sequence[Any], _take_up: Any = Referee.take_up) -> None:
    await _take_up(self, records[:1])


bug("match lost", "of several matches one is taken up", (Referee, "take_up", _take_up_one))

# --- what is written ---


def _tell_first(self: Any, lines: bytes, settled: Any, _begin: Any = RecordKeeper.begin) -> None:
    match, (outputs, _) = settled.func.__self__, settled.args
    match._show_others(outputs)
    match._speaker.tell(outputs)
    _begin(self, lines, partial(match._go_on, (), lines))


bug("told first", "a line is written after what it says", (RecordKeeper, "begin", _tell_first))


def _append_without_sync(self: Any, line: bytes, _append: Any = Journal.append) -> None:
    committer, self._committer = self._committer, None
    try:
        _append(self, line)
    finally:
        self._committer = committer


bug("no fsync", "lines are told that the power can take away", (Journal, "append", _append_without_sync))


def _leave_torn(self: Any) -> None:
    self._is_torn = False


bug("torn line left", "half a line stays in the middle of a record", (Journal, "_take_back", _leave_torn))


def _forget_before_the_end(self: Any, lines: bytes, settled: Any, _begin: Any = RecordKeeper.begin) -> None:
    if b'"kind":"end"' in lines:
        forget_secrets(self._journal.path, self._services.disk)
    _begin(self, lines, settled)


bug("secrets gone early", "secrets are deleted before the end is written", (RecordKeeper, "begin", _forget_before_the_end))
bug(
    "end told early",
    "a match counts as over before its end is written",
    (HostedMatch, "is_over", property(lambda self: self.table.phase is Phase.OVER or self._is_over)),  # type: ignore[arg-type]  # a property, as in the original
)


async def _raise_when_stuck(self: Any, problem: Any, since_ns: int, _wait_or_void: Any = RecordKeeper._wait_or_void) -> None:
    await _wait_or_void(self, problem, since_ns)
    if self._is_stuck:
        raise problem


async def _try_once(self: Any) -> None:
    await self._try_to_forget()


bug(
    "void told early",
    "a match is told as void, and its secrets are still there",
    (RecordKeeper, "_wait_or_void", _raise_when_stuck),
    (RecordKeeper, "_forget_at_last", _try_once),
)


async def _try_again(self: Any, stalled: Any) -> bool:  # noqa: ARG001 - like the real one
    return False


bug(
    "stalled line again",
    "a line that a disk may still write is written again",
    (RecordKeeper, "_was_written_late", _try_again),
)
bug(
    "secrets come back",
    "a match is told as void, and the power can bring its secrets back",
    (forgetting_module, "sync_folder", lambda folder, committer, disk: None),  # noqa: ARG005 - like the real one
)

# --- answers ---


def _any_open(self: Any, number: int, decision_id: int) -> Any:  # noqa: ARG001 - like the real one
    waiting = self._open
    return None if waiting is None or waiting.seat.number != number else waiting


def _answered_unknown(self: Any, by: Any, decision_id: int | None, _answered: Any = Seat.answered) -> None:
    _answered(self, by, decision_id)
    self._accepted = 0


bug("stale answer counts", "an answer to another decision counts for the open one", (Playing, "_open_for", _any_open))
bug(
    "answer applied twice",
    "an answer that is said again counts for the next decision",
    (Seat, "answered", _answered_unknown),
    (Playing, "_open_for", _any_open),
)


def _other_default(decision: Any, answers: Sequence[Any]) -> int:
    is_other = isinstance(decision, ChooseFounded | ChoosePurchase)
    return len(answers) - 1 if is_other else default_index(decision, answers)


bug(
    "another default",
    "what is taken for a seat is not the documented default",
    (asking_module, "default_index", _other_default),
    (playing_module, "default_index", _other_default),
)

# --- what is sent ---

bug(
    "event skipped",
    "a bot that comes back misses an event",
    (Table, "events_since", lambda self, seat, number, _since=Table.events_since: _since(self, seat, number)[1:]),
)
bug(
    "events told twice",
    "a bot that comes back gets an event again",
    (Table, "events_since", lambda self, seat, number, _since=Table.events_since: _since(self, seat, max(0, number - 1))),
)
bug(
    "told before it is shown",
    "a bot that comes back gets events before it is shown the match",
    (Speaker, "told_link", lambda self, seat: self._links[seat]),
)


def _of_the_next_seat(self: Any, seat: int, now_ns: int, _snapshot: Any = Table.snapshot) -> Any:
    found = _snapshot(self, seat, now_ns)
    if found is None:
        return None
    return replace(found, view=self._desk.game.view((seat + 1) % len(self._desk.seats)))


bug("another's tiles", "a bot that comes back is shown another seat's view", (Table, "snapshot", _of_the_next_seat))
bug(
    "tiles told to all",
    "what a seat drew is told to everybody",
    (desk_module, "audience", lambda event: None if isinstance(event, TilesReceived) else audience(event)),
)


def _begin_without_delay(self: Any, followed: Any, delay_ms: int, _begin: Any = Watcher.begin) -> None:
    _begin(self, followed, delay_ms)
    self._delay_ns = 0


bug("delay forgotten", "spectators see everything at once", (Watcher, "begin", _begin_without_delay))
bug(
    "looks on at once",
    "a new spectator sees what is not written",
    (HostedMatch, "look_on", lambda self, begin: begin()),  # noqa: ARG005 - like the real one
)

# --- who somebody is ---


def _same_token(self: Any, random_bytes: Any = None, _fresh: Any = Session.new_resume_token) -> str:
    token: str = getattr(self, "bot_version_token", "") or _fresh(self, random_bytes)
    self.bot_version_token = token
    return token


def _welcome_and_keep(self: Any, session: Any, _welcome: Any = Greeter._welcome) -> None:
    before = session.resume_hash
    _welcome(self, session)
    if before:
        self._resuming.add(before, session)


def _resume_without_closing(self: Any, identity: Any, hello: Any, _resumed: Any = Greeter._resumed) -> Any:
    session = _resumed(self, identity, hello)
    if session is not None:
        session.connection = None
    return session


def _fresh_without_closing(self: Any, identity: Any, hello: Any, _fresh: Any = Greeter._fresh) -> Any:
    before = self._by_identity.get(identity)
    if before is not None and hello.evict:
        before.connection = None
    return _fresh(self, identity, hello)


def _to_any_match(self: Any, session: Any, request: Any, at_ns: int, take: Any = Lobby.take) -> Any:
    if session.links and request.match in session.links and not request.HasField("take_seat"):
        request.match = next(iter(session.links))
    return take(self, session, request, at_ns)


bug("token not changed", "a resume token stays the same", (Session, "new_resume_token", _same_token))
bug("token used again", "a resume token is good more than once", (Greeter, "_welcome", _welcome_and_keep))
bug(
    "displaced and not told",
    "a stream whose session another one has taken up stays open",
    (Greeter, "_resumed", _resume_without_closing),
)
bug("evicted and not told", "a stream whose bot has another one stays open", (Greeter, "_fresh", _fresh_without_closing))
bug("matches mixed up", "an answer goes to another match of the same bot", (Lobby, "take", _to_any_match))
bug(
    "seats never let go",
    "tokens of seats are good for ever",
    (Seating, "remove", lambda self, match: self.matches.pop(match.id, None)),
)
