"""A bot as its matches show it: results, how it did against whom, and what went wrong."""

from collections import Counter
from typing import Final

from mergemaker_web.server.catalogue import OVER, Catalogue
from mergemaker_web.server.messages import Bot, Fault, HeadToHead, Match
from mergemaker_web.server.problems import WebProblem
from mergemaker_web.server.records import Released

RECENT_MAX: Final = 50
FAULTY_RECORDS_MAX: Final = 5
"""How many of the newest records with faults are read for one page."""
FAULTS_MAX: Final = 50


async def bot_of(catalogue: Catalogue, released: Released, name: str) -> Bot:
    """A bot by its name; raises that it is not known."""
    played = [match for match in await catalogue.all() if any(seat.bot == name for seat in match.seats)]
    if not played:
        raise WebProblem(
            404, "unknown-bot", "no listed match has a bot of this name", "See the list of matches, and follow the link of a bot."
        )
    over = [match for match in played if match.phase == OVER]
    results = [seat for match in over for seat in match.seats if seat.bot == name and seat.place is not None]
    money = [seat.cash for seat in results if seat.cash is not None]
    return Bot(
        bot=name,
        matches=len([match for match in over if any(seat.place is not None for seat in match.seats)]),
        wins=sum(seat.place == 1 for seat in results),
        mean_cash=round(sum(money) / len(money)) if money else None,
        recent=played[:RECENT_MAX],
        against=_against(over, name),
        faults=await _faults(catalogue, released, over, name),
    )


def _against(over: list[Match], name: str) -> list[HeadToHead]:
    """By opponent: in how many matches it came before and after the bot, whose best seat counts."""
    met: Counter[str] = Counter()
    better: Counter[str] = Counter()
    worse: Counter[str] = Counter()
    for match in over:
        places: dict[str, int] = {}
        for seat in match.seats:
            if seat.place is not None:
                places[seat.bot] = min(seat.place, places.get(seat.bot, seat.place))
        for other, place in places.items():
            if other != name and name in places:
                met[other] += 1
                better[other] += places[name] < place
                worse[other] += places[name] > place
    return [
        HeadToHead(bot=bot, matches=count, better=better[bot], worse=worse[bot]) for bot, count in met.most_common(RECENT_MAX)
    ]


async def _faults(catalogue: Catalogue, released: Released, over: list[Match], name: str) -> list[Fault]:
    faulty = [match for match in over if any(seat.bot == name and seat.faults for seat in match.seats)]
    found: list[Fault] = []
    for match in faulty[:FAULTY_RECORDS_MAX]:
        seats = {seat.seat for seat in match.seats if seat.bot == name}
        found += [
            fault for fault in await released.faults(match.match, await catalogue.record(match.match)) if fault.seat in seats
        ]
    return found[:FAULTS_MAX]
