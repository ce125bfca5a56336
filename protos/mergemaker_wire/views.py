"""Views as messages, and back.

A view is made for each question to a bot: `decision_bytes` makes the same without a message.
"""

from collections.abc import Iterable
from typing import Final

from mergemaker.v1 import events_pb2, questions_pb2
from mergemaker.v1 import view_pb2 as pb
from mergemaker_engine.actions import Power
from mergemaker_engine.board import CHAINS, SQUARES
from mergemaker_engine.decisions import Step
from mergemaker_engine.rules import SEATS_MAX, SEATS_MIN, Rules
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.views import FIRST_CHAIN_SQUARE, MergerView, View

from mergemaker_wire.decisions import asked_bytes, decision_from_message, step_from_bytes
from mergemaker_wire.enums import END_REASONS, POWERS, UNSPECIFIED
from mergemaker_wire.errors import UNKNOWN_KIND, WireError, out_of_range, wrong_length
from mergemaker_wire.fields import by_chain, chain, chains, holdings, number, shares, square, squares

_MARKS: Final = bytes(range(FIRST_CHAIN_SQUARE + CHAINS))
"""All possible values of a board's square."""
_tile_count: Final = number(0, SQUARES)
_seats: Final = number(SEATS_MIN, SEATS_MAX)


def merger_to_message(merger: MergerView) -> pb.MergerView:
    """The message of the current merger."""
    return pb.MergerView(
        square=merger.square,
        survivor=merger.survivor,
        chains=merger.chains,
        acquired=merger.acquired,
        holdings=merger.holdings,
    )


def seat_to_message(hand_size: int, cash: int | None, held: tuple[int, ...] | None, powers: tuple[Power, ...]) -> pb.SeatView:
    """The message of one seat in a view."""
    return pb.SeatView(
        hand_size=hand_size,
        cash=cash,
        shares=None if held is None else pb.Shares(counts=held),
        powers_used=[POWERS.numbers[power] for power in powers],
    )


def view_to_message(view: View, last_event: Unchecked[int] = 0) -> pb.View:
    """The message of a view without its rules, with the number of the last event that it includes."""
    powers_used = view.powers_used or ((),) * view.seats
    message = pb.View(
        last_event=last_event,
        seats=view.seats,
        seat=view.seat,
        turn=view.turn,
        turn_seat=view.turn_seat,
        board=view.board,
        sizes=view.sizes,
        prices=view.prices,
        market=view.market,
        pile=view.pile,
        set_aside=view.set_aside,
        hand=view.hand,
        players=list(map(seat_to_message, view.hand_sizes, view.cash, view.shares, powers_used)),
        declared=view.declared,
        end_allowed=view.end_allowed,
        power_used=view.power_used,
        moved=view.moved,
        idle=view.idle,
        merger=None if view.merger is None else merger_to_message(view.merger),
        over=events_pb2.END_REASON_UNSPECIFIED if view.over is None else END_REASONS.numbers[view.over],
    )
    message.MergeFromString(asked_bytes(view.decision, view.agenda))
    return message


def view_from_message(message: pb.View, rules: Rules) -> View:
    """The view in a message, for a match with these rules.

    The number of the last event that it includes is `message.last_event`. Steps that only a newer version knows are
    skipped; a question that only a newer version knows is an error.
    """
    seats = _seats(message.seats, "view.seats")
    board = message.board
    if len(board) != SQUARES:
        raise wrong_length("view.board", f"{SQUARES} bytes", len(board))
    if board.translate(None, _MARKS):
        raise out_of_range("view.board", f"bytes from 0 to {len(_MARKS) - 1}", board)
    sizes = by_chain(message.sizes, "view.sizes")
    if sum(sizes) > SQUARES:
        raise out_of_range("view.sizes", f"numbers that come to {SQUARES} at most", sizes)
    players = message.players
    if len(players) != seats:
        raise wrong_length("view.players", f"one for each of {seats} seats", len(players))
    seat_at = number(0, seats - 1)
    return View(
        rules=rules,
        seats=seats,
        seat=seat_at(message.seat, "view.seat") if message.HasField("seat") else None,
        turn=message.turn,
        turn_seat=seat_at(message.turn_seat, "view.turn_seat"),
        board=board,
        sizes=sizes,
        prices=by_chain(message.prices, "view.prices"),
        market=shares(message.market, "view.market"),
        pile=_tile_count(message.pile, "view.pile"),
        set_aside=squares(message.set_aside, "view.set_aside"),
        hand=squares(message.hand, "view.hand"),
        hand_sizes=tuple([_tile_count(player.hand_size, "view.players.hand_size") for player in players]),
        cash=tuple([player.cash if player.HasField("cash") else None for player in players]),
        shares=tuple(
            [shares(player.shares.counts, "view.players.shares") if player.HasField("shares") else None for player in players]
        ),
        powers_used=tuple([_powers_used(player) for player in players]) if rules.special_powers else (),
        declared=message.declared,
        end_allowed=message.end_allowed,
        power_used=message.power_used,
        moved=message.moved,
        idle=message.idle,
        merger=_merger(message.merger, seats) if message.HasField("merger") else None,
        decision=decision_from_message(message.asked) if message.HasField("asked") else None,
        agenda=_agenda(message.agenda),
        over=END_REASONS.read(message.over, "view.over") if message.over != UNSPECIFIED else None,
    )


def _powers_used(player: pb.SeatView) -> tuple[Power, ...]:
    return tuple([POWERS.read(power, "view.players.powers_used") for power in player.powers_used])


def _agenda(messages: Iterable[questions_pb2.Step]) -> tuple[Step, ...]:
    steps = []
    for message in messages:
        try:
            steps.append(step_from_bytes(message.SerializeToString()))
        except WireError as error:
            if error.reason != UNKNOWN_KIND:
                raise
    return tuple(steps)


def _merger(message: pb.MergerView, seats: int) -> MergerView:
    is_settled = message.HasField("acquired")
    held: tuple[int, ...] = ()
    if is_settled:
        held = holdings(message.holdings, "view.merger.holdings")
    if len(message.holdings) != (seats if is_settled else 0):
        expected = f"one for each of {seats} seats" if is_settled else "empty while no chain is being settled"
        raise wrong_length("view.merger.holdings", expected, len(message.holdings))
    return MergerView(
        square=square(message.square, "view.merger.square"),
        survivor=chain(message.survivor, "view.merger.survivor") if message.HasField("survivor") else None,
        chains=chains(message.chains, "view.merger.chains"),
        acquired=chain(message.acquired, "view.merger.acquired") if is_settled else None,
        holdings=held,
    )
