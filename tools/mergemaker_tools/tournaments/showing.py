"""The table of a tournament that is in a folder: from its database, or made again from its records alone."""

import csv
import io
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from mergemaker_store.errors import StoreError
from mergemaker_store.gateway import Store
from mergemaker_store.values import MatchResult

from mergemaker_tools.parallel import in_order
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.tournaments.course import Leavings
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.outbox import Outbox
from mergemaker_tools.tournaments.plan import tournament_id
from mergemaker_tools.tournaments.publishing import published
from mergemaker_tools.tournaments.settings import read_file

COLUMNS: Final = (
    "bot",
    "version",
    "group",
    "rating",
    "low",
    "high",
    "strength",
    "blocks",
    "matches",
    "seats",
    "score",
    "wins",
    "money",
    "given_up",
)
"""Of the ratings as CSV: the members of a row of the JSON document."""


def recomputed(folder: TournamentFolder, jobs: int, progress: Callable[[int], None]) -> dict[str, Any]:
    """What is published, from manifest and records alone."""
    manifest = folder.read_manifest()
    leavings = folder.read_leavings()
    outbox = Outbox(manifest, folder.records, leavings)
    paths = list(outbox.matches().values())
    results = []
    with closing(in_order(partial(_result, manifest, folder.records, leavings), paths, max(1, min(jobs, len(paths))))) as read:
        for number, result in enumerate(read, start=1):
            results.append(result)
            progress(number)
    return published(manifest, results, leavings, seed=_seed_in(folder), notes=_notes_in(folder))


def _result(manifest: Mapping[str, Any], records: Path, leavings: Leavings, path: Path) -> MatchResult:
    return Outbox(manifest, records, leavings).result(path)


def from_database(folder: TournamentFolder) -> dict[str, Any]:
    """What is published, from the database."""
    manifest = folder.read_manifest()
    database = read_file(folder.settings).get("database") or str(folder.results)
    try:
        with Store(database) as store:
            results = store.results(tournament_id(manifest))
    except StoreError as error:
        raise CommandFailed(f"{error}\nWith --recompute the records are read instead.") from error
    known = {result.match for result in results}
    missing = [match for match in Outbox(manifest, folder.records, Leavings()).matches() if match not in known]
    notes = (
        [f"{len(missing):,} records are not in the database yet: --recompute reads them, and --resume enters them"]
        if missing
        else []
    )
    return published(manifest, results, folder.read_leavings(), seed=_seed_in(folder), notes=(*_notes_in(folder), *notes))


def _seed_in(folder: TournamentFolder) -> bytes | None:
    """The seed, if it was published."""
    told = folder.read_standings().get("seed") if folder.standings.exists() else None
    return bytes.fromhex(told) if isinstance(told, str) else None


def _notes_in(folder: TournamentFolder) -> tuple[str, ...]:
    """What was said of how it went when it was last published."""
    told = folder.read_standings().get("notes") if folder.standings.exists() else None
    return tuple(map(str, told)) if isinstance(told, list) else ()


def csv_text(document: Mapping[str, Any]) -> str:
    """The ratings as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(document["table"]["ratings"])
    return text.getvalue()


def folder_of(path: Path) -> TournamentFolder:
    """The folder of a tournament that was begun."""
    folder = TournamentFolder(path)
    if not folder.is_begun:
        raise WrongUse(f"there is no tournament in {folder}: it has no manifest.json")
    return folder
