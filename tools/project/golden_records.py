"""The list of golden records, and what each shows: `make_golden.py` makes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, Incident, PlayIncident, Status

# Every kind of character that JSON must escape, may escape and need not escape.
STRANGE_NOTE: Final = 'tab\tquote"back\\slash/ line\nreturn\r\b\f\x01\x1f\x7f é ß 漢 \u2028 🎲'


class Last(StrEnum):
    """How a record's last turn comes about."""

    TILE = "declared with a tile"
    PURCHASE = "declared with a purchase"
    STOP = "stopped at once"
    STUCK = "stuck"
    VOIDED = "voided"


@dataclass(frozen=True, slots=True)
class Lapse:
    """From one question of a seat to another, somebody else answers; what is told before the first of them."""

    seat: int
    first: int
    last: int
    by: AnsweredBy
    told: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """The contents of a golden record."""

    name: str
    rules: str
    seats: int
    mode: DealMode
    last: Last
    shows: str
    knobs: Mapping[str, object] = field(default_factory=dict)
    clock: Mapping[str, object] = field(default_factory=dict)
    withheld: frozenset[int] = frozenset()
    """Seats that committed to their part of the seed, and did not reveal it."""
    aloof: frozenset[int] = frozenset()
    """Seats that did not commit."""
    lapses: tuple[Lapse, ...] = ()
    statuses: Mapping[int, Status] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    """Beside which decisions, by number."""
    timed: bool = False
    answers_max: int | None = None
    """After how many decisions a voided match is interrupted."""
    fork_of: str | None = None
    fork_at: int = 1
    """The first decision that is not the parent's."""
    chances: str = ""
    """Changed until the game shows what it should."""


def _seat_told(what: str, seat: int, why: str | None = None) -> Incident:
    return Incident(what=what, seat=seat, why=why, run={"at_ms": 1_000 * seat})


FOREVER: Final = 10_000

