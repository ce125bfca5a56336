"""A review for programs: as JSON, and in the short form that a page carries."""

from typing import Final

from mergemaker_tools.redealing.estimates import LEVEL, Estimate
from mergemaker_tools.reviewing.accuracy import Conduct
from mergemaker_tools.reviewing.rating import Rated
from mergemaker_tools.reviewing.showing import Review

_DIGITS: Final = 5
"""Of shares on a page, after the point."""


def review_document(review: Review) -> dict[str, object]:
    """A review with all its figures. Shares are parts of 1."""
    source = review.source
    return {
        "record": str(source.path),
        "match": source.match,
        "voided": source.is_voided,
        "bots": list(source.bots),
        "seats": [_seat(conduct) for conduct in review.conducts],
        "decisions": [_decision(rated) for rated in review.decisions],
        "not_rated": [{"decision": skipped.number, "why": skipped.why.name.lower()} for skipped in source.skipped],
    }


def _seat(conduct: Conduct) -> dict[str, object]:
    return {
        "seat": conduct.seat,
        "rated": conduct.rated,
        "clear": conduct.clear,
        "expected": conduct.expected,
        "lost": _plain(conduct.lost),
        "accuracy": {"mean": conduct.accuracy, "low": conduct.low, "high": conduct.high},
    }


def _decision(rated: Rated) -> dict[str, object]:
    return {
        "decision": rated.number,
        "turn": rated.turn,
        "seat": rated.seat,
        "by": rated.by,
        "recorded": rated.recorded,
        "alternative": rated.alternative,
        "tried": rated.tried,
        "share": _plain(rated.share),
        "gain": _plain(rated.gain),
        "loss": {"mean": rated.loss, "low": rated.low, "high": rated.high},
        "clear": rated.is_clear,
    }


def _plain(of: Estimate) -> dict[str, float]:
    return {"mean": of.mean, "low": of.low, "high": of.high}


def page_review(review: Review) -> dict[str, object]:
    """What a page shows of a review."""
    plan = review.plan
    return {
        "house": str(plan.house),
        "others": plan.work.others,
        "deals": [plan.work.scouting, plan.work.rating],
        "level": LEVEL,
        "seats": [
            {
                "seat": conduct.seat,
                "rated": conduct.rated,
                "clear": conduct.clear,
                "accuracy": _short(conduct.accuracy, conduct.low, conduct.high),
                "lost": _short(conduct.lost.mean, conduct.lost.low, conduct.lost.high),
            }
            for conduct in review.conducts
        ],
        "decisions": [
            [rated.number, *_short(rated.loss, rated.low, rated.high), rated.alternative, int(rated.is_preferred)]
            for rated in review.decisions
        ],
    }


def _short(*shares: float) -> list[float]:
    return [round(share, _DIGITS) for share in shares]
