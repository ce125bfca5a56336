"""`tests/BEHAVIOURS.md`: which tests show which behaviour of the referee, and under which change to the code they fail.

A row is `| number | behaviour | tests | mutation |`. Tests are names as pytest takes them, in backquotes. A mutation is a file,
the text that stands in it once, and what stands there instead, each in backquotes: `` `a.py`: `if late:` → `if False:` ``.
A text that holds a backquote stands in two of them. A row without a mutation says why, after a dash.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
PAGE: Final = ROOT / "tests" / "BEHAVIOURS.md"
NO_MUTATION: Final = "—"
_ROW: Final = re.compile(r"\|\s*(\d+)\s*\|(.*)\|$")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_CODE: Final = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")


class BadPage(Exception):
    """A row does not say what it must."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one line."""

    path: str
    old: str
    new: str

    def applied(self, root: Path = ROOT) -> str:
        """The file's text with the change made."""
        text = (root / self.path).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise BadPage(f"{self.path} holds {text.count(self.old)} times, not once: {self.old}")
        return text.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One row."""

    number: int
    text: str
    tests: tuple[str, ...]
    mutation: Mutation | None
    """None where the row says why there is none."""


def behaviours(page: str) -> list[Behaviour]:
    """All rows of the page."""
    return [_behaviour(int(found[1]), found[2]) for line in page.splitlines() if (found := _ROW.match(line))]


def _behaviour(number: int, rest: str) -> Behaviour:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELLS.split(rest)]
    if len(cells) != 3:
        raise BadPage(f"row {number} has {len(cells) + 1} cells, not 4")
    text, tests, mutation = cells
    names = tuple(name for _, name in _CODE.findall(tests))
    if not names:
        raise BadPage(f"row {number} names no test")
    return Behaviour(number, text, names, _mutation(number, mutation))


def _mutation(number: int, cell: str) -> Mutation | None:
    if cell.startswith(NO_MUTATION):
        if len(cell) < len(NO_MUTATION) + 10:
            raise BadPage(f"row {number} has no mutation and does not say why")
        return None
    parts = [_stripped(text) for _, text in _CODE.findall(cell)]
    if len(parts) != 3 or "→" not in cell or ":" not in cell:
        raise BadPage(f"row {number}: a mutation is `file`: `old` → `new`, not {cell}")
    return Mutation(*parts)


def _stripped(code: str) -> str:
    """The text in backquotes; one blank at both ends is there for the quotes' sake."""
    return code[1:-1] if code.startswith(" `") or code.endswith("` ") else code
