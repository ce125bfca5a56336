"""The matches that requests made, so that a request that comes again makes no second match."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import trio
from mergemaker_table.run_members import RequestKey

from mergemaker_referee.connections import CloseCode
from mergemaker_referee.matches.operator_calls import CallProblem


@dataclass(frozen=True, slots=True)
class MadeByRequest:
    """A match that a request made."""

    match: str
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """By seat, as they were sent; empty if they are no longer known."""


@dataclass(slots=True)
class _Entry:
    digest: str
    made: MadeByRequest | None = None
    """None while the match is being made."""
    is_settled: trio.Event = field(default_factory=trio.Event)
    """Set when the match is made, or cannot be made."""


class MadeRequests:
    """The requests with a key whose matches are known here."""

    def __init__(self) -> None:
        self._entries: Final[dict[str, _Entry]] = {}
        self._keys: Final[dict[str, str]] = {}
        """By match."""

    async def once(self, request: RequestKey, make: Callable[[], Awaitable[MadeByRequest]]) -> MadeByRequest:
        """Makes a match for a request that comes for the first time; otherwise returns the one that it made."""
        while (entry := self._entries.get(request.key)) is not None:
            if entry.digest != request.digest:
                raise CallProblem(
                    CloseCode.ALREADY_EXISTS,
                    "idempotency-key-used",
                    "another request had this idempotency key: send that one, or take a fresh key",
                )
            if entry.made is not None:
                return entry.made
            await entry.is_settled.wait()
        entry = self._entries[request.key] = _Entry(request.digest)
        try:
            entry.made = await make()
            self._keys[entry.made.match] = request.key
        finally:
            if entry.made is None:
                del self._entries[request.key]
            entry.is_settled.set()
        return entry.made

    def remember(self, match: str, request: RequestKey | None) -> None:
        """A match was made before the referee started; the tokens of its seats are not known."""
        if request is not None and request.key not in self._entries:
            self._entries[request.key] = _Entry(request.digest, MadeByRequest(match))
            self._keys[match] = request.key

    def over(self, match: str) -> None:
        """A match is over: the tokens of its seats have no more use."""
        key = self._keys.get(match)
        if key is not None:
            self._entries[key].made = MadeByRequest(match)

    def forget(self, match: str) -> None:
        """A match is no longer known."""
        key = self._keys.pop(match, None)
        if key is not None:
            del self._entries[key]
