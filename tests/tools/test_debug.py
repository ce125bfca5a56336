"""`mergemaker debug`: a bot gets its recorded past, stops at a decision, and is stepped on and back."""

import json
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from mergemaker_client.recorded import RecordedTurn, turns_of
from mergemaker_client.testing import ask, play_match
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.wording import action_text
from mergemaker_tools.play.human import Left
from mergemaker_tools.shadowing import steps_shown

from tests.tools.conftest import Run

RECORD = "match.jsonl"
SEAT = 1
BOT = """
import sys
from mergemaker_client import Bot, Noted, run
from mergemaker_client.bot import settled
from mergemaker_client.bots.greedy import GreedyBot

class Mine(GreedyBot):
    told = 0

    def on_events(self, events):
        self.told += len(events)

    def answer(self, turn):
        assert turn.events_seen == self.told, (turn.events_seen, self.told)
        usual = settled(turn, super().answer(turn))[0]
        print(f"I am at {turn.number}", file=sys.stderr, flush=True)
        if "raise" in sys.argv and turn.number == 5:
            raise LookupError("five")
        if "illegal" in sys.argv and turn.number == 5:
            return turn.buy({0: 2, 1: 2})
        if "other" in sys.argv and turn.number >= 3 and len(turn.answers) > 1:
            return Noted(next(answer for answer in turn.answers if answer != usual), "on purpose")
        return Noted(usual, f"note {turn.number}")

if __name__ == "__main__":
    run(Mine)
"""
DIES = """
import os, sys
from mergemaker_client import Bot, run

class Dying(Bot):
    def answer(self, turn):
        if turn.number == 3:
            print("these are my last words", file=sys.stderr, flush=True)
            os._exit(7)
        return turn.default

run(Dying)
"""


@pytest.fixture(scope="module")
def lines() -> tuple[bytes, ...]:
    return play_match(["random", "greedy", "random"], seed=9).lines


@pytest.fixture
def questions(lines: tuple[bytes, ...], tmp_path: Path) -> list[RecordedTurn]:
    """Those of the seat; the record, its beginning, and the bots are in the folder."""
    (tmp_path / RECORD).write_bytes(b"".join(lines))
    (tmp_path / "torn.jsonl").write_bytes(b"".join(lines[:40]))
    (tmp_path / "debugged_bot.py").write_text(BOT, "utf-8")
    (tmp_path / "dying_bot.py").write_text(DIES, "utf-8")
    return list(turns_of(read_record(lines), SEAT))


def _command(*words: str) -> str:
    return shlex.join([sys.executable, "debugged_bot.py", *words])


def _text(recorded: RecordedTurn) -> str:
    return action_text(recorded.answer, recorded.turn.match.rules)


def _typed(monkeypatch: pytest.MonkeyPatch, *keys: str) -> None:
    """What the person types; then there is no more."""
    lines = iter(keys)

    def line() -> str:
        try:
            return next(lines)
        except StopIteration:
            raise Left from None

    monkeypatch.setattr(steps_shown, "TypedLines", lambda: line)


# --- one decision, for programs ------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", [_command(), "debugged_bot.py", "debugged_bot:Mine"])
def test_a_bot_is_brought_to_a_decision_and_what_it_did_is_told(
    run: Callable[..., Run], questions: Sequence[RecordedTurn], bot: str
) -> None:
    done = run("debug", f"{RECORD}@seat{SEAT}:7", "--json", "--", bot)
    assert done.status == 0, done.err
    told = json.loads(done.out)
    asked = questions[6]
    assert (told["seat"], told["number"], told["decision"]) == (SEAT, 7, asked.number)
    assert (told["answered"], told["recorded"], told["same"], told["legal"]) == (_text(asked), _text(asked), True, True)
    assert (told["note"], told["answers"], told["differences_before"]) == ("note 7", len(asked.turn.answers), 0)
    assert told["ms"] >= 0
    assert ask("greedy", told["position"]) == asked.answer
    if not bot.endswith("Mine"):
        assert [line for line in told["stderr"] if line.startswith("I am at")] == [f"I am at {n}" for n in range(1, 8)]


def test_a_decision_of_the_match_is_that_of_whoever_was_asked(run: Callable[..., Run], questions: Sequence[RecordedTurn]) -> None:
    done = run("debug", f"{RECORD}@{questions[2].number}", "--json", "greedy")
    told = json.loads(done.out)
    assert (told["seat"], told["number"], told["same"]) == (SEAT, 3, True)
    first = json.loads(run("debug", RECORD, "--seat", str(SEAT), "--json", "greedy").out)
    assert first["number"] == 1


def test_answers_that_differ_fail_or_are_illegal_are_told(run: Callable[..., Run], questions: Sequence[RecordedTurn]) -> None:
    choices = [each.turn.number for each in questions if each.turn.number >= 3 and len(each.turn.answers) > 1]
    stop = choices[2]
    other = json.loads(run("debug", f"{RECORD}@seat{SEAT}:{stop}", "--json", "--", _command("other")).out)
    assert (other["same"], other["legal"], other["note"], other["differences_before"]) == (False, True, "on purpose", 2)
    failed = json.loads(run("debug", f"{RECORD}@seat{SEAT}:5", "--json", "--", _command("raise")).out)
    assert (failed["answered"], failed["same"], failed["legal"]) == (None, False, False)
    assert any("LookupError: five" in line for line in failed["stderr"])
    wrong = json.loads(run("debug", f"{RECORD}@seat{SEAT}:5", "--json", "--", _command("illegal")).out)
    assert (wrong["answered"], wrong["legal"]) == ("buy 2 Tower 2 Sackson", False)
    assert wrong["refusal"]


