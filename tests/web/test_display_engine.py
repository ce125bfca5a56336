"""The viewer's display engine plays every golden record as the engine does: positions, answers, events, views and scores."""

import gzip
import json
import os
import re
import shutil
import subprocess
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from mergemaker_engine.bounds import OfferBounds, answer_bounds
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.game import Game
from mergemaker_engine.record.digest import state_document
from mergemaker_engine.record.reading import Record
from mergemaker_engine.views import View
from mergemaker_engine.wording import action_text, event_text
from mergemaker_referee.records.files import open_record
from mergemaker_tools.replaying.score import score_of
from mergemaker_tools.replaying.story import tell
from toy_checkout import CHECKOUT, COMMAND_LIMIT_S

PLAYER: Final = Path(__file__).with_name("replay.mjs")
STATIC: Final = files("mergemaker_web").joinpath("static")
GOLDEN: Final = sorted((CHECKOUT / "tests" / "golden").glob("*.jsonl.gz"))
REQUIRED: Final = "MERGEMAKER_REQUIRE_NODE"
WIDE: Final = 10**6


def node_output(script: Path, *arguments: str, stdin: str | None = None) -> str:
    """What a script prints that node runs with the viewer's folder."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"there is no node on the PATH, and {REQUIRED} is set")
        pytest.skip("needs node on the PATH, which this machine has not")
    command = [node, str(script), str(STATIC), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", timeout=COMMAND_LIMIT_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def played(*paths: Path | str) -> list[dict[str, Any]]:
    """What the display engine shows of records."""
    found: list[dict[str, Any]] = json.loads(node_output(PLAYER, *map(str, paths)))
    return found


@cache
def golden() -> dict[str, dict[str, Any]]:
    """All golden records, played in one process."""
    return dict(zip((path.name for path in GOLDEN), played(*GOLDEN), strict=True))


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name.partition(".")[0])
def pair(request: pytest.FixtureRequest) -> tuple[Record, dict[str, Any]]:
    path: Path = request.param
    return open_record(path), golden()[path.name]


def test_every_golden_record_is_the_same_game(pair: tuple[Record, dict[str, Any]]) -> None:
    record, found = pair
    assert found["trouble"] == ""
    assert found["checked"] == 1 + len(record.decisions)  # every digest
    assert found["start"] == [event_text(event, record.header.rules) for event in record.start().start_events]
    steps = list(record.steps())
    assert len(steps) == len(found["steps"])
    for step, shown in zip(steps, found["steps"], strict=True):
        rules = record.header.rules
        assert shown["events"] == [event_text(event, rules) for event in step.events]
        assert shown["legal"] == legal(step.before)
        after = step.before.copy()
        after.apply(step.answer)
        assert shown["state"] == state_document(after)
        if shown["views"] is not None:
            views = [after.public_view(), *(after.view(seat) for seat in range(record.header.seats))]
            assert [view_part(view) for view in shown["views"]] == [view_document(view, after) for view in views]


def legal(game: Game) -> object:
    """The answers as the display engine shows them: texts, or the bounds of offers."""
    if not isinstance(game.decision, ChooseOffer):
        return [action_text(action, game.rules) for action in game.legal()]
    bounds = answer_bounds(game)
    assert isinstance(bounds, OfferBounds)
    shown = {"partners": [*bounds.partners], "shares": [*bounds.shares], "cash": bounds.cash}
    # With three seats there are more than `len` can say; so they are counted by another way than the display engine's.
    return {**shown, "count": str(1 + len(bounds.partners) * bounds.answers()._endings[0, False, False])}


def view_part(view: dict[str, Any]) -> dict[str, Any]:
    """A view of the display engine without what is no fact of the game."""
    return {name: value for name, value in view.items() if name not in ("rules", "names", "asked")}


def view_document(view: View, game: Game) -> dict[str, Any]:
    hands = [[*game.view(seat).hand] if view.seat == seat else None for seat in range(view.seats)]
    return {
        "seats": view.seats,
        "turn": view.turn,
        "turnSeat": view.turn_seat,
        "board": [*view.board],
        "sizes": [*view.sizes],
        "prices": [*view.prices],
        "market": [*view.market],
        "pile": view.pile,
        "aside": state_squares(game),
        "hands": hands,
        "handSizes": [*view.hand_sizes],
        "cash": [*view.cash],
        "shares": [None if held is None else [*held] for held in view.shares],
        "powers": [[str(power) for power in used] for used in view.powers_used] or [[] for _ in range(view.seats)],
        "declared": view.declared,
        "endAllowed": view.end_allowed,
        "ended": str(view.over) if view.over else None,
    }


def state_squares(game: Game) -> list[int]:
    """The tiles set aside, in their order."""
    names = state_document(game)["aside"]
    assert isinstance(names, list)
    return [(ord(name[-1]) - ord("A")) * 12 + int(name[:-1]) - 1 for name in names]


def test_every_golden_score_is_that_of_the_command(pair: tuple[Record, dict[str, Any]]) -> None:
    record, found = pair
    story = tell(record)
    for knower, lines in zip([None, *range(record.header.seats)], found["scores"], strict=True):
        assert lines == [*texts_of(score_of(story, knower, WIDE), record)]


def texts_of(lines: Any, record: Record) -> Any:
    """The lines of a score without their heads, from the set-up to the result."""
    names = "|".join(re.escape(name) for name in record.header.bots)
    head = re.compile(rf"set-up  |end  | *\d+\. seat \d \((?:{names})\)  |      ! ")
    body = "\n".join(lines).split("\n\n")[1]
    for line in body.split("\n"):
        begin = head.match(line)
        assert begin, line
        yield line[begin.end() :]


@pytest.fixture
def changed(tmp_path: Path) -> Any:
    """Writes a golden record with some lines changed."""

    def write(change: Any) -> Path:
        path = next(path for path in GOLDEN if path.name.startswith("classic-6"))
        lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        other = tmp_path / "changed.jsonl"
        other.write_text("".join(json.dumps(line) + "\n" for line in change(lines)), "utf-8")
        return other

    return write


def numbered(lines: list[dict[str, Any]], number: int) -> dict[str, Any]:
    return next(line for line in lines if line.get("n") == number)


def test_an_answer_that_is_not_legal_ends_the_story_before_it(changed: Any) -> None:
    def change(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        numbered(lines, 50)["answer"] = "5Z"
        return lines

    (found,) = played(changed(change))
    assert len(found["steps"]) == 49
    assert "is not an answer to" in found["trouble"]


def test_a_digest_that_differs_is_found(changed: Any) -> None:
    def change(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        numbered(lines, 70)["digest"] = numbered(lines, 69)["digest"]
        return lines

    (found,) = played(changed(change))
    assert len(found["steps"]) == 69
    assert "this position is not the one of the record" in found["trouble"]


def test_a_question_that_the_rules_do_not_ask_is_found(changed: Any) -> None:
    def change(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        numbered(lines, 3)["seat"] = 5 - numbered(lines, 3)["seat"]
        return lines

    (found,) = played(changed(change))
    assert "is not the one that the rules ask" in found["trouble"]


def test_an_unfinished_match_has_no_game_without_its_deal(changed: Any) -> None:
    (found,) = played(changed(lambda lines: lines[:60]))
    assert found["steps"] == []
    assert "still secret" in found["trouble"]
