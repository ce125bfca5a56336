"""A record as a page carries it."""

from collections.abc import Iterator
from pathlib import Path

from mergemaker_engine.errors import RecordError
from mergemaker_engine.events import Event, MarketDrew
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_referee.records.files import record_chunks
from mergemaker_web.carried import Carried, Drawn, carried

from mergemaker_tools.replaying.story import Story


def carried_from(path: Path, story: Story | None, at: int | None) -> Carried:
    """A record's lines, which were read before; `story` is the played record, if its deal is known.

    Of a match that has not ended, only those tiles are carried that were drawn: its seed would reveal all the others.
    """
    drawn = _drawn(story) if story is not None and story.end is None else None
    return carried(_lines(path), drawn, at)


def _lines(path: Path) -> Iterator[bytes]:
    """The whole lines of a record. A torn end was checked, and is left out."""
    try:
        yield from whole_lines(record_chunks(path))
    except RecordError as error:
        if error.reason != "torn":
            raise


def _drawn(story: Story) -> Drawn:
    game = story.game_at(story.last)
    events: list[Event] = [*story.start.start_events]
    for moment in story.moments:
        events += moment.events
    shown = [event.square for event in events if isinstance(event, MarketDrew) and event.square is not None]
    return Drawn(game.deal.order[: game.drawn], tuple(shown))
