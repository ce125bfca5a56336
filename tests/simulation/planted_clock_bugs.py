"""Bugs of clocks and standstills; each patches the real code."""

from dataclasses import replace
from typing import Any

from mergemaker_referee.matches.inbox import Inbox
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.standstills import Standstills
from mergemaker_table import table as table_module
from mergemaker_table.clock import NANOSECONDS_PER_MS, Charge, SeatClock
from mergemaker_table.inputs import BarrierPassed
from mergemaker_table.join_terms import JoinTerms
from mergemaker_table.joining import Joining
from mergemaker_table.playing import Playing

from .planting import bug

# --- time ---

_post = Inbox.post
_charge = SeatClock.charge


def _lose_wake_up(self: Any, given: Any) -> None:
    if isinstance(given, BarrierPassed):
        self.came.append(given)
    else:
        _post(self, given)


bug("lost wake-up", "a barrier that has passed does not wake its match", (Inbox, "post", _lose_wake_up))


def _charge_twice(self: Any, *arguments: Any, **keywords: Any) -> Charge:
    found = _charge(self, *arguments, **keywords)
    self._bank_ms = max(0, self._bank_ms - found.bank_used_ms)
    return replace(found, bank_ms=None if found.bank_ms is None else self._bank_ms)


bug("double charge", "the bank pays twice", (SeatClock, "charge", _charge_twice))


def _a_ms_later(self: Any, handed_at_ns: int, round_trip_ns: int = 0, _deadline: Any = SeatClock.deadline_ns) -> int | None:
    deadline: int | None = _deadline(self, handed_at_ns, round_trip_ns)
    return None if deadline is None else deadline + NANOSECONDS_PER_MS


bug("late answer counts", "an answer may be late by a millisecond", (SeatClock, "deadline_ns", _a_ms_later))


def _start_when_put(self: Any, waiting: Any, now_ns: int, _put: Any = Playing._put) -> None:
    _put(self, waiting, now_ns)
    if not waiting.is_running:
        waiting.start(now_ns)


bug("disk stall charged", "a clock runs while the line before its question is written", (Playing, "_put", _start_when_put))


def _no_grace(_: Any, waiting: Any, now_ns: int) -> None:
    waiting.start(now_ns)


bug("down-time charged", "after a restart clocks run before their bots can be back", (Playing, "_start_unattended", _no_grace))


def _no_barrier(self: Any, now_ns: int) -> None:
    if self._held_back.is_due(now_ns):
        self._go_on(now_ns)
    while (waiting := self._open) is not None and waiting.is_late(now_ns):
        self._default_overdue(waiting, now_ns)


bug("no barrier", "at the deadline nobody looks for an answer that is under way", (Playing, "settle", _no_barrier))


def _no_barrier_for_the_absent(self: Any, now_ns: int, _settle: Any = Playing.settle) -> None:
    waiting = self._open
    if waiting is None or waiting.seat.connected:
        _settle(self, now_ns)
    else:
        _no_barrier(self, now_ns)


bug(
    "the absent not looked for",
    "at the deadline nobody looks for a bot that came back and was not heard yet",
    (Playing, "settle", _no_barrier_for_the_absent),
)


def _put_again_late(self: Any, number: int, _: int, now_ns: int, _put_again: Any = Playing._put_again) -> None:
    _put_again(self, number, now_ns, now_ns)


bug(
    "late hearing charged",
    "a bot that comes back pays for what the referee took to hear it",
    (Playing, "_put_again", _put_again_late),
)

_begin = Lobby.begin


def _begin_and_keep_waiting(self: Any, session: Any, hello: Any, at_ns: int) -> None:
    waiting = self._seating.waiting.get(session.id)
    _begin(self, session, hello, at_ns)
    if waiting is not None:
        self._seating.waiting[session.id] = waiting


bug(
    "credit without a quota",
    "the way is credited again and again",
    (SeatClock, "_use_credit", lambda self, used_ms, *, by_bot: None),  # noqa: ARG005 - like the real one
)
bug("start-up runs on", "time to join runs while nobody is heard", (Joining, "leave_out", lambda self, begun_ns, until_ns: None))  # noqa: ARG005 - like the real one

bug(
    "time to join from the making",
    "the time to join runs while bots of the match play others",
    (JoinTerms, "waits", property(lambda self: False)),  # type: ignore[arg-type]  # noqa: ARG005 - a property, as in the original
)

# --- a process that stands still ---

bug(
    "standstill charged",
    "clocks run while the referee's process does not",
    (Playing, "leave_out", lambda self, begun_ns, until_ns: None),  # noqa: ARG005 - like the real one
)
bug(
    "broken connection blamed",
    "a connection that broke while nobody answered is the bot's own doing",
    (table_module, "may_be_of_silence", lambda left_because: False),  # noqa: ARG005 - like the real one
)
bug(
    "suspension not seen",
    "a machine that slept broke no connections",
    (Standstills, "was_suspended", lambda self, for_ns, now_ns: None),  # noqa: ARG005 - like the real one
)
bug(
    "nothing is settled",
    "time runs before what came during a standstill is found",
    (Standstills, "_follow", lambda self, for_ns, until_ns: None),  # noqa: ARG005 - like the real one
)
bug(
    "still waiting",
    "a bot that comes back before its break was noticed may wait for no match",
    (Lobby, "begin", _begin_and_keep_waiting),
)
