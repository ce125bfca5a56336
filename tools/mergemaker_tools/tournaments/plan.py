"""What is to be played, checked: settings turned into bots, rules, clock and schedule, and the manifest that says all of it.

The manifest has what decides the matches. With it, somebody else can play the same again. What does not decide them, such as the
number of processes, is not in it, and may differ when a tournament is continued.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from mergemaker_contest import schedules
from mergemaker_contest.schedules import Format
from mergemaker_engine.deal import derived_seed
from mergemaker_engine.errors import SetupError
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import Rules
from mergemaker_engine.tables import check_seats
from mergemaker_processes.confinement.confining import Confining, confining_from
from mergemaker_store.values import Tournament
from mergemaker_table.terms import ClockTerms

from mergemaker_tools import options as shared
from mergemaker_tools.contests.playing.blocks import Block, Entrant, PlayTerms
from mergemaker_tools.new_project import name_from
from mergemaker_tools.play.clocks import clock_from
from mergemaker_tools.problems import WrongUse
from mergemaker_tools.tournaments.budget import Budget
from mergemaker_tools.tournaments.course import Course
from mergemaker_tools.tournaments.entrants import TournamentBot, bots_from, named_bots
from mergemaker_tools.tournaments.executors import LOCAL
from mergemaker_tools.tournaments.keys import ConfineForm
from mergemaker_tools.tournaments.settings import TournamentSettings

MANIFEST_FORMAT: Final = 1
DEAL: Final = "deal"
"""The label under which the seeds of the deals are derived from the tournament's."""
ID_NAME_CHARACTERS_MAX: Final = 24
ID_DIGITS: Final = 8
FOLDERS: Final = "tournaments"
"""Where tournaments are kept if nobody says otherwise."""


@dataclass(frozen=True, kw_only=True)  # without slots, for `cached_property`
class TournamentPlan:
    """A tournament, ready to be played."""

    settings: TournamentSettings
    bots: tuple[TournamentBot, ...]
    notes: tuple[str, ...]
    """What was noticed about the bots."""
    rules: Rules
    clock: ClockTerms
    seed: bytes = field(repr=False)
    """All deals come from it."""
    promised: bool
    """Whether nobody knows the seed."""
    manifest: Mapping[str, Any]

    @property
    def manifest_text(self) -> str:
        """The manifest as it is written."""
        return manifest_text(self.manifest)

    @property
    def id(self) -> str:
        """In the ids of all its matches."""
        return tournament_id(self.manifest)

    @cached_property
    def course(self) -> Course:
        """What is played, in which order. It refuses too few bots for the seats, and the like."""
        return Course(self.manifest)

    @property
    def budget(self) -> Budget:
        """How much is played."""
        return self.settings.budget or self.course.usual_budget

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers by which blocks name the bots."""
        return {bot.name: number for number, bot in enumerate(self.bots)}

    @property
    def stored(self) -> Tournament:
        """As the database has it."""
        return Tournament(id=self.id, name=self.settings.name, manifest=self.manifest_text, made=str(self.manifest["made"]))

    def block(self, block: schedules.Block) -> Block:
        """A scheduled block, as it is played."""
        numbers = self.numbers
        return Block(
            contest=self.id,
            number=block.number,
            seed=derived_seed(self.seed, DEAL, block.deal),
            seatings=tuple(tuple(numbers[bot] for bot in table) for table in block.tables),
        )

    def confining(self, folder: Path) -> Confining | None:
        """How bots are confined, after a test: the folder of the tournament is hidden from them. None: they are not."""
        settings = self.settings
        options = argparse.Namespace(
            confine=None if settings.confine is ConfineForm.NONE else str(settings.confine),
            confine_see=list(settings.confine_see),
            confine_memory=settings.confine_memory,
            confine_processes=settings.confine_processes,
            confine_scratch=settings.confine_scratch,
        )
        return confining_from(options, [bot.spec for bot in self.bots], [("the folder of the tournament", folder)])

    def terms(self) -> PlayTerms:
        """What all blocks have in common, but for where their records go."""
        return PlayTerms(
            bots=tuple(Entrant(bot.name, bot.spec) for bot in self.bots),
            rules=self.rules,
            clock=self.clock,
            mode=DealMode.SERVER if self.promised else DealMode.PLAIN,
            trust=self.settings.trust,
        )


def plan_from(settings: TournamentSettings, seed: bytes | None = None, made: str = "") -> TournamentPlan:
    """The plan for the settings. `seed` is that of a tournament that is continued. All that can be wrong is refused here."""
    rules = shared.rules_from(settings.rules, settings.set)
    try:
        check_seats(rules, settings.seats)
    except SetupError as error:
        raise WrongUse(str(error)) from error
    bots, notes = bots_from(settings.bots, settings.bot)
    named_bots(settings.challengers, bots, "challengers")
    named_bots([settings.anchor] if settings.anchor else [], bots, "anchor")
    chosen = seed if seed is not None else shared.seed_from(settings.seed)
    plan = TournamentPlan(
        settings=settings,
        bots=bots,
        notes=notes,
        rules=rules,
        clock=clock_from(settings.clock),
        seed=chosen,
        promised=settings.seed is None,
        manifest=_manifest(settings, bots, rules, chosen, made),
    )
    course = plan.course
    if settings.budget is not None:
        course.check_budget(settings.budget)
    return plan


def _manifest(
    settings: TournamentSettings, bots: tuple[TournamentBot, ...], rules: Rules, seed: bytes, made: str
) -> dict[str, Any]:
    clock = clock_from(settings.clock)
    return {
        "manifest": MANIFEST_FORMAT,
        "name": settings.name,
        "made": made,
        "rules": shared.rules_in_words(rules),
        "fingerprint": rules.fingerprint(),
        "clock": {name: getattr(clock, name) for name in clock.__dataclass_fields__},
        "format": str(settings.format),
        "seats": settings.seats,
        "design": str(settings.design),
        "tables_max": settings.tables_max,
        "advance": settings.advance,
        "table_blocks": settings.table_blocks,
        "challengers": list(settings.challengers),
        "score": str(settings.score),
        "forfeits": str(settings.forfeits),
        "anchor": settings.anchor,
        "trust": str(settings.trust),
        "confine": {
            "form": str(settings.confine),
            "memory": settings.confine_memory,
            "processes": settings.confine_processes,
            "scratch": settings.confine_scratch,
        },
        "bots": [{"name": bot.name, "bot": bot.shown, "sha256": bot.sha256} for bot in bots],
        "order": [bot.name for bot in sorted(bots, key=lambda bot: bot.given or 0) if bot.given is not None],
        "deals": "promised" if settings.seed is None else "known",
        "seed_sha256": hashlib.sha256(seed).hexdigest(),
    }


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """A manifest as it is written, to the byte."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def tournament_id(manifest: Mapping[str, Any]) -> str:
    """A part of the name and of a hash of the manifest: another manifest has another id."""
    name = (name_from(str(manifest["name"])) or "tournament")[:ID_NAME_CHARACTERS_MAX].rstrip("-")
    return f"{name}-{hashlib.sha256(manifest_text(manifest).encode()).hexdigest()[:ID_DIGITS]}"


