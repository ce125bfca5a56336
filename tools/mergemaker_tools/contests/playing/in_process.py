"""Fast mode: bots of this process play through table, clock and record, without a server.

Their results are those of a match with a server, for bots that depend on nothing but what they see and their seat's nonce. Such
bots are trusted, like all code of this process: nothing can end a bot that never answers, or keep its memory from the next match.
"""

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Final

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot, BotFactory, make_bot
from mergemaker_client.local_match import FAILED, REFUSED, LocalMatch
from mergemaker_engine.record.lines import Ending
from mergemaker_table import Setup
from mergemaker_table.run_members import host_run

from mergemaker_tools.contests.playing.blocks import (
    Appointment,
    Block,
    BlockPlayed,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.one_block import CannotPlay, play_block
from mergemaker_tools.contests.playing.outcomes import Noticed, match_played
from mergemaker_tools.play.local_bots import factory_for, local_setup


class LocalPlayer:
    """Plays blocks in this process, one at a time."""

    def __init__(self, terms: PlayTerms) -> None:
        self.terms: Final = terms
        self._factories: tuple[BotFactory, ...] | None = None

    def play(self, block: Block) -> BlockPlayed | BlockProblem:
        """Plays all matches of a block. What bots print goes to standard error."""
        if self._factories is None:  # here, because they cannot be pickled
            self._factories = tuple(factory_for(entrant.spec) for entrant in self.terms.bots)
        with Caller() as caller, redirect_stdout(sys.stderr):
            factories = self._factories
            return play_block(self.terms, block, lambda appointment: self._play_match(appointment, factories, caller))

    def close(self) -> None:
        """Nothing is kept alive."""

    def _play_match(self, appointment: Appointment, factories: Sequence[BotFactory], caller: Caller) -> MatchPlayed | VoidMatch:
        bots = [self._made(bot, factories[bot]) for bot in appointment.seating]
        match = LocalMatch(self._setup(appointment), bots, caller)
        ended = match.play()
        if appointment.record is not None:
            appointment.record.write_bytes(b"".join(match.lines))
        if ended.why is Ending.VOIDED:
            return VoidMatch(match=appointment.match, why=ended.voided_because or "voided")
        return match_played(appointment, ended, match.table.turn, _noticed(match, len(bots)))

    def _made(self, bot: int, factory: BotFactory) -> AnyBot:
        try:
            return make_bot(factory)
        except Exception as error:
            text = f"the bot {self.terms.bots[bot].name} cannot be made: {type(error).__name__}: {error}"
            raise CannotPlay(Trouble.BOT, text, bot) from error

    def _setup(self, appointment: Appointment) -> Setup:
        terms = self.terms
        setup = local_setup(
            rules=terms.rules,
            clock=terms.clock,
            mode=terms.mode,
            match=appointment.match,
            seed=appointment.seed,
            bots=tuple(terms.bots[bot].name for bot in appointment.seating),
            block=appointment.block,
        )
        return setup if terms.host is None else replace(setup, more={**setup.more, **host_run(terms.host)})


def _noticed(match: LocalMatch, seats: int) -> tuple[Noticed, ...]:
    """By seat: what the match lists as faults."""
    by_seat = [[fault for fault in match.faults if fault.seat == seat] for seat in range(seats)]
    return tuple(
        Noticed(
            refused=sum(fault.kind == REFUSED for fault in faults),
            failed=sum(fault.kind == FAILED for fault in faults),
            complaint=faults[0].text if faults else "",
        )
        for faults in by_seat
    )
