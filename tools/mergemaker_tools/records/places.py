"""A decision of a record on the command line: `RECORD@57`, or `RECORD@seat0:12` as the bot of seat 0 counts.

A bot gets its seat's own numbers, since those of the match would reveal how often the others are asked. Its reports,
traces and notes use these; records, and all that is made of them, count through the match.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_engine.record.reading import Record
from mergemaker_table.seats import was_put

from mergemaker_tools.problems import WrongUse

DIGITS_MAX: Final = 7
"""No match has more decisions than this many digits can number."""
_NAME: Final = re.compile(rf"@(?:seat(?P<seat>[0-9]):)?(?P<number>[0-9]{{1,{DIGITS_MAX}}})")
_PLACE: Final = re.compile(r"(?P<path>.+)(?P<name>@(?:seat[0-9]:)?[0-9]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DecisionName:
    """Which decision is meant."""

    number: int
    seat: int | None = None
    """The seat whose questions are counted; None: all decisions of the match."""

    def number_in(self, record: Record) -> int:
        """The decision's number in the match; without a seat, it is not checked."""
        if self.seat is None:
            return self.number
        put = [line.number for line in record.decisions if line.seat == self.seat and was_put(line)]
        if not 1 <= self.number <= len(put):
            raise WrongUse(
                f"seat {self.seat} was asked {len(put)} times in this match: there is no @seat{self.seat}:{self.number}"
            )
        return put[self.number - 1]


def decision_name(text: str) -> DecisionName | None:
    """What `@57` or `@seat0:12` names; None for other texts."""
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    return DecisionName(int(found["number"]), None if found["seat"] is None else int(found["seat"]))


def split_place(text: str) -> tuple[Path, str | None]:
    """A record's path, and the name of the decision after it. If a file has the whole name, that file is meant."""
    found = _PLACE.fullmatch(text)
    if found is None or Path(text).exists():
        return Path(text), None
    return Path(found["path"]), found["name"]
