"""The operator's calls: make, list and cancel matches, and fetch their records."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, TypeAlias, TypeVar

from google.protobuf.message import DecodeError, Message
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_engine.errors import EngineError, Reduced, reduced
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN, Rules, preset
from mergemaker_engine.shown import shown
from mergemaker_engine.tables import check_seats
from mergemaker_table.errors import TableError
from mergemaker_table.evidence import AtFault
from mergemaker_table.inputs import Void
from mergemaker_table.run_members import RequestKey, labels_in
from mergemaker_table.terms import ClockTerms, FaultTerms, Terms
from mergemaker_table.verdicts import CANCELLED
from mergemaker_wire.enums import DEAL_MODES, ENDINGS
from mergemaker_wire.errors import WireError
from mergemaker_wire.fields import at_least_one
from mergemaker_wire.matches import bot_to_message, receipt_to_message
from mergemaker_wire.rules import rules_from_message

from mergemaker_referee.configuration.settings import BOT_NAME_CHARACTERS_MAX, Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.matches import telling
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.join_wishes import joining_of
from mergemaker_referee.matches.making import SEED_BYTES, MatchWish, SeatWish
from mergemaker_referee.times import timestamp_at, timestamp_of

PAGE_SIZE_USUAL: Final = 100
PAGE_SIZE_MAX: Final = 1_000
NUMBER_DIGITS_MAX: Final = 18
WHY_CHARACTERS_MAX: Final = 200
LABELS_MAX: Final = 16
LABEL_KEY: Final = re.compile(r"[a-z0-9._/-]{1,64}")
LABEL_VALUE_CHARACTERS_MAX: Final = 128
IDEMPOTENCY_KEY: Final = re.compile(r"[!-~]{1,64}")


Request = TypeVar("Request", bound=Message)


class CallProblem(Exception):
    """A call that cannot be carried out, and the status that says why."""

    def __init__(self, code: CloseCode, reason: str, text: str) -> None:
        super().__init__(text)
        self.closing: Final = Closing(code, reason, text)

    def __reduce__(self) -> Reduced:
        """Makes copies, also those in other processes, keep the status."""
        return reduced(self)


def _invalid(reason: str, text: str) -> CallProblem:
    return CallProblem(CloseCode.INVALID_ARGUMENT, reason, text)


def read(kind: type[Request], data: bytes) -> Request:
    """The request in some bytes."""
    try:
        return kind.FromString(data)
    except DecodeError as problem:
        raise _invalid("unreadable", f"what came is no {kind.__name__}") from problem


def _rules_of(request: matches_pb2.CreateMatchRequest, settings: Settings) -> Rules:
    match request.WhichOneof("ruleset"):
        case "rules":
            return rules_from_message(request.rules)
        case "preset":
            return preset(request.preset)
        case _:
            return settings.rules


def wish_of(request: matches_pb2.CreateMatchRequest, settings: Settings, now: datetime) -> MatchWish:
    """The match that a request asks for; this referee's settings fill in the rest."""
    try:
        wished_rules = _rules_of(request, settings)
        terms = Terms(
            clock=_wished_clock(request.clock, settings) if request.HasField("clock") else settings.clock,
            faults=_faults_of(request.faults) if request.HasField("faults") else settings.faults,
        )
    except (WireError, EngineError, TableError) as problem:
        raise _invalid(problem.reason, problem.message) from problem
    if not SEATS_MIN <= len(request.seats) <= SEATS_MAX:
        raise _invalid("bad-seats", f"a match has {SEATS_MIN} to {SEATS_MAX} seats, not {len(request.seats)}")
    seats = tuple(_seat_of(number, plan, settings.bots) for number, plan in enumerate(request.seats))
    seed = request.seed or None
    if seed is not None and len(seed) != SEED_BYTES:
        raise _invalid("bad-seed", f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    try:
        check_seats(wished_rules, len(seats))
        joining = joining_of(request, seats, settings, now)
    except EngineError as problem:
        raise _invalid(problem.reason, str(problem)) from problem
    mode = _mode_of(request, DealMode.PLAIN if seed else DealMode.SERVER)
    if seed is not None and mode is not DealMode.PLAIN:
        raise _invalid(
            "seed-not-secret", "a deal from a seed that somebody gave cannot be promised: leave the mode open, or the seed"
        )
    return MatchWish(
        rules=wished_rules,
        seats=seats,
        terms=terms,
        joining=joining,
        mode=mode,
        seed=seed,
        labels=checked_labels(request.labels),
        request=request_key(request),
    )


def checked_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Labels that a match can have, or that a search can name."""
    if len(labels) > LABELS_MAX:
        raise _invalid("bad-labels", f"there are at most {LABELS_MAX} labels, not {len(labels)}")
    for key, value in labels.items():
        if not LABEL_KEY.fullmatch(key):
            raise _invalid("bad-labels", f"the key of a label has 1 to 64 of a-z 0-9 - _ . /, not {shown(key)}")
        if len(value) > LABEL_VALUE_CHARACTERS_MAX or not value.isprintable():
            text = f"the label {key} has a value of at most {LABEL_VALUE_CHARACTERS_MAX} characters that can be printed"
            raise _invalid("bad-labels", text)
    return dict(labels)


def request_key(request: matches_pb2.CreateMatchRequest) -> RequestKey | None:
    """What identifies a request that comes again; None if it has no key."""
    key = request.idempotency_key
    if not key:
        return None
    if not IDEMPOTENCY_KEY.fullmatch(key):
        raise _invalid("bad-idempotency-key", f"an idempotency key has at most 64 characters from ! to ~, not {shown(key)}")
    return RequestKey(key, hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest())


def _mode_of(request: matches_pb2.CreateMatchRequest, usual: DealMode) -> DealMode:
    if not request.deal_mode:
        return usual
    try:
        return DEAL_MODES.read(request.deal_mode, "deal_mode")
    except WireError as problem:
        raise _invalid(problem.reason, problem.message) from problem


def _seat_of(number: int, plan: matches_pb2.SeatPlan, bots: Mapping[str, str]) -> SeatWish:
    name = plan.name or plan.bot_id or f"seat {number}"
    if len(name) > BOT_NAME_CHARACTERS_MAX or not name.isprintable():
        raise _invalid("bad-name", f"the name of seat {number} has 1 to {BOT_NAME_CHARACTERS_MAX} characters that can be printed")
    if plan.bot_id and plan.bot_id not in bots:
        raise _invalid(
            "unknown-bot", f"seat {number}: this referee knows no bot {shown(plan.bot_id)}; it knows {', '.join(bots) or 'none'}"
        )
    if len(plan.bot_version) > BOT_NAME_CHARACTERS_MAX or not plan.bot_version.isprintable():
        raise _invalid(
            "bad-version", f"bot_version of seat {number} has at most {BOT_NAME_CHARACTERS_MAX} characters that can be printed"
        )
    return SeatWish(name, plan.bot_id or None, plan.bot_version)


def _wished_clock(message: match_pb2.ClockTerms, settings: Settings) -> ClockTerms:
    """A clock by its terms; if there is only a name, this referee's clock of that name."""
    is_name = message == match_pb2.ClockTerms(name=message.name)
    return settings.clock_named(message.name) if is_name else clock_of(message)


def clock_of(message: match_pb2.ClockTerms) -> ClockTerms:
    """The terms of a clock."""
    return ClockTerms(
        name=message.name,
        allowance_ms=message.allowance_ms if message.HasField("allowance_ms") else None,
        bank_ms=message.bank_ms,
        increment_ms=message.increment_ms,
        startup_ms=message.startup_ms if message.HasField("startup_ms") else None,
        credit_decision_ms_max=message.credit_decision_ms_max,
        credit_match_ms_max=message.credit_match_ms_max,
        credit_refill_ms=message.credit_refill_ms,
    )


def _faults_of(message: match_pb2.FaultTerms) -> FaultTerms:
    return FaultTerms(refusals_max=at_least_one(message.refusals_max), defaults_max=at_least_one(message.defaults_max))


PHASE_NAMES: Final = {
    "waiting": matches_pb2.MATCH_PHASE_WAITING,
    "joining": matches_pb2.MATCH_PHASE_JOINING,
    "playing": matches_pb2.MATCH_PHASE_PLAYING,
    "suspended": matches_pb2.MATCH_PHASE_SUSPENDED,
    "over": matches_pb2.MATCH_PHASE_OVER,
}
"""The phases of a match, in words."""


def phase_of(match: HostedMatch) -> matches_pb2.MatchPhase.ValueType:
    """How far a match is."""
    if match.is_over:
        return matches_pb2.MATCH_PHASE_OVER
    if match.keeper.suspended_because is not None:
        return matches_pb2.MATCH_PHASE_SUSPENDED
    if match.waits_to_join:
        return matches_pb2.MATCH_PHASE_WAITING
    return matches_pb2.MATCH_PHASE_PLAYING if match.table.turn else matches_pb2.MATCH_PHASE_JOINING


def summary_of(match: HostedMatch) -> matches_pb2.MatchSummary:
    """A match as lists show it."""
    setup, ended = match.table.setup, match.table.ended
    ending = match.ending
    awaited, begins = match.awaited() if match.waits_to_join else {}, setup.joining.begins
    return matches_pb2.MatchSummary(
        match=match.id,
        phase=phase_of(match),
        bots=map(bot_to_message, match.bots),
        connected=match.table.connected,
        turn=match.table.turn,
        clock=setup.terms.clock.name,
        rules_fingerprint=setup.rules.fingerprint(),
        created=timestamp_of(match.created),
        labels=labels_in(setup.more),
        awaited=[matches_pb2.AwaitedBot(bot_id=bot, why=why) for bot, why in awaited.items()],
        join_from=timestamp_at(begins) if begins is not None and match.waits_to_join else None,
        ending=match_pb2.ENDING_UNSPECIFIED if ending is None else ENDINGS.numbers[ending],
        standings=[] if ended is None or ending is None or match.fault is not None else telling.standings(ended),
        receipt=receipt_to_message(None if ending is None else match.keeper.receipt),
    )


def page_of(
    current: Iterable[matches_pb2.MatchSummary],
    finished: Mapping[str, matches_pb2.MatchSummary],
    request: matches_pb2.ListMatchesRequest,
    made: Mapping[str, int],
) -> matches_pb2.ListMatchesResponse:
    """A page of matches, newest first; `made` orders matches that were made in the same second."""
    size = request.page_size or PAGE_SIZE_USUAL
    if size > PAGE_SIZE_MAX:
        raise _invalid("bad-page-size", f"a page has 1 to {PAGE_SIZE_MAX} matches, not {size}")
    if request.phase not in matches_pb2.MatchPhase.values():
        known = ", ".join(matches_pb2.MatchPhase.keys())
        raise _invalid("unknown-phase", f"this referee knows no phase {request.phase}; it knows {known}")
    wanted = checked_labels(request.labels).items()
    before = _page_end(request.page_token) if request.page_token else None
    found = list(current)
    here = {each.match for each in found}
    found += [summary for match, summary in finished.items() if match not in here]
    if wanted:
        found = [each for each in found if wanted <= dict(each.labels).items()]
    if request.phase:
        found = [each for each in found if each.phase == request.phase]
    ages = sorted([((each.created.seconds, made.get(each.match, 0), each.match), each) for each in found], key=_age, reverse=True)
    if before is not None:
        ages = [each for each in ages if each[0] < before]
    page, rest = ages[:size], ages[size:]
    after = " ".join(map(str, page[-1][0])) if rest else ""
    return matches_pb2.ListMatchesResponse(matches=[each for _, each in page], next_page_token=after)


Age: TypeAlias = tuple[int, int, str]
"""When a match was made in seconds, its place within that second, and its id."""


def _age(found: tuple[Age, matches_pb2.MatchSummary]) -> Age:
    return found[0]


def _page_end(token: str) -> Age:
    """Where the page before ended."""
    created, number, match = [*token.split(" "), "", "", ""][:3]
    is_whole = all(each.isascii() and each.isdecimal() and len(each) <= NUMBER_DIGITS_MAX for each in (created, number))
    if token.count(" ") != 2 or not is_whole:
        raise _invalid(
            "bad-page-token", f"page_token is the next_page_token of the page before, or empty for the first; not {shown(token)}"
        )
    return int(created), int(number), match


def cancel(match: HostedMatch, why: str) -> None:
    """Voids a match that is not over."""
    if match.is_over:
        raise CallProblem(CloseCode.FAILED_PRECONDITION, "match-over", f"the match {match.id} is over")
    if len(why) > WHY_CHARACTERS_MAX:
        raise _invalid("bad-why", f"a reason has at most {WHY_CHARACTERS_MAX} characters")
    said = f"cancelled by the operator: {why}" if why else "cancelled by the operator"
    match.post(Void(said, AtFault.NOBODY, CANCELLED))
