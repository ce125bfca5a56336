"""The `mergemaker` command line: finds the command, runs it, and returns its exit status.

A command's module is imported only when it is used, so that every command starts fast.
"""

import argparse
import importlib
import io
import itertools
import os
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, Protocol, cast

from mergemaker_tools.help_format import HelpFormat
from mergemaker_tools.pasting import PROGRAM, own_command
from mergemaker_tools.problems import (
    DONE,
    FAILED,
    INTERRUPTED,
    PIPE_CLOSED,
    WRONG_USE,
    CommandFailed,
    Interrupted,
    WrongUse,
)
from mergemaker_tools.screen import complain, write

DISTRIBUTION: Final = "mergemaker"


@dataclass(frozen=True, slots=True)
class Command:
    """What is known of a command without importing it."""

    module: str
    summary: str
    example: str


COMMANDS: Final = {
    "match": Command(
        "mergemaker_tools.commands.match",
        "let bots play against each other",
        "match random random random --seed 01",
    ),
    "duel": Command("mergemaker_tools.commands.duel", "decide which of two bots is better", "duel greedy random"),
    "gate": Command(
        "mergemaker_tools.commands.gate", "decide whether a bot's new version may replace the old one", "gate greedy random"
    ),
    "tournament": Command(
        "mergemaker_tools.commands.tournament",
        "play a tournament between bots, and publish who is better",
        "tournament --bot greedy --bot random --seats 2 --budget '40 matches'",
    ),
    "standings": Command(
        "mergemaker_tools.commands.standings",
        "show the table of a tournament, as text, a page, CSV or JSON",
        "standings tournaments/spring --html spring.html",
    ),
    "store": Command(
        "mergemaker_tools.commands.store",
        "back up a database of results, and restore it",
        "store backup tournaments/spring/results.sqlite spring.jsonl",
    ),
    "simulate": Command(
        "mergemaker_tools.commands.simulate",
        "play many random games and count",
        "simulate --players 4 --games 1000 --seed 01",
    ),
    "replay": Command("mergemaker_tools.commands.replay", "show a recorded match", "replay match.jsonl@57"),
    "rules": Command(
        "mergemaker_tools.commands.rules",
        "show presets, knobs, charts and the catalogue",
        "rules renegade-classic",
    ),
    "fork": Command(
        "mergemaker_tools.commands.fork",
        "resume a finished match at one of its decisions",
        "fork records/MATCH.jsonl@57 --seat 0=random",
    ),
    "review": Command(
        "mergemaker_tools.commands.review",
        "rate each answer of a match, and show better ones",
        "review records/MATCH.jsonl --html review.html",
    ),
    "shadow": Command(
        "mergemaker_tools.commands.shadow",
        "ask a bot a recorded seat's questions, and list the differences",
        "shadow records/MATCH.jsonl@57 --seat 0 -- greedy",
    ),
    "debug": Command(
        "mergemaker_tools.commands.debug",
        "feed a bot its past, stop at a decision, and step on or back",
        'debug records/MATCH.jsonl@seat0:12 -- "./my_bot --fast"',
    ),
    "verify": Command("mergemaker_tools.commands.verify", "check that records follow the rules", "verify records"),
    "export": Command("mergemaker_tools.commands.export", "write records as a table", "export records --format csv -o a.csv"),
    "serve": Command("mergemaker_tools.commands.serve", "run a referee for bots on the network", "serve --init FOLDER"),
    "matches": Command(
        "mergemaker_tools.commands.matches",
        "make, list and cancel matches of a server, and fetch their records",
        "matches create --seat alice --seat bob --server grpc://127.0.0.1:7350",
    ),
    "bot": Command(
        "mergemaker_tools.commands.bot", "connect a built-in bot to a server", "bot greedy --server grpc://127.0.0.1:7350"
    ),
    "mcp": Command(
        "mergemaker_tools.commands.mcp",
        "let a language model play a seat, by the Model Context Protocol",
        "mcp --against greedy random",
    ),
    "conform": Command(
        "mergemaker_tools.commands.conform", "prove a client of the protocol, in any language", "conform -- ./my_bot --fast"
    ),
    "new": Command("mergemaker_tools.commands.new", "write a project for a bot of your own, in any language", "new go my-bot"),
    "bench": Command(
        "mergemaker_tools.commands.bench", "measure the engine, records, the referee, or contests", "bench engine --quick"
    ),
}


class CommandModule(Protocol):
    """What every module in `commands` has."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Does what the command is for; returns the exit status."""