RECORDS: Final = (
    Golden(
        name="classic-2-market",
        rules="renegade-classic",
        seats=2,
        mode=DealMode.SERVER,
        last=Last.TILE,
        shows="the market as a third stockholder (TWO-1)",
    ),
    Golden(
        name="classic-2-fork",
        rules="renegade-classic",
        seats=2,
        mode=DealMode.SERVER,
        last=Last.PURCHASE,
        shows="a fork of classic-2-market from its decision 60 on: the parent's promise, 59 of its lines again",
        fork_of="classic-2-market",
        fork_at=60,
    ),
    Golden(
        name="classic-6",
        rules="renegade-classic",
        seats=6,
        mode=DealMode.SERVER,
        last=Last.PURCHASE,
        shows="six seats, with times beside the decisions",
        timed=True,
    ),
    Golden(
        name="tycoon-4-joint",
        rules="renegade-tycoon",
        seats=4,
        mode=DealMode.JOINT,
        last=Last.TILE,
        shows="a seed of all seats' parts, all of them revealed",
    ),
    Golden(
        name="tycoon-3-withheld",
        rules="renegade-tycoon",
        seats=3,
        mode=DealMode.JOINT,
        last=Last.TILE,
        shows="seat 0 withheld its part, seat 2 never joined and committed to none",
        withheld=frozenset({0}),
        aloof=frozenset({2}),
        lapses=(
            Lapse(2, 1, FOREVER, AnsweredBy.NEVER_JOINED, (_seat_told(PlayIncident.NEVER_JOINED, 2, "60 s after the start"),)),
        ),
        statuses={2: Status.NEVER_JOINED},
    ),
    Golden(
        name="avalon-hill-4-stop",
        rules="avalon-hill",
        seats=4,
        mode=DealMode.SERVER,
        last=Last.STOP,
        shows="hidden assets (VIS-3)",
    ),
    Golden(
        name="avalon-hill-powers-5",
        rules="avalon-hill-powers",
        seats=5,
        mode=DealMode.SERVER,
        last=Last.TILE,
        shows="special powers, all five of them",
    ),
    Golden(
        name="avalon-hill-powers-2-stuck",
        rules="avalon-hill-powers",
        seats=2,
        mode=DealMode.PLAIN,
        last=Last.STUCK,
        shows="special powers and the market as a third stockholder, to the last tile",
    ),
    Golden(
        name="corporations-3-stuck",
        rules="corporations",
        seats=3,
        mode=DealMode.PLAIN,
        last=Last.STUCK,
        shows="forced exchanges of dead tiles, to the last tile",
    ),
    Golden(
        name="reference-5-faults",
        rules="reference",
        seats=5,
        mode=DealMode.SERVER,
        last=Last.PURCHASE,
        shows="every cause of a default, autopilot, a resignation, incidents of the run, notes",
        clock={"bank_ms": 60_000, "increment_ms": 500},
        timed=True,
        lapses=(
            Lapse(0, 3, 3, AnsweredBy.TIMEOUT),
            Lapse(0, 6, 7, AnsweredBy.ILLEGAL),
            Lapse(0, 12, 12, AnsweredBy.PROTOCOL, (_seat_told("protocol error", 0, "a line that is no JSON"),)),
            Lapse(1, 5, 6, AnsweredBy.DISCONNECTED, (_seat_told("disconnected", 1, "the connection was reset"),)),
            Lapse(2, 6, 8, AnsweredBy.TIMEOUT),
            Lapse(2, 9, FOREVER, AnsweredBy.AUTOPILOT, (_seat_told(PlayIncident.AUTOPILOT, 2, "3 defaults in a row"),)),
            Lapse(3, 10, FOREVER, AnsweredBy.RESIGNED, (_seat_told(PlayIncident.RESIGNED, 3),)),
            Lapse(4, 1, FOREVER, AnsweredBy.NEVER_JOINED, (_seat_told(PlayIncident.NEVER_JOINED, 4),)),
        ),
        statuses={2: Status.AUTOPILOT, 3: Status.RESIGNED, 4: Status.NEVER_JOINED},
        notes={2: STRANGE_NOTE, 9: "", 14: "ü" * 512},
    ),
    Golden(
        name="reference-5-fork",
        rules="reference",
        seats=5,
        mode=DealMode.SERVER,
        last=Last.PURCHASE,
        shows="a fork of reference-5-faults in which all who had failed or gone play again",
        clock={"bank_ms": 60_000, "increment_ms": 500},
        fork_of="reference-5-faults",
        fork_at=73,
    ),
    Golden(
        name="reference-2-stuck",
        rules="reference",
        seats=2,
        mode=DealMode.JOINT,
        last=Last.STUCK,
        shows="two without a market, a hand shown and drawn again, equal chains acquired in an order that was chosen (MRG-4)",
        chances="361",
    ),
    Golden(
        name="reference-2-voided",
        rules="reference",
        seats=2,
        mode=DealMode.SERVER,
        last=Last.VOIDED,
        shows="broken off by the operator: no result, but the seed",
        answers_max=40,
    ),
    Golden(
        name="reference-trading-3",
        rules="reference-trading",
        seats=3,
        mode=DealMode.SERVER,
        last=Last.TILE,
        shows="trades between players, accepted and declined",
    ),
    Golden(
        name="other-knobs-4",
        rules="renegade-classic",
        seats=4,
        mode=DealMode.PLAIN,
        last=Last.STOP,
        shows="no preset: other chain names, another chart, dead tiles forced, hands shown, stopping allowed, one offer a turn",
        knobs={
            "chains": (("Acorn", "Birch"), ("Cedar", "Dogwood", "Elm"), ("Fir", "Ginkgo")),
            "bonus_chart": "three-holders",
            "start_order": "number-first",
            "founder_without_stock": "nothing",
            "dead_tiles": "forced",
            "unplayable_hand": "show",
            "after_declaring": "finish-or-stop",
            "trade_offers": 1,
        },
    ),
)