def folder_name(settings: TournamentSettings) -> Path:
    """Where a tournament is kept if nobody says otherwise."""
    return Path(FOLDERS, name_from(settings.name) or "tournament")


def differences(begun: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What another manifest says otherwise, in words. Bots may come into a Swiss tournament, and drop out of it."""
    changes = begun["format"] == Format.SWISS
    found = []
    bots = {bot["name"]: bot["sha256"] for bot in begun["bots"]}
    now = {bot["name"]: bot["sha256"] for bot in wanted["bots"]}
    for name in sorted(bots.keys() | now.keys()):
        if changes and (name not in now or name not in bots):
            continue
        if name not in now:
            found.append(f"the bot {name} is missing")
        elif name not in bots:
            found.append(f"the bot {name} takes no part in it")
        elif bots[name] != now[name]:
            found.append(f"the files of the bot {name} have changed since then")
    apart = {"bots", "seed_sha256", "order"} if changes else {"bots", "seed_sha256"}
    names = [name for name in wanted if name not in apart and begun.get(name) != wanted[name]]
    return found + [f"{name} was {begun.get(name)!r}, and is {wanted[name]!r} now" for name in names]


def bought_text(plan: TournamentPlan, jobs: int) -> str:
    """What the budget buys, before it is spent."""
    course, budget = plan.course, plan.budget
    where = f"{jobs} at once" if plan.settings.executor == LOCAL else f"on {plan.settings.executor}"
    who = f"{plan.id}: {len(plan.bots)} bots, {plan.settings.seats} seats, {where}"
    if course.schedule is None:
        return f"{who}; {plan.settings.format}" + (f", {budget}" if plan.settings.format is Format.SWISS else "")
    in_block, count = course.schedule.tables_in_block, course.blocks_in(budget)
    cycle = f"a cycle has {course.schedule.cycle * in_block:,} matches in {course.schedule.cycle:,} blocks"
    if count is None:
        return f"{who}; {budget}; {cycle}"
    matches = count * in_block
    each = f"each bot has about {matches * plan.settings.seats / len(plan.bots):,.0f} seats"
    bought = f"{matches:,} matches in {count:,} {'block' if count == 1 else 'blocks'}"
    return f"{who}; {budget}: {bought}; {each if course.format is Format.ROUND_ROBIN else cycle}"
