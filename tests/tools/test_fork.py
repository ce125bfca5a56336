"""`mergemaker fork`: what it repeats of a record, what bots are told, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mergemaker_engine.events import audience
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import By, Ending, Header
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import Rules, preset
from mergemaker_referee.record_files import open_record, record_chunks
from mergemaker_referee.secrets_file import secrets_path
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed
from mergemaker_tools.bots import seats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergemaker_engine.actions import Action
    from mergemaker_engine.events import Event
    from mergemaker_engine.views import View
    from mergemaker_tools.bots import SeatedBot

    from tests.tools.conftest import Run

SEED = bytes(range(32))


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., Path]:
    """Makes the record of a match between bots called `random`, which a fork therefore knows."""

    def record(seats: int, seed: bytes = SEED) -> Path:
        header, *rest = opened(recorded_match(preset("renegade-classic"), seats, seed))
        path = tmp_path / "played.jsonl"
        path.write_bytes(b"".join(sealed([replace(of_kind(header, Header), bots=("random",) * seats), *rest])))
        return path

    return record


def _fork(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    forked = run("fork", *arguments, "--json")
    assert (forked.status, forked.err) == (0, "")
    document: dict[str, object] = json.loads(forked.out)
    return document


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


def test_a_fork_of_a_fork_verifies(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    path = played(3)
    first = _fork(run, f"{path}@30")
    second = _fork(run, f"{first['record']}@50")
    record = verify(record_chunks(Path(str(second["record"])))).record
    grandparent = open_record(path)
    assert record.header.promise == grandparent.header.promise
    assert record.decisions[:29] == grandparent.decisions[:29]


def test_a_fork_at_the_first_decision_is_the_same_deal_played_anew(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    path = played(2)
    game = _fork(run, f"{path}@1", "--seed", "8")
    record = open_record(Path(str(game["record"])))
    assert record.deal == open_record(path).deal
    assert record.decisions != open_record(path).decisions


def test_with_the_same_answers_a_fork_has_the_hash_of_its_parent(
    run: Callable[..., Run], played: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(3)
    answers = {step.number: step.answer for step in open_record(path).steps()}
    numbers = iter(number for number, line in enumerate(open_record(path).decisions, 1) if line.by is By.BOT and number >= 60)

    class Parrot:
        def observe(self, _: Sequence[Event]) -> None:
            pass

        def answer(self, _view: View, _answers: Sequence[Action]) -> Action:
            return answers[next(numbers)]

    monkeypatch.setattr("mergemaker_tools.forking.seats_of", lambda names, *_: [Parrot()] * len(names))
    forked = _fork(run, f"{path}@60")
    assert open_record(Path(str(forked["record"]))).chains.game == open_record(path).chains.game


def test_each_bot_is_told_what_its_seat_had_seen(
    run: Callable[..., Run], played: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(3)
    told: dict[int, list[Event]] = {0: [], 1: [], 2: []}
    asked: list[tuple[int, int]] = []

    class Listening:
        def __init__(self, bot: SeatedBot, seat: int) -> None:
            self._bot = bot
            self._seat = seat

        def observe(self, events: Sequence[Event]) -> None:
            told[self._seat] += events
            self._bot.observe(events)

        def answer(self, view: View, answers: Sequence[Action]) -> Action:
            asked.append((self._seat, len(told[self._seat])))
            return self._bot.answer(view, answers)

    def listening(names: Sequence[str], rules: Rules, seed: bytes) -> list[Listening]:
        return [Listening(bot, seat) for seat, bot in enumerate(seats_of(names, rules, seed))]

    monkeypatch.setattr("mergemaker_tools.forking.seats_of", listening)
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


def test_the_bots_of_a_fork_have_options_and_repeat_from_the_seed(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    arguments = (f"{played(2)}@9", "--seat", "0=greedy", "--seat", "1=planner:playouts=1", "--seed", "5")
    first, second = _fork(run, *arguments), _fork(run, *arguments)
    assert first["bots"] == ["greedy", "planner:playouts=1"]
    assert len({open_record(Path(str(fork["record"]))).chains.game for fork in (first, second)}) == 1


def test_a_fork_that_is_broken_off_leaves_a_voided_record(
    run: Callable[..., Run], played: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
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

    monkeypatch.setattr("mergemaker_tools.forking.seats_of", lambda names, *_: [Impatient()] * len(names))
    stopped = run("fork", f"{played(2)}@9")
    assert stopped.status == 130
    (path,) = Path("records").iterdir()
    found = verify(record_chunks(path))
    assert found.record.end is not None
    assert found.record.end.why is Ending.VOIDED
    assert [line.why for _, line in found.record.entries if hasattr(line, "why")] == ["interrupted"]
    assert not secrets_path(path).exists()


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
        (("a.jsonl@5", "--others", "greedy:depth=2"), "greedy has no option"),
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
