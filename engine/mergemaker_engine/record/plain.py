"""Lines as plain data, both ways. Each line has a game part and a part `run`."""

from collections.abc import Mapping
from typing import Final, TypeAlias, assert_never

from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.record.commitments import CONTRIBUTION_BYTES, NONCE_BYTES, DealMode, check_match_id
from mergemaker_engine.record.lines import (
    DEFAULTS,
    FORMAT,
    NOTE_BYTES_MAX,
    AnsweredBy,
    DealLine,
    DecisionLine,
    Ending,
    EndLine,
    Header,
    Incident,
    Line,
    Parent,
    Promise,
    Status,
)
from mergemaker_engine.record.members import Members
from mergemaker_engine.rules import KNOB_NAMES, KNOBS_VERSION, RULES_VERSION, SEATS_MAX, SEATS_MIN, Rules
from mergemaker_engine.shown import shown
from mergemaker_engine.tables import tables_for

Plain: TypeAlias = dict[str, object]

COMMITMENT_BYTES: Final = 32
_SEED_BYTES: Final = 32


def parts_of(line: Line) -> tuple[Plain, Plain]:
    """The two parts of a line, with members in the order of `RECORDS.md`."""
    match line:
        case Header():
            return _header_parts(line)
        case DealLine():
            return _deal_parts(line)
        case DecisionLine():
            return _decision_parts(line)
        case Incident():
            return _incident_parts(line)
        case EndLine():
            return _end_parts(line)
        case _:
            assert_never(line)


def _beside(run: Plain, more: Mapping[str, object]) -> Plain:
    """The members of `run` from two sources, which must not share a name."""
    for name in more:
        if name in run:
            raise RecordError("twice", f"{shown(name)} stands in 'run' already; it cannot be given a second time")
    return run | dict(more)


def line_of(game: Mapping[str, object], run: Mapping[str, object], seats: int | None) -> Line:
    """The line with these two parts. `seats` is known once the header is read."""
    members = Members(game, "the line")
    kind = members.text("kind")
    more = Members(run, "'run'")
    if (kind == "header") != (seats is None):
        where = "the first line is a header" if seats is None else "one line is the header, the first"
        raise RecordError("misplaced", f"{where}, and this is a line of kind {kind!r}")
    line: Line
    if seats is None:
        line = _header_of(members, more)
    elif kind == "deal":
        line = _deal_of(members, more, seats)
    elif kind == "decision":
        line = _decision_of(members, more, seats)
    elif kind == "incident":
        line = _incident_of(members, more, seats)
    elif kind == "end":
        line = _end_of(members, more, seats)
    else:
        raise RecordError("unknown-kind", f"lines are of kind header, deal, decision, incident or end, not {shown(kind)}")
    members.end()
    return line


def _header_parts(line: Header) -> tuple[Plain, Plain]:
    game: Plain = {
        "kind": "header",
        "format": line.format,
        "rules_version": line.rules.version,
        "rules": line.rules.written_knobs(),
        "fingerprint": line.rules.fingerprint(),
        "seats": line.seats,
        "clock": dict(line.clock),
        "deal": str(line.mode),
    }
    run: Plain = {"match": line.match, "bots": list(line.bots)}
    if line.promise:
        run["promise"] = {"match": line.promise.match, "commitment": line.promise.commitment.hex()}
    if line.parent:
        run["parent"] = {"match": line.parent.match, "decision": line.parent.decision, "game": line.parent.game}
    if line.software:
        run["software"] = line.software
    if line.started:
        run["started"] = line.started
    return game, _beside(run, line.more)


