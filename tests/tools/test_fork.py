"""`mergemaker fork`: what it repeats of a record, what it tells bots, which clock they get, and what it refuses."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from mergemaker_client import Answer, Bot, MatchInfo, Turn
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_engine.events import Event, audience
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, DecisionLine, Ending, Header, Line, Status
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import open_record, record_chunks
from mergemaker_referee.records.secrets_file import secrets_path
from mergemaker_table import CLOCKS, Table
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed
from mergemaker_testkit.table_driver import TableDriver, random_player, silent_player, table_setup

from tests.tools.conftest import Run

SEED = bytes(range(32))
RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""Runs in a thread of this process, which is faster than a separate process."""
HERE = "tests.tools.test_fork"
OWN_BOT = """
from mergemaker_client import Bot, run
class Own(Bot):
    pass
run(Own)
"""


class Listening(RandomBot):
    """Keeps what it is told for the test."""

    told: ClassVar[dict[int, list[Event]]] = {}
    before_first: ClassVar[dict[int, tuple[int, int]]] = {}
    """By seat: how many events it got before its first question, and how many the question counted."""

    def __init__(self) -> None:
        super().__init__()
        self._heard: list[Event] = []

    def on_start(self, match: MatchInfo) -> None:
        """Learns its seat."""
        super().on_start(match)
        self.told[match.seat] = self._heard

    def on_events(self, events: Sequence[Event]) -> None:
        """Keeps them."""
        super().on_events(events)
        self._heard += events

    def answer(self, turn: Turn) -> Answer:
        """Answers at random."""
        self.before_first.setdefault(turn.seat, (len(self._heard), turn.events_seen))
        return super().answer(turn)


class Interrupting(Bot):
    """Presses Ctrl-C."""

    def answer(self, turn: Turn) -> Answer:
        """Presses it at the third question."""
        if turn.number % 3 == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return turn.default


class Printing(RandomBot):
    """Prints, which bots should not do."""

    def answer(self, turn: Turn) -> Answer:
        """Prints its turn."""
        print("this is turn", turn.view.turn)
        return super().answer(turn)


def _write(path: Path, lines: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., Path]:
    """Makes the record of a match without a clock."""

    def record(seats: int, bot: str = "random", mode: DealMode = DealMode.SERVER) -> Path:
        header, *rest = opened(recorded_match(preset("renegade-classic"), seats, SEED, mode=mode))
        lines: list[Line] = [replace(of_kind(header, Header), bots=(bot,) * seats), *rest]
        return _write(tmp_path / "played.jsonl", sealed(lines))

    return record


@pytest.fixture
def refereed(tmp_path: Path) -> Callable[..., Path]:
    """Makes the record of a match with a clock, in which seat 0 never answered and went on autopilot."""

    def record() -> Path:
        setup = table_setup(preset("renegade-classic"), 3, "fast")
        driver = TableDriver(Table(setup), (silent_player, random_player, random_player))
        driver.play()
        return _write(tmp_path / "refereed.jsonl", driver.lines)

    return record


