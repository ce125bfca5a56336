"""What `mergemaker tournament` is asked for: options, files, folders of bots, the examples, and what it refuses."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_testkit.small_tournaments import RANDOM, bots
from mergemaker_tools.tournaments.entrants import bots_from
from mergemaker_tools.tournaments.folder import TournamentFolder
from mergemaker_tools.tournaments.keys import KEYS

from tests.tools.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tools" / "examples"
PAGE = ROOT / "docs" / "tournaments.md"
THREE = bots("ada", "bob", "cyd")
RunCommand = Callable[..., Run]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--format", "swiss", "--budget", "9 matches"), 'in rounds, as in budget = "5 rounds"'),
        (("--format", "knockout", "--budget", "9 matches"), "a knockout ends by itself"),
        (("--budget", "3 rounds"), "a round-robin has no rounds"),
        (("--budget", "many"), "--budget takes a number and what it counts"),
        (("--budget", "0 matches"), "--budget takes 1 to 1,000,000 matches, not 0"),
        (("--format", "round-robbin"), "did you mean round-robin?"),
        (("--seats", "5"), "5 seats need 5 bots or more, and there are 3: add bots, or take fewer seats"),
        (("--seats", "seven"), "--seats takes a whole number from 2 to 6, not 'seven'"),
        (("--challengers", "adda"), "there is no bot 'adda'; did you mean ada?"),
        (("--format", "gauntlet"), "a gauntlet has one challenger or more"),
        (("--bot", "human"), "it takes neither remote nor human"),
        (("--bot", "ada=random"), "two bots are called ada"),
        (("--bot", "./no_such_bot.py"), "cannot be read"),
        (("--bots", "nowhere"), "the folder of the bots, nowhere, cannot be read"),
        (("--database", "mysql://x/y"), "mysql is no database for results"),
        (("--clock", "quick"), "there is no clock"),
        (("--confine-memory", "64"), "--confine-memory is of no use without --confine"),
        (("--confine", "limits"), "is a bot of this process, which cannot be confined"),
        (("--seed", "xyz"), "hexadecimal digits"),
        (("--check", "nowhere"), "nowhere/manifest.json, the manifest of a tournament, cannot be read"),
        (("--resume", "nowhere"), "nowhere/manifest.json, the manifest of a tournament, cannot be read"),
    ],
)
def test_what_cannot_be_is_refused(run: RunCommand, arguments: tuple[str, ...], text: str) -> None:
    refused = run("tournament", *THREE, "--seats", "2", "--jobs", "1", *arguments)
    assert refused.status in {1, 2}
    assert (text in refused.err, refused.out) == (True, ""), refused.err


def test_a_file_with_mistakes_tells_all_of_them_with_their_lines(run: RunCommand, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "Cup"\nseets = 4\nformat = "swis"\nbot = "greedy"\nbudget = 30\n', "utf-8")
    refused = run("tournament", str(file))
    assert refused.status == 2
    lines = refused.err.removeprefix("mergemaker tournament: ").splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"{file}, line {number}" for number in (2, 3, 4, 5)]
    assert "seets is no key of a tournament; did you mean seats" in lines[0]
    assert "did you mean swiss?" in lines[1]
    file.write_text("name = ", "utf-8")
    assert f"{file}, line 1: is not TOML" in run("tournament", str(file)).err
    assert "cannot be read" in run("tournament", str(tmp_path / "none.toml")).err


def test_options_and_file_amount_to_the_same(run: RunCommand, tmp_path: Path) -> None:
    printed = run("tournament", *THREE, "--seats", "3", "--budget", "2 cycles", "--set", "dead_tiles=forced", "--toml")
    assert printed.status == 0
    file = tmp_path / "cup.toml"
    file.write_text(printed.out, "utf-8")
    assert run("tournament", str(file), "--toml").out == printed.out
    # An option goes before the file.
    assert "seats = 2" in run("tournament", str(file), "--seats", "2", "--toml").out
    file.write_text('bots = "entries"\n', "utf-8")
    assert run("tournament", str(file), "--toml").out == f'bots = "{tmp_path}/entries"\n'


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
@pytest.mark.checkout
def test_an_example_is_played(run: RunCommand, tmp_path: Path, example: Path) -> None:
    """Each at a small size: two blocks, or its first round. What `class.toml` needs beside it is made."""
    text = example.read_text("utf-8")
    copy = tmp_path / example.name
    copy.write_text(text, "utf-8")
    assert f"mergemaker tournament tools/examples/{example.name}" in text
    entries = [f"{name}={RANDOM}" for name in ("ada", "bob", "cyd")] if "entries" in text else []
    if entries:
        copy.write_text(
            text.replace('bots = "entries"', "").replace('["house=greedy"]', json.dumps(["house=random", *entries])), "utf-8"
        )
    small = (
        ["--budget", "1 round"]
        if "swiss" in example.stem
        else ["--table-blocks", "1"]
        if "knockout" in example.stem
        else ["--budget", "8 matches"]
    )
    played = run("tournament", str(copy), *small, "--jobs", "1", "--folder", str(tmp_path / "t"), "--quiet")
    assert played.status == 0, played.err
    assert TournamentFolder(tmp_path / "t").read_standings()["table"]["matches"] > 0


@pytest.mark.checkout
def test_the_page_explains_every_key_as_the_help_does() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    told = {row.split("`")[1]: row for row in rows if "| `--" in row}
    assert {*told} == {key.name for key in KEYS}
    for key in KEYS:
        default = "" if key.default in (None, []) else f"`{key.default}`"
        assert told[key.name] == f"| `{key.name}` | `{key.option} {key.shown}` | {default} | {key.help} |"


def test_a_folder_of_bots_takes_part(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "entries"
    project = folder / "ada"
    project.mkdir(parents=True)
    (project / "run").write_text("#!/bin/sh\nexec false\n", "utf-8")
    (project / "run").chmod(0o755)
    (project / ".venv").mkdir()
    (folder / "bob.py").write_text("print()\n", "utf-8")
    (folder / "cyd").mkdir()
    (folder / "cyd" / "bot.py").write_text("print(1)\n", "utf-8")
    (folder / "dan").write_text("#!/bin/sh\n", "utf-8")
    (folder / "dan").chmod(0o755)
    (folder / "README.md").write_text("", "utf-8")
    (folder / "eve.sh").write_text("", "utf-8")
    (folder / "fay").mkdir()
    found, notes = bots_from(folder, ["house=random"])
    assert [bot.name for bot in found] == ["ada", "bob", "cyd", "dan", "house"]
    assert [bot.shown for bot in found] == ["ada", "bob.py", "cyd", "dan", "random"]
    assert notes == (
        f"{folder}/eve.sh is no bot: it is not executable: `chmod +x` makes it so",
        f"{folder}/fay is no bot: it has neither a program `run` nor a file `bot.py`",
    )
    before = {bot.name: bot.version for bot in found}
    (project / "strategy.txt").write_text("better", "utf-8")
    (project / ".venv" / "cache").write_text("new", "utf-8")
    after = {bot.name: bot.version for bot in bots_from(folder, ["house=random"])[0]}
    assert {name for name in before if before[name] != after[name]} == {"ada"}
    (folder / "bob").mkdir()
    (folder / "bob" / "bot.py").write_text("", "utf-8")
    refused = run("tournament", "--bots", str(folder))
    assert refused.status == 2
    assert "two bots are called bob" in refused.err
    shutil.rmtree(folder)
    folder.mkdir()
    assert "there is no bot in" in run("tournament", "--bots", str(folder)).err
