"""Everything around a tournament's play: its folder, its database, who watches, and what is published in the end."""

import io
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr
from functools import partial
from typing import Any, Final

from mergemaker_processes.bot_names import BuiltInBot, ModuleBot, ScriptBot
from mergemaker_store.errors import StoreError
from mergemaker_store.gateway import Store

from mergemaker_tools.contests.playing.host_speed import measured_host
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.parallel import usual_jobs
from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.local_bots import factory_for
from mergemaker_tools.play.ways import Way
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.screen import complain
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.outcome_notes import notes_of
from mergemaker_tools.tournaments.plan import TournamentPlan, bought_text
from mergemaker_tools.tournaments.playing import Here, TournamentRun, interrupted
from mergemaker_tools.tournaments.progress import watching
from mergemaker_tools.tournaments.publishing import publish, published, write_page
from mergemaker_tools.tournaments.sharding import Shard, merge
from mergemaker_tools.tournaments.table import present_ratings

DATABASE_LIMIT_S: Final = 60.0
"""How long the end waits for a database that is away. Results that it does not take then are entered the next time."""
CLOSE_LIMIT_S: Final = 5.0
"""How long closing it may take after that."""


def play_tournament(
    plan: TournamentPlan,
    folder: TournamentFolder,
    *,
    is_new: bool,
    silent: bool,
    shard: Shard | None = None,
    merged: Sequence[TournamentFolder] = (),
) -> dict[str, Any]:
    """Plays a tournament, or a part of it, and returns what is published of it.

    With `merged`, takes the records of these folders, and plays nothing.
    """
    if shard is not None and plan.course.schedule is None:
        raise WrongUse(f"a {plan.settings.format} is made round by round: it cannot be played in parts")
    database = plan.settings.database or str(folder.results)
    jobs = plan.settings.jobs or usual_jobs()
    with ExitStack() as stack:
        folder.make()
        confining = None if merged else plan.confining(folder.path)
        stack.enter_context(folder.held())
        store = _opened(database, plan)
        stack.callback(lambda: store.close(CLOSE_LIMIT_S))
        if is_new:
            folder.begin(plan)
        watcher = stack.enter_context(watching(partial(_ratings, plan), quiet=silent))
        here = Here(host=None if merged else measured_host(), shard=shard, confining=confining)
        run = TournamentRun(plan, folder, store, watcher, here)
        if merged:
            complain(f"{merge(folder, merged, watcher.note):,} records were taken")
        run.catch_up()
        if merged:
            return _publish(plan, folder, run)
        if not silent:
            complain(bought_text(plan, jobs))
        if jobs > usual_jobs():
            watcher.note(f"{jobs} matches at once, and {usual_jobs()} processors: bots that think are slower than they could be")
        try:
            run.play(jobs, fast=run.terms.is_fast(_way(plan, watcher.note)))
        except KeyboardInterrupt as interrupt:
            _publish(plan, folder, run)
            raise interrupted(run, own_command("tournament", "--resume", str(folder.path))) from interrupt
        return _publish(plan, folder, run)


def _ratings(plan: TournamentPlan, run: TournamentRun) -> list[dict[str, Any]]:
    return present_ratings(plan.manifest, plan.course, run.results.by_match.values())


def _way(plan: TournamentPlan, note: Callable[[str], None]) -> Way:
    """Bots of one author may be called here, where they could look at each other."""
    specs = [bot.spec for bot in plan.bots]
    if plan.settings.trust is not Trust.OWN or not all(isinstance(spec, BuiltInBot | ModuleBot | ScriptBot) for spec in specs):
        return Way.AUTO
    try:
        # A file that runs its bot whenever it is imported complains by itself, too; the note says the same.
        with redirect_stderr(io.StringIO()):
            for spec in specs:
                factory_for(spec)
    except WrongUse as problem:
        note(f"the bots are started as processes, because not all of them can be called here: {problem}")
        return Way.AUTO
    return Way.FAST


def _opened(database: str, plan: TournamentPlan) -> Store:
    try:
        store = Store(database)
        store.save_tournament(plan.stored)
    except StoreError as error:
        raise CommandFailed(str(error)) from error
    return store


def _publish(plan: TournamentPlan, folder: TournamentFolder, run: TournamentRun) -> dict[str, Any]:
    """Writes the table, of all records that there are, and the seed if nothing is missing any more."""
    left = run.finish(DATABASE_LIMIT_S)
    seed = plan.seed if run.is_over else None
    notes = (*plan.notes, *notes_of(run, left))
    document = published(plan.manifest, run.results.by_match.values(), run.leavings, seed=seed, notes=notes)
    publish(folder, document)
    if plan.settings.html is not None:
        write_page(plan.settings.html, plan.manifest, document)
    return document
