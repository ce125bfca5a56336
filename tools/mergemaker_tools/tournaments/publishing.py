"""What is published of a tournament: its table, which records it comes from, and at the end the seed of all deals."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.serving import software_text
from mergemaker_store.values import MatchResult

from mergemaker_tools.engine_build import engine_build
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.tournaments.course import Course, Leavings
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.page import page
from mergemaker_tools.tournaments.plan import tournament_id
from mergemaker_tools.tournaments.table import contest_results, table_document

FORMAT: Final = 1


def program_text() -> str:
    """The program that played, with its version and build."""
    return f"{software_text()} ({engine_build()})"


def published(
    manifest: Mapping[str, Any],
    results: Iterable[MatchResult],
    leavings: Leavings,
    *,
    seed: bytes | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """All that is published. With the seed, the tournament is over."""
    known = sorted(results, key=lambda result: result.match)
    course = Course(manifest)
    whole = course.played(contest_results(known)) if course.schedule is None else {}
    blocks = course.begun(sorted({result.place.block for result in known if result.place}), whole, leavings)
    return {
        "standings": FORMAT,
        "tournament": tournament_id(manifest),
        "program": program_text(),
        "seed": None if seed is None else seed.hex(),
        "table": table_document(manifest, course, known, leavings),
        "leavings": leavings.document(),
        "deals": {str(number): block.deal for number, block in blocks.items()},
        "records": {result.match: result.line for result in known},
        "notes": list(notes),
    }


def document_text(document: Mapping[str, Any]) -> str:
    """As it is written."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def publish(folder: TournamentFolder, document: Mapping[str, Any]) -> None:
    """Writes the table into the tournament's folder."""
    try:
        folder.write(folder.standings, document_text(document))
    except OSError as error:
        raise _unwritten(folder.standings, error) from error


def write_page(path: Path, manifest: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """Writes the page, whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(page(manifest, document), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> CommandFailed:
    return CommandFailed(f"{shown_path(path)} cannot be written: {reason_of(error)}; records and results are not touched")
