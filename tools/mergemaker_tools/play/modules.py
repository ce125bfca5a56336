"""Bots in this process: the class or function that `module:Class` names, and the bot of a Python file."""

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from mergemaker_client.errors import BotError
from mergemaker_processes.bot_names import ModuleBot
from mergemaker_processes.texts import shown_path

from mergemaker_tools.problems import WrongUse


def factory_in(spec: ModuleBot) -> Any:  # noqa: ANN401 - a class, another factory, or a function of a turn
    """The factory of the bots; modules in the current folder are found, too."""
    from mergemaker_client.factories import factory_of  # noqa: PLC0415 - slow to import, and most matches have no such bot

    word = f"{spec.module}:{spec.attribute}"
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that a user's random.py does not replace Python's
    try:
        module = importlib.import_module(spec.module)
    except Exception as error:
        raise WrongUse(f"the bot {word}: the module cannot be imported: {type(error).__name__}: {error}") from error
    except SystemExit as end:
        # For example, a file whose last line runs the bot, even when it is imported.
        raise WrongUse(
            f"the bot {word}: the module ends the program when it is imported (exit status {end.code}); "
            'what runs its bot belongs under `if __name__ == "__main__":`'
        ) from end
    if not hasattr(module, spec.attribute):
        raise WrongUse(f"the bot {word}: the module {spec.module} has no {spec.attribute}")
    try:
        return factory_of(getattr(module, spec.attribute))
    except BotError as error:
        raise WrongUse(f"the bot {word}: {error}") from error


def factory_in_file(path: Path) -> Any:  # noqa: ANN401 - as above
    """The factory of the only bot class that a file defines. Modules beside the file are found, as when it is run by itself."""
    from mergemaker_client.bot import AsyncBot, Bot  # noqa: PLC0415 - as above

    folder = path.parent.absolute()
    name, beside = f"{path.stem} in {folder}", str(folder)  # two bots may have files of one name
    if beside not in sys.path:
        sys.path.append(beside)
    loader = importlib.util.spec_from_file_location(name, path)
    assert loader is not None, "the name ends in .py"
    assert loader.loader is not None, "the name ends in .py"
    module = importlib.util.module_from_spec(loader)
    sys.modules[name] = module  # where pickle and dataclasses look for it
    try:
        loader.loader.exec_module(module)
    except Exception as error:
        raise WrongUse(f"the bot {shown_path(path)} cannot be imported: {type(error).__name__}: {error}") from error
    except SystemExit as end:
        raise WrongUse(
            f"the bot {shown_path(path)} ends the program when it is imported (exit status {end.code}); "
            'what runs its bot belongs under `if __name__ == "__main__":`'
        ) from end
    own = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Bot | AsyncBot) and each.__module__ == name
    ]
    if len(own) != 1:
        found = f"{len(own)} bot classes ({', '.join(each.__name__ for each in own)})" if own else "no bot class"
        raise WrongUse(f"{shown_path(path)} defines {found}: to play in this process, name one, as module:Class")
    return own[0]
