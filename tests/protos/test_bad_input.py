"""Unreadable input is a `WireError` that says what is wrong: never another error, never an impossible value."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker.v1 import actions_pb2 as actions
from mergemaker.v1 import answers_pb2 as answers
from mergemaker.v1 import events_pb2 as events
from mergemaker.v1 import match_pb2 as match
from mergemaker.v1 import questions_pb2 as questions
from mergemaker.v1 import referee_pb2 as referee
from mergemaker.v1 import rules_pb2, view_pb2
from mergemaker_engine.bounds import answer_bounds
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import ChooseDisposal, PassTurn
from mergemaker_engine.effects import tile_effects
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_testkit.strategies import STEADY, Played, played_games
from mergemaker_wire import (
    UNKNOWN_KIND,
    WireError,
    action_from_message,
    action_to_message,
    answers_from_message,
    answers_to_message,
    decision_from_message,
    effect_from_message,
    effect_to_message,
    effects_from_messages,
    event_from_message,
    event_to_message,
    refusal_from_message,
    rules_from_message,
    rules_to_message,
    standing_from_message,
    step_from_message,
    view_from_message,
    view_to_message,
)
from mergemaker_wire.fields import by_chain, by_seat, chains, holdings, shares, shares_or_none, squares

CLASSIC = preset("renegade-classic")
# Field 99 of any message, with a length of 2; and field 98, a number.
UNKNOWN_FIELDS = bytes.fromhex("9a0602aabb 900605")

READERS: list[tuple[type[Message], Callable[[Any], object]]] = [
    (actions.Action, action_from_message),
    (answers.LegalAnswers, answers_from_message),
    (answers.TileEffect, effect_from_message),
    (events.Event, event_from_message),
    (match.Standing, standing_from_message),
    (questions.Question, decision_from_message),
    (questions.Step, step_from_message),
    (referee.Problem, refusal_from_message),
    (rules_pb2.Rules, rules_from_message),
    (view_pb2.View, lambda message: view_from_message(message, CLASSIC)),
    (view_pb2.View, lambda message: view_from_message(message, preset("avalon-hill-powers"))),
]
readers = st.sampled_from(READERS)


def _read_or_refused(kind: type[Message], read: Callable[[Any], object], data: bytes) -> None:
    try:
        message = kind.FromString(data)
    except DecodeError:
        return
    try:
        read(message)
    except WireError:
        return  # the tests below check its reason and text


@settings(STEADY, max_examples=400)
@given(reader=readers, data=st.binary(max_size=80))
def test_random_bytes(reader: tuple[type[Message], Callable[[Any], object]], data: bytes) -> None:
    _read_or_refused(*reader, data)


def _valid(played: Played) -> list[tuple[int, Message]]:
    """Messages from a game, each with the place of its reader."""
    game = played.game
    seat = 0 if game.decision is None else game.decision.seat
    view = game.view(seat)
    powers = 10 if game.rules.special_powers else 9
    return [
        (powers, view_to_message(view, 3)),
        (3, event_to_message(played.events[-1], 3)),
        (1, answers_to_message(answer_bounds(game))),
        (0, action_to_message(game.legal()[0] if game.decision is not None else played.answers[-1])),
        (8, rules_to_message(game.rules)),
        *[(2, effect_to_message(effect)) for effect in tile_effects(view)],
    ]


@settings(STEADY, max_examples=120)
@given(
    played=played_games(min_answers=1),
    changes=st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_bytes_that_changed_on_the_way(played: Played, changes: list[tuple[int, int]]) -> None:
    for place, message in _valid(played):
        data = bytearray(message.SerializeToString())
        for at, byte in changes:
            if data:
                data[at % len(data)] = byte
        _read_or_refused(*READERS[place], bytes(data))


ODD_NUMBERS = st.sampled_from((0, 1, 5, 6, 7, 25, 26, 107, 108, 2**31 - 1))


def _spoil(message: Message, data: st.DataObject) -> None:
    """Gives one field, here or deeper, a value that may be impossible for it."""
    field: Any = data.draw(st.sampled_from(list(message.DESCRIPTOR.fields)))  # its type depends on the backend
    value = getattr(message, field.name)
    if field.is_repeated:
        _spoil_list(value, data, odd="X" if field.type == field.TYPE_STRING else data.draw(ODD_NUMBERS))
    elif field.message_type is None:
        odd = {
            field.TYPE_BYTES: st.binary(min_size=107, max_size=109),
            field.TYPE_STRING: st.text(max_size=3),
            field.TYPE_BOOL: st.booleans(),
        }
        setattr(message, field.name, data.draw(odd.get(field.type, ODD_NUMBERS)))
    elif data.draw(st.booleans()):
        message.ClearField(field.name)
    else:
        value.SetInParent()
        if field.message_type.fields:
            _spoil(value, data)


def _spoil_list(values: Any, data: st.DataObject, odd: object) -> None:
    """Makes a list longer or shorter, or spoils one of its messages."""
    if len(values) and data.draw(st.booleans()):
        del values[-1]
    elif not hasattr(values, "add"):
        values.append(odd)
    elif len(values) and data.draw(st.booleans()):
        _spoil(data.draw(st.sampled_from(list(values))), data)
    else:
        values.add()


@settings(STEADY, max_examples=150)
@given(played=played_games(min_answers=1), data=st.data())
def test_fields_with_values_that_nothing_has(played: Played, data: st.DataObject) -> None:
    for place, message in _valid(played):
        _spoil(message, data)
        _read_or_refused(*READERS[place], message.SerializeToString())


@pytest.mark.parametrize(
    ("kind", "message", "reason", "text"),
    [
        (actions.Action, "", "not-set",
         "an action is not set; expected one of place, stop_play, "),
        (actions.Action, "place { square: 108 }", "out-of-range",
         "place.square is a whole number from 0 to 107, not 108"),
        (actions.Action, "name_founded { chain: 7 }", "out-of-range",
         "name_founded.chain is a whole number from 0 to 6, not 7"),
        (actions.Action, "buy { shares: [1, 2] }", "wrong-length",
         "buy.shares is 7 numbers, one for each chain, not 2"),
        (actions.Action, "buy { shares: [26, 0, 0, 0, 0, 0, 0] }", "out-of-range",
         "buy.shares is 7 counts from 0 to 25, not (26, 0, 0, 0, 0, 0, 0)"),
        (actions.Action, "buy { shares: [3, 3, 0, 0, 0, 0, 0] }", "malformed",
         "buy: a purchase is of 5 shares at most, not 6"),
        (actions.Action, "dispose { sell: 1 trade: 3 }", "odd-trade",
         "dispose: trade is the number of "),
        (actions.Action, "dispose { sell: 4294967295 }", "malformed",
         "dispose: sell is a whole number "),
        (actions.Action, "trade_pair { give: 1 take: 1 }", "same-chain",
         "trade_pair: the two chains "),
        (actions.Action, "offer_trade { give_cash: 100 }", "empty-side",
         "offer_trade: each side of an "),
        (actions.Action, "offer_trade { partner: 6 }", "out-of-range",
         "offer_trade.partner is a whole number from 0 to 5, not 6"),
        (actions.Action, "use_power { power: 7 }", UNKNOWN_KIND,
         "use_power.power is one of take-five, place-four, three-free, buy-five, trade-two; 7 is not known here"),
        (actions.Action, "use_power {}", "not-set", "use_power.power is not set; expected one of take-five, "),
        (questions.Question, "seat: 1", "not-set",
         "a question is not set; expected one of choose_tile"),
        (questions.Question, "seat: 6 choose_exchange { }", "out-of-range",
         "question.seat is a whole number from 0 to 5, not 6"),
        (questions.Question, "choose_tile { most: 1 }", "out-of-range",
         "choose_tile.number is a whole number from 1 to 108, not 0"),
        (questions.Question, "choose_power { }", "not-set",
         "choose_power.phase is not set; expected one of start, placing, buying"),
        (questions.Question, "choose_survivor { chains: [2, 2] }", "out-of-range",
         "choose_survivor.chains is a list of numbers below 7, each greater than the one before, not (2, 2)"),
        (questions.Step, "", "not-set",
         "a step is not set"),
        (questions.Step, "question { }", "not-set",
         "a question is not set"),
        (events.Event, "number: 3", "not-set",
         "an event is not set; expected one of start_tile_placed, "),
        (events.Event, "tiles_drawn { seat: 1 }", "out-of-range",
         "tiles_drawn.count is a whole number from 1 to 108, not 0"),
        (events.Event, "shares_bought { seat: 1 }", "wrong-length",
         "shares_bought.shares is 7 numbers, one for each chain, not 0"),
        (events.Event, "holdings_shown { holdings: [25, 1] }", "out-of-range",
         "holdings_shown.holdings is counts that come to 25 at most, not (25, 1)"),
        (events.Event, "result_reached { cash: 1 }", "wrong-length",
         "result_reached.cash is 2 to 6 numbers, one for each seat, not 1"),
        (events.Event, "game_ended { }", "not-set",
         "game_ended.reason is not set"),
        (answers.TileEffect, "kind: EFFECT_KIND_LONE", "out-of-range",
         "effect.size is a whole number from 1 to 108, not 0"),
        (answers.TileEffect, "size: 1", "not-set",
         "effect.kind is not set"),
        (answers.LegalAnswers, "count: 2", "not-set",
         "what can be answered is not set; expected one of listed, purchase, disposal, offer"),
        (answers.LegalAnswers, "disposal { held: 26 }", "out-of-range",
         "disposal.held is a whole number from 0 to 25, not 26"),
        (answers.LegalAnswers, "listed { actions { } }", "not-set",
         "an action is not set"),
        (answers.LegalAnswers, "offer { cash_step: 50 }", "out-of-range",
         "offer.asked_shares_max, asked_cash_steps_max and cash_step is (25, 1000, 100) here, not (0, 0, 50)"),
        (answers.LegalAnswers, "purchase { count_max: 6 }", "out-of-range",
         "purchase.count_max is a whole number from 0 to 5, not 6"),
        (answers.LegalAnswers, "purchase { count_max: 1 prices: [250, 250, 250, 250, 250, 250, 250] }", "out-of-range",
         "purchase.prices is multiples of 100 up to 1200"),
        (answers.LegalAnswers, "purchase { count_max: 1 prices: [0, 0, 0, 0, 0, 0, 0] market: [1, 1, 1, 1, 1, 1, 1] }",
         "out-of-range",
         "purchase.market is 0 for each chain without a price"),
        (answers.LegalAnswers, "purchase { count_min: 1 prices: [0, 0, 0, 0, 0, 0, 0] market: [0, 0, 0, 0, 0, 0, 0] }",
         "out-of-range",
         "purchase.count_min is a whole number from 0 to 0, not 1"),
        (referee.Problem, 'text: "no"', "not-set",
         "problem.reason is not set"),
        (match.Standing, "place: 1", "not-set",
         "standing.status is not set"),
        (match.Standing, "status: SEAT_STATUS_FINISHED", "out-of-range",
         "standing.place is a whole number from 1 to 6, not 0"),
        (match.Standing, "faults: [{ cause: 1 count: 1 }, { cause: 1 count: 1 }]", "named-twice",
         "standing.faults has the cause default: timeout twice"),
        (match.Standing, "faults { cause: FAULT_CAUSE_TIMEOUT }", "out-of-range",
         "standing.faults.count is a whole number from 1 to 4294967295, not 0"),
        (rules_pb2.Rules, 'chain_names: "Tower"', "wrong-length",
         "rules.chain_names is 7 names, not 1"),
    ],
)  # fmt: skip
def test_the_error_names_the_field(kind: type[Message], message: str, reason: str, text: str) -> None:
    read = next(read for known, read in READERS if known is kind)
    with pytest.raises(WireError) as refusal:
        read(text_format.Parse(message, kind()))
    assert refusal.value.reason == reason
    assert str(refusal.value).startswith(text)


def test_the_rule_that_stands_against_an_action_is_named() -> None:
    with pytest.raises(WireError) as refusal:
        action_from_message(actions.Action(dispose=actions.Dispose(trade=1)))
    assert refusal.value.rule == "MRG-8"


def _mid_merger() -> Game:
    text = "rules renegade-classic\nseats 3\nboard\n  E ...SS.TTT...\nturn 9 seat 0\nseat 0 tiles 6E shares S2\n"
    game = parse_position(text)
    game.apply(game.legal()[0])
    assert isinstance(game.decision, ChooseDisposal)
    return game


@pytest.mark.parametrize(
    ("spoil", "reason", "text"),
    [
        (lambda view: view.ClearField("seats"), "out-of-range", "view.seats is a whole number from 2 to 6, not 0"),
        (lambda view: setattr(view, "seats", 4), "wrong-length", "view.players is one for each of 4 seats, not 3"),
        (lambda view: setattr(view, "seat", 3), "out-of-range", "view.seat is a whole number from 0 to 2, not 3"),
        (lambda view: setattr(view, "turn_seat", 3), "out-of-range", "view.turn_seat is a whole number from 0 to 2, not 3"),
        (lambda view: setattr(view, "board", bytes(107)), "wrong-length", "view.board is 108 bytes, not 107"),
        (lambda view: setattr(view, "board", bytes([9]) * 108), "out-of-range", "view.board is bytes from 0 to 8, not "),
        (lambda view: view.sizes.append(1), "wrong-length", "view.sizes is 7 numbers, one for each chain, not 8"),
        (lambda view: view.sizes.__setitem__(0, 109), "out-of-range", "view.sizes is numbers that come to 108 at most"),
        (lambda view: view.market.pop(), "wrong-length", "view.market is 7 numbers"),
        (lambda view: setattr(view, "pile", 109), "out-of-range", "view.pile is a whole number from 0 to 108, not 109"),
        (lambda view: view.hand.extend([5, 4]), "out-of-range", "view.hand is a list of numbers below 108, each greater"),
        (lambda view: view.set_aside.append(108), "out-of-range", "view.set_aside is a list of numbers below 108"),
        (lambda view: view.players[1].shares.counts.pop(), "wrong-length", "view.players.shares is 7 numbers"),
        (lambda view: setattr(view.players[1], "hand_size", 999), "out-of-range", "view.players.hand_size is a whole number"),
        (lambda view: view.merger.holdings.pop(), "wrong-length", "view.merger.holdings is one for each of 3 seats, not 2"),
        (lambda view: view.merger.ClearField("acquired"), "wrong-length",
         "view.merger.holdings is empty while no chain is being settled, not 3"),
        (lambda view: view.asked.ClearField("choose_disposal"), "not-set", "a question is not set"),
        (lambda view: view.agenda.add(), "not-set", "a step is not set"),
        (lambda view: setattr(view, "over", 7), UNKNOWN_KIND, "view.over is one of declared, stuck; 7 is not known here"),
    ],
)  # fmt: skip
def test_views_that_cannot_be(spoil: Callable[[view_pb2.View], object], reason: str, text: str) -> None:
    message = view_to_message(_mid_merger().view(0))
    spoil(message)
    with pytest.raises(WireError) as refusal:
        view_from_message(message, CLASSIC)
    assert refusal.value.reason == reason
    assert str(refusal.value).startswith(text)


# --- what a newer version may send ---


@settings(STEADY, max_examples=40)
@given(played=played_games(min_answers=1))
def test_unknown_fields_are_ignored(played: Played) -> None:
    for place, message in _valid(played):
        kind, read = READERS[place]
        assert read(kind.FromString(message.SerializeToString() + UNKNOWN_FIELDS)) == read(message)


@pytest.mark.parametrize(("kind", "read"), [READERS[place] for place in (0, 1, 3, 5, 6)])
def test_an_unknown_kind_is_told_from_none(kind: type[Message], read: Callable[[Any], object]) -> None:
    with pytest.raises(WireError, match=r"is not known here \(field 98, 99\)") as refusal:
        read(kind.FromString(UNKNOWN_FIELDS))
    assert refusal.value.reason == UNKNOWN_KIND


def test_unknown_steps_of_the_agenda_are_passed_over() -> None:
    view = _mid_merger().view(0)
    message = view_to_message(view)
    message.agenda.insert(0, questions.Step.FromString(UNKNOWN_FIELDS))
    assert view_from_message(message, CLASSIC) == view
    assert isinstance(view.agenda[0], PassTurn)


def test_an_unknown_question_is_an_error() -> None:
    message = view_to_message(_mid_merger().view(0))
    message.asked.CopyFrom(questions.Question.FromString(UNKNOWN_FIELDS))
    with pytest.raises(WireError) as refusal:
        view_from_message(message, CLASSIC)
    assert refusal.value.reason == UNKNOWN_KIND


def test_tiles_that_do_something_unknown_are_passed_over() -> None:
    game = Game(CLASSIC, 3, Deal.from_seed(bytes(32)))
    known = tile_effects(game.view(0))
    messages = [effect_to_message(effect) for effect in known]
    messages[0].kind = answers.EffectKind.ValueType(9)
    assert effects_from_messages(messages) == known[1:]
    messages[1].size = 0
    with pytest.raises(WireError, match=r"effect\.size"):
        effects_from_messages(messages)


@pytest.mark.parametrize("name", PRESETS)
def test_views_without_powers_say_nothing_of_them(name: str) -> None:
    game = Game(PRESETS[name], 3, Deal.from_seed(bytes(32)))
    message = view_to_message(game.view(0))
    message.players[0].powers_used.append(actions.POWER_TAKE_FIVE)
    powers = view_from_message(message, PRESETS[name]).powers_used
    assert len(powers) == (3 if PRESETS[name].special_powers else 0)


class TooLong(list[int]):
    """A list that must not be copied."""

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("its length says enough")


@pytest.mark.parametrize("read", [by_chain, by_seat, shares, shares_or_none, holdings, squares, chains])
def test_a_list_of_the_wrong_length_is_not_copied(read: Callable[[Sequence[int], str], object]) -> None:
    with pytest.raises(WireError, match="64000") as caught:
        read(TooLong([1] * 64_000), "buy.shares")
    assert caught.value.reason == "wrong-length"
