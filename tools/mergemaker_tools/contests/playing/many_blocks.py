"""Plays many blocks in several processes, and returns their results in the blocks' order.

The order matters: a test that stops as soon as it can must not see quick matches first.
"""

from collections.abc import Generator, Iterable
from typing import Final

from mergemaker_referee.gc_tuning import rare_collections

from mergemaker_tools.contests.playing.blocks import Block, BlockPlayed, BlockPlayer, BlockProblem, PlayTerms
from mergemaker_tools.contests.playing.in_process import LocalPlayer
from mergemaker_tools.contests.playing.unreleased import discard
from mergemaker_tools.parallel import in_order

BLOCK_LIMIT_S: Final = 86_400.0
"""How long to wait for any block: its clock bounds it, and a bot without a clock may think long, but not for a day."""


def block_player(terms: PlayTerms, *, fast: bool) -> BlockPlayer:
    """What plays the blocks in this process."""
    if fast:
        return LocalPlayer(terms)
    from mergemaker_tools.contests.playing.as_processes import ProcessPlayer  # noqa: PLC0415 - gRPC is slow to import

    return ProcessPlayer(terms)


class _Work:
    """Plays blocks in whatever process it is sent to."""

    def __init__(self, terms: PlayTerms, *, fast: bool) -> None:
        self._terms: Final = terms
        self._fast: Final = fast
        self._player: BlockPlayer | None = None

    def __call__(self, block: Block) -> BlockPlayed | BlockProblem:
        if self._player is None:
            self._player = block_player(self._terms, fast=self._fast)
        with rare_collections():
            return self._player.play(block)


def play_blocks(
    terms: PlayTerms, contest: str, blocks: Iterable[Block], jobs: int, *, fast: bool
) -> Generator[BlockPlayed | BlockProblem]:
    """Plays blocks of a contest in this many processes (this one, if one). Closing it breaks off unfinished blocks."""
    try:
        yield from in_order(_Work(terms, fast=fast), blocks, jobs, "try --jobs 1", BLOCK_LIMIT_S)
    finally:
        if terms.records is not None and not terms.keeps:
            discard(terms.records, contest)
