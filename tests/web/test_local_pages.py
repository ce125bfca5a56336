"""Pages on the loopback: what is sent, to whom, and with which headers."""

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from mergemaker_web.carried import carried
from mergemaker_web.local_pages import LocalPages, viewer_pages
from mergemaker_web.modules import static_text

from tests.web.conftest import FAULTS, SIX, lines_of, title

LIMIT_S = 60
"""A guard against a server that hangs."""


@pytest.fixture(scope="module")
def served() -> Iterator[LocalPages]:
    with LocalPages(viewer_pages(carried(lines_of(SIX), at=12))) as pages:
        yield pages


def asked(served: LocalPages, name: str, method: str = "GET", key: str | None = None, **headers: str) -> Any:
    """The answer to a request, with its content."""
    parts = urlsplit(served.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=LIMIT_S)
    path = f"/{key}/" if key is not None else parts.path
    connection.request(method, f"{path}{name}", headers=headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def test_the_viewer_is_served_as_it_is(served: LocalPages) -> None:
    for name, kind in (("viewer.js", "text/javascript"), ("style.css", "text/css"), ("served.html", "text/html")):
        answer, content = asked(served, name)
        assert (answer.status, content.decode()) == (200, static_text(name))
        assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert asked(served, "")[1] == static_text("served.html").encode()
    match = json.loads(asked(served, "match.json")[1])
    assert (match["at"], len(match["lines"])) == (12, len(lines_of(SIX)))


def test_every_answer_forbids_scripts_from_elsewhere(served: LocalPages) -> None:
    for name in ("", "match.json", "none"):
        answer, _ = asked(served, name)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "<script>" not in static_text("served.html")


def test_only_who_has_the_key_gets_anything(served: LocalPages) -> None:
    for key in ("", "a", "x" * 22):
        answer, content = asked(served, "match.json", key=key)
        assert answer.status == 404
        assert b"classic" not in content


@pytest.mark.parametrize("name", ["../match.json", "%2e%2e/match.json", "..%2f", "page.html/x", "x" * 5_000])
def test_nothing_else_is_there(served: LocalPages, name: str) -> None:
    assert asked(served, name)[0].status == 404


@pytest.mark.parametrize("host", ["example.com", "localhost", "127.0.0.1", ""])
def test_another_host_is_refused(served: LocalPages, host: str) -> None:
    answer, content = asked(served, "match.json", Host=host)
    assert answer.status == 421
    assert b"classic" not in content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_sent(served: LocalPages, method: str) -> None:
    assert asked(served, "match.json", method)[0].status == 501


def test_a_head_has_no_content(served: LocalPages) -> None:
    answer, content = asked(served, "match.json", "HEAD")
    assert (answer.status, content) == (200, b"")


def test_the_port_is_free_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    with LocalPages({}) as pages:
        assert asked(pages, "none")[0].status == 404
    with pytest.raises(ConnectionRefusedError):
        asked(pages, "none")
    assert capfd.readouterr().err == ""


def test_a_browser_shows_what_is_served(browser: Any) -> None:
    errors: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    with LocalPages(viewer_pages(carried(lines_of(FAULTS), at=12))) as pages:
        page.goto(pages.address)
        assert title(page) == "Decision 12 of 159"
        page.goto(f"{pages.address}#30")
        page.reload()
        assert title(page) == "Decision 30 of 159"
        assert errors == []
        page.route("**/match.json", lambda route: route.abort())
        page.reload()
        page.wait_for_selector("[role=alert]")
        assert "Is the command that shows it still running?" in page.text_content("main")
    context.close()
