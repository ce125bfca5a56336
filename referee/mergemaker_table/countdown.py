"""Time that counts from a moment on, except stretches that are nobody's. Every deadline of a table uses it."""

from typing import Final

STRETCHES_MAX: Final = 32
"""How many stretches are kept apart. An older one counts as if it were at the beginning: no stamp is that old."""


class Countdown:
    """Times are nanoseconds of a monotonic clock."""

    __slots__ = ("_began_ns", "_left_out")

    def __init__(self, began_ns: int) -> None:
        self._began_ns = began_ns
        self._left_out: list[tuple[int, int]] = []
        """The stretches that do not count, in the order of time; none touch."""

    def leave_out(self, begun_ns: int, until_ns: int) -> int:
        """Leaves a stretch out. Nothing is left out twice; returns how much is new."""
        begun_ns = max(begun_ns, self._began_ns)
        if begun_ns >= until_ns:
            return 0
        left_out = self._left_out
        if not left_out or begun_ns > left_out[-1][1]:
            left_out.append((begun_ns, until_ns))
            new_ns = until_ns - begun_ns
        else:
            new_ns = until_ns - begun_ns - self.left_out_ns(begun_ns, until_ns)
            if not new_ns:
                return 0
            self._merge(begun_ns, until_ns)
        if len(self._left_out) > STRETCHES_MAX:
            begun, until = self._left_out.pop(0)
            self._began_ns += until - begun
        return new_ns

    def _merge(self, begun_ns: int, until_ns: int) -> None:
        """Adds a stretch that may touch others."""
        apart = [each for each in self._left_out if each[1] < begun_ns or each[0] > until_ns]
        touching = [each for each in self._left_out if each not in apart]
        begun_ns = min([begun_ns, *(begun for begun, _ in touching)])
        until_ns = max([until_ns, *(until for _, until in touching)])
        self._left_out = sorted([*apart, (begun_ns, until_ns)])

    def left_out_ns(self, since_ns: int, until_ns: int) -> int:
        """How much between two moments does not count."""
        return sum([max(0, min(until, until_ns) - max(begun, since_ns)) for begun, until in self._left_out])

    def elapsed_ns(self, at_ns: int) -> int:
        """How much has counted up to a moment; below zero before the beginning."""
        elapsed = at_ns - self._began_ns
        return elapsed - self.left_out_ns(self._began_ns, at_ns) if self._left_out else elapsed

    def reaches_ns(self, elapsed_ns: int) -> int:
        """The last moment by which no more than this has counted. A stretch that begins by then moves it."""
        reached = self._began_ns + elapsed_ns
        if not self._left_out:  # nearly always
            return reached
        for begun, until in self._left_out:
            if begun > reached:
                break
            reached += until - begun
        return reached
