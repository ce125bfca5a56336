"""What `mergemaker match` shows about bots that fail or break the rules, and where `--strict` stops."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from mergemaker_client import Answer, Bot, MatchResult, Turn
from mergemaker_engine.decisions import ChoosePurchase
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.record.lines import AnsweredBy, Ending
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks

from tests.tools.conftest import Run

# How long each step may take on a slow machine.
LIMIT_S = 60


RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of this process, which is faster than a separate one."""
HERE = "tests.tools.test_match_faults"


def _document(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    played = run("match", *arguments, "--json")
    assert (played.status, played.err) == (0, "")
    document: dict[str, object] = json.loads(played.out)
    return document


def _games(document: dict[str, object]) -> list[dict[str, object]]:
    games = document["games"]
    assert isinstance(games, list)
    return games


class Silly(Bot):
    """Answers illegally."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Wants shares of a chain that is not on the board."""
        absent = [name for name in turn.names if not turn.price(name)]
        return turn.buy({absent[0]: 1}) if absent else turn.default


class Clumsy(Bot):
    """Raises an error at each purchase."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Looks up something that does not exist."""
        return turn.answers.index(turn.answers[-1]) // 0


class Startled(Bot):
    """Fails at the end."""

    def on_end(self, result: MatchResult) -> None:
        """Raises an error."""
        raise LookupError(result.why)


class Forgetful(Bot):
    """Fails at events, but still answers."""

    def on_events(self, events: Sequence[Event]) -> None:
        """Looks for an event that does not exist."""
        raise LookupError(len(events))


class Failing(Bot):
    """Fails when it is made."""

    def __init__(self) -> None:
        raise ZeroDivisionError("no good")


def _pasted(shown: str) -> Game:
    """The position that a report of a failure ends with."""
    lines = iter(shown.splitlines())
    position = [next(line for line in lines if line.strip().startswith("# what seat"))]
    for line in lines:
        position.append(line)
        if line.strip().startswith("agenda "):
            break
    return parse_position("\n".join(position))


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
    on_screen = shown.out[said.end() :]
    assert "  its first failure:\n  the bot failed: match " in on_screen
    assert on_screen.count("Traceback") == on_screen.count("\n  ZeroDivisionError: ") == 1
    assert _pasted(on_screen).decision == ChoosePurchase(0)
    (game,) = _games(_document(run, f"{HERE}:Clumsy", RANDOM, "--seed", "4"))
    assert [standing["failures"] for standing in game["standings"]] == [int(said[1]), 0]  # type: ignore[attr-defined]  # a list of JSON


def test_a_bot_that_fails_where_nothing_is_asked_is_named_at_the_end(run: Callable[..., Run]) -> None:
    shown = run("match", f"{HERE}:Startled", RANDOM, "--seed", "4", "--quiet")
    assert shown.status == 0
    said = re.match(
        r"seat 0 \(Startled\) failed where nothing was asked; its log: (\S+)\n(?=match \S+: the bot failed in)", shown.err
    )
    assert said, shown.err
    assert re.search(r"^LookupError: \w+\n\Z", shown.err, re.MULTILINE)
    assert "the bot failed in on_end" in Path(said[1]).read_text("utf-8")


def test_strict_stops_where_a_bot_raises_an_error(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Clumsy", RANDOM, "--seed", "4", "--strict", "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert re.search(
        r"seat 0 \(Clumsy\), it failed at decision \d+ \(ChoosePurchase\): default, after ZeroDivisionError\nits log: logs/",
        stopped.err,
    )
    assert "\nTraceback (most recent call last):\n" in stopped.err
    assert "\nZeroDivisionError: " in stopped.err
    assert _pasted(stopped.err).decision == ChoosePurchase(0)
    (path,) = Path("records").iterdir()
    assert {line.note for line in verify(record_chunks(path)).record.decisions} == {None, "default, after ZeroDivisionError"}


def test_bots_of_this_process_end_with_games_that_are_broken_off(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    # They would look this long for a referee that has gone. After an interrupted game, they wait for their next one.
    monkeypatch.setattr("mergemaker_tools.play.players.GIVE_UP_MS", 3_600_000)
    before = set(threading.enumerate())
    stopped = run(
        "match", f"{HERE}:Clumsy", f"{HERE}:Silly", "--seed", "4", "--games", "9", "--strict", "--no-record", "--play", "served"
    )
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
        report = r"(?:  its first failure:\n(?:  (?!something).*\n)+)?"
        remark = rf"^seat {seat}: \w.*\n  its log: logs/\S+-seat{seat}-{name}\.err\n{report}  something in 2 games more$"
        assert re.search(remark, shown.out, re.MULTILINE), shown.out
    assert re.search(r"^ +0 +Clumsy +\d +\$[\d,]+ +\d\.\d\d +- +\d+ +\d+$", shown.out, re.MULTILINE)


def test_a_bot_that_cannot_be_made_ends_the_match(run: Callable[..., Run]) -> None:
    stopped = run("match", f"{HERE}:Failing", RANDOM, "--logs", "logs")
    assert (stopped.status, stopped.out) == (1, "")
    assert "the bot Failing failed: ZeroDivisionError: no good" in stopped.err