def _header_of(members: Members, run: Members) -> Header:
    version = members.number("format", 1)
    if version > FORMAT:
        raise RecordError(
            "newer-format",
            f"this record has format {version}, and this program reads formats up to {FORMAT}: a newer one reads it",
        )
    rules = _rules_of(members)
    seats = members.number("seats", SEATS_MIN, SEATS_MAX)
    try:
        tables_for(rules, seats)
    except EngineError as error:
        raise RecordError("bad-rules", str(error)) from error
    clock = members.mapping("clock")
    mode = members.kind("deal", DealMode)
    match = run.text("match")
    check_match_id(match)
    bots = run.texts("bots", seats)
    promise = _promise_of(run.optional_part("promise"))
    if (promise is None) != (mode is DealMode.PLAIN):
        raise RecordError("bad-promise", "a deal is promised beforehand in the modes server and joint, and in these alone")
    parent = _parent_of(run.optional_part("parent"))
    software = run.text("software") if run.has("software") else ""
    started = run.text("started") if run.has("started") else ""
    return Header(
        format=version,
        rules=rules,
        seats=seats,
        mode=mode,
        clock=clock,
        match=match,
        bots=bots,
        promise=promise,
        parent=parent,
        software=software,
        started=started,
        more=run.rest(),
    )


def _rules_of(members: Members) -> Rules:
    version = members.number("rules_version", 1)
    if version > RULES_VERSION:
        raise RecordError(
            "newer-rules",
            f"this record was played by rules version {version}, and this program knows versions up to {RULES_VERSION}: "
            "a newer one reads it",
        )
    knobs = members.mapping("rules")
    for knob in knobs:
        if knob not in KNOB_NAMES:
            raise RecordError(
                "newer-rules",
                f"this record was played with the knob {shown(knob)}, which this program does not know: it knows the knobs up to "
                f"version {KNOBS_VERSION}, and a newer program may know more",
            )
    chains = knobs.get("chains")
    if not isinstance(chains, list) or not all(isinstance(tier, list) for tier in chains):
        raise RecordError("bad-rules", f"the knob chains is three lists of names, not {shown(chains)}")
    try:
        tiers = tuple(tuple(tier) for tier in chains)
        others = {knob: value for knob, value in knobs.items() if knob != "chains"}
        rules = Rules(chains=tiers, version=version).with_knobs(others)  # type: ignore[arg-type]  # Rules checks them
    except EngineError as error:
        raise RecordError("bad-rules", str(error)) from error
    expected = tuple(rules.written_knobs())
    if tuple(knobs) != expected:
        raise RecordError(
            "bad-rules", f"'rules' with these values has the knobs {', '.join(expected)}, in this order, and no others"
        )
    fingerprint = members.text("fingerprint")
    if rules.fingerprint() != fingerprint:
        raise RecordError("bad-rules", f"these rules have the fingerprint {rules.fingerprint()}, not {shown(fingerprint)}")
    return rules


def _promise_of(members: Members | None) -> Promise | None:
    if members is None:
        return None
    match = members.text("match")
    check_match_id(match)
    return Promise(match, members.octets("commitment", COMMITMENT_BYTES))


def _parent_of(members: Members | None) -> Parent | None:
    if members is None:
        return None
    match = members.text("match")
    check_match_id(match)
    return Parent(match, members.number("decision", 1), members.hash("game"))


def _hex_or_none(parts: tuple[bytes | None, ...]) -> list[str | None]:
    return [part.hex() if part is not None else None for part in parts]


def _deal_parts(line: DealLine) -> tuple[Plain, Plain]:
    run: Plain = {}
    if line.seat_commitments or line.contributions:
        run["seat_commitments"] = _hex_or_none(line.seat_commitments)
        run["contributions"] = _hex_or_none(line.contributions)
    return {"kind": "deal", "digest": line.digest}, run


def _deal_of(members: Members, run: Members, seats: int) -> DealLine:
    digest = members.hash("digest")
    if not run.has("seat_commitments"):
        return DealLine(digest=digest)
    committed = run.octets_or_none("seat_commitments", COMMITMENT_BYTES, seats)
    revealed = run.octets_or_none("contributions", CONTRIBUTION_BYTES, seats)
    return DealLine(digest=digest, seat_commitments=committed, contributions=revealed)


