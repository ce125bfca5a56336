"""Whose fault it was, in each case: a value, a stable reason, and a sentence about what was measured."""

import re
from collections.abc import Mapping
from typing import Final, assert_never

from mergemaker_engine.record.lines import AnsweredBy

from mergemaker_table.clock import overrun_ms
from mergemaker_table.evidence import AtFault, Verdict

NO_ANSWER: Final = "no-answer"
REFUSED: Final = "refused"
LATE_ANSWER: Final = "late"
LONG_WAY: Final = "long-way"
LEFT: Final = "left"
NOT_BACK: Final = "not-back"
RESIGNED: Final = "resigned"
DEFAULTS: Final = "defaults"
NOT_JOINED: Final = "not-joined"
FAULT: Final = "fault"
CANCELLED: Final = "cancelled"
NOBODY_CAME: Final = "nobody-came"
MISSING_SEATS: Final = "missing-seats"
NOT_STARTED: Final = "not-started"
"""A match waited for its bots as long as it may, and they were never free at once."""

HELD_UP: Final = "referee-held-up"
"""The referee stood still for longer than connections survive."""

_REFEREES_FAULT: Final = frozenset({"fault", "referee-closing", HELD_UP})
"""Why streams end without a fault of their own: the referee ends them, or was not there to keep them alive."""
_OF_SILENCE: Final = frozenset({"left", "no-pong"})
"""How a stream ends if one side did not hear the other for too long. A reason without a stable name is such a break, too."""
_SLUG: Final = re.compile(r"[a-z]+(-[a-z]+)*")


def is_referees_fault(left_because: str) -> bool:
    """Whether a connection ended by a fault of the referee, because it stops, or because it stood still."""
    return left_because in _REFEREES_FAULT


def may_be_of_silence(left_because: str) -> bool:
    """Whether a connection may have ended because one side did not hear the other."""
    return left_because in _OF_SILENCE or not _SLUG.fullmatch(left_because)


def no_answer(used_ms: int) -> Verdict:
    """Time was up, and the bot was there."""
    return Verdict(
        AtFault.BOT, NO_ANSWER, f"no answer came in the {used_ms} ms that there were, counted from when the question went out"
    )


def late(overrun_ns: int | None, uncredited_ns: int) -> Verdict:
    """An answer came after its time was up; None: how late is not known, because that was before a restart."""
    if overrun_ns is None:
        return Verdict(AtFault.BOT, LATE_ANSWER, "the answer came when its time was up")
    text = f"the answer came {overrun_ms(overrun_ns)} ms after its time was up"
    if overrun_ns <= uncredited_ns:
        longer = overrun_ms(uncredited_ns)
        return Verdict(AtFault.NETWORK, LONG_WAY, f"{text}: the way takes {longer} ms more than is credited for it")
    return Verdict(AtFault.BOT, LATE_ANSWER, text)


def refused(after_ms: int | None, why: str) -> Verdict:
    """An answer was refused."""
    when = "the answer" if after_ms is None else f"the answer, which came {after_ms} ms after the question went out,"
    return Verdict(AtFault.BOT, REFUSED, f"{when} was refused: {why}")


def refused_enough(answers: int, why: str) -> Verdict:
    """Enough answers were refused that the default was taken."""
    return Verdict(AtFault.BOT, REFUSED, f"{answers} answers were refused, the last one because: {why}")


def left(because: str) -> Verdict:
    """A connection went."""
    if because == HELD_UP:
        text = "the connection broke when the referee had stood still for longer than connections bear: no time runs for that"
        return Verdict(AtFault.REFEREE, because, text)
    if is_referees_fault(because):
        return Verdict(AtFault.REFEREE, because, f"the referee ended the connection ({because}): no time runs for that")
    reason = because if _SLUG.fullmatch(because) else LEFT
    return Verdict(AtFault.BOT, reason, f"the bot's connection went ({because or 'it is not known why'})")


def away(because: str, used_ms: int) -> Verdict:
    """Time was up, and the bot was not there."""
    reason = because if _SLUG.fullmatch(because) else LEFT
    went = f"the bot's connection had gone ({because})" if because else "the bot had no connection"
    return Verdict(AtFault.BOT, reason, f"{went}, and it was not back when its {used_ms} ms were over")


def not_back(grace_ms: int, used_ms: int) -> Verdict:
    """The referee was gone, and the bot did not come back to it."""
    return Verdict(
        AtFault.BOT,
        NOT_BACK,
        f"the referee itself had been gone, and the bot was not back after {grace_ms} ms of grace and its own {used_ms} ms",
    )


def why_default(by: AnsweredBy) -> str:
    """Why a default was taken without an answer of the bot, in a few words."""
    match by:
        case AnsweredBy.TIMEOUT:
            return "no answer came in time"
        case AnsweredBy.DISCONNECTED:
            return "the seat had no connection when its time was up"
        case AnsweredBy.AUTOPILOT:
            return "the seat is on autopilot"
        case AnsweredBy.NEVER_JOINED:
            return "the seat was not taken"
        case AnsweredBy.RESIGNED:
            return "the seat has resigned"
        case AnsweredBy.BOT | AnsweredBy.AUTOMATIC | AnsweredBy.ILLEGAL | AnsweredBy.PROTOCOL:
            raise AssertionError(f"an answer by {by} is no default that is taken without one")
        case _:
            assert_never(by)


def resigned() -> Verdict:
    """The bot gave its seat up."""
    return Verdict(AtFault.BOT, RESIGNED, "the bot gave its seat up")


def too_many_defaults(defaults: int) -> Verdict:
    """The seat is no longer asked."""
    return Verdict(AtFault.BOT, DEFAULTS, f"{defaults} defaults were taken, so the seat is no longer asked")


def missed(why: str) -> Verdict:
    """A seat was not there before the deal, or did not do its part."""
    return Verdict(AtFault.BOT, NOT_JOINED, why)


def missing_seats(bots: Mapping[int, str]) -> Verdict:
    """Only some came, and the terms of the match require all; `bots` are those that did not, by seat."""
    names = ", ".join(f"{name} (seat {seat})" for seat, name in bots.items())
    return Verdict(AtFault.NOBODY, MISSING_SEATS, f"not all bots joined in time; missing: {names}")


def voided(at_fault: AtFault, reason: str, why: str) -> Verdict:
    """The match was ended without a result."""
    return Verdict(at_fault, reason, why)
