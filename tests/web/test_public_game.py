"""A game from public events alone stands as the engine says, after every decision of every golden record."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from mergemaker_engine.events import TradeAnswered, TradeOffered, seen_by
from mergemaker_engine.rules import preset
from mergemaker_engine.views import View
from mergemaker_referee.records.files import open_record
from mergemaker_web.server.messages import ENCODER, event_message, view_message
from mergemaker_web.server.public_game import PublicGame
from toy_checkout import COMMAND_LIMIT_S

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


def test_a_browser_makes_the_same_positions(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node on the PATH, which this machine has not")
    for folder in ("static", "server/static"):
        for path in files("mergemaker_web").joinpath(folder).iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    matches, expected = [], []
    for path in GOLDEN:
        record = open_record(path)
        game = record.start()
        batches, views = [seen_by(None, game.start_events)], [shown(game.public_view())]
        for step in record.steps():
            batches.append(seen_by(None, step.events))
            game = step.before.copy()
            game.apply(step.answer)
            views.append(shown(game.public_view()))
        header = record.header
        rules = {"rules": header.rules.knobs(), "rules_version": header.rules.version}
        events = [[json.loads(ENCODER.encode(event_message(event))) for event in batch] for batch in batches]
        matches.append({**rules, "seats": header.seats, "bots": header.bots, "batches": events})
        expected.append(views)
    player = Path(__file__).with_name("live_replay.mjs")
    told = json.dumps(matches, default=str)
    done = subprocess.run(
        [node, str(player), str(tmp_path)],
        input=told,
        capture_output=True,
        encoding="utf-8",
        timeout=COMMAND_LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for views, found in zip(expected, json.loads(done.stdout), strict=True):
        wanted = [{name: view[name] for name in found["positions"][0]} for view in views]
        assert found["positions"] == wanted
        assert found["last"] == wanted[-1]
        assert found["steps"] > len(wanted) // 4
