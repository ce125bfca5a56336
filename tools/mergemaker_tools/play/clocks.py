"""The clock of a match from `--clock`: a name, or a name and terms of its own."""

from dataclasses import replace
from typing import Any, Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_table.errors import TableError
from mergemaker_table.terms import CLOCKS, TERM_MS_MAX, ClockTerms

from mergemaker_tools.problems import WrongUse

STARTUP_MS_MIN: Final = 120_000
"""The least time to join for bots that this command starts: it knows whether they still run, so it never waits in vain."""
_TERMS: Final = {
    "allowance": "allowance_ms",
    "bank": "bank_ms",
    "increment": "increment_ms",
    "startup": "startup_ms",
    "credit-decision": "credit_decision_ms_max",
    "credit-match": "credit_match_ms_max",
    "credit-refill": "credit_refill_ms",
}
"""The terms as they are written, and the fields of `ClockTerms`; all of them are in milliseconds."""


def clock_from(text: str) -> ClockTerms:
    """The clock in a text: `fast`, or `mine:allowance=500,bank=30000` with times in milliseconds."""
    name, colon, rest = text.partition(":")
    if not colon:
        if name not in CLOCKS:
            raise WrongUse(
                f"there is no clock {name!r}{nearest_names(name, CLOCKS)}\nThe clocks are {', '.join(CLOCKS)}; "
                "one of your own is written NAME:allowance=500,bank=30000, in milliseconds."
            )
        return CLOCKS[name]
    terms: dict[str, Any] = {}
    for part in rest.split(","):
        term, _, value = part.partition("=")
        if term not in _TERMS:
            raise WrongUse(f"a clock has no term {term!r}{nearest_names(term, _TERMS)}\nThe terms are {', '.join(_TERMS)}.")
        if _TERMS[term] in terms:
            raise WrongUse(f"the clock is given the term {term} twice")
        is_short = value.isascii() and value.isdigit() and len(value) <= len(str(TERM_MS_MAX))
        if not is_short or int(value) > TERM_MS_MAX:
            raise WrongUse(f"{term} takes a whole number of milliseconds from 0 to {TERM_MS_MAX:,}, not {value!r}")
        terms[_TERMS[term]] = int(value)
    try:
        # In records, the name of a known clock would be misleading.
        if name in CLOCKS:
            return replace(CLOCKS[name], name=f"{name}-own", **terms)
        return ClockTerms(**{"name": name, "allowance_ms": 0, **terms})
    except TableError as error:
        raise WrongUse(f"--clock {text}: {error}") from error


def with_time_to_start(clock: ClockTerms, *, by_hand: bool) -> ClockTerms:
    """The clock with time for bots to join: no limit if a person starts one."""
    if clock.startup_ms is None or by_hand:
        return replace(clock, startup_ms=None)
    return replace(clock, startup_ms=max(clock.startup_ms, STARTUP_MS_MIN))
