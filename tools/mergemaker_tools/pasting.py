"""Command lines that people are shown so that they can paste them into a shell."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from mergemaker_processes.texts import command_text

PROGRAM: Final = "mergemaker"
MODULE: Final = "mergemaker_tools"
"""What Python runs the command by: `python -m mergemaker_tools`."""


def own_command(*words: str) -> str:
    """A call of this command with these words, which works in the shell where this process was started.

    It begins as this process was called: with a path, or with Python and the module; with the bare name if that is on the PATH.
    """
    return command_text([*_own_name(), *words])


def _own_name() -> list[str]:
    """The words that started this process, before the command's own arguments."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py" and started.parent.name == MODULE:
        return [*_python(), "-m", MODULE]
    if started.stem != PROGRAM:
        return [PROGRAM]  # another program calls it, and how that was started is unknown
    on_path = shutil.which(PROGRAM)
    if on_path is not None and _is_same(on_path, sys.argv[0]):
        return [PROGRAM]
    is_path = any(separator in sys.argv[0] for separator in (os.sep, os.altsep) if separator)
    return [sys.argv[0]] if is_path else [*_python(), "-m", MODULE]


def _python() -> list[str]:
    """Python as it was called, if that can be repeated."""
    called = sys.orig_argv[0] if sys.orig_argv else ""
    return [called if called and shutil.which(called) else sys.executable]


def _is_same(program: str, started: str) -> bool:
    """Whether both are one program; on Windows one of them may lack its suffix."""
    try:
        return Path(program).samefile(started)
    except OSError:
        return Path(program).with_suffix("") == Path(started)
