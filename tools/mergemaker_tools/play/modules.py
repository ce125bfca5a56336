"""Bots in this process: the class or function that `module:Class` names."""

import importlib
import sys
from pathlib import Path
from typing import Any

from mergemaker_client.errors import BotError
from mergemaker_processes.bot_names import ModuleBot

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
