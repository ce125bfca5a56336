"""The rows of a record: its game is played again, and read before each answer."""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from mergemaker_engine.actions import CODES, CODES_WITHOUT_POWERS, UNCODED, Action, code_of
from mergemaker_engine.board import squares_of
from mergemaker_engine.decisions import ChooseOffer, ChooseReply
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


def rows_of(record: Record) -> Iterator[Row]:
    """A row for each decision.

    Whether the answers are legal and lead to the result is checked on the way; an error at the end makes all rows
    before it worthless.
    """
    if record.end is None:
        raise RecordError("unfinished", "the record has no end line, so nobody knows yet who won", line=record.lines)
    game = record.start()
    of_match = _match_values(record.header)
    afterwards = [_values_afterwards(record.end, seat) for seat in range(record.header.seats)]
    for line_number, line in record.entries:
        if isinstance(line, DecisionLine):
            before = _position_values(game, line.seat)
            legal = _legal_values(game)
            try:
                decision, answer, _ = answered(game, line)
            except EngineError as error:
                raise wrong(error, line_number) from error
            yield [
                *of_match,
                line.number,
                line_number,
                line.seat,
                record.header.bots[line.seat],
                *before[:2],
                type(decision).__name__,
                line.asked,
                *before[2:],
                *legal,
                *_answer_values(line, answer),
                *afterwards[line.seat],
            ]
    _check_result(record, record.end, game)


def _match_values(header: Header) -> Row:
    """The same in every row: `export_version` to `assets_open`."""
    rules = header.rules
    return [
        EXPORT_VERSION,
        header.match,
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
        game.cash[:],
        [count for other in range(seats) for count in shares[other::seats]],
        list(squares_of(game.hands[seat])),
    ]


def _legal_values(game: Game) -> Row:
    """`legal` and `legal_codes`."""
    legal = game.legal()
    if isinstance(game.decision, ChooseOffer | ChooseReply):
        return [len(legal), None]
    return [len(legal), [code_of(action) for action in legal]]


def _answer_values(line: DecisionLine, answer: Action) -> Row:
    """`answer` to `bank_ms`."""
    code = None if isinstance(answer, UNCODED) else code_of(answer)
    return [line.answer, code, str(line.by), _number(line.run, "used_ms"), _number(line.run, "bank_ms")]


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
