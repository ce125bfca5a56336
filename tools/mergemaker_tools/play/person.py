"""How a person's game is told: the person is `you`, and the others have the names of their bots. No I/O."""

from collections.abc import Sequence
from typing import Final

from mergemaker_client.turn import MatchInfo, MatchResult

from mergemaker_tools.phrases import Voice
from mergemaker_tools.play.stakes import listed, ordinal

YOU: Final = "you"


def _other_names(bots: Sequence[str]) -> list[str]:
    """By seat; the seat's number tells bots of one name apart."""
    return [bot if list(bots).count(bot) == 1 else f"{bot} (seat {seat})" for seat, bot in enumerate(bots)]


class PersonsVoice(Voice):
    """Speaks to the person at one seat."""

    tells_proceeds = True

    def __init__(self, bots: Sequence[str], seat: int) -> None:
        self._names: Final = _other_names(bots)
        self._seat: Final = seat

    def who(self, seat: int) -> str:
        """The person, or a bot."""
        return YOU if seat == self._seat else self._names[seat]

    def does(self, seat: int, verb: str) -> str:
        """`you keep`, and `greedy keeps`."""
        return verb.removesuffix("s") if seat == self._seat else verb

    def paid(self, amounts: Sequence[int]) -> str:
        """Who is paid what, as in `greedy $3,000 and you $1,500`."""
        return listed([f"{self.who(seat)} ${amount:,}" for seat, amount in enumerate(amounts) if amount]) or "nobody"


def greeting(match: MatchInfo, voice: PersonsVoice) -> str:
    """What a person is told before anything has happened."""
    others = listed([voice.who(seat) for seat in range(match.seats) if seat != match.seat])
    return (
        f"You have seat {match.seat}, and play against {others}. The one with the most money at the end wins. "
        "`help` shows how to answer, `hint` what the bot greedy would do, `card` all prices and bonuses."
    )


def ending(result: MatchResult, seat: int, voice: PersonsVoice) -> str:
    """How the match ended for a person."""
    if not result.standings:
        return f"The match was given up: {result.why}."
    own = result.standings[seat]
    first = [standing for standing in result.standings if standing.place == 1]
    if own.place == 1:
        shares_it = " and share the first place" if len(first) > 1 else ""
        return f"You won{shares_it}, with ${own.cash:,}!"
    winners = listed([voice.who(standing.seat) for standing in first])
    return f"You came {ordinal(own.place)} of {len(result.standings)} with ${own.cash:,}. {winners} won with ${first[0].cash:,}."
