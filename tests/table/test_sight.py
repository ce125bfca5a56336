"""What an asked seat may see is the same whenever it looks; and a table in the process of its bots writes the same record."""

from dataclasses import replace

import pytest
from mergemaker_engine.actions import PLACE
from mergemaker_engine.bounds import answer_bounds
from mergemaker_engine.deal import Chances
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.game import Game
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_table import Table
from mergemaker_table.driving import Driver
from mergemaker_table.inputs import Answered, AnswerIndex, BarrierPassed, Joined, Resign, Tick
from mergemaker_table.outputs import Accepted, Ask, Barrier, Ended, Publish, Refused, Request, Tell, WriteLine
from mergemaker_testkit.table_driver import table_setup

RULES = preset("renegade-classic")


def _joined(seats: int, rules: str = "renegade-classic") -> Driver:
    driver = Driver(Table(table_setup(preset(rules), seats)))
    driver.open()
    for seat in range(seats):
        driver.feed(Joined(seat))
    return driver


def _game_of(driver: Driver) -> Game:
    game = driver.table._desk.game
    assert game is not None
    return game


@pytest.mark.parametrize("rules", sorted(PRESETS))
def test_a_look_after_the_game_has_gone_on_shows_what_one_before_it_did(rules: str) -> None:
    driver, chances = _joined(3, rules), Chances(bytes(32), "sight")
    then: list[tuple[Request, object]] = []
    while driver.table.ended is None and len(then) < 60:
        request = driver.hand().request
        game = _game_of(driver)
        view = game.view(request.decision.seat)
        then.append((request, (view, answer_bounds(game), choice_effects(view))))
        driver.answer(AnswerIndex(chances.below(len(request.answers)) if len(request.answers) < 1_000 else 0))
    assert len(then) > 20
    for request, seen in then:
        assert (request.view, request.bounds, request.effects) == seen
        assert replace(request, time_left_ms=1).view is request.view


def test_a_refused_answer_leaves_the_game_at_its_question() -> None:
    driver = _joined(2)
    request = driver.hand().request
    refused = next(tile for tile in PLACE if tile not in request.answers)
    assert any(isinstance(output, Refused) for output in driver.answer(refused))
    assert request.sight.is_now
    assert request.view == _game_of(driver).view(request.decision.seat)


@pytest.mark.pure
def test_a_look_while_another_thread_moves_the_game_on_shows_the_question() -> None:
    driver = _joined(2)
    request = driver.hand().request
    before = _game_of(driver)
    expected = before.view(request.decision.seat)

    class _Moves:
        """A game that moves on during the look."""

        rules, seats, deal, apply = before.rules, before.seats, before.deal, before.apply

        def view(self, seat: int) -> object:
            seen = before.view(seat)
            driver.answer()
            return replace(seen, turn=99)

    object.__setattr__(request.sight, "_game", _Moves())
    assert request.view == expected


def test_a_table_in_the_process_of_its_bots_writes_the_same_record() -> None:
    """In the one, questions are handed over and news are told; in the other, neither is needed. Time and faults are alike."""
    driver = _joined(3)
    direct = Table(table_setup(RULES, 3), in_process=True)
    lines: list[bytes] = []
    kinds: set[type] = set()
    told = [0] * 3
    now = 0
    asked: Ask | None = None

    def hear(batch: tuple[object, ...]) -> None:
        nonlocal asked
        for output in batch:
            kinds.add(type(output))
            if isinstance(output, WriteLine):
                lines.append(output.line)
            elif isinstance(output, Ask):
                asked = output
            elif isinstance(output, Barrier):
                hear(direct.feed(BarrierPassed(output.seat, output.decision_id, output.nth), now))

    hear(direct.open(now))
    for seat in range(3):
        hear(direct.feed(Joined(seat), now))
    for number in range(1_000):
        if direct.ended is not None:
            break
        assert asked is not None
        there = driver.hand()
        assert (there.seat, there.request.view) == (asked.seat, asked.request.view)
        told[asked.seat] = asked.request.events_seen
        assert direct.events_since(asked.seat, 0) == driver.table.events_since(asked.seat, 0)
        if number == 7:
            # Nobody answers in time.
            driver.wake()
            driver.pass_barrier()
            now = direct.wake_at_ns or 0
            hear(direct.feed(Tick(), now))
            continue
        if number == 20:
            driver.feed(Resign(asked.seat))
            hear(direct.feed(Resign(asked.seat), now))
            continue
        answer = AnswerIndex(number % len(asked.request.answers))
        think_ns = number % 150 * 1_000_000  # at times more than is free, and then more than there is
        now += think_ns
        driver.answer(answer, None, think_ns)
        driver.pass_barrier()
        hear(direct.feed(Answered(asked.seat, asked.request.decision_id, answer, None, now), now))
    assert direct.ended is not None
    assert lines == driver.lines
    assert not kinds & {Tell, Publish, Accepted}
    assert {WriteLine, Ask, Ended, Barrier} <= kinds
