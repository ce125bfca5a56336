"""Results that are made up: bots of known strength, luck that belongs to deals, and nothing of the game."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mergemaker_contest.results import BlockResult, MatchResult, Player, SeatResult, whole_blocks
from mergemaker_contest.schedules import Block

MONEY = 100_000
"""What all seats of a match have together."""
Gift = Callable[[Sequence[str]], Sequence[float]]
"""By seat, what a seating adds to the shares."""


def match_of(block: int, table: int, seating: Sequence[str], shares: Sequence[float], **more: Any) -> MatchResult:
    """A match in which each seat has this share of the money."""
    seats = tuple(SeatResult(Player(*bot.split("@")), round(share * MONEY)) for bot, share in zip(seating, shares, strict=True))
    return MatchResult(match=f"{block}/{table}", block=block, table=table, deal=block, seats=seats, **more)


def whole(matches: Iterable[MatchResult]) -> tuple[BlockResult, ...]:
    """Their blocks, with all tables that they have."""
    listed = list(matches)
    tables: dict[int, int] = {}
    for match in listed:
        tables[match.block] = max(tables.get(match.block, 0), match.table + 1)
    return whole_blocks(listed, tables)


def play(
    blocks: Iterable[Block],
    strength: Mapping[str, float],
    seed: int = 0,
    *,
    advantages: Sequence[float] = (0.0,) * 6,
    gift: Gift = lambda seating: [0.0] * len(seating),
) -> list[MatchResult]:
    """Plays blocks: shares by strength and seat, by the deal's luck in each seat, and by luck of the match alone."""
    chance, matches = random.Random(seed), []  # noqa: S311 - it must repeat
    for block in blocks:
        luck = [chance.gauss(0, 0.06) for _ in block.tables[0]]
        for table, seating in enumerate(block.tables):
            given = gift(seating)
            raw = [
                strength[bot] + advantages[seat] + luck[seat] + given[seat] + chance.gauss(0, 0.04)
                for seat, bot in enumerate(seating)
            ]
            mean = sum(raw) / len(raw)
            matches.append(match_of(block.number, table, seating, [1 / len(raw) + value - mean for value in raw]))
    return matches