def _fork(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    forked = run("fork", *arguments, "--json")
    assert (forked.status, forked.err) == (0, "")
    document: dict[str, object] = json.loads(forked.out)
    return document


def _record(document: dict[str, object]) -> Record:
    return verify(record_chunks(Path(str(document["record"]))), with_audit=True).record


def _own(record: Record) -> tuple[DecisionLine, ...]:
    """The fork's own decisions."""
    assert record.header.parent is not None
    return record.decisions[record.header.parent.decision - 1 :]


# --- forks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", DealMode)
def test_a_fork_repeats_its_parent_and_verifies_without_it(
    run: Callable[..., Run], played: Callable[..., Path], mode: DealMode
) -> None:
    parent = played(4, mode=mode)
    document = _fork(run, f"{parent}@40", "--others", RANDOM)
    before = open_record(parent)
    parent.unlink()
    path = Path(str(document["record"]))
    record = _record(document)
    assert record.decisions[:39] == before.decisions[:39]
    assert record.decisions[39:] != before.decisions[39:]
    assert record.header.promise == before.header.promise
    assert record.header.parent is not None
    assert (record.header.parent.match, record.header.parent.decision) == (before.header.match, 40)
    assert record.header.match in path.name
    assert not secrets_path(path).exists()
    assert before.end is not None
    assert record.end is not None
    assert document["money_before"] == list(before.end.cash or ())
    assert (document["money"], document["places"]) == (list(record.end.cash or ()), list(record.end.places or ()))
    assert document["bots"] == list(record.header.bots) == ["RandomBot"] * 4


def test_a_fork_of_a_fork_verifies(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    path = played(3)
    first = _fork(run, f"{path}@30", "--others", RANDOM)
    second = _record(_fork(run, f"{first['record']}@50", "--others", RANDOM))
    grandparent = open_record(path)
    assert second.header.promise == grandparent.header.promise
    assert second.decisions[:29] == grandparent.decisions[:29]
    # The same bots with the same chances answer the same again.
    assert second.chains.game == open_record(Path(str(first["record"]))).chains.game


def test_with_the_same_bots_a_fork_has_the_hash_of_its_parent(run: Callable[..., Run]) -> None:
    match = run("match", *(RANDOM,) * 3, "--seed", "5", "--record", "parent.jsonl", "--quiet")
    assert match.status == 0
    parent = open_record(Path("parent.jsonl"))
    same = _record(_fork(run, "parent.jsonl@20", "--others", RANDOM))
    assert same.chains.game == parent.chains.game
    assert same.header.clock == parent.header.clock
    other = _record(_fork(run, "parent.jsonl@20", "--others", RANDOM, "--seed", "7"))
    again = _record(_fork(run, "parent.jsonl@20", "--others", RANDOM, "--seed", "7"))
    assert other.chains.game == again.chains.game != parent.chains.game


def test_a_fork_at_the_first_decision_plays_the_same_deal_again(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    path = played(2)
    record = _record(_fork(run, f"{path}@1", "--others", RANDOM))
    assert record.deal == open_record(path).deal
    assert record.decisions != open_record(path).decisions


def test_each_bot_is_told_what_its_seat_had_seen_before_it_is_asked(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    Listening.told.clear()
    Listening.before_first.clear()
    record = _record(_fork(run, f"{played(3)}@60", "--others", f"{HERE}:Listening"))
    happened = [*record.start().start_events, *(event for step in record.steps() for event in step.events)]
    for seat in range(3):
        assert Listening.told[seat] == [event for event in happened if audience(event) in (None, seat)]
        first = next(line for line in _own(record) if line.by is AnsweredBy.BOT and line.seat == seat)
        earlier = [event for step in record.steps() if step.number < first.number for event in step.events]
        seen = [event for event in (*record.start().start_events, *earlier) if audience(event) in (None, seat)]
        assert Listening.before_first[seat] == (len(seen), len(seen))


def test_a_seat_has_its_own_bot_and_the_end_is_shown_beside_the_record(
    run: Callable[..., Run], played: Callable[..., Path]
) -> None:
    shown = run("fork", f"{played(2)}@9", "--seat", f"1={HERE}:Printing", "--others", RANDOM, "--records", "r")
    assert (shown.status, shown.err) == (0, "")
    assert "match m-1, taken up again at decision 9; ended: declared" in shown.out
    (path,) = Path("r").iterdir()
    assert shown.out.splitlines()[-1] == f"record: {path}"
    assert open_record(path).header.bots == ("RandomBot", "Printing")
    ended = open_record(path).end
    assert ended is not None
    assert all(f"${cash:,}" in shown.out for cash in ended.cash or ())


def test_programs_learn_of_faults_and_failures_as_with_a_match(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    bots = ("tests.tools.test_match_faults:Clumsy", "tests.tools.test_match_faults:Silly")
    forked = _fork(run, f"{played(2)}@5", "--seat", f"0={bots[0]}", "--seat", f"1={bots[1]}")
    (matched,) = json.loads(run("match", *bots, "--seed", "4", "--json").out)["games"]
    assert set(matched) - {"game", "seed"} <= set(forked)
    standings = forked["standings"]
    assert isinstance(standings, list)
    clumsy, silly = standings
    assert set(clumsy) == set(silly) == set(matched["standings"][0])
    assert (clumsy["seat"], clumsy["bot"], clumsy["faults"], clumsy["refused"]) == (0, "Clumsy", {}, 0)
    assert clumsy["failures"] > 0
    assert (silly["seat"], silly["bot"], silly["faults"], silly["failures"]) == (1, "Silly", {}, 0)
    assert silly["refused"] > 0
    assert [standing["money"] for standing in (clumsy, silly)] == forked["money"]


def test_what_a_bot_of_this_process_prints_is_not_in_the_document(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    forked = run("fork", f"{played(2)}@60", "--others", f"{HERE}:Printing", "--json")
    assert json.loads(forked.out)["bots"] == ["Printing", "Printing"]
    assert "this is turn" in forked.err


def test_bots_are_processes_and_a_built_in_one_comes_from_the_record(
    run: Callable[..., Run], played: Callable[..., Path]
) -> None:
    Path("own.py").write_text(OWN_BOT, encoding="utf-8")
    command = shlex.join([sys.executable, "own.py"])
    record = _record(_fork(run, f"{played(3, 'greedy')}@50", "--seat", f"2={command}", "--seat", "1=own.py"))
    assert record.header.bots == ("greedy", "own", Path(sys.executable).stem)
    assert {line.by for line in _own(record)} <= {AnsweredBy.BOT, AnsweredBy.AUTOMATIC}
    assert {line.seat for line in _own(record) if line.by is AnsweredBy.BOT} == {0, 1, 2}


# --- clocks, and seats that no longer played -------------------------------------------------------------


def _first_banks(record: Record) -> list[object]:
    lines = [next(line for line in _own(record) if line.seat == seat and line.by is AnsweredBy.BOT) for seat in range(3)]
    return [line.run.get("bank_ms") for line in lines]


def test_a_seat_that_was_on_autopilot_plays_again_with_what_is_left_of_its_bank(
    run: Callable[..., Run], refereed: Callable[..., Path]
) -> None:
    parent = refereed()
    before = open_record(parent)
    assert before.end is not None
    assert before.end.statuses[0] is Status.AUTOPILOT
    document = _fork(run, f"{parent}@90", "--others", RANDOM)
    record = _record(document)
    assert document["clock"] == "fast"
    assert document["statuses"] == ["finished"] * 3
    assert record.header.clock == before.header.clock
    # The allowance alone pays for instant answers. On a slow machine the others' banks may lose something.
    banks = _first_banks(record)
    assert banks[0] == 0
    assert all(isinstance(bank, int) and 0 < bank <= CLOCKS["fast"].bank_ms for bank in banks[1:])


def test_a_clock_of_its_own_gives_full_banks(run: Callable[..., Run], refereed: Callable[..., Path]) -> None:
    parent = refereed()
    document = _fork(run, f"{parent}@90", "--others", RANDOM, "--clock", "mine:allowance=30000,bank=70000")
    record = _record(document)
    assert document["clock"] == "mine"
    assert record.header.clock == open_record(parent).header.clock
    assert _first_banks(record) == [70_000] * 3


@pytest.mark.parametrize("arguments", [(), ("--clock", "none")])
def test_a_fork_without_a_clock_has_no_banks(
    run: Callable[..., Run], played: Callable[..., Path], refereed: Callable[..., Path], arguments: tuple[str, ...]
) -> None:
    parent = refereed() if arguments else played(3)
    document = _fork(run, f"{parent}@90", "--others", RANDOM, *arguments)
    assert document["clock"] == "none"
    assert _first_banks(_record(document)) == [None] * 3


def test_an_unknown_clock_is_replaced_by_another(run: Callable[..., Run], tmp_path: Path) -> None:
    header, *rest = opened(recorded_match(preset("renegade-classic"), 2, SEED))
    foreign = replace(of_kind(header, Header), clock={"hourglass": 5})
    path = _write(tmp_path / "foreign.jsonl", sealed([foreign, *rest]))
    refused = run("fork", f"{path}@9", "--others", RANDOM)
    assert (refused.status, refused.out) == (1, "")
    assert "its clock is none of ours" in refused.err
    assert "--clock gives the bots one that is" in refused.err
    record = _record(_fork(run, f"{path}@9", "--others", RANDOM, "--clock", "slow"))
    assert record.header.clock == {"hourglass": 5}


def test_several_places_are_forked_one_after_the_other(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    path = played(2)
    document = _fork(run, f"{path}@20", f"{path}@30", "--others", RANDOM)
    forks = document["forks"]
    assert isinstance(forks, list)
    assert [fork["decision"] for fork in forks] == [20, 30]
    assert [len(_own(_record(fork))) > 0 for fork in forks] == [True, True]
    shown = run("fork", f"{path}@20", f"{path}@30", "--others", RANDOM)
    assert shown.out.count("taken up again at decision ") == shown.out.count("record: records") == 2


# --- what ends it early, and what is refused ----------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is another thing there")
def test_a_fork_that_is_broken_off_leaves_a_voided_record(run: Callable[..., Run], played: Callable[..., Path]) -> None:
    stopped = run("fork", f"{played(2)}@9", "--others", f"{HERE}:Interrupting")
    assert stopped.status == 130
    (path,) = Path("records").glob("*.jsonl")
    found = verify(record_chunks(path))
    assert found.record.end is not None
    assert found.record.end.why is Ending.VOIDED
    assert "interrupted" in [line.why for _, line in found.record.entries if hasattr(line, "why")]
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
        (("a.jsonl@5",), "in the record 'random 0' played, which is no built-in bot"),
        (("a.jsonl@5", "--seat", "0=greedy"), "seat 1: in the record 'random 1' played"),
        (("a.jsonl@5", "--others", "randm"), "seat 0: "),
        (("a.jsonl@5", "--others", "greedy:depth=2"), "greedy has no option"),
        (("a.jsonl@5", "--others", "random", "--clock", "fats"), "did you mean fast?"),
        (("a.jsonl@5", "--others", "random", "--seed", "x"), "--seed takes"),
        (("a.jsonl@5", "--others", "human"), "one person can play"),
        (("a.jsonl@5", "--others", "random", "--seat", "0=human", "--json"), "has to see it"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    _write(tmp_path / "a.jsonl", recorded_match(preset("renegade-classic"), 2, SEED))
    refused = run("fork", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not Path("records").exists()


@pytest.mark.parametrize("name", ["evil.py", "touch evil", "os:system", "remote", "human"])
def test_a_record_starts_nothing_by_the_names_of_its_bots(
    run: Callable[..., Run], played: Callable[..., Path], name: str
) -> None:
    Path("evil.py").write_text("open('evil', 'w')", encoding="utf-8")
    refused = run("fork", f"{played(2, name)}@9")
    assert (refused.status, refused.out) == (2, "")
    assert "which is no built-in bot" in refused.err
    assert not Path("evil").exists()


def test_a_record_that_tells_no_game_is_refused_before_anything_is_written(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(recorded_match(preset("renegade-classic"), 2, SEED))
    lines[9] = replace(of_kind(lines[9], DecisionLine), answer="12I")
    path = _write(tmp_path / "wrong.jsonl", sealed(lines))
    refused = run("fork", f"{path}@30", "--others", RANDOM)
    assert (refused.status, refused.out) == (1, "")
    assert "line 10" in refused.err
    assert not list(Path("records").glob("*.jsonl*"))


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
