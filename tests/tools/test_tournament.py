"""`mergemaker tournament` and `standings` in this process: played, continued, proved, and published."""

import csv
import io
import json
import platform
import shutil
import sqlite3
from argparse import Namespace
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from mergemaker_client import Answer, Turn
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_testkit.small_tournaments import RANDOM, SMALL, after_blocks, document_of, problems
from mergemaker_tools.contests.playing.blocks import Trouble
from mergemaker_tools.play.ways import Way
from mergemaker_tools.tournaments import hosting, playing
from mergemaker_tools.tournaments.keys import KEYS
from mergemaker_tools.tournaments.plan import plan_from
from mergemaker_tools.tournaments.settings import settings_from

from tests.tools.conftest import Run

HERE = "tests.tools.test_tournament"
MATCHES = 12
RunCommand = Callable[..., Run]


class Broken(RandomBot):
    """Fails at every question."""

    def answer(self, turn: Turn) -> Answer:
        raise KeyError(turn.number)


def games_of(document: dict[str, Any], folder: Path) -> list[str]:
    """The hashes `game` of all records, in the order of the schedule."""
    matches = sorted(document["records"], key=lambda match: [int(part) for part in match.split("-")[-2:]])
    ends = [(folder / "records" / f"{match}.jsonl").read_bytes().splitlines()[-1] for match in matches]
    return [json.loads(end)["game"] for end in ends]


@pytest.fixture
def spring(run: RunCommand, tmp_path: Path) -> Path:
    """The folder of a small tournament that was played to its end."""
    folder = tmp_path / "spring"
    played = run("tournament", *SMALL, "--budget", f"{MATCHES} matches", "--folder", str(folder))
    assert played.status == 0
    assert "note: ada, bob and cyd are one and the same bot" in played.err
    return folder


