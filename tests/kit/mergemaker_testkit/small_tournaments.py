"""Tournaments for tests: bots of this process, and blocks with problems."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mergemaker_tools.contests.playing import many_blocks
from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, BlockProblem, Trouble
from mergemaker_tools.tournaments.folder import TournamentFolder

RANDOM = "mergemaker_client.bots.random_bot:RandomBot"


def bots(*names: str) -> tuple[str, ...]:
    """The options for bots with these names."""
    return tuple(part for name in names for part in ("--bot", f"{name}={RANDOM}"))


SMALL = (*bots("ada", "bob", "cyd"), "--seats", "2", "--seed", "01", "--jobs", "1", "--name", "Spring cup")


def document_of(folder: Path) -> dict[str, Any]:
    return TournamentFolder(folder).read_standings()


def after_blocks(count: int) -> Callable[..., Iterator[BlockPlayed | BlockProblem]]:
    """Plays as always, and is interrupted after this many blocks."""
    play = many_blocks.play_blocks

    def play_blocks(*arguments: Any, **options: Any) -> Iterator[BlockPlayed | BlockProblem]:
        for number, played in enumerate(play(*arguments, **options), start=1):
            yield played
            if number == count:
                raise KeyboardInterrupt

    return play_blocks


def problems(*wanted: tuple[Trouble, int | None]) -> Callable[..., Iterator[BlockPlayed | BlockProblem]]:
    """Plays as always, but for blocks that have one of these problems, each once."""
    play, due = many_blocks.play_blocks, list(wanted)

    def play_blocks(terms: Any, contest: str, blocks: Iterator[Block], jobs: int, *, fast: bool) -> Iterator[Any]:
        for block in blocks:
            found = [(trouble, bot) for trouble, bot in due if bot is None or bot in block.seatings[0]]
            if found:
                due.remove(found[0])
                trouble, bot = found[0]
                yield BlockProblem(block=block, trouble=trouble, text="it burns", bot=bot)
            else:
                yield from play(terms, contest, [block], jobs, fast=fast)

    return play_blocks
