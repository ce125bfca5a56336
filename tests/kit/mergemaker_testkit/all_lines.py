"""A correct record with every kind of line, for tests that change something in it."""

from dataclasses import replace
from functools import cache
from typing import Final

from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.chain import Chains
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import (
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
from mergemaker_engine.rules import preset

from mergemaker_testkit.recorded import Parts, forged, parts_in, sealed

HASH: Final = "A" * 22
HEX: Final = "5e" * 32
SEATS: Final = 3
HEADER: Final = Header(
    rules=preset("reference-trading"),
    seats=SEATS,
    mode=DealMode.JOINT,
    clock={"bank_ms": 60_000},
    match="m-1",
    bots=("random", "random", "greedy"),
    promise=Promise("m-0", bytes(32)),
    parent=Parent("m-0", 17, HASH),
    software="mergemaker",
    started="2026-11-18T15:38:32Z",
)
DECISION: Final = DecisionLine(number=1, seat=2, asked="ChooseTile", answer="5E", by=AnsweredBy.BOT, digest=HASH, note="a note")
END: Final = EndLine(
    why=Ending.DECLARED,
    cash=(100, 300, 200),
    places=(3, 1, 2),
    statuses=(Status.FINISHED, Status.AUTOPILOT, Status.RESIGNED),
    faults=({}, {"default: timeout": 2}, {}),
    seed=bytes(32),
    server_seed=bytes(32),
    nonce=bytes(32),
)
LINES: Final[dict[str, Line]] = {
    "header": HEADER,
    "deal": DealLine(digest=HASH, seat_commitments=(bytes(32),) * 3, contributions=(bytes(32), None, bytes(32))),
    "decision": DECISION,
    "decision without a note": replace(DECISION, note=None, run={"at_ms": 17, "used_ms": 3}),
    "incident of the play": Incident(what="autopilot", seat=1, why="three faults"),
    "incident of the run": Incident(what="paused", seat=1, why="asked for"),
    "end": END,
    "voided end": EndLine(
        why=Ending.VOIDED, cash=None, places=None, statuses=(Status.FINISHED,) * 3, faults=({},) * 3, seed=bytes(32)
    ),
}


@cache
def texts_of_all() -> list[bytes]:
    """All lines as a record has them."""
    return sealed(LINES.values())


def parts_of_all() -> dict[str, Parts]:
    """The content and the run of each line, by its name: fresh copies that a test may change."""
    return {name: parts_in(text) for name, text in zip(LINES, texts_of_all(), strict=True)}


def first_refusal(parts: dict[str, Parts]) -> tuple[str, int]:
    """Which line is the first to be refused, and why."""
    chains = Chains()
    for name, text in zip(parts, forged(parts.values()), strict=True):
        before = (chains.game, chains.line, chains.lines)
        try:
            chains.open(text.removesuffix(b"\n"))
        except RecordError as error:
            assert (chains.game, chains.line, chains.lines) == before
            return error.reason, list(LINES).index(name)
    return "read", -1
