"""The times of one decision, collected while it is open."""

from typing import Final

from mergemaker_table.evidence import NOT_HELD_UP, Evidence, HeldUp, Moment, MomentKind, Verdict, trace_of

MOMENTS_MAX: Final = 24
"""For one decision: a bot may come and go more often, and that is not kept."""
_NS_PER_US: Final = 1_000


class Timeline:
    """What happened since a question was asked, or since another wait began."""

    __slots__ = ("_asked_at_ns", "_bank_ms", "_held_up", "_moments", "_of", "_stood_ns")

    def __init__(self, of: tuple[str, int, int | None], asked_at_ns: int, held_up: HeldUp, bank_ms: int | None = None) -> None:
        """`of` is the match, the seat and the decision, if it is about one."""
        self._of: Final = of
        self._asked_at_ns: Final = asked_at_ns
        self._held_up: Final = held_up
        self._bank_ms: Final = bank_ms
        self._moments: Final = [(MomentKind.ASKED, asked_at_ns)]
        self._stood_ns = 0

    def note(self, kind: MomentKind, at_ns: int) -> None:
        """Something happened."""
        if len(self._moments) < MOMENTS_MAX:
            self._moments.append((kind, at_ns))

    def stood_still(self, for_ns: int) -> None:
        """The running clock was stopped for this long."""
        self._stood_ns += for_ns

    def lag_ns(self, held_up: HeldUp) -> HeldUp:
        """How long the loops were held up since the question was asked, by what they say now."""
        before = self._held_up
        if held_up is before:
            return NOT_HELD_UP
        return HeldUp(
            max(held_up.transport_ns - before.transport_ns, 0),
            max(held_up.referee_ns - before.referee_ns, 0),
        )

    def evidence(self, verdict: Verdict, held_up: HeldUp, *moments: tuple[MomentKind, int], round_trip_ns: int = 0) -> Evidence:
        """What is there by now, and what else happened in the end."""
        lag = self.lag_ns(held_up)
        # A stamp of the transport may be older than what was noted before it arrived here.
        ordered = sorted((*self._moments, *moments), key=lambda moment: moment[1])
        return Evidence(
            verdict=verdict,
            trace=trace_of(*self._of),
            moments=tuple(Moment(kind, (at_ns - self._asked_at_ns) // _NS_PER_US) for kind, at_ns in ordered),
            transport_lag_us=lag.transport_ns // _NS_PER_US,
            referee_lag_us=lag.referee_ns // _NS_PER_US,
            stood_us=self._stood_ns // _NS_PER_US,
            round_trip_us=round_trip_ns // _NS_PER_US or None,
            bank_ms=self._bank_ms,
        )
