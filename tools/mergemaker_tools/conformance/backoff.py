"""How long a client waits before it comes back: by the rule of the guide, and with chance in it.

A busy machine makes every wait longer, so a wait that the referee measures proves only that the client did not come back too
early. The client says on standard error how long it is going to wait; that number is exact, and is held against the rule and
against what the referee saw.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

FIRST_MS: Final = 100
PLAYING_MS_MAX: Final = 1_000
IDLE_MS_MAX: Final = 10_000
"""The longest wait of attempt 0; that of any attempt while a match goes on, and while none does (clients/README.md)."""
ROUNDING_MS: Final = 1
EARLY_MS_MAX: Final = 20
"""How much too early the client may come back: timers are not exact, and clocks differ."""
SPREAD_WAITS_MIN: Final = 8
"""So many waits show whether there is chance in them."""
SPREAD_MIN: Final = 0.02
"""How far apart they must lie, as a part of the longest wait. The guide spreads them over half of it: eight waits that lie closer
together by chance come once in a hundred million times."""
_SAID: Final = re.compile(r"trying again in (\d+) ms")


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait before an attempt, as the referee knows it."""

    attempt: int
    """Counted from 0 anew after each progress."""
    is_playing: bool
    """Whether a match goes on."""
    least_ms: int
    """What the referee asked for."""
    seen_ms: int
    """How long it took, from the break to the new stream."""

    @property
    def longest_ms(self) -> int:
        """The longest wait that the rule allows, without what the referee asked for."""
        return min(PLAYING_MS_MAX if self.is_playing else IDLE_MS_MAX, FIRST_MS << self.attempt)


def said_waits(standard_error: str) -> list[int]:
    """The waits that a client says, in milliseconds."""
    return [int(number) for number in _SAID.findall(standard_error)]


def problem_of(waits: Sequence[Wait], said: Sequence[int]) -> str | None:
    """What is wrong with the waits; None if nothing is."""
    if len(said) != len(waits):
        return f"the client says `trying again in N ms` {len(said)} times on standard error, and came back {len(waits)} times"
    for number, (wait, said_ms) in enumerate(zip(waits, said, strict=True), 1):
        low, high = wait.least_ms + wait.longest_ms // 2 - ROUNDING_MS, wait.least_ms + wait.longest_ms + ROUNDING_MS
        if not low <= said_ms <= high:
            return (
                f"wait {number} is {said_ms} ms by what the client says; "
                f"expected are {low} to {high} ms before attempt {wait.attempt}"
            )
        if wait.seen_ms < said_ms - EARLY_MS_MAX:
            return f"the client came back after {wait.seen_ms} ms, and says that it waits {said_ms} ms"
    parts = [(said_ms - wait.least_ms) / wait.longest_ms for wait, said_ms in zip(waits, said, strict=True)]
    if len(parts) >= SPREAD_WAITS_MIN and max(parts) - min(parts) < SPREAD_MIN:
        shown = ", ".join(map(str, said))
        return f"there is no chance in the client's waits: each is the same part of the longest one ({shown} ms)"
    return None
