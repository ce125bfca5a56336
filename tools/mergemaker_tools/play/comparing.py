"""What many games say of their bots: means with intervals, and who is better, by the rules of `mergemaker_contest`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from mergemaker_contest.scores import Score, seat_scores
from mergemaker_contest.sequential import Interval, Tally, Verdict, confidence_sequence, side_of

from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.reports import GameReport

ALPHA: Final = 0.05
"""How often the intervals, and all verdicts together, may be wrong."""
DIFFERENCE: Final = 0.02
"""The least difference of money shares that matters."""
RESOLUTION: Final = 0.001


@dataclass(frozen=True, slots=True)
class Means:
    """A bot in many games."""

    bot: str
    seats: int
    """How many seats it had, in all games."""
    wins: int
    money: float
    place: float
    share: float
    """The mean share of the money of one seat: by game, then over the games."""
    interval: Interval | None
    """Of the share, valid at every look; None for too few games."""


def shares_of(report: GameReport) -> dict[str, float]:
    """By bot: the mean share of the money of its seats in a game."""
    standings = report.ended.standings
    shares = seat_scores(Score.SHARE, [standing.cash or 0 for standing in standings])
    by_bot: dict[str, list[float]] = {}
    for standing, share in zip(standings, shares, strict=True):
        by_bot.setdefault(standing.bot, []).append(share)
    return {bot: sum(each) / len(each) for bot, each in by_bot.items()}


def means_of(reports: Sequence[GameReport]) -> list[Means]:
    """The means of each bot, the best first."""
    shares = [shares_of(report) for report in reports]
    found = []
    for bot in shares[0] if shares else ():
        own = [each for report in reports for each in report.ended.standings if each.bot == bot]
        tally = Tally()
        for each in shares:
            tally.add(each[bot])
        found.append(
            Means(
                bot=bot,
                seats=len(own),
                wins=sum(standing.place == 1 for standing in own),
                money=sum(standing.cash or 0 for standing in own) / len(own),
                place=sum(standing.place or 0 for standing in own) / len(own),
                share=tally.mean,
                interval=confidence_sequence(tally, ALPHA, RESOLUTION),
            )
        )
    return sorted(found, key=lambda means: -means.share)


def verdicts_of(reports: Sequence[GameReport]) -> dict[tuple[str, str], Verdict]:
    """For each pair of bots: whether the first is better. Together, the verdicts are wrong as rarely as one may be."""
    shares = [shares_of(report) for report in reports]
    pairs = list(combinations([means.bot for means in means_of(reports)], 2))
    found = {}
    for one, other in pairs:
        tally = Tally()
        for each in shares:
            tally.add(each[one] - each[other])
        found[one, other] = _verdict(confidence_sequence(tally, ALPHA / len(pairs), RESOLUTION))
    return found


def _verdict(interval: Interval | None) -> Verdict:
    """What an interval of the difference says."""
    side = side_of(interval)
    if side is not Verdict.OPEN or interval is None:
        return side
    return Verdict.NO_DIFFERENCE if max(-interval.low, interval.high) < DIFFERENCE else Verdict.OPEN


def verdict_lines(reports: Sequence[GameReport]) -> list[str]:
    """The verdicts in words, and what to do about open ones."""
    verdicts = verdicts_of(reports)
    points = f"{DIFFERENCE * 100:g} points of the money"
    words = {
        Verdict.BETTER: "{0} is better than {1}",
        Verdict.WORSE: "{1} is better than {0}",
        Verdict.NO_DIFFERENCE: f"neither {{0}} nor {{1}} is better by {points}",
        Verdict.OPEN: "these games do not tell {0} and {1} apart",
    }
    lines = [words[verdict].format(*pair) for pair, verdict in verdicts.items()]
    undecided = next((pair for pair, verdict in verdicts.items() if verdict is Verdict.OPEN), None)
    if undecided is not None:
        lines.append(f"fewer games decide: {own_command('duel', *undecided)}")
    return lines
