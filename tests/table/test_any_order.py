"""Inputs in any order: a table reaches its end, and its record verifies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.actions import NO_OFFER, PLACE
from mergemaker_engine.deal import Chances
from mergemaker_engine.errors import Refusal
from mergemaker_engine.events import TilesReceived
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS
from mergemaker_table import CLOCKS, ClockTerms, FaultTerms, Phase, Table, Terms
from mergemaker_table.clock import in_ns
from mergemaker_table.inputs import (
    Answered,
    AnswerIndex,
    BarrierPassed,
    FollowedUp,
    Handed,
    Input,
    Joined,
    Left,
    Resign,
    RoundTrip,
    SeatCommitted,
    SeatRevealed,
    TakenOver,
    Tick,
    Void,
)
from mergemaker_table.outputs import Accepted, Ask, Barrier, FollowUp, Output, Publish, Started, Tell, WriteLine
from mergemaker_testkit.strategies import STEADY
from mergemaker_testkit.table_driver import Player, TableDriver, random_player, request_chance, table_setup

SEATS: Final = 3
TERMS: Final = (
    Terms(CLOCKS["fast"], FaultTerms(refusals_max=2, defaults_max=2)),
    Terms(
        ClockTerms(
            name="odd",
            allowance_ms=0,
            bank_ms=500,
            increment_ms=40,
            startup_ms=900,
            credit_decision_ms_max=60,
            credit_match_ms_max=200,
        )
    ),
    Terms(CLOCKS["none"]),
)
STEPS_MAX: Final = 400


@dataclass(slots=True)
class _Told:
    """What the seats received, checked at once."""

    driver: TableDriver
    chance: Chances
    torn: bool = False
    """Whether something was written that nobody received."""

    def seat(self) -> int:
        return self.chance.below(SEATS)

    def take(self, batch: Sequence[Output]) -> None:
        lines = [isinstance(output, WriteLine) for output in batch]
        assert lines == sorted(lines, reverse=True), "lines come first"
        assert sum(isinstance(output, Ask) for output in batch) <= 1
        for output in batch:
            if isinstance(output, Tell):
                assert all(not isinstance(event, TilesReceived) or event.seat == output.seat for event in output.events)
                count = len(self.driver.table.events_since(output.seat, 0))
                assert output.first_number + len(output.events) - 1 == count
            elif isinstance(output, Publish):
                assert not any(isinstance(event, TilesReceived) for event in output.events)
            elif isinstance(output, Ask):
                assert output.request.events_seen == len(self.driver.table.events_since(output.seat, 0))
                assert output.request.view.seat == output.request.decision.seat == output.seat
                assert self.driver.table.connected[output.seat]
            elif isinstance(output, FollowUp):
                assert self.driver.table.connected[output.seat]
                assert self.driver.table.asked_seat == output.seat
            elif isinstance(output, Barrier):
                assert self.driver.table.asked_seat == output.seat

    def feed(self, given: Input) -> None:
        self.take(self.driver.feed(given))


def _decision_id(told: _Told, seat: int) -> int:
    """Usually the last question to this seat, sometimes one before or after it."""
    asked = told.driver.of_kind(Ask, seat)
    last = asked[-1].request.decision_id if asked else 1
    return last if told.chance.below(4) else last + told.chance.below(4) - 2


def _came_ns(told: _Told) -> int | None:
    """The arrival time of a bot that is noticed now; often nobody recorded it."""
    back = in_ns(told.chance.below(300))
    return None if told.chance.below(2) else max(told.driver.now_ns - back, 0)


def _answered(told: _Told, answer: object, note: str | None = None) -> Answered:
    asked = told.driver.asked
    seat = asked.seat if asked is not None and told.chance.below(5) else told.seat()
    back = in_ns(told.chance.below(300)) if told.chance.below(3) == 0 else 0
    return Answered(seat, _decision_id(told, seat), answer, note, max(told.driver.now_ns - back, 0))  # type: ignore[arg-type]


def _crash_in_batch(told: _Told) -> None:
    driver = told.driver
    if driver.table.ended is not None:
        return
    batch = driver.table.feed(_answered(told, AnswerIndex(told.chance.below(6))), driver.now_ns)
    lines = [output.line for output in batch if isinstance(output, WriteLine)]
    kept = told.chance.below(len(lines) + 1)
    driver.lines += lines[:kept]
    if driver.table.ended is None or kept < len(lines):
        _take_up(told)


def _crash(told: _Told) -> None:
    if told.driver.table.ended is None:
        _take_up(told)


def _take_up(told: _Told) -> None:
    driver = told.driver
    told.torn = True
    before = len(driver.outputs)
    driver.crash()
    told.take(driver.outputs[before:])


def _answer_rightly(told: _Told) -> None:
    asked = told.driver.asked
    if asked is not None:
        said = random_player(asked.request, bytes(32))
        told.driver.asked = None
        told.feed(Answered(asked.seat, asked.request.decision_id, said.answer, None, told.driver.now_ns))


def _commit(told: _Told) -> None:
    if told.driver.table.setup.mode is DealMode.JOINT:
        told.driver.commit(told.seat())


STEPS: Final[tuple[Callable[[_Told], object], ...]] = (
    *(_answer_rightly,) * 12,
    *(lambda told: told.feed(Joined(told.seat(), "", _came_ns(told))),) * 4,
    *(lambda told: told.feed(Handed(seat := told.seat(), _decision_id(told, seat), told.driver.now_ns)),) * 4,
    *(lambda told: told.driver.pass_ms(told.chance.below(120)),) * 4,
    *(lambda told: told.feed(Tick()),) * 2,
    *(lambda told: told.feed(BarrierPassed(seat := told.seat(), _decision_id(told, seat), 1 + told.chance.below(2))),) * 3,
    *(lambda told: told.feed(FollowedUp(seat := told.seat(), _decision_id(told, seat))),) * 2,
    *(_commit,) * 3,
    *(lambda told: told.driver.reveal(told.seat()),) * 3,
    lambda told: told.driver.pass_ms(told.chance.below(12_000)),
    lambda told: told.feed(Left(told.seat(), "gone")),
    lambda told: told.feed(TakenOver(told.seat(), "", _came_ns(told))),
    lambda told: told.feed(RoundTrip(told.seat(), in_ns(told.chance.below(300)))),
    lambda told: told.feed(_answered(told, AnswerIndex(told.chance.below(8)), "a note")),
    lambda told: told.feed(_answered(told, PLACE[told.chance.below(108)])),
    lambda told: told.feed(_answered(told, NO_OFFER)),
    lambda told: told.feed(_answered(told, Refusal("no-such-kind", "?"))),
    lambda told: told.feed(_answered(told, AnswerIndex(0), "x" * 2_000)),
    lambda told: told.feed(SeatCommitted(told.seat(), bytes(told.chance.below(33)))),
    lambda told: told.feed(SeatRevealed(told.seat(), bytes(32))),
    _crash,
    _crash_in_batch,
)
RARE: Final[tuple[Callable[[_Told], object], ...]] = (
    lambda told: told.feed(Resign(told.seat())),
    lambda told: told.feed(Void("by chance")),
)


def _finish(told: _Told, player: Player) -> None:
    """Lets everybody return, and plays to the end."""
    driver = told.driver
    driver.players[:] = [player] * SEATS
    for seat in range(SEATS):
        told.feed(Joined(seat))
    if driver.table.setup.mode is DealMode.JOINT:
        while driver.table.phase is Phase.JOINING:
            everybody = range(SEATS)
            driver.commit(*everybody)
            driver.reveal(*everybody)
            if driver.table.phase is Phase.JOINING and driver.table.wake_at_ns is not None:
                driver.now_ns = max(driver.now_ns, driver.table.wake_at_ns)
                told.feed(Tick())
            elif driver.table.phase is Phase.JOINING:
                # Without a clock, the match waits for a seat that cannot reveal what it committed to: it resigns.
                for seat in everybody:
                    told.feed(Resign(seat))
    driver.play_on()


def _check(told: _Told, terms: Terms) -> None:
    driver = told.driver
    record = verify(driver.lines, with_audit=True).record
    banks = [terms.clock.bank_ms] * SEATS
    for line in record.decisions:
        if line.by is AnsweredBy.BOT:
            assert "used_ms" in line.run
        if "bank_ms" in line.run:
            used, credit, bank = (int(str(line.run.get(name, 0))) for name in ("used_ms", "credit_ms", "bank_ms"))
            banks[line.seat] -= max(used - credit - (terms.clock.allowance_ms or 0), 0)
            banks[line.seat] += terms.clock.increment_ms if line.by is AnsweredBy.BOT else 0
            assert bank == banks[line.seat] >= 0
    for seat in range(SEATS):
        acknowledged = {output.decision_id for output in driver.of_kind(Accepted, seat)}
        by_bot = sum(line.by is AnsweredBy.BOT for line in record.decisions if line.seat == seat)
        assert len(acknowledged) <= by_bot if told.torn else len(acknowledged) == by_bot
        assert len(driver.of_kind(Started, seat)) <= 1


@settings(STEADY, max_examples=40)
@given(
    st.sampled_from(list(PRESETS)),
    st.sampled_from(TERMS),
    st.sampled_from(list(DealMode)),
    st.binary(min_size=2, max_size=2),
    st.integers(0, STEPS_MAX),
)
def test_any_order_of_inputs_leads_to_an_end_that_verifies(
    name: str, terms: Terms, mode: DealMode, seed: bytes, steps: int
) -> None:
    driver = TableDriver(Table(table_setup(PRESETS[name], SEATS, terms, mode)), [random_player] * SEATS, 5)
    told = _Told(driver, Chances(seed + bytes(30), "steps"))
    told.take(driver.open())
    for _ in range(steps):
        rare = told.chance.below(200) == 0
        (RARE if rare else STEPS)[told.chance.below(len(RARE if rare else STEPS))](told)
    _finish(told, random_player)
    _check(told, terms)


@settings(STEADY, max_examples=10)
@given(st.sampled_from(list(PRESETS)), st.binary(min_size=2, max_size=2))
def test_whoever_fails_at_random_the_match_ends_and_verifies(name: str, seed: bytes) -> None:
    def player(request: object, nonce: bytes, refused: int) -> object:
        kind = request_chance(request, seed + bytes(30)).below(12)  # type: ignore[arg-type]
        return None if kind == 0 else random_player(request, nonce, refused)  # type: ignore[arg-type]

    driver = TableDriver(Table(table_setup(PRESETS[name], SEATS, TERMS[0])), [player] * SEATS)  # type: ignore[list-item]
    driver.play()
    verify(driver.lines)
