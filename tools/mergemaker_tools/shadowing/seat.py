"""A recorded seat, played again for a bot in another process: its messages, and the results of its answers. No I/O.

Every answer is compared with the recorded one; then the game continues as recorded. There is neither clock nor promise:
no time runs, and the deal of a finished match is known.
"""

from collections import deque
from functools import partial
from typing import Final

from mergemaker_client.recorded import match_of
from mergemaker_client.reporting import FAILURE_NOTE
from mergemaker_engine.errors import Refusal, refusal_of
from mergemaker_engine.events import seen_by
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, EndLine
from mergemaker_engine.record.reading import Record, Step
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.record.standings import Standing
from mergemaker_engine.shown import shown
from mergemaker_engine.wording import action_text, question_text
from mergemaker_referee.matches import telling
from mergemaker_referee.matches.encoding import EventEncoder, accepted_part, decision_part, match_part, started_part
from mergemaker_table.asking import request_for
from mergemaker_table.inputs import Answered, AnswerIndex
from mergemaker_table.outputs import Ended, RefusalReason, Refused, Request
from mergemaker_table.seats import Seat, was_put
from mergemaker_table.setup import Setup
from mergemaker_table.terms import CLOCKS, Terms
from mergemaker_wire.matches import SeatBot

from mergemaker_tools.shadowing.comparing import Difference, Shadowed, why_illegal, with_rule

_TERMS: Final = Terms(CLOCKS["none"])


