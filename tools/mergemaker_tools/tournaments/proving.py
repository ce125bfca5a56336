"""Proves a published table: every record is verified, belongs where the schedule has it, and all of them give this table."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from mergemaker_contest.errors import ContestError
from mergemaker_contest.schedules import Block
from mergemaker_engine.deal import derived_seed
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.verifying import verify
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_store.values import MatchResult
from mergemaker_table.record_checks import check_terms

from mergemaker_tools.parallel import in_order
from mergemaker_tools.problems import WrongUse
from mergemaker_tools.records.checking import open_chunks
from mergemaker_tools.tournaments.course import Course, Leavings
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.outbox import Outbox
from mergemaker_tools.tournaments.plan import DEAL, tournament_id
from mergemaker_tools.tournaments.publishing import published
from mergemaker_tools.tournaments.table import contest_results


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """A record that was verified, or what is wrong with it."""

    result: MatchResult | None
    seed: bytes
    """Of its deal."""
    clock: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found."""

    records: int
    problems: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Findings:
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_record(manifest: Mapping[str, Any], records: Path, leavings: Leavings, path: Path) -> CheckedRecord:
    """Verifies one record of a tournament."""
    try:
        record = verify(open_chunks(path), with_audit=False).record
        check_terms(record)
        assert record.end is not None, "a verified record has its end"
        result = Outbox(manifest, records, leavings).result_of(record, path)
        return CheckedRecord(result, record.end.seed, record.header.clock)
    except OSError as error:
        return CheckedRecord(None, b"", {}, f"{shown_path(path)} cannot be read: {reason_of(error)}")
    except EngineError as error:
        return CheckedRecord(None, b"", {}, f"{shown_path(path)}: {error}")
    except WrongUse as error:
        return CheckedRecord(None, b"", {}, str(error))


def prove(folder: TournamentFolder, jobs: int, progress: Callable[[int], None]) -> Proof:
    """Checks the published table of a folder, from its records and its manifest alone."""
    manifest, told = folder.read_manifest(), folder.read_standings()
    found = _Findings()
    if told.get("tournament") != tournament_id(manifest):
        raise WrongUse(
            f"{shown_path(folder.standings)} is of the tournament {told.get('tournament')}, not {tournament_id(manifest)}"
        )
    seed = _seed(manifest, told, found)
    leavings = Leavings.of(told["leavings"])
    outbox = Outbox(manifest, folder.records, leavings)
    paths = list(outbox.matches().values())
    good: list[tuple[Path, MatchResult, CheckedRecord]] = []
    work = partial(check_record, manifest, folder.records, leavings)
    with closing(in_order(work, paths, max(1, min(jobs, len(paths))))) as checked:
        for number, (path, one) in enumerate(zip(paths, checked, strict=True), start=1):
            if one.result is None:
                found.problems.append(one.problem)
            else:
                good.append((path, one.result, one))
            progress(number)
    results = [result for _, result, _ in good]
    blocks = _blocks(manifest, results, leavings)
    for path, result, one in good:
        found.problems += _misplaced(manifest, path, result, one, blocks, seed)
    _compare(manifest, told, results, found)
    for path in outbox.strangers():
        found.notes.append(f"{shown_path(path)} is of another tournament, and was not looked at")
    return Proof(len(paths), tuple(found.problems), tuple(found.notes))


def _seed(manifest: Mapping[str, Any], told: Mapping[str, Any], found: _Findings) -> bytes | None:
    if told.get("seed") is None:
        found.notes.append("the tournament has not ended, so its seed is not published: the deals were not compared with it")
        return None
    try:
        seed = bytes.fromhex(str(told["seed"]))
    except ValueError:
        seed = b""
    if hashlib.sha256(seed).hexdigest() != manifest["seed_sha256"]:
        found.problems.append("the published seed is not the one that the manifest promised")
        return None
    return seed


def _blocks(manifest: Mapping[str, Any], results: list[MatchResult], leavings: Leavings) -> dict[int, Block]:
    """The blocks that the course has for these results."""
    course = Course(manifest)
    numbers = sorted({result.place.block for result in results if result.place is not None})
    try:
        whole = course.played(contest_results(results)) if course.schedule is None else {}
        return course.begun(numbers, whole, leavings)
    except ContestError:
        return {}  # each record is then told not to be in the schedule


def _misplaced(
    manifest: Mapping[str, Any],
    path: Path,
    result: MatchResult,
    one: CheckedRecord,
    blocks: Mapping[int, Block],
    seed: bytes | None,
) -> Iterator[str]:
    """What of a good record differs from what the manifest says."""
    place = result.place
    assert place is not None, "it is of the tournament"
    block = blocks.get(place.block)
    seated = tuple(seat.bot.name for seat in result.seats)
    if block is None or place.number >= len(block.tables) or block.tables[place.number] != seated:
        yield f"{shown_path(path)}: the schedule does not have {', '.join(seated)} at this table"
    if block is not None and seed is not None and one.seed != derived_seed(seed, DEAL, block.deal):
        yield f"{shown_path(path)}: its deal does not come from the tournament's seed"
    clock = {name: value for name, value in manifest["clock"].items() if name != "startup_ms"}
    if any(name in one.clock and one.clock[name] != value for name, value in clock.items()):
        yield f"{shown_path(path)}: it was not played with the tournament's clock"


def _compare(manifest: Mapping[str, Any], told: Mapping[str, Any], results: list[MatchResult], found: _Findings) -> None:
    hashes = {result.match: result.line for result in results}
    listed = dict(told.get("records", {}))
    for match in sorted(listed.keys() - hashes.keys()):
        found.problems.append(f"the record of {match}, which the table counts, is missing or bad")
    for match in sorted(hashes.keys() - listed.keys()):
        found.problems.append(f"the table does not count {match}, which has a record")
    for match in sorted(listed.keys() & hashes.keys()):
        if listed[match] != hashes[match]:
            found.problems.append(f"the table counts another record of {match}, which ended with {listed[match]}")
    if not found.problems:
        again = published(manifest, results, Leavings.of(told["leavings"]))
        for name in again["table"]:
            if again["table"][name] != told.get("table", {}).get(name):
                found.problems.append(f"the table is wrong in {name!r}: the records say otherwise")
