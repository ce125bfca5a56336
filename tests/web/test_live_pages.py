"""Pages of a running referee in a real browser: a live match to its end, and everything that people open."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from mergemaker_engine.wording import square_name
from mergemaker_testkit.live_pages import LivePages, PlayedMatch, live_pages

from tests.web.conftest import LIMIT_MS, SIZES

RESETS: Final = 20
RULES_MIN: Final = 12
LOOK_MS: Final = 200
ALONE: Final = "async (site) => (await (await fetch(site)).json()).spectators === 1"
HOSTILE: Final = ("<script>window.hacked = 1</script>", "\u202egnp.exe", "x" * 64, "<img src=x onerror=alert(1)>")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePages]:
    with live_pages(tmp_path_factory.mktemp("pages")) as served:
        yield served


@pytest.fixture
def errors() -> list[str]:
    return []


@pytest.fixture
def play(pages: LivePages) -> Iterator[Callable[..., PlayedMatch]]:
    """Makes matches, which are played to their ends after the test."""
    made: list[PlayedMatch] = []

    def make(*names: str) -> PlayedMatch:
        made.append(PlayedMatch(pages, names or ("ada", "bob")))
        return made[-1]

    yield make
    for match in made:
        match.finish()


Play = Callable[..., PlayedMatch]


@pytest.fixture
def page(browser: Any, errors: list[str]) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    context.set_default_timeout(LIMIT_MS)
    found = context.new_page()
    found.on("console", lambda message: errors.append(message.text))
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("dialog", lambda dialog: errors.append(dialog.message))
    yield found
    context.close()


def until(page: Any, script: str) -> None:
    page.wait_for_function(f"() => {script}")


def board_of(page: Any) -> list[str]:
    found = page.evaluate("[...document.querySelectorAll('.picture text.held')].map((text) => text.textContent)")
    assert isinstance(found, list)
    return found


def expected_board(pages: LivePages, match: str) -> list[str]:
    view = pages.public_view(match)
    names = [name[0] for name in view.rules.chain_names]
    return [square_name(square) if held < 2 else names[held - 2] for square, held in enumerate(view.board)]


def test_a_live_match_is_watched_to_its_end(pages: LivePages, play: Play, page: Any, errors: list[str]) -> None:
    match = play()
    page.goto(pages.at(f"/match/{match.id}"))
    until(page, "window.viewer?.story")
    assert "ada" in page.text_content(".players")
    match.begin()
    for decisions in (1, 9, 20):
        match.play(decisions)
        turn = pages.public_view(match.id).turn
        until(page, f"viewer.story?.steps.length && viewer.story?.steps.at(-1)?.state.turn === {turn}")
        assert page.evaluate("viewer.position === viewer.story.steps.length")
        assert board_of(page) == expected_board(pages, match.id)
        assert "hidden" in page.text_content(".players .tiles")
    assert page.text_content(".live") == "live"
    page.keyboard.press("Home")
    page.keyboard.press("2")  # nobody else's view can be had
    match.play(1)
    assert page.evaluate("[viewer.position, viewer.knower]") == [0, "public"]
    page.keyboard.press("End")
    match.finish()
    until(page, "viewer.story?.end")
    result = pages.json(f"/api/matches/{match.id}")
    assert result["released"]
    for seat in result["seats"]:
        assert f"${seat['cash']:,}" in page.text_content("header .result")
    assert "positions agree" in page.text_content("header")
    page.reload()
    until(page, "viewer.story?.end")
    assert errors == []


def test_the_first_html_has_the_board(pages: LivePages, play: Play, browser: Any) -> None:
    match = play()
    match.begin()
    match.play(20)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages.at(f"/match/{match.id}"))
    texts = page.locator(".picture text.held").all_text_contents()
    assert texts == expected_board(pages, match.id)
    match.finish()
    pages.until_released(match.id)
    page.goto(pages.at(f"/match/{match.id}"))
    assert page.locator(".picture text.held").count() == 108
    assert page.locator("#status").text_content() != ""
    context.close()


def test_a_page_that_gets_no_worker_has_a_stream_of_its_own(pages: LivePages, play: Play, page: Any) -> None:
    page.route("**/stream_worker.js", lambda route: route.abort())
    match = play()
    match.begin()
    page.goto(pages.at(f"/match/{match.id}"))
    until(page, "document.querySelector('.live')?.textContent === 'live'")
    match.play(5)
    turn = pages.public_view(match.id).turn
    until(page, f"(viewer.story?.steps.at(-1)?.state ?? viewer.story?.start.state)?.turn === {turn}")


def test_beginning_anew_leaves_nothing_behind(pages: LivePages, play: Play, page: Any) -> None:
    match = play()
    match.begin()
    match.play(20)
    page.goto(pages.at(f"/match/{match.id}"))
    until(page, "window.viewer?.story")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def counts() -> dict[str, float]:
        session.send("HeapProfiler.collectGarbage")
        found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
        return {name: found[name] for name in ("Nodes", "JSEventListeners", "Documents")}

    page.evaluate("live.begin()")
    before = counts()
    for _ in range(RESETS):
        page.evaluate("live.begin()")
    after = counts()
    # What each beginning leaves is there as often; a node that waits for the browser to collect it is not.
    assert {name: after[name] - before[name] < RESETS for name in before} == dict.fromkeys(before, True), (before, after)
    match.finish()


def test_eight_tabs_share_one_stream(pages: LivePages, play: Play, page: Any) -> None:
    match = play()
    match.begin()
    tabs = [page, *(page.context.new_page() for _ in range(7))]
    for tab in tabs:
        tab.goto(pages.at(f"/match/{match.id}"))
    for tab in tabs:
        until(tab, "window.viewer?.story")
    match.play(10)
    turn = pages.public_view(match.id).turn
    for tab in tabs:
        until(tab, f"(viewer.story?.steps.at(-1)?.state ?? viewer.story?.start.state)?.turn === {turn}")
    # Streams of earlier tests' browsers end by themselves; those of eight tabs would not.
    page.wait_for_function(ALONE, arg=pages.at("/api/site"), polling=LOOK_MS)
    match.finish()


def test_hostile_names_are_harmless(pages: LivePages, play: Play, page: Any, errors: list[str]) -> None:
    match = play(*HOSTILE)
    match.begin()
    match.play(3)
    for path in ("/", f"/match/{match.id}", f"/embed/match/{match.id}"):
        page.goto(pages.at(path))
        if path != "/":
            until(page, "window.viewer?.story")
        # The list is a second old at most, and kept up to date.
        page.wait_for_function("(name) => document.body.textContent.includes(name)", arg=HOSTILE[0][:20])
        text = page.evaluate("document.body.textContent.replaceAll(/[\\u2068\\u2069]/g, '')")
        assert "\u202e" not in text
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("[window.hacked, document.querySelectorAll('img').length]") == [None, 0]
    match.finish()
    page.goto(pages.at("/"))
    page.get_by_text(HOSTILE[0][:20]).first.click()
    page.wait_for_selector("text=Head to head")
    assert errors == []


def test_a_hall_sees_one_match_after_the_other(pages: LivePages, play: Play, page: Any) -> None:
    match = play("eve", "fay")
    match.begin()
    match.play(4)
    page.goto(pages.at("/projector"))
    page.wait_for_selector("#projector .picture")
    assert "eve" in page.text_content("#projector h1")
    match.finish()
    until(page, "document.querySelector('#projector h1').textContent.startsWith('1. ')")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 18, 20)"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violations(pages: LivePages, play: Play, browser: Any, size: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - a test without a browser does not need it

    match = play("ada", "bob", "cyd")
    match.begin()
    match.play(30)
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    for path, ready in (
        ("/", "main"),
        (f"/match/{match.id}", ".timeline"),
        ("/bot/ada", "main"),
        ("/data", "main"),
        ("/projector", "#projector .picture"),
        ("/match/none", "main"),
    ):
        page.goto(pages.at(path))
        page.wait_for_selector(ready)
        found = Axe().run(page)
        assert found.response["violations"] == [], found.generate_report()
        assert len(found.response["passes"]) > RULES_MIN
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    context.close()
    match.finish()


def test_an_unknown_match_says_what_to_do(pages: LivePages, page: Any) -> None:
    page.goto(pages.at("/match/none"))
    assert "there is no match 'none' here" in page.text_content("main")
    assert "See the list of matches" in page.text_content("main")
