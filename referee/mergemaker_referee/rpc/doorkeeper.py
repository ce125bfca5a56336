"""Limits connections that have not shown a token, so that a flood leaves room for others.

gRPC itself limits the number of all connections and the time of each handshake. These limits alone would let one address take
all places, and keep newcomers out for as long as it comes back.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import structlog

from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.rpc.sockets import Accepted, Peer, Sockets, address_of, peer_of
from mergemaker_referee.rpc.traffic import Traffic

LOOK_INTERVAL_S: Final = 0.1
"""The shortest time between two looks at the connections."""
PRESSED_INTERVAL_S: Final = 0.01
"""The same after a look that found too many."""
MUTED_S: Final = 1
"""For this long a flooding connection is kept muted. Then it is ended, which frees what gRPC holds for it."""
FLOOD_WATCHED_S: Final = 10
"""For this long after a flood the looks stay frequent: its client may open the next connection at once."""
LOOK_SHARE: Final = 20
"""Looking takes at most one part in this many of a processor's time: with many connections, looks are rarer."""
FREE_SHARE: Final = 10
"""One part in this many of all places stays free: the oldest connections without a token make room for it."""
SILENCES: Final = 2
"""A connection may take the time of a handshake twice: for the handshake, and then until its first call."""
LOG_INTERVAL_S: Final = 10
"""The shortest time between two log entries about ended connections."""
ADDRESSES_LOGGED_MAX: Final = 5
_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)

TOO_MANY_OPEN: Final = Closing(
    CloseCode.RESOURCE_EXHAUSTED,
    "too-many-calls",
    "as many calls without a token are open as this referee takes, here or from this address; try again later",
)


