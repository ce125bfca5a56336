"""Makes the plan of a duel from its options. Whatever can be wrong before anything is started is refused here."""

import argparse
import secrets
from typing import Final

from mergemaker_contest.designs import SEATS_MIN, Design, block_seatings
from mergemaker_contest.errors import ContestError
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import Question
from mergemaker_engine.errors import SetupError
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.tables import check_seats
from mergemaker_processes.confinement.confining import confining_from

from mergemaker_tools import options as shared
from mergemaker_tools.contests.duel_options import POINTS, USUAL_CLOCK, USUAL_POINTS, USUAL_RATE, USUAL_SEATS
from mergemaker_tools.contests.dueling import DuelPlan, smallest_step
from mergemaker_tools.contests.entrants import entrants_from, same_bots
from mergemaker_tools.contests.playing.blocks import PlayTerms
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.parallel import usual_jobs
from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.clocks import clock_from
from mergemaker_tools.play.local_bots import check_can_be_fast
from mergemaker_tools.play.ways import Way
from mergemaker_tools.problems import WrongUse

_ID_BYTES: Final = 4


def duel_plan(options: argparse.Namespace, first: str, second: str) -> DuelPlan:
    """The plan of a duel between the bots that these words mean."""
    entrants = entrants_from([first, second, *options.field])
    rules = shared.rules_from(options.rules, options.settings)
    design = options.design or (Design.EXCHANGE if options.field else Design.MIRROR)
    try:
        check_seats(rules, options.seats)
        block_seatings(design, options.seats, 0, len(options.field))
        question = Question(
            difference=options.difference,
            alpha=options.alpha,
            beta=options.beta,
            resolution=smallest_step(options.score, options.seats),
        )
    except (SetupError, ContestError) as error:
        raise WrongUse(str(error)) from error
    hidden = [(label, path) for label, path in (("the records", options.records), ("the logs", options.logs)) if path is not None]
    terms = PlayTerms(
        bots=entrants,
        rules=rules,
        clock=clock_from(options.clock),
        mode=DealMode.SERVER if options.seed is None else DealMode.PLAIN,
        records=options.records,
        logs=options.logs,
        confining=confining_from(options, [entrant.spec for entrant in entrants], hidden),
        trust=options.trust,
    )
    plan = DuelPlan(
        contest=f"duel-{secrets.token_hex(_ID_BYTES)}",
        terms=terms,
        design=design,
        seats=options.seats,
        score=options.score,
        question=question,
        precision=options.precision,
        matches_max=options.matches,
        seconds_max=None if options.minutes is None else options.minutes * 60,
        seed=shared.seed_from(options.seed),
    )
    _check(plan, options.play)
    return plan


def _check(plan: DuelPlan, way: Way) -> None:
    if plan.matches_max is not None and plan.matches_max < plan.matches_per_block:
        raise WrongUse(f"--matches {plan.matches_max}: a block has {plan.matches_per_block} matches, so this plays none")
    if plan.field_size and plan.seats == SEATS_MIN:
        raise WrongUse("with two seats there is no room for a field: leave out --field, or give more --seats")
    check_can_be_fast(way, [entrant.spec for entrant in plan.terms.bots])
    if way is Way.FAST and plan.terms.confining is not None:
        raise WrongUse("--confine is for bots that are processes, and --play fast calls them in this program")


def duel_notes(plan: DuelPlan, jobs: int) -> list[str]:
    """What a plan allows, but its user may not have intended."""
    notes = [f"{one} and {other} are the same bot" for one, other in same_bots(plan.terms.bots)]
    processors = usual_jobs()
    if jobs > processors:
        notes.append(f"{jobs} matches at once on {processors} processors: bots that think have less time than their clock says")
    return notes


def repeat_command(options: argparse.Namespace, plan: DuelPlan) -> str:
    """The command that plays the same matches again."""
    usual = Design.EXCHANGE if options.field else Design.MIRROR
    arguments = ["--seats", str(plan.seats)] if plan.seats != USUAL_SEATS else []
    arguments += ["--design", plan.design] if plan.design is not usual else []
    arguments += ["--score", plan.score] if plan.score is not Score.SHARE else []
    for name, value, default in (
        ("difference", plan.question.difference * POINTS, USUAL_POINTS),
        ("alpha", plan.question.alpha, USUAL_RATE),
        ("beta", plan.question.beta, USUAL_RATE),
        ("precision", plan.precision and plan.precision * POINTS, None),
        ("matches", plan.matches_max, None),
        ("minutes", options.minutes, None),
    ):
        arguments += [f"--{name}", f"{value:g}"] if value is not None and value != default else []
    arguments += shared.rules_arguments(plan.terms.rules)
    arguments += ["--clock", options.clock] if options.clock != USUAL_CLOCK else []
    arguments += ["--play", options.play] if options.play is not Way.AUTO else []
    arguments += ["--trust", options.trust] if options.trust is not Trust.OTHERS else []
    arguments += plan.terms.confining.arguments if plan.terms.confining else ()
    field = ["--field", *options.field] if options.field else []
    return own_command("duel", options.bot_a, options.bot_b, *arguments, "--seed", plan.seed.hex(), *field)
