"""A table whose bots are at fault: how to bring it to a certain point, and its evidence there."""

from collections.abc import Mapping

from mergemaker_engine.errors import Refusal
from mergemaker_engine.record.lines import DecisionLine, Incident
from mergemaker_engine.rules import preset
from mergemaker_table import Table, Terms
from mergemaker_table.evidence import Evidence, MomentKind, evidence_in
from mergemaker_table.inputs import (
    AnswerIndex,
    BarrierPassed,
    Tick,
)
from mergemaker_table.outputs import DefaultTaken

from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup

CLASSIC = preset("renegade-classic")
ALL_MS = 10_100
START = 5_000_000_007
OFF_THE_BOARD = AnswerIndex(9_999)
NO_CHOICE = Refusal("no-choice", "neither an action nor an index")


def begun(clock: str | Terms = "fast", *, hand_after_ms: int = 3) -> TableDriver:
    """A table of three after its first question, which goes out a little later."""
    driver = TableDriver(Table(table_setup(CLASSIC, 3, clock)), [random_player] * 3, START)
    driver.start()
    driver.pass_ms(hand_after_ms)
    driver.hand()
    return driver


def moments_of(evidence: Evidence) -> list[tuple[MomentKind, float]]:
    """Moments in milliseconds."""
    return [(moment.kind, moment.at_us / 1_000) for moment in evidence.moments]


def written_in(run: Mapping[str, object]) -> Evidence:
    """The evidence in a line's `run`."""
    found = evidence_in(run)
    assert found is not None
    return found


def last_default(driver: TableDriver) -> DefaultTaken:
    """The latest default."""
    return driver.of_kind(DefaultTaken)[-1]


def default_line(driver: TableDriver) -> DecisionLine:
    """The last line with a default."""
    return [line for line in driver.opened() if isinstance(line, DecisionLine) and line.by.startswith("default")][-1]


def last_incident(driver: TableDriver, what: str) -> Incident:
    """The last incident of a kind."""
    return driver.incidents(what)[-1]


def time_out(driver: TableDriver) -> None:
    """Lets the time for the first question run out."""
    seat = driver.question.seat
    driver.pass_ms(ALL_MS + 7)
    driver.feed(Tick())
    driver.pass_ms(1)
    driver.feed(BarrierPassed(seat, 1))
