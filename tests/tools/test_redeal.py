"""`mergemaker fork --redeal`: fresh deals that agree with what a seat knew, and what is said of the answers in them."""

import json
import math
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mergemaker_client import Answer, Bot, MatchInfo, Turn
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_engine.board import squares_of
from mergemaker_engine.events import Event, StartTilePlaced, TilePlaced, TilesReceived, TilesSetAside, audience
from mergemaker_engine.notation import parse_position
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.rules import preset
from mergemaker_engine.wording import action_text
from mergemaker_processes.bot_names import BuiltInBot
from mergemaker_referee.records.files import open_record
from mergemaker_testkit.recorded import recorded_match
from mergemaker_tools.redealing.estimates import LEVEL, estimate, t_quantile
from mergemaker_tools.redealing.playing import Task, play_deal
from mergemaker_tools.redealing.question import Question, question_of
from mergemaker_tools.redealing.worlds import world_of

from tests.tools.conftest import Run

SEED = bytes(range(32))
HERE = "tests.tools.test_redeal"
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
RECORDS = sorted(GOLDEN.glob("*.jsonl.gz"))
RECORD = "match.jsonl"
DEALS = 3


def _hand_of(seat: int, told: Sequence[Event]) -> set[int]:
    """The tiles that a seat must have, by what it was told."""
    hand: set[int] = set()
    for event in told:
        match event:
            case TilesReceived():
                hand |= set(event.squares)
            case TilePlaced(by, square) | StartTilePlaced(by, square) if by == seat:
                hand.discard(square)
            case TilesSetAside(by, squares) if by == seat:
                hand -= set(squares)
    return hand


class Checking(RandomBot):
    """Raises if what it is told does not agree with what it sees."""

    def on_start(self, match: MatchInfo) -> None:
        """Has heard nothing yet."""
        super().on_start(match)
        self.told: list[Event] = []

    def on_events(self, events: Sequence[Event]) -> None:
        """Keeps them."""
        self.told += events

    def answer(self, turn: Turn) -> Answer:
        """Compares, and answers at random."""
        assert _hand_of(turn.seat, self.told) == set(turn.view.hand)
        assert turn.events_seen == len(self.told)
        print("this must not be in the output")
        return super().answer(turn)


class Failing(Bot):
    """Fails at its second question here."""

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, turn: Turn) -> Answer:
        """Takes the first answer, and then fails."""
        self.asked += 1
        if self.asked == 2:
            raise LookupError("no such idea")
        return turn.answers[0]


class Illegal(Bot):
    """Answers what is not legal."""

    def choose_purchase(self, turn: Turn) -> Answer:
        """Buys too much."""
        return turn.buy({0: 2, 1: 2})


class Interrupting(Bot):
    """Presses Ctrl-C."""

    def answer(self, turn: Turn) -> Answer:
        """Does so at once."""
        os.kill(os.getpid(), signal.SIGINT)
        return turn.default


def _record(name: str = "renegade-classic", seats: int = 3) -> Record:
    return read_record(recorded_match(preset(name), seats, SEED))


def _question(record: Record, number: int, named: Sequence[str] | None = ()) -> Question:
    return question_of(record, number, ("random",) * record.header.seats, named)


def _asked(record: Record, kind: str, after: int = 40) -> int:
    """The number of a question with a choice."""
    return next(
        step.number for step in record.steps() if step.number > after and step.line.asked.startswith(kind) and len(step.legal) > 2
    )


@pytest.fixture
def played(tmp_path: Path) -> Record:
    """A finished match in the test's folder."""
    (tmp_path / RECORD).write_bytes(b"".join(recorded_match(preset("renegade-classic"), 3, SEED)))
    return _record()


def _document(run: Callable[..., Run], place: str, *arguments: str, others: str = "random") -> dict[str, Any]:
    done = run("fork", place, "--redeal", "--others", others, "--seed", "7", "--jobs", "1", "--json", *arguments)
    assert done.status == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    return document


# --- the deals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.partition(".")[0])
def test_in_every_deal_the_seat_sees_what_it_saw_and_all_have_a_past_that_agrees(path: Path) -> None:
    record = open_record(path)
    for step in record.steps():
        if step.number % 17:
            continue
        question = _question(record, step.number)
        books = question.ledger()
        for number in range(DEALS):
            world = world_of(question, books, SEED, number)
            assert world.game.view(question.seat) == step.view(question.seat) == question.view
            for seat in range(question.seats):
                told = world.told[seat]
                assert {audience(event) for event in told} <= {None, seat}
                assert len(told) == len(question.told[seat])
                assert _hand_of(seat, told) == set(squares_of(world.game.hands[seat]))
            assert world.told[question.seat] == question.told[question.seat]


def test_deals_follow_from_seed_and_number_and_differ() -> None:
    question = _question(_record(), 60)
    books = question.ledger()
    one, same, other = (world_of(question, books, SEED, number) for number in (0, 0, 1))
    assert one == same
    assert one.game.hands != other.game.hands
    assert one.game.deal != other.game.deal
    assert len({*one.nonces, *other.nonces}) == 6
    assert world_of(question, books, bytes(32), 0).game.hands != one.game.hands


