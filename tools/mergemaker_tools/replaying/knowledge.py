"""Decides what of a story is shown to whom: everything, or what one seat knew then (VIS-1 to VIS-4).

A seat knows its own questions, answers and tiles, and what was announced. It does not know others' questions,
reasons, notes and times, or that they were asked at all if nothing was announced.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from mergemaker_engine.events import Event, audience
from mergemaker_engine.record.lines import DEFAULTS, AnsweredBy, Incident

from mergemaker_tools.replaying.story import Moment, Story

Knower: TypeAlias = int | None
"""The seat whose knowledge is shown; None for the whole record."""


@dataclass(frozen=True, slots=True)
class Told:
    """A moment as it may be shown."""

    number: int
    seat: int
    """Who was asked."""
    turn: int
    turn_seat: int
    asked: str | None
    answer: str | None
    by: AnsweredBy | None
    note: str | None
    events: tuple[Event, ...]
    incidents: tuple[Incident, ...]

    @property
    def default(self) -> str | None:
        """Why the referee answered, if it did and this may be shown."""
        return str(self.by) if self.by in DEFAULTS else None


def told(moment: Moment, knower: Knower) -> Told:
    """A moment as it may be shown."""
    line = moment.line
    knows_all = knower in (None, line.seat)
    return Told(
        number=line.number,
        seat=line.seat,
        turn=moment.turn,
        turn_seat=moment.turn_seat,
        asked=line.asked if knows_all else None,
        answer=line.answer if knows_all else None,
        by=line.by if knows_all else None,
        note=line.note if knows_all else None,
        events=events_for(moment.events, knower),
        incidents=incidents_for(moment.incidents, knower),
    )


def events_for(events: Iterable[Event], knower: Knower) -> tuple[Event, ...]:
    """Those that may be shown."""
    return tuple(event for event in events if knower is None or audience(event) in (None, knower))


def incidents_for(incidents: Iterable[Incident], knower: Knower) -> tuple[Incident, ...]:
    """For a seat: its own incidents and those that change the play; others' without the reason, which may reveal their tiles."""
    if knower is None:
        return tuple(incidents)
    return tuple(
        incident if incident.seat == knower else replace(incident, why=None)
        for incident in incidents
        if incident.of_play or incident.seat == knower
    )


def positions_for(story: Story, knower: Knower) -> tuple[int, ...]:
    """The positions with something new to show."""
    new = [moment.line.number for moment in story.moments if is_told(moment, knower)]
    return (0, *new)


def is_told(moment: Moment, knower: Knower) -> bool:
    """Whether a decision is shown at all."""
    return (
        knower in (None, moment.line.seat)
        or bool(events_for(moment.events, knower))
        or bool(incidents_for(moment.incidents, knower))
    )


def one_line(text: str) -> str:
    """A text from outside, without characters that move the cursor, change colours or reverse the line."""
    spaced = " ".join(text.split())
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(char).startswith("C") else char for char in spaced)


def incident_text(incident: Incident) -> str:
    """An incident in a line."""
    seat = "" if incident.seat is None else f"seat {incident.seat}: "
    why = f" ({incident.why})" if incident.why else ""
    return one_line(f"{seat}{incident.what}{why}")
