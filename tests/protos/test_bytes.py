"""Parts joined as bytes equal the bytes of whole messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker.v1 import answers_pb2, events_pb2, view_pb2
from mergemaker_engine.bounds import AnswerBounds, answer_bounds
from mergemaker_engine.effects import TileEffect, tile_effects
from mergemaker_engine.rules import PRESETS, Rules
from mergemaker_engine.views import View
from mergemaker_testkit import wire_values
from mergemaker_testkit.strategies import STEADY, Played, played_games
from mergemaker_wire import answers_to_message, effect_to_message, view_to_message
from mergemaker_wire.decision_bytes import answers_bytes, effect_bytes, view_bytes
from mergemaker_wire.raw import packed, varint


def _same_view(view: View, last_event: int) -> None:
    assert view_pb2.View.FromString(view_bytes(view, last_event)) == view_to_message(view, last_event)


def _same_answers(bounds: AnswerBounds) -> None:
    count = bounds.count()
    assert answers_pb2.LegalAnswers.FromString(answers_bytes(bounds, count)) == answers_to_message(bounds, count)


def _same_effect(effect: TileEffect) -> None:
    assert answers_pb2.TileEffect.FromString(effect_bytes(effect)) == effect_to_message(effect)


@settings(STEADY, max_examples=100)
@given(played=played_games(), number=st.integers(0, 2**64 - 1))
def test_all_that_a_game_tells(played: Played, number: int) -> None:
    game = played.game
    for view in (game.public_view(), *map(game.view, range(game.seats))):
        _same_view(view, number)
        for effect in tile_effects(view):
            _same_effect(effect)
    _same_answers(answer_bounds(game))


@settings(STEADY, max_examples=80)
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
    _same_effect(effect)


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, b"\x00"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02"), (2**64 - 1, b"\xff" * 9 + b"\x01")],
)
def test_numbers_are_written_as_the_protocol_has_them(number: int, written: bytes) -> None:
    assert varint(number) == written
    assert events_pb2.Event(number=number).SerializeToString() == (b"\x08" + written if number else b"")


@pytest.mark.parametrize("values", [(), (0, 1, 127), (128,), (1_200, 0, 300)])
def test_lists_are_written_as_the_protocol_has_them(values: tuple[int, ...]) -> None:
    message = view_pb2.Shares.FromString(b"\x0a" + varint(len(packed(values))) + packed(values))
    assert tuple(message.counts) == values
