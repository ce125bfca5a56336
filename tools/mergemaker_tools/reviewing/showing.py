"""A review for people: accuracy by seat, the worst decisions in words, and what the figures are estimates of."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from mergemaker_tools.options import rules_in_words
from mergemaker_tools.redealing.estimates import LEVEL, Estimate
from mergemaker_tools.reviewing.accuracy import Conduct, conduct_of
from mergemaker_tools.reviewing.asking import NotRated
from mergemaker_tools.reviewing.planning import Source
from mergemaker_tools.reviewing.rating import Plan, Rated
from mergemaker_tools.tables import table

WORST: Final = 10
"""How many decisions are told in words."""
_INDENT: Final = "    "
_NAME_CHARACTERS: Final = 20


@dataclass(frozen=True, slots=True)
class Review:
    """A record, reviewed."""

    source: Source
    plan: Plan
    decisions: tuple[Rated, ...]

    @property
    def conducts(self) -> tuple[Conduct, ...]:
        """What each seat with rated decisions gave away."""
        found = (conduct_of(seat, self.decisions) for seat in range(len(self.source.bots)))
        return tuple(conduct for conduct in found if conduct is not None)

    @property
    def worst(self) -> tuple[Rated, ...]:
        """The decisions that lose most, the worst first. Those whose alternative did no better are none of them."""
        losing = [rated for rated in self.decisions if rated.loss > 0]
        return tuple(sorted(losing, key=lambda rated: (-rated.loss, rated.number))[:WORST])


def head_lines(review: Review, width: int) -> Iterator[str]:
    """What was reviewed, and how."""
    source, work = review.source, review.plan.work
    text = (
        f"match {source.match} · {rules_in_words(source.rules)} · {len(source.bots)} seats · "
        f"{len(review.decisions)} decisions rated, each in {work.scouting} and {work.rating} fresh deals, "
        f"played on by {review.plan.house}"
    )
    yield from textwrap.wrap(text, width, subsequent_indent=_INDENT)
    if source.is_voided:
        yield "The match was voided. Its decisions are rated all the same."


def accuracy_table(review: Review) -> Table:
    """Each seat's accuracy and losses, with intervals."""
    listed = table()
    for head in ("seat", "rated", "clear"):
        listed.add_column(head, justify="right")
    listed.add_column("bot", max_width=_NAME_CHARACTERS, no_wrap=True, overflow="ellipsis")
    for head in ("accuracy", f"{LEVEL:.0%} interval", "lost", f"{LEVEL:.0%} interval"):
        listed.add_column(head, justify="right")
    for conduct in review.conducts:
        accuracy = f"{100 * conduct.low:.0f} to {100 * conduct.high:.0f}"
        lost = f"{_share(conduct.lost.low)} to {_share(conduct.lost.high)}"
        counts = (str(conduct.seat), str(conduct.rated), str(conduct.clear))
        bot = review.source.bots[conduct.seat]
        listed.add_row(*counts, bot, f"{100 * conduct.accuracy:.0f} %", accuracy, _share(conduct.lost.mean), lost)
    return listed


def worst_lines(review: Review, width: int) -> Iterator[str]:
    """The worst decisions in words."""
    worst = review.worst
    if not worst:
        yield "No answer that was tried did better than the recorded one."
        return
    yield f"The {len(worst)} worst decisions:" if len(worst) > 1 else "The worst decision:"
    for place, rated in enumerate(worst, 1):
        yield from textwrap.wrap(_in_words(place, rated, review.source.bots), width, subsequent_indent=_INDENT)


def _in_words(place: int, rated: Rated, bots: Sequence[str]) -> str:
    by = "" if rated.by == "bot" else f" ({rated.by})"
    chance = "" if rated.is_clear else ", which may be chance"
    who = f"{place:>2}. decision {rated.number}, turn {rated.turn}: seat {rated.seat} ({bots[rated.seat]})"
    better = f"With “{rated.alternative}” it could expect {_percent(rated.gain)} more of all money{chance}."
    return f"{who} answered “{rated.recorded}”{by}. {better}"


def _percent(of: Estimate) -> str:
    return f"{_share(of.mean)} % ({_share(of.low)} to {_share(of.high)})"


def _share(part: float) -> str:
    """A share in per cent, without a sign before nothing."""
    return f"{round(100 * part, 1) + 0:.1f}"


def foot_lines(reviews: Sequence[Review], width: int) -> Iterator[str]:
    """What the figures mean."""
    plan = reviews[0].plan
    house, others = plan.house, plan.work.others
    notes = [
        (
            "accuracy: what the seat could expect, as a part of this and what it gave away together; "
            "100 % is the best answer that was tried, each time"
        ),
        f"lost: per cent of all money that it gave away, each answer against the best of at most {others} others",
        "clear: how many answers lose with their whole interval",
        (
            f"All this estimates how {house} would do in every seat from there on, with tiles drawn evenly from those "
            f"that the seat could not know. Intervals are Student's t at {LEVEL:.0%}, over deals that had no part in "
            "choosing the other answer: about one in twenty misses."
        ),
    ]
    for why in NotRated:
        count = sum(review.source.skipped_for(why) for review in reviews)
        if count:
            notes.append(f"not rated: {count:,} decision{'s' if count > 1 else ''}, because {why}")
    for note in notes:
        yield from textwrap.wrap(note, width, subsequent_indent="  ")
