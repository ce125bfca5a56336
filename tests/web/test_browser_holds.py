"""The viewer in a real browser: it leaks nothing, harms nobody, excludes nobody, and says what cannot be shown."""

from pathlib import Path
from typing import Any, Final

import pytest
from mergemaker_engine.events import MarketDrew, TilesDrawn
from mergemaker_referee.records.files import open_record
from mergemaker_web.carried import Drawn, carried
from mergemaker_web.page import match_page

from tests.web.conftest import FAULTS, FOLDER, SIX, SIZES, Open, changed, lines_of, title

RESETS: Final = 20
RULES_MIN: Final = 20
"""At least this many rules of accessibility must have found something to look at."""
NO_JUMPS: Final = """() => {
  const found = new Set();
  for (let at = 0; at <= viewer.story.steps.length; at++) {
    viewer.go(at);
    const parts = [...document.querySelectorAll("section, .controls, .timeline, table, .chart")];
    const places = parts.map((part) => part.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height]);
    found.add(JSON.stringify(places));
  }
  return found.size;
}"""
"""In how many ways the parts of a page lie while a match is stepped through."""

# --- How it holds ----------------------------------------------------------------------------------------------


def test_resets_leave_nothing_behind(opened: Open) -> None:
    page = opened(SIX)
    title(page)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def counts() -> dict[str, float]:
        session.send("HeapProfiler.collectGarbage")
        found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        return {name: found[name] for name in ("Nodes", "JSEventListeners", "Documents")}

    def play_and_reset() -> None:
        page.evaluate("""() => {
          const { viewer } = window;
          for (const knower of [2, "public", "all"]) {
            viewer.look(knower);
            for (let at = 0; at <= viewer.story.steps.length; at += 5) viewer.go(at);
          }
          viewer.reset();
        }""")

    play_and_reset()
    before = counts()
    for _ in range(RESETS):
        play_and_reset()
    assert counts() == before


HOSTILE: Final = [
    "<script>window.hacked = 1</script>",
    "\u202egnp.exe\u2066",
    "x" * 10_000,
    "<img src=x onerror=alert(1)>",
    "\x00\x1b[31m",
    "&amp;\n",
]


@pytest.mark.parametrize("size", SIZES)
def test_hostile_names_and_notes_are_harmless(opened: Open, size: str) -> None:
    def change(line: dict[str, Any]) -> None:
        if line["kind"] == "header":
            line["run"]["bots"] = HOSTILE
        if line["kind"] == "decision":
            line["run"]["note"] = HOSTILE[line["n"] % len(HOSTILE)]

    page = opened(changed(SIX, change), size=size)
    title(page)
    for number in range(1, 2 * len(HOSTILE)):
        page.evaluate(f"viewer.go({number})")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        text = page.evaluate("document.body.textContent.replaceAll(/[\\u2068\\u2069]/g, '')")
        assert not {*"\u202e\u2066\x00\x1b"} & {*text}
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('img, #viewer script').length") == 0
    page.evaluate("viewer.go(6)")
    assert page.text_content(".note") == HOSTILE[0]


@pytest.mark.parametrize("name", [SIX, "avalon-hill-powers-5"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_jumps(opened: Open, size: str, name: str) -> None:
    page = opened(name, size=size)
    title(page)
    assert page.evaluate(NO_JUMPS) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violations(opened: Open, size: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - a test without a browser does not need it

    page = opened(FAULTS, "#140", size=size, color_scheme=scheme)
    title(page)
    for key in ("?", "t"):
        page.keyboard.press(key)
        found = Axe().run(page)
        assert found.response["violations"] == [], found.generate_report()
        assert len(found.response["passes"]) > RULES_MIN


# --- What cannot be shown --------------------------------------------------------------------------------------


def test_an_unfinished_match_lists_its_answers(opened: Open) -> None:
    page = opened(lines_of(SIX)[:60])
    page.wait_for_selector(".score li")
    assert "still secret" in page.text_content(".trouble")
    assert "ChooseTile: " in page.text_content(".score")


def test_a_record_that_does_not_hold_is_shown_as_far_as_it_does(opened: Open) -> None:
    def change(line: dict[str, Any]) -> None:
        if line.get("n") == 100:
            line["answer"] = "12I"

    page = opened(changed(SIX, change), "#99")
    assert title(page) == "Decision 99 of 99"
    assert "What follows cannot be shown" in page.text_content(".trouble")


def test_newer_rules_are_refused_by_name(opened: Open) -> None:
    def change(line: dict[str, Any]) -> None:
        if line["kind"] == "header":
            line["rules"]["fog"] = True

    page = opened(changed(SIX, change))
    page.wait_for_selector("[role=alert]")
    assert "does not know the knob fog" in page.text_content("main")


def test_a_browser_without_the_feature_is_told_what_to_do(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    path.write_bytes(match_page(carried(lines_of(SIX))))
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert]")
    assert "This browser is too old" in page.text_content("body")
    context.close()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "JavaScript is off" in page.text_content("#viewer")
    context.close()


def test_a_damaged_page_says_so(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    page_text = match_page(carried(lines_of(SIX))).decode()
    begin = page_text.index('id="packed">') + 2_000
    path.write_text(page_text[:begin] + page_text[begin + 400 :], "utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert]")
    assert "This page cannot be shown" in page.text_content("body")
    context.close()


def test_an_unfinished_match_whose_drawn_tiles_are_known_is_played(opened: Open) -> None:
    market = "classic-2-market"
    record = open_record(FOLDER / f"{market}.jsonl.gz")
    steps = [*record.steps()][:120]
    events = [event for step in steps for event in step.events]
    squares = [event.square for event in events if isinstance(event, MarketDrew) and event.square is not None]
    drawn = sum(event.count for event in (*record.start().start_events, *events) if isinstance(event, TilesDrawn)) + 2
    lines = lines_of(market)
    end = next(number for number, line in enumerate(lines) if b'"n":121,' in line)
    assert len(squares) > 1
    page = opened(lines[:end], "#120", drawn=Drawn(record.start().deal.order[:drawn], tuple(squares)))
    assert title(page) == "Decision 120 of 120"
    assert "121 positions agree" in page.text_content("header")
    assert "The match is running, or was broken off." in page.text_content("header")
    page = opened(lines[:end], "#120", drawn=Drawn(record.start().deal.order[: drawn - 1], tuple(squares)))
    title(page)
    assert "the record goes on after what is known of its deal" in page.text_content(".trouble")
