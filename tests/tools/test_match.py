"""`mergemaker match` in this process: what it shows and records, what repeats, and what it refuses."""

import json
import re
import shlex
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_client import Answer, Turn
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.records.disks import Disk
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_referee.records.journal import Committer
from mergemaker_referee.records.secrets_file import forget_secrets
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.session import Session
from mergemaker_tools.play import clocks

from tests.tools.conftest import Run

# How long each step may take on a slow machine.
LIMIT_S = 60
COLUMNS = 80
LINES = 24
RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of this process, which is faster than a separate one."""
PAIR = (RANDOM, RANDOM)
HERE = "tests.tools.test_match"


class Chatty(RandomBot):
    """Prints what it does."""

    def answer(self, turn: Turn) -> Answer:
        """Prints, and answers at random."""
        print("this is turn", turn.view.turn)
        return super().answer(turn)


def _document(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    played = run("match", *arguments, "--json")
    assert (played.status, played.err) == (0, "")
    document: dict[str, object] = json.loads(played.out)
    return document


def _games(document: dict[str, object]) -> list[dict[str, object]]:
    games = document["games"]
    assert isinstance(games, list)
    return games


def _record(document: dict[str, object]) -> Path:
    return Path(str(_games(document)[0]["record"]))


# --- what is shown ------------------------------------------------------------------------------------------


def test_the_end_of_a_match_fits_the_screen(run: Callable[..., Run]) -> None:
    shown = run("match", *PAIR * 3, "--seed", "01", "--records", "r")
    assert (shown.status, shown.err) == (0, "")
    *page, record, receipt, replay, check, repeat = shown.out.splitlines()
    assert max(map(len, page)) <= COLUMNS
    assert len(page) < LINES
    assert page[0].startswith("renegade-classic: turn ")
    assert [line.split()[0] for line in page[2:11]] == list("ABCDEFGHI")
    (path,) = Path("r").iterdir()
    assert (record, receipt, replay, check) == (
        f"record: {path}",
        f"receipt: {open_record(path).receipt}",
        f"replay with: mergemaker replay {path}",
        f"verify with: mergemaker verify {path}",
    )
    assert repeat.startswith("repeat with: mergemaker match ")


def test_the_standings_hold_money_bonuses_faults_and_times(run: Callable[..., Run]) -> None:
    arguments = (*PAIR, RANDOM, "--seed", "2", "--no-record")
    (game,) = _games(_document(run, *arguments))
    shown = run("match", *arguments, "--quiet").out
    rows = re.findall(r"^ +(\d) +(\d) +RandomBot +\$([\d,]+) +\$([\d,]+) +- +([\d,]+) +([\d,]+)$", shown, re.MULTILINE)
    standings = game["standings"]
    assert isinstance(standings, list)
    expected = sorted((standing["place"], standing["seat"], standing["money"], standing["bonuses"]) for standing in standings)
    assert [tuple(int(word.replace(",", "")) for word in row[:4]) for row in rows] == expected
    assert all(int(mean) <= int(longest.replace(",", "")) for *_, mean, longest in rows)
    assert "record" not in game


def test_a_match_as_json(run: Callable[..., Run]) -> None:
    document = _document(run, *PAIR, "--seed", "2", "--rules", "avalon-hill", "--clock", "fast")
    assert document["rules"] == "avalon-hill"
    assert document["fingerprint"] == preset("avalon-hill").fingerprint()
    assert document["bots"] == ["RandomBot", "RandomBot"]
    assert document["seed"] == "2".rjust(64, "0")
    assert document["clock"] == "fast"
    (game,) = _games(document)
    found = verify(record_chunks(_record(document)), with_audit=True).record
    assert found.end is not None
    assert (game["money"], game["places"]) == (list(found.end.cash or ()), list(found.end.places or ()))
    assert game["ended"] == str(found.end.why)
    assert isinstance(game["board"], list)
    assert [len(row) for row in game["board"]] == [12] * 9


def test_what_a_bot_of_this_process_prints_is_not_in_the_document(run: Callable[..., Run]) -> None:
    played = run("match", f"{HERE}:Chatty", RANDOM, "--json", "--no-record")
    assert json.loads(played.out)["bots"] == ["Chatty", "RandomBot"]
    assert "this is turn" in played.err


def test_a_class_or_a_function_of_the_current_folder_plays(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = "from mergemaker_client import Bot\nclass Mine(Bot): pass\ndef last(turn): return turn.answers[-1]\n"
    Path("a_module_of_mine.py").write_text(module, "utf-8")
    document = _document(run, "a_module_of_mine:Mine", "a_module_of_mine:last", "--no-record", "--strict")
    assert document["bots"] == ["Mine", "last"]


def test_a_told_match_has_a_line_for_each_turn(run: Callable[..., Run]) -> None:
    told = run("match", *PAIR, "--seed", "5", "--verbose", "--no-record").out.splitlines()
    turns = max(int(line.split(",")[0].removeprefix("turn ")) for line in told if line.startswith("turn "))
    assert told[0].startswith("set-up: seat 0 starts with ")
    assert [line.split(",")[0] for line in told[1 : turns + 1]] == [f"turn {turn}" for turn in range(1, turns + 1)]
    assert "the game is over" in told[turns]


def test_several_games_at_once_are_counted_and_all_in_the_document(run: Callable[..., Run]) -> None:
    arguments = (*PAIR, "--games", "5", "--jobs", "2", "--seed", "3", "--play", "served")
    games = _games(_document(run, *arguments))
    assert [game["game"] for game in games] == list(range(5))
    assert len({str(game["seed"]) for game in games}) == len({str(game["board"]) for game in games}) == 5
    shown = run("match", *arguments, "--records", "again").out
    wins = [int(row) for row in re.findall(r"^ +\d +RandomBot +(\d) ", shown, re.MULTILINE)]
    assert wins == [sum(places[seat] == 1 for places in (game["places"] for game in games)) for seat in range(2)]  # type: ignore[index]  # a list of JSON
    assert "records: 5 in again" in shown
    assert "--games 5" in shown.splitlines()[-1]
    assert len([verify(record_chunks(path)) for path in Path("again").iterdir()]) == 5


def test_who_asks_for_the_next_game_before_the_last_one_is_put_away_gets_it(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Semaphore(0)
    take_seat = Lobby._take_seat
    awaited = iter([4, 2])  # both bots ask before the first game, and after each game

    def counted(lobby: Lobby, session: Session, match: str, seat: int | None, at_ns: int) -> None:
        take_seat(lobby, session, match, seat, at_ns)
        asked.release()

    def delayed(record: Path, disk: Disk) -> None:
        for _ in range(next(awaited)):
            assert asked.acquire(timeout=LIMIT_S)
        forget_secrets(record, disk)

    monkeypatch.setattr(Lobby, "_take_seat", counted)
    monkeypatch.setattr("mergemaker_referee.records.forgetting.forget_secrets", delayed)
    assert len(_games(_document(run, *PAIR, "--games", "2", "--no-record", "--logs", "logs"))) == 2
    # A refused bot ends, and is restarted with its own logs.
    assert len(list(Path("logs").glob("*.err"))) == 2


# --- what repeats -------------------------------------------------------------------------------------------


def test_the_last_line_repeats_the_match(run: Callable[..., Run]) -> None:
    rules = ("--rules", "renegade-tycoon", "--set", "bonus_chart=two-holders", "--clock", "mine:allowance=900,bank=5000")
    first = run("match", *PAIR, *rules, "--records", "a")
    again = shlex.split(first.out.splitlines()[-1].removeprefix("repeat with: "))
    assert again[:2] == ["mergemaker", "match"]
    run(*again[1:], "--records", "b")
    run(*again[1:], "--records", "c")
    records = [open_record(path) for folder in "abc" for path in Path(folder).iterdir()]
    assert [record.header.mode for record in records] == [DealMode.SERVER, DealMode.PLAIN, DealMode.PLAIN]
    assert len({tuple(line.answer for line in record.decisions) for record in records}) == 1
    # From a given seed, only times, ids and names may differ.
    assert records[1].chains.game == records[2].chains.game
    assert records[1].chains.line != records[2].chains.line


def test_a_seed_can_be_read_from_a_file(run: Callable[..., Run]) -> None:
    Path("seed").write_text("0a1b\n", "ascii")
    document = _document(run, *PAIR, "--seed-file", "seed")
    assert document["seed"] == "0a1b".rjust(64, "0")
    assert str(document["repeat"]).endswith("--seed-file seed")
    assert open_record(_record(document)).header.mode is DealMode.PLAIN


def test_built_in_bots_play_in_a_fork_as_they_do_at_a_referee(run: Callable[..., Run]) -> None:
    greedy = "mergemaker_client.bots.greedy:GreedyBot"
    document = _document(run, greedy, RANDOM, "--seed", "11")
    (game,) = _games(document)
    path = _record(document)
    seats = ("--seat", "0=greedy", "--seat", "1=random")
    forked = json.loads(run("fork", f"{path}@1", *seats, "--seed", str(game["seed"]), "--json").out)
    assert [line.answer for line in open_record(Path(forked["record"])).decisions] == [
        line.answer for line in open_record(path).decisions
    ]


# --- what is kept -------------------------------------------------------------------------------------------


def test_a_record_can_be_given_a_name_which_is_taken_once(run: Callable[..., Run]) -> None:
    document = _document(run, *PAIR, "--record", "mine.jsonl")
    assert [path.name for path in Path().iterdir()] == ["mine.jsonl"]
    assert _record(document) == Path("mine.jsonl")
    refused = run("match", *PAIR, "--record", "mine.jsonl")
    assert (refused.status, refused.out) == (2, "")
    assert "mine.jsonl is there already, and is not written over" in refused.err


def test_lines_can_be_made_to_outlive_the_power(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(Committer.__init__, "__defaults__", (synced.append,))
    lines = open_record(_record(_document(run, *PAIR, "--durability", "power"))).lines
    assert len(synced) >= lines / 2


def test_no_record_is_written_where_none_is_wanted(run: Callable[..., Run]) -> None:
    assert "record" not in run("match", *PAIR, "--no-record").out.replace("--no-record", "")
    assert list(Path().iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_said(run: Callable[..., Run]) -> None:
    Path("records").write_text("a file", "utf-8")
    refused = run("match", *PAIR)
    assert (refused.status, refused.out) == (1, "")
    assert "choose another folder with --records, or play without with --no-record" in refused.err


# --- faults -------------------------------------------------------------------------------------------------


def test_a_match_whose_bot_never_comes_fails_and_names_it(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "STARTUP_MS_MIN", 1)
    sleeper = f'{shlex.quote(sys.executable)} -c "import time; time.sleep(600)"'
    found = run("match", RANDOM, sleeper, "--clock", "mine:allowance=1000,startup=700", "--no-record")
    assert found.status == 1
    # An overloaded machine may keep the other bot away, too.
    assert re.search(r"the game was voided: (not all bots joined in time; missing: [^()]*\(seat 1\)|nobody joined)", found.err)


def test_a_module_that_runs_its_bot_when_it_is_imported_is_told_what_to_change(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MERGEMAKER_SERVER", raising=False)
    Path("runs_when_imported.py").write_text("from mergemaker_client import Bot, run\nrun(Bot)\n", "utf-8")
    refused = run("match", "runs_when_imported:Bot", RANDOM)
    assert (refused.status, refused.out) == (2, "")
    assert "the bot runs_when_imported:Bot: the module ends the program when it is imported (exit status 2)" in refused.err
    assert 'if __name__ == "__main__":' in refused.err
