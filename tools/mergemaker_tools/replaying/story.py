"""A played record: the state before its first decision, and what each decision changed."""

from dataclasses import dataclass

from mergemaker_engine.errors import RecordError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.record.digest import state_digest
from mergemaker_engine.record.lines import DecisionLine, EndLine, Header, Incident
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import Rules


@dataclass(frozen=True, slots=True)
class Moment:
    """One decision, and the game as it left it."""

    line: DecisionLine
    incidents: tuple[Incident, ...]
    """The record's incidents between the decision before and this one."""
    turn: int
    """The turn in which it was asked."""
    turn_seat: int
    events: tuple[Event, ...]
    game: Game
    """After the answer. Nobody changes it."""


@dataclass(frozen=True, slots=True)
class Story:
    """A record that was played. Positions count decisions: 0 is before the first, n after decision n."""

    header: Header
    start: Game
    moments: tuple[Moment, ...]
    last_incidents: tuple[Incident, ...]
    """The record's incidents after its last decision."""
    end: EndLine | None
    """None for a match that is running, or was broken off."""

    @property
    def rules(self) -> Rules:
        """The rules that were played by."""
        return self.header.rules

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.moments)

    def game_at(self, position: int) -> Game:
        """The game at a position."""
        return self.moments[position - 1].game if position else self.start

    def events_at(self, position: int) -> tuple[Event, ...]:
        """What happened to come to a position."""
        return self.moments[position - 1].events if position else self.start.start_events

    def turn_at(self, position: int) -> int:
        """The turn to show for a position: that of the decision that led there; 0 for the set-up."""
        return self.moments[position - 1].turn if position else 0


def tell(record: Record, seed: bytes | None = None) -> Story:
    """Plays a record and keeps every state, each of which must have the digest in the record.

    An unfinished match needs the seed of its deal, which its record does not contain.
    """
    start = record.start(seed)
    if record.deal is None:
        raise RecordError("no-deal", "the record ends before the deal, so there is nothing to show")
    if state_digest(start) != record.deal.digest:
        raise RecordError("digest", "the seed deals another game than the record's deal line says")
    moments: list[Moment] = []
    for step in record.steps(seed):
        after = step.before.copy()
        after.apply(step.answer)
        if state_digest(after) != step.line.digest:
            message = f"after this decision the state has the digest {state_digest(after)}, not {step.line.digest}"
            raise RecordError("digest", message, line=step.line_number)
        before = step.before
        moments.append(Moment(step.line, step.incidents, before.turn, before.seat, step.events, after))
    return Story(record.header, start, tuple(moments), last_incidents(record), record.end)


def last_incidents(record: Record) -> tuple[Incident, ...]:
    """The incidents after the last decision."""
    found: list[Incident] = []
    for _, line in reversed(record.entries):
        if isinstance(line, DecisionLine):
            break
        found.append(line)
    return tuple(reversed(found))
