"""Plays one block: its matches one after the other, void ones again, and then the release of their records."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Final, TypeAlias

from mergemaker_processes.texts import reason_of, shown_path

from mergemaker_tools.contests.playing.blocks import (
    REPLAYS_MAX,
    Appointment,
    Block,
    BlockPlayed,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.kept_matches import forget, forget_strangers, kept_match
from mergemaker_tools.contests.playing.unreleased import Unreleased

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
        with nullcontext() if records is None else Unreleased.opened(records, block.name, keeps=terms.keeps) as place:
            if place is not None:
                forget_strangers(place.folder, block)
            voided: list[VoidMatch] = []
            matches = tuple(_played(terms, block, index, place, play, voided) for index in range(len(block.seatings)))
            if place is not None:
                place.release()
            return BlockPlayed(block=block, matches=matches, voided=tuple(voided))
    except CannotPlay as problem:
        return BlockProblem(block=block, trouble=problem.trouble, text=str(problem), bot=problem.bot)
    except OSError as error:
        where = shown_path(error.filename or records or ".")
        text = f"cannot write {where}: {reason_of(error)}; make room, choose another folder, or keep no records"
        return BlockProblem(block=block, trouble=Trouble.DISK, text=text)


def _played(
    terms: PlayTerms, block: Block, index: int, place: Unreleased | None, play: PlayOne, voided: list[VoidMatch]
) -> MatchPlayed:
    """Plays a match until it has a result, unless it has one from before the block was broken off."""
    for replay in range(REPLAYS_MAX + 1):
        appointment = _appointment(block, index, replay, place)
        played = kept_match(terms, appointment) if terms.keeps else None
        if played is None:
            played = _played_now(appointment, play)
        if isinstance(played, MatchPlayed):
            return played
        voided.append(played)
    text = f"match {index} of block {block.number} was void {REPLAYS_MAX + 1} times; the last time: {voided[-1].why}"
    raise CannotPlay(Trouble.VOID, text)


def _played_now(appointment: Appointment, play: PlayOne) -> MatchPlayed | VoidMatch:
    forget(appointment)
    try:
        return play(appointment)
    except BaseException:
        # It was broken off, which is no fault of anybody's: it is played again as if it had not begun.
        forget(appointment)
        raise


def _appointment(block: Block, index: int, replay: int, place: Unreleased | None) -> Appointment:
    match = block.match_id(index, replay)
    return Appointment(
        match=match,
        block=block.name,
        seed=block.seed,
        seating=block.seatings[index],
        record=None if place is None else place.record(match),
        released=None if place is None else place.released(match),
        then=_appointment(block, index + 1, 0, place) if index + 1 < len(block.seatings) else None,
    )
