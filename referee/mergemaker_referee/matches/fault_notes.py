"""What log and metrics say about bots' faults."""

from typing import assert_never

import structlog
from mergemaker_table.outputs import Accepted, Ask, DefaultTaken, PartRefused, Refused, SeatsCommitted, Started

from mergemaker_referee.matches.telling import Said
from mergemaker_referee.measures import Measures

_LOG = structlog.get_logger(__name__)


def note_fault(output: Said, measures: Measures) -> None:
    """Notes what a seat is sent, if it is about a fault of its bot."""
    match output:
        case Ask() | Accepted() | Started() | PartRefused() | SeatsCommitted():
            pass
        case DefaultTaken():
            measures.default_taken(output.cause)
            _log_default(output)
        case Refused():
            measures.refused()
            # A bot that keeps answering decisions that are not open must not fill the log.
            log = _LOG.debug if output.refusals_left is None else _LOG.info
            log("an answer was refused", trace=output.refusal.trace, reason=output.refusal.reason)
        case _:
            assert_never(output)


def _log_default(taken: DefaultTaken) -> None:
    evidence = taken.evidence
    if evidence is not None and taken.decision_id is not None:
        verdict = evidence.verdict
        found = {"cause": str(taken.cause), "at_fault": str(verdict.at_fault), "reason": verdict.reason}
        _LOG.info("a default was taken", trace=evidence.trace, **found)