# --- a person ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", [_command(), "debugged_bot:Mine"])
def test_a_person_steps_on_and_back(
    run: Callable[..., Run], questions: Sequence[RecordedTurn], monkeypatch: pytest.MonkeyPatch, bot: str
) -> None:
    _typed(monkeypatch, "n", "", "b", "9", "hm", "999", "p", "3", "q")
    done = run("debug", f"{RECORD}@seat{SEAT}:4", "--", bot)
    assert done.status == 0, done.err
    stops = re.findall(rf"^decision (\d+) of seat {SEAT} \((\d+) in the match\)", done.out, re.MULTILINE)
    assert stops == [(str(number), str(questions[number - 1].number)) for number in (4, 5, 6, 5, 9, 3)]
    for number in (4, 5, 6, 9, 3):
        assert f"the bot:  {_text(questions[number - 1])}, as recorded, after " in done.out
        assert f"with the note 'note {number}'" in done.out
    assert "'hm' is no key" in done.out
    assert f"this seat was asked decisions 1 to {len(questions)}" in done.out
    assert "# what seat 1 knows" in done.out
    assert "of its answers before this differ" not in done.out


def test_the_end_of_the_input_ends_it_and_the_last_decision_has_no_next(
    run: Callable[..., Run], questions: Sequence[RecordedTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "n")
    done = run("debug", f"{RECORD}@seat{SEAT}:{len(questions)}", "greedy")
    assert done.status == 0, done.err
    assert f"this seat was asked decisions 1 to {len(questions)}" in done.out


def test_nothing_is_asked_before_a_debugger_is_attached(
    run: Callable[..., Run], questions: Sequence[RecordedTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "", "q")
    done = run("debug", f"{RECORD}@seat{SEAT}:2", "--wait", "--", _command())
    assert done.status == 0, done.err
    assert re.match(r"the bot's process is \d+; attach a debugger, and press Enter: ", done.out)
    assert f"the bot:  {_text(questions[1])}, as recorded" in done.out


def test_what_a_bot_writes_is_shown_at_the_stop_or_at_the_next(
    run: Callable[..., Run], questions: Sequence[RecordedTurn], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert questions
    _typed(monkeypatch, "n", "n", "q")
    done = run("debug", f"{RECORD}@seat{SEAT}:1", "--", _command("other"))
    assert "  I am at 1\n" in done.out
    assert "with the note 'on purpose'" in done.out or len(questions[2].turn.answers) == 1


# --- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("questions")
@pytest.mark.parametrize(
    ("arguments", "status", "why"),
    [
        ((f"{RECORD}@seat7:1", "greedy"), 2, "this match has the seats 0 to 2, and no seat 7"),
        ((f"{RECORD}@seat1:9999", "greedy"), 2, "its decisions are @seat1:1 to @seat1:"),
        ((f"{RECORD}@99999", "greedy"), 2, "and no decision 99999"),
        ((f"{RECORD}@seat1:0", "greedy"), 2, "its decisions are @seat1:1 to @seat1:"),
        ((RECORD, "greedy"), 2, "say which decision: RECORD@seat0:12"),
        ((f"{RECORD}@seat1:1", "--seat", "0", "greedy"), 2, "two seats are named: 1 after the record, and --seat 0"),
        (("torn.jsonl@seat1:1", "greedy"), 2, "the match has not ended"),
        (("none.jsonl@seat1:1", "greedy"), 2, "cannot read none.jsonl"),
        ((f"{RECORD}@seat1:1", "remote"), 2, "remote is no bot to debug"),
        ((f"{RECORD}@seat1:1", "human"), 2, "human is no bot to debug"),
        ((f"{RECORD}@seat1:1", "greedy", "--json", "--wait"), 2, "leave one of them out"),
        ((f"{RECORD}@seat1:9", "dying_bot.py", "--json"), 1, "these are my last words"),
        ((f"{RECORD}@seat1:9", f"{sys.executable} -c pass", "--json"), 1, "ended"),
        (
            (f"{RECORD}@seat1:9", f"{sys.executable} -c 'import threading; threading.Event().wait()'", "--json", "--limit", "1"),
            1,
            "did not take its seat within 1 s (--limit)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_and_broken_bots_are_told(run: Callable[..., Run], arguments: tuple[str, ...], status: int, why: str) -> None:
    done = run("debug", *arguments)
    assert (done.status, done.out) == (status, "")
    assert why in done.err


def test_a_decision_of_another_seat_is_refused_with_the_seats_own(
    run: Callable[..., Run], questions: Sequence[RecordedTurn]
) -> None:
    own = [each.number for each in questions]
    other = next(number for number in range(1, 99) if number not in own)
    done = run("debug", f"{RECORD}@{other}", "--seat", str(SEAT), "greedy")
    assert done.status == 2
    assert f"decision {other} was not asked of seat {SEAT}, which was asked decisions {own[0]}, " in done.err
