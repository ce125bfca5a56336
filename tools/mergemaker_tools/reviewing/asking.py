"""The questions of a record that are rated, each with the answers that are compared, and why others are not rated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from mergemaker_client.bots.greedy import scores_of
from mergemaker_engine.actions import Action, NoOffer
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.events import seen_by
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.playout import declares_end
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.views import View

from mergemaker_tools.reviewing.house import house_turn

_TRIED_MIN: Final = 2
"""With fewer answers there is nothing to compare."""


class NotRated(StrEnum):
    """Why a decision is not rated."""

    FORCED = "it had one legal answer"
    NO_OFFER = "no trade was offered, and the possible offers are too many to compare"
    REPEATED = "it was played in the match that this one was forked from"


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that is rated."""

    match: str
    number: int
    turn: int
    by: str
    """Who gave the recorded answer."""
    view: View
    """What the asked seat knew."""
    books: Ledger
    """Its books. Nobody changes them."""
    answers: tuple[Action, ...]
    """The answers to compare: the recorded one, then the others, the most promising first."""

    @property
    def seat(self) -> int:
        """The seat that was asked."""
        assert self.view.seat is not None, "a question is asked of a seat"
        return self.view.seat

    def __str__(self) -> str:
        """A short name for messages."""
        return f"decision {self.number} of match {self.match}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A decision that is not rated."""

    number: int
    why: NotRated


def questions_of(record: Record, seed: bytes | None, others: int, seat: int | None, at: int | None) -> Iterator[Asked | Skipped]:
    """Every decision of a record, or of one of its seats, or one decision; each with at most this many other answers."""
    header = record.header
    books = [Ledger(header.seats) for _ in range(header.seats)]
    for own, ledger in enumerate(books):
        for event in seen_by(own, record.start(seed).start_events):
            ledger.observe(event)
    first_own = header.parent.decision if header.parent else 1
    for step in record.steps(seed):
        if (seat is None or step.seat == seat) and (at is None or step.number == at):
            if at is None and step.number < first_own:
                yield Skipped(step.number, NotRated.REPEATED)
            else:
                yield _question(header.match, step, books[step.seat], others)
        for own, ledger in enumerate(books):
            for event in seen_by(own, step.events):
                ledger.observe(event)


def _question(match: str, step: Step, books: Ledger, others: int) -> Asked | Skipped:
    legal = step.legal
    if len(legal) < _TRIED_MIN:
        return Skipped(step.number, NotRated.FORCED)
    view = step.view(step.seat)
    answers = (step.answer, *_others(view, legal, step.answer, others))
    if len(answers) < _TRIED_MIN:
        return Skipped(step.number, NotRated.NO_OFFER)
    return Asked(match, step.number, step.before.turn, str(step.line.by), view, books.copy(), answers)


def _others(view: View, legal: Sequence[Action], recorded: Action, most: int) -> list[Action]:
    """The other answers to try: those with the best scores of the greedy bot, the best first.

    Among them is at least one that declares the end and one that does not, if both are legal: the bot's scores never mix them.
    """
    if isinstance(view.decision, ChooseOffer):
        return [answer for answer in (NoOffer(),) if answer != recorded]
    scores = scores_of(house_turn(view, legal))
    ranked = [legal[at] for at in sorted(range(len(legal)), key=lambda at: -scores[at]) if legal[at] != recorded]
    chosen = ranked[:most]
    for declares in (True, False):
        first = next((answer for answer in ranked if declares_end(answer) is declares), None)
        if first is not None and all(declares_end(answer) is not declares for answer in (recorded, *chosen)):
            chosen[-1] = first
    return chosen