class Parser(argparse.ArgumentParser):
    """A parser that raises `WrongUse` for what it does not understand, and points to the help."""

    def error(self, message: str) -> NoReturn:
        """Refuses what was given."""
        way = own_command(*self.prog.split()[1:], "--help")
        raise WrongUse(f"{message}\n`{way}` shows what there is.")

    def print_help(self, _file: object = None) -> None:
        """Writes the help like all other output: argparse ignores errors of a full disk."""
        write(self.format_help())

    takes_options_anywhere = False
    """Whether options may stand among several arguments of one kind."""

    def parse_all(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Reads all arguments; for an unknown option, the nearest known ones are named."""
        parse = self.parse_known_intermixed_args if self.takes_options_anywhere else self.parse_known_args
        options, unknown = parse(self._with_usual_values(arguments))
        if unknown:
            name = unknown[0].partition("=")[0]
            known = [option for action in self._actions for option in action.option_strings]
            if name.startswith("-"):
                self.error(f"there is no option {name!r}{_nearest(name, known)}")
            self.error(f"{name!r} is one argument too many")
        return options

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuses what is not among an argument's choices, and names the nearest."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            near = _nearest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}{near}") from None

    def _with_usual_values(self, arguments: Sequence[str]) -> list[str]:
        """Adds the default to an option without its optional value.

        Values follow `=`. The next argument is one only if the action has a `value_form`, a pattern that it matches.
        """
        usual = {name: action for action in self._actions if action.nargs == "?" for name in action.option_strings}
        left = deque(itertools.takewhile(lambda argument: argument != "--", arguments))
        rest = list(arguments[len(left) :])
        found = []
        while left:
            each = left.popleft()
            if (action := usual.get(each)) is not None:
                form = getattr(action, "value_form", None)
                is_next = form is not None and left and form.fullmatch(left[0])
                each = f"{each}={left.popleft() if is_next else action.const}"
            found.append(each)
        return found + rest


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (the process's own arguments by default) and returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal or file that cannot show a character gets a question mark for it, not a failure.
        sys.stdout.reconfigure(errors="replace")
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    speaker = f"{PROGRAM} {name}" if name else PROGRAM
    try:
        status = _run_command(name, arguments[1:]) if name else _run_without_command(arguments)
    except WrongUse as problem:
        return _complain(speaker, str(problem), WRONG_USE)
    except CommandFailed as problem:
        return _complain(speaker, str(problem), FAILED)
    except (KeyboardInterrupt, Interrupted) as problem:
        return _complain(speaker, str(problem) or "interrupted", INTERRUPTED)
    except BrokenPipeError:
        return PIPE_CLOSED
    return status


def _complain(speaker: str, message: str, status: int) -> int:
    complain(f"{speaker}: {message}")
    return status


def _run_command(name: str, arguments: Sequence[str]) -> int:
    command = COMMANDS[name]
    # Without this, gRPC adds its own messages to standard error; it reads the variable when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    module = cast("CommandModule", importlib.import_module(command.module))
    parser = Parser(
        prog=f"{PROGRAM} {name}",
        description=module.__doc__,
        epilog=f"example:\n  {own_command()} {command.example}",
        formatter_class=HelpFormat,
        allow_abbrev=False,
    )
    module.configure(parser)
    try:
        options = parser.parse_all(arguments)
    except SystemExit as helped:  # argparse leaves so after --help
        return _status_of(helped)
    return module.run(options)


def _run_without_command(arguments: Sequence[str]) -> int:
    parser = Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND … | --help | --version",
        description="A rules-faithful engine for the board game Acquire, and a referee for bots.",
        epilog=_commands_text(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    if arguments and not arguments[0].startswith("-"):
        near = _nearest(arguments[0], COMMANDS)
        parser.error(f"there is no command {arguments[0]!r}{near}\nThe commands are {', '.join(COMMANDS)}.")
    try:
        options = parser.parse_all(arguments)
    except SystemExit as helped:
        return _status_of(helped)
    write(_version_text() if options.version else parser.format_help())
    return DONE


def _status_of(leaving: SystemExit) -> int:
    return leaving.code if isinstance(leaving.code, int) else DONE


def _commands_text() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {command.summary}" for name, command in COMMANDS.items()]
    own = own_command()
    example = f"  {own} {COMMANDS['match'].example}"
    return "\n".join(["commands:", *lines, "", f"`{own} COMMAND --help` shows more.", "", "example:", example])


def _nearest(name: str, known: Iterable[str]) -> str:
    from mergemaker_engine.near_names import nearest_names  # noqa: PLC0415 - only after a mistake: the engine is slow to import

    return nearest_names(name, known)


def _version_text() -> str:
    # Slow to import, and only this needs them.
    from importlib import metadata  # noqa: PLC0415

    from mergemaker_tools.engine_build import engine_build  # noqa: PLC0415

    try:
        return f"{PROGRAM} {metadata.version(DISTRIBUTION)} ({engine_build()})\n"
    except metadata.PackageNotFoundError as error:
        raise CommandFailed(
            f"the version is known only where {DISTRIBUTION} is installed: install it with `pip install -e .`"
        ) from error
