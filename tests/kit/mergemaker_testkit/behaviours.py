"""`tests/BEHAVIOURS.md`: which tests show which behaviour of the referee, and which change to the code makes them fail.

A row is `| number | behaviour | tests | mutation |`. Tests are names as pytest takes them, in backquotes. A mutation is a file,
a text that occurs in it once, and its replacement, each in backquotes: `` `a.py`: `if late:` → `if False:` ``.
A text with a backquote needs double ones. A row without a mutation says why, after a dash.
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
    """A row lacks something, or has it in the wrong form."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one line."""

    path: str
    old: str
    new: str

    def applied(self, root: Path = ROOT) -> str:
        """The file's text after the change."""
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
    """None if the row says why it has none."""


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
    """The text in backquotes; one blank at both ends only separates it from the quotes."""
    return code[1:-1] if code.startswith(" `") or code.endswith("` ") else code
