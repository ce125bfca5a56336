"""What still comes to a table after the end of its match."""

from typing import assert_never

from mergemaker_table.desk import Desk
from mergemaker_table.inputs import (
    Answered,
    BarrierPassed,
    Declined,
    FollowedUp,
    Handed,
    Input,
    Joined,
    JoiningBegins,
    Left,
    Resign,
    RoundTrip,
    SeatCommitted,
    SeatRevealed,
    TakenOver,
    Tick,
    Void,
)
from mergemaker_table.outputs import Accepted, RefusalReason


def take_afterwards(desk: Desk, given: Input) -> None:
    """The match is over: writes nothing more, and says so to bots."""
    text = "the match is over"
    match given:
        case Answered(number, decision_id):
            if desk.seats[number].has_answered(decision_id):
                desk.say(Accepted(number, decision_id))
            else:
                desk.refuse_answer(given, RefusalReason.MATCH_OVER, text)
        case SeatCommitted(number) | SeatRevealed(number):
            desk.refuse_part(number, RefusalReason.MATCH_OVER, text)
        case Joined(number) | TakenOver(number):
            desk.seats[number].connected = True
        case Left(number):
            desk.seats[number].connected = False
        case Handed() | BarrierPassed() | FollowedUp() | RoundTrip() | Resign() | Declined() | JoiningBegins() | Void() | Tick():
            pass
        case _:
            assert_never(given)
