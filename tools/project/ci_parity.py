"""Compares the example bots `greedy` of all languages with Python's: the same deals must lead to the same games.

Each game is played twice: with a seat for each of several languages, and with Python's own `greedy` in all seats. Their records
must have the same `game` chain. If they differ, the first different line is shown.

`ci_clients.py` also compares the first bot of each new project with Python's (clients/python/FIRST.md), by `compare_first_bot`.

    python tools/project/ci_parity.py                       # 294 games: each language in 252, in every preset
    python tools/project/ci_parity.py --games 100 go rust   # these alone, 100 games for each preset
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import ci_conform
from make_venv import ROOT

LANGUAGES: Final = ("typescript", "go", "rust", "java")
PRESETS: Final = (
    "renegade-classic",
    "renegade-tycoon",
    "avalon-hill",
    "avalon-hill-powers",
    "corporations",
    "reference",
    "reference-trading",
)
WITHOUT_PAIRS: Final = frozenset({"renegade-tycoon"})
"""Presets that need more than two players."""
GAMES_EACH: Final = 30
"""Games of each preset with all languages at one table; a fifth as many again between two of them."""
FIRST_BOT: Final = ROOT / "clients" / "python" / "template" / "bot.py"
"""The first bot in Python; those of new projects in other languages play the same games."""
FIRST_BOT_GAMES: Final = 2
"""Games of each preset with the first bot of one language in two seats."""
LIMIT_S: Final = 900
"""For the games of one table."""


@dataclass(frozen=True, slots=True)
class Table:
    """Games of one preset with these languages in the seats."""

    preset: str
    languages: tuple[str, ...]
    games: int

    @property
    def seed(self) -> str:
        """The seed of all deals of this table."""
        text = f"parity {self.preset} {len(self.languages)} {self.languages[0]}"
        return hashlib.sha256(text.encode()).hexdigest()


def tables(languages: Sequence[str], games_each: int) -> Iterator[Table]:
    """The tables of all presets, with the languages in turn in each seat."""
    for number, preset in enumerate(PRESETS):
        turned = tuple(languages[(number + place) % len(languages)] for place in range(len(languages)))
        seats = turned if len(turned) > 1 else turned * 4
        yield Table(preset, seats, games_each)
        for pair in (turned[:2], turned[2:4]):
            if len(pair) == 2:
                yield Table(preset, (*pair, pair[0]) if preset in WITHOUT_PAIRS else pair, games_each // 5)


def play(table: Table, bots: Sequence[str], folder: Path) -> list[Path]:
    """Plays the table's games with these bots; returns the records in the order of the games."""
    words = ["match", *bots, "--rules", table.preset, "--seed", table.seed, "--games", str(table.games)]
    done = subprocess.run(
        [sys.executable, "-m", "mergemaker_tools", *words, "--clock", "none", "--strict", "--json", "--records", str(folder)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        raise SystemExit(f"a match of {', '.join(bots)} by {table.preset} failed:\n{done.stderr}{done.stdout}")
    return [Path(game["record"]) for game in json.loads(done.stdout)["games"]]


def lines_of(record: Path) -> list[dict[str, object]]:
    """The lines of a record, without what differs between two runs of the same play."""
    lines = []
    for text in record.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        lines.append({name: value for name, value in line.items() if name not in {"run", "line"}})
    return lines


def difference(theirs: Path, ours: Path) -> str | None:
    """The first difference between the games of two records, or None."""
    one, other = lines_of(theirs), lines_of(ours)
    if one[-1]["game"] == other[-1]["game"]:
        return None
    for left, right in zip(one, other, strict=False):
        if left != right:
            return f"  is      {json.dumps(left)}\n  should  {json.dumps(right)}"
    return f"  {len(one)} lines instead of {len(other)}"


def compare(languages: Sequence[str], games_each: int) -> int:
    """Plays all tables; returns how many games were the same, and ends the program at the first that was not."""
    same = 0
    for table in tables(languages, games_each):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            theirs = play(
                table, [ci_conform.shell_command_of(language, "greedy") for language in table.languages], folder / "one"
            )
            ours = play(table, ["greedy"] * len(table.languages), folder / "other")
            for number, (one, other) in enumerate(zip(theirs, ours, strict=True)):
                if found := difference(one, other):
                    seats = ", ".join(f"seat {seat}: {language}" for seat, language in enumerate(table.languages))
                    raise SystemExit(f"{table.preset}, seed {table.seed}, game {number} ({seats}) goes another way:\n{found}")
                same += 1
        print(f"{table.preset}: {table.games} games of {', '.join(table.languages)} as Python plays them", flush=True)
    return same


def compare_first_bot(program: Path) -> int:
    """Plays the same games with a new project's first bot and with Python's; returns how many were the same (FIRST.md)."""
    same = 0
    for preset in PRESETS:
        table = Table(preset, ("first", "greedy", "first", "random"), FIRST_BOT_GAMES)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            theirs = play(table, [f"'{program}'", "greedy", f"'{program}'", "random"], folder / "one")
            ours = play(table, [str(FIRST_BOT), "greedy", str(FIRST_BOT), "random"], folder / "other")
            for number, (one, other) in enumerate(zip(theirs, ours, strict=True)):
                if found := difference(one, other):
                    raise SystemExit(f"{preset}, seed {table.seed}, game {number}: the first bot plays another game:\n{found}")
                same += 1
    return same


def main() -> int:
    """Compares as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", metavar="LANG", help=f"(default: {' '.join(LANGUAGES)})")
    parser.add_argument("--games", type=int, default=GAMES_EACH, help="for each preset (default: %(default)s)")
    arguments = parser.parse_args()
    print(f"parity: {compare(arguments.languages or LANGUAGES, max(arguments.games, 5))} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
