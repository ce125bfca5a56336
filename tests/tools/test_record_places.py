"""`RECORD@seat0:12`: every command that takes a decision finds it by the number that its bot knows."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_client import Answer, Bot, Turn
from mergemaker_client.testing import Played, play_match, turns_of
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import open_record
from mergemaker_table import Table
from mergemaker_table.inputs import Resign
from mergemaker_testkit.table_driver import TableDriver, random_player, table_setup
from mergemaker_tools.problems import WrongUse
from mergemaker_tools.records.places import DecisionName, decision_name, split_place
from mergemaker_tools.shadowing.seat import RecordedSeat

from tests.tools.conftest import Run

RECORD = "match.jsonl"
SEAT = 1
LATE_MS = 600_000
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FAULTY = GOLDEN / "reference-5-faults.jsonl.gz"


class Failing(Bot):
    """A bot that fails with every disposal."""

    def choose_disposal(self, turn: Turn) -> Answer:
        raise LookupError(f"no such idea in turn {turn.view.turn}")


@pytest.fixture
def played(tmp_path: Path) -> Played:
    match = play_match(["random", Failing, "greedy"], seed=9, on_error="default")
    (tmp_path / RECORD).write_bytes(b"".join(match.lines))
    return match


def _places(played: Played) -> list[str]:
    """The names of the decisions in the bot's tracebacks."""
    found = [re.search(r"@seat\d:\d+", fault.text) for fault in played.faults]
    return [place[0] for place in found if place]


def test_a_traceback_names_its_decision_as_the_record_is_asked_for_it(played: Played, run: Callable[..., Run]) -> None:
    failed = [line.number for line in played.record.decisions if (line.note or "").startswith("default, after LookupError")]
    places = _places(played)
    assert len(places) == len(failed) > 2
    for place, number in zip(places, failed, strict=True):
        (shown,) = json.loads(run("replay", f"{RECORD}{place}", "--json").out)["decisions"]
        assert (shown["number"], shown["seat"]) == (number, SEAT)
        shadowed = json.loads(run("shadow", f"{RECORD}{place}", "random", "--json").out)
        assert (shadowed["first"], shadowed["seat"]) == (number, SEAT)
    assert run("replay", RECORD, places[0], "--text").out == run("replay", f"{RECORD}@{failed[0]}", "--text").out


def test_a_match_is_forked_at_a_decision_of_a_seat(played: Played, run: Callable[..., Run]) -> None:
    place = _places(played)[-1]
    name = decision_name(place)
    assert name is not None
    forked = run("fork", f"{RECORD}{place}", "--others", "random", "--clock", "none", "--json")
    assert forked.status == 0, forked.err
    assert json.loads(forked.out)["decision"] == name.number_in(played.record)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl.gz")), ids=lambda path: path.name.partition(".")[0])
def test_bots_count_their_questions_so_in_every_record(path: Path) -> None:
    record = open_record(path)
    for seat in range(record.header.seats):
        for put in turns_of(record, seat):
            assert DecisionName(put.turn.number, seat).number_in(record) == put.number


def test_the_referee_counts_its_questions_so() -> None:
    match = play_match(
        ["random"] * 3,
        seed=9,
        clock="fast",
        delay=lambda turn: LATE_MS if turn.seat == SEAT and turn.number % 4 == 0 else 0,
        on_error="default",
    )
    late = [line.number for line in match.record.decisions if line.by is AnsweredBy.TIMEOUT]
    assert [DecisionName(fault.decision or 0, fault.seat).number_in(match.record) for fault in match.faults] == late
    assert len(late) > 2


def _with_a_resignation(*, is_asked: bool) -> tuple[Record, int]:
    """A match in which a seat resigns in the middle, at its own question or during another's."""
    driver = TableDriver(Table(table_setup(preset("renegade-classic"), 3, "fast")), [random_player] * 3)
    driver.start()
    driver.hand()
    while len(driver.outputs) < 300 or (driver.question.seat == SEAT) != is_asked:
        driver.answer()
    driver.feed(Resign(SEAT))
    driver.play_on()
    return read_record(driver.lines), SEAT


@pytest.mark.parametrize("is_asked", [True, False])
def test_the_question_over_which_a_bot_resigned_was_put_and_nothing_behind_it(is_asked: bool) -> None:
    record, seat = _with_a_resignation(is_asked=is_asked)
    own = [line for line in record.decisions if line.seat == seat]
    resigned = next(line.number for line in own if line.by is AnsweredBy.RESIGNED)
    put = [turn.number for turn in turns_of(record, seat)]
    assert put == [line.number for line in own if line.by is AnsweredBy.BOT] + [resigned] * is_asked
    assert len(put) < len([line for line in own if line.by is not AnsweredBy.AUTOMATIC])
    assert DecisionName(len(put), seat).number_in(record) == put[-1]
    with pytest.raises(WrongUse, match=f"was asked {len(put)} times"):
        DecisionName(len(put) + 1, seat).number_in(record)
    # A bot that failed there gets it again.
    shadowed = RecordedSeat(record, seat, put[-1])
    assert shadowed.decision == put[-1]
    assert shadowed.shadowed.questions == 1


def test_a_decision_of_the_match_is_named_without_a_seat() -> None:
    assert decision_name("@57") == DecisionName(57)
    assert DecisionName(99_999).number_in(open_record(FAULTY)) == 99_999


@pytest.mark.parametrize(
    "text", ["", "57", "@", "@x", "@seat:1", "@seat0", "@seat0:", "@seat10:1", "@seatX:1", "@12345678", "@٣"]
)
def test_what_names_no_decision(text: str) -> None:
    assert decision_name(text) is None


def test_a_file_whose_name_looks_like_a_place_is_that_file(tmp_path: Path) -> None:
    path = tmp_path / "a@seat0:3"
    assert split_place(f"{path}@4") == (path, "@4")
    assert split_place(str(path)) == (tmp_path / "a", "@seat0:3")
    path.touch()
    assert split_place(str(path)) == (path, None)


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("shadow", f"{RECORD}@seat1:999", "random"), "there is no @seat1:999"),
        (("shadow", f"{RECORD}@seat1:0", "random"), "there is no @seat1:0"),
        (("shadow", f"{RECORD}@seat5:1", "random"), "seat 5 was asked 0 times"),
        (("shadow", f"{RECORD}@seat1:3", "--seat", "0", "random"), "two seats are named: 1 after the record, and --seat 0"),
        (("shadow", RECORD, "random"), "--seat says whose questions to ask"),
        (("shadow", f"{RECORD}@12345678", "--seat", "0", "random"), "no match has a decision @12345678"),
        (("replay", f"{RECORD}@seat1:999", "--text"), "there is no @seat1:999"),
        (("replay", RECORD, "@seat1", "--text"), "as in @57 or @seat0:12, not '@seat1'"),
        (("fork", f"{RECORD}@seat1:999", "--others", "random"), "there is no @seat1:999"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
