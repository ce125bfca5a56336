"""Putting a recorded seat's questions to a bot again, to see where it would have answered otherwise."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AsyncBot, Bot, make_bot
from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_client.factories import factory_of
from mergemaker_client.recorded import match_of, turns_of
from mergemaker_client.reporting import failure_text, question_line
from mergemaker_engine.wording import action_text, question_text

from mergemaker_tools.bot_processes.bot_names import BuiltInBot, ModuleBot, ScriptBot
from mergemaker_tools.problems import WrongUse

if TYPE_CHECKING:
    from types import ModuleType

    from mergemaker_client.bot import AnyBot, BotFactory
    from mergemaker_client.recorded import RecordedTurn
    from mergemaker_engine.record.reading import Record

    from mergemaker_tools.bot_processes.bot_names import BotSpec

_SCRIPT_MODULE: Final = "shadowed_bot"


@dataclass(frozen=True, slots=True)
class Difference:
    """A question that the bot answers otherwise than the record, or cannot answer."""

    number: int
    """The decision's number in the match."""
    asked: str
    recorded: str
    by: str
    """Who gave the recorded answer: a bot, or a default."""
    answered: str | None
    """None where the bot failed."""
    legal: bool
    """Whether the referee would have taken it."""
    failure: str | None = None
    """What the bot raised, with its traceback and the position."""


@dataclass(frozen=True, slots=True)
class Shadowed:
    """What became of the questions."""

    questions: int
    differences: tuple[Difference, ...]


def shadow(record: Record, seat: int, first: int, factory: BotFactory) -> Shadowed:
    """Puts every question to a seat from decision `first` on to one bot; it is told what came before.

    What the bot prints goes to standard error: it is no part of the command's own output.
    """
    match = match_of(record, seat)
    differences: list[Difference] = []
    questions = 0
    with redirect_stdout(sys.stderr), Caller() as caller:
        bot = make_bot(factory)
        bot.on_start(match)
        for recorded in turns_of(record, seat):
            bot.on_events(recorded.turn.events)
            if recorded.number < first:
                continue
            questions += 1
            difference = _compared(caller, bot, recorded)
            if difference is not None:
                differences.append(difference)
    return Shadowed(questions, tuple(differences))


def _compared(caller: Caller, bot: AnyBot, recorded: RecordedTurn) -> Difference | None:
    turn = recorded.turn
    rules = turn.match.rules
    asked, before = question_text(turn.decision, rules), action_text(recorded.answer, rules)
    try:
        answer = caller.answer(bot, turn).answer
    except Exception as error:  # noqa: BLE001 - whatever a bot raises is what its author wants to see
        failure = failure_text(f"the bot failed: {question_line(turn)}", error, turn)
        return Difference(recorded.number, asked, before, str(recorded.by), None, legal=False, failure=failure)
    assert not isinstance(answer, int), "what is settled is an action"
    if answer == recorded.answer:
        return None
    return Difference(recorded.number, asked, before, str(recorded.by), action_text(answer, rules), legal=answer in turn.answers)


def factory_for(spec: BotSpec) -> BotFactory:
    """What makes the bot that a word means: only bots that play in this process can be shadowed."""
    try:
        match spec:
            case BuiltInBot():
                return parse(spec.word)
            case ModuleBot(module, attribute):
                return factory_of(_attribute(module, attribute))
            case ScriptBot(path):
                return _only_bot(path)
            case _:
                raise WrongUse(
                    "a bot is shadowed in this process, where it can be debugged: give a built-in bot, module:Class, "
                    "or a .py file with one class derived from Bot"
                )
    except BotError as error:
        raise WrongUse(str(error)) from error


def _attribute(name: str, attribute: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(name)
    except Exception as error:
        raise WrongUse(f"the module {name} cannot be imported: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        raise WrongUse(f"the module {name} has no {attribute}")
    found: object = getattr(module, attribute)
    return found


def _only_bot(path: Path) -> BotFactory:
    """The one class of a script that is a bot. The script is imported, so its last lines, which run it, are passed over."""
    module = _script(path)
    kinds = [
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Bot | AsyncBot) and kind.__module__ == module.__name__
    ]
    if len(kinds) != 1:
        found = ", ".join(kind.__name__ for kind in kinds) or "none"
        raise WrongUse(f"a script that is shadowed has one class derived from Bot; {path} has {found}: name it as module:Class")
    return factory_of(kinds[0])


def _script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_SCRIPT_MODULE, path)
    assert spec is not None, "a name that ends in .py has a loader"
    assert spec.loader is not None, "likewise"
    module = importlib.util.module_from_spec(spec)
    # Where a script finds the modules beside it when it is run by itself.
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise WrongUse(f"the bot {path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
