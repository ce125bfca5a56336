"""One seat's clock: an allowance for each decision, then the bank, and the credit for the round trip.

Times are whole nanoseconds of a monotonic clock, or whole milliseconds. Whether an answer is late is decided to the
nanosecond. The clock charges whole milliseconds, rounded down, so an answer in time never overdraws the bank.
"""

from typing import Final

from mergemaker_engine.values import dataclass

from mergemaker_table.terms import ClockTerms

NANOSECONDS_PER_MS: Final = 1_000_000


def whole_ms(nanoseconds: int) -> int:
    """Elapsed time as it is charged: whole milliseconds, rounded down; never below zero."""
    return max(nanoseconds, 0) // NANOSECONDS_PER_MS


def overrun_ms(nanoseconds: int) -> int:
    """How late an answer is: whole milliseconds, rounded up, because 1 ns late is late."""
    return -(-nanoseconds // NANOSECONDS_PER_MS)


def in_ns(milliseconds: int) -> int:
    """Milliseconds as nanoseconds."""
    return milliseconds * NANOSECONDS_PER_MS


@dataclass(frozen=True, slots=True)
class Charge:
    """What one decision took from a clock."""

    used_ms: int
    """From when the request was handed over to its answer."""
    credit_ms: int
    """How much of that was credited for the round trip."""
    bank_used_ms: int
    """How much of it the bank paid."""
    bank_ms: int | None
    """What the bank has now, with the increment; None on a clock without a limit."""


class SeatClock:
    """The bank of one seat, and the credit that it has left."""

    __slots__ = ("_bank_ms", "_credit_left_ms", "_terms")

    def __init__(self, terms: ClockTerms) -> None:
        self._terms: Final = terms
        self.begin_anew()

    @property
    def bank_ms(self) -> int | None:
        """What is left in the bank; None on a clock without a limit."""
        return None if self._terms.allowance_ms is None else self._bank_ms

    @property
    def time_left_ms(self) -> int | None:
        """Allowance and bank of a decision that is asked now, without any credit; None without a limit."""
        allowance = self._terms.allowance_ms
        return None if allowance is None else allowance + self._bank_ms

    def credit_ms(self, round_trip_ns: int) -> int:
        """The most that is credited for a decision that is asked now: the round trip, up to both limits."""
        if not round_trip_ns:
            return 0
        return min(whole_ms(round_trip_ns), self._terms.credit_decision_ms_max, self._credit_left_ms)

    def deadline_ns(self, handed_at_ns: int, round_trip_ns: int = 0) -> int | None:
        """The last nanosecond at which an answer counts; None without a limit."""
        left = self.time_left_ms
        return None if left is None else handed_at_ns + in_ns(left + self.credit_ms(round_trip_ns))

    def charge(self, handed_at_ns: int, answered_at_ns: int, round_trip_ns: int = 0, *, by_bot: bool = True) -> Charge:
        """Charges a decision. One that the bot answered itself gets the increment, and refills the quota of credit.

        It never charges more than the time until the deadline.
        """
        used = whole_ms(answered_at_ns - handed_at_ns)
        allowance = self._terms.allowance_ms
        if allowance is None:
            return Charge(used, 0, 0, None)
        credit = paid = 0
        if used > allowance:
            credit = min(used - allowance, self.credit_ms(round_trip_ns))
            paid = min(used - allowance - credit, self._bank_ms)
            used = allowance + credit + paid
            self._bank_ms -= paid
        if by_bot:
            self._bank_ms += self._terms.increment_ms
        self._use_credit(credit, by_bot=by_bot)
        return Charge(used, credit, paid, self._bank_ms)

    def begin_anew(self) -> None:
        """Sets bank and credit as at the start of a match."""
        self._bank_ms = self._terms.bank_ms
        self._credit_left_ms = self._terms.credit_match_ms_max

    def restore(self, bank_ms: int, credit_used_ms: int, *, by_bot: bool) -> None:
        """Takes what a record says about one decision: the bank at that time, the credit, and whether the bot answered."""
        self._bank_ms = bank_ms
        self._use_credit(credit_used_ms, by_bot=by_bot)

    def _use_credit(self, used_ms: int, *, by_bot: bool) -> None:
        most = self._terms.credit_match_ms_max
        if not used_ms and self._credit_left_ms == most:
            return  # nothing to take off, and nothing to give back
        refill = self._terms.credit_refill_ms if by_bot else 0
        left = max(self._credit_left_ms - used_ms, 0)
        self._credit_left_ms = min(left + refill, most)
