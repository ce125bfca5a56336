"""`mergemaker shadow`: it asks a bot a recorded seat's questions again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_client.testing import play_match, turns_of
from mergemaker_engine.actions import Place
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.rules import preset
from mergemaker_engine.wording import square_name
from mergemaker_testkit.recorded import recorded_match
from mergemaker_tools.play import human
from mergemaker_tools.shadowing.comparing import shadow_person

from tests.tools.conftest import Run

RECORD = "match.jsonl"
SCRIPT = """
from mergemaker_client import Bot, run

class Mine(Bot):
    told = 0

    def on_events(self, events):
        print("this must not be in the output")
        Mine.told += len(events)
        assert Mine.told

    def choose_purchase(self, turn):
        assert turn.events_seen == Mine.told
        return {purchase}

if __name__ == "__main__":
    run(Mine)
"""


@pytest.fixture
def played(tmp_path: Path) -> bytes:
    lines = b"".join(play_match(["random", "greedy", "random"], seed=9).lines)
    (tmp_path / RECORD).write_bytes(lines)
    return lines


def _shadowed(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    done = run("shadow", *arguments, "--json")
    assert done.status == 0
    document: dict[str, object] = json.loads(done.out)
    return document


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(("seat", "bot"), [(0, "random"), (1, "greedy"), (2, "random")])
def test_a_repeatable_bot_answers_as_it_did(run: Callable[..., Run], seat: int, bot: str) -> None:
    document = _shadowed(run, RECORD, bot, "--seat", str(seat))
    assert document["differences"] == []
    assert int(str(document["questions"])) > 10


@pytest.mark.usefixtures("played")
def test_another_bot_differs_and_each_difference_is_listed(run: Callable[..., Run]) -> None:
    shown = run("shadow", RECORD, "--seat", "1", "--", "random")
    assert shown.status == 0
    document = _shadowed(run, RECORD, "--seat", "1", "random")
    differences = document["differences"]
    assert isinstance(differences, list)
    assert differences
    assert shown.out.endswith(f"{document['questions']} questions, {len(differences)} answered otherwise\n")
    first = differences[0]
    assert first["recorded"] != first["answered"]
    assert (first["by"], first["legal"], first["failure"]) == ("bot", True, None)


@pytest.mark.usefixtures("played")
def test_questions_before_the_named_decision_are_not_put(run: Callable[..., Run]) -> None:
    whole = _shadowed(run, RECORD, "--seat", "1", "random")
    later = _shadowed(run, f"{RECORD}@40", "--seat", "1", "random")
    assert later["first"] == 40
    assert isinstance(whole["differences"], list)
    assert later["differences"] == [each for each in whole["differences"] if each["decision"] >= 40]
    assert int(str(later["questions"])) < int(str(whole["questions"]))


@pytest.mark.usefixtures("played")
def test_a_bot_is_told_all_and_its_prints_stay_out_of_the_output(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "told_all.py").write_text(SCRIPT.format(purchase="turn.default"), encoding="utf-8")
    document = _shadowed(run, RECORD, "--seat", "0", "told_all:Mine")
    assert isinstance(document["differences"], list)
    assert [each["failure"] for each in document["differences"] if each["failure"]] == []


@pytest.mark.usefixtures("played")
def test_a_failing_bot_is_shown_with_its_position_and_the_rest_goes_on(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "failing_bot.py").write_text(SCRIPT.format(purchase="turn.nothing"), encoding="utf-8")
    shown = run("shadow", RECORD, "--seat", "0", "failing_bot:Mine")
    assert shown.status == 0
    assert "failed" in shown.out
    assert "AttributeError" in shown.err
    assert "# what seat 0 knows" in shown.err


@pytest.mark.usefixtures("played")
def test_an_illegal_answer_is_called_so_with_the_reason(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "buys_four.py").write_text(SCRIPT.format(purchase="turn.buy({0: 2, 1: 2})"), encoding="utf-8")
    shown = run("shadow", RECORD, "--seat", "0", "buys_four:Mine")
    assert "(illegal)" in shown.out
    assert "is illegal: " in shown.err


@pytest.mark.usefixtures("played")
def test_a_class_of_a_module_is_found_in_the_current_folder(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "shadow_test_module.py").write_text(SCRIPT.format(purchase="turn.default"), encoding="utf-8")
    assert _shadowed(run, RECORD, "--seat", "0", "shadow_test_module:Mine")["bot"] == "shadow_test_module:Mine"


def test_the_questions_are_those_of_the_record(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = recorded_match(preset("reference-trading"), 3, bytes(32))
    (tmp_path / RECORD).write_bytes(b"".join(lines))
    document = _shadowed(run, RECORD, "--seat", "2", "random")
    assert document["questions"] == len(list(turns_of(read_record(lines), 2)))


@pytest.mark.parametrize("words", [("--seat", "1", "one", "two", "greedy"), ("one", "two", "--seat", "1", "--", "greedy")])
def test_several_records_and_folders_are_shadowed_one_after_the_other(
    run: Callable[..., Run], tmp_path: Path, played: bytes, words: tuple[str, ...]
) -> None:
    other = b"".join(play_match(["random", "greedy", "random"], seed=10).lines)
    for folder, name, content in (("one", "a", played), ("one", "b", other), ("two", "c", other), ("two", "d", played[:-10])):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{name}.jsonl").write_bytes(content)
    (tmp_path / "two" / "d.jsonl").write_bytes(b"".join(played.splitlines(keepends=True)[:-1]))
    single = [_shadowed(run, f"{name}.jsonl", "greedy", "--seat", "1") for name in ("one/a", "one/b", "two/c")]
    shown = run("shadow", *words)
    assert shown.err == "left out: two/d.jsonl: the match is running, or was broken off\n"
    questions = sum(int(str(one["questions"])) for one in single)
    assert shown.out.endswith(f"\n3 records: {questions} questions, 0 answered otherwise\n")
    assert [f"{name}, seat 1\n" in shown.out for name in ("one/a.jsonl", "one/b.jsonl", "two/c.jsonl")] == [True] * 3
    document = json.loads(run("shadow", *words[:-1], "--json", words[-1]).out) if "--" not in words else None
    if document is not None:
        assert [one.pop("record") for one in document["records"]] == ["one/a.jsonl", "one/b.jsonl", "two/c.jsonl"]
        assert document == {"bot": "greedy", "records": single}


def test_records_that_all_still_run_leave_nothing_to_ask(run: Callable[..., Run], tmp_path: Path, played: bytes) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(played.splitlines(keepends=True)[:-1]))
    failed = run("shadow", "a.jsonl", "b.jsonl", "greedy", "--seat", "0")
    assert (failed.status, failed.out) == (1, "")
    assert "not one match has ended" in failed.err


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (("none.jsonl", "--seat", "0", "random"), 2, "cannot read none.jsonl"),
        ((RECORD, "--seat", "3", "random"), 2, "no seat 3"),
        ((RECORD, "--seat", "9", "random"), 2, "from 0 to 5"),
        ((RECORD, "random"), 2, "--seat"),
        ((RECORD, "--seat", "0"), 2, "records and a bot are needed"),
        ((RECORD, "torn.jsonl", "--seat", "0", "random"), 1, "torn.jsonl"),
        ((f"{RECORD}@0", "--seat", "0", "random"), 2, "no decision 0"),
        ((f"{RECORD}@99999", "--seat", "0", "random"), 2, "no decision 99999"),
        ((RECORD, "--seat", "0", "remote"), 2, "remote cannot be shadowed"),
        ((RECORD, "--seat", "0", "random:x=1"), 2, "no option"),
        ((RECORD, "--seat", "0", "no.such.module:Bot"), 2, "cannot be imported"),
        ((RECORD, "--seat", "0", "json:Nothing"), 2, "has no Nothing"),
        ((RECORD, "--seat", "0", "broken:Bot"), 2, "ZeroDivisionError"),
        ((RECORD, "--seat", "0", "none.py"), 2, "cannot be read"),
        ((RECORD, "--seat", "0", "random", "--limit", "0"), 2, "from 1 to"),
        (("torn.jsonl", "--seat", "0", "random"), 1, "torn.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_use_is_said(
    run: Callable[..., Run], tmp_path: Path, played: bytes, arguments: tuple[str, ...], status: int, text: str
) -> None:
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "torn.jsonl").write_bytes(played[:-10])
    done = run("shadow", *arguments)
    assert (done.status, done.out) == (status, "")
    assert text in done.err


def test_a_person_is_asked_until_they_leave(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    record = read_record(play_match(["greedy", "random"], seed=5).lines)
    first = next(turn for turn in turns_of(record, 0) if isinstance(turn.answer, Place))
    assert isinstance(first.answer, Place)
    typed = iter([square_name(first.answer.square), "quit"])
    monkeypatch.setattr(human, "TypedLines", lambda: lambda: next(typed))
    shadowed = shadow_person(record, 0, first.number)
    assert (shadowed.questions, shadowed.differences) == (1, ())
    said = capsys.readouterr()
    assert "You have seat 0" in said.err
    assert said.out == ""
