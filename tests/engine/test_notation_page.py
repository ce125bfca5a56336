"""`VOCABULARY.md` describes every text of rules and positions, and its examples can be read."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from mergemaker_engine.audit import audit
from mergemaker_engine.board import INDEPENDENT, squares_of
from mergemaker_engine.decisions import Step
from mergemaker_engine.notation import (
    _LINE_NAMES,
    decision_text,
    parse_position,
    parse_rules,
    parse_square,
    position_text,
    rules_text,
    square_name,
)
from mergemaker_engine.rules import preset

pytestmark = pytest.mark.checkout


@pytest.fixture(name="page", scope="module")
def _page() -> str:
    text = (Path(__file__).parents[2] / "engine" / "VOCABULARY.md").read_text(encoding="utf-8")
    return text.partition("## Rules and positions")[2]


@pytest.fixture(name="example", scope="module")
def _example(page: str) -> str:
    (lines,) = re.findall(r"\n((?:    \S.*\n|      [A-I] .*\n)+)\nA chain stands there", page)
    return str(lines)


def test_the_pages_position_is_what_its_words_say(example: str) -> None:
    game = parse_position(example)
    assert audit(game) == ()
    assert (rules_text(game.rules), game.seats, game.turn, game.seat) == ("avalon-hill assets=open", 3, 9, 1)
    assert (game.cash, game.sizes[:2], game.board.count(INDEPENDENT)) == ([6000, 4200, 6000], [2, 2], 1)
    assert game.market[:2] == [24, 22]
    assert [len(hand) for hand in game.hands] == [2, 2, 0]
    assert [square_name(square) for square in squares_of(game.deal.cells[:3])] == ["5I", "7I", "6A"]
    assert squares_of(game.aside) == (parse_square("12A"),)
    assert position_text(parse_position(position_text(game))) == position_text(game)


def test_the_pages_agenda_asks_what_it_begins_with(page: str, example: str) -> None:
    (agenda,) = re.findall(r"^    (agenda .*)\n", page, re.MULTILINE)
    game = parse_position(f"{example}{agenda}\n")
    assert game.decision is not None
    assert decision_text(game.decision, game.rules) == "ChoosePurchase seat=1 terms=usual"


def test_the_pages_rules_are_read(page: str) -> None:
    (changed,) = re.findall("`(renegade-tycoon [^`]+)`", page)
    assert rules_text(parse_rules(changed)) == changed
    (chains,) = re.findall("`(chains=[^`]+)`", page)
    assert parse_rules(f"renegade-classic {chains}").chains == preset("avalon-hill").chains


def test_every_line_of_a_position_is_described(page: str) -> None:
    table = page.partition("| line | what it says")[2].partition("\n\n")[0]
    words = {text.split()[0] for row in table.splitlines()[2:] for text in re.findall("`([^`]+)`", row.split("|")[1])}
    assert set(_LINE_NAMES) <= words


def test_every_step_is_described_with_its_fields(page: str) -> None:
    whole = (Path(__file__).parents[2] / "engine" / "VOCABULARY.md").read_text(encoding="utf-8")
    described = dict(re.findall(r"^\| `(Choose\w+) ([a-z ]+)` \|", whole, re.MULTILINE))
    table = page.partition("| step | fields |")[2]
    described |= dict(re.findall(r"^\| `(\w+)` \| `([a-z_ ]+)`", table, re.MULTILINE))
    described |= {
        kind: "" for row in re.findall(r"^\| (.*) \| none", table, re.MULTILINE) for kind in re.findall(r"`(\w+)`", row)
    }
    assert described == {kind.__name__: " ".join(part.name for part in fields(kind)) for kind in Step.__args__}
