"""Lists on pages have what the code has: all of it, and nothing else.

To hold another list, add an entry to `LISTS`: the page, where the list is on it, and what the code says.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import AnswerBounds
from mergemaker_engine.decisions import Decision
from mergemaker_engine.events import Event
from mergemaker_engine.wording import _UNSPOKEN

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list on a page, and what should be in it."""

    page: str
    entries: Callable[[str], Iterable[str]]
    """Finds the entries in the page's text."""
    expected: Callable[[], Collection[str]]


def in_table(head: str, column: int = 0, form: str = ".+") -> Callable[[str], list[str]]:
    """All code in one column of the table whose first line begins with `head`, as far as it has the form."""

    def entries(page: str) -> list[str]:
        (table,) = re.findall(rf"^{re.escape(head)}.*\n\|[-|: ]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
        cells = [row.split("|")[1 + column] for row in str(table).splitlines()]
        return [code for cell in cells for code in re.findall("`([^`]+)`", cell) if re.fullmatch(form, code)]

    return entries


def in_bullets(heading: str) -> Callable[[str], list[str]]:
    """The code at the beginning of each bullet below a heading."""

    def entries(page: str) -> list[str]:
        (section,) = re.findall(rf"^#+ {re.escape(heading)}.*\n((?:(?!#).*\n)+)", page, re.MULTILINE)
        return re.findall("^- `([^`]+)`", str(section), re.MULTILINE)

    return entries


def first_of_each_name(find: Callable[[str], Iterable[str]]) -> Callable[[str], list[str]]:
    """Of several entries that begin with the same word, the first."""

    def entries(page: str) -> list[str]:
        by_name: dict[str, str] = {}
        for entry in find(page):
            by_name.setdefault(entry.split()[0], entry)
        return list(by_name.values())

    return entries


def with_fields(kinds: Iterable[type], leave_out: Collection[str] = ()) -> list[str]:
    """Classes, each with its fields: `TilePlaced seat square`."""
    named = [(kind.__name__, [part.name for part in fields(kind) if part.init]) for kind in kinds]
    return [" ".join([name, *(part for part in parts if part not in leave_out)]) for name, parts in named]


def files_in(folder: str) -> set[str]:
    """The modules of a folder, as files, without tests."""
    return {path.name for path in (ROOT / folder).glob("*.py") if not path.name.startswith(("test_", "__init__"))}


def modules_in(folder: str) -> set[str]:
    """The modules and packages of a folder, by name."""
    found = {path.stem for path in (ROOT / folder).glob("*.py")} | {path.parent.name for path in (ROOT / folder).glob("*/*.py")}
    return found - {"__init__"}


VOCABULARY = "engine/VOCABULARY.md"
MODULE = "[a-z_]+"

LISTS = {
    "decisions": Listed(VOCABULARY, in_table("| decision |"), lambda: with_fields(Decision.__args__, leave_out=_UNSPOKEN)),
    "answers to decisions": Listed(
        VOCABULARY, in_table("| decision |", column=2), lambda: [kind.__name__ for kind in Action.__args__]
    ),
    "actions": Listed(VOCABULARY, first_of_each_name(in_table("| action |")), lambda: with_fields(Action.__args__)),
    "bounds": Listed(VOCABULARY, in_bullets("Bounds"), lambda: with_fields(AnswerBounds.__args__)),
    "events": Listed(VOCABULARY, in_table("| event |"), lambda: with_fields(Event.__args__)),
    "modules of the engine": Listed(
        "engine/README.md",
        in_table("| question | module |", column=1, form=MODULE),
        lambda: modules_in("engine/mergemaker_engine"),
    ),
    "modules of the engine's records": Listed(
        "engine/README.md",
        in_table("| in `record` | module |", column=1, form=MODULE),
        lambda: modules_in("engine/mergemaker_engine/record"),
    ),
    "modules of the oracle": Listed(
        "tests/oracle/README.md", in_table("| module | what is in it |"), lambda: files_in("tests/oracle")
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_on_a_page_has_what_the_code_has(name: str) -> None:
    listed = LISTS[name]
    found, expected = list(listed.entries((ROOT / listed.page).read_text(encoding="utf-8"))), set(listed.expected())
    assert sorted(expected - {*found}) == [], f"missing in {listed.page}"
    assert sorted({*found} - expected) == [], f"too many in {listed.page}"
    assert len(found) == len(expected), f"twice in {listed.page}"
