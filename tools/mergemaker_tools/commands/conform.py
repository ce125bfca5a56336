"""Proves a client of the protocol, in any language: takes it through cases, each with a referee that keeps to a script.

The client is started as any bot is. It is what stands behind `--`: a command line, word for word, or one word as `match` takes
it. --bot says what it claims to be: any bot at all, or the example bot `random` or `greedy` of a library, which is also held
to its answers, index for index, and to the options in clients/README.md.
"""

import argparse
import fnmatch
import os
import shutil
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from mergemaker_engine.near_names import nearest_names
from mergemaker_processes.bot_names import BuiltInBot, CommandBot, ScriptBot
from mergemaker_processes.texts import shown_path

from mergemaker_tools import options as shared
from mergemaker_tools.conformance.cases import Case, Claim, all_cases
from mergemaker_tools.conformance.running import Outcome
from mergemaker_tools.conformance.verdicts import Verdict, verdicts
from mergemaker_tools.pasting import own_command
from mergemaker_tools.problems import DONE, FAILED, CommandFailed, WrongUse
from mergemaker_tools.screen import show_line, write_document
from mergemaker_tools.tables import progress

LIMIT_S: Final = 60
LIMIT_S_MAX: Final = 3_600
"""How long anything that must come may take: usually, and at most."""
JOBS_MAX: Final = 64
_SHOWN_ENTRIES: Final = 40
"""Of a failed case's transcript, as it is shown to people; `--json` has more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("command", metavar="CMD", nargs="*", help="what starts the client, behind `--`")
    parser.add_argument(
        "--bot",
        metavar=f"{{{','.join(Claim)}}}",
        default=Claim.ANY,
        type=shared.one_of(Claim),
        help="what the client claims to be (default: %(default)s)",
    )
    parser.add_argument(
        "--case",
        metavar="ID",
        action="append",
        default=[],
        help="run this case, or those that it fits, as in decisions-*; may be given several times",
    )
    parser.add_argument("--list", action="store_true", help="show the cases and what they show, and start nothing")
    parser.add_argument(
        "--known-failing",
        metavar="FILE",
        type=Path,
        help="cases that are known to fail, an id a line; one that passes is a failure",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=shared.whole_number(1, LIMIT_S_MAX),
        default=LIMIT_S,
        help="how long anything that must come may take (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=shared.whole_number(1, JOBS_MAX),
        default=min(JOBS_MAX, 2 * (os.cpu_count() or 1)),
        help="how many cases are run at a time (default: %(default)s)",
    )
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the cases, and shows what became of each."""
    cases = _cases(options.case, options.bot)
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
    if options.json:
        write_document(
            {"bot": options.bot, "passed": len(judged) - failed, "failed": failed, "cases": list(map(_document, judged))}
        )
    else:
        show_line(f"{len(judged) - failed} passed, {failed} failed")
    return FAILED if failed else DONE


def _cases(ids: Sequence[str], claim: Claim) -> list[Case]:
    held = {case.id: case for case in all_cases() if case.holds_for(claim) and not (case.posix and os.name == "nt")}
    chosen = {each: fnmatch.filter(held, each) for each in ids}
    unknown = [each for each, fitting in chosen.items() if not fitting]
    if unknown:
        elsewhere = f" for --bot {claim}" if unknown[0] in {case.id for case in all_cases()} else ""
        raise WrongUse(f"there is no case {unknown[0]!r}{elsewhere}{nearest_names(unknown[0], held)}; --list shows the cases")
    return [held[each] for each in dict.fromkeys(chain.from_iterable(chosen.values()))] if ids else list(held.values())


def _list(cases: Sequence[Case], *, as_json: bool) -> int:
    if as_json:
        write_document([{"id": case.id, "shows": case.shows, "bots": list(case.bots)} for case in cases])
    else:
        width = max(len(case.id) for case in cases)
        for case in cases:
            show_line(f"{case.id:{width}}  {case.shows}")
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
        raise WrongUse(f"{shown_path(path)} names cases that there are not: {', '.join(unknown)}")
    return found


def _command(words: Sequence[str]) -> tuple[str, ...]:
    if not words:
        raise WrongUse(f"say what starts the client, behind --, as in `{own_command('conform', '--', './my_bot')}`")
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
        raise CommandFailed(f"there is no program {words[0]!r}, or it may not be started")
    return (program, *words[1:])


def _show(outcome: Outcome, is_known: bool) -> None:
    """One line a case; of one that failed, what was sent and received."""
    verdict = Verdict(outcome, is_known)
    show_line(f"{verdict.word:14} {outcome.case.id}  {outcome.seconds:.1f} s")
    if outcome.problem is None or is_known:
        return
    show_line(f"  shows: {outcome.case.shows}")
    show_line(f"  {outcome.problem}")
    show_line("  what was said, the last of it:")
    for entry in outcome.transcript[-_SHOWN_ENTRIES:]:
        show_line(f"    {entry['at_ms']:>6} ms  {entry['direction']}: {entry.get('what') or entry.get('message')}")
    for line in outcome.said:
        show_line(f"  standard error: {line}")


def _document(verdict: Verdict) -> dict[str, object]:
    outcome = verdict.outcome
    document: dict[str, object] = {
        "id": outcome.case.id,
        "shows": outcome.case.shows,
        "result": verdict.word,
        "seconds": round(outcome.seconds, 3),
    }
    if outcome.problem is not None:
        document |= {"problem": outcome.problem, "transcript": outcome.transcript, "standard_error": outcome.said}
    return document
