"""A review on a page, in a real browser."""

from typing import Any, Final

import pytest
from mergemaker_referee.records.files import open_record

from tests.web.conftest import FAULTS, FOLDER, SIX, SIZES, Open, title
from tests.web.test_browser_holds import NO_JUMPS, RULES_MIN

CLEAR: Final = 57
"""A decision that clearly loses in these tests."""
NAME: Final = "<b>bot\u202e</b>"


def review_of(name: str, better: str = "5C") -> dict[str, object]:
    """A made-up review: every third decision of a record, in turn clear, unsure, and not beaten."""
    record = open_record(FOLDER / f"{name}.jsonl.gz")
    decisions: list[list[object]] = []
    for line in record.decisions[2::3]:
        loss = [(0.031, 0.004, 0.058), (0.012, -0.02, 0.044), (0.0, 0.0, 0.01)][len(decisions) % 3]
        decisions.append([line.number, *loss, better, int(loss[0] > 0)])
    accuracy = {"accuracy": [0.81, 0.7, 0.95], "lost": [0.05, 0.01, 0.09]}
    seats = [{"seat": seat, "rated": 12, "clear": 3, **accuracy} for seat in range(record.header.seats)]
    return {"house": NAME, "others": 4, "deals": [3, 8], "level": 0.95, "seats": seats, "decisions": decisions}


def clear_of(review: dict[str, Any]) -> list[int]:
    return [number for number, _, low, *_ in review["decisions"] if low > 0]


def test_a_review_is_shown_in_words_as_bars_and_as_marks(opened: Open) -> None:
    review = review_of(SIX)
    page = opened(SIX, review=review)
    title(page)
    assert "Choose a decision" in page.text_content(".review .said")
    assert page.locator(".milestones .slip").count() == len(clear_of(review))
    losing = [one for one in review["decisions"] if one[1] > 0]  # type: ignore[attr-defined]  # a list
    assert page.locator(".bar").count() == len(losing)
    assert page.locator(".bar.unsure").count() == len(losing) - len(clear_of(review))
    number = clear_of(review)[4]
    page.evaluate(f"viewer.go({number})")
    said = page.text_content(".review .said")
    assert said.startswith(f"Decision {number}: with “5C” in place of “")
    assert said.endswith(" could expect 3.1 % more of all money (0.4 to 5.8).")
    assert page.text_content(".labeltext") == "better"
    page.evaluate(f"viewer.go({number + 3})")
    assert page.text_content(".review .said").endswith(" (-2.0 to 4.4), which may be chance.")
    page.evaluate(f"viewer.go({number + 6})")
    assert "nothing that was tried did better than" in page.text_content(".review .said")
    page.evaluate(f"viewer.go({number + 1})")
    assert "is not rated" in page.text_content(".review .said")
    assert page.locator(".review tbody tr").count() == 6
    assert "81 %" in page.text_content(".review tbody")
    assert "These are estimates." in page.text_content(".review .legend")
    assert "\u202e" not in page.text_content(".review .legend")


def test_the_worst_decisions_are_links_and_bars_lead_there(opened: Open) -> None:
    review = review_of(SIX)
    page = opened(SIX, review=review)
    title(page)
    links = page.locator(".review .score a")
    assert links.count() == 10
    links.nth(2).focus()
    page.keyboard.press("Enter")
    assert title(page) == f"Decision {clear_of(review)[2]} of 146"
    page.locator(".bar").nth(0).click()
    assert title(page) == "Decision 3 of 146"


def test_a_seat_sees_the_review_of_its_own_decisions(opened: Open) -> None:
    record = open_record(FOLDER / f"{SIX}.jsonl.gz")
    review = review_of(SIX)
    own = [number for number in clear_of(review) if record.decisions[number - 1].seat == 2]
    other = next(number for number in clear_of(review) if record.decisions[number - 1].seat != 2)
    page = opened(SIX, f"#{other}&seat=2", review=review)
    title(page)
    assert page.text_content(".review .said") == "What another seat answered is not shown here."
    assert page.locator(".labeltext").count() == 0
    assert page.locator(".milestones .slip").count() == len(own)
    page.evaluate(f"viewer.go({own[0]})")
    assert page.text_content(".review .said").startswith(f"Decision {own[0]}: with “5C”")
    page.evaluate("viewer.look('public')")
    assert page.locator(".bar").count() == 0


@pytest.mark.parametrize("size", SIZES)
def test_nothing_jumps_where_a_review_is(opened: Open, size: str) -> None:
    page = opened(SIX, size=size, review=review_of(SIX, "buy 2 Imperial 1 Continental end"))
    title(page)
    assert page.evaluate(NO_JUMPS) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_reviewed_page_has_no_accessibility_violations(opened: Open, size: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - a test without a browser does not need it

    page = opened(FAULTS, f"#{CLEAR}", size=size, color_scheme=scheme, review=review_of(FAULTS))
    title(page)
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()
    assert len(found.response["passes"]) > RULES_MIN
