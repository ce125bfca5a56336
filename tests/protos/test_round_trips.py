"""What is written into a message can be read from its bytes: every kind, from games and made by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker.v1 import actions_pb2, answers_pb2, events_pb2, match_pb2, questions_pb2
from mergemaker_engine.actions import Action, Place
from mergemaker_engine.bounds import AnswerBounds, Listed, answer_bounds
from mergemaker_engine.decisions import Automatic
from mergemaker_engine.effects import TileEffect, tile_effects
from mergemaker_engine.errors import EngineError, IllegalAction
from mergemaker_engine.events import TilePlaced
from mergemaker_engine.game import Game
from mergemaker_engine.record.lines import AnsweredBy, Status
from mergemaker_engine.rules import PRESETS, Rules
from mergemaker_engine.views import View
from mergemaker_testkit import wire_values
from mergemaker_testkit.strategies import STEADY, Played, played_games, rule_sets
from mergemaker_wire import (
    DEAL_MODES,
    ENDINGS,
    FAULT_CAUSES,
    STATUSES,
    Refusal,
    Standing,
    WireError,
    action_from_message,
    action_to_message,
    answers_from_message,
    answers_to_message,
    decision_from_message,
    decision_to_message,
    effect_from_message,
    effect_to_message,
    effects_from_messages,
    event_from_message,
    event_to_message,
    refusal_from_message,
    refusal_of,
    refusal_to_message,
    rules_from_message,
    rules_to_message,
    standing_from_message,
    standing_to_message,
    step_from_message,
    step_to_message,
    view_from_message,
    view_to_message,
)
from mergemaker_wire.fields import any_value
from mergemaker_wire.kinds import kinds_of

ACTIONS_TRIED_MAX = 40

M = TypeVar("M", bound=Message)


def _sent(message: M) -> M:
    """The message, read back from its bytes."""
    return type(message).FromString(message.SerializeToString())


def _same_action(action: Action) -> None:
    assert action_from_message(_sent(action_to_message(action))) == action


def _same_view(view: View, last_event: int) -> None:
    message = _sent(view_to_message(view, last_event))
    assert message.last_event == last_event
    assert view_from_message(message, view.rules) == view


def _same_answers(bounds: AnswerBounds) -> None:
    message = _sent(answers_to_message(bounds))
    assert message.count == bounds.count()
    assert answers_from_message(message) == bounds
    assert answers_to_message(bounds, message.count) == message


def _all_views(game: Game) -> list[View]:
    return [game.public_view(), *(game.view(seat) for seat in range(game.seats))]


@settings(STEADY, max_examples=100)
@given(played=played_games(), number=st.integers(0, 2**64 - 1))
def test_all_that_a_game_tells(played: Played, number: int) -> None:
    game = played.game
    for view in _all_views(game):
        _same_view(view, number)
        effects = tile_effects(view)
        assert effects_from_messages([_sent(effect_to_message(effect)) for effect in effects]) == effects
    for event in played.events:
        message = _sent(event_to_message(event, number))
        assert message.number == number
        assert event_from_message(message) == event
    for action in [*played.answers, *game.legal()[:ACTIONS_TRIED_MAX]]:
        _same_action(action)
    _same_answers(answer_bounds(game))


@pytest.mark.parametrize("kind", wire_values.ACTION_KINDS, ids=lambda kind: kind.__name__)
@settings(STEADY, max_examples=30)
@given(data=st.data())
def test_every_action(kind: type, data: st.DataObject) -> None:
    action = data.draw(wire_values.actions_of(kind))
    assert type(action) is kind
    _same_action(action)


@pytest.mark.parametrize("kind", wire_values.DECISION_KINDS, ids=lambda kind: kind.__name__)
@settings(STEADY, max_examples=30)
@given(data=st.data())
def test_every_decision(kind: type, data: st.DataObject) -> None:
    decision = data.draw(wire_values.values_of(kind))
    assert decision_from_message(_sent(decision_to_message(decision))) == decision


@pytest.mark.parametrize("kind", wire_values.STEP_KINDS, ids=lambda kind: kind.__name__)
@settings(STEADY, max_examples=20)
@given(data=st.data())
def test_every_step(kind: type, data: st.DataObject) -> None:
    step = data.draw(wire_values.values_of(kind))
    assert step_from_message(_sent(step_to_message(step))) == step


@pytest.mark.parametrize("kind", wire_values.EVENT_KINDS, ids=lambda kind: kind.__name__)
@settings(STEADY, max_examples=30)
@given(data=st.data())
def test_every_event(kind: type, data: st.DataObject) -> None:
    event = data.draw(wire_values.values_of(kind))
    assert event_from_message(_sent(event_to_message(event))) == event


@settings(STEADY, max_examples=60)
@given(data=st.data(), rules=st.sampled_from(list(PRESETS.values())))
def test_every_view(data: st.DataObject, rules: Rules) -> None:
    _same_view(data.draw(wire_values.views(rules)), 7)


@settings(STEADY, max_examples=120)
@given(bounds=wire_values.bounds())
def test_every_form_of_legal_answers(bounds: AnswerBounds) -> None:
    _same_answers(bounds)


@settings(STEADY, max_examples=60)
@given(effect=wire_values.effects())
def test_every_effect(effect: TileEffect) -> None:
    assert effect_from_message(_sent(effect_to_message(effect))) == effect


@settings(STEADY, max_examples=60)
@given(rules=rule_sets())
def test_every_set_of_rules(rules: Rules) -> None:
    message = _sent(rules_to_message(rules))
    assert rules_from_message(message) == rules
    assert message.fingerprint == rules.fingerprint()
    message.ClearField("fingerprint")
    assert rules_from_message(message) == rules


@settings(STEADY, max_examples=60)
@given(
    seat=st.integers(0, 5),
    cash=wire_values.dollars,
    place=st.integers(1, 6),
    status=st.sampled_from(list(Status)),
    faults=st.dictionaries(st.sampled_from([by for by in AnsweredBy if by.startswith("default")]), st.integers(1, 100)),
)
def test_every_standing(seat: int, cash: int, place: int, status: Status, faults: dict[AnsweredBy, int]) -> None:
    standing = Standing(
        seat=seat, bot="ölbaron", bot_id="oil", version="2.0", cash=cash, place=place, status=status, faults=faults
    )
    assert standing_from_message(_sent(standing_to_message(standing))) == standing


def test_causes_without_a_fault_are_not_written() -> None:
    standing = Standing(
        seat=0, bot="", cash=0, place=1, status=Status.FINISHED, faults={AnsweredBy.TIMEOUT: 0, AnsweredBy.ILLEGAL: 2}
    )
    message = standing_to_message(standing)
    assert [(fault.cause, fault.count) for fault in message.faults] == [(match_pb2.FAULT_CAUSE_ILLEGAL, 2)]


@pytest.mark.parametrize("error", [IllegalAction("dead-tile", "no", "PLC-7"), EngineError("a", "b"), WireError("c", "d")])
def test_every_refusal(error: EngineError | WireError) -> None:
    refusal = refusal_of(error)
    assert refusal == Refusal(error.reason, error.message, error.rule)
    assert refusal_from_message(_sent(refusal_to_message(refusal))) == refusal
    traced = replace(refusal, trace="7b382ec45c28.0.17")
    assert refusal_from_message(_sent(refusal_to_message(traced))) == traced


def _oneof(message: type[Message]) -> set[str]:
    return {field.name for field in message.DESCRIPTOR.oneofs_by_name["kind"].fields}


@pytest.mark.parametrize(
    ("message", "written"),
    [
        (actions_pb2.Action, len(wire_values.ACTION_KINDS)),
        (questions_pb2.Question, len(wire_values.DECISION_KINDS)),
        (questions_pb2.Step, len(Automatic.__args__) + 1),
        (events_pb2.Event, len(wire_values.EVENT_KINDS)),
        (answers_pb2.LegalAnswers, len(AnswerBounds.__args__)),
    ],
)
def test_the_protocol_has_a_kind_for_each_of_the_engine_and_no_more(message: type[Message], written: int) -> None:
    # The tests above show that each of the engine's kinds is written.
    assert len(_oneof(message)) == written


@pytest.mark.parametrize(
    ("names", "known", "left_out"),
    [
        (DEAL_MODES.numbers, match_pb2.DealMode.keys(), 1),
        (ENDINGS.numbers, match_pb2.Ending.keys(), 1),
        (STATUSES.numbers, match_pb2.SeatStatus.keys(), 1),
        (FAULT_CAUSES.numbers, match_pb2.FaultCause.keys(), 1),
    ],
)
def test_named_values_have_a_number_each(names: dict[str, int], known: list[str], left_out: int) -> None:
    assert len(set(names.values())) == len(names) == len(known) - left_out
    assert 0 not in names.values()


def _fresh(make: Callable[[], M]) -> None:
    first, before = make(), make().SerializeToString()
    for field, _ in first.ListFields():
        first.ClearField(field.name)
    assert make().SerializeToString() == before


@settings(STEADY, max_examples=20)
@given(played=played_games(min_answers=4))
def test_who_changes_a_message_changes_no_other(played: Played) -> None:
    view = played.game.view(0)
    message = view_to_message(view)
    before = message.SerializeToString()
    for player in message.players:
        player.Clear()
    message.asked.Clear()
    del message.agenda[:]
    assert view_to_message(view).SerializeToString() == before
    _fresh(lambda: rules_to_message(played.table.rules))
    listed = Listed(tuple(played.game.legal()[:3]))
    answers = answers_to_message(listed)
    for action in answers.listed.actions:
        action.Clear()
    assert answers_from_message(answers_to_message(listed)) == listed


Placed: TypeAlias = Place | TilePlaced


def test_a_member_of_a_union_that_no_message_stands_for_is_found_at_once() -> None:
    with pytest.raises(LookupError, match="Action has no message for TilePlaced"):
        kinds_of("an answer", Placed, actions_pb2, actions_pb2.Action, {"square": any_value})


def test_a_field_that_nobody_reads_is_found_at_once() -> None:
    with pytest.raises(LookupError, match=r"place\.square has no reader"):
        kinds_of("an answer", Placed, actions_pb2, actions_pb2.Action, {})