class Doorkeeper:
    """Used on the transport's thread."""

    def __init__(self, limits: Limits, now_ns: Callable[[], int]) -> None:
        self._limits: Final = limits
        self._now_ns: Final = now_ns
        self._known: Final[Counter[Peer]] = Counter()
        """By connection: how many of its open calls have shown a token."""
        self._open: Final[Counter[str]] = Counter()
        """By address: how many calls without a token are open."""
        self._used: Final[Counter[Peer]] = Counter()
        """By connection: how many of its calls are open, with or without a token."""
        self._used_last_ns: dict[Peer, int] = {}
        """By connection: when its last open call ended."""
        self._payers: dict[Peer, Account] = {}
        """By connection: the account of the token that came through it last."""
        self._traffic: Final = Traffic(limits.connection_bytes_per_s_max)
        self.ended = 0
        """How many connections were ended to make room."""
        self._unlogged = 0
        self._log_again_ns = now_ns()

    @contextmanager
    def known(self, peer: str, account: Account) -> Iterator[None]:
        """While this lasts, the connection belongs to a known client, which pays from this account."""
        key = peer_of(peer) or (peer, 0)
        self._payers[key] = account
        with self._using(key):
            self._known[key] += 1
            try:
                yield
            finally:
                _count_down(self._known, key)

    @contextmanager
    def admitted(self, peer: str) -> Iterator[bool]:
        """Admits a call without a token while this lasts, if there is room for it."""
        key = peer_of(peer) or (peer, 0)
        address, limits = address_of(key[0]), self._limits
        if self._open.total() >= limits.open_calls_max or self._open[address] >= limits.open_calls_per_address_max:
            yield False
            return
        with self._using(key):
            self._open[address] += 1
            try:
                yield True
            finally:
                _count_down(self._open, address)

    @contextmanager
    def _using(self, peer: Peer) -> Iterator[None]:
        self._used[peer] += 1
        try:
            yield
        finally:
            _count_down(self._used, peer)
            self._used_last_ns[peer] = self._now_ns()

    async def run(self, ports: Collection[int]) -> None:
        """Looks at the connections repeatedly until it is cancelled."""
        sockets, watched_until = Sockets(ports), 0
        muted: dict[int, tuple[int, Accepted]] = {}
        while True:
            began = self._now_ns()
            # Not on the loop: with thousands of connections a look takes milliseconds, and answers would have to wait.
            seen, sent = await asyncio.to_thread(_look, sockets, began)
            self._forget(seen)
            floods = self.floods(seen, sent)
            for each in floods:
                sockets.mute(each)
                muted.setdefault(each.identity, (began + MUTED_S * _NS_PER_S, each))
                watched_until = began + FLOOD_WATCHED_S * _NS_PER_S
            for until, each in tuple(muted.values()):
                if began >= until:
                    sockets.end(each)
                    del muted[each.identity]
            surplus = self.surplus(seen)
            self._note(sum([sockets.end(each) for each in surplus]), surplus)
            took = (self._now_ns() - began) / _NS_PER_S
            await asyncio.sleep(
                max(PRESSED_INTERVAL_S if surplus or began < watched_until else LOOK_INTERVAL_S, took * LOOK_SHARE)
            )

    def floods(self, seen: Sequence[Accepted], sent: Sequence[int | None]) -> list[Accepted]:
        """Given connections and the bytes that each has sent so far, returns those that send too much. Their clients pay."""
        now, found = self._now_ns(), []
        for each, received in zip(seen, sent, strict=True):
            payer = self._payers.get(each.peer)
            has_flooded = payer is not None and payer.has_flooded
            if received is not None and self._traffic.is_flood(each, received, now, has_flooded=has_flooded):
                found.append(each)
                if payer is not None:
                    payer.note_flood()
        return found

    def _note(self, ended: int, surplus: Sequence[Accepted]) -> None:
        """Logs that connections were ended, rarely enough that an attack does not fill the log."""
        self.ended += ended
        self._unlogged += ended
        now = self._now_ns()
        if self._unlogged and now >= self._log_again_ns:
            some = sorted({address_of(each.peer[0]) for each in surplus})[:ADDRESSES_LOGGED_MAX]
            _LOG.warning("connections without a token were ended, to make room", count=self._unlogged, lately_from=some)
            self._unlogged, self._log_again_ns = 0, now + LOG_INTERVAL_S * _NS_PER_S

    def surplus(self, seen: Sequence[Accepted]) -> list[Accepted]:
        """Given connections, the longest open first, returns those that must go."""
        strangers: defaultdict[str, list[Accepted]] = defaultdict(list)
        for each in seen:
            if each.peer not in self._known:
                strangers[address_of(each.peer[0])].append(each)
        going = {each.identity: each for group in strangers.values() for each in group if self._is_overdue(each)}
        # The oldest go: a client with a token shows it at once, so a newcomer is in before its turn comes.
        most = self._limits.newcomers_per_address_max
        for group in strangers.values():
            left = [each for each in group if each.identity not in going]
            going |= {each.identity: each for each in left[: max(0, len(left) - most)]}
        room = self._limits.connections_max - self._limits.connections_max // FREE_SHARE
        missing = len(seen) - len(going) - room
        if missing > 0:
            rest = [each for each in seen if each.peer not in self._known and each.identity not in going]
            going |= {each.identity: each for each in rest[:missing]}
        return list(going.values())

    def _is_overdue(self, connection: Accepted) -> bool:
        """Whether a connection has had no call for longer than gRPC may keep it. gRPC does keep one with endless headers."""
        if connection.peer in self._used:
            return False
        since = max(connection.since_ns, self._used_last_ns.get(connection.peer, 0))
        return self._now_ns() - since > SILENCES * self._limits.handshake_ms_max * _NS_PER_MS

    def _forget(self, seen: Sequence[Accepted]) -> None:
        """Forgets connections that no longer exist."""
        here = {each.peer for each in seen}
        self._used_last_ns = {peer: last for peer, last in self._used_last_ns.items() if peer in here or peer in self._used}
        self._payers = {peer: account for peer, account in self._payers.items() if peer in here or peer in self._used}
        self._traffic.forget_all_but(seen)


def _look(sockets: Sockets, now_ns: int) -> tuple[list[Accepted], list[int | None]]:
    """The connections, and how many bytes each has sent."""
    seen = sockets.look(now_ns)
    return seen, [sockets.received(each) for each in seen]


def _count_down(counter: Counter[Any], key: object) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
