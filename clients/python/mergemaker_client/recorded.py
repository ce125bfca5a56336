"""The questions of a recorded match, as each asked seat met them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.errors import RecordError
from mergemaker_engine.events import seen_by
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.shown import shown
from mergemaker_table.seats import was_put
from mergemaker_table.setup import Setup
from mergemaker_table.terms import CLOCKS, Terms

from mergemaker_client.questions import turn_of
from mergemaker_client.turn import Clock, MatchInfo, Turn

CLOCK_OFF: Final = Clock("none", None, None)
_NO_LIMITS: Final = Terms(CLOCKS["none"]).plain()


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A question to a seat, and its outcome."""

    number: int
    """The decision's number in the match, as records and `replay` count."""
    turn: Turn
    """The question as the bot met it, except for the time: there is no limit."""
    answer: Action
    by: AnsweredBy
    note: str | None


def match_of(record: Record, seat: int) -> MatchInfo:
    """What the bot of a seat knew of its match, without the clock. Its chances are those of the recorded match."""
    header, end = record.header, record.end
    if type(seat) is not int or not 0 <= seat < header.seats:
        raise RecordError("no-such-seat", f"this match has the seats 0 to {header.seats - 1}, and no seat {shown(seat)}")
    if end is None:
        raise RecordError("unfinished", "the match has not ended, so its seed is not in the record: it cannot be played")
    # The record may give the clock in foreign terms: nothing here uses it.
    setup = Setup.of_record(replace(header, clock=_NO_LIMITS), Secrets(end.seed, end.server_seed, end.nonce))
    return MatchInfo(header.match, header.rules, header.seats, seat, header.bots, setup.seat_nonce(seat), CLOCK_OFF)


def turns_of(record: Record, seat: int) -> Iterator[RecordedTurn]:
    """Every question to a seat, with what the seat knew then, and the recorded answer."""
    match = match_of(record, seat)
    untold = list(seen_by(seat, record.start().start_events))
    events_seen = len(untold)
    number = 0
    for step in record.steps():
        if step.seat == seat and was_put(step.line):
            number += 1
            turn = turn_of(match, number, step.view(seat), step.legal, untold, events_seen)
            yield RecordedTurn(step.number, turn, step.answer, step.line.by, step.line.note)
            untold = []
        news = seen_by(seat, step.events)
        events_seen += len(news)
        untold += news
