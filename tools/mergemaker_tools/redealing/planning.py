"""Makes tasks from the options of `fork --redeal`: which questions are asked again, and who plays on."""

import argparse

from mergemaker_engine.errors import RecordError
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, ModuleBot
from mergemaker_processes.texts import shown_path

from mergemaker_tools.play.forking import bots_of, record_at
from mergemaker_tools.problems import CommandFailed, WrongUse
from mergemaker_tools.redealing.playing import Task
from mergemaker_tools.redealing.question import question_of


def redeal_tasks(options: argparse.Namespace, seed: bytes) -> list[Task]:
    """A task for each place. Whatever can be wrong before anything is played is refused here."""
    for option, given in (("--clock", options.clock), ("--records", options.records), ("--confine", options.confine)):
        if given is not None:
            raise WrongUse(
                f"{option} is for matches with a referee, and fresh deals are played in this process, without clock and record: "
                f"leave out {option} or --redeal"
            )
    return [_task(options, place, seed) for place in options.places]


def _task(options: argparse.Namespace, place: str, seed: bytes) -> Task:
    path, record, decision = record_at(place)
    _, specs = bots_of(record, options.seats, options.others)
    bots = tuple(_in_process(seat, spec) for seat, spec in enumerate(specs))
    names = tuple(bot.word if isinstance(bot, BuiltInBot) else bot.name for bot in bots)
    try:
        return Task(question_of(record, decision, names, options.answers), bots, seed)
    except RecordError as error:
        raise CommandFailed(f"{shown_path(path)}: {error}") from error


def _in_process(seat: int, spec: BotSpec) -> BuiltInBot | ModuleBot:
    if not isinstance(spec, BuiltInBot | ModuleBot):
        raise WrongUse(
            f"seat {seat}: {spec.name} is no bot of this process, and fresh deals need thousands of answers\n"
            "--seat and --others take built-in bots and module:Class here."
        )
    return spec
