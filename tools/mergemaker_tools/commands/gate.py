"""May the new version of a bot replace the old one? One command for a bot's own CI, with one verdict.

Three steps, and the first that fails ends it:

1. conformance: a bot that is a program is taken through the cases of `conform`, as far as --level says;
2. positions: it is asked questions from recorded matches, each seat's in turn, and every answer must be legal. Without
   --positions, matches of built-in bots by all presets are used, the same each time;
3. a duel of the new bot against the old one, as `duel` plays it.

The exit status is 0 if the new bot passes, 1 if it does not, and 2 if there is no answer: the duel ended too early, or something
could not be played. By default it passes unless the duel shows that it is worse; with --need better it has to be better.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from mergemaker_client.testing import play_match
from mergemaker_contest.sequential import Verdict
from mergemaker_contest.stopping import Stopped
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.reading import Record
from mergemaker_engine.rules import PRESETS
from mergemaker_processes.bot_names import CommandBot, ScriptBot
from mergemaker_processes.texts import shown_path
from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.logs import configure_log
from mergemaker_referee.records.files import open_record

from mergemaker_tools import options as shared
from mergemaker_tools.conformance.cases import Claim, Level, all_cases
from mergemaker_tools.conformance.verdicts import levels_up_to
from mergemaker_tools.contests.duel_options import add_duel_options
from mergemaker_tools.contests.duel_planning import duel_notes, duel_plan, repeat_command
from mergemaker_tools.contests.duel_running import DuelWatcher, run_duel
from mergemaker_tools.contests.duel_shown import ShownProgress, duel_document, show_duel, verdict_text
from mergemaker_tools.contests.dueling import Duel, DuelPlan
from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.local_bots import factory_for
from mergemaker_tools.play.seating import command_of
from mergemaker_tools.problems import Interrupted, NoAnswer
from mergemaker_tools.records.paths import record_paths
from mergemaker_tools.screen import complain, show_line, show_notes, write_document
from mergemaker_tools.shadowing.comparing import Shadowed, shadow
from mergemaker_tools.tables import open_progress, progress

LIMIT_S: Final = 60
LIMIT_S_MAX: Final = 3_600
POSITION_SEED: Final = 19
"""Of the matches whose positions are used without --positions."""
_PARTNERS: Final = ("greedy", "random", "greedy")


class Need(StrEnum):
    """What the duel has to show."""

    NOT_WORSE = "not-worse"
    BETTER = "better"


class Outcome(StrEnum):
    """How a step ended."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"
    LEFT_OUT = "left out"


STATUS: Final = {Outcome.PASSED: 0, Outcome.FAILED: 1, Outcome.OPEN: 2, Outcome.LEFT_OUT: 0}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the gate."""

    name: str
    outcome: Outcome
    text: str
    details: object = None

    def document(self) -> dict[str, object]:
        """For programs."""
        return {"step": self.name, "outcome": str(self.outcome), "text": self.text, "details": self.details}


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("bot_a", metavar="NEW", help="the bot that is to replace the other")
    parser.add_argument("bot_b", metavar="OLD", help="the bot that it is to replace")
    steps = parser.add_argument_group("the steps before the duel")
    steps.add_argument(
        "--level",
        metavar=f"{{{','.join(Level)}}}",
        default=Level.CORE,
        type=shared.one_of(Level),
        help="the level of conformance that a program has to reach (default: %(default)s)",
    )
    steps.add_argument(
        "--positions",
        metavar="RECORD",
        nargs="+",
        default=[],
        help="records of finished matches, or folders of them, to ask about",
    )
    steps.add_argument(
        "--limit",
        metavar="SECONDS",
        type=shared.whole_number(1, LIMIT_S_MAX),
        default=LIMIT_S,
        help="how long a program may take for each answer about a position (default: %(default)s)",
    )
    steps.add_argument(
        "--need",
        metavar=f"{{{','.join(Need)}}}",
        default=Need.NOT_WORSE,
        type=shared.one_of(Need),
        help="what the duel has to show (default: %(default)s)",
    )
    add_duel_options(parser)
    shared.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Takes the steps, and says how they ended."""
    plan = duel_plan(options, options.bot_a, options.bot_b)  # so that everything that is wrong with the options is refused now
    new = plan.terms.bots[0]
    found: list[Step] = []
    for step in (_conformance, _positions, _duel):
        found.append(step(options, plan))
        if not options.json:
            show_line(f"{found[-1].name}: {found[-1].outcome}, {found[-1].text}")
        if found[-1].outcome not in (Outcome.PASSED, Outcome.LEFT_OUT):
            break
    last = found[-1].outcome
    verdict = {Outcome.FAILED: "does not pass", Outcome.OPEN: "no answer"}.get(last, "passes")
    if options.json:
        document = {
            "verdict": verdict,
            "new": new.name,
            "old": plan.terms.bots[1].name,
            "steps": [step.document() for step in found],
        }
        write_document(document)
    else:
        show_line(f"gate: {new.name} {verdict}" if last is not Outcome.OPEN else f"gate: {verdict} about {new.name}")
    return STATUS[last]


