"""No bot is blamed for what it did not do, on an overloaded machine.

CI plays 300 games (`CHAOS=full`), `python -m tests.chaos.false_faults` any number.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_referee.rpc.starvation import Starvation

from tests.chaos.charging_server import PROGRAM
from tests.chaos.false_faults import GAMES_PER_CORE, Game, Tally, Thoughts, find_false_faults, judge
from tests.chaos.shares import full_only
from tests.chaos.thinking_log import busy_near_ns

pytestmark = pytest.mark.checkout

GAMES: Final = 300
AT_ONCE: Final = GAMES_PER_CORE * (os.cpu_count() or 1)


@pytest.mark.larger
@full_only
@pytest.mark.slow
def test_no_fault_is_false(tmp_path: Path) -> None:
    tally = find_false_faults(tmp_path, GAMES, at_once=AT_ONCE, tell=print)
    print(tally)
    assert len(tally.games) == GAMES
    assert tally.total("decisions") > GAMES * 50
    assert tally.report() == 0


@pytest.mark.larger
@full_only
@pytest.mark.slow
def test_a_charge_for_nothing_is_found(tmp_path: Path) -> None:
    # One game after another: a process that plays several is busy with them, which counts as held up, and hides a charge.
    tally = find_false_faults(tmp_path, 8, at_once=1, tell=print, program=PROGRAM)
    assert tally.total("false") > 0
    assert tally.report() == 1
    # The games are kept, so that somebody can look at them, and an interrupted run can continue.
    again = find_false_faults(tmp_path, 8, at_once=1, tell=print, program=PROGRAM)
    assert again.games == tally.games


def _line(by: AnsweredBy, used_ms: int, seat: int = 0) -> dict[str, Any]:
    return {"kind": "decision", "seat": seat, "by": by, "run": {"used_ms": used_ms}}


@pytest.mark.parametrize(
    ("thought_ms", "held_up_ms", "by", "found"),
    [
        (101, 0, AnsweredBy.TIMEOUT, "thought"),
        (60, 45, AnsweredBy.TIMEOUT, "held_up"),
        (60, 30, AnsweredBy.TIMEOUT, "false"),
        (100, 0, AnsweredBy.TIMEOUT, "false"),
        (0, 0, AnsweredBy.DISCONNECTED, "false"),
        (500, 0, AnsweredBy.DISCONNECTED, "false"),
        (500, 0, AnsweredBy.ILLEGAL, "false"),
    ],
)
def test_whose_a_fault_is(thought_ms: int, held_up_ms: int, by: AnsweredBy, found: str) -> None:
    log = Thoughts({"1": 3_000, "2": thought_ms * 1_000}, {"2": held_up_ms * 1_000}, [2])
    # Questions that were not asked have no number among the bot's decisions.
    lines = [_line(AnsweredBy.BOT, 4), _line(AnsweredBy.AUTOMATIC, 0), _line(by, 100), {"kind": "end"}]
    game = judge(7, lines, {0: log})
    assert (game.number, game.decisions, game.faults) == (7, 2, 1)
    assert {name: getattr(game, name) for name in ("thought", "held_up", "false") if getattr(game, name)} == {found: 1}
    assert game.uncovered_ms_max == pytest.approx(max(1, 100 - thought_ms - held_up_ms))


def test_the_games_of_an_interrupted_run_count(tmp_path: Path) -> None:
    Tally(tmp_path).add(Game(number=0, decisions=200, faults=1, false=1, kept="x"))
    tally = Tally(tmp_path)
    assert [json.loads(line)["number"] for line in (tmp_path / "games.jsonl").read_text("utf-8").splitlines()] == [0]
    assert tally.games == [Game(number=0, decisions=200, faults=1, false=1, kept="x")]
    assert str(tally).startswith("false faults: 1 (1 games, 200 decisions, 1 faults")


def test_a_process_that_waits_cannot_see_a_question_come_nor_have_its_answer_leave(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    told, now = tmp_path / "7" / "schedstat", 0
    told.write_text("5 0 1\n")
    starvation = Starvation(lambda: now, tmp_path, frozenset)
    # How long the thread has waited in all by each time: 30 ms before the question is seen at 500 ms, 7 ms during thinking,
    # 20 ms right after the answer at 550 ms, and more long after it.
    for at_ms, waited_ms in ((10, 5), (480, 35), (520, 42), (700, 62), (900, 99)):
        now = at_ms * 1_000_000
        told.write_text(f"5 {waited_ms * 1_000_000} 1\n")
        starvation.look()
    assert busy_near_ns(starvation, 500_000_000, 550_000_000) == 50_000_000
    starvation.close()
