"""The options of `--confine`, for all commands that start bots."""

import argparse
from typing import Final

from mergemaker_processes.confinement import terms

from mergemaker_tools import options as shared

MEMORY_MIB: Final = (16, 1_048_576)
PROCESSES: Final = (4, 65_536)
SCRATCH_MIB: Final = (1, 65_536)
"""What the options take."""


def add_confine(parser: argparse.ArgumentParser) -> None:
    """Adds `--confine` and its related options."""
    group = parser.add_argument_group("bots of others", "on Linux; SECURITY.md says what is guaranteed")
    group.add_argument(
        "--confine",
        metavar="=FORM",
        nargs="?",
        const=terms.FULL,
        choices=(terms.FULL, terms.LIMITS),
        help="confine bots that are processes: each is another user, with processes and a network of its own, sees its own "
        f"folder alone, read-only, and has limits; --confine={terms.LIMITS} applies only the limits",
    )
    group.add_argument(
        "--confine-see",
        metavar="FOLDER",
        action="append",
        default=[],
        help="a folder that all bots see, too; SEAT=FOLDER: one bot; may be given several times",
    )
    for name, (least, most), usual, what in (
        ("memory", MEMORY_MIB, terms.MEMORY_MIB_MAX, "memory in MiB"),
        ("processes", PROCESSES, terms.PROCESSES_MAX, "processes and threads"),
        ("scratch", SCRATCH_MIB, terms.SCRATCH_MIB_MAX, "files in MiB"),
    ):
        group.add_argument(
            f"--confine-{name}",
            metavar="N",
            type=shared.whole_number(least, most),
            help=f"each bot's {what}, at most (default: {usual:,})",
        )
