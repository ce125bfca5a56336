"""Lists on pages agree with the code: they have all of it, and nothing else.

To check another list, add an entry to `LISTS`: the page, where the list is on it, and what the code says.
"""

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from mergemaker_engine.actions import Action
from mergemaker_engine.bounds import AnswerBounds
from mergemaker_engine.decisions import Decision
from mergemaker_engine.events import Event
from mergemaker_engine.wording import _UNSPOKEN
from mergemaker_tools.cli import COMMANDS

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list on a page, and its required entries."""

    page: str
    entries: Callable[[str], Iterable[str]]
    """Finds the entries in the page's text."""
    expected: Callable[[], Collection[str]]


def in_table(head: str, column: int = 0, form: str = ".+") -> Callable[[str], list[str]]:
    """All code in one column of the table whose first line begins with `head`, if it has the form."""

    def entries(page: str) -> list[str]:
        (table,) = re.findall(rf"^{re.escape(head)}.*\n\|[-|: ]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
        cells = [re.split(r"(?<!\\)\|", row)[1 + column] for row in str(table).splitlines()]
        return [code for cell in cells for code in re.findall("`([^`]+)`", cell) if re.fullmatch(form, code)]

    return entries


def in_bullets(heading: str) -> Callable[[str], list[str]]:
    """The code at the beginning of each bullet below a heading."""

    def entries(page: str) -> list[str]:
        (section,) = re.findall(rf"^#+ {re.escape(heading)}.*\n((?:(?!#).*\n)+)", page, re.MULTILINE)
        return re.findall("^- `([^`]+)`", str(section), re.MULTILINE)

    return entries


def first_of_each_name(find: Callable[[str], Iterable[str]]) -> Callable[[str], list[str]]:
    """The first of several entries that begin with the same word."""

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


def commands_in(page: str) -> list[str]:
    """The commands of the table in the tools' README."""
    return [text.split()[1] for text in in_table("| command |", form="mergemaker .*")(page)]


def metrics_in(page: str) -> list[str]:
    """The metrics of a page's table, each with its labels."""
    (table,) = re.findall(r"^\| metric .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    rows = [row.split("|") for row in str(table).splitlines()]
    return [" ".join(re.findall("`([^`]+)`", row[1]) + re.findall("^ `([^`]+)`:", row[2])) for row in rows]


METRIC_KINDS = {"Histogram": "", "Counter": "_total", "show": "", "show_by_phase": ""}
"""The calls that make a metric, and what Prometheus adds to its name."""


def metrics() -> set[str]:
    """The metrics that the referee's code makes, each with its labels: `mergemaker_defaults_total cause`."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / "referee/mergemaker_referee").rglob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {" ".join(found) for call in calls if (found := list(_metric(call)))}


def _metric(call: ast.Call) -> Iterator[str]:
    kind = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    match call.args:
        case [ast.Constant(value=str(name)), *rest] if kind in METRIC_KINDS and name.startswith("mergemaker_"):
            yield name + METRIC_KINDS[kind]
            yield from (str(label.value) for each in rest if isinstance(each, ast.List) for label in each.elts)  # type: ignore[attr-defined]  # texts
            yield from ["phase"] if kind == "show_by_phase" else []


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
    "modules of the viewer in Python": Listed(
        "referee/mergemaker_web/README.md", in_table("| Python |"), lambda: files_in("referee/mergemaker_web")
    ),
    "modules of the viewer": Listed(
        "referee/mergemaker_web/README.md",
        in_table("| in `static/` |"),
        lambda: {path.name for path in (ROOT / "referee/mergemaker_web/static").iterdir()},
    ),
    "modules of the oracle": Listed(
        "tests/oracle/README.md", in_table("| module | what is in it |"), lambda: files_in("tests/oracle")
    ),
    "commands": Listed("tools/README.md", commands_in, lambda: COMMANDS),
    "metrics": Listed("docs/operations.md", metrics_in, metrics),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_on_a_page_has_what_the_code_has(name: str) -> None:
    listed = LISTS[name]
    found, expected = list(listed.entries((ROOT / listed.page).read_text(encoding="utf-8"))), set(listed.expected())
    assert sorted(expected - {*found}) == [], f"missing in {listed.page}: add them to the list of {name}"
    assert sorted({*found} - expected) == [], f"too many in {listed.page}: the code has no such {name}, so take them out"
    assert len(found) == len(expected), f"twice in {listed.page}"


# --- modules ---

PACKAGES = {
    "referee/README.md": ("referee/mergemaker_referee", "referee/mergemaker_table"),
    "referee/mergemaker_contest/README.md": ("referee/mergemaker_contest",),
    "referee/mergemaker_store/README.md": ("referee/mergemaker_store",),
    "referee/mergemaker_web/server/README.md": ("referee/mergemaker_web/server",),
    "protos/README.md": ("protos/mergemaker_wire",),
    "clients/python/README.md": ("clients/python/mergemaker_client",),
    "tools/README.md": ("tools/mergemaker_tools", "tools/mergemaker_processes", "tools/mergemaker_bench"),
    "tools/project/README.md": ("tools/project",),
    "tests/simulation/README.md": ("tests/simulation",),
    "tests/chaos/README.md": ("tests/chaos",),
}
"""By page: the folders whose modules it must name. The engine's are in separate tables."""

UNNAMED_YET: dict[str, int] = {}
"""By page: how many of its modules it does not name yet. These numbers may only fall."""


def modules_below(folder: str) -> set[str]:
    """The modules in a folder and below it: `records/files`. Tests and private modules describe themselves."""
    paths = [path.relative_to(ROOT / folder).with_suffix("") for path in (ROOT / folder).rglob("*.py")]
    return {path.as_posix() for path in paths if not path.name.startswith(("_", "test_", "conftest"))}


def code_on(page: str) -> set[str]:
    """All words in inline code; code blocks are examples."""
    text = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    return {word.rstrip(",;") for code in re.findall("`([^`]+)`", text) for word in code.split()}


def names_of(module: str) -> set[str]:
    """How a page may name a module: with or without its folder, with or without `.py`."""
    return {module, f"{module}.py", module.rpartition("/")[2], f"{module.rpartition('/')[2]}.py"}


@pytest.mark.parametrize("page", PACKAGES)
def test_a_readme_names_every_module_of_its_folders(page: str) -> None:
    named = code_on((ROOT / page).read_text("utf-8"))
    missing = [
        f"{folder}/{name}" for folder in PACKAGES[page] for name in sorted(modules_below(folder)) if not names_of(name) & named
    ]
    advice = f"{page} does not say what these modules are for: {missing}"
    assert len(missing) <= UNNAMED_YET.get(page, 0), advice
    assert len(missing) == UNNAMED_YET.get(page, 0), (
        f"{page} names more modules now: set its number in UNNAMED_YET to {len(missing)}"
    )


@pytest.mark.parametrize("page", PACKAGES)
def test_a_readme_names_no_module_that_is_gone(page: str) -> None:
    """Words that end in `.py`, or begin with a folder of the room, must name modules."""
    modules = {name for folder in PACKAGES[page] for name in modules_below(folder)}
    folders = {name.rpartition("/")[0] for name in modules} - {""}
    there = {form for name in modules for form in names_of(name)} | folders
    files = {path.name for folder in PACKAGES[page] for path in (ROOT / folder).rglob("*.py")}
    meant = [
        word
        for word in sorted(code_on((ROOT / page).read_text("utf-8")))
        if re.fullmatch(r"[a-z_]+(/[a-z_]+)*\.py", word)
        or (re.fullmatch("[a-z_]+/[a-z_]+", word) and word.partition("/")[0] in folders)
    ]
    gone = [word for word in meant if word not in there and word not in files and not _is_a_file(page, word)]
    assert gone == [], f"{page} names modules that are not there: take them out, or say where they are now"


def _is_a_file(page: str, word: str) -> bool:
    return any((folder / word).exists() for folder in (ROOT, (ROOT / page).parent)) or word in EXAMPLES


EXAMPLES = {"my_bot.py", "mybot.py", "bot.py"}
"""Names of a reader's own files."""


def test_modules_are_found_on_a_page() -> None:
    page = "`one` and `two/three.py`, `four`; \n```sh\n`five`\n```\n"
    assert code_on(page) == {"one", "two/three.py", "four"}
    assert names_of("two/three") == {"two/three", "two/three.py", "three", "three.py"}
