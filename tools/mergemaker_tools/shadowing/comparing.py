"""Asks a bot a recorded seat's questions again, to see where it would have answered differently."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass

from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot, BotFactory, make_bot
from mergemaker_client.bots import parse
from mergemaker_client.errors import BotError
from mergemaker_client.recorded import RecordedTurn, match_of, turns_of
from mergemaker_client.reporting import failure_text, question_line
from mergemaker_engine.actions import Action
from mergemaker_engine.errors import EngineError
from mergemaker_engine.game import Game
from mergemaker_engine.record.reading import Record
from mergemaker_engine.wording import action_text, question_text
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, ModuleBot

from mergemaker_tools.play.modules import factory_in
from mergemaker_tools.problems import WrongUse


@dataclass(frozen=True, slots=True)
class Difference:
    """A question that the bot answers differently from the record, or cannot answer."""

    number: int
    """The decision's number in the match."""
    asked: str
    recorded: str
    by: str
    """Who gave the recorded answer: a bot, or a default."""
    answered: str | None
    """None where the bot failed."""
    legal: bool
    """Whether the referee would have accepted it."""
    failure: str | None = None
    """What the bot raised, with its traceback and the position."""
    refusal: str | None = None
    """Why the referee would not have accepted the answer."""


@dataclass(frozen=True, slots=True)
class Shadowed:
    """The results of the questions."""

    questions: int
    differences: tuple[Difference, ...]


def shadow_person(record: Record, seat: int, first: int) -> Shadowed:
    """Asks the person at the terminal the questions, until there are no more or the person leaves."""
    from mergemaker_tools.play.human import HumanBot, TypedLines  # noqa: PLC0415 - most runs ask a bot

    left: list[bool] = []
    return shadow(lambda: HumanBot(TypedLines(), lambda: left.append(True)), record, seat, first, lambda: bool(left))


def shadow(factory: BotFactory, record: Record, seat: int, first: int, has_left: Callable[[], bool] = lambda: False) -> Shadowed:
    """Asks one bot all questions of a seat from decision `first` on; it receives the earlier events.

    What the bot prints goes to standard error: it is no part of the command's output. A person who has left is not asked again.
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
            difference, _ = compared(caller, bot, recorded, record)
            if has_left():
                break
            questions += 1
            if difference is not None:
                differences.append(difference)
    return Shadowed(questions, tuple(differences))


def compared(caller: Caller, bot: AnyBot, recorded: RecordedTurn, record: Record) -> tuple[Difference | None, str | None]:
    """Asks a bot a recorded question: how its answer differs, None if it does not, and its note."""
    turn = recorded.turn
    rules = turn.match.rules
    asked, before = question_text(turn.decision, rules), action_text(recorded.answer, rules)
    try:
        answer, note = caller.answer(bot, turn)
    except Exception as error:  # noqa: BLE001 - the bot's author wants to see any error
        failure = failure_text(f"the bot failed: {question_line(turn)}", error, turn)
        return Difference(recorded.number, asked, before, str(recorded.by), None, legal=False, failure=failure), None
    if answer == recorded.answer:
        return None, note or None
    is_legal, refusal = answer in turn.answers, None
    if not is_legal:
        # Found by playing the record again, as few answers are illegal.
        illegal = why_illegal(next(step.before for step in record.steps() if step.number == recorded.number), answer)
        assert illegal is not None, "what is not listed is not accepted"
        refusal = with_rule(illegal.message, illegal.rule)
    answered = action_text(answer, rules)
    return Difference(recorded.number, asked, before, str(recorded.by), answered, legal=is_legal, refusal=refusal), note or None


def why_illegal(game: Game, answer: Action) -> EngineError | None:
    """Why a position refuses an answer, or None. The game does not change."""
    try:
        game.copy().apply(answer)
    except EngineError as error:
        return error
    return None


def with_rule(text: str, rule: str | None) -> str:
    """What is wrong with an answer, and the id of the rule that it breaks."""
    return f"{text} [{rule}]" if rule else text


def factory_for(spec: BotSpec) -> BotFactory:
    """What makes a bot that plays in this process."""
    try:
        match spec:
            case BuiltInBot():
                return parse(spec.word)
            case ModuleBot():
                factory: BotFactory = factory_in(spec)
                return factory
            case _:
                raise WrongUse(
                    f"{spec.name} cannot be shadowed: shadow starts the bot itself, to know when it is gone. Give its command "
                    "line in quotes or a path ending in .py; or module:Class, which plays in this process, where a debugger "
                    "reaches it"
                )
    except BotError as error:
        raise WrongUse(str(error)) from error
