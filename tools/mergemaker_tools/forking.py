"""Taking a finished match up again at one of its decisions, with the tiles and draws as they lay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.lines import DealLine, DecisionLine, EndLine, Incident, Parent, PlayIncident
from mergemaker_engine.record.scribe import Scribe, Secrets

from mergemaker_tools.bots import seats_of
from mergemaker_tools.local_table import LocalTable
from mergemaker_tools.recording import Recorder, fresh_match_id, software_text, time_text, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from mergemaker_engine.game import Game
    from mergemaker_engine.record.reading import Record


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a match is taken up again, and by whom."""

    record: Record
    decision: int
    """The number of the first decision that is put again."""
    bots: tuple[str, ...]
    """By seat."""
    seed: bytes
    """What the chances of the bots come from; the deal's are the record's."""


def check_branch(record: Record, decision: int) -> tuple[EndLine, DealLine]:
    """Refuses a match that cannot be taken up again there; returns its end and its deal."""
    if record.end is None or record.deal is None:
        raise RecordError("unfinished", "a match is taken up again when it has ended: its seed is not told before")
    last = len(record.decisions)
    if not 1 <= decision <= last:
        raise RecordError("no-such-decision", f"this match has the decisions 1 to {last}, and no decision {decision}")
    return record.end, record.deal


def lines_before(record: Record, decision: int) -> Iterator[DecisionLine | Incident]:
    """Every line behind the deal and before a decision, but for incidents that broke the match off."""
    for _, line in record.entries:
        if isinstance(line, DecisionLine) and line.number >= decision:
            return
        if not (isinstance(line, Incident) and line.what == PlayIncident.VOIDED):
            yield line


def play_branch(branch: Branch, folder: Path, now: Callable[[], datetime] = utc_now) -> tuple[Game, Path]:
    """Plays the match from the decision on to its end; returns the game and where the new record is.

    The record repeats the parent's lines. Each bot is told what its seat had seen until then, before it is asked.
    """
    record = branch.record
    end, deal = check_branch(record, branch.decision)
    started = now()
    header = replace(
        record.header,
        match=fresh_match_id(),
        bots=branch.bots,
        parent=Parent(record.header.match, branch.decision, _hash_before(record, branch.decision)),
        software=software_text(),
        started=time_text(started),
    )
    hidden = Secrets(end.seed, end.server_seed, end.nonce)
    with Recorder(folder, header, hidden, started) as recorder:
        table = LocalTable(record.start(), seats_of(branch.bots, record.header.rules, branch.seed), recorder)
        recorder.begin(deal, table.game)
        table.tell(table.game.start_events)
        _repeat_lines(recorder, record, branch.decision, table)
        for _ in table.play():
            pass
        return table.game, recorder.path


def _repeat_lines(recorder: Recorder, record: Record, decision: int, table: LocalTable) -> None:
    """Writes the parent's lines up to a decision, plays them, and tells the bots what happened."""
    steps = record.steps()
    for line in lines_before(record, decision):
        recorder.repeat(line)
        if isinstance(line, DecisionLine):
            step = next(steps)
            table.game.apply(step.answer)
            table.tell(step.events)


def _hash_before(record: Record, decision: int) -> str:
    """The parent's hash `game` behind the last line that is taken over."""
    scribe = Scribe()
    scribe.line(record.header)
    if record.deal is not None:
        scribe.line(record.deal)
    for line in lines_before(record, decision):
        scribe.line(line)
    return scribe.game_hash
