"""Tournaments beyond one machine, with nothing between the machines: each plays its part, and the records are put together."""

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.tournaments.course import Leavings
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.outbox import Outbox
from mergemaker_tools.tournaments.plan import tournament_id
from mergemaker_tools.tournaments.proving import check_record

SHARDS_MAX: Final = 10_000
_WRITTEN: Final = re.compile(r"(?P<part>[0-9]{1,5})/(?P<of>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a schedule."""

    part: int
    """From 1."""
    of: int

    def has(self, block: int) -> bool:
        """Whether a block is of this part."""
        return block % self.of == self.part - 1

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


def shard_from(text: str) -> Shard:
    """The part that a text names, as in `2/5`."""
    found = _WRITTEN.fullmatch(text)
    if found is None or not 1 <= int(found["part"]) <= int(found["of"]) <= SHARDS_MAX:
        raise WrongUse(f"--shard takes a part and how many there are, as in 2/5, not {text!r}")
    return Shard(int(found["part"]), int(found["of"]))


def merge(folder: TournamentFolder, others: Sequence[TournamentFolder], note: Callable[[str], None]) -> int:
    """Takes the records of the same tournament from other folders, and returns how many. Each is verified first."""
    manifest = folder.read_manifest()
    taken = 0
    for other in others:
        its = other.read_manifest()
        if tournament_id(its) != tournament_id(manifest):
            raise WrongUse(f"{other} has the tournament {tournament_id(its)}, and {folder} has {tournament_id(manifest)}")
        taken += sum(
            _take(manifest, folder, other, path, note) for path in Outbox(its, other.records, Leavings()).matches().values()
        )
    return taken


def _take(
    manifest: dict[str, Any], folder: TournamentFolder, other: TournamentFolder, path: Path, note: Callable[[str], None]
) -> bool:
    """Takes one record, unless it is there already."""
    goal = folder.records / path.name
    try:
        if goal.exists():
            if goal.read_bytes() != path.read_bytes():
                raise CommandFailed(
                    f"{shown_path(goal)} and {shown_path(path)} are different records of one match: keep one of "
                    "them, for example the one that is in the database"
                )
            return False
        checked = check_record(manifest, other.records, Leavings(), path)
        if checked.result is None:
            note(f"left out: {checked.problem}")
            return False
        part = goal.with_name(goal.name + ".part")
        shutil.copyfile(path, part)
        part.replace(goal)
    except OSError as error:
        raise CommandFailed(f"{shown_path(path)} cannot be taken into {folder}: {reason_of(error)}") from error
    return True
