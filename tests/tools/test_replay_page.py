"""`mergemaker replay --html`: a match as a page."""

import base64
import gzip
import http.client
import json
import re
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import PRESETS
from mergemaker_referee.records.secrets_file import write_secrets
from mergemaker_testkit.recorded import opened
from mergemaker_testkit.replayed import SEED, match_of
from mergemaker_tools.replaying import browsing

from tests.tools.conftest import Run

LIMIT_S = 60
"""A guard against a server that hangs."""
Command = Callable[..., Run]
Written = Callable[..., str]


def inside(path: Path) -> dict[str, Any]:
    """The match that a page carries."""
    (packed,) = re.findall(rb'id="packed">([A-Za-z0-9+/=]+)</script>', path.read_bytes())
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))["match"]
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_a_page_of_each_preset(run: Command, written: Written, tmp_path: Path, name: str) -> None:
    page = tmp_path / "match.html"
    lines = match_of(name, 3)
    shown = run("replay", written(lines), "--html", str(page))
    assert (shown.status, shown.out) == (0, "")
    assert re.search(r"wrote \S*match\.html, [0-9,]+ bytes: open it in a browser", shown.err)
    match = inside(page)
    assert (len(match["lines"]), match["at"], match["known"]) == (len(lines), None, None)


def test_a_page_opens_at_a_decision(run: Command, written: Written, tmp_path: Path) -> None:
    path = written(match_of())
    assert run("replay", f"{path}@7", "--html", str(tmp_path / "a.html")).status == 0
    assert inside(tmp_path / "a.html")["at"] == 7
    beyond = run("replay", f"{path}@9999", "--html", str(tmp_path / "b.html"))
    assert (beyond.status, "@N takes a decision of this match" in beyond.err) == (2, True)


def test_a_page_is_replaced_only_by_force(run: Command, written: Written, tmp_path: Path) -> None:
    path, page = written(match_of()), tmp_path / "match.html"
    page.write_text("mine", "utf-8")
    refused = run("replay", path, "--html", str(page))
    assert (refused.status, page.read_text("utf-8")) == (2, "mine")
    assert "--force" in refused.err
    assert run("replay", path, "--html", str(page), "--force").status == 0
    assert page.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--text"], "--html makes a page, which shows the score and the faults, too"),
        (["--json"], "--html makes a page"),
        (["--stats"], "--html makes a page"),
        (["--faults"], "--html makes a page"),
        (["--seat", "0"], "a click on a seat's name shows what that seat knew"),
    ],
)
def test_other_ways_are_refused(run: Command, written: Written, tmp_path: Path, more: list[str], words: str) -> None:
    shown = run("replay", written(match_of()), "--html", str(tmp_path / "match.html"), *more)
    assert (shown.status, shown.out) == (2, "")
    assert words in shown.err
    assert [*tmp_path.glob("*.html*")] == []


def test_force_alone_is_refused(run: Command, written: Written) -> None:
    assert "--force replaces the file of --html, --png or --gif" in run("replay", written(match_of()), "--force").err


def test_a_place_where_no_file_can_be_is_refused(run: Command, written: Written, tmp_path: Path) -> None:
    path = written(match_of())
    assert "there is no folder" in run("replay", path, "--html", str(tmp_path / "none" / "a.html")).err
    assert "is no file" in run("replay", path, "--html", str(tmp_path)).err


