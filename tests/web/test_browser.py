"""The viewer in a real browser: what it shows, and how one moves through a match."""

import json
from typing import Any, Final

import pytest
from mergemaker_engine.board import CHAINS
from mergemaker_engine.events import ChainFounded, ChainSurvives, GameEnded, TilePlaced
from mergemaker_engine.game import Game
from mergemaker_engine.views import View, chain_at
from mergemaker_engine.wording import square_name
from mergemaker_referee.records.files import open_record
from mergemaker_web.link import game_link

from tests.web.conftest import FAULTS, FOLDER, SIX, Open, changed, title

GOLDEN: Final = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.jsonl.gz"))
AN_HOUR_MS: Final = 3_600_000
MARKED: Final = {ChainFounded, ChainSurvives, GameEnded}
"""The events that have a mark on the timeline."""
SHOWN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = (selector) => all(selector).map((element) => element.textContent);
  const textOf = (element) => element.textContent;
  const last = document.querySelector(".last");
  return {
    title: texts(".decision h2")[0],
    answered: texts(".answered")[0],
    squares: texts(".held.empty, .held.lone, .held.chain"),
    kinds: all(".held").filter((text) => text.tagName === "text").map((text) => text.getAttribute("class").split(" ")[1]),
    cash: all(".players tbody tr").map((row) => row.cells[1].textContent),
    tiles: texts(".players .tiles"),
    market: all(".holdings tbody tr").map((row) => row.cells[3].textContent),
    shares: all(".holdings tbody tr").map((row) => [...row.querySelectorAll(".count > :first-child")].map(textOf)),
    last: last.getAttribute("visibility"),
  };
}"""


def expected(game: Game, number: int, last: int, answer: str | None) -> dict[str, Any]:
    """What the page must show of a game after a decision, in the form of `SHOWN`."""
    view = game.public_view()
    hands = [" ".join(map(square_name, game.view(seat).hand)) or "none" for seat in range(view.seats)]
    return {
        "title": f"Decision {number} of {last}" if number else "Set-up",
        "answered": answer,
        "squares": [square_text(view, square) for square in range(len(view.board))],
        "kinds": [("empty", "lone", "chain")[min(held, 2)] for held in view.board],
        "cash": [f"${cash:,}" for cash in game.cash],
        "tiles": hands,
        "market": [str(left) for left in view.market],
        "shares": [[str(game.view(seat).shares[seat][chain] or "·") for seat in range(view.seats)] for chain in range(CHAINS)],  # type: ignore[index]  # a seat knows its own
    }


def square_text(view: View, square: int) -> str:
    chain = chain_at(view, square)
    return square_name(square) if chain is None else view.rules.chain_names[chain][0]


def test_a_replay_stepped_through_shows_the_record(opened: Open) -> None:
    record = open_record(FOLDER / f"{SIX}.jsonl.gz")
    page = opened(SIX)
    assert title(page) == "Set-up"
    last = len(record.decisions)
    for step in record.steps():
        page.keyboard.press("ArrowRight")
        after = step.before.copy()
        after.apply(step.answer)
        shown = page.evaluate(SHOWN)
        placed = any(isinstance(event, TilePlaced) for event in step.events)
        assert shown.pop("last") == ("visible" if placed else "hidden")
        automatic = " (the only answer, so nobody was asked)" if step.line.by == "automatic" else ""
        assert shown == expected(after, step.number, last, step.line.answer + automatic)
    assert page.evaluate("location.hash") == f"#{last}"
    assert page.text_content("[aria-live]").startswith(f"Decision {last} of {last}. ")


@pytest.mark.parametrize("name", GOLDEN)
def test_every_golden_record_opens_at_its_end(opened: Open, name: str) -> None:
    record = open_record(FOLDER / f"{name}.jsonl.gz")
    last = len(record.decisions)
    page = opened(name, f"#{last}")
    assert title(page) == f"Decision {last} of {last}"
    assert f"{last + 1} positions agree" in page.text_content("header")
    assert record.end is not None
    text = page.text_content("header")
    if record.end.cash is None:
        assert "The match was voided and counts against nobody." in text
    else:
        assert all(f"${cash:,}" in text for cash in record.end.cash)


def test_a_seat_sees_what_it_knew(opened: Open) -> None:
    page = opened("avalon-hill-4-stop", "#60")
    title(page)
    page.click("tr.s2 button")
    assert page.evaluate("location.hash") == "#60&seat=2"
    shown = page.evaluate(SHOWN)
    assert [tiles.endswith("hidden") for tiles in shown["tiles"]] == [True, True, False, True]
    assert [cash == "?" for cash in shown["cash"]] == [True, True, False, True]
    assert all([held == "?" for held in row] == [True, True, False, True] for row in shown["shares"])
    page.click("tr.s2 button")
    assert page.evaluate("location.hash") == "#60"
    assert "?" not in page.evaluate(SHOWN)["cash"]


def test_a_link_leads_to_a_decision_and_a_seat(opened: Open) -> None:
    page = opened(SIX, "#57&seat=3")
    assert title(page) == "Decision 57 of 146"
    assert page.get_attribute("tr.s3 button", "aria-pressed") == "true"
    page.evaluate("location.hash = '#9'")
    page.wait_for_function("() => document.querySelector('.decision h2').textContent === 'Decision 9 of 146'")
    page.evaluate("location.hash = '#99999&seat=9'")
    page.wait_for_function("() => document.querySelector('.decision h2').textContent === 'Decision 146 of 146'")


def test_the_address_names_no_place_on_the_way_to_another(opened: Open) -> None:
    page = opened(FAULTS, "#12")
    assert title(page) == "Decision 12 of 159"
    page.evaluate("""() => {
      window.told = [];
      const tell = history.replaceState.bind(history);
      history.replaceState = (state, text, address) => { window.told.push(address); tell(state, text, address); };
      location.hash = "#30&seat=2";
    }""")
    page.wait_for_function("() => document.querySelector('.decision h2').textContent === 'Decision 30 of 159'")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("[window.told, location.hash]") == [["#29&seat=2"], "#29&seat=2"]


def test_keys_reach_everything(opened: Open) -> None:
    steps = [*open_record(FOLDER / f"{SIX}.jsonl.gz").steps()]
    marks = [step.number for step in steps if MARKED & {type(event) for event in step.events}]
    turns = [step.before.turn for step in steps]
    first = [1 + turns.index(turn) for turn in range(1, turns[-1] + 1)]
    page = opened(SIX)
    title(page)
    for key, wanted in [
        ("End", 146),
        ("PageUp", first[-1]),
        ("PageUp", first[-2]),
        ("PageDown", first[-1]),
        ("ArrowLeft", first[-1] - 1),
        ("ArrowRight", first[-1]),
        ("[", max(mark for mark in marks if mark < first[-1])),
        ("Home", 0),
        ("]", marks[0]),
        ("PageDown", first[turns[marks[0] - 1]]),
    ]:
        page.keyboard.press(key)
        assert title(page) == (f"Decision {wanted} of 146" if wanted else "Set-up"), key
    page.keyboard.press("4")
    assert page.get_attribute("tr.s4 button", "aria-pressed") == "true"
    page.keyboard.press("a")
    assert page.get_attribute("tr.s4 button", "aria-pressed") == "false"
    page.keyboard.press("t")
    assert page.is_visible(".boardtable")
    assert not page.is_visible(".picture")
    page.keyboard.press("?")
    assert page.get_attribute(".keys", "open") is not None


def test_playing_goes_on_by_itself_and_faster(opened: Open) -> None:
    page = opened(SIX, clock=True)
    title(page)
    page.clock.pause_at(AN_HOUR_MS)  # until then the clock goes on by itself
    page.keyboard.press(" ")
    assert page.get_attribute(".controls button:nth-child(3)", "aria-label") == "Pause"
    page.clock.run_for(3 * 1_200)
    assert title(page) == "Decision 3 of 146"
    page.select_option(".controls select", "10")
    page.clock.run_for(20 * 120)
    assert title(page) == "Decision 23 of 146"
    page.clock.run_for(200 * 120)
    assert title(page) == "Decision 146 of 146"
    assert page.get_attribute(".controls button:nth-child(3)", "aria-label") == "Play"


def test_the_slider_and_the_marks_lead_to_decisions(opened: Open) -> None:
    page = opened(FAULTS)
    title(page)
    page.locator(".timeline input").fill("50")
    assert title(page) == "Decision 50 of 159"
    marks = page.evaluate(
        "[...document.querySelectorAll('.milestones path')].map((path) => path.getAttribute('class').split(' ')[0])"
    )
    assert {*marks} == {"founded", "merged", "fault", "end"}
    jump = page.get_by_label("Jump to")
    options = jump.locator("option").all_text_contents()
    resigned = next(option for option in options if "resigned" in option)
    jump.select_option(label=resigned)
    assert title(page) == f"Decision {resigned.partition(':')[0]} of 159"
    assert "resigned" in page.text_content(".troubles")


DRAWN: Final = {
    "text": "block the merger",
    "marks": [
        {"at": "5C"},
        {"from": "5C", "to": "8C", "tone": "bad"},
        {"at": "6D", "text": 12, "tone": "good"},
        {"at": "12I", "text": "<b>a long text that is cut"},
        {"at": "13A"},
        {"from": "1A", "to": "1A"},
        {"tone": "good"},
        "5C",
        None,
    ],
}


def test_notes_draw_on_the_board_for_those_who_may_see_them(opened: Open) -> None:
    def change(line: dict[str, Any]) -> None:
        if line.get("n") == 20:
            line["run"]["note"] = json.dumps(DRAWN)
        elif line.get("n") == 21:
            line["run"]["note"] = '{"marks": [1, 2'

    page = opened(changed(SIX, change), "#20")
    title(page)
    classes = "[...document.querySelectorAll('.marks > *')].map((mark) => mark.getAttribute('class'))"
    assert page.evaluate(classes) == ["mark plain", "mark bad", "tip bad", "label good", "labeltext", "label plain", "labeltext"]
    assert page.locator(".labeltext").all_text_contents() == ["12", "<b>a long te"]
    assert page.text_content(".note") == "block the merger"
    seat = page.evaluate("viewer.story.steps[19].seat")
    page.evaluate(f"viewer.look({seat})")
    assert len(page.evaluate(classes)) == 7
    for other in ((seat + 1) % 6, "public"):
        page.evaluate(f"viewer.look({json.dumps(other)})")
        assert page.evaluate(classes) == []
        assert page.text_content(".note") == ""
    page.evaluate("viewer.look('all')")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(classes) == []
    assert page.text_content(".note") == '{"marks": [1, 2'


def test_a_page_shows_the_game_of_a_link(opened: Open) -> None:
    game = game_link(open_record(FOLDER / f"{FAULTS}.jsonl.gz"))
    page = opened(SIX, f"#30&game={game}")
    assert title(page) == "Decision 30 of 159"
    assert "Match reference-5-faults" in page.text_content("header")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("location.hash") == f"#31&game={game}"
    page.click(".score li:last-child a")
    assert title(page) == "Decision 159 of 159"
    assert page.evaluate("location.hash") == f"#159&game={game}"
    page.reload()
    assert title(page) == "Decision 159 of 159"
    assert "$39,100" in page.text_content("header")
    other = game_link(open_record(FOLDER / f"{SIX}.jsonl.gz"))
    page.evaluate(f"location.hash = '#5&game={other}'")
    page.wait_for_function("() => document.querySelector('.decision h2')?.textContent === 'Decision 5 of 146'")


def test_a_link_that_is_cut_off_says_so(opened: Open) -> None:
    page = opened(SIX, f"#game={game_link(open_record(FOLDER / f'{FAULTS}.jsonl.gz'))[:-30]}")
    page.wait_for_selector("[role=alert]")
    assert "the link is cut off: copy all of it" in page.text_content("main")
