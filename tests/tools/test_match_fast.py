"""`mergemaker match --games N` in fast mode: the same games as with a server, rotating seats, and what many games say."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from mergemaker_client import Answer, Bot, Turn
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_contest.sequential import Verdict
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks
from mergemaker_tools.play import comparing
from mergemaker_tools.play.comparing import verdict_lines, verdicts_of

from tests.tools.conftest import Run

HERE: Final = "tests.tools.test_match_fast"
SERVED: Final = ("mergemaker_client.bots.random_bot:RandomBot", f"{HERE}:Failing")


class Failing(RandomBot):
    """Fails at its second question."""

    def answer(self, turn: Turn) -> Answer:
        if turn.number == 2:
            raise LookupError("no such idea")
        return super().answer(turn)


class Unmakable(Bot):
    """Cannot be made."""

    def __init__(self) -> None:
        raise LookupError("no model")


class Interrupting(GreedyBot):
    """Presses Ctrl-C in its third game."""

    games = 0

    def __init__(self) -> None:
        Interrupting.games += 1
        if Interrupting.games == 3:
            raise KeyboardInterrupt


def _document(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(run("match", *arguments, "--json").out)
    return document


def _games(document: dict[str, object]) -> Sequence[dict[str, object]]:
    games = document["games"]
    assert isinstance(games, list)
    return games


def test_a_game_is_the_same_with_and_without_a_server(run: Callable[..., Run]) -> None:
    found = []
    for way in ("fast", "served"):
        document = _document(run, *SERVED, "--games", "2", "--seed", "5", "--play", way, "--records", way)
        found.append(_games(document)[0])
    for name in ("seed", "turns", "ended", "money", "places", "board"):
        assert found[0][name] == found[1][name], name
    hashes = {str(game["receipt"]).split(":")[2] for game in found}
    assert len(hashes) == 1
    for standing, of_server in zip(found[0]["standings"], found[1]["standings"], strict=True):  # type: ignore[call-overload]  # lists
        times = {"mean_ms", "longest_ms"}
        assert {name: standing[name] for name in {*standing} - times} == {name: of_server[name] for name in {*of_server} - times}


def test_seats_rotate_and_records_verify_in_any_number_of_processes(run: Callable[..., Run]) -> None:
    arguments = ("greedy", "random", "random", "--games", "4", "--seed", "5")
    one = _document(run, *arguments, "--records", "one")
    two = _document(run, *arguments, "--no-record", "--jobs", "2")
    seatings = [[standing["bot"] for standing in game["standings"]] for game in _games(one)]  # type: ignore[attr-defined]  # lists
    greedy, random = "greedy", "random"
    assert seatings == [[greedy, random, random], [random, random, greedy], [random, greedy, random], [greedy, random, random]]
    assert [game["money"] for game in _games(one)] == [game["money"] for game in _games(two)]
    records = [Path(str(game["record"])) for game in _games(one)]
    for path in records:
        verify(record_chunks(path))
    assert sorted(Path("one").iterdir()) == sorted(records)


def test_means_come_with_an_interval_and_a_verdict(run: Callable[..., Run]) -> None:
    arguments = ("greedy", "random", "--seed", "5", "--no-record")
    many = run("match", *arguments, "--games", "24")
    assert many.status == 0
    assert many.out.startswith("24 games, seats rotate, renegade-classic\n")
    assert many.out.count(" ± ") == 2
    assert "greedy is better than random\n" in many.out
    assert "fewer games decide" not in many.out
    few = run("match", *arguments, "--games", "3")
    assert "±" not in few.out
    assert "these games do not tell greedy and random apart\n" in few.out
    assert "fewer games decide: mergemaker duel greedy random\n" in few.out


@pytest.mark.parametrize(
    ("difference", "spread", "verdict"),
    [
        (0.1, 0.02, Verdict.BETTER),
        (-0.1, 0.02, Verdict.WORSE),
        (0.0, 0.01, Verdict.NO_DIFFERENCE),
        (0.0, 0.2, Verdict.OPEN),
    ],
)
def test_verdicts_are_those_of_an_interval(
    monkeypatch: pytest.MonkeyPatch, difference: float, spread: float, verdict: Verdict
) -> None:
    shares = [{"a": 0.5 + each / 2, "b": 0.5 - each / 2} for each in (difference - spread, difference + spread) * 30]
    reports = [_Report(each) for each in shares]
    monkeypatch.setattr(comparing, "shares_of", lambda report: report.shares)
    monkeypatch.setattr(comparing, "means_of", lambda _: [_Named("a"), _Named("b")])
    assert verdicts_of(reports) == {("a", "b"): verdict}  # type: ignore[arg-type]  # all that is used of reports
    assert len(verdict_lines(reports)) == 1 + (verdict is Verdict.OPEN)  # type: ignore[arg-type]  # likewise


class _Report:
    def __init__(self, shares: dict[str, float]) -> None:
        self.shares = shares


class _Named:
    def __init__(self, bot: str) -> None:
        self.bot = bot


def test_faults_are_shown_and_strict_stops_at_the_first(run: Callable[..., Run]) -> None:
    arguments = ("greedy", f"{HERE}:Failing", "--games", "3", "--seed", "5", "--no-record")
    shown = run("match", *arguments)
    assert shown.status == 0
    assert "Failing, at its first fault:" in shown.out
    assert "LookupError: no such idea" in shown.out
    stopped = run("match", *arguments, "--strict")
    assert (stopped.status, stopped.out) == (1, "")
    assert "LookupError: no such idea" in stopped.err


def test_ctrl_c_says_how_far_it_was(run: Callable[..., Run]) -> None:
    Interrupting.games = 0
    stopped = run("match", f"{HERE}:Interrupting", "random", "--games", "9", "--seed", "5", "--no-record")
    assert (stopped.status, stopped.out) == (130, "")
    assert "interrupted after 2 of 9 games; again with: " in stopped.err


def test_a_file_is_called_in_this_program_on_request(run: Callable[..., Run]) -> None:
    text = "from mergemaker_client.bots.random_bot import RandomBot\n\nclass Mine(RandomBot):\n    pass\n"
    Path("mine.py").write_text(text, "utf-8")
    shown = run("match", "mine.py", "random", "--games", "2", "--seed", "5", "--no-record", "--play", "fast")
    assert (shown.status, shown.err) == (0, "")
    assert "--play fast" in shown.out.splitlines()[-1]
    for wrong, says in (
        (f"{text}\nclass Other(Mine):\n    pass\n", "defines 2 bot classes (Mine, Other)"),
        ("x = 1\n", "defines no bot class"),
        ("raise SystemExit(3)\n", "ends the program when it is imported (exit status 3)"),
        ("import nothing_of_this_name\n", "cannot be imported: ModuleNotFoundError"),
    ):
        Path("wrong.py").write_text(wrong, "utf-8")
        refused = run("match", "wrong.py", "random", "--games", "2", "--play", "fast")
        assert (refused.status, refused.out) == (2, "")
        assert says in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random", "random", "--play", "fast"), "--games 1 needs the referee's server"),
        (("random", "random", "--play", "fast", "--games", "2", "--logs", "x"), "--logs needs the referee's server"),
        (("random", "remote", "--play", "fast", "--games", "2"), "remote is a program of its own"),
        (("random", "random", "--play", "quick", "--games", "2"), "takes one of auto, fast, served, not 'quick'"),
    ],
)
def test_what_needs_a_server_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], message: str) -> None:
    refused = run("match", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err


def test_what_cannot_be_written_or_made_is_told(run: Callable[..., Run]) -> None:
    Path("file").write_text("")
    refused = run("match", "greedy", "random", "--games", "2", "--records", "file/r")
    assert (refused.status, "cannot write the record" in refused.err) == (1, True)
    unmade = run("match", "greedy", f"{HERE}:Unmakable", "--games", "2", "--no-record")
    assert unmade.status == 1
    assert "the bot Unmakable cannot be made: LookupError: no model" in unmade.err


def test_reports_can_be_sent_from_process_to_process(run: Callable[..., Run]) -> None:
    assert len(_games(_document(run, "random", "random", "--games", "2", "--jobs", "2", "--no-record"))) == 2
