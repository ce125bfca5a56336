"""Makes a plan from the options of the command line."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from mergemaker_client.bots import NAMES, parse
from mergemaker_client.errors import BotError
from mergemaker_engine.deal import SEED_BYTES
from mergemaker_engine.errors import SetupError
from mergemaker_engine.tables import check_seats
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, HumanPlayer, ModuleBot, RemoteBot, bot_spec
from mergemaker_processes.confinement.confining import confining_from
from mergemaker_processes.texts import reason_of, shown_path
from mergemaker_referee.configuration.settings import Address
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.journal import Durability

from mergemaker_tools import options as shared
from mergemaker_tools.pasting import own_command
from mergemaker_tools.play.clocks import clock_from, with_time_to_start
from mergemaker_tools.play.local_bots import check_can_be_fast, is_fast
from mergemaker_tools.play.modules import factory_in
from mergemaker_tools.play.plan import MatchPlan, usual_clock
from mergemaker_tools.play.ways import Way
from mergemaker_tools.problems import WrongUse

SEED_FILE_BYTES_MAX: Final = 4_096
TOKEN_CHARACTERS_MAX: Final = 200
ANY_PORT: Final = Address("127.0.0.1", 0)
CHALLENGE_BOTS: Final = ("human", "greedy", "greedy")
"""The seats of a challenge, unless others are named."""


def plan_from(options: argparse.Namespace) -> MatchPlan:
    """The plan for the options. Whatever can be wrong before anything is started is refused here."""
    words = tuple(options.bots) or (CHALLENGE_BOTS if options.challenge is not None else ())
    if not words:
        example = own_command("match", "random", "random")
        raise WrongUse(
            f"the following arguments are required: BOT. A match has one bot for each seat, as in `{example}`\n"
            f"`{own_command('match', '--help')}` shows what there is."
        )
    rules = shared.rules_from(options.rules, options.settings)
    try:
        check_seats(rules, len(words))
    except SetupError as error:
        raise WrongUse(
            f"a match has one bot for each seat, as in `{own_command('match', 'random', 'random')}`: {error}"
        ) from error
    specs = tuple(spec_of(word) for word in words)
    clock_word = options.clock or usual_clock(specs)
    plan = MatchPlan(
        words=words,
        specs=specs,
        rules=rules,
        clock=with_time_to_start(
            clock_from(clock_word), by_hand=any(isinstance(spec, RemoteBot | HumanPlayer) for spec in specs)
        ),
        clock_word=clock_word,
        seed=_seed_from(options),
        seed_file=options.seed_file,
        promised=not any((options.seed, options.seed_file, options.challenge)),
        games=options.games,
        jobs=min(options.jobs, options.games),
        listen=_listen_from(options.listen, options.plain_text),
        token=_token_from(options.token),
        records=None if options.no_record else options.records,
        record=options.record,
        durability=Durability(options.durability),
        logs=options.logs,
        strict=options.strict,
        fast=_is_fast(options, specs),
        hints=options.hints,
        challenge=options.challenge is not None,
    )
    _check_together(plan, options)
    return replace(plan, confining=confining_from(options, specs, _hidden_places(plan)))


def _is_fast(options: argparse.Namespace, specs: Sequence[BotSpec]) -> bool:
    """Whether the games need no server: many games of bots of this program, without anything that only a server has."""
    check_can_be_fast(options.play, specs)
    served = {
        "--games 1": options.games == 1,
        "--verbose": options.verbose,
        "--logs": options.logs is not None,
        "--listen": options.listen is not None,
        "--token": options.token is not None,
        "--confine": options.confine is not None,
        "--durability": options.durability != Durability.PROCESS,
    }
    needs = [option for option, is_asked in served.items() if is_asked]
    if options.play is Way.FAST and needs:
        raise WrongUse(f"{needs[0]} needs the referee's server, and --play fast has none: leave one of them out")
    return is_fast(options.play, specs) and not needs


def _hidden_places(plan: MatchPlan) -> list[tuple[str, Path]]:
    """What no confined bot may see: what the referee writes, and its secret input."""
    record = plan.record.parent if plan.record else None
    places = (
        ("the folder of the records", plan.records),
        ("the folder of the record", record),
        ("the folder of the logs", plan.logs),
        ("the seed's file", plan.seed_file),
    )
    return [(label, path) for label, path in places if path is not None]


def spec_of(word: str) -> BotSpec:
    """The bot that a word means; checks the options of a built-in one, and that a module exists."""
    spec = bot_spec(word, NAMES)
    if isinstance(spec, BuiltInBot):
        try:
            parse(spec.word)
        except BotError as error:
            raise WrongUse(f"the bot {word}: {error}") from error
    if isinstance(spec, ModuleBot):
        factory_in(spec)
    return spec


def _seed_from(options: argparse.Namespace) -> bytes:
    given = {"--seed": options.seed, "--seed-file": options.seed_file, "--challenge": options.challenge}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise WrongUse(f"the seed is given twice: by {' and by '.join(named)}")
    if options.seed_file is None:
        return shared.seed_from(options.seed if options.challenge is None else options.challenge)
    path: Path = options.seed_file
    try:
        with path.open("rb") as file:
            text = file.read(SEED_FILE_BYTES_MAX + 1).decode("ascii", "replace").strip()
    except OSError as error:
        raise WrongUse(f"the seed cannot be read from {shown_path(path)}: {reason_of(error)}") from error
    if not text or len(text) > 2 * SEED_BYTES:
        raise WrongUse(f"{shown_path(path)} holds no seed: it has 1 to {2 * SEED_BYTES} hexadecimal digits, and nothing else")
    return shared.seed_from(text)


def _listen_from(text: str | None, plain_text: bool) -> Address:
    if text is None:
        return ANY_PORT
    try:
        found = Address.parse(text)
    except RefereeError as error:
        raise WrongUse(f"--listen: {error}") from error
    if not found.is_loopback and not plain_text:
        raise WrongUse(
            f"--listen: {found} can be reached from other machines, and a match has no TLS: anybody on the network can read "
            "tokens and tiles. In a network that you trust give --plain-text, too; otherwise make the match on a server, "
            f"`{own_command('serve')}`"
        )
    return found


def _token_from(text: str | None) -> str | None:
    if text is not None and not 1 <= len(text) <= TOKEN_CHARACTERS_MAX:
        raise WrongUse(f"--token takes a text of 1 to {TOKEN_CHARACTERS_MAX} characters")
    return text


def _check_together(plan: MatchPlan, options: argparse.Namespace) -> None:
    """Refuses options that contradict each other."""
    if plan.record is not None:
        if plan.games > 1:
            raise WrongUse("--record names one file, and each game has a record: name their folder with --records")
        if os.path.lexists(plan.record):
            raise WrongUse(f"the record {shown_path(plan.record)} is there already, and is not written over: name another file")
    if options.web and (options.json or plan.games > 1 or plan.has_human):
        raise WrongUse("--web shows one match of bots in the browser: leave out --json, --games and human")
    if not plan.has_human and (plan.hints or plan.challenge):
        raise WrongUse(f"{'--hints' if plan.hints else '--challenge'} is for a person, and none plays: add human")
    if options.json and options.verbose:
        raise WrongUse("--json writes one document and nothing else: leave out --verbose")
    check_people(plan, is_shown=not options.json and not options.quiet)


def check_people(plan: MatchPlan, *, is_shown: bool) -> None:
    """Refuses more than one person, and options that would hide the game from that person."""
    if plan.has_human and (not is_shown or plan.games > 1):
        raise WrongUse("a person plays one game, and has to see it: leave out --json, --quiet and --games")
    if [isinstance(spec, HumanPlayer) for spec in plan.specs].count(True) > 1:
        raise WrongUse("there is one terminal, so one person can play at it")
