"""What each known client costs: its open calls, and the work that it causes without being asked.

Answers to questions and pings are asked for: the referee decides how many come. A client decides on all other work by itself,
and has an account for it. Each second puts some time into the account, up to a limit. If a client has used all of it, the
referee reads its requests later, and they wait in the client's memory. So a client that causes too much work slows only itself.
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
"""The longest that a call waits after its client has caused too much work."""
CALL_NS: Final = 1_000_000
"""What a call costs the transport and its connection's threads. The referee's work for it is charged separately."""
REFUSALS_WAITING_MAX: Final = 512
"""How many excess calls of one client wait to be refused. Any further call is refused at once."""
CALLS_MAX: Final = 1_000_000
"""Used where something else limits an account's calls."""
DEBT_S_MAX: Final = 30
"""The longest that a client is slowed down once it causes no more work."""
FLOOD_REMEMBERED_NS: Final = 30_000_000_000
"""How long a client counts as one that floods."""
LOG_INTERVAL_NS: Final = 10_000_000_000
"""The shortest time between two log entries about a client that is slowed down."""
_MS_PER_S: Final = 1_000
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


def too_many_calls(most: int) -> Closing:
    """Why a client gets no more calls."""
    return Closing(
        CloseCode.RESOURCE_EXHAUSTED,
        "too-many-calls",
        f"{most} calls with this token are open, which is the limit; end one of them first",
    )


class Account:
    """One client's account. The referee's thread charges; the transport's thread does all else, so nothing needs a lock."""

    def __init__(self, limits: Limits, now_ns: Callable[[], int], name: str, calls_max: int = CALLS_MAX) -> None:
        self._calls_max: Final = calls_max
        self._per_s_ms: Final = limits.unasked_ms_per_s
        self._saved_ns: Final = limits.unasked_ms_max * _NS_PER_MS
        self._now_ns: Final = now_ns
        self._name: Final = name
        self._charged_ns = 0
        """All charges of the referee's thread."""
        self._called_ns = 0
        """All charges for calls."""
        self._counted_ns = 0
        """How much of both is already in the debt."""
        self._debt_ns = 0
        self._at_ns = now_ns()
        self._log_again_ns = self._at_ns
        self.calls = 0
        """How many calls are open."""
        self._flooded_until_ns: int | None = None

    def note_flood(self) -> None:
        """Notes that a connection of this client flooded and was cut off. The debt becomes as high as a debt can be."""
        now = self._now_ns()
        if not self.has_flooded:
            _LOG.warning("a client floods its connection, so the connection is cut off", client=self._name)
        self._flooded_until_ns = now + FLOOD_REMEMBERED_NS
        self._called_ns += DEBT_S_MAX * self._per_s_ms * _NS_PER_MS

    @property
    def has_flooded(self) -> bool:
        """Whether it recently flooded a connection."""
        return self._flooded_until_ns is not None and self._now_ns() < self._flooded_until_ns

    def charge(self, cost_ns: int) -> None:
        """Charges work that nobody asked for. Called on the referee's thread."""
        self._charged_ns += cost_ns

    def charge_call(self) -> None:
        """Charges a call."""
        self._called_ns += CALL_NS

    def wait_ns(self) -> int:
        """How long to take nothing from this client; 0 if it has time left."""
        over = self._debt() - self._saved_ns
        if over <= 0:
            return 0
        wait = over * _MS_PER_S // self._per_s_ms + 1
        if self._at_ns >= self._log_again_ns:
            self._log_again_ns = self._at_ns + LOG_INTERVAL_NS
            _LOG.info("a client makes too much work, so it is slowed down", client=self._name, for_ms=wait // _NS_PER_MS)
        return wait

    async def pay_for_call(self) -> Closing | None:
        """Charges a call and delays it if its client has caused too much work. Returns the refusal, if there is one.

        A call above the limit waits, too. If it were refused at once, the next one would follow at once.
        """
        self.charge_call()
        refusal = self.refusal()
        if self.calls <= self._calls_max + REFUSALS_WAITING_MAX and (wait_ns := self.wait_ns()) > 0:
            await asyncio.sleep(min(wait_ns / 1e9, CALL_WAIT_S_MAX))
        return refusal

    def refusal(self) -> Closing | None:
        """The refusal of the call that was opened last, if it is one too many."""
        return too_many_calls(self._calls_max) if self.calls > self._calls_max else None

    @property
    def is_even(self) -> bool:
        """Whether it can be forgotten: it has no open call and owes nothing."""
        return not self.calls and not self._debt() and not self.has_flooded

    def _debt(self) -> int:
        total = self._charged_ns + self._called_ns
        if not self._debt_ns and total == self._counted_ns:
            return 0  # a client that only answers owes nothing, and this runs before each of its requests is read
        now = self._now_ns()
        self._debt_ns = max(0, self._debt_ns - (now - self._at_ns) * self._per_s_ms // _MS_PER_S)
        self._at_ns = now
        self._debt_ns = min(self._debt_ns + total - self._counted_ns, self._saved_ns + DEBT_S_MAX * self._per_s_ms * _NS_PER_MS)
        self._counted_ns = total
        return self._debt_ns


class Accounts:
    """Accounts of all who showed a token, and of the addresses of those who did not. Used on the transport's thread."""

    def __init__(self, limits: Limits, now_ns: Callable[[], int]) -> None:
        self._limits: Final = limits
        self._now_ns: Final = now_ns
        self._by_client: Final[dict[Identity | str, Account]] = {}

    def __len__(self) -> int:
        return len(self._by_client)

    @contextmanager
    def call(self, identity: Identity) -> Iterator[Account]:
        """The caller's account, while the call is open."""
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
        """Drops accounts that are no longer used. Call it from time to time."""
        for client in [client for client, account in self._by_client.items() if account.is_even]:
            del self._by_client[client]


def name_of(identity: Identity) -> str:
    """A client's name in the log."""
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
