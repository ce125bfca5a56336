"""Plays duels on the engine, by each design, and prints how many matches each needs to see the same difference.

    python -m tests.contest.measured_designs --seats 3 5 --blocks 200

A is `greedy`; B is `greedy` that gives a random answer in one of ten decisions; the field is `greedy`. The matches are played in
this process. 'undivided' takes the first match of each exchange by itself.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

from mergemaker_client.answer import Answer
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_client.testing import play_match
from mergemaker_client.turn import Turn
from mergemaker_contest.designs import A, B, Design, Seating, block_difference, block_seatings
from mergemaker_contest.scores import Score, seat_scores

ONE_OF: Final = 10
BOTS: Final = {A: "greedy", B: "weakened"}


class Weakened(GreedyBot):
    """Greedy, but for some answers at random. Its chances come from the seat's nonce, and are equal in all matches of a block."""

    def answer(self, turn: Turn) -> Answer:
        """Answers at random in one of ten decisions."""
        if turn.chance.below(ONE_OF):
            return super().answer(turn)
        return turn.answers[turn.chance.below(len(turn.answers))]


@dataclass(frozen=True, slots=True)
class Line:
    """What a design says about the two bots."""

    seats: int
    name: str
    matches: int
    """In a block."""
    differences: tuple[float, ...]
    """By block."""

    @property
    def needed(self) -> float:
        """Matches times variance: how many matches it takes to see a difference, up to a factor."""
        return self.matches * stdev(self.differences) ** 2


def money(seating: Seating, deal: int) -> list[int]:
    """Each seat's money at the end of a match."""
    played = play_match([Weakened if bot == B else "greedy" for bot in seating], seed=deal)
    return [standing.cash for standing in played.result.standings]


def lines(seats: int, blocks: int, score: Score) -> Iterator[Line]:
    """One line for each design."""
    mirror, exchange, single = list[float](), list[float](), list[float]()
    for block in range(blocks):
        for design, found in ((Design.MIRROR, mirror), (Design.EXCHANGE, exchange)):
            if design is Design.EXCHANGE and seats == 2:
                continue
            seatings = block_seatings(design, seats, block, 1 if design is Design.EXCHANGE else 0)
            scores = [seat_scores(score, money(seating, block)) for seating in seatings]
            found.append(block_difference(seatings, scores))
            if design is Design.EXCHANGE or seats == 2:
                single.append(block_difference(seatings[:1], scores[:1]))
    for name, matches, found in (("mirror", 2, mirror), ("exchange", 2, exchange), ("undivided", 1, single)):
        if found:
            yield Line(seats, name, matches, tuple(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seats", type=int, nargs="+", default=[3, 5], choices=range(2, 7))
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--score", type=Score, choices=list(Score), default=Score.SHARE)
    chosen = parser.parse_args(arguments)
    print(f"{chosen.blocks} blocks of each design, score {chosen.score}")
    print(
        "| seats | design | mean difference | its standard error | standard deviation of a block | matches, undivided play = 1 |"
    )
    print("|---|---|---|---|---|---|")
    for seats in chosen.seats:
        found = list(lines(seats, chosen.blocks, chosen.score))
        for line in found:
            mean, deviation = fmean(line.differences), stdev(line.differences)
            error, needed = deviation / chosen.blocks**0.5, line.needed / found[-1].needed
            print(f"| {seats} | {line.name} | {mean:.4f} | {error:.4f} | {deviation:.4f} | {needed:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
