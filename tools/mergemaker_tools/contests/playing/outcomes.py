"""What came of a match, as the table says it at the end: the same from a referee as from a table in this process."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mergemaker_client.local_match import FAILED, REFUSED
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.lines import Status
from mergemaker_table.evidence import AtFault
from mergemaker_table.outputs import Ended

from mergemaker_tools.contests.playing.blocks import Appointment, MatchPlayed, SeatFault, SeatPlayed


@dataclass(frozen=True, slots=True)
class Noticed:
    """What was noticed at a seat that its table does not say at the end."""

    refused: int = 0
    """How many of its answers were refused."""
    failed: int = 0
    """How often its bot failed, so that the default was answered for it."""
    complaint: str = ""


def match_played(
    appointment: Appointment, ended: Ended, turns: int, noticed: Sequence[Noticed], startup_ms: int = 0
) -> MatchPlayed:
    """The match that was played, which has a result."""
    assert ended.receipt is not None, "the end was written here"
    return MatchPlayed(
        match=appointment.match,
        why=ended.why,
        turns=turns,
        seats=tuple(_seat(appointment, ended, seat, noticed[seat]) for seat in range(len(appointment.seating))),
        game=hash_text(ended.receipt.game),
        record=appointment.released,
        startup_ms=startup_ms,
    )


def _seat(appointment: Appointment, ended: Ended, seat: int, noticed: Noticed) -> SeatPlayed:
    standing = ended.standings[seat]
    assert standing.cash is not None, "the match has a result"
    assert standing.place is not None, "the match has a result"
    faults = _faults(ended, seat, standing.status, noticed)
    return SeatPlayed(
        bot=appointment.seating[seat],
        cash=standing.cash,
        place=standing.place,
        status=standing.status,
        faults=faults,
        thinking=standing.thinking,
        complaint=noticed.complaint if faults else "",
    )


def _faults(ended: Ended, seat: int, status: Status, noticed: Noticed) -> tuple[SeatFault, ...]:
    """A seat's faults. The defaults of a seat that is no longer asked follow from what came before, and do not count."""
    found: Counter[tuple[AtFault, str]] = Counter()
    for default in ended.defaults[seat] if ended.defaults else ():
        at_fault = AtFault.BOT if default.evidence is None else default.evidence.verdict.at_fault
        found[at_fault, str(default.cause)] += 1
    found[AtFault.BOT, REFUSED] += noticed.refused
    found[AtFault.BOT, FAILED] += noticed.failed
    found[AtFault.BOT, str(Status.NEVER_JOINED)] += status is Status.NEVER_JOINED
    return tuple(SeatFault(of, kind, times) for (of, kind), times in sorted(found.items()) if times)
