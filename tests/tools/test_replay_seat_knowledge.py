"""A replay for one seat: what the seat cannot know changes nothing in the picture, the score and the document."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from mergemaker_engine.board import CHAINS, cells_of, squares_of
from mergemaker_engine.deal import Deal
from mergemaker_engine.events import Event, TilesReceived
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import AnsweredBy, Incident
from mergemaker_engine.rules import Assets
from mergemaker_testkit.watched_replay import after, story_of
from mergemaker_tools.replaying.document import document_of
from mergemaker_tools.replaying.frame import frame
from mergemaker_tools.replaying.player import begin
from mergemaker_tools.replaying.score import score_of
from mergemaker_tools.replaying.story import Moment


def _otherwise(game: Game, seat: int) -> Game:
    """A game that looks the same to a seat, with everything changed that the seat cannot know."""
    other = game.copy()
    seats = game.seats
    others = [one for one in range(seats) if one != seat]
    sizes = [len(game.hands[one]) for one in others]
    # Each tile that the seat cannot see moves to the place of the next one.
    hidden = [cell for one in others for cell in game.hands[one]] + list(game.deal.cells[game.drawn :])
    hidden = hidden[1:] + hidden[:1]
    for one, size in zip(others, sizes, strict=True):
        other.hands[one], hidden = bytes(sorted(hidden[:size])), hidden[size:]
    drawn = [cell for cell in game.deal.cells if cell not in hidden]
    other.deal = Deal(squares_of(bytes((*drawn, *hidden))))
    if game.rules.assets is Assets.HIDDEN and game.reason is None:
        for one in others:
            other.cash[one] += 100 * (one + 1)
        merger = game.view(seat).merger
        for chain in set(range(CHAINS)) - ({merger.acquired} if merger else set()):  # which is shown to all (MRG-9)
            held = [other.shares[chain * seats + one] for one in others]
            for one, count in zip(others, held[1:] + held[:1], strict=True):
                other.shares[chain * seats + one] = count
    assert other.view(seat) == game.view(seat)
    return other


def _seen_otherwise(events: Sequence[Event], seat: int) -> tuple[Event, ...]:
    return tuple(
        replace(event, squares=tuple(107 - square for square in event.squares))
        if isinstance(event, TilesReceived) and event.seat != seat
        else event
        for event in events
    )


def _moment_otherwise(moment: Moment, seat: int) -> Moment:
    line = replace(moment.line, digest="B" * 22)
    if line.seat != seat:
        line = replace(line, asked="ChooseSecret", answer="a secret", by=AnsweredBy.ILLEGAL, note="secret", run={"secret": 1})
    slow = Incident(what="slow", seat=(seat + 1) % 3, why="a secret")
    events = _seen_otherwise(moment.events, seat)
    return replace(moment, line=line, incidents=(slow,), events=events, game=_otherwise(moment.game, seat))


@pytest.mark.parametrize("name", ["avalon-hill-powers", "reference", "reference-trading"])
def test_what_a_seat_cannot_know_changes_nothing_that_is_shown_to_it(name: str) -> None:
    story = story_of(name, 3)
    seat = 1
    assert story.end is not None
    start = _otherwise(story.start, seat)
    start.begin_in_position(_seen_otherwise(story.start.start_events, seat))
    other = replace(
        story,
        start=start,
        moments=tuple(_moment_otherwise(moment, seat) for moment in story.moments),
        last_incidents=(Incident(what="slow", seat=0),),
        end=replace(story.end, seed=bytes(32), faults=({"default: illegal": 9}, story.end.faults[1], {})),
    )
    assert document_of(story, seat) == document_of(other, seat)
    assert list(score_of(story, seat, 80)) == list(score_of(other, seat, 80))
    assert document_of(story, None) != document_of(other, None)
    differ = 0
    positions = range(0, story.last + 1, 9)
    for position in positions:
        assert document_of(story, seat, position) == document_of(other, seat, position)
        for keys in ((), ("d",), ("a",)):
            one, two = (after(begin(told, position, seat), *keys) for told in (story, other))
            assert frame(one, 100, 60) == frame(two, 100, 60)
            one, two = (after(begin(told, position, None), *keys) for told in (story, other))
            differ += frame(one, 100, 60) != frame(two, 100, 60)
    assert differ == 3 * len(positions)


def test_the_changes_of_that_test_are_changes() -> None:
    game = story_of("avalon-hill", 3).game_at(30)
    other = _otherwise(game, 1)
    assert other.hands[0] != game.hands[0]
    assert squares_of(other.hands[1]) == squares_of(game.hands[1])
    assert cells_of(squares_of(other.hands[2])) == other.hands[2]
