"""A browser for the tests of pages, and pages opened in it."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from mergemaker_testkit.browser import chromium
from mergemaker_web.carried import Drawn, carried
from mergemaker_web.page import match_page
from toy_checkout import CHECKOUT

FOLDER: Final = CHECKOUT / "tests" / "golden"
SIX: Final = "classic-6"
"""Six seats."""
FAULTS: Final = "reference-5-faults"
SIZES: Final = {"phone": (390, 844), "hall": (1920, 1080)}
LIMIT_MS: Final = 60_000
"""A guard against a page that hangs."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def errors() -> list[str]:
    """What the pages of a test complained about; there must be nothing."""
    return []


Open = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path, errors: list[str]) -> Iterator[Open]:
    """Opens the page of a match from the disk: a golden record by its name, or any lines."""
    contexts = []

    def open_page(
        match: str | list[bytes],
        place: str = "",
        *,
        drawn: Drawn | None = None,
        size: str = "hall",
        clock: bool = False,
        review: dict[str, object] | None = None,
        **more: Any,
    ) -> Any:
        path = tmp_path / "match.html"
        shown = carried(lines_of(match) if isinstance(match, str) else match, drawn)
        path.write_bytes(match_page(shown if review is None else shown.with_review(review)))
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **more)
        contexts.append(context)
        context.set_default_timeout(LIMIT_MS)
        page = context.new_page()
        page.on("console", lambda message: errors.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.on("request", lambda request: errors.extend([] if request.url.startswith("file:") else [request.url]))
        if clock:
            page.clock.install(time=0)
        page.goto(f"{path.as_uri()}{place}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def lines_of(name: str) -> list[bytes]:
    return gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes()).splitlines()


def changed(name: str, change: Callable[[dict[str, Any]], None]) -> list[bytes]:
    """The lines of a golden record, each after a change."""
    lines = [json.loads(line) for line in lines_of(name)]
    for line in lines:
        change(line)
    return [json.dumps(line).encode() for line in lines]


def title(page: Any) -> str:
    page.wait_for_selector(".decision h2")
    found: str = page.text_content(".decision h2")
    return found
