"""Views, legal answers and what tiles would do, as the bytes of their messages.

Each question carries all of them, so this is a good part of a decision's cost. The messages of `views` and `answers`
say the same, and a test compares the two. Parts that rarely change are kept.
"""

from functools import lru_cache
from typing import Final

from mergemaker.v1 import answers_pb2, view_pb2
from mergemaker_engine.actions import Action, Power
from mergemaker_engine.board import CHAINS, SQUARES
from mergemaker_engine.bounds import AnswerBounds, Listed
from mergemaker_engine.effects import EffectKind, TileEffect
from mergemaker_engine.views import View

from mergemaker_wire.actions import action_to_message
from mergemaker_wire.answers import answers_to_message
from mergemaker_wire.decisions import asked_bytes
from mergemaker_wire.enums import EFFECT_KINDS, END_REASONS
from mergemaker_wire.raw import ONE_BYTE, number_tags, packed, part_bytes, part_tags, varint
from mergemaker_wire.views import merger_to_message, seat_to_message

_KEPT_MAX: Final = 4_096

_NUMBER: Final = number_tags(view_pb2.View)
_PART: Final = part_tags(view_pb2.View)
_LAST_EVENT, _SEATS, _SEAT, _TURN, _TURN_SEAT = (_NUMBER[name] for name in ("last_event", "seats", "seat", "turn", "turn_seat"))
_PILE, _IDLE, _OVER = _NUMBER["pile"], _NUMBER["idle"], _NUMBER["over"]
_SET_ASIDE, _HAND = _PART["set_aside"], _PART["hand"]
# These have the same length in every view.
_BOARD, _SIZES, _MARKET = _PART["board"] + varint(SQUARES), _PART["sizes"] + varint(CHAINS), _PART["market"] + varint(CHAINS)
_ONE_BYTE: Final = tuple(bytes((number,)) for number in range(ONE_BYTE))
_SMALL: Final = b"%b%%c%b%%c%b%%c%b%%c" % (_SEATS, _TURN_SEAT, _PILE, _HAND)
"""Numbers of seats and tiles, each below 128 and so one byte. The hand follows its length."""
_TRUE: Final = b"\x01"
_DECLARED, _END_ALLOWED, _POWER_USED, _MOVED = (
    _NUMBER[name] + _TRUE for name in ("declared", "end_allowed", "power_used", "moved")
)
_EFFECT_NUMBER: Final = number_tags(answers_pb2.TileEffect)
_EFFECT_PART: Final = part_tags(answers_pb2.TileEffect)
_ACTIONS: Final = part_tags(answers_pb2.ListedAnswers)["actions"]
_COUNT: Final = number_tags(answers_pb2.LegalAnswers)["count"]
_LISTED: Final = part_tags(answers_pb2.LegalAnswers)["listed"]
_MERGER: Final = _PART["merger"]


@lru_cache(maxsize=_KEPT_MAX)
def _player(hand_size: int, cash: int | None, held: tuple[int, ...] | None, powers: tuple[Power, ...]) -> bytes:
    return part_bytes(_PART["players"], seat_to_message(hand_size, cash, held, powers).SerializeToString())


@lru_cache(maxsize=_KEPT_MAX)
def _prices(prices: tuple[int, ...]) -> bytes:
    return part_bytes(_PART["prices"], packed(prices))


def view_bytes(view: View, last_event: int = 0) -> bytes:
    """The bytes of `view_to_message(view, last_event)`."""
    # Squares, sizes and counts of shares are all below 128, so a list of them is its own packed form.
    hand = bytes(view.hand)
    parts = [
        _LAST_EVENT, varint(last_event), _TURN, varint(view.turn), _BOARD, view.board, _SIZES, bytes(view.sizes),
        _prices(view.prices), _MARKET, bytes(view.market), _IDLE, varint(view.idle),
        _SMALL % (view.seats, view.turn_seat, view.pile, len(hand)), hand,
    ]  # fmt: skip
    if view.seat is not None:
        parts += (_SEAT, _ONE_BYTE[view.seat])
    if view.set_aside:
        parts += (_SET_ASIDE, varint(len(view.set_aside)), bytes(view.set_aside))
    parts += map(_player, view.hand_sizes, view.cash, view.shares, view.powers_used or ((),) * view.seats)
    if view.declared:
        parts.append(_DECLARED)
    if view.end_allowed:
        parts.append(_END_ALLOWED)
    if view.power_used:
        parts.append(_POWER_USED)
    if view.moved:
        parts.append(_MOVED)
    if view.merger is not None:
        parts.append(part_bytes(_MERGER, merger_to_message(view.merger).SerializeToString()))
    if view.over is not None:
        parts += (_OVER, varint(END_REASONS.numbers[view.over]))
    parts.append(asked_bytes(view.decision, view.agenda))
    return b"".join(parts)


@lru_cache(maxsize=_KEPT_MAX)
def _listed(action: Action) -> bytes:
    return part_bytes(_ACTIONS, action_to_message(action).SerializeToString())


def answers_bytes(bounds: AnswerBounds, count: int) -> bytes:
    """The bytes of `answers_to_message(bounds, count)`."""
    if type(bounds) is Listed:
        return _COUNT + varint(count) + part_bytes(_LISTED, b"".join(map(_listed, bounds.actions)))
    return answers_to_message(bounds, count).SerializeToString()


def effect_bytes(effect: TileEffect) -> bytes:
    """The bytes of `effect_to_message(effect)`."""
    return _effect(effect.square, effect.kind, effect.chains, effect.survivors, effect.size)


@lru_cache(maxsize=_KEPT_MAX)
def _effect(square: int, kind: EffectKind, chains: tuple[int, ...], survivors: tuple[int, ...], size: int) -> bytes:
    numbers, parts = _EFFECT_NUMBER, _EFFECT_PART
    return b"".join(
        (
            numbers["square"], varint(square), numbers["kind"], varint(EFFECT_KINDS.numbers[kind]),
            part_bytes(parts["chains"], packed(chains)), part_bytes(parts["survivors"], packed(survivors)),
            numbers["size"], varint(size),
        )
    )  # fmt: skip
