"""A recorded question with all that decides what fresh deals may look like: what every seat had been told until then."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.events import Event, seen_by
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.rules import Rules
from mergemaker_engine.views import View
from mergemaker_engine.wording import action_text, parse_action, question_text
from mergemaker_table.seats import was_put

from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import WrongUse

ANSWERS_MAX: Final = 100
"""Answers that are tried without being named."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision of a record, as it was asked."""

    match: str
    number: int
    """The decision's number in the match."""
    rules: Rules
    bots: tuple[str, ...]
    """The names of those who play on, by seat."""
    asked: str
    by: str
    """Who gave the recorded answer."""
    view: View
    """What the asked seat knew."""
    told: tuple[tuple[Event, ...], ...]
    """By seat: every event that it had seen."""
    hands: tuple[tuple[int, ...], ...]
    """By seat: the tiles that it really had."""
    put: tuple[int, ...]
    """By seat: how many questions it had been asked."""
    answers: tuple[Action, ...]
    """The answers to try, the recorded one first."""

    @property
    def seat(self) -> int:
        """The seat that was asked."""
        assert self.view.seat is not None, "a question is asked of a seat"
        return self.view.seat

    @property
    def seats(self) -> int:
        """How many play."""
        return self.view.seats

    @property
    def texts(self) -> tuple[str, ...]:
        """The answers as they are written."""
        return tuple(action_text(answer, self.rules) for answer in self.answers)

    def ledger(self) -> Ledger:
        """The asked seat's books: what it could know of the others."""
        books = Ledger(self.seats)
        for event in self.told[self.seat]:
            books.observe(event)
        return books


def question_of(record: Record, number: int, bots: tuple[str, ...], named: Sequence[str] | None) -> Question:
    """Decision `number` of a finished record; `named` are the answers to try beside the recorded one, or None for all."""
    header = record.header
    told: list[list[Event]] = [list(seen_by(seat, record.start().start_events)) for seat in range(header.seats)]
    put = [0] * header.seats
    for step in record.steps():
        if step.number == number:
            break
        for seat in range(header.seats):
            told[seat] += seen_by(seat, step.events)
        put[step.seat] += was_put(step.line)
    else:
        raise RecordError("no-such-decision", f"this match has no decision {number}")
    return Question(
        match=header.match,
        number=number,
        rules=header.rules,
        bots=bots,
        asked=question_text(step.decision, header.rules),
        by=str(step.line.by),
        view=step.view(step.seat),
        told=tuple(map(tuple, told)),
        hands=tuple(step.view(seat).hand for seat in range(header.seats)),
        put=tuple(put),
        answers=_answers(step, header.rules, named),
    )


def _answers(step: Step, rules: Rules, named: Sequence[str] | None) -> tuple[Action, ...]:
    """The answers to try, each once: the recorded one, and those that are named, or all."""
    if named is not None:
        return tuple(dict.fromkeys([step.answer, *(_legal(step, rules, text) for text in named)]))
    count = len(step.legal)
    if count > ANSWERS_MAX:
        raise WrongUse(
            f"decision {step.number} has {count:,} legal answers, and at most {ANSWERS_MAX} are tried without being named: "
            "name some with --answers"
        )
    return tuple(dict.fromkeys([step.answer, *step.legal]))


def _legal(step: Step, rules: Rules, text: str) -> Action:
    try:
        answer = parse_action(text, rules)
        step.before.copy().apply(answer)
    except EngineError as error:
        raise WrongUse(
            f"--answers: {text!r} is no legal answer to decision {step.number}: {error}\n"
            f"`{own_command('replay')} RECORD@{step.number} --text` shows the legal answers."
        ) from error
    return answer
