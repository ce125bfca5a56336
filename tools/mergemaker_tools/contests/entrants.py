"""The bots of a contest from the words of a command line: what they are, under different names."""

from collections.abc import Sequence

from mergemaker_processes.bot_names import BotSpec, BuiltInBot, HumanPlayer, RemoteBot, ScriptBot

from mergemaker_tools.contests.playing.blocks import Entrant
from mergemaker_tools.play.planning import spec_of
from mergemaker_tools.play.seating import BOT_NAME_CHARACTERS_MAX
from mergemaker_tools.problems import WrongUse


def entrants_from(words: Sequence[str]) -> tuple[Entrant, ...]:
    """The bots that the words mean. Bots of equal names are told apart by their words, or else by numbers."""
    specs = [spec_of(word) for word in words]
    for word, spec in zip(words, specs, strict=True):
        if isinstance(spec, RemoteBot | HumanPlayer):
            raise WrongUse(f"{word} plays one match at a time, and a contest has many: give a built-in bot or a program")
    short = [_name_of(spec) for spec in specs]
    names = [word if short.count(name) > 1 else name for word, name in zip(words, short, strict=True)]
    return tuple(Entrant(_numbered(names, index), spec) for index, spec in enumerate(specs))


def _name_of(spec: BotSpec) -> str:
    return spec.word if isinstance(spec, BuiltInBot) else spec.name


def _numbered(names: Sequence[str], index: int) -> str:
    """A name with a number after it, from the second of its kind on. The beginning of a name that is too long is left out."""
    before = names[:index].count(names[index])
    number = f" ({before + 1})" if before else ""
    return names[index][-(BOT_NAME_CHARACTERS_MAX - len(number)) :] + number


def same_bots(entrants: Sequence[Entrant]) -> list[tuple[str, str]]:
    """Pairs of names that mean the same bot."""
    return [
        (one.name, other.name)
        for index, one in enumerate(entrants)
        for other in entrants[:index]
        if _identity(one.spec) == _identity(other.spec)
    ]


def _identity(spec: BotSpec) -> object:
    """Equal for two specs of one bot, even if a file has two paths."""
    return spec.path.resolve() if isinstance(spec, ScriptBot) else spec
