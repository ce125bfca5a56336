"""A game's score as text: a line for each turn, as a chess game is written down."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from mergemaker_engine.actions import ENOUGH_SWAPS, ENOUGH_TILES, KEEP_DEAD, NO_OFFER, NO_POWER
from mergemaker_engine.record.lines import DEFAULTS, DecisionLine, EndLine, Header, Incident
from mergemaker_engine.record.reading import Record
from mergemaker_engine.wording import action_text

from mergemaker_tools.options import rules_in_words
from mergemaker_tools.phrases import OVER, Phrases
from mergemaker_tools.replaying.knowledge import (
    Knower,
    Told,
    events_for,
    incident_text,
    incidents_for,
    is_told,
    one_line,
    told,
)
from mergemaker_tools.replaying.story import Story

WIDTH_MIN: Final = 40
"""Characters of a line, at the least."""
NO_END: Final = "none: the match is running, or was broken off"
_INDENT: Final = " " * 6


def score_of(story: Story, knower: Knower, width: int) -> Iterator[str]:
    """The lines of a whole game's score, none longer than this many characters."""
    yield from header_lines(story.header, width)
    yield ""
    writer = _Writer(story, knower)
    for line in writer.lines():
        yield from _wrapped(line, width)
    yield ""
    yield from result_lines(story.header, story.end)


def header_lines(header: Header, width: int) -> Iterator[str]:
    """What was played, by whom and when."""
    parts = [f"match {header.match}", rules_in_words(header.rules), f"{header.seats} seats", f"deal: {header.mode}"]
    parts += [one_line(part) for part in (header.started, header.software) if part]
    if header.parent:
        parts.append(f"goes on from decision {header.parent.decision} of match {header.parent.match}")
    yield from _wrapped(" · ".join(parts), width)
    yield from _wrapped(" · ".join(f"seat {seat}: {name_of(header, seat)}" for seat in range(header.seats)), width)


def name_of(header: Header, seat: int) -> str:
    """The name of a seat's bot, made safe to show."""
    return one_line(header.bots[seat]) or "?"


def result_lines(header: Header, end: EndLine | None) -> Iterator[str]:
    """How it ended: a line for each seat, the best first."""
    yield f"result: {ending_text(end)}"
    if end is None or end.cash is None or end.places is None:
        return
    for seat in sorted(range(header.seats), key=lambda seat: (end.places[seat] if end.places else 0, seat)):
        status = "" if end.statuses[seat] == "finished" else f"  ({end.statuses[seat]})"
        yield f"{end.places[seat]:>3}. seat {seat}  {'$' + format(end.cash[seat], ','):>9}  {name_of(header, seat)}{status}"


def ending_text(end: EndLine | None) -> str:
    """How the match ended, or that it did not."""
    return NO_END if end is None else str(end.why)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(
        line,
        max(width, WIDTH_MIN),
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    )


class _Writer:
    """Collects each turn's phrases."""

    def __init__(self, story: Story, knower: Knower) -> None:
        self._story = story
        self._knower = knower
        self._phrases = Phrases(story.rules)

    def lines(self) -> Iterator[str]:
        """The lines of the set-up and of all turns, with incidents between them."""
        story = self._story
        self._phrases.hear(events_for(story.start.start_events, self._knower))
        yield "set-up  " + " · ".join(self._phrases.take())
        head, phrases, incidents = "", list[str](), list[str]()
        turn = 0
        for moment in story.moments:
            if moment.turn != turn:
                yield from _turn_lines(head, phrases, incidents)
                turn, phrases, incidents = moment.turn, [], []
                head = f"{turn:>3}. seat {moment.turn_seat} ({name_of(story.header, moment.turn_seat)})"
            if is_told(moment, self._knower):
                shown = told(moment, self._knower)
                incidents += [f"{_INDENT}! {incident_text(incident)}" for incident in shown.incidents]
                self._say(shown, phrases)
        yield from _turn_lines(head, phrases, incidents)
        for incident in incidents_for(story.last_incidents, self._knower):
            yield f"{_INDENT}! {incident_text(incident)}"

    def _say(self, shown: Told, said: list[str]) -> None:
        self._phrases.hear(shown.events)
        self._phrases.take_onto(said)
        if shown.default:
            said.append(f"[seat {shown.seat}, {shown.default}: {one_line(shown.answer or '')}]")
        # The seat whose turn it is need not be named on its own line.
        whose = f"seat {shown.turn_seat} draws"
        said[:] = [phrase.removeprefix(whose[: -len("draws")]) if phrase.startswith(whose) else phrase for phrase in said]


def _turn_lines(head: str, phrases: list[str], incidents: list[str]) -> Iterator[str]:
    over = next((number for number, phrase in enumerate(phrases) if phrase.startswith(OVER)), len(phrases))
    if head:
        yield f"{head}  {' · '.join(phrases[:over]) or 'nothing'}"
    yield from incidents
    if over < len(phrases):
        yield f"end  {' · '.join(phrases[over:])}"


# Declining an extra is not announced to anybody.
_UNANNOUNCED: Final = (ENOUGH_TILES, ENOUGH_SWAPS, KEEP_DEAD, NO_OFFER, NO_POWER)


def answers_of(record: Record, knower: Knower, width: int) -> Iterator[str]:
    """What can be shown of a record that cannot be played: its header and its answers."""
    yield from header_lines(record.header, width)
    yield ""
    hidden = {action_text(action, record.header.rules) for action in _UNANNOUNCED}
    for line in _entries(record):
        if isinstance(line, Incident):
            for incident in incidents_for([line], knower):
                yield from _wrapped(f"{_INDENT}! {incident_text(incident)}", width)
        elif knower in (None, line.seat):
            default = f"  [{line.by}]" if line.by in DEFAULTS else ""
            text = f"{line.number:>5}. seat {line.seat} ({name_of(record.header, line.seat)})  "
            yield from _wrapped(f"{text}{one_line(line.asked)}: {one_line(line.answer)}{default}", width)
        elif line.answer not in hidden:
            yield from _wrapped(
                f"{line.number:>5}. seat {line.seat} ({name_of(record.header, line.seat)})  {one_line(line.answer)}", width
            )


def _entries(record: Record) -> Iterable[DecisionLine | Incident]:
    return (line for _, line in record.entries)
