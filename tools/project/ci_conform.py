"""Runs the example bots of clients through `mergemaker conform`; arguments are languages, as in `ci_conform.py python go`.

`greedy` runs through all cases; `random`, which is the same client, through those about its answers. Cases that are
known to fail are in `clients/LANG/known-failing.txt`; the list of every language is empty.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from make_venv import ROOT

BOTS: Final = {"greedy": "*", "random": "decisions-*"}
"""The example bots, and the cases of each."""
LIMIT_S: Final = 900
"""For all cases of one bot."""
_SUMMARY: Final = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)


def command_of(language: str, bot: str) -> list[str]:
    """The command of an example bot; Python's are built into `mergemaker`."""
    return [bot] if language == "python" else [str(ROOT / "clients" / language / "run"), bot]


def shell_command_of(language: str, bot: str) -> str:
    """The same as one word, as `mergemaker match` takes it."""
    return bot if language == "python" else shlex.join(command_of(language, bot))


def conform(language: str, bot: str) -> tuple[int, int]:
    """Runs one bot through all cases; returns how many passed and how many failed."""
    known = ROOT / "clients" / language / "known-failing.txt"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mergemaker_tools", "conform", "--bot", bot, "--case", BOTS[bot]),
            *("--known-failing", str(known), "--", *command_of(language, bot)),
        ],
        stdout=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
        text=True,
        encoding="utf-8",
    )
    found = _SUMMARY.findall(done.stdout)
    print(f"{language} {bot}\n{done.stdout}", flush=True)
    passed, failed = map(int, found[-1]) if found else (0, 0)
    return passed, failed if found and bool(failed) == bool(done.returncode) else max(failed, 1)


def main(languages: Sequence[str]) -> int:
    """Runs both bots of each language."""
    results = [conform(language, bot) for language in languages for bot in BOTS]
    passed, failed = sum(each[0] for each in results), sum(each[1] for each in results)
    print(f"conformance: {passed} passed, {failed} failed")
    return int(failed > 0 or not passed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
