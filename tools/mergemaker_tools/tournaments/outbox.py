"""The records of a tournament as results: which match of which block each is, and what came of it.

The folder of records is the outbox of the database. Each record can be entered any number of times.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mergemaker_client.reporting import FAILURE_NOTE
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.records.files import SUFFIX, record_chunks
from mergemaker_store.record_results import result_of
from mergemaker_store.values import BotVersion, MatchResult, Place

from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.tournaments.course import Leavings
from mergemaker_tools.tournaments.entrants import HASH_DIGITS
from mergemaker_tools.tournaments.plan import tournament_id

_PLACE: Final = re.compile(r"(?P<tournament>.+)-(?P<block>[0-9]{1,9})-(?P<number>[0-9]{1,9})(?:-again(?P<attempt>[0-9]{1,9}))?")


class Outbox:
    """The records of one tournament in a folder."""

    def __init__(self, manifest: Mapping[str, Any], records: Path, leavings: Leavings) -> None:
        self.id: Final = tournament_id(manifest)
        self._records: Final = records
        self._fingerprint: Final = manifest["fingerprint"]
        hashes = {bot["name"]: bot["sha256"] for bot in manifest["bots"]}
        hashes |= {name: joined.sha256 for name, joined in leavings.joined.items()}
        self._versions: Final = {name: BotVersion(name, sha256[:HASH_DIGITS]) for name, sha256 in hashes.items()}

    def matches(self) -> dict[str, Path]:
        """The records of this tournament, by match. Their names tell: a record of another tournament is never read."""
        return {path.stem: path for path in self._paths() if self.place(path.stem) is not None}

    def strangers(self) -> list[Path]:
        """Records that are of no match of this tournament."""
        return [path for path in self._paths() if self.place(path.stem) is None]

    def _paths(self) -> Iterator[Path]:
        try:
            yield from sorted(self._records.glob(f"*{SUFFIX}"))
        except OSError as error:
            raise CommandFailed(f"the records in {shown_path(self._records)} cannot be listed: {reason_of(error)}") from error

    def place(self, match: str) -> Place | None:
        """Which match of the tournament has this id; None for those of others."""
        found = _PLACE.fullmatch(match)
        if found is None or found["tournament"] != self.id:
            return None
        return Place(self.id, int(found["block"]), int(found["number"]), int(found["attempt"] or 0))

    def result(self, path: Path) -> MatchResult:
        """The result in a record of this tournament."""
        try:
            record = read_record(record_chunks(path))
        except (EngineError, OSError) as error:
            why = reason_of(error) if isinstance(error, OSError) else str(error)
            block = self.place(path.stem)
            whole = f"{self.id}-{block.block}-*{SUFFIX}" if block else path.name
            raise CommandFailed(
                f"the record {shown_path(path)} cannot be read: {why}\nRestore it from a copy. Or delete all records of its "
                f"block ({whole}) and the database: then the block is played again."
            ) from error
        return self.result_of(record, path)

    def result_of(self, record: Record, path: Path) -> MatchResult:
        """The result of a record that was read from this path."""
        header = record.header
        unknown = sorted({name for name in header.bots if name not in self._versions})
        place = self.place(header.match)
        if place is None or header.match != path.stem:
            raise WrongUse(f"{shown_path(path)} holds the match {header.match}: a record of a tournament has its match's name")
        if unknown or header.rules.fingerprint() != self._fingerprint:
            what = f"its bots {', '.join(unknown)} take no part" if unknown else "it was played by other rules"
            raise WrongUse(f"{shown_path(path)} is not of this tournament: {what}")
        bots = [self._versions[name] for name in header.bots]
        return result_of(record, place, bots, failure_note=FAILURE_NOTE)
