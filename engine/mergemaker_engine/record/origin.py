"""Where a record comes from: whether its deal is the promised one, and whether a fork begins where it says."""

from collections.abc import Sequence
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.commitments import WITHHELD, DealMode, commitment, joint_seed, seat_commitment
from mergemaker_engine.record.lines import FORKED, DecisionLine, EndLine, Incident, Parent
from mergemaker_engine.record.reading import Record

_HEADER_LINE: Final = 1


def deal_line(record: Record) -> int:
    """The number of the deal line, which follows the header and perhaps incidents."""
    taken = {number for number, _ in record.entries}
    return next(number for number in range(_HEADER_LINE + 1, record.lines + 1) if number not in taken)


def check_fork(record: Record) -> None:
    """Checks a fork's parent against the fork's own lines, and that `forked` is only at the place where it begins."""
    parent = record.header.parent
    if parent is not None:
        if parent.match == record.header.match:
            raise RecordError("parent", "a fork continues another match, and this one is its own parent", line=_HEADER_LINE)
        repeated = len(record.decisions)
        if record.deal is None or repeated < parent.decision - 1:
            raise RecordError(
                "parent",
                f"a fork repeats what comes before its decision {parent.decision}, and this record has {repeated} decisions",
                line=_HEADER_LINE,
            )
    _check_forked(record, parent)


def _check_forked(record: Record, parent: Parent | None) -> None:
    decisions = found = 0
    for line_number, line in record.entries:
        if isinstance(line, DecisionLine):
            decisions += 1
        elif isinstance(line, Incident) and line.what == FORKED:
            found += 1
            if parent is None or decisions != parent.decision - 1 or line_number < deal_line(record) or found > 1:
                raise RecordError(
                    "parent", f"{FORKED!r} is once in a fork, directly before its first own decision", line=line_number
                )


def check_promise(record: Record, end: EndLine) -> None:
    """Checks that the seed is the promised one, according to the mode."""
    header = record.header
    last = record.lines
    if header.promise is None:
        if end.server_seed is not None or end.nonce is not None:
            raise RecordError("commitment", "a plain deal is not promised, so it has neither server_seed nor nonce", line=last)
        return
    if header.parent is None and header.promise.match != header.match:
        raise RecordError("commitment", "the commitment was made for another match than the header's", line=_HEADER_LINE)
    if header.parent is not None and header.promise.match == header.match:
        raise RecordError(
            "commitment", "a fork keeps its parent's commitment, and this one was made for the fork itself", line=_HEADER_LINE
        )
    if end.server_seed is None or end.nonce is None:
        raise RecordError("commitment", "the end line gives server_seed and nonce, of which the commitment was made", line=last)
    if commitment(header.promise.match, end.nonce, end.server_seed) != header.promise.commitment:
        raise RecordError("commitment", "server_seed and nonce are not what the header's commitment was made of", line=last)
    seed = end.server_seed
    if header.mode is DealMode.JOINT:
        seed = joint_seed(end.server_seed, _contributions(record, header.promise.commitment))
    if seed != end.seed:
        raise RecordError("commitment", f"the deal promised has the seed {seed.hex()}, and this is another one", line=last)


def _contributions(record: Record, server_commitment: bytes) -> Sequence[bytes]:
    """Each seat's part of the seed. Checks that a revealed part is the one that the seat committed to."""
    deal = record.deal
    if deal is None:
        # Voided before the deal: no part counts.
        return (WITHHELD,) * record.header.seats
    if not deal.seat_commitments:
        raise RecordError("commitment", "in joint mode the deal line gives what each seat committed to", line=deal_line(record))
    parts: list[bytes] = []
    for seat, (committed, revealed) in enumerate(zip(deal.seat_commitments, deal.contributions, strict=True)):
        if revealed is not None and seat_commitment(server_commitment, seat, revealed) != committed:
            raise RecordError("commitment", f"seat {seat} revealed another part than it had committed to", line=deal_line(record))
        parts.append(WITHHELD if revealed is None else revealed)
    return parts