def test_a_tournament_is_played_and_proved(run: RunCommand, spring: Path) -> None:
    document = document_of(spring)
    table = document["table"]
    assert (table["matches"], table["blocks"], table["void"], table["unfinished"]) == (MATCHES, MATCHES // 2, 0, 0)
    assert {row["bot"] for row in table["ratings"]} == {"ada", "bob", "cyd"}
    assert [row["rating"] for row in table["ratings"]] == [None] * 3
    assert len(document["records"]) == len(list((spring / "records").iterdir())) == MATCHES
    # 6 blocks are 2 cycles of 3: each bot has each seat equally often.
    assert [row["seats"] for row in table["ratings"]] == [8, 8, 8]
    assert document["seed"] == f"{1:064x}"
    assert [(spring / name).stat().st_mode & 0o077 for name in ("secret", "tournament.toml")] == [0, 0]
    proved = run("tournament", "--check", str(spring))
    assert (proved.status, proved.err) == (0, "")
    assert proved.out == f"proved: {MATCHES} records follow the rules and the schedule, and give the published table\n"


def test_the_budget_says_what_it_buys_first(run: RunCommand, tmp_path: Path) -> None:
    played = run("tournament", *SMALL, "--budget", "1 cycle", "--folder", str(tmp_path / "t"))
    assert "1 cycle: 6 matches in 3 blocks; each bot has about 4 seats" in played.err


def test_records_alone_give_the_same_table(run: RunCommand, spring: Path) -> None:
    shown = run("standings", str(spring), "--json")
    again = run("standings", str(spring), "--json", "--recompute", "--jobs", "1")
    assert shown.status == again.status == 0
    assert json.loads(shown.out) == json.loads(again.out) == document_of(spring)
    text = run("standings", str(spring), "--csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["bot"] for row in rows] == [row["bot"] for row in document_of(spring)["table"]["ratings"]]


def test_each_machine_has_a_table_of_its_own(run: RunCommand, spring: Path) -> None:
    shown = run("standings", str(spring), "--by", "host")
    assert shown.status == 0
    (host,) = document_of(spring)["table"]["hosts"]
    assert host["host"] == platform.node()
    assert host["speed"] > 0
    assert f"{platform.node()}: 6 blocks, {host['speed']:,} games of random players" in shown.out
    assert {row["bot"] for row in host["ratings"]} == {"ada", "bob", "cyd"}
    assert run("standings", str(spring), "--by", "host", "--csv").status == 2
    times = {row["bot"]: row for row in document_of(spring)["table"]["times"]}
    assert {*times} == {"ada", "bob", "cyd"}
    assert all(row["longest_ms"] >= row["decision_ms"] >= 0 for row in times.values())


class _Page(HTMLParser):
    """Checks that what opens is closed, and collects what a page refers to."""

    EMPTY = frozenset({"meta", "br", "line", "circle", "rect", "polyline"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.references += [value or "" for name, value in attributes if name in {"src", "href", "xlink:href", "data"}]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def test_the_page_is_one_file_that_needs_nothing_else(run: RunCommand, spring: Path, tmp_path: Path) -> None:
    path = tmp_path / "spring.html"
    shown = run("standings", str(spring), "--html", str(path))
    assert shown.status == 0
    text = path.read_text("utf-8")
    page = _Page()
    page.feed(text)
    page.close()
    assert (page.open, page.references) == ([], [])
    assert "script" not in page.seen
    assert "url(" not in text
    for part in ("Spring cup", "Ratings", "Head to head", "Money by place", "Faults", "Time", "How to check this", "too few"):
        assert part in text


def test_an_interrupted_tournament_goes_on(
    run: RunCommand, spring: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "again"
    broken_off = after_blocks(2)
    monkeypatch.setattr(playing, "play_blocks", broken_off)
    stopped = run("tournament", *SMALL, "--budget", f"{MATCHES} matches", "--folder", str(folder))
    assert stopped.status == 130
    assert "interrupted after 4 of 12 matches; nothing is lost. Go on with:" in stopped.err
    assert f"tournament --resume {folder}" in stopped.err
    assert document_of(folder)["seed"] is None
    assert document_of(folder)["table"]["matches"] == 4
    # As after a kill: the database is gone, and a block was being played, of which nothing can be used.
    (folder / "results.sqlite").unlink()
    half = folder / "records" / f".unreleased-{document_of(folder)['tournament']}-2"
    half.mkdir()
    (half / "x.jsonl").write_text("{")
    monkeypatch.undo()
    before = {path: path.read_bytes() for path in (folder / "records").glob("*.jsonl")}
    went_on = run("tournament", "--resume", str(folder))
    assert went_on.status == 0
    assert "12 matches" in went_on.err
    assert all(path.read_bytes() == content for path, content in before.items())
    assert len(list((folder / "records").iterdir())) == MATCHES
    # The same games as without the interruption.
    assert games_of(document_of(folder), folder) == games_of(document_of(spring), spring)
    assert run("tournament", "--check", str(folder)).status == 0
    # Nothing is left to be played.
    once_more = run("tournament", "--resume", str(folder))
    assert once_more.status == 0
    assert {path: path.read_bytes() for path in before} == before
    assert len(list((folder / "records").iterdir())) == MATCHES


def test_a_tournament_can_be_prolonged_and_entered_elsewhere(run: RunCommand, spring: Path, tmp_path: Path) -> None:
    database = tmp_path / "other.sqlite"
    longer = run("tournament", "--resume", str(spring), "--budget", "16 matches", "--database", str(database))
    assert longer.status == 0
    assert document_of(spring)["table"]["matches"] == 16
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM matches").fetchone() == (16,)
    connection.close()


def test_what_was_begun_is_not_replaced(run: RunCommand, spring: Path, tmp_path: Path) -> None:
    refused = run("tournament", *SMALL, "--folder", str(spring))
    assert refused.status == 2
    assert "there is a tournament in" in refused.err
    changed = run("tournament", "--resume", str(spring), "--score", "win")
    assert changed.status == 2
    assert "score was 'share', and is 'win' now" in changed.err
    shutil.copytree(spring, tmp_path / "copy")
    (tmp_path / "copy" / "secret").unlink()
    secretless = run("tournament", "--resume", str(tmp_path / "copy"))
    assert secretless.status == 2
    assert "the seed of the tournament cannot be read" in secretless.err


def _put_a_record_twice(folder: Path) -> None:
    first, second = sorted((folder / "records").glob("*-0-*.jsonl"))
    shutil.copy(first, second)


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda folder: _change_record(folder, b'"cash"', b'"Cash"'), "missing or bad"),
        (lambda folder: _change_record(folder, None, None), "missing or bad"),
        (lambda folder: _change_table(folder, "wins", 99), "the table is wrong in 'ratings'"),
        (lambda folder: _change_standings(folder, seed="02" * 32), "not the one that the manifest promised"),
        (_put_a_record_twice, "a record of a tournament has its match"),
    ],
)
def test_a_wrong_table_is_not_proved(run: RunCommand, spring: Path, spoil: Callable[[Path], None], text: str) -> None:
    spoil(spring)
    found = run("tournament", "--check", str(spring))
    assert found.status == 1
    assert text in found.out
    assert "not proved" in found.out


def _a_record(folder: Path) -> Path:
    return min((folder / "records").glob("*.jsonl"))


def _change_record(folder: Path, old: bytes | None, new: bytes | None) -> None:
    path = _a_record(folder)
    if old is None or new is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(old, new))


def _change_standings(folder: Path, **changes: object) -> None:
    path = folder / "standings.json"
    path.write_text(json.dumps(document_of(folder) | changes), "utf-8")


def _change_table(folder: Path, name: str, value: object) -> None:
    document = document_of(folder)
    document["table"]["ratings"][0][name] = value
    _change_standings(folder, table=document["table"])


def test_a_bot_that_fails_at_every_question_is_reported(run: RunCommand, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    bots = ("--bot", f"ada={RANDOM}", "--bot", f"bad={HERE}:Broken")
    played = run("tournament", *bots, "--seats", "2", "--jobs", "1", "--budget", "2 matches", "--folder", str(folder), "--quiet")
    assert played.status == 0
    faults = {(row["bot"], row["of"], row["kind"]) for row in document_of(folder)["table"]["faults"]}
    assert ("bad", "bot", "failed") in faults
    assert {bot for bot, _, _ in faults} == {"bad"}
    assert document_of(folder)["table"]["without_faulty"]["blocks"] == 0


def test_a_bot_that_does_not_start_takes_no_more_part(run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "play_blocks", problems(*[(Trouble.BOT, 1)] * 3))
    folder = tmp_path / "t"
    played = run("tournament", *SMALL, "--budget", "6 matches", "--folder", str(folder), "--anchor", "ada")
    assert played.status == 0
    assert "bob did not start, and is tried again: it burns" in played.err
    assert "note: bob did not start, and took no more part: it burns" in played.out
    # The budget goes to the others.
    table = document_of(folder)["table"]
    assert (table["matches"], {row["bot"] for row in table["ratings"]}) == (6, {"ada", "cyd"})
    monkeypatch.setattr(playing, "play_blocks", problems(*[(Trouble.BOT, 1)] * 3, *[(Trouble.BOT, 0)] * 3))
    ended = run("tournament", *SMALL, "--budget", "6 matches", "--folder", str(tmp_path / "u"))
    assert ended.status == 1
    assert "too few bots are left for 2 seats: ada: it burns; bob: it burns" in ended.err


def test_a_full_disk_ends_it_and_a_void_block_does_not(run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "play_blocks", problems((Trouble.VOID, None), (Trouble.DISK, None)))
    folder = tmp_path / "t"
    ended = run("tournament", *SMALL, "--budget", "6 matches", "--folder", str(folder))
    assert (ended.status, "it burns" in ended.err) == (1, True)
    monkeypatch.setattr(playing, "play_blocks", problems((Trouble.VOID, None)))
    went_on = run("tournament", "--resume", str(folder))
    assert went_on.status == 0
    assert "block 0 could not be played: it burns" in went_on.out
    assert document_of(folder)["table"]["matches"] == 4


def test_records_of_another_tournament_do_not_count(run: RunCommand, spring: Path) -> None:
    record = _a_record(spring)
    shutil.copy(record, spring / "records" / "other-0a1b2c3d-0-0.jsonl")
    found = run("tournament", "--resume", str(spring))
    assert found.status == 0
    assert "other-0a1b2c3d-0-0.jsonl is of another tournament: it is left alone, and does not count" in found.err
    assert document_of(spring)["table"]["matches"] == MATCHES
    assert "is of another tournament, and was not looked at" in run("tournament", "--check", str(spring)).out


def test_a_damaged_record_is_named(run: RunCommand, spring: Path) -> None:
    (spring / "results.sqlite").unlink()
    record = _a_record(spring)
    record.write_bytes(record.read_bytes()[:-100])
    found = run("tournament", "--resume", str(spring))
    assert found.status == 1
    assert record.name in found.err
    assert "then the block is played again" in found.err


def test_own_python_files_are_called_without_starting_them(run: RunCommand, tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    entries.mkdir()
    for name in ("ada", "bob"):
        text = f"from mergemaker_client import run\nfrom {RANDOM.split(':')[0]} import RandomBot\n"
        text += f"class Own(RandomBot): pass\nif __name__ == '__main__':\n    run(Own)  # {name}\n"
        (entries / f"{name}.py").write_text(text, "utf-8")
    arguments = ("--bots", str(entries), "--seats", "2", "--budget", "2 matches", "--jobs", "1", "--trust", "own", "--quiet")
    played = run("tournament", *arguments, "--folder", str(tmp_path / "t"))
    assert played.status == 0, played.err
    table = document_of(tmp_path / "t")["table"]
    assert (table["matches"], table["faults"]) == (2, [])
    # A file that runs its bot whenever it is imported is started as a process.
    notes: list[str] = []
    (entries / "bob.py").write_text("raise SystemExit(2)", "utf-8")
    settings = settings_from(Namespace(**dict.fromkeys(key.name for key in KEYS)), tmp_path / "t" / "tournament.toml")
    assert hosting._way(plan_from(settings), notes.append) is Way.AUTO
    assert "not all of them can be called here" in notes[0]
