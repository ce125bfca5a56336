"""docs/studying-records.md: its code runs, and makes the same training set in every way."""

import importlib.util
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import read_record
from mergemaker_testkit.exported_records import CLASSIC, FORKED, FORKED_AT, RECORDS, write_records

from tests.tools.conftest import Run

PAGE = (Path(__file__).parents[2] / "docs" / "studying-records.md").read_text(encoding="utf-8")
WAYS = ("polars", "DuckDB", "numpy")
NEEDS = {"polars": ("numpy", "polars"), "DuckDB": ("numpy", "duckdb"), "numpy": ("numpy",)}
INPUTS = 108 + 3 * 7 + 1 + 7


def _block(language: str, heading: str) -> str:
    (section,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    (block,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(block)


def _made(way: str) -> tuple[list[list[int]], list[list[int]]]:
    names: dict[str, Any] = {}
    exec(_block("python", way), names)  # noqa: S102 - that the page's code runs is what is shown here
    return names["inputs"].tolist(), names["labels"].tolist()


@pytest.fixture
def exported(run: Callable[..., Run], tmp_path: Path) -> Path:
    """The tables of the page, from records of every kind, a fork among them."""
    (tmp_path / "records").mkdir()
    write_records(tmp_path / "records", *RECORDS)
    (tmp_path / "records" / "fork.jsonl").write_bytes(b"".join(FORKED))
    for command in _block("sh", "Studying records").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "mergemaker"
        done = run(*arguments)
        assert (done.status, done.err) == (0, "")
    return tmp_path


def _expected_codes() -> int:
    """How many purchases bots chose, in all whole matches, and in the fork's own part."""
    found = 0
    for lines, first in [(lines, 1) for name, lines in RECORDS.items() if name != "e"] + [(FORKED, FORKED_AT)]:
        decisions = read_record([b"".join(lines)]).decisions
        found += sum(
            line.number >= first and line.by is AnsweredBy.BOT and line.asked.startswith("ChoosePurchase") for line in decisions
        )
    return found


@pytest.mark.usefixtures("exported")
@pytest.mark.parametrize("way", WAYS)
def test_the_pages_code_makes_the_same_training_set_in_every_way(way: str) -> None:
    missing = [name for name in NEEDS[way] if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed: the extra `dev` has it")
    inputs, labels = _made(way)
    assert {len(row) for row in inputs} == {INPUTS}
    assert len(inputs) == len(labels) == _expected_codes() > len(CLASSIC)
    assert {won for _, won in labels} == {0, 1}
    assert (inputs, labels) == _made("numpy")


def test_the_page_has_these_ways_and_no_others() -> None:
    assert tuple(re.findall(r"^## (.*)\n\n```python", PAGE, re.MULTILINE)) == WAYS
