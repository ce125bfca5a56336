"""Modules and functions stay as short as `CONTRIBUTING.md` says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engine", "protos/mergemaker_wire", "referee", "clients/python", "tools", "tests")
MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70

MODULES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if ".venv" not in path.parts]


def too_long_functions(text: str) -> Iterator[tuple[int, str, int]]:
    """The line, name and length of each function that is too long. Decorators do not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield node.lineno, node.name, lines


def test_modules_can_be_read_in_one_sitting() -> None:
    too_long = {
        name: lines
        for name, lines in ((path.relative_to(ROOT).as_posix(), len(path.read_text("utf-8").splitlines())) for path in MODULES)
        if lines > MODULE_LINES_MAX
    }
    advice = f"a module has at most {MODULE_LINES_MAX} lines: move what belongs together to a module of its own"
    assert too_long == {}, advice


def test_functions_fit_a_screen() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line} {name}: {lines} lines"
        for path in MODULES
        for line, name, lines in too_long_functions(path.read_text("utf-8"))
    ]
    assert found == [], f"a function has at most {FUNCTION_LINES_MAX} lines: give its steps names of their own"


def test_a_long_function_is_found() -> None:
    body = "    pass\n" * FUNCTION_LINES_MAX
    assert [*too_long_functions(f"@a\n@b\ndef f():\n{body}")] == [(3, "f", FUNCTION_LINES_MAX + 1)]
    assert [*too_long_functions(f"async def f():\n{body}")] == [(1, "f", FUNCTION_LINES_MAX + 1)]
    assert [*too_long_functions(f"class A:\n{body}")] == []


def test_the_limits_are_those_of_the_page() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.search(rf"100-{MODULE_LINES_MAX} lines.*at most {FUNCTION_LINES_MAX} lines", page)
