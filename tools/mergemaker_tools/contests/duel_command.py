"""What `mergemaker duel` does with its options."""

import argparse

from mergemaker_contest.stopping import Stopped

from mergemaker_tools.contests.duel_planning import duel_notes, duel_plan, repeat_command
from mergemaker_tools.contests.duel_running import DuelBroken, DuelWatcher, run_duel
from mergemaker_tools.contests.duel_shown import EXIT_STATUS, ShownProgress, duel_document, show_duel
from mergemaker_tools.contests.dueling import Duel
from mergemaker_tools.problems import Interrupted
from mergemaker_tools.screen import show_notes, write_document
from mergemaker_tools.tables import open_progress


def play_duel(options: argparse.Namespace) -> int:
    """Plays the duel, shows what is known, and returns its exit status."""
    plan = duel_plan(options, options.bot_a, options.bot_b)
    duel, repeat = Duel(plan), repeat_command(options, plan)
    fast = plan.terms.is_fast(options.play)
    show_notes("duel", duel_notes(plan, options.jobs))
    broken: DuelBroken | None = None
    with open_progress("matches") as tell:
        watcher = DuelWatcher() if options.json else ShownProgress(tell)
        try:
            seconds = run_duel(duel, options.jobs, fast=fast, watcher=watcher)
        except DuelBroken as problem:
            broken, seconds = problem, 0.0
    if broken is not None and not duel.blocks:
        raise broken
    if options.json:
        write_document(duel_document(duel, seconds, repeat))
    else:
        show_duel(duel, seconds, repeat)
    if broken is not None:
        raise broken
    if duel.stop is Stopped.INTERRUPTED:
        raise Interrupted(f"interrupted after {duel.matches:,} matches")
    return EXIT_STATUS[duel.answer]
