"""`tests/BEHAVIOURS.md` is complete: every behaviour has a row, every row existing tests, every mutation its place."""

import ast
from pathlib import Path

import pytest
from mergemaker_testkit.behaviours import PAGE, ROOT, BadPage, Behaviour, Mutation, behaviours

pytestmark = pytest.mark.checkout

NUMBERS = [
    *range(1, 40),
    *range(46, 72),
    *range(73, 87),
    90,
    *range(110, 115),
    *range(120, 124),
    *range(140, 142),
    *range(150, 153),
    *range(155, 162),
    *range(170, 185),
    *range(185, 195),
]
ROWS = behaviours(PAGE.read_text(encoding="utf-8"))


def test_every_behaviour_has_a_row() -> None:
    assert sorted({row.number for row in ROWS}) == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.number))
def test_a_rows_tests_are_there_and_its_mutation_fits(row: Behaviour) -> None:
    for name in row.tests:
        path, _, function = name.partition("::")
        defined = named_in((ROOT / path).read_text(encoding="utf-8"))
        assert (function in defined) if function else defined, name
    if row.mutation is not None:
        assert row.mutation.applied() != (ROOT / row.mutation.path).read_text(encoding="utf-8")


def named_in(text: str) -> set[str]:
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {function.name for function in functions if function.name.startswith("test_")}


def test_rows_are_read() -> None:
    (row,) = behaviours("| 7 | late | `a.py::test_b`, `c.py` | `x/y.py`: `if a \\| b:` → `if a:` |\n| no | row |")
    assert row == Behaviour(7, "late", ("a.py::test_b", "c.py"), Mutation("x/y.py", "if a | b:", "if a:"))
    assert behaviours("| 8 | so | `a.py` | — there is nothing to change |")[0].mutation is None


@pytest.mark.parametrize(
    "page",
    [
        "| 7 | late | `a.py::b` |",
        "| 7 | late | none | `x`: `a` → `b` |",
        "| 7 | late | `a.py` | `x`: `a` |",
        "| 7 | x | `a.py` | — |",
    ],
)
def test_rows_that_say_too_little_are_refused(page: str) -> None:
    with pytest.raises(BadPage):
        behaviours(page)


def test_a_mutation_must_fit_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n", encoding="utf-8")
    for old in ("x = 1", "y"):
        with pytest.raises(BadPage, match="not once"):
            Mutation("a.py", old, "z").applied(tmp_path)
