"""Measures how fast the engine, its records or the referee are, and compares it with limits and aims.

If valgrind is installed, its callgrind counts the instructions of engine and records: these are the same on
a busy machine. Times are CPU times, the best of several rounds. The referee is compared with
servers that are measured beside it. The measures inform: the exit status is 0 whatever they are.
"""

import argparse
import importlib
from typing import Final, Protocol, cast

from mergemaker_tools.problems import WrongUse

PACKAGE: Final = "mergemaker_bench"
"""Not in the wheel: in a checkout it compares the project with servers of its own and with the rules oracle."""
_MODULE: Final = f"{PACKAGE}.command"


class _Bench(Protocol):
    """What is used of the package's `command`."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Adds the command's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Measures and shows."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    _bench().configure(parser)


def run(options: argparse.Namespace) -> int:
    """Measures and shows."""
    return _bench().run(options)


def _bench() -> _Bench:
    try:
        return cast("_Bench", importlib.import_module(_MODULE))
    except ModuleNotFoundError as error:
        if error.name not in (PACKAGE, _MODULE):
            raise
        raise WrongUse(
            f"the benchmarks ({PACKAGE}) are not installed: they are part of the project's source, not of the package.\n"
            "Run `make setup` in a checkout, and there `.venv/bin/mergemaker bench`."
        ) from error
