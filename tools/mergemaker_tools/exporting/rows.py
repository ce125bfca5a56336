"""The rows of a record: its game is played again, and read before each answer."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from mergemaker_engine.actions import CODES, CODES_WITHOUT_POWERS, UNCODED, Action, OfferTrade, code_of
from mergemaker_engine.board import ALL_CHAINS, CELL, spread, squares_of
from mergemaker_engine.decisions import (
    ChooseDisposal,
    ChooseFounded,
    ChooseOffer,
    ChooseReply,
    ChooseSurvivor,
    Decision,
    SettleNext,
)
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.game import Game
from mergemaker_engine.notation import rules_text
from mergemaker_engine.record.lines import DecisionLine, EndLine, Header
from mergemaker_engine.record.reading import Record, answered, wrong
from mergemaker_engine.rules import Assets
from mergemaker_engine.state import end_allowed, pile_size
from mergemaker_engine.views import board_bytes

from mergemaker_tools.exporting.columns import EXPORT_VERSION

Value: TypeAlias = str | int | bool | list[int] | None
Row: TypeAlias = list[Value]
"""One value for each column of `COLUMNS`."""

FIRST_PLACE: Final = 1
_BOARD_DIGITS: Final = bytes(ord("0") + mark % 10 for mark in range(256))
"""Translates a view's marks, which are 0 to 8, into digits."""


def rows_of(record: Record, file: str, *, with_repeated: bool = False) -> Iterator[Row]:
    """A row for each decision; decisions that a fork repeats are left out unless `with_repeated`.

    Whether the answers are legal and lead to the result is checked on the way; an error at the end makes all rows
    before it worthless.
    """
    if record.end is None:
        raise RecordError("unfinished", "the record has no end line, so nobody knows yet who won", line=record.lines)
    game = record.start()
    header = record.header
    of_match = _match_values(header)
    parent = header.parent
    repeats = repeated_in(record)
    afterwards = [_values_afterwards(record.end, seat) for seat in range(header.seats)]
    for line_number, line in record.entries:
        if isinstance(line, DecisionLine):
            repeated = line.number <= repeats
            if repeated and not with_repeated:
                _answered(game, line, line_number)
                continue
            before = _position_values(game, line.seat)
            legal = _legal_values(game)
            decision, answer = _answered(game, line, line_number)
            yield [
                EXPORT_VERSION,
                file,
                header.match,
                parent.match if parent else None,
                repeated,
                *of_match,
                line.number,
                line_number,
                line.seat,
                header.bots[line.seat],
                *before[:2],
                type(decision).__name__,
                line.asked,
                *before[2:],
                *legal,
                *_answer_values(line, answer),
                *afterwards[line.seat],
            ]
    _check_result(record, record.end, game)


def repeated_in(record: Record) -> int:
    """How many decisions a fork repeats from its parent: its first ones."""
    parent = record.header.parent
    return min(parent.decision - 1, len(record.decisions)) if parent else 0


def file_text(path: Path) -> str:
    """A record's path for the column `file`; bytes that are no text are written as in Python."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _answered(game: Game, line: DecisionLine, line_number: int) -> tuple[Decision, Action]:
    """Plays on; returns what was asked and answered."""
    try:
        decision, answer, _ = answered(game, line)
    except EngineError as error:
        raise wrong(error, line_number) from error
    return decision, answer


def _match_values(header: Header) -> Row:
    """The same in every row: `rules` to `assets_open`."""
    rules = header.rules
    return [
        rules_text(rules),
        rules.fingerprint(),
        header.seats,
        CODES if rules.special_powers else CODES_WITHOUT_POWERS,
        rules.assets is Assets.OPEN,
    ]


def _position_values(game: Game, seat: int) -> Row:
    """`turn` and `turn_seat`, then `board` to `hand`."""
    seats = game.seats
    shares = game.shares
    return [
        game.turn,
        game.seat,
        board_bytes(game).translate(_BOARD_DIGITS).decode("ascii"),
        game.sizes[:],
        game.prices[:],
        game.market[:],
        pile_size(game),
        sorted(squares_of(game.aside)),
        [len(hand) for hand in game.hands],
        game.powers_used[:],
        game.declared,
        end_allowed(game),
        *_tile_values(game),
        *_offer_values(game),
        game.cash[:],
        [count for other in range(seats) for count in shares[other::seats]],
        list(squares_of(game.hands[seat])),
    ]


def _tile_values(game: Game) -> Row:
    """`tile` to `acquired`: the founding or merger that is open."""
    asked = game.decision
    if isinstance(asked, ChooseFounded):
        return [asked.square, _joined(game, asked.square), None, None, None]
    for step in reversed(game.agenda):
        if isinstance(step, ChooseSurvivor):
            chains, survivor = step.chains, None
        elif isinstance(step, SettleNext):
            chains, survivor = tuple(sorted((*step.acquired, step.survivor))), step.survivor
        else:
            continue
        size = _joined(game, step.square) + sum(game.sizes[chain] for chain in chains)
        acquired = asked.acquired if isinstance(asked, ChooseDisposal) else None
        return [step.square, size, list(chains), survivor, acquired]
    return [None] * 5


def _joined(game: Game, square: int) -> int:
    """A placed tile, and the independent tiles that are connected to it."""
    # The label does not matter on a copy.
    return spread(game.board[:], CELL[square], ALL_CHAINS)


def _offer_values(game: Game) -> Row:
    """`offer_seat` to `offer_take_cash`."""
    asked = game.decision
    if isinstance(asked, ChooseReply):
        return [asked.proposer, *_sides(asked)]
    return [None] * 5


def _sides(offer: ChooseReply | OfferTrade) -> Row:
    return [list(offer.give_shares), offer.give_cash, list(offer.take_shares), offer.take_cash]


def _legal_values(game: Game) -> Row:
    """`legal` and `legal_codes`."""
    legal = game.legal()
    if isinstance(game.decision, ChooseOffer | ChooseReply):
        return [len(legal), None]
    return [len(legal), [code_of(action) for action in legal]]


def _answer_values(line: DecisionLine, answer: Action) -> Row:
    """`answer` to `bank_ms`."""
    code = None if isinstance(answer, UNCODED) else code_of(answer)
    offer: Row = [answer.partner, *_sides(answer)] if isinstance(answer, OfferTrade) else [None] * 5
    return [line.answer, code, *offer, str(line.by), _number(line.run, "used_ms"), _number(line.run, "bank_ms")]


def _number(run: Mapping[str, object], name: str) -> int | None:
    """A whole number in a line's part `run`, which may contain anything."""
    value = run.get(name)
    return value if type(value) is int else None


def _values_afterwards(end: EndLine, seat: int) -> Row:
    """`ended` to `won`."""
    if end.cash is None or end.places is None:
        return [str(end.why), None, None, None]
    return [str(end.why), end.cash[seat], end.places[seat], end.places[seat] == FIRST_PLACE]


def _check_result(record: Record, end: EndLine, game: Game) -> None:
    """Checks that the labels are those of the game that was played."""
    if end.cash is None:
        return
    result = game.result
    if result is None or (str(result.reason), result.cash, result.places) != (str(end.why), end.cash, end.places):
        raise RecordError("result", "the end line gives another result than the game has", line=record.lines)