def _conformance(options: argparse.Namespace, plan: DuelPlan) -> Step:
    """Takes a program through the cases of the protocol."""
    from mergemaker_tools.conformance.many import run_cases  # noqa: PLC0415 - slow to import: gRPC
    from mergemaker_tools.conformance.running import Client  # noqa: PLC0415 - likewise

    spec = plan.terms.bots[0].spec
    if not isinstance(spec, CommandBot | ScriptBot) or plan.terms.is_fast(options.play):
        return Step("conformance", Outcome.LEFT_OUT, "this bot is called in this program, and needs no protocol")
    cases = [
        case
        for case in all_cases()
        if case.holds_for(Claim.ANY) and case.level in levels_up_to(options.level) and not (case.posix and os.name == "nt")
    ]
    client = Client(command_of(spec), Claim.ANY, None)
    with progress(len(cases), "cases") as done:
        outcomes = []
        for outcome in run_cases(cases, client, options.jobs):
            outcomes.append(outcome)
            done(len(outcomes))
    failed = [outcome for outcome in outcomes if outcome.problem is not None]
    if not failed:
        return Step("conformance", Outcome.PASSED, f"{len(cases)} cases, level {options.level}")
    how = own_command("conform", *(part for each in failed for part in ("--case", each.case.id)), "--", *command_of(spec))
    text = f"{len(failed)} of {len(cases)} cases: {failed[0].case.id}: {failed[0].problem}\n  see: {how}"
    return Step("conformance", Outcome.FAILED, text, [outcome.case.id for outcome in failed])


def _positions(options: argparse.Namespace, plan: DuelPlan) -> Step:
    """Asks the bot about recorded positions."""
    questions = differences = 0
    for name, record, seat in _asked(options.positions):
        shadowed = _shadowed(options, plan, record, seat)
        questions += shadowed.questions
        differences += len(shadowed.differences)
        for each in shadowed.differences:
            if each.failure is not None or not each.legal:
                why = each.failure or f"{each.answered} is illegal: {each.refusal}"
                text = f"{name}, seat {seat}, decision {each.number} ({each.asked}): {why}"
                return Step("positions", Outcome.FAILED, text, {"record": name, "seat": seat, "decision": each.number})
    text = f"{questions} questions, each answered legally, {differences} otherwise than recorded"
    return Step("positions", Outcome.PASSED, text, {"questions": questions, "differences": differences})


def _asked(places: Sequence[str]) -> Iterator[tuple[str, Record, int]]:
    """Records and the seat to ask, each seat's turn."""
    if not places:
        for number, rules in enumerate(PRESETS):
            played = play_match(_PARTNERS, rules, seed=POSITION_SEED)
            yield f"a match of built-in bots by {rules}", played.record, number % len(_PARTNERS)
        return
    found = 0
    for number, path in enumerate(record_paths(places)):
        try:
            record = open_record(path)
        except (OSError, RecordError) as error:
            raise NoAnswer(f"cannot read the record {shown_path(path)}: {error}") from error
        if record.end is None:
            complain(f"left out: {shown_path(path)}: the match is running, or was broken off")
            continue
        found += 1
        yield shown_path(path), record, number % record.header.seats
    if not found:
        raise NoAnswer("none of these records is of a match that has ended: there is nothing to ask")


def _shadowed(options: argparse.Namespace, plan: DuelPlan, record: Record, seat: int) -> Shadowed:
    spec = plan.terms.bots[0].spec
    if plan.terms.is_fast(options.play) or not isinstance(spec, CommandBot | ScriptBot):
        return shadow(factory_for(spec), record, seat, 1)
    from mergemaker_tools.shadowing.referee import shadow_process  # noqa: PLC0415 - slow to import: gRPC
    from mergemaker_tools.shadowing.seat import RecordedSeat  # noqa: PLC0415 - likewise

    configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
    recorded = RecordedSeat(record, seat, 1)
    confining = plan.terms.confining
    if recorded.request is not None:
        own = None if confining is None else replace(confining, sights=confining.sights[:1])
        shadow_process(recorded, spec, own, options.limit, options.logs, complain)
    return recorded.shadowed


def _duel(options: argparse.Namespace, plan: DuelPlan) -> Step:
    """Plays the new bot against the old one."""
    duel, repeat = Duel(plan), repeat_command(options, plan)
    show_notes("gate", duel_notes(plan, options.jobs))
    with open_progress("matches") as tell:
        watcher = DuelWatcher() if options.json else ShownProgress(tell)
        seconds = run_duel(duel, options.jobs, fast=plan.terms.is_fast(options.play), watcher=watcher)
    if not options.json:
        show_duel(duel, seconds, repeat)
    if duel.stop is Stopped.INTERRUPTED:
        raise Interrupted(f"interrupted after {duel.matches:,} matches of the duel")
    if duel.answer is Verdict.OPEN:
        outcome = Outcome.OPEN
    elif duel.answer is Verdict.BETTER or (duel.answer is Verdict.NO_DIFFERENCE and options.need is Need.NOT_WORSE):
        outcome = Outcome.PASSED
    else:
        outcome = Outcome.FAILED
    return Step("duel", outcome, verdict_text(duel), duel_document(duel, seconds, repeat))
