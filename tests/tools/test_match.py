"""`mergemaker match` in this process: what is shown, what is recorded, what repeats, and what is refused."""

import json
import re
import shlex
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from mergemaker_client import Answer, Bot, MatchResult, Turn
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_engine.events import Event
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, Ending
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

# How long anything here may take on a slow machine.
LIMIT_S = 60
COLUMNS = 80
LINES = 24
RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of this process, which is faster than one of its own."""
PAIR = (RANDOM, RANDOM)
HERE = "tests.tools.test_match"


class Silly(Bot):
    """Answers what is not legal."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Wants shares of a chain that is not there."""
        absent = [name for name in turn.names if not turn.price(name)]
        return turn.buy({absent[0]: 1}) if absent else turn.default


class Chatty(RandomBot):
    """Says what it does."""

    def answer(self, turn: Turn) -> Answer:
        """Prints, and answers at random."""
        print("this is turn", turn.view.turn)
        return super().answer(turn)


class Clumsy(Bot):
    """Raises an error wherever it may buy."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Looks up what is not there."""
        return turn.answers.index(turn.answers[-1]) // 0


class Startled(Bot):
    """Cannot bear the end."""

    def on_end(self, result: MatchResult) -> None:
        """Complains."""
        raise LookupError(result.why)


class Forgetful(Bot):
    """Cannot bear what happens, and answers all the same."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Looks for an event that is not there."""
        raise LookupError(len(events))


