"""`mergemaker duel`: what it decides and when, what it shows and refuses, and its exit status."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from mergemaker_client import Answer, Turn
from mergemaker_client.bots.greedy import GreedyBot
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_contest.designs import Design
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import Question, Verdict
from mergemaker_contest.stopping import PILOT_BLOCKS, Stopped
from mergemaker_engine.record.lines import Ending, Status
from mergemaker_engine.record.standings import Thinking
from mergemaker_engine.rules import preset
from mergemaker_processes.bot_names import BuiltInBot
from mergemaker_table.evidence import AtFault
from mergemaker_table.terms import CLOCKS
from mergemaker_tools.contests import duel_running
from mergemaker_tools.contests.duel_options import POINTS
from mergemaker_tools.contests.duel_running import DuelBroken, DuelWatcher, run_duel
from mergemaker_tools.contests.duel_shown import difference_text, matches_left
from mergemaker_tools.contests.dueling import Duel, DuelPlan
from mergemaker_tools.contests.playing.blocks import (
    BlockPlayed,
    BlockProblem,
    Entrant,
    MatchPlayed,
    PlayTerms,
    SeatFault,
    SeatPlayed,
    Trouble,
)

from tests.tools.conftest import Run

HERE: Final = "tests.tools.test_duel"
FAST: Final = ("--seats", "2", "--seed", "01", "--jobs", "1")


class Failing(RandomBot):
    """Fails at every question, as a bot that is broken does."""

    def answer(self, _: Turn) -> Answer:
        raise LookupError("no such idea")


class Interrupting(GreedyBot):
    """Presses Ctrl-C in its third match."""

    matches = 0

    def __init__(self) -> None:
        Interrupting.matches += 1
        if Interrupting.matches == 3:
            raise KeyboardInterrupt


# --- what is decided, by blocks of known scores ---


def plan_of(design: Design = Design.MIRROR, field: Sequence[str] = (), difference: float = 0.02) -> DuelPlan:
    bots = tuple(Entrant(name, BuiltInBot(name)) for name in ("a", "b", *field))
    return DuelPlan(
        contest="duel",
        terms=PlayTerms(bots=bots, rules=preset("renegade-classic"), clock=CLOCKS["standard"]),
        design=design,
        seats=4,
        score=Score.SHARE,
        question=Question(difference=difference),
        seed=bytes(32),
    )


def block_of(
    plan: DuelPlan, number: int, points: float, faults: tuple[SeatFault, ...] = (), status: Status = Status.FINISHED
) -> BlockPlayed:
    """A block in which A's seats have this many points more than B's, and A has these faults."""
    block = plan.block(number)
    matches = []
    for index, seating in enumerate(block.seatings):
        cash = [round(100_000 * (0.25 + (points / 200 if bot == 0 else -points / 200 if bot == 1 else 0))) for bot in seating]
        seats = tuple(
            SeatPlayed(
                bot=bot,
                cash=money,
                place=1 + sum(other > money for other in cash),
                status=status if bot == 0 else Status.FINISHED,
                faults=faults if bot == 0 else (),
                thinking=Thinking(),
                complaint="LookupError" if bot == 0 and faults else "",
            )
            for bot, money in zip(seating, cash, strict=True)
        )
        match = MatchPlayed(match=block.match_id(index), why=Ending.DECLARED, turns=50, seats=seats, game="", record=None)
        matches.append(match)
    return BlockPlayed(block=block, matches=tuple(matches))


def duel_of(plan: DuelPlan, points: Callable[[int], float], blocks: int) -> Duel:
    """A duel after this many blocks, or when it has ended."""
    duel = Duel(plan)
    for number in range(blocks):
        if duel.add(block_of(plan, number, points(number)), number + 1.0) is not None:
            break
    return duel


def around(mean: float, spread: float) -> Callable[[int], float]:
    return lambda number: mean + (spread if number % 2 else -spread)


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [(2.5, Verdict.BETTER), (-2.5, Verdict.WORSE), (0.0, Verdict.NO_DIFFERENCE)],
)
def test_a_verdict_ends_a_duel_after_its_pilot(mean: float, verdict: Verdict) -> None:
    duel = duel_of(plan_of(), around(mean, 2.0), 500)
    assert (duel.stop, duel.answer) == (Stopped.VERDICT, verdict)
    assert PILOT_BLOCKS <= duel.blocks < 60
    assert duel.mean * POINTS == pytest.approx(mean, abs=0.2)
    assert duel.score_of(0) - duel.score_of(1) == pytest.approx(duel.mean)


def test_a_precision_ends_a_duel_whatever_the_test_says() -> None:
    plan = replace(plan_of(), precision=0.005)
    duel = duel_of(plan, around(2.5, 2.0), 5_000)
    assert (duel.stop, duel.answer) == (Stopped.PRECISION, Verdict.BETTER)
    assert duel.interval is not None
    assert duel.interval.half_width <= 0.005
    assert duel.blocks > 60
    assert duel_of(plan, around(0.0, 2.0), 5_000).answer is Verdict.NO_DIFFERENCE
    assert duel_of(plan, around(-2.5, 2.0), 5_000).answer is Verdict.WORSE


def test_a_budget_ends_a_duel_without_a_verdict() -> None:
    by_matches = duel_of(replace(plan_of(), matches_max=7), around(2.5, 2.0), 500)
    assert (by_matches.stop, by_matches.blocks, by_matches.answer) == (Stopped.MATCHES, 3, Verdict.OPEN)
    by_time = duel_of(replace(plan_of(), seconds_max=5.0), around(2.5, 2.0), 500)
    assert (by_time.stop, by_time.blocks) == (Stopped.MINUTES, 5)


def test_nothing_is_said_with_plus_minus_before_the_pilot_is_over() -> None:
    early, late = (duel_of(plan_of(), around(1.0, 4.0), blocks) for blocks in (PILOT_BLOCKS - 1, PILOT_BLOCKS))
    assert (early.interval, "±" in difference_text(early)) == (None, False)
    assert (late.interval is None, "±" in difference_text(late)) == (False, True)


def test_the_matches_that_are_left_are_those_of_the_nearest_end() -> None:
    duel = duel_of(plan_of(), around(1.0, 6.0), PILOT_BLOCKS)
    expected = duel.matches_expected()
    assert matches_left(duel, 10.0) == expected - 2 * PILOT_BLOCKS > 0
    assert matches_left(duel_of(plan_of(), around(1.0, 6.0), 3), 10.0) is None
    assert matches_left(duel_of(replace(plan_of(), matches_max=100), around(1.0, 6.0), 3), 10.0) == 94
    assert matches_left(duel_of(replace(plan_of(), seconds_max=20.0), around(1.0, 6.0), 3), 10.0) == 6
    precise = duel_of(replace(plan_of(), precision=0.001), around(1.0, 6.0), PILOT_BLOCKS)
    assert (matches_left(precise, 10.0) or 0) > 10_000


def test_blocks_repeat_and_each_has_its_own_deal() -> None:
    plan = plan_of(Design.EXCHANGE, ["c", "d"])
    assert plan.block(5) == plan_of(Design.EXCHANGE, ["c", "d"]).block(5)
    assert len({plan.block(number).seed for number in range(50)}) == 50
    assert {bot for number in range(6) for seating in plan.block(number).seatings for bot in seating} == {0, 1, 2, 3}


# --- what goes wrong, by blocks of known troubles ---


def run_with(monkeypatch: pytest.MonkeyPatch, results: Callable[[DuelPlan], Sequence[object]]) -> Duel:
    """Runs a duel in which these blocks are played."""
    plan = plan_of()

    def play(*_: object, **__: object) -> object:
        yield from results(plan)

    monkeypatch.setattr(duel_running, "play_blocks", play)
    duel = Duel(plan)
    run_duel(duel, 1, fast=True, watcher=DuelWatcher(), now_s=iter(range(1_000)).__next__)
    return duel


def test_a_bot_that_is_given_up_in_every_match_ends_the_duel(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = SeatFault(AtFault.BOT, "default: resigned", 1)
    with pytest.raises(DuelBroken, match=r"the bot a was given up in every match so far, 6 of them(.|\n)*LookupError"):
        run_with(monkeypatch, lambda plan: [block_of(plan, number, 0.0, (fault,), Status.RESIGNED) for number in range(9)])


def test_a_block_that_cannot_be_played_ends_the_duel_and_ctrl_c_does(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of()
    full = BlockProblem(block=plan.block(1), trouble=Trouble.DISK, text="cannot write records: no room")
    with pytest.raises(DuelBroken, match="no room"):
        run_with(monkeypatch, lambda plan: [block_of(plan, 0, 0.0), full])
    left = replace(full, trouble=Trouble.INTERRUPTED)
    assert run_with(monkeypatch, lambda plan: [block_of(plan, 0, 0.0), left]).stop is Stopped.INTERRUPTED


# --- the command ---


def test_a_duel_is_decided_and_shown(run: Callable[..., Run]) -> None:
    played = run("duel", "greedy", "random", *FAST, "--records", "r")
    assert played.status == 0
    head, *_ = played.out.splitlines()
    assert head == "greedy against random, mirror tables of 2, renegade-classic"
    assert "verdict: greedy is better than random\n" in played.out
    assert "% at every look" in played.out.replace(",", "")
    assert "matches to see a difference of 2 points" in played.err
    repeat = played.out.splitlines()[-1]
    assert repeat == f"repeat with: mergemaker duel greedy random --seats 2 --seed {'1'.rjust(64, '0')}"
    checked = run("verify", "r")
    assert checked.status == 0, checked.out
    assert len(list(Path("r").iterdir())) == int(played.out.split("played: ")[1].split()[0])


def test_the_worse_bot_gets_status_1_and_the_document_says_all(run: Callable[..., Run]) -> None:
    played = run("duel", "random", "greedy", *FAST, "--json")
    document = json.loads(played.out)
    assert (played.status, played.err, document["verdict"], document["stop"]) == (1, "", "worse", "verdict")
    assert document["difference"]["high"] < 0
    blocks = document["played"]
    assert len(blocks) == document["blocks"] == document["matches"] / 2
    assert [match["bots"] for match in blocks[0]["matches"]] == [[0, 1], [1, 0]]
    assert sum(block["difference"] for block in blocks) / len(blocks) == pytest.approx(document["difference"]["mean"])


def test_an_exchange_among_a_field_and_a_budget(run: Callable[..., Run]) -> None:
    played = run("duel", "greedy", "random", "--seed", "01", "--jobs", "1", "--seats", "3", "--matches", "4", "--field", "random")
    assert (played.status, "verdict: these matches do not tell them apart" in played.out) == (2, True)
    assert "an exchange at tables of 3" in played.out
    assert "±" not in played.out
    assert "random (2) and random are the same bot" in played.err
    assert "played: 4 matches in 2 blocks" in played.out


def test_faults_are_told_and_whose_they_were(run: Callable[..., Run]) -> None:
    played = run("duel", "greedy", f"{HERE}:Failing", *FAST, "--matches", "2")
    assert "failed (its own)" in played.out
    assert "LookupError: no such idea" in played.out
    assert "0000000001 --matches" not in played.out


def test_ctrl_c_shows_what_is_known(run: Callable[..., Run]) -> None:
    Interrupting.matches = 0
    played = run("duel", f"{HERE}:Interrupting", "random", *FAST)
    assert (played.status, "played: 2 matches in 1 blocks" in played.out) == (130, True)
    assert played.err.endswith("interrupted after 2 matches\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("greedy",), "the following arguments are required: B"),
        (("greedy", "greddy"), "did you mean greedy"),
        (("greedy", "human"), "plays one match at a time"),
        (("greedy", "random", "--score", "wins"), "takes one of share, place, win, not 'wins'"),
        (("greedy", "random", "--difference", "0"), "takes points, a number above 0"),
        (("greedy", "random", "--difference", "nan"), "takes points, a number above 0"),
        (("greedy", "random", "--precision", "-1"), "takes points, a number above 0"),
        (("greedy", "random", "--alpha", "0.7"), "alpha is an error rate between 0 and 0.5"),
        (("greedy", "random", "--matches", "1"), "a block has 2 matches, so this plays none"),
        (("greedy", "random", "--matches", "0"), "takes a whole number from 1"),
        (("greedy", "random", "--minutes", "inf"), "takes a number of minutes above 0"),
        (("greedy", "random", "--seats", "7"), "takes a whole number from 2 to 6"),
        (("greedy", "random", "--design", "exchange"), "name at least one bot for the others"),
        (("greedy", "random", "--design", "mirror", "--field", "greedy"), "leave out the field, or use exchange"),
        (("greedy", "random", "--seats", "2", "--field", "greedy"), "there is no room for a field"),
        (("greedy", "python3 -V", "--play", "fast"), "is a program of its own: leave it out"),
        (("greedy", f"{HERE}:Nobody"), "has no Nobody"),
    ],
)
def test_what_cannot_be_played_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], message: str) -> None:
    refused = run("duel", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err


def test_a_bot_that_does_not_start_gives_no_answer(run: Callable[..., Run]) -> None:
    Path("broken.py").write_text("raise SystemExit('no model')", "utf-8")
    refused = run("duel", "greedy", "broken.py", *FAST)
    assert (refused.status, refused.out) == (2, "")
    assert "no model" in refused.err


def test_two_files_of_one_name_are_told_apart(run: Callable[..., Run]) -> None:
    text = "from mergemaker_client.bots.random_bot import RandomBot\n\nclass Mine(RandomBot):\n    pass\n"
    for folder in ("old", "new"):
        Path(folder).mkdir()
        Path(folder, "bot.py").write_text(text, "utf-8")
    played = run("duel", "new/bot.py", "old/bot.py", *FAST, "--matches", "2", "--play", "fast")
    assert played.out.startswith("new/bot.py against old/bot.py, ")
