"""Bots that are called in this process, and the set-up of their matches."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from mergemaker_client.bot import BotFactory
from mergemaker_client.bots import parse
from mergemaker_engine.record.commitments import NONCE_BYTES, DealMode, commitment
from mergemaker_engine.record.lines import Promise
from mergemaker_engine.record.scribe import Secrets
from mergemaker_engine.rules import Rules
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, ModuleBot, ScriptBot
from mergemaker_referee.serving import software_text
from mergemaker_referee.times import time_text
from mergemaker_table import ClockTerms, Setup, Terms
from mergemaker_table.run_members import block_run

from mergemaker_tools.play.clocks import with_time_to_start
from mergemaker_tools.play.modules import factory_in, factory_in_file
from mergemaker_tools.play.ways import Way
from mergemaker_tools.problems import WrongUse


def is_fast(way: Way, specs: Sequence[BotSpec]) -> bool:
    """Whether such bots are called in this program's own processes."""
    if way is Way.AUTO:
        return all(isinstance(spec, BuiltInBot | ModuleBot) for spec in specs)
    return way is Way.FAST


def check_can_be_fast(way: Way, specs: Sequence[BotSpec]) -> None:
    """Refuses bots that cannot be called in this program, if they were to be."""
    for spec in specs:
        if way is Way.FAST and not isinstance(spec, BuiltInBot | ModuleBot | ScriptBot):
            raise WrongUse(f"--play fast calls bots in this program, and {spec.name} is a program of its own: leave it out")


def factory_for(spec: BotSpec) -> BotFactory:
    """What makes the bot of a match in this process."""
    match spec:
        case BuiltInBot():
            return parse(spec.word)
        case ModuleBot():
            found: BotFactory = factory_in(spec)
            return found
        case ScriptBot():
            from_file: BotFactory = factory_in_file(spec.path)
            return from_file
        case _:
            raise WrongUse(f"the bot {spec.name} is a program of its own: it cannot be called in this process")


def local_setup(
    *, rules: Rules, clock: ClockTerms, mode: DealMode, match: str, seed: bytes, bots: tuple[str, ...], block: str = ""
) -> Setup:
    """What a match is set up with, as a referee would do it."""
    if mode is DealMode.PLAIN:
        hidden, promise = Secrets(seed), None
    else:
        nonce = secrets.token_bytes(NONCE_BYTES)
        hidden, promise = Secrets(seed, seed, nonce), Promise(match, commitment(match, nonce, seed))
    return Setup(
        rules=rules,
        bots=bots,
        terms=Terms(with_time_to_start(clock, by_hand=False)),
        mode=mode,
        match=match,
        promise=promise,
        secrets=hidden,
        software=software_text(),
        started=time_text(datetime.now(UTC)),
        more=block_run(block),
    )
