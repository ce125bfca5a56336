"""Tournaments in rounds, and tournaments whose process or database is gone for a while."""

import json
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from mergemaker_testkit.small_tournaments import RANDOM, SMALL, after_blocks, bots, document_of, problems
from mergemaker_tools.contests.playing import many_blocks
from mergemaker_tools.contests.playing.blocks import BlockPlayed, BlockProblem, Trouble
from mergemaker_tools.tournaments import hosting, playing

from tests.tools.conftest import Run

LIMIT_S = 120
RunCommand = Callable[..., Run]
FIVE = bots("ada", "bob", "cyd", "dan", "eve")


def test_a_swiss_tournament_goes_on_after_a_bot_drops_out(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "t"
    arguments = (*FIVE, "--format", "swiss", "--seats", "2", "--budget", "3 rounds", "--seed", "02", "--jobs", "1", "--name", "s")
    monkeypatch.setattr(playing, "play_blocks", problems(*[(Trouble.BOT, 1)] * 3))
    played = run("tournament", *arguments, "--folder", str(folder), "--quiet")
    assert played.status == 0, played.err
    document = document_of(folder)
    rounds = document["table"]["course"]["rounds"]
    assert len(rounds) == 3
    dropped = document["leavings"]["out"]["bob"]
    present = [{name for table in each["tables"] for name in table} | {*each["resting"]} for each in rounds]
    assert [("bob" in bots) for bots in present] == [number <= dropped for number in range(3)]
    assert document["table"]["matches"] == sum(2 for each in rounds for table in each["tables"] if "bob" not in table)
    monkeypatch.undo()
    assert run("tournament", "--check", str(folder)).status == 0
    again = run("tournament", "--resume", str(folder))
    assert again.status == 0
    assert document_of(folder)["table"] == document["table"]


def test_bots_come_into_a_swiss_tournament_and_drop_out_of_it(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four bots in a folder. After the first block one is gone, and another one has come."""
    folder, entries = tmp_path / "t", tmp_path / "entries"
    entries.mkdir()
    for name in ("ada", "bob", "cyd", "dan", "eve"):
        text = f"from mergemaker_client import run\nfrom {RANDOM.split(':')[0]} import RandomBot\n"
        text += f"class Own(RandomBot): pass\nif __name__ == '__main__':\n    run(Own)  # {name}\n"
        (entries / f"{name}.py").write_text(text, "utf-8")
    (entries / "eve.py").rename(tmp_path / "eve.py")
    swiss = ("--bots", str(entries), "--format", "swiss", "--seats", "2", "--budget", "3 rounds", "--seed", "02", "--jobs", "1")
    monkeypatch.setattr(playing, "play_blocks", after_blocks(1))
    assert run("tournament", *swiss, "--trust", "own", "--folder", str(folder), "--quiet").status == 130
    monkeypatch.undo()
    played = next(iter(document_of(folder)["records"]))
    gone = next(
        name for name in ("ada", "bob", "cyd", "dan") if name.encode() not in (folder / f"records/{played}.jsonl").read_bytes()
    )
    (entries / f"{gone}.py").unlink()
    (tmp_path / "eve.py").rename(entries / "eve.py")
    went_on = run("tournament", "--resume", str(folder))
    assert went_on.status == 0, went_on.err
    assert "eve plays from round 2 on" in went_on.err
    assert f"{gone} is gone, and plays no more from round 1 on" in went_on.err
    document = document_of(folder)
    present = [{*each["resting"]}.union(*each["tables"]) for each in document["table"]["course"]["rounds"]]
    assert [("eve" in names, gone in names) for names in present] == [(False, True), (True, False), (True, False)]
    assert "note: eve came later: it plays from round 2 on" in went_on.out
    assert run("tournament", "--check", str(folder)).status == 0
    assert json.loads(run("standings", str(folder), "--json", "--recompute", "--jobs", "1").out) == document
    (entries / "ada.py" if gone != "ada" else entries / "bob.py").write_text("raise SystemExit", "utf-8")
    assert "have changed since then" in run("tournament", "--resume", str(folder)).err


def test_a_knockout_has_a_champion_and_can_be_interrupted(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "t"
    arguments = (*FIVE, "--format", "knockout", "--seats", "2", "--table-blocks", "1", "--seed", "03", "--jobs", "1")
    monkeypatch.setattr(playing, "play_blocks", after_blocks(1))
    assert run("tournament", *arguments, "--folder", str(folder)).status == 130
    monkeypatch.undo()
    played = run("tournament", "--resume", str(folder))
    assert played.status == 0
    course = document_of(folder)["table"]["course"]
    # Five bots: one rests; then three, of which one rests; then two.
    assert [len(each["tables"]) for each in course["rounds"]] == [2, 1, 1]
    assert f"{course['champion']} wins." in played.out
    assert sum(map(len, course["places"])) == 5
    assert run("tournament", "--check", str(folder)).status == 0
    page = tmp_path / "page.html"
    assert run("standings", str(folder), "--html", str(page)).status == 0
    assert "Rounds" in page.read_text("utf-8")


def test_a_database_that_is_away_is_named(run: RunCommand, tmp_path: Path) -> None:
    database = tmp_path / "missing" / "results.sqlite"
    found = run("tournament", *SMALL, "--folder", str(tmp_path / "t"), "--database", str(database))
    assert found.status == 1
    assert f"the database {database} takes nothing now" in found.err


def test_a_database_that_stays_away_does_not_stop_play(run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "t"
    database = folder / "results.sqlite"
    monkeypatch.setattr(hosting, "DATABASE_LIMIT_S", 0.0)
    monkeypatch.setattr(hosting, "CLOSE_LIMIT_S", 0.0)
    with closing(sqlite3.connect(":memory:")) as memory:
        locks = [memory]

        def play_blocks(*arguments: Any, **options: Any) -> Iterator[BlockPlayed | BlockProblem]:
            other = sqlite3.connect(database, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            locks.append(other)
            yield from many_blocks.play_blocks(*arguments, **options)

        monkeypatch.setattr(playing, "play_blocks", play_blocks)
        played = run("tournament", *SMALL, "--budget", "4 matches", "--folder", str(folder))
        locks.pop().close()
    assert played.status == 0
    assert "note: 4 results are not in the database yet; their records are kept, and --resume enters them" in played.out
    assert document_of(folder)["table"]["matches"] == 4
    shown = run("standings", str(folder))
    # One attempt was on its way when the lock went, and may have come through.
    assert "records are not in the database yet: --recompute reads them" in shown.out
    monkeypatch.undo()
    assert run("tournament", "--resume", str(folder)).status == 0
    assert "not in the database" not in run("standings", str(folder)).out


def test_a_killed_tournament_goes_on(
    run: RunCommand, tmp_path: Path, command_line: list[str], plain_environment: dict[str, str]
) -> None:
    """With a real process, which is killed when the first records are there."""
    folder = tmp_path / "t"
    arguments = [*SMALL[:-2], "--name", "k", "--budget", "60 matches", "--folder", str(folder), "--quiet"]
    process = subprocess.Popen([*command_line, "tournament", *arguments], env=plain_environment, cwd=tmp_path)
    try:
        deadline = time.monotonic() + LIMIT_S
        while not list(folder.glob("records/*.jsonl")):
            assert process.poll() is None, "it ended before it was killed"
            assert time.monotonic() < deadline, "no record within the limit"
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.01)
    finally:
        process.kill()
        process.wait(LIMIT_S)
    before = {path: path.read_bytes() for path in folder.glob("records/*.jsonl")}
    whole = 2 * (len(before) // 2)
    went_on = run("tournament", "--resume", str(folder), "--budget", f"{whole + 4} matches", "--quiet")
    assert went_on.status == 0, went_on.err
    assert all(path.read_bytes() == content for path, content in before.items())
    assert len(list((folder / "records").iterdir())) == whole + 4
    assert run("tournament", "--check", str(folder)).status == 0


KILLER = """
import os
from pathlib import Path
from mergemaker_client import run
from mergemaker_client.bots.random_bot import RandomBot

class Killer(RandomBot):
    def on_start(self, match):
        if match.match.endswith("-1") and not Path({marker!r}).exists():
            Path({marker!r}).touch()
            os.kill(os.getpid(), 9)
        super().on_start(match)

if __name__ == "__main__":
    run(Killer)
"""


def test_a_match_of_a_block_that_was_being_played_at_a_kill_is_not_played_twice(
    run: RunCommand, tmp_path: Path, command_line: list[str], plain_environment: dict[str, str]
) -> None:
    """The bot, which is called in the process of the command, kills it in the second match of the first block."""
    folder, killer = tmp_path / "t", tmp_path / "killer.py"
    killer.write_text(KILLER.format(marker=str(tmp_path / "killed")), "utf-8")
    arguments = [
        "--bot",
        str(killer),
        "--bot",
        "random",
        "--trust",
        "own",
        "--seats",
        "2",
        "--jobs",
        "1",
        "--budget",
        "4 matches",
    ]
    command = [*command_line, "tournament", *arguments, "--folder", str(folder), "--quiet"]
    killed = subprocess.run(command, env=plain_environment, cwd=tmp_path, timeout=LIMIT_S, check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr
    assert not list(folder.glob("records/*.jsonl")), "nothing of the block is released"
    (kept,) = folder.glob("records/.unreleased-*/*-0-0.jsonl")
    before = kept.read_bytes()
    went_on = run("tournament", "--resume", str(folder), "--quiet")
    assert went_on.status == 0, went_on.err
    assert (folder / "records" / kept.name).read_bytes() == before
    assert document_of(folder)["table"]["matches"] == len(list((folder / "records").iterdir())) == 4
    assert run("tournament", "--check", str(folder)).status == 0


def test_parts_of_a_tournament_are_put_together(run: RunCommand, tmp_path: Path) -> None:
    whole, one, two = (tmp_path / name for name in ("whole", "one", "two"))
    prepared = run("tournament", *SMALL, "--budget", "10 matches", "--folder", str(whole), "--prepare")
    assert (prepared.status, "tournament --resume" in prepared.out) == (0, True)
    for number, part in enumerate((one, two), start=1):
        shutil.copytree(whole, part)
        played = run("tournament", "--resume", str(part), "--shard", f"{number}/2")
        assert played.status == 0
        # Nobody publishes the seed while somebody else may still play.
        assert document_of(part)["seed"] is None
    assert [document_of(part)["table"]["matches"] for part in (one, two)] == [6, 4]
    merged = run("tournament", "--resume", str(whole), "--merge", str(one), "--merge", str(two))
    assert merged.status == 0
    assert "10 records were taken" in merged.err
    assert document_of(whole)["table"]["matches"] == 10
    assert document_of(whole)["seed"] is not None
    assert run("tournament", "--check", str(whole)).status == 0
    again = run("tournament", "--resume", str(whole), "--merge", str(one))
    assert "0 records were taken" in again.err


def test_records_that_do_not_belong_are_not_merged(run: RunCommand, tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    assert run("tournament", *SMALL, "--budget", "4 matches", "--folder", str(one)).status == 0
    shutil.copytree(one, two)
    first, second, *_ = sorted((two / "records").iterdir())
    first.write_bytes(first.read_bytes()[:-40] + b"\n")
    refused = run("tournament", "--resume", str(one), "--merge", str(two))
    assert (refused.status, "are different records of one match" in refused.err) == (1, True)
    (one / "records" / first.name).unlink()
    left_out = run("tournament", "--resume", str(one), "--merge", str(two))
    assert f"left out: {first}" in left_out.err
    assert second.exists()
    assert run("tournament", *SMALL, "--name", "other", "--folder", str(other), "--prepare").status == 0
    assert "has the tournament other-" in run("tournament", "--resume", str(one), "--merge", str(other)).err
    assert "as in 2/5, not '3/2'" in run("tournament", "--resume", str(one), "--shard", "3/2").err
    assert "go with --resume FOLDER" in run("tournament", *SMALL, "--shard", "1/2").err
