"""Which seats a known bot may take: looked up by its name, however many matches others have played."""

from types import SimpleNamespace
from typing import Any, cast

from mergemaker_referee.identities import KnownBot
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.records.secrets_file import SeatKey
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.sessions.session import Session
from mergemaker_referee.tokens import TokenBook


class Match:
    """What seating needs of a match."""

    def __init__(self, name: str, seats: int) -> None:
        self.id = name
        self.links: list[Any] = [None] * seats
        self.is_over = False


ANYBODY = cast("Session", SimpleNamespace(declined=set(), bot_version="", identity=KnownBot("x"), id="s"))


def made(seating: Seating[HostedMatch], name: str, *bots: str) -> HostedMatch:
    match = cast("HostedMatch", Match(name, len(bots)))
    seating.add(match, [SeatKey(bot=bot) for bot in bots])
    return match


def test_a_bots_seats_come_in_the_order_in_which_their_matches_were_made() -> None:
    seating: Seating[HostedMatch] = Seating(TokenBook())
    first, second = made(seating, "b", "x", "y", "x"), made(seating, "a", "y", "x")
    assert list(seating.free_seats_of("x", ANYBODY)) == [(first, 0), (first, 2), (second, 1)]
    seating.remove(first)
    assert list(seating.free_seats_of("x", ANYBODY)) == [(second, 1)]
    assert list(seating.free_seats_of("z", ANYBODY)) == []


def test_nothing_is_kept_of_matches_that_are_removed() -> None:
    seating: Seating[HostedMatch] = Seating(TokenBook())
    for match in [made(seating, str(number), "x", "y") for number in range(10)]:
        seating.remove(match)
        seating.remove(match)
    assert not seating.matches
    assert not seating._keys
    assert not seating._seats


def test_another_bots_matches_are_not_looked_at() -> None:
    seating: Seating[HostedMatch] = Seating(TokenBook())
    for number in range(10):
        made(seating, str(number), "x")
    assert list(seating._seats_of(KnownBot("y"))) == []
    assert len(list(seating._seats_of(KnownBot("x")))) == 10
