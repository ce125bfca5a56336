"""A game from public events alone stands as the engine says, after every decision of every golden record."""

import json
from pathlib import Path

import pytest
from mergemaker_engine.events import TradeAnswered, TradeOffered, seen_by
from mergemaker_engine.rules import preset
from mergemaker_engine.views import View
from mergemaker_referee.records.files import open_record
from mergemaker_web.server.messages import ENCODER, event_message, view_message
from mergemaker_web.server.public_game import PublicGame

from tests.web.conftest import FOLDER

GOLDEN = sorted(FOLDER.glob("*.jsonl.gz"))


def shown(view: View) -> dict[str, object]:
    """What pages show of a view."""
    document = json.loads(ENCODER.encode(view_message(view, None, None)))
    assert isinstance(document, dict)
    return {**document, "prices": list(view.prices), "power_used": view.power_used}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.partition(".")[0])
def test_public_events_give_the_public_view(path: Path) -> None:
    record = open_record(path)
    game = record.start()
    followed = PublicGame(record.header.rules, record.header.seats)
    for event in seen_by(None, game.start_events):
        followed.take(event)
    assert shown(followed.view()) == shown(game.public_view())
    for step in record.steps():
        for event in seen_by(None, step.events):
            followed.take(event)
            assert event_message(event).__struct_config__.tag == type(event).__name__
        game = step.before.copy()
        game.apply(step.answer)
        assert shown(followed.view()) == shown(game.public_view()), step.number
        is_offer_open = any(isinstance(event, TradeOffered) for event in step.events)
        if step.number % 7 == 0 and not is_offer_open:  # somebody comes now, and goes on from the view
            followed = PublicGame.of_view(game.public_view())
            assert shown(followed.view()) == shown(game.public_view())


def test_who_comes_between_an_offer_and_its_answer_knows_holdings_no_more() -> None:
    game = PublicGame.of_view(PublicGame(preset("corporations"), 3).view())
    game.take(TradeAnswered(1, accepted=True))
    view = game.view()
    assert (view.cash, view.shares) == ((None,) * 3, (None,) * 3)
