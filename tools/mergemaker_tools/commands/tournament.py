"""Plays a tournament between bots, and publishes who is better.

FILE.toml says what is played; every key of it is an option, too, and `--toml` prints the file that options amount to.
`docs/tournaments.md` explains all keys. Ctrl-C may come at any time: `--resume FOLDER` goes on, and so it does after a kill.
`--check FOLDER` proves a published table from the records.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from mergemaker_tools import options as shared
from mergemaker_tools.parallel import usual_jobs
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, FAILED, WrongUse
from mergemaker_tools.screen import show_line, show_notes, write, write_document


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    # The keys know the contest's formats and the referee's rules.
    from mergemaker_tools.tournaments.settings import add_keys  # noqa: PLC0415 - slow to import, and `--help` of others is not

    parser.add_argument("file", metavar="FILE.toml", type=Path, nargs="?", help="what is played; options go before it")
    add_keys(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--resume", metavar="FOLDER", dest="resumed", type=Path, help="go on with the tournament in this folder")
    how.add_argument("--check", metavar="FOLDER", dest="checked", type=Path, help="prove the published table of this folder")
    how.add_argument("--prepare", action="store_true", help="make the tournament's folder, and play nothing")
    how.add_argument("--toml", action="store_true", help="print the file for these options, and play nothing")
    parser.add_argument("--shard", metavar="K/N", help="with --resume: play only part K of N")
    parser.add_argument(
        "--merge",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        help="with --resume: take the records of this copy of the folder, and play nothing; may be given several times",
    )
    parser.add_argument("--quiet", action="store_true", help="show only the standings")
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Plays, goes on, checks or prints."""
    if options.checked is not None:
        return _check(options)
    from mergemaker_tools.tournaments.folder import TournamentFolder  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.settings import file_text, settings_from  # noqa: PLC0415 - likewise

    if options.resumed is not None:
        if options.file is not None:
            raise WrongUse("--resume FOLDER reads what is played from that folder: leave out the file")
        return _resume(options, TournamentFolder(options.resumed))
    if options.shard or options.merge:
        raise WrongUse("--shard and --merge go with --resume FOLDER; `--prepare` makes the folder")
    settings = settings_from(options, options.file)
    if options.toml:
        write(file_text(settings))
        return DONE
    return _begin(options, settings)


def _begin(options: argparse.Namespace, settings: Any) -> int:  # noqa: ANN401 - of a module that is slow to import
    from datetime import UTC, datetime  # noqa: PLC0415 - slow to import

    from mergemaker_referee.times import time_text  # noqa: PLC0415 - likewise

    from mergemaker_tools.tournaments.folder import TournamentFolder  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.plan import folder_name, plan_from  # noqa: PLC0415 - likewise

    plan = plan_from(settings, made=time_text(datetime.now(UTC)))
    folder = TournamentFolder(settings.folder or folder_name(settings))
    if folder.is_begun:
        resume = own_command("tournament", "--resume", str(folder.path))
        raise WrongUse(f"there is a tournament in {folder} already: choose another --folder, or go on with it by `{resume}`")
    if options.prepare:
        folder.make()
        folder.begin(plan)
        show_line(f"play with: {own_command('tournament', '--resume', str(folder.path))}")
        return DONE
    return _play(options, plan, folder, is_new=True)


def _resume(options: argparse.Namespace, folder: Any) -> int:  # noqa: ANN401 - of a module that is slow to import
    from mergemaker_tools.tournaments.plan import differences, plan_from  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.settings import settings_from  # noqa: PLC0415 - likewise

    manifest = folder.read_manifest()
    settings = settings_from(options, folder.settings)
    plan = plan_from(settings, seed=folder.read_seed(), made=manifest["made"])
    if found := differences(manifest, plan.manifest):
        listed = "\n".join(f"  {each}" for each in found)
        raise WrongUse(
            f"this is not the tournament that was begun in {folder}:\n{listed}\nBring that back, or begin another one."
        )
    # Bots that came later, or are gone, are not in the manifest of a Swiss tournament: its id has a hash of that.
    return _play(options, replace(plan, manifest=manifest), folder, is_new=False)


def _play(options: argparse.Namespace, plan: Any, folder: Any, *, is_new: bool) -> int:  # noqa: ANN401 - as said
    from mergemaker_tools.tables import show  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.folder import TournamentFolder  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.hosting import play_tournament  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.page import champion_lines  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.progress import ratings_table  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.sharding import shard_from  # noqa: PLC0415 - likewise

    silent = options.quiet or options.json
    if not silent:
        show_notes("tournament", plan.notes)
    shard = shard_from(options.shard) if options.shard else None
    merged = [TournamentFolder(path) for path in options.merge]
    document = play_tournament(plan, folder, is_new=is_new, silent=silent, shard=shard, merged=merged)
    if options.json:
        write_document(document)
        return DONE
    show(ratings_table(document["table"]["ratings"]))
    for line in champion_lines(document["table"]["course"] or {}):
        show_line(line)
    for note in (*document["table"]["notes"], *document["notes"]):
        show_line(f"note: {note}")
    if plan.settings.html is not None:
        show_line(f"page: {plan.settings.html}")
    show_line(f"folder: {folder}")
    show_line(f"check with: {own_command('tournament', '--check', str(folder.path))}")
    return DONE


def _check(options: argparse.Namespace) -> int:
    from mergemaker_tools.tables import progress  # noqa: PLC0415 - slow to import
    from mergemaker_tools.tournaments.folder import TournamentFolder  # noqa: PLC0415 - likewise
    from mergemaker_tools.tournaments.proving import prove  # noqa: PLC0415 - likewise

    if options.file is not None:
        raise WrongUse("--check FOLDER needs no file: it reads the manifest in that folder")
    folder = TournamentFolder(options.checked)
    with progress(len(list(folder.records.glob("*.jsonl"))), "records") as done:
        proof = prove(folder, usual_jobs(), done)
    if options.json:
        write_document({"records": proof.records, "problems": list(proof.problems), "notes": list(proof.notes)})
    else:
        for problem in proof.problems:
            show_line(problem)
        for note in proof.notes:
            show_line(f"note: {note}")
        good = f"proved: {proof.records:,} records follow the rules and the schedule, and give the published table"
        show_line(good if not proof.problems else f"not proved: {len(proof.problems):,} problems")
    return FAILED if proof.problems else DONE
