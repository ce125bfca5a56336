"""Tests a client of the protocol, in any language: takes it through cases, each with a referee that follows a script.

After `--` comes what starts the client: a command line, word for word, or one word as `match` takes it. --bot says what the
client claims to be: any bot, or the example bot `random` or `greedy` of a library, which must also give their answers, index
for index, and take the options in clients/README.md.

--level says which cases to run, and so what the exit status means. `core` has what a bot needs to play a match correctly and
fairly, and to take it up again when its stream breaks. `full`, the default, also has what makes a bot easy to operate and hard
to cheat: lost sessions, waits with chance in them, keepalive, the check of the deal, standard error, settings.
"""

import argparse
import fnmatch
import os
import shutil
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_processes.bot_names import BuiltInBot, CommandBot, ScriptBot
from mergemaker_processes.texts import shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.conformance.cases import LIMIT_S, Case, Claim, Level, all_cases
from mergemaker_tools.conformance.outcomes import Outcome
from mergemaker_tools.conformance.verdicts import Verdict, level_reached, level_reports, level_text, levels_up_to, verdicts
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, FAILED, CommandFailed, WrongUse
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.tables import progress

LIMIT_S_MAX: Final = 3_600
"""How long anything that must come may take, at most."""
JOBS_MAX: Final = 64
_SHOWN_ENTRIES: Final = 40
"""How many messages of a failed case are shown to people; `--json` has more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("command", metavar="CMD", nargs="*", help="what starts the client, after `--`")
    parser.add_argument(
        "--bot",
        metavar=f"{{{','.join(Claim)}}}",
        default=Claim.ANY,
        type=shared.one_of(Claim),
        help="what the client claims to be (default: %(default)s)",
    )
    parser.add_argument(
        "--level",
        metavar=f"{{{','.join(Level)}}}",
        default=Level.FULL,
        type=shared.one_of(Level),
        help="run the cases of this level and of those below it (default: %(default)s)",
    )
    parser.add_argument(
        "--case",
        metavar="ID",
        action="append",
        default=[],
        help="run this case, or all that fit a pattern such as decisions-*; may be given several times",
    )
    parser.add_argument("--list", action="store_true", help="list the cases, their levels and what they show, and start nothing")
    parser.add_argument(
        "--known-failing",
        metavar="FILE",
        type=Path,
        help="a list of cases that are known to fail, one id a line; one of them that passes is a failure",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=shared.whole_number(1, LIMIT_S_MAX),
        help=f"how long anything that must come may take (default: {LIMIT_S}, more in cases that wait long)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=shared.whole_number(1, JOBS_MAX),
        default=min(JOBS_MAX, 2 * (os.cpu_count() or 1)),
        help="how many cases to run at a time (default: %(default)s)",
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the cases, and shows the outcome of each."""
    held = _held(options.bot, options.level)
    cases = _chosen(held, options.case, options.bot, options.level)
    if options.list:
        return _list(cases, as_json=options.json)
    known = _known_failing(options.known_failing)
    command = _command(options.command)
    # Slow to import: gRPC.
    from mergemaker_tools.conformance.many import run_cases  # noqa: PLC0415 - as said
    from mergemaker_tools.conformance.running import Client  # noqa: PLC0415 - as said

    client = Client(command, options.bot, options.limit)
    found: list[Outcome] = []
    with progress(len(cases), "cases") as done:
        for outcome in run_cases(cases, client, options.jobs):
            found.append(outcome)
            done(len(found))
            if not options.json:
                _show(outcome, outcome.case.id in known)
    judged = verdicts(found, known)
    failed = sum(verdict.is_failure for verdict in judged)
    reports = level_reports(list(held.values()), found, options.level)
    if options.json:
        write_document(
            {
                "bot": options.bot,
                "level": options.level,
                "reached": level_reached(reports),
                "passed": len(judged) - failed,
                "failed": failed,
                "levels": {each.level: {"cases": each.held, "run": each.run, "failed": each.failed} for each in reports},
                "cases": list(map(_document, judged)),
            }
        )
    else:
        show_line(level_text(reports))
        show_line(f"{len(judged) - failed} passed, {failed} failed")
    return FAILED if failed else DONE


