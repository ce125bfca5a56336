"""Plays one block: its matches one after the other, void ones again, and then the release of their records."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.contests.playing.blocks import (
    REPLAYS_MAX,
    Block,
    BlockPlayed,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Seating,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.unreleased import Unreleased


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """One match to play."""

    match: str
    block: str
    seed: bytes = field(repr=False)
    seating: Seating
    record: Path | None
    """Where to write its record; None: nowhere."""
    released: Path | None
    """Where its record is after the release."""


PlayOne: TypeAlias = Callable[[Appointment], MatchPlayed | VoidMatch]
"""Plays one match; raises `CannotPlay` if nothing can come of its block."""


class CannotPlay(Exception):
    """Why a block cannot be played."""

    def __init__(self, trouble: Trouble, text: str, bot: int | None = None) -> None:
        super().__init__(text)
        self.trouble: Final = trouble
        self.bot: Final = bot


def play_block(terms: PlayTerms, block: Block, play: PlayOne) -> BlockPlayed | BlockProblem:
    """Plays a block's matches, and releases their records after the last."""
    records = terms.records
    try:
        with nullcontext() if records is None else Unreleased.opened(records, block.name) as place:
            voided: list[VoidMatch] = []
            matches = tuple(_played(block, index, place, play, voided) for index in range(len(block.seatings)))
            if place is not None:
                place.release()
            return BlockPlayed(block=block, matches=matches, voided=tuple(voided))
    except CannotPlay as problem:
        return BlockProblem(block=block, trouble=problem.trouble, text=str(problem), bot=problem.bot)
    except OSError as error:
        where = shown_path(error.filename or records or ".")
        text = f"cannot write {where}: {reason_of(error)}; make room, choose another folder, or keep no records"
        return BlockProblem(block=block, trouble=Trouble.DISK, text=text)


def _played(block: Block, index: int, place: Unreleased | None, play: PlayOne, voided: list[VoidMatch]) -> MatchPlayed:
    """Plays a match until it has a result."""
    for replay in range(REPLAYS_MAX + 1):
        match = block.match_id(index, replay)
        appointment = Appointment(
            match=match,
            block=block.name,
            seed=block.seed,
            seating=block.seatings[index],
            record=None if place is None else place.record(match),
            released=None if place is None else place.released(match),
        )
        played = play(appointment)
        if isinstance(played, MatchPlayed):
            return played
        voided.append(played)
    text = f"match {index} of block {block.number} was void {REPLAYS_MAX + 1} times; the last time: {voided[-1].why}"
    raise CannotPlay(Trouble.VOID, text)
