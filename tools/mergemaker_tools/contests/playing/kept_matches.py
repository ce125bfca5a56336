"""Matches of a block that was broken off: those whose records are whole are not played again.

A record counts if it can be verified and is of this match: of its block, on its deal, with its bots at its seats. So a program
that was killed goes on with the match that it was playing, and nothing else of the block is played twice.
"""

from pathlib import Path
from typing import Final

from mergemaker_client.local_match import REFUSED
from mergemaker_client.reporting import FAILURE_NOTE
from mergemaker_engine.errors import EngineError
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.lines import Ending, Incident, PlayIncident
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.standings import Thinking
from mergemaker_engine.record.verifying import Verified, verify
from mergemaker_referee.records.files import SUFFIX, record_chunks
from mergemaker_store.record_results import REJECTED, result_of
from mergemaker_table.evidence import AtFault
from mergemaker_table.record_checks import check_terms
from mergemaker_table.run_members import block_in

from mergemaker_tools.contests.playing.blocks import (
    REPLAYS_MAX,
    Appointment,
    Block,
    MatchPlayed,
    PlayTerms,
    SeatFault,
    SeatPlayed,
    VoidMatch,
)

_WORDS: Final = {REJECTED: REFUSED}
"""Faults that a record calls otherwise than the player of a match."""


def kept_match(terms: PlayTerms, appointment: Appointment) -> MatchPlayed | VoidMatch | None:
    """What came of a match that was played before the block was broken off; None if it has to be played."""
    path = appointment.record
    if path is None or not path.exists():
        return None
    try:
        verified = verify(record_chunks(path))
        check_terms(verified.record)
    except (EngineError, OSError):
        return None  # it was broken off, or is not what was written
    if not is_of(verified.record, terms, appointment):
        return None
    return match_in(verified, appointment)


def is_of(record: Record, terms: PlayTerms, appointment: Appointment) -> bool:
    """Whether a verified record is of this match, as these terms have it."""
    header, end = record.header, record.end
    assert end is not None, "a verified record has its end"
    return (
        header.match == appointment.match
        and block_in(header.more) == appointment.block
        and header.bots == tuple(terms.bots[bot].name for bot in appointment.seating)
        and header.rules == terms.rules
        and header.mode is terms.mode
        and end.seed == appointment.seed
    )


def match_in(verified: Verified, appointment: Appointment) -> MatchPlayed | VoidMatch:
    """What came of the match of a verified record."""
    record = verified.record
    result = result_of(record, failure_note=FAILURE_NOTE)
    end = record.end
    assert end is not None, "a verified record has its end"
    if end.why is Ending.VOIDED:
        told = [line.why for _, line in record.entries if isinstance(line, Incident) and line.what == PlayIncident.VOIDED]
        return VoidMatch(match=appointment.match, why=(told and told[-1]) or "voided")
    assert end.cash is not None, "the match has a result"
    assert end.places is not None, "the match has a result"
    return MatchPlayed(
        match=appointment.match,
        why=end.why,
        turns=verified.game.turn,
        seats=tuple(
            SeatPlayed(
                bot=appointment.seating[seat],
                cash=end.cash[seat],
                place=end.places[seat],
                status=end.statuses[seat],
                faults=tuple(SeatFault(AtFault(each.of), _WORDS.get(each.kind, each.kind), each.times) for each in told.faults),
                thinking=Thinking(told.decisions, told.total_ms, told.longest_ms),
            )
            for seat, told in enumerate(result.seats)
        ),
        game=hash_text(record.chains.game),
        record=appointment.released,
    )


def forget(appointment: Appointment) -> None:
    """Removes what is left of a match that is to be played again."""
    if appointment.record is not None:
        for path in appointment.record.parent.glob(f"{appointment.record.name}*"):
            path.unlink()


def forget_strangers(folder: Path, block: Block) -> None:
    """Removes files of a private place that are of no match of its block."""
    matches, replays = range(len(block.seatings)), range(REPLAYS_MAX + 1)
    known = {f"{block.match_id(index, replay)}{SUFFIX}" for index in matches for replay in replays}
    for path in folder.iterdir():
        if path.name not in known:
            path.unlink()
