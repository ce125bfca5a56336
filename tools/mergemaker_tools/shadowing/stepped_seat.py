"""A recorded seat that stops at a decision, for `mergemaker debug`: what was asked there, what the bot answered, and how fast.

It goes on when it is told to. No I/O; the clock is a parameter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from mergemaker_client.recorded import RecordedTurn, turns_of
from mergemaker_client.reporting import view_text
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.wording import action_text, question_text
from mergemaker_referee.matches.encoding import match_part
from mergemaker_table.inputs import Answered
from mergemaker_table.outputs import Request

from mergemaker_tools.shadowing.comparing import Difference
from mergemaker_tools.shadowing.seat import RecordedSeat

_NS_IN_MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A recorded question to a seat."""

    number: int
    """The decision's number as the seat's bot counts."""
    decision: int
    """And as the match counts."""
    turn: int
    asked: str
    answers: int
    """How many answers are legal."""
    listed: tuple[str, ...]
    """All of them; for an offer, none."""
    recorded: str
    by: str
    """Who gave the recorded answer: a bot, or a default."""
    recorded_note: str | None
    position: str
    """To paste into `parse_position` or `ask`."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a bot did with a question."""

    answered: str | None
    """None where it failed."""
    difference: Difference | None
    """None where the answer is the recorded one."""
    note: str | None
    ms: float
    """From sending the question until the answer was there."""


_NOTHING: Final = Given(None, None, None, 0.0)
"""Stands where nothing has been given."""


def asked_in(recorded: RecordedTurn) -> Asked:
    """A recorded question as it is shown."""
    turn = recorded.turn
    rules = turn.match.rules
    is_offer = isinstance(turn.decision, ChooseOffer)
    return Asked(
        number=turn.number,
        decision=recorded.number,
        turn=turn.view.turn,
        asked=question_text(turn.decision, rules),
        answers=len(turn.answers),
        listed=() if is_offer else tuple(action_text(answer, rules) for answer in turn.answers),
        recorded=action_text(recorded.answer, rules),
        by=str(recorded.by),
        recorded_note=recorded.note,
        position=view_text(turn.view),
    )


def questions_of(record: Record, seat: int) -> tuple[RecordedTurn, ...]:
    """Every question to a seat."""
    return tuple(turns_of(record, seat))


class SteppedSeat(RecordedSeat):
    """A recorded seat that sends nothing after the answer to decision `stop_at`, as its bot counts, until it may go on."""

    def __init__(self, record: Record, number: int, stop_at: int, now_ns: Callable[[], int], *, waits: bool = False) -> None:
        """With `waits`, nothing is sent before the first `go_on` either."""
        self.stop_at = stop_at
        self.given: Given | None = _NOTHING if waits else None
        """What the bot did where the seat stands; None while it has not come there."""
        self._now_ns: Final = now_ns
        self._asked_ns = 0
        super().__init__(record, number, 1)

    def go_on(self, stop_at: int) -> bytes:
        """Goes on to a later decision; returns the next messages."""
        self.given, self.stop_at = None, stop_at
        return match_part(self.setup.match) + self._news()

    def answer(self, given: Answered) -> bytes:
        """Takes an answer as a recorded seat does."""
        step, request = self._step, self.request
        if step is None or request is None or not given.decision_id == request.decision_id == self.stop_at:
            return super().answer(given)
        before = len(self._differences)
        self.given = _NOTHING  # so that nothing more is sent
        sent = super().answer(given)
        self.given = self._what_was_given(given, step, self._differences[before:])
        return sent

    def _what_was_given(self, given: Answered, step: Step, found: list[Difference]) -> Given:
        difference = found[0] if found else None
        same = action_text(step.answer, self.setup.rules)
        answered = difference.answered if difference else same
        # The stamp may lie a little back, as it makes up for the time in which this process was held up.
        thought_ns = max(given.at_ns - self._asked_ns, 0)
        return Given(answered, difference, given.note or None, thought_ns / _NS_IN_MS)

    def _news(self) -> bytes:
        """Nothing while it stands; otherwise as usual."""
        if self.given is not None:
            return b""
        self._note_time(self.request)
        return super()._news()

    def _note_time(self, request: Request | None) -> None:
        if request is not None and request.decision_id == self.stop_at:
            self._asked_ns = self._now_ns()