def _held(claim: Claim, level: Level) -> dict[str, Case]:
    """The cases of a level and of those below it that a client with this claim has to pass, by id."""
    levels = levels_up_to(level)
    found = (case for case in all_cases() if case.holds_for(claim) and case.level in levels)
    return {case.id: case for case in found if not (case.posix and os.name == "nt")}


def _chosen(held: Mapping[str, Case], patterns: Sequence[str], claim: Claim, level: Level) -> list[Case]:
    """The cases that fit the patterns; all of them without any pattern."""
    chosen = {each: fnmatch.filter(held, each) for each in patterns}
    unknown = next((each for each, fitting in chosen.items() if not fitting), None)
    if unknown is not None:
        elsewhere = f" for --bot {claim} --level {level}" if unknown in {case.id for case in all_cases()} else ""
        raise WrongUse(f"there is no case {unknown!r}{elsewhere}{nearest_names(unknown, held)}; --list shows the cases")
    return [held[each] for each in dict.fromkeys(chain.from_iterable(chosen.values()))] if patterns else list(held.values())


def _list(cases: Sequence[Case], *, as_json: bool) -> int:
    if as_json:
        write_document([{"id": case.id, "level": case.level, "shows": case.shows, "bots": list(case.bots)} for case in cases])
    else:
        width = max(len(case.id) for case in cases)
        for case in cases:
            show_line(f"{case.id:{width}}  {case.level}  {case.shows}")
    return DONE


def _known_failing(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"cannot read the known failing cases in {shown_path(path)}: {error}") from error
    found = frozenset(entry for line in lines if (entry := line.partition("#")[0].strip()))
    unknown = sorted(found - {case.id for case in all_cases()})
    if unknown:
        raise WrongUse(f"{shown_path(path)} names cases that do not exist: {', '.join(unknown)}")
    return found


def _command(words: Sequence[str]) -> tuple[str, ...]:
    if not words:
        raise WrongUse(f"say what starts the client after --, as in `{own_command('conform', '--', './my_bot')}`")
    if len(words) == 1:
        # Slow to import, as the referee's sessions are.
        from mergemaker_tools.play.planning import spec_of  # noqa: PLC0415 - as said
        from mergemaker_tools.play.seating import command_of  # noqa: PLC0415 - as said

        spec = spec_of(words[0])
        if not isinstance(spec, CommandBot | ScriptBot | BuiltInBot):
            raise WrongUse(f"a client is a program that can be started, not {words[0]!r}")
        return command_of(spec)
    program = shutil.which(words[0])
    if program is None:
        raise CommandFailed(f"there is no program {words[0]!r}, or it cannot be started")
    return (program, *words[1:])


def _show(outcome: Outcome, is_known: bool) -> None:
    """Shows a case in one line; for a case that failed, also what was sent and received."""
    verdict = Verdict(outcome, is_known)
    show_line(f"{verdict.word:14} {outcome.case.id}  {outcome.seconds:.1f} s")
    if outcome.problem is None or is_known:
        return
    show_line(f"  shows: {outcome.case.shows}")
    show_line(f"  {outcome.problem}")
    show_line("  the last messages:")
    for entry in outcome.transcript[-_SHOWN_ENTRIES:]:
        show_line(f"    {entry['at_ms']:>6} ms  {entry['direction']}: {entry.get('what') or entry.get('message')}")
    for line in outcome.said:
        show_line(f"  standard error: {line}")


def _document(verdict: Verdict) -> dict[str, object]:
    outcome = verdict.outcome
    document: dict[str, object] = {
        "id": outcome.case.id,
        "level": outcome.case.level,
        "shows": outcome.case.shows,
        "result": verdict.word,
        "seconds": round(outcome.seconds, 3),
    }
    if outcome.problem is not None:
        document |= {"problem": outcome.problem, "transcript": outcome.transcript, "standard_error": outcome.said}
    return document