class RecordedSeat:
    """One seat of a finished match, from its first question on or from a later one."""

    def __init__(self, record: Record, number: int, first: int) -> None:
        """Reads the whole record, so that its errors are raised here, and not in the middle."""
        header = record.header
        self._info: Final = match_of(record, number)
        assert record.end is not None, "a match without an end has been refused"
        self._end: Final = _ended(record.end, header.bots)
        self.setup: Final = Setup(
            rules=header.rules,
            bots=header.bots,
            terms=_TERMS,
            mode=DealMode.PLAIN,
            match=header.match,
            promise=None,
            secrets=Secrets(record.end.seed),
        )
        self._first: Final = first
        self._steps: Final = deque(record.steps())
        self._seat: Final = Seat(number, header.bots[number], _TERMS.clock)
        self._start: Final = record.start()
        self._seat.events += seen_by(number, self._start.start_events)
        self._start_events: Final = len(self._seat.events)
        self._step: Step | None = None
        self.request: Request | None = None
        """The question that is open; None when all have been answered."""
        self._is_begun = False
        self._questions = 0
        self._differences: Final[list[Difference]] = []
        self._go_on()

    @property
    def number(self) -> int:
        """Which seat it is."""
        return self._seat.number

    @property
    def decision(self) -> int | None:
        """The open question's number in the match."""
        return None if self._step is None else self._step.number

    @property
    def shadowed(self) -> Shadowed:
        """What became of the questions so far."""
        return Shadowed(self._questions, tuple(self._differences))

    def offer(self, seen: int = 0) -> bytes:
        """The messages for a bot that takes the seat, or comes back after this many events: all up to the open question."""
        setup, request = self.setup, self.request
        view, events_seen = self._start.view(self.number), self._start_events
        if self._is_begun and request is not None:
            view, events_seen = request.view, request.events_seen
        self._is_begun = True
        self._seat.told = min(seen, len(self._seat.events))
        started = started_part([SeatBot(name) for name in setup.bots], self._info.nonce, view, events_seen)
        return b"".join((match_part(setup.match), telling.offered(setup, self.number).data, started.data, self._news()))

    def answer(self, given: Answered) -> bytes:
        """Takes an answer, legal or not; returns the next messages, up to the next question or the end."""
        name = match_part(self.setup.match)
        step, request = self._step, self.request
        if step is None or request is None or given.decision_id != request.decision_id:
            stale = Refusal(RefusalReason.STALE, f"decision {given.decision_id} is not open")
            return name + telling.answer_refused(given.decision_id, stale, None).data
        refused = self._compare(given, step, request)
        if refused is None:
            said = accepted_part(request.decision_id)
        else:
            said = telling.answer_refused(refused.decision_id, refused.refusal, refused.refusals_left)
        self._take(step)
        self._go_on()
        return name + said.data + self._news()

    def _compare(self, given: Answered, step: Step, request: Request) -> Refused | None:
        """Notes where an answer differs; returns the refusal of one that a referee would not accept."""
        rules, answer = self.setup.rules, given.answer
        if isinstance(answer, AnswerIndex) and 0 <= answer.index < len(request.answers):
            answer = request.answers[answer.index]
        if (given.note or "").startswith(FAILURE_NOTE):
            self._note_failure(step, given.note or "")
            return None
        if answer == step.answer:
            return None
        refused: Refused | None = None
        # No more refusals: the bot must not try again, but wait.
        refuse = partial(Refused, self.number, request.decision_id, refusals_left=0)
        if isinstance(answer, AnswerIndex):
            text = f"the legal answers have the indices 0 to {len(request.answers) - 1}; there is none at {shown(answer.index)}"
            answered, refused = f"index {answer.index}", refuse(Refusal(RefusalReason.BAD_INDEX, text))
        elif isinstance(answer, Refusal):
            answered, refused = "unreadable", refuse(answer)
        else:
            answered = action_text(answer, rules)
            if error := why_illegal(step.before, answer):
                refused = refuse(refusal_of(error))
        self._differences.append(
            Difference(
                step.number,
                question_text(step.decision, rules),
                action_text(step.answer, rules),
                str(step.line.by),
                answered,
                legal=refused is None,
                refusal=None if refused is None else with_rule(refused.refusal.text, refused.refusal.rule),
            )
        )
        return refused

    def _note_failure(self, step: Step, note: str) -> None:
        """Notes a failed bot, whose library has answered the default: that is no answer of the bot's."""
        asked, before = question_text(step.decision, self.setup.rules), action_text(step.answer, self.setup.rules)
        failure = f"decision {step.number}: the bot failed ({note}); what it wrote to its standard error says more"
        self._differences.append(Difference(step.number, asked, before, str(step.line.by), None, legal=False, failure=failure))

    def _go_on(self) -> None:
        """Plays the record up to the next question to ask."""
        self._step = self.request = None
        while self._steps:
            step = self._steps.popleft()
            if step.seat == self.number and was_put(step.line):
                request = request_for(self._seat, step.before, step.decision, step.legal, (), _TERMS)
                # Numbered as in the match, even if some are not asked now.
                self._seat.last_id = request.decision_id
                if step.number >= self._first:
                    self._step, self.request = step, request
                    self._questions += 1
                    return
            self._take(step)

    def _take(self, step: Step) -> None:
        self._seat.events += seen_by(self.number, step.events)

    def _news(self) -> bytes:
        """The events that were not sent yet, and the question or the end after them."""
        seat = self._seat
        parts = EventEncoder().parts(seat.told + 1, tuple(seat.events[seat.told :]))
        seat.told = len(seat.events)
        last = telling.ended(self._end) if self.request is None else decision_part(self.request)
        return b"".join((*parts, last.data))


def _ended(end: EndLine, bots: tuple[str, ...]) -> Ended:
    """How the match ended, as it was reported then."""
    standings = tuple(
        Standing(
            seat=seat,
            bot=bot,
            place=None if end.places is None else end.places[seat],
            cash=None if end.cash is None else end.cash[seat],
            status=end.statuses[seat],
            faults={AnsweredBy(cause): count for cause, count in end.faults[seat].items()},
        )
        for seat, bot in enumerate(bots)
    )
    voided = "the recorded match was voided" if end.cash is None else None
    return Ended(standings=standings, why=end.why, voided_because=voided, secrets=Secrets(end.seed))