def test_an_answer_is_played_alike_whatever_else_is_tried() -> None:
    record = _record()
    number = _asked(record, "ChoosePurchase")
    every = _question(record, number, None)
    assert set(every.texts) == {action_text(answer, record.header.rules) for answer in next(
        step for step in record.steps() if step.number == number
    ).legal}  # fmt: skip
    bots = (BuiltInBot("random"),) * 3
    dealt = play_deal(Task(every, bots, SEED), 5)
    for at in range(0, len(every.answers), 7):
        alone = play_deal(Task(replace(every, answers=(every.answers[at],)), bots, SEED), 5)
        assert alone.cash == (dealt.cash[at],)
    assert len(set(dealt.cash)) > 1


# --- what is said of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (9, 2.2622), (10, 2.2281), (30, 2.0423), (99, 1.9842), (1000, 1.9623)],
)
def test_quantiles_are_those_of_students_table(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=5e-5)


def test_an_interval_is_the_mean_and_t_standard_errors() -> None:
    found = estimate([1.0, 2.0, 3.0, 4.0])
    assert found.mean == 2.5
    assert found.half == pytest.approx(3.1824 * math.sqrt(5 / 3 / 4), abs=1e-4)
    assert (found.low, found.high) == (found.mean - found.half, found.mean + found.half)
    assert estimate([0.5, 0.5]).half == 0


def test_where_nothing_is_left_to_chance_the_share_is_that_of_the_record(run: Callable[..., Run], played: Record) -> None:
    last = played.decisions[-1]
    (question,) = _document(run, f"{RECORD}@{last.number}", "--games", "3", "--answers", last.answer)["questions"]
    assert played.end is not None
    assert played.end.cash is not None
    share = played.end.cash[last.seat] / sum(played.end.cash)
    (answer,) = question["answers"]
    assert answer["share"] == {"mean": pytest.approx(share), "low": pytest.approx(share), "high": pytest.approx(share)}
    assert answer["money"] == played.end.cash[last.seat]
    assert answer["firsts"] in (0, 3)


def test_the_document_has_each_answer_once_with_the_recorded_one_first(run: Callable[..., Run], played: Record) -> None:
    number = _asked(played, "ChooseTile")
    line = played.decisions[number - 1]
    document = _document(run, f"{RECORD}@{number}", "--games", "8")
    assert (document["games"], document["level"], document["seed"]) == (8, LEVEL, "7".rjust(64, "0"))
    (question,) = document["questions"]
    assert (question["decision"], question["seat"], question["asked"]) == (number, line.seat, line.asked)
    assert (question["recorded"], question["by"], question["bots"]) == (line.answer, "bot", ["random"] * 3)
    answers = question["answers"]
    assert answers[0]["answer"] == line.answer
    assert len({one["answer"] for one in answers}) == len(answers) == len(next(
        step for step in played.steps() if step.number == number
    ).legal)  # fmt: skip
    assert answers[0]["gain"] is None
    for one in answers[1:]:
        assert one["gain"]["mean"] == pytest.approx(one["share"]["mean"] - answers[0]["share"]["mean"])
        assert one["gain"]["low"] < one["gain"]["mean"] < one["gain"]["high"]
        assert 0 <= one["firsts"] <= 8


def test_it_repeats_with_any_number_of_processes_and_differs_with_another_seed(run: Callable[..., Run], played: Record) -> None:
    place = f"{RECORD}@{_asked(played, 'ChooseTile')}"
    one = _document(run, place, "--games", "5")
    assert one == _document(run, place, "--games", "5", "--jobs", "2")
    other = json.loads(
        run("fork", place, "--redeal", *("--games", "5", "--others", "random", "--seed", "8", "--jobs", "1", "--json")).out
    )
    assert other["questions"] != one["questions"]


def test_named_answers_are_compared_with_the_recorded_one(run: Callable[..., Run], played: Record) -> None:
    number = _asked(played, "ChoosePurchase")
    line = played.decisions[number - 1]
    named = ("buy nothing", line.answer)
    document = _document(run, f"{RECORD}@{number}", "--games", "2", "--answers", *named)
    assert [one["answer"] for one in document["questions"][0]["answers"]] == list(dict.fromkeys([line.answer, "buy nothing"]))


