"""What a bot gets from a match, beside events: parts of responses made from what the table says."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, assert_never

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.receipts import Receipt
from mergemaker_table import verdicts
from mergemaker_table.evidence import AtFault, Evidence, MomentKind
from mergemaker_table.outputs import Accepted, Ask, DefaultTaken, Ended, PartRefused, Refused, SeatsCommitted, Started
from mergemaker_table.setup import Setup
from mergemaker_table.terms import ClockTerms, FaultTerms
from mergemaker_wire.enums import DEAL_MODES, ENDINGS, FAULT_CAUSES, EnumTable
from mergemaker_wire.matches import SeatBot, receipt_to_message, refusal_to_message, standing_to_message
from mergemaker_wire.rules import rules_to_message

from mergemaker_referee.matches.encoding import Part, accepted_part, decision_part, part, started_part

JOINT_DEAL: Final = "joint-deal"
"""The capability of a client that takes part in joint deals."""
KNOB_PREFIX: Final = "knob:"
"""The prefix of the name of a knob that a client has to know."""
_AT_FAULT: Final = EnumTable(AtFault, match_pb2.AtFault.Value, "AT_FAULT")
_MOMENTS: Final = EnumTable(MomentKind, match_pb2.MomentKind.Value, "MOMENT_KIND")

Said: TypeAlias = Ask | Accepted | Refused | DefaultTaken | Started | PartRefused | SeatsCommitted
"""What a table says to one seat beside events."""


def said(output: Said, bots: Callable[[], Sequence[SeatBot]]) -> Part:
    """What the table of a match says to a seat; `bots` says who plays it now."""
    match output:
        case Ask(_, request):
            return decision_part(request)
        case Accepted(_, decision_id):
            return accepted_part(decision_id)
        case Refused():
            return answer_refused(output.decision_id, output.refusal, output.refusals_left, output.evidence)
        case DefaultTaken():
            return part("default_taken", default_message(output))
        case Started(_, nonce, view, events_seen):
            return started_part(bots(), nonce, view, events_seen)
        case PartRefused(_, refusal):
            return request_refused("seat_ready", refusal)
        case SeatsCommitted(_, commitments):
            promises = [commitment or b"" for commitment in commitments]
            return part("seats_committed", referee_pb2.SeatsCommitted(commitments=promises))
        case _:
            assert_never(output)


def clock_message(clock: ClockTerms) -> match_pb2.ClockTerms:
    """The terms of a clock."""
    return match_pb2.ClockTerms(
        name=clock.name,
        allowance_ms=clock.allowance_ms,
        bank_ms=None if clock.allowance_ms is None else clock.bank_ms,
        increment_ms=clock.increment_ms,
        startup_ms=clock.startup_ms,
        credit_decision_ms_max=clock.credit_decision_ms_max,
        credit_match_ms_max=clock.credit_match_ms_max,
        credit_refill_ms=clock.credit_refill_ms,
    )


def faults_message(faults: FaultTerms) -> match_pb2.FaultTerms:
    """What follows from faults."""
    return match_pb2.FaultTerms(refusals_max=faults.refusals_max, defaults_max=faults.defaults_max)


def requirements(setup: Setup) -> list[str]:
    """What a client has to know to play a match."""
    joint = [JOINT_DEAL] if setup.mode is DealMode.JOINT else []
    return joint + [f"{KNOB_PREFIX}{name}" for name in setup.rules.newer_knobs()]


def offered(setup: Setup, seat: int) -> Part:
    """A seat is this bot's."""
    promise = setup.promise
    return part(
        "match_offered",
        referee_pb2.MatchOffered(
            seat=seat,
            seats=setup.seats,
            rules=rules_to_message(setup.rules),
            clock=clock_message(setup.terms.clock),
            faults=faults_message(setup.terms.faults),
            deal_mode=DEAL_MODES.numbers[setup.mode],
            commitment=promise.commitment if promise else b"",
            promise_match=promise.match if promise else setup.match,
            requires=requirements(setup),
        ),
    )


def request_refused(request: str, refusal: Refusal) -> Part:
    """A request was refused."""
    return part("request_refused", referee_pb2.RequestRefused(request=request, problem=refusal_to_message(refusal)))


def answer_refused(decision_id: int, refusal: Refusal, refusals_left: int | None, evidence: Evidence | None = None) -> Part:
    """An answer was not taken, for this reason."""
    return part(
        "answer_refused",
        referee_pb2.AnswerRefused(
            decision=decision_id,
            problem=refusal_to_message(refusal),
            refusals_left=refusals_left,
            evidence=None if evidence is None else evidence_message(evidence),
        ),
    )


def default_message(output: DefaultTaken) -> referee_pb2.DefaultTaken:
    """A default that was taken, as it is reported at once, and again at the end."""
    return referee_pb2.DefaultTaken(
        decision=output.decision_id or 0,
        cause=FAULT_CAUSES.numbers[output.cause],
        text=output.text,
        defaults_left=output.defaults_left,
        evidence=None if output.evidence is None else evidence_message(output.evidence),
    )


def evidence_message(evidence: Evidence) -> match_pb2.Evidence:
    """What was measured, and whose fault it was."""
    return match_pb2.Evidence(
        at_fault=_AT_FAULT.numbers[evidence.verdict.at_fault],
        reason=evidence.verdict.reason,
        text=evidence.verdict.text,
        moments=[match_pb2.Moment(kind=_MOMENTS.numbers[moment.kind], at_us=moment.at_us) for moment in evidence.moments],
        transport_lag_us=evidence.transport_lag_us,
        referee_lag_us=evidence.referee_lag_us,
        round_trip_us=evidence.round_trip_us,
        trace=evidence.trace,
    )


def standings(ended: Ended) -> list[match_pb2.Standing]:
    """How the seats did; empty if the match was voided."""
    return [standing_to_message(each) for each in ended.standings if each.place is not None]


def ended(output: Ended, seat: int | None = None, receipt: Receipt | None = None, *, keeps_seed: bool = False) -> Part:
    """The match is over; for a seat, with the defaults of decisions that it was asked. The receipt is that of the record."""
    mine = () if seat is None or not output.defaults else output.defaults[seat]
    return part(
        "match_ended",
        referee_pb2.MatchEnded(
            ending=ENDINGS.numbers[output.why],
            text=output.voided_because or "",
            standings=standings(output),
            proof=None if keeps_seed else _proof(output),
            defaults=map(default_message, mine),
            voided=None if output.evidence is None else evidence_message(output.evidence),
            receipt=receipt_to_message(receipt),
        ),
    )


def _proof(output: Ended) -> referee_pb2.DealProof:
    secrets = output.secrets
    return referee_pb2.DealProof(
        seed=secrets.seed,
        server_seed=secrets.server_seed or b"",
        nonce=secrets.nonce or b"",
        parts=[each or b"" for each in output.contributions],
    )


def voided(match_id: str, why: str, receipt: Receipt | None) -> Part:
    """The match is over by a fault of the referee. There is a receipt if its end is written."""
    evidence = Evidence(verdict=verdicts.voided(AtFault.REFEREE, verdicts.FAULT, why), trace=match_id)
    return part(
        "match_ended",
        referee_pb2.MatchEnded(
            ending=match_pb2.ENDING_VOIDED,
            text=why,
            voided=evidence_message(evidence),
            receipt=receipt_to_message(receipt),
        ),
    )
