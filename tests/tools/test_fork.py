"""`mergemaker fork` and the records of `mergemaker match`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mergemaker_engine.events import audience
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import By, Ending
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_referee.journal import Committer
from mergemaker_referee.record_files import open_record, record_chunks
from mergemaker_referee.secrets_file import secrets_path
from mergemaker_testkit.recorded import recorded_match
from mergemaker_tools.bots import BOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergemaker_engine.actions import Action
    from mergemaker_engine.events import Event
    from mergemaker_engine.views import View

    from tests.tools.conftest import Run

SEED = bytes(range(32))


def _match(run: Callable[..., Run], *arguments: str) -> Path:
    played = run("match", *arguments, "--json")
    assert (played.status, played.err) == (0, "")
    return Path(json.loads(played.out)["games"][0]["record"])


def _fork(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    forked = run("fork", *arguments, "--json")
    assert (forked.status, forked.err) == (0, "")
    document: dict[str, object] = json.loads(forked.out)
    return document


# --- records of matches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_match_leaves_a_record_that_verifies(run: Callable[..., Run], name: str) -> None:
    path = _match(run, "random", "random", "random", "--rules", name)
    found = verify(record_chunks(path), with_audit=True)
    assert path.parent == Path("records")
    assert found.record.header.mode is DealMode.SERVER
    assert found.record.header.bots == ("random",) * 3
    assert found.record.header.rules == preset(name)
    assert not secrets_path(path).exists()


def test_a_deal_from_a_chosen_seed_is_not_promised(run: Callable[..., Run]) -> None:
    first = open_record(_match(run, "random", "random", "--seed", "5"))
    again = open_record(_match(run, "random", "random", "--seed", "5"))
    assert first.header.mode is DealMode.PLAIN
    assert first.chains.game == again.chains.game
    assert first.chains.line != again.chains.line
    assert first.header.match != again.header.match


def test_the_record_is_named_and_each_game_has_one(run: Callable[..., Run]) -> None:
    one = run("match", "random", "random", "--records", "here").out.splitlines()
    (path,) = Path("here").iterdir()
    assert f"record: {path}" in one
    three = run("match", "random", "random", "--games", "3", "--records", "there").out.splitlines()
    assert "records: 3 in there" in three
    assert len([verify(record_chunks(path)) for path in Path("there").iterdir()]) == 3


def test_lines_can_be_made_to_outlive_the_power(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("mergemaker_referee.journal.os.fsync", synced.append)
    lines = open_record(_match(run, "random", "random")).lines
    assert len(synced) == 1  # the secrets alone
    monkeypatch.setattr(Committer.__init__, "__defaults__", (synced.append,))
    lines = open_record(_match(run, "random", "random", "--durability", "power")).lines
    assert len(synced) >= 1 + lines


def test_no_record_is_written_where_none_is_wanted(run: Callable[..., Run]) -> None:
    assert "record" not in run("match", "random", "random", "--no-record").out
    assert list(Path().iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_said(run: Callable[..., Run]) -> None:
    Path("records").write_text("a file", "utf-8")
    refused = run("match", "random", "random")
    assert (refused.status, refused.out) == (1, "")
    assert "choose another folder with --records, or play without with --no-record" in refused.err


def test_a_match_that_is_broken_off_leaves_a_voided_record(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient:
        def __init__(self) -> None:
            self.left = 9

        def observe(self, _: Sequence[Event]) -> None:
            pass

        def answer(self, _: View, answers: Sequence[Action]) -> Action:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
            return answers[0]

    monkeypatch.setattr("mergemaker_tools.matches.BOTS", {"random": lambda *_: Impatient()})
    stopped = run("match", "random", "random")
    assert stopped.status == 130
    (path,) = Path("records").iterdir()
    found = verify(record_chunks(path))
    assert found.record.end is not None
    assert found.record.end.why is Ending.VOIDED
    assert [line.why for _, line in found.record.entries if hasattr(line, "why")] == ["interrupted"]


# --- forks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", DealMode)
def test_a_fork_repeats_its_parent_and_verifies_without_it(run: Callable[..., Run], tmp_path: Path, mode: DealMode) -> None:
    parent = tmp_path / "parent.jsonl"
    parent.write_bytes(b"".join(recorded_match(preset("reference"), 4, SEED, mode=mode)))
    document = _fork(run, f"{parent}@40", "--others", "random")
    before = open_record(parent)
    parent.unlink()
    record = verify(record_chunks(Path(str(document["record"]))), with_audit=True).record
    assert record.decisions[:39] == before.decisions[:39]
    assert record.decisions[39:] != before.decisions[39:]
    assert record.header.promise == before.header.promise
    assert record.header.parent is not None
    assert (record.header.parent.match, record.header.parent.decision) == (before.header.match, 40)
    assert document["money_before"] == list(before.end.cash) if before.end and before.end.cash else None


def test_a_fork_of_a_fork_verifies(run: Callable[..., Run]) -> None:
    path = _match(run, "random", "random", "random")
    first = _fork(run, f"{path}@30")
    second = _fork(run, f"{first['record']}@50")
    record = verify(record_chunks(Path(str(second["record"])))).record
    grandparent = open_record(path)
    assert record.header.promise == grandparent.header.promise
    assert record.decisions[:29] == grandparent.decisions[:29]


def test_a_fork_at_the_first_decision_is_the_same_deal_played_anew(run: Callable[..., Run]) -> None:
    path = _match(run, "random", "random", "--seed", "7")
    game = _fork(run, f"{path}@1", "--seed", "8")
    record = open_record(Path(str(game["record"])))
    assert record.deal == open_record(path).deal
    assert record.decisions != open_record(path).decisions


def test_with_the_same_answers_a_fork_has_the_hash_of_its_parent(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _match(run, "random", "random", "random", "--seed", "7")
    answers = {step.number: step.answer for step in open_record(path).steps()}
    numbers = iter(number for number, line in enumerate(open_record(path).decisions, 1) if line.by is By.BOT and number >= 60)

    class Parrot:
        def observe(self, _: Sequence[Event]) -> None:
            pass

        def answer(self, _view: View, _answers: Sequence[Action]) -> Action:
            return answers[next(numbers)]

    monkeypatch.setattr("mergemaker_tools.matches.BOTS", {"random": lambda *_: Parrot()})
    forked = _fork(run, f"{path}@60")
    assert open_record(Path(str(forked["record"]))).chains.game == open_record(path).chains.game


def test_each_bot_is_told_what_its_seat_had_seen(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    path = _match(run, "random", "random", "random", "--seed", "7")
    told: dict[int, list[Event]] = {0: [], 1: [], 2: []}
    asked: list[tuple[int, int]] = []
    make = BOTS["random"]

    class Listening:
        def __init__(self, seed: bytes, seat: int) -> None:
            self._bot = make(seed, seat)
            self._seat = seat

        def observe(self, events: Sequence[Event]) -> None:
            told[self._seat] += events

        def answer(self, view: View, answers: Sequence[Action]) -> Action:
            asked.append((self._seat, len(told[self._seat])))
            return self._bot.answer(view, answers)

    monkeypatch.setattr("mergemaker_tools.matches.BOTS", {"random": Listening})
    forked = _fork(run, f"{path}@60")
    record = open_record(Path(str(forked["record"])))
    happened = [*record.start().start_events, *(event for step in record.steps() for event in step.events)]
    for seat, heard in told.items():
        assert heard == [event for event in happened if audience(event) in (None, seat)]
    # What had happened was told before the first question.
    first = next(line for line in record.decisions[59:] if line.by is By.BOT)
    earlier = [event for step in record.steps() if step.number < first.number for event in step.events]
    seen = [event for event in (*record.start().start_events, *earlier) if audience(event) in (None, first.seat)]
    assert asked[0] == (first.seat, len(seen))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.jsonl",), "written FILE@NUMBER"),
        (("a.jsonl@",), "written FILE@NUMBER"),
        (("nowhere.jsonl@5",), "cannot read nowhere.jsonl: No such file"),
        ((".@5",), "cannot read ."),
        (("a.jsonl@0",), "has the decisions 1 to "),
        (("a.jsonl@999999",), "no decision 999999"),
        (("a.jsonl@5", "--seat", "2=random"), "a seat from 0 to 1"),
        (("a.jsonl@5", "--seat", "random"), "as in --seat 0=random, not 'random'"),
        (("a.jsonl@5", "--seat", "0=random", "--seat", "0=random"), "once each"),
        (("a.jsonl@5", "--others", "randm"), "did you mean random?"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(recorded_match(preset("renegade-classic"), 2, SEED)))
    refused = run("fork", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not Path("records").exists()


@pytest.mark.parametrize(
    ("foreign", "said"),
    [(b"", "when it has ended"), (b"\x89PNG\r\n\x1a\n" * 9, "line 1: a line is UTF-8 text")],
    ids=["unfinished", "PNG"],
)
def test_what_is_no_finished_record_is_refused(run: Callable[..., Run], tmp_path: Path, foreign: bytes, said: str) -> None:
    lines = list(recorded_match(preset("renegade-classic"), 2, SEED))
    (tmp_path / "a.jsonl").write_bytes(foreign or b"".join(lines[:50]))
    refused = run("fork", "a.jsonl@5", "--others", "random")
    assert (refused.status, refused.out) == (1, "")
    assert said in refused.err
