"""The built-in bots at play: legal answers under all rules, the same answers to the same questions, and which is stronger."""

import asyncio
from dataclasses import replace
from itertools import count
from pathlib import Path
from runpy import run_path

import pytest
from mergemaker_client import Bot
from mergemaker_client.bot import settled
from mergemaker_client.bots import make
from mergemaker_client.bots.planner import CANDIDATES_MAX, PlannerBot, Tally, candidates_of, thinking_ms
from mergemaker_client.turn import NO_CLOCK, Clock, MatchInfo, Turn
from mergemaker_engine.actions import Action, Buy, Place, StopPlay
from mergemaker_engine.deal import Chances, derived_seed
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_testkit.local_match import LocalMatch, play_local
from mergemaker_testkit.strategies import another_world

CLASSIC = preset("renegade-classic")
EXAMPLES = Path(__file__).parents[2] / "clients" / "python" / "examples"
SEEDS = [derived_seed(bytes(32), "bots", number) for number in range(40)]
# Play repeats from its seeds, so these are exact: wins of 25 games against three random players, of 4 against three greedy ones.
GREEDY_WINS = 25
PLANNER_WINS = 3


def answers_of(rules_name: str, bots: list[Bot], seed: bytes) -> list[Action]:
    """All answers of a match; the game itself refuses illegal ones."""
    answers: list[Action] = []
    play_local(PRESETS[rules_name], bots, seed, lambda _, answer: answers.append(answer))
    return answers


@pytest.mark.parametrize("rules_name", PRESETS)
def test_random_and_greedy_answer_legally_to_the_end_under_all_rules(rules_name: str) -> None:
    fewest = 3 if rules_name == "renegade-tycoon" else 2
    for number, seed in enumerate(SEEDS[:15]):
        seats = max(2 + number % 5, fewest)
        bots = [make("greedy" if seat + number % 2 else "random") for seat in range(seats)]
        result = play_local(PRESETS[rules_name], bots, seed)
        assert result.why in {"declared", "stuck"}
        assert {standing.seat for standing in result.standings} == set(range(seats))


@pytest.mark.slow
@pytest.mark.parametrize("rules_name", PRESETS)
def test_so_they_do_in_hundreds_of_games(rules_name: str) -> None:
    for number, name in zip(range(100), ("random", "greedy", "greedy") * 34, strict=False):
        seats = 3 + number % 4
        result = play_local(PRESETS[rules_name], [make(name) for _ in range(seats)], derived_seed(bytes(32), "many", number))
        assert len(result.standings) == seats


# Random play under trading rules makes very many offers, and each takes its time.
@pytest.mark.parametrize(
    "rules_name", ["renegade-tycoon", "avalon-hill-powers", pytest.param("reference-trading", marks=pytest.mark.slow)]
)
def test_planner_answers_legally_to_the_end(rules_name: str) -> None:
    result = play_local(PRESETS[rules_name], [make("planner:playouts=12"), make("greedy"), make("random")], SEEDS[1])
    assert result.why in {"declared", "stuck"}


@pytest.mark.parametrize("name", ["random", "greedy", "planner:playouts=12"])
@pytest.mark.parametrize("rules_name", ["renegade-classic", "avalon-hill"])
def test_a_match_repeats_from_its_seed(name: str, rules_name: str) -> None:
    first, second = (answers_of(rules_name, [make(name), make(name)], SEEDS[2]) for _ in range(2))
    assert first == second


def test_random_follows_its_nonce_and_greedy_does_not() -> None:
    turns: list[Turn] = []
    play_local(CLASSIC, [make("random") for _ in range(3)], SEEDS[3], lambda turn, _: turns.append(turn))

    def answers(name: str, nonce: bytes) -> list[Action | int]:
        given = [replace(turn, match=replace(turn.match, nonce=nonce)) for turn in turns]
        return [settled(turn, bot.answer(turn))[0] for bot in [make(name)] for turn in given if isinstance(bot, Bot)]

    ones, twos = bytes([1]) * 32, bytes([2]) * 32
    assert answers("random", ones) == answers("random", ones) != answers("random", twos)
    assert answers("greedy", ones) == answers("greedy", twos)


def test_random_declares_the_end_as_soon_as_it_may() -> None:
    seen = 0

    def watch(turn: Turn, answer: Action) -> None:
        nonlocal seen
        if turn.may_declare:
            seen += 1
            assert isinstance(answer, StopPlay) or (isinstance(answer, Place | Buy) and answer.declare)

    for seed in SEEDS[:6]:
        play_local(preset("corporations"), [make("random") for _ in range(3)], seed, watch)
    assert seen


@pytest.mark.parametrize("name", ["greedy", "planner:playouts=12"])
def test_what_a_view_hides_changes_no_answer(name: str) -> None:
    bots = [make(name) for _ in range(3)]
    match = LocalMatch(preset("avalon-hill"), bots, SEEDS[4])
    different = 0

    def watch(turn: Turn, answer: Action) -> None:
        nonlocal different
        if turn.number % 3:
            return  # every third question is enough
        twin = another_world(match.game, turn.seat, Chances(SEEDS[5], "twin"))
        different += twin.shares != match.game.shares or twin.hands != match.game.hands
        view = twin.view(turn.seat)
        effects = choice_effects(view)
        again = Turn(
            turn.match, turn.number, view, turn.decision, twin.legal(), turn.default, effects, turn.events, turn.events_seen
        )
        assert settled(again, bots[turn.seat].answer(again))[0] == answer

    match._watcher = watch
    match.play()
    assert different