def _decision_parts(line: DecisionLine) -> tuple[Plain, Plain]:
    game: Plain = {
        "kind": "decision",
        "n": line.number,
        "seat": line.seat,
        "asked": line.asked,
        "answer": line.answer,
        "by": str(line.by),
        "digest": line.digest,
    }
    note: Plain = {} if line.note is None else {"note": line.note}
    return game, _beside(dict(line.run), note)


def _decision_of(members: Members, run: Members, seats: int) -> DecisionLine:
    note = run.text("note") if run.has("note") else None
    if note is not None and len(note.encode()) > NOTE_BYTES_MAX:
        raise RecordError("long-note", f"a note has at most {NOTE_BYTES_MAX} bytes, not {len(note.encode())}")
    return DecisionLine(
        number=members.number("n", 1),
        seat=members.number("seat", 0, seats - 1),
        asked=members.text("asked"),
        answer=members.text("answer"),
        by=members.kind("by", AnsweredBy),
        digest=members.hash("digest"),
        note=note,
        run=run.rest(),
    )


def _incident_parts(line: Incident) -> tuple[Plain, Plain]:
    told: Plain = {"what": line.what}
    if line.seat is not None:
        told["seat"] = line.seat
    if line.why is not None:
        told["why"] = line.why
    if line.of_play:
        return {"kind": "incident"} | told, dict(line.run)
    return {"kind": "incident"}, _beside(told, line.run)


def _incident_of(members: Members, run: Members, seats: int) -> Incident:
    of_play = members.has("what")
    told = members if of_play else run
    what = told.text("what")
    seat = told.number("seat", 0, seats - 1) if told.has("seat") else None
    why = told.text("why") if told.has("why") else None
    line = Incident(what=what, seat=seat, why=why, run=run.rest())
    if line.of_play != of_play:
        where = "in its part of the game" if line.of_play else "in 'run'"
        raise RecordError("bad-incident", f"the incident {what!r} is told {where}")
    return line


def _end_parts(line: EndLine) -> tuple[Plain, Plain]:
    game: Plain = {
        "kind": "end",
        "why": str(line.why),
        "cash": None if line.cash is None else list(line.cash),
        "places": None if line.places is None else list(line.places),
        "statuses": [str(status) for status in line.statuses],
        "faults": [_faults_part(faults) for faults in line.faults],
        "seed": line.seed.hex(),
    }
    run: Plain = {}
    if line.server_seed is not None:
        run["server_seed"] = line.server_seed.hex()
    if line.nonce is not None:
        run["nonce"] = line.nonce.hex()
    return game, _beside(run, line.run)


def _faults_part(faults: Mapping[str, int]) -> Plain:
    """Counts by cause, in the fixed order of the causes."""
    ordered: Plain = {str(cause): faults[cause] for cause in AnsweredBy if cause in faults}
    return ordered | dict(faults)


def _end_of(members: Members, run: Members, seats: int) -> EndLine:
    why = members.kind("why", Ending)
    cash = places = None
    if why is Ending.VOIDED:
        for name in ("cash", "places"):
            if members.any(name) is not None:
                raise RecordError("bad-member", f"{name!r} of a voided match is null")
    else:
        cash = members.numbers("cash", seats)
        places = members.numbers("places", seats)
    statuses = members.kinds("statuses", Status, seats)
    faults = tuple(_faults_of(value) for value in members.values("faults", seats))
    seed = members.octets("seed", _SEED_BYTES)
    server_seed = run.octets("server_seed", _SEED_BYTES) if run.has("server_seed") else None
    nonce = run.octets("nonce", NONCE_BYTES) if run.has("nonce") else None
    return EndLine(
        why=why,
        cash=cash,
        places=places,
        statuses=statuses,
        faults=faults,
        seed=seed,
        server_seed=server_seed,
        nonce=nonce,
        run=run.rest(),
    )


def _faults_of(value: object) -> dict[str, int]:
    members = Members(value, "an item of 'faults'")
    counted = {str(cause): members.number(cause, 1) for cause in AnsweredBy if cause in DEFAULTS and members.has(cause)}
    members.end()
    return counted