class Failing(Bot):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ZeroDivisionError("no good")


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
    *page, record, replay, check, repeat = shown.out.splitlines()
    assert max(map(len, page)) <= COLUMNS
    assert len(page) < LINES
    assert page[0].startswith("renegade-classic: turn ")
    assert [line.split()[0] for line in page[2:11]] == list("ABCDEFGHI")
    (path,) = Path("r").iterdir()
    assert (record, replay, check) == (
        f"record: {path}",
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
    arguments = (*PAIR, "--games", "5", "--jobs", "2", "--seed", "3")
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
    awaited = iter([4, 2])  # both bots ask before the first game, and behind each

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
    # Whoever is refused ends, and is started again with logs of its own.
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
    # From a seed that was given, nothing at all differs but what may: times, ids and names.
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


def test_faults_stand_in_the_standings_with_the_log(run: Callable[..., Run]) -> None:
    shown = run("match", f"{HERE}:Silly", RANDOM, "--seed", "4", "--logs", "logs", "--quiet")
    assert shown.status == 0
    count = re.search(r"^seat 0: (\d+) answers refused$", shown.out, re.MULTILINE)
    assert count
    assert re.search(rf"^ +\d +0 +Silly .* {count[1]} +\d+ +\d+$", shown.out, re.MULTILINE)
    log = re.search(r"^  its log: (logs/.*-seat0-Silly\.err)$", shown.out, re.MULTILINE)
    assert log
    said = Path(log[1]).read_text("utf-8")
    assert "was refused" in said
    assert "the bot's fault: the answer, which came " in said
    command = re.search(r"^faults with: mergemaker (replay \S+ --faults)$", shown.out, re.MULTILINE)
    assert command
    told = run(*command[1].split())
    assert told.out.count("trace ") == int(count[1])


def test_strict_stops_at_the_first_fault(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Silly", RANDOM, "--seed", "4", "--strict", "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert "seat 0 (Silly), its answer was refused (" in stopped.err
    assert "its log: logs/" in stopped.err
    (path,) = Path("records").iterdir()
    found = verify(record_chunks(path)).record
    assert found.end is not None
    assert found.end.cash is None
    assert {line.by for line in found.decisions} <= {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}


def test_a_bot_that_raises_errors_is_named_with_its_log_though_the_referee_has_nothing_against_it(
    run: Callable[..., Run],
) -> None:
    shown = run("match", f"{HERE}:Clumsy", RANDOM, "--seed", "4", "--quiet")
    assert shown.status == 0
    said = re.search(r"^seat 0: failed at (\d+) questions, answered with the default\n  its log: (\S+)$", shown.out, re.MULTILINE)
    assert said, shown.out
    log = Path(said[2]).read_text("utf-8")
    assert log.count("ZeroDivisionError") == log.count("Traceback") == int(said[1]) > 1
    assert "faults with:" not in shown.out
    (game,) = _games(_document(run, f"{HERE}:Clumsy", RANDOM, "--seed", "4"))
    assert [standing["failures"] for standing in game["standings"]] == [int(said[1]), 0]  # type: ignore[attr-defined]  # a list of JSON


def test_a_bot_that_fails_where_nothing_is_asked_is_named_at_the_end(run: Callable[..., Run]) -> None:
    shown = run("match", f"{HERE}:Startled", RANDOM, "--seed", "4", "--quiet")
    assert shown.status == 0
    said = re.fullmatch(r"seat 0 \(Startled\) failed where nothing was asked; its log: (\S+)\n", shown.err)
    assert said, shown.err
    assert "the bot failed in on_end" in Path(said[1]).read_text("utf-8")


def test_strict_stops_where_a_bot_raises_an_error(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Clumsy", RANDOM, "--seed", "4", "--strict", "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert re.search(
        r"seat 0 \(Clumsy\), it failed at decision \d+ \(ChoosePurchase\): default, after ZeroDivisionError\nits log: logs/",
        stopped.err,
    )
    (path,) = Path("records").iterdir()
    assert {line.note for line in verify(record_chunks(path)).record.decisions} == {None, "default, after ZeroDivisionError"}


def test_bots_of_this_process_end_with_games_that_are_broken_off(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    # So long would they look for a referee that has gone. They wait for their next game when the last one was broken off.
    monkeypatch.setattr("mergemaker_tools.play.players.GIVE_UP_MS", 3_600_000)
    before = set(threading.enumerate())
    stopped = run("match", f"{HERE}:Clumsy", f"{HERE}:Silly", "--seed", "4", "--games", "9", "--strict", "--no-record")
    assert stopped.status == 1
    left = [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith("bot ")]
    for thread in left:
        thread.join(LIMIT_S)
    assert [thread.name for thread in left if thread.is_alive()] == []


def test_strict_stops_a_match_whose_bot_fails_where_nothing_is_asked(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Forgetful", RANDOM, "--seed", "4", "--strict", "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert re.search(r"seat 0 \(Forgetful\), it failed where nothing was asked\nits log: logs/\S+-seat0-", stopped.err)
    (path,) = Path("records").iterdir()
    end = verify(record_chunks(path)).record.end
    assert end is not None
    assert end.why is Ending.VOIDED


@pytest.mark.parametrize("games", ["1", "2"])
def test_strict_fails_though_a_bot_fails_only_at_the_end(run: Callable[..., Run], games: str) -> None:
    stopped = run("match", RANDOM, f"{HERE}:Startled", "--seed", "4", "--strict", "--quiet", "--logs", "logs", "--games", games)
    assert stopped.status == 1
    said = r"mergemaker match: seat 1 \(Startled\), it failed where nothing was asked\nits log: (\S+)\n"
    (log,) = re.findall(said, stopped.err)
    assert "the bot failed in on_end" in Path(log).read_text("utf-8")
    assert len(list(Path("records").iterdir())) == int(games)


def test_several_games_say_what_went_wrong_in_the_first_of_them_and_in_how_many(run: Callable[..., Run]) -> None:
    arguments = ("match", f"{HERE}:Clumsy", f"{HERE}:Silly", "--seed", "4", "--games", "3", "--no-record", "--logs", "logs")
    shown = run(*arguments)
    assert shown.status == 0
    for seat, name in enumerate(("Clumsy", "Silly")):
        remark = rf"^seat {seat}: \w.*\n  its log: logs/\S+-seat{seat}-{name}\.err\n  something in 2 games more$"
        assert re.search(remark, shown.out, re.MULTILINE), shown.out
    assert re.search(r"^ +0 +Clumsy +\d +\$[\d,]+ +\d\.\d\d +- +\d+ +\d+$", shown.out, re.MULTILINE)


def test_a_bot_that_cannot_be_made_ends_the_match(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Failing", RANDOM, "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert "the bot Failing failed: ZeroDivisionError: no good" in stopped.err


def test_a_match_whose_bot_never_comes_fails_and_names_it(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "STARTUP_MS_MIN", 1)
    sleeper = f'{shlex.quote(sys.executable)} -c "import time; time.sleep(600)"'
    found = run("match", RANDOM, sleeper, "--clock", "mine:allowance=1000,startup=700", "--no-record")
    assert found.status == 1
    # A machine that has too much to do may keep the other bot away, too.
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


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("random",), "one bot for each seat, as in `mergemaker match random random`: 2 to 6 seats"),
        (("random",) * 7, "not 7"),
        (("random", "randm"), "there is no bot and no program 'randm'; did you mean random?"),
        (("random", "planner:depth=3"), "the bot planner:depth=3: planner has no option 'depth'"),
        (("random", "planner:playout=3"), "; did you mean playouts?"),
        (("random", "no_such_module:Bot"), "the module cannot be imported: ModuleNotFoundError"),
        (("random", "json:NoBot"), "the module json has no NoBot"),
        (("random", "json:__version__"), "a bot is a class derived from Bot"),
        (("random", "nowhere.py"), "cannot be read: No such file"),
        (("random", "random", "--rules", "renegade-tycoon"), "SET-6"),
        (("random", "random", "--rules", "tycon"), "there is no preset 'tycon'; did you mean renegade-tycoon?"),
        (("random", "random", "--set", "asets=hidden"), "there is no knob 'asets'; did you mean assets?"),
        (("random", "random", "--set", "assets=hiden"), "takes open, hidden, not 'hiden'; did you mean hidden?"),
        (("random", "random", "--set", "trade_offers=hidden"), "from 0 to 10, not 'hidden'\n"),
        (("random", "random", "--games", "0"), "takes a whole number from 1 to 100,000, not '0'"),
        (("random", "random", "--jobs", "65"), "takes a whole number from 1 to 64, not '65'"),
        (("random", "random", "--seed", "g"), "hexadecimal digits"),
        (("random", "random", "--seed", "1", "--seed-file", "x"), "the seed is given twice"),
        (("random", "random", "--seed-file", "x"), "the seed cannot be read from x: No such file"),
        (("random", "random", "--quiet", "--verbose"), "not allowed with argument --quiet"),
        (("random", "random", "--json", "--verbose"), "leave out --verbose"),
        (("random", "random", "--clock", "quick"), "there is no clock 'quick'"),
        (("random", "random", "--clock", "standard:bnk=5"), "a clock has no term 'bnk'; did you mean bank?"),
        (("random", "random", "--clock", "standard:bank=x"), "bank takes a whole number of milliseconds"),
        (("random", "random", "--clock", "standard:bank=1,bank=2"), "is given the term bank twice"),
        (("random", "random", "--clock", "mine:increment=5"), "an allowance or a bank"),
        (("random", "random", "--clock", "MINE:bank=5"), "a clock's name is 1 to 40 of a-z"),
        (("random", "random", "--pace", "fast"), "takes a number of seconds from 0 to 60, as in 0.5, not 'fast'"),
        (("random", "random", "--pace", "nan"), "not 'nan'"),
        (("random", "random", "--listen", "7350"), "--listen: an address is HOST:PORT"),
        (("random", "random", "--token", ""), "--token takes a text of 1 to 200 characters"),
        (("random", "random", "--record", "x", "--games", "2"), "name their folder with --records"),
        (("random", "random", "--record", "x", "--no-record"), "not allowed with argument --record"),
        (("human", "random", "--json"), "a person plays one game, and has to see it"),
        (("human", "human"), "one person can play at it"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("match", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not Path("records").exists()


def test_a_port_that_is_taken_is_said(run: Callable[..., Run]) -> None:
    import socket  # noqa: PLC0415 - for this test alone

    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run("match", *PAIR, "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert (refused.status, refused.out) == (1, "")
    assert "is the port taken" in refused.err


def test_a_referee_that_others_can_reach_is_noted(run: Callable[..., Run]) -> None:
    refused = run("match", *PAIR, "--listen", "0.0.0.0:0", "--json", "--no-record")
    assert (refused.status, refused.out) == (2, "")
    assert "In a network that you trust give --plain-text, too" in refused.err
    played = run("match", *PAIR, "--listen", "0.0.0.0:0", "--plain-text", "--json", "--no-record")
    assert played.status == 0
    assert played.err.startswith("note: 0.0.0.0:0 can be reached from other machines")


def test_a_file_that_holds_no_seed_is_refused(run: Callable[..., Run]) -> None:
    Path("seed").write_text("0" * 65, "ascii")
    refused = run("match", *PAIR, "--seed-file", "seed")
    assert refused.status == 2
    assert "seed holds no seed" in refused.err
