"""What each known client costs: how many calls it has open, and the work that it makes without being asked.

Answers to questions and to pings are asked for: how many come is up to the referee. All else is work that a client decides on
by itself. It has an account for that. Each second puts some time into it, up to a limit; who has used all of it is read later,
and what he sends waits in his own memory. So a client that makes too much work slows itself down, and nobody else.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, assert_never

import structlog

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.identities import Identity, KnownBot, Onlooker, Operator, SeatHolder

CALL_WAIT_S_MAX: Final = 5.0
"""For how long a call waits at most whose client has made too much work."""
CALL_NS: Final = 1_000_000
"""What a call costs the transport, and its connection's threads, beside what the referee does for it."""
REFUSALS_WAITING_MAX: Final = 512
"""Calls of one client that are too many and wait to be refused. Past it one more is refused at once."""
CALLS_MAX: Final = 1_000_000
"""Where somebody else counts an account's calls."""
DEBT_S_MAX: Final = 30
"""For how long a client is slowed down at most, once it makes no more work."""
FLOOD_REMEMBERED_NS: Final = 30_000_000_000
"""For how long a client counts as one that floods."""
LOG_INTERVAL_NS: Final = 10_000_000_000
"""How often the log tells that a client is slowed down, at most."""
_MS_PER_S: Final = 1_000
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


def too_many_calls(most: int) -> Closing:
    """Why a client gets no more calls."""
    return Closing(
        CloseCode.RESOURCE_EXHAUSTED,
        "too-many-calls",
        f"{most} calls with this token are open, which is as many as may be; end one of them first",
    )


class Account:
    """One client's. The referee's thread charges; all else is the transport's, so that nothing needs a lock."""

    def __init__(self, limits: Limits, now_ns: Callable[[], int], name: str, calls_max: int = CALLS_MAX) -> None:
        self._calls_max: Final = calls_max
        self._per_s_ms: Final = limits.unasked_ms_per_s
        self._saved_ns: Final = limits.unasked_ms_max * _NS_PER_MS
        self._now_ns: Final = now_ns
        self._name: Final = name
        self._charged_ns = 0
        """By the referee's thread, in all."""
        self._called_ns = 0
        """For calls, in all."""
        self._counted_ns = 0
        """How much of both is in the debt."""
        self._debt_ns = 0
        self._at_ns = now_ns()
        self._log_again_ns = self._at_ns
        self.calls = 0
        """How many calls are open."""
        self._flooded_until_ns: int | None = None

    def note_flood(self) -> None:
        """One of its connections was cut off because it flooded: its debt is as high as a debt can be."""
        now = self._now_ns()
        if not self.has_flooded:
            _LOG.warning("a client floods its connection, so the connection is cut off", client=self._name)
        self._flooded_until_ns = now + FLOOD_REMEMBERED_NS
        self._called_ns += DEBT_S_MAX * self._per_s_ms * _NS_PER_MS

    @property
    def has_flooded(self) -> bool:
        """Whether it flooded a connection not long ago."""
        return self._flooded_until_ns is not None and self._now_ns() < self._flooded_until_ns

    def charge(self, cost_ns: int) -> None:
        """Charges work that nobody asked for. Of the referee's thread."""
        self._charged_ns += cost_ns

    def charge_call(self) -> None:
        """Charges a call."""
        self._called_ns += CALL_NS

    def wait_ns(self) -> int:
        """For how long nothing more is taken from this client; 0: it has time left."""
        over = self._debt() - self._saved_ns
        if over <= 0:
            return 0
        wait = over * _MS_PER_S // self._per_s_ms + 1
        if self._at_ns >= self._log_again_ns:
            self._log_again_ns = self._at_ns + LOG_INTERVAL_NS
            _LOG.info("a client makes too much work, so it is slowed down", client=self._name, for_ms=wait // _NS_PER_MS)
        return wait

    async def pay_for_call(self) -> Closing | None:
        """Charges a call, and lets it wait if its client has made too much work; returns why it is refused, if it is.

        A call that is too many waits as well. One that was refused at once would be followed by the next one at once.
        """
        self.charge_call()
        refusal = self.refusal()
        if self.calls <= self._calls_max + REFUSALS_WAITING_MAX and (wait_ns := self.wait_ns()) > 0:
            await asyncio.sleep(min(wait_ns / 1e9, CALL_WAIT_S_MAX))
        return refusal

    def refusal(self) -> Closing | None:
        """Why the call that was opened last is refused, if it is."""
        return too_many_calls(self._calls_max) if self.calls > self._calls_max else None

    @property
    def is_even(self) -> bool:
        """Whether it can be forgotten: no call is open, and nothing is owed."""
        return not self.calls and not self._debt() and not self.has_flooded

    def _debt(self) -> int:
        total = self._charged_ns + self._called_ns
        if not self._debt_ns and total == self._counted_ns:
            return 0  # a client that only answers owes nothing, and this is asked before each of its requests is read
        now = self._now_ns()
        self._debt_ns = max(0, self._debt_ns - (now - self._at_ns) * self._per_s_ms // _MS_PER_S)
        self._at_ns = now
        self._debt_ns = min(self._debt_ns + total - self._counted_ns, self._saved_ns + DEBT_S_MAX * self._per_s_ms * _NS_PER_MS)
        self._counted_ns = total
        return self._debt_ns


class Accounts:
    """Those of all who showed a token, and of the addresses of those who did not. Of the transport's thread."""

    def __init__(self, limits: Limits, now_ns: Callable[[], int]) -> None:
        self._limits: Final = limits
        self._now_ns: Final = now_ns
        self._by_client: Final[dict[Identity | str, Account]] = {}

    def __len__(self) -> int:
        return len(self._by_client)

    @contextmanager
    def call(self, identity: Identity) -> Iterator[Account]:
        """The account of whoever makes a call, while the call is open."""
        with self._used(identity, name_of(identity), self.calls_max(identity)) as account:
            yield account

    @contextmanager
    def open_call(self, address: str) -> Iterator[Account]:
        """The account of an address, while a call without a token is open. The doorkeeper counts these calls."""
        with self._used(address, address, CALLS_MAX) as account:
            yield account

    @contextmanager
    def _used(self, client: Identity | str, name: str, calls_max: int) -> Iterator[Account]:
        account = self._by_client.get(client)
        if account is None:
            account = self._by_client[client] = Account(self._limits, self._now_ns, name, calls_max)
        account.calls += 1
        try:
            yield account
        finally:
            account.calls -= 1
            if account.is_even:
                self._by_client.pop(client, None)

    def calls_max(self, identity: Identity) -> int:
        """How many calls an identity may have open."""
        limits = self._limits
        return limits.operator_calls_max if isinstance(identity, Operator) else limits.calls_per_identity_max

    def forget(self) -> None:
        """Lets go of accounts that nobody uses. To be called every now and then."""
        for client in [client for client, account in self._by_client.items() if account.is_even]:
            del self._by_client[client]


def name_of(identity: Identity) -> str:
    """How the log calls a client."""
    match identity:
        case KnownBot(name):
            return name
        case SeatHolder(match, seat):
            return f"{match}@seat{seat}"
        case Operator():
            return "operator"
        case Onlooker():
            return "onlooker"
        case _:
            assert_never(identity)