def test_what_is_no_record_makes_no_page(run: Command, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n", "utf-8")
    shown = run("replay", str(tmp_path / "a.jsonl"), "--html", str(tmp_path / "a.html"))
    assert shown.status == 1
    assert not (tmp_path / "a.html").exists()


def test_an_unfinished_match_shows_its_answers(run: Command, written: Written, tmp_path: Path) -> None:
    path = written([*match_of(note="a plan")[:30], b'{"kind":'])
    shown = run("replay", path, "--html", str(tmp_path / "a.html"))
    assert shown.status == 0
    assert "the deal is not known, so the page shows the answers alone" in shown.err
    match = inside(tmp_path / "a.html")
    assert (len(match["lines"]), match["known"]) == (29 + 1, None)
    assert "a plan" not in json.dumps(match)


def test_an_unfinished_match_beside_its_secrets_carries_no_seed(run: Command, written: Written, tmp_path: Path) -> None:
    lines = match_of("renegade-classic", 2)
    path = written(lines[:90])
    write_secrets(Path(path), Secrets(SEED, None, None))
    shown = run("replay", path, "--html", str(tmp_path / "a.html"))
    assert (shown.status, shown.out) == (0, ""), shown.err
    match = inside(tmp_path / "a.html")
    assert SEED.hex() not in json.dumps(match)
    drawn = match["known"]["drawn"]
    assert len(drawn) == len(set(drawn))
    assert 14 <= len(drawn) < 108
    assert len(opened(lines)) > 90


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--html", "a.html"], "--web and --html are two ways to show a match"),
        (["--link", "https://example.org/a.html"], "--web and --link are two ways to show a match"),
        (["--text"], "--web makes a page, which shows the score and the faults, too"),
        (["--seat", "0"], "--web makes a page of the whole match"),
    ],
)
def test_other_ways_beside_the_browser_are_refused(run: Command, written: Written, more: list[str], words: str) -> None:
    shown = run("replay", written(match_of()), "--web", *more)
    assert (shown.status, shown.out) == (2, "")
    assert words in shown.err


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """A browser that loads the page and the match once; then Ctrl-C is pressed."""
    loaded: list[tuple[str, Any]] = []

    def visit(address: str) -> bool:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=LIMIT_S)
        contents = []
        for name in ("", "match.json"):
            connection.request("GET", f"{parts.path}{name}")
            contents.append(connection.getresponse().read())
        connection.close()
        loaded.append((contents[0].decode(), json.loads(contents[1])))
        return True

    def pressed(_: threading.Event, seconds: float | None = None) -> bool:
        assert seconds is not None
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", visit)
    event = type("Pressed", (threading.Event,), {"wait": pressed})
    monkeypatch.setattr(browsing, "threading", SimpleNamespace(Event=event))
    return loaded


def test_the_browser_is_opened_until_ctrl_c(
    run: Command, written: Written, browser: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = match_of()
    monkeypatch.setattr(browsing, "has_display", lambda: True)
    shown = run("replay", f"{written(lines)}@7", "--web")
    assert (shown.status, shown.out) == (0, "")
    assert re.fullmatch(r"the match is at http://127\.0\.0\.1:\d+/[\w-]{22}/ until Ctrl-C\n", shown.err)
    ((page, match),) = browser
    assert 'src="served.js"' in page
    assert (match["at"], len(match["lines"])) == (7, len(lines))


def test_without_a_display_only_the_address_is_shown(
    run: Command, written: Written, browser: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    shown = run("replay", written(match_of()), "--web")
    assert (shown.status, browser) == (0, [])
    assert "the match is at http://127.0.0.1:" in shown.err


def test_a_link_holds_the_game(run: Command, written: Written) -> None:
    path = written(match_of("reference-trading", 3))
    address = "https://example.org/match.html"
    shown = run("replay", path, "--link", address)
    assert (shown.status, shown.err) == (0, "")
    assert re.fullmatch(rf"{re.escape(address)}#game=[\w-]+\.[\w-]+\n", shown.out)
    at = run("replay", f"{path}@7", "--link", address)
    assert at.out == shown.out.replace("#", "#7&")


@pytest.mark.parametrize("address", ["", "a b", "https://example.org/#57"])
def test_an_address_that_cannot_hold_a_link_is_refused(run: Command, written: Written, address: str) -> None:
    shown = run("replay", written(match_of()), "--link", address)
    assert (shown.status, shown.out) == (2, "")
    assert "--link takes the address of a page" in shown.err


def test_an_unfinished_match_has_no_link(run: Command, written: Written) -> None:
    shown = run("replay", written(match_of()[:30]), "--link", "https://example.org/")
    assert (shown.status, shown.out) == (1, "")
    assert "this match has none to show" in shown.err
