"""Turns without a match: the question of a game or of a view, as a bot gets it."""

from collections.abc import Sequence
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.defaults import default_index
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.events import Event, seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.views import View

from mergemaker_client.errors import BotError
from mergemaker_client.turn import NO_CLOCK, NONCE_BYTES, MatchInfo, Turn

POSITION: Final = "position"
"""The match's id in a turn that is of no match."""


def turn_from(
    game: Game,
    *,
    match: MatchInfo | None = None,
    nonce: bytes = bytes(NONCE_BYTES),
    number: int = 1,
    events: Sequence[Event] | None = None,
    events_seen: int | None = None,
) -> Turn:
    """The open question of a game, as the turn of the seat that is asked, without a time limit.

    It stays as it is when the game goes on. `match` is what the seat knows of its match, which else has a name and `nonce`
    alone; `number` counts the questions to the seat. `events` are those since it was last asked, by default those before the
    first question; and `events_seen` is the number of the last one, by default their count.
    """
    decision = game.decision
    if decision is None:
        raise BotError("game-over", "the game of this position is over: nobody is asked anything")
    seat = decision.seat
    if match is None:
        names = tuple(f"seat {each}" for each in range(game.seats))
        match = MatchInfo(POSITION, game.rules, game.seats, seat, names, nonce, NO_CLOCK)
    if (match.rules, match.seats, match.seat) != (game.rules, game.seats, seat):
        raise BotError(
            "wrong-match",
            f"this game asks seat {seat} of {game.seats}, and the match given is that of seat {match.seat} of {match.seats}: "
            "give the match of that seat, with the rules of the game",
        )
    told = seen_by(seat, game.start_events if events is None else events)
    return turn_of(match, number, game.view(seat), game.legal(), told, len(told) if events_seen is None else events_seen)


def turn_of(
    match: MatchInfo, number: int, view: View, answers: Sequence[Action], events: Sequence[Event], events_seen: int
) -> Turn:
    """The question of a local game, without a time limit.

    `view` is that of the asked seat, `answers` are all legal answers.
    """
    assert view.decision is not None, "somebody is asked"
    default = answers[default_index(view.decision, answers)]
    return Turn(match, number, view, view.decision, answers, default, choice_effects(view), tuple(events), events_seen)