def test_greedy_beats_three_randoms_in_nearly_every_game() -> None:
    wins = 0
    for number, seed in enumerate(SEEDS[:25]):
        seat = number % 4
        result = play_local(CLASSIC, [make("greedy" if other == seat else "random") for other in range(4)], seed)
        wins += result.standings[seat].place == 1
    assert wins == GREEDY_WINS


@pytest.mark.slow
def test_planner_wins_more_than_its_part_of_games_against_three_greedy_ones() -> None:
    wins = 0
    for number, seed in enumerate(SEEDS[:4]):
        seat = number % 4
        result = play_local(CLASSIC, [make("planner:playouts=80" if other == seat else "greedy") for other in range(4)], seed)
        wins += result.standings[seat].place == 1
    assert wins == PLANNER_WINS


def asked(clock: Clock = NO_CLOCK, time_left_ms: int | None = None, bank_ms: int | None = None) -> Turn:
    """A first question of a match, on this clock."""
    turns: list[Turn] = []
    play_local(CLASSIC, [make("greedy"), make("greedy")], SEEDS[6], lambda turn, _: turns.append(turn))
    return replace(turns[0], match=replace(turns[0].match, clock=clock), time_left_ms=time_left_ms, bank_ms=bank_ms)


@pytest.mark.parametrize(
    ("time_left_ms", "bank_ms", "thinks_ms"),
    [
        (None, None, 1_000),
        (10_100, 10_000, 160),
        (61_000, 60_000, 1_000),
        (300, 0, 180),
        (50, 50, 0),
        (20, 50, 0),
        (500, None, 300),
    ],
)
def test_planner_thinks_for_a_stated_part_of_its_time(time_left_ms: int | None, bank_ms: int | None, thinks_ms: int) -> None:
    assert thinking_ms(asked(time_left_ms=time_left_ms, bank_ms=bank_ms)) == thinks_ms


@pytest.mark.parametrize(("time_left_ms", "looks"), [(0, 2), (20_000, 13)])
def test_planner_stops_when_its_time_is_used_up_but_tries_one_world_at_least(time_left_ms: int, looks: int) -> None:
    ticks = count()
    taken: list[int] = []

    def now() -> float:
        taken.append(next(ticks))
        return taken[-1] / 12

    turn = asked(time_left_ms=time_left_ms, bank_ms=0)
    bot = PlannerBot(now=now)
    bot.on_start(turn.match)
    assert settled(turn, bot.answer(turn))[0] in turn.answers
    assert len(taken) == looks


def test_planner_tries_a_handful_of_answers_the_greedy_one_first() -> None:
    turns: list[Turn] = []
    play_local(CLASSIC, [make("random"), make("random")], SEEDS[7], lambda turn, _: turns.append(turn))
    for turn in turns:
        tried = candidates_of(turn)
        assert tried[0] == make("greedy").answer(turn)
        assert len(set(tried)) == len(tried) == min(CANDIDATES_MAX, len(turn.answers))


def test_planner_takes_what_did_best_if_it_did_so_by_more_than_chance() -> None:
    tally = Tally(3)
    assert tally.best() == 0
    tally.add([10, 40, 30])
    assert tally.best() == 0  # one world proves nothing
    tally.add([10, 15, 30])
    assert tally.best() == 2  # 40 in all, before 35; each is more than its error
    tally.add([10, 80, 0])
    assert tally.best() == 1  # 105 in all; the other's 30 do not exceed the root of its squares, 900


def test_planner_does_without_books_that_are_not_complete() -> None:
    bot = PlannerBot(playouts=12)
    assert play_local(preset("avalon-hill"), [make("greedy"), Late(bot)], SEEDS[8]).why in {"declared", "stuck"}


class Late(Bot):
    """A bot that missed the beginning, as after a restart."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def on_start(self, match: MatchInfo) -> None:
        self._bot.on_start(match)

    def answer(self, turn: Turn) -> Action | int:
        return settled(turn, self._bot.answer(turn))[0]


@pytest.mark.parametrize(
    ("file", "name"), [("first_bot", "FirstBot"), ("function_bot", "factory"), ("stateful_bot", "BookkeepingBot")]
)
@pytest.mark.parametrize("rules_name", PRESETS)
def test_the_examples_play_under_all_rules(file: str, name: str, rules_name: str) -> None:
    factory = run_path(str(EXAMPLES / f"{file}.py"))[name]
    for seed in SEEDS[:2]:
        result = play_local(PRESETS[rules_name], [factory(), make("random"), make("greedy")], seed)
        assert result.why in {"declared", "stuck"}


def test_the_async_example_answers_every_question_of_a_match() -> None:
    bot = run_path(str(EXAMPLES / "async_bot.py"))["ThoughtfulBot"]()
    turns: list[Turn] = []
    play_local(CLASSIC, [make("random"), make("greedy")], SEEDS[9], lambda turn, _: turns.append(turn))

    async def answer_all() -> list[Action | int]:
        return [settled(turn, await bot.answer(turn))[0] for turn in turns]

    answers = asyncio.run(answer_all())
    assert all(answer in turn.answers for turn, answer in zip(turns, answers, strict=True))
    assert any(answer != turn.default for turn, answer in zip(turns, answers, strict=True))
