"""Plays a duel until it is decided, and tells its progress."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

from mergemaker_contest.stopping import PILOT_BLOCKS, Stopped

from mergemaker_tools.contests.dueling import Duel
from mergemaker_tools.contests.playing.blocks import BlockProblem, Trouble
from mergemaker_tools.contests.playing.many_blocks import play_blocks
from mergemaker_tools.problems import Interrupted, NoAnswer


class DuelWatcher:
    """Hears of a duel while it runs. Subclasses override what they need."""

    def block_over(self, duel: Duel, seconds: float) -> None:
        """One more block counts."""

    def pilot_over(self, duel: Duel) -> None:
        """The first blocks are over: what to expect is known."""


class DuelBroken(NoAnswer):
    """A duel that cannot go on. What was played before counts."""


def run_duel(duel: Duel, jobs: int, *, fast: bool, watcher: DuelWatcher, now_s: Callable[[], float] = time.monotonic) -> float:
    """Plays until it is enough, or until Ctrl-C; returns how many seconds that took."""
    plan: Final = duel.plan
    begun_s = now_s()
    try:
        with closing(play_blocks(plan.terms, plan.contest, plan.blocks(), jobs, fast=fast)) as results:
            for result in results:
                if isinstance(result, BlockProblem):
                    raise _error_of(result)
                stop = duel.add(result, now_s() - begun_s)
                _check_broken(duel)
                watcher.block_over(duel, now_s() - begun_s)
                if duel.blocks == PILOT_BLOCKS:
                    watcher.pilot_over(duel)
                if stop is not None:
                    break
    except (KeyboardInterrupt, Interrupted):
        duel.stop = Stopped.INTERRUPTED
    return now_s() - begun_s


def _error_of(problem: BlockProblem) -> Exception:
    """What a block that could not be played means for the duel."""
    return Interrupted(problem.text) if problem.trouble is Trouble.INTERRUPTED else DuelBroken(problem.text)


def _check_broken(duel: Duel) -> None:
    broken = duel.broken_bot()
    if broken is not None:
        bot, complaint = broken
        name = duel.plan.terms.bots[bot].name
        told = "".join(f"\n  {line}" for line in complaint.splitlines())
        raise DuelBroken(f"the bot {name} was given up in every match so far, {duel.matches} of them: no duel shows more{told}")
