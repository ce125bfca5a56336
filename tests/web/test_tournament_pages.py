"""Tournaments on the pages: from a database, made in a process of its own."""

from pathlib import Path
from typing import Any

import pytest
import trio
from mergemaker_referee.configuration.settings import WebSettings
from mergemaker_testkit.live_pages import live_pages
from mergemaker_testkit.small_tournaments import SMALL
from mergemaker_tools.cli import main
from mergemaker_tools.tournaments.stored_tournaments import StoredTournaments
from mergemaker_web.server.problems import WebProblem


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of a small tournament."""
    folder = tmp_path_factory.mktemp("tournaments")
    path = folder / "results.sqlite"
    options = ("--database", str(path), "--budget", "12 matches")
    assert main(["tournament", *SMALL, *options, "--folder", str(folder / "cup")]) == 0
    return str(path)


def test_a_tournament_has_its_page(tmp_path: Path, database: str, browser: Any) -> None:
    with live_pages(tmp_path, web=WebSettings(database=database), tournaments=StoredTournaments(database)) as pages:
        (found,) = pages.json("/api/tournaments")
        assert found["name"] == "Spring cup"
        table = pages.json(f"/api/tournaments/{found['tournament']}")
        assert {row["bot"] for row in table["ratings"]} == {"ada", "bob", "cyd"}
        assert table["matches"] > 0
        assert pages.json("/api/tournaments/none", 404)["reason"] == "unknown-tournament"
        context = browser.new_context(viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.goto(pages.at("/tournaments"))
        page.click("text=Spring cup")
        page.wait_for_selector("text=Head to head")
        assert "ada" in page.text_content("main")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()


def test_a_database_that_is_away_says_so(tmp_path: Path) -> None:
    book = StoredTournaments(str(tmp_path / "none" / "none.sqlite"))
    with pytest.raises(WebProblem) as refused:
        trio.run(book.all)
    assert refused.value.problem.reason == "no-table"


def test_a_server_without_a_database_has_no_tournaments(tmp_path: Path) -> None:
    with live_pages(tmp_path) as pages:
        assert pages.json("/api/tournaments") == []
        assert pages.json("/api/tournaments/none", 404)["reason"] == "unknown-tournament"
        assert b"/tournaments" not in pages.ask("/")[1]