def test_people_get_a_table_for_each_question_that_fits_the_screen(run: Callable[..., Run], played: Record) -> None:
    numbers = (_asked(played, "ChooseTile"), _asked(played, "ChoosePurchase"))
    places = [f"{RECORD}@{number}" for number in numbers]
    shown = run("fork", *places, "--redeal", "--games", "2", "--others", "random", "--seed", "7", "--jobs", "1")
    assert (shown.status, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    for number in numbers:
        line = played.decisions[number - 1]
        assert f"match m-1, decision {number}: seat {line.seat} is asked {line.asked}\n" in shown.out
    assert f"\n{played.decisions[numbers[0] - 1].answer} * " in shown.out
    assert "2 deals that agree with what seat " in shown.out
    assert shown.out.count("these bots play on: random, random, random\n") == 2
    assert shown.out.endswith(f"seed {'7'.rjust(64, '0')}\n")
    shares = [float(row.split()[-9]) for row in shown.out.split("\n\n")[1].splitlines()[2:] if "*" not in row and len(row) > 60]
    assert shares == sorted(shares, reverse=True)


def test_nothing_is_written(run: Callable[..., Run], tmp_path: Path, played: Record) -> None:
    _document(run, f"{RECORD}@{_asked(played, 'ChooseTile')}", "--games", "2")
    assert [path.name for path in tmp_path.iterdir()] == [RECORD]


# --- bots ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["renegade-classic", "avalon-hill", "avalon-hill-powers", "reference-trading"])
def test_bots_are_told_what_they_see_and_their_prints_stay_out(run: Callable[..., Run], tmp_path: Path, name: str) -> None:
    (tmp_path / RECORD).write_bytes(b"".join(recorded_match(preset(name), 3, SEED)))
    place = f"{RECORD}@{_asked(_record(name), 'ChooseTile')}"
    _document(run, place, "--games", "2", "--jobs", "1", others=f"{HERE}:Checking")


@pytest.mark.parametrize(
    ("bot", "said"), [("Failing", "LookupError: no such idea"), ("Illegal", "too-many-shares"), ("NoBot", "has no NoBot")]
)
def test_a_bot_that_fails_ends_it_with_the_deal_and_the_position(
    run: Callable[..., Run], played: Record, bot: str, said: str
) -> None:
    place = f"{RECORD}@{_asked(played, 'ChooseTile')}"
    failed = run("fork", place, "--redeal", "--others", f"{HERE}:{bot}", "--seed", "7", "--games", "2", "--jobs", "1")
    assert failed.out == ""
    if bot == "NoBot":
        assert (failed.status, said in failed.err) == (2, True)
        return
    assert failed.status == 1
    assert failed.err.startswith("mergemaker fork: deal 0: the bot failed: match m-1, decision ")
    position = failed.err[failed.err.index("# what seat ") : failed.err.index("The seed is ")]
    assert parse_position(position).decision is not None
    assert f"The seed is {'7'.rjust(64, '0')}." in failed.err


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is another thing there")
def test_ctrl_c_says_how_far_it_got(run: Callable[..., Run], played: Record) -> None:
    place = f"{RECORD}@{_asked(played, 'ChooseTile')}"
    stopped = run("fork", place, "--redeal", "--others", f"{HERE}:Interrupting", "--seed", "7", "--games", "4", "--jobs", "1")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err == f"mergemaker fork: interrupted after 0 of 4 deals; the seed is {'7'.rjust(64, '0')}\n"


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--games", "5"), "--games and --answers are for fresh deals: give --redeal, too, or leave them out"),
        (("--answers", "8A"), "give --redeal, too"),
        (("--redeal", "--games", "1"), "takes a whole number from 2 to 100,000, not '1'"),
        (("--redeal", "--games", "x"), "not 'x'"),
        (("--redeal", "--clock", "none"), "leave out --clock or --redeal"),
        (("--redeal", "--records", "r"), "leave out --records or --redeal"),
        (("--redeal", "--confine"), "leave out --confine or --redeal"),
        (("--redeal", "--answers", "nonsense"), "'nonsense' is no legal answer to decision 41: "),
        (("--redeal", "--answers", "buy 3 Imperial 2 Tower"), "is no legal answer to decision 41: "),
        (("--redeal", "--seed", "x"), "--seed takes"),
        (("--redeal", "--seat", "0=remote"), "seat 0: remote is no bot of this process"),
        (("--redeal", "--seat", "1=bot.py"), "seat 1: "),
        (("--redeal", "--seat", "2=human"), "seat 2: human is no bot of this process"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "bot.py").write_text("")
    refused = run("fork", f"{RECORD}@41", "--others", "random", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not (tmp_path / "records").exists()


@pytest.mark.usefixtures("played")
def test_places_and_records_are_refused_as_without_fresh_deals(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "running.jsonl").write_bytes(b"".join(recorded_match(preset("renegade-classic"), 3, SEED)[:50]))
    for place, status in ((RECORD, 2), (f"{RECORD}@0", 2), (f"{RECORD}@9999", 2), ("no.jsonl@1", 2), ("running.jsonl@5", 1)):
        refused = run("fork", place, "--redeal", "--others", "random")
        assert (refused.status, refused.out) == (status, ""), place


def test_more_answers_than_can_be_tried_have_to_be_named(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / RECORD).write_bytes(b"".join(recorded_match(preset("reference-trading"), 3, SEED)))
    number = _asked(_record("reference-trading"), "ChooseOffer", after=0)
    refused = run("fork", f"{RECORD}@{number}", "--redeal", "--others", "random")
    assert refused.status == 2
    assert "legal answers, and at most 100 are tried without being named: name some with --answers" in refused.err
    document = _document(run, f"{RECORD}@{number}", "--games", "2", "--answers", "no offer")
    assert document["questions"][0]["answers"][-1]["answer"] == "no offer"
