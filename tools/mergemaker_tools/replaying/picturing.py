"""A replay as pictures."""

import re
from collections.abc import Iterable, Sequence

from mergemaker_engine.events import TilePlaced
from mergemaker_web.pictures import Frame, seat_text

from mergemaker_tools.phrases import Phrases
from mergemaker_tools.problems import WrongUse
from mergemaker_tools.replaying.score import name_of
from mergemaker_tools.replaying.story import Story


def positions_from(text: str, last: int) -> Sequence[int]:
    """The positions from A to B of `A..B`; all for an empty text."""
    found = re.fullmatch(r"(\d{1,7})\.\.(\d{1,7})", text or f"0..{last}")
    first, final = map(int, found.groups()) if found else (1, 0)
    if not first <= final <= last:
        raise WrongUse(
            f"this match has the decisions 0 (the set-up) to {last}; some of them are written as --gif 10..20, not {text!r}"
        )
    return range(first, final + 1)


def frames_of(story: Story, positions: Iterable[int]) -> list[Frame]:
    """The pictures of some positions: the board, everyone's cash, and what happened."""
    return [_frame(story, position) for position in positions]


def _frame(story: Story, position: int) -> Frame:
    game = story.game_at(position)
    placed = [event.square for event in story.events_at(position) if isinstance(event, TilePlaced)]
    seats = [seat_text(seat, name_of(story.header, seat), game.cash[seat]) for seat in range(game.seats)]
    return Frame(game.public_view(), placed[-1] if placed else None, _caption(story, position), seats)


def _caption(story: Story, position: int) -> str:
    if not position:
        return f"match {story.header.match}: set-up"
    phrases = Phrases(story.rules)
    phrases.hear(story.events_at(position))
    moment = story.moments[position - 1]
    return f"{position}. seat {moment.line.seat}: {' · '.join(phrases.take()) or moment.line.answer}"
