"""`mergemaker simulate`: the counts, and a digest that is the same everywhere."""

import hashlib
import json
from collections.abc import Callable, Iterator

import pytest
from mergemaker_engine.deal import Deal
from mergemaker_engine.game import Game
from mergemaker_engine.rules import PRESETS, Rules, preset
from mergemaker_engine.wording import action_text
from mergemaker_tools import parallel, simulation
from mergemaker_tools.commands import simulate
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.simulation import BATCH_GAMES, Games, Task, batches_of, play_batch, play_batches, play_random_game

from tests.tools.conftest import Run

SEED_1 = "01".rjust(64, "0")
GAMES = 2 * BATCH_GAMES + 3
GOLDEN_DIGEST = "c997f8e4c69b244761e5581ca5451d4d60d4b1743b32f6369575308fbf388129"


def _simulated(run: Callable[..., Run], *arguments: str) -> dict[str, object]:
    played = run("simulate", *arguments, "--json")
    assert (played.status, played.err) == (0, "")
    document: dict[str, object] = json.loads(played.out)
    return document


def _without_times(document: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in document.items() if key not in ("cpu_seconds", "games_per_cpu_second")}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_digest_is_what_it_has_always_been(run: Callable[..., Run], jobs: str) -> None:
    played = _simulated(run, "--players", "3", "--games", str(GAMES), "--seed", "01", "--jobs", jobs)
    assert played["digest"] == GOLDEN_DIGEST
    assert played["games"] == GAMES
    assert played["seed"] == SEED_1


def test_processes_change_nothing_but_the_time(run: Callable[..., Run]) -> None:
    arguments = ("--games", str(BATCH_GAMES + 1), "--players", "2", "--seed", "ab", "--rules", "avalon-hill-powers")
    alone = _simulated(run, *arguments)
    assert _without_times(_simulated(run, *arguments, "--jobs", "2")) == _without_times(alone)


# --- the digest again, from engine/DEAL.md and tools/README.md ------------------------------------------


def _words(seed: bytes, label: bytes) -> Iterator[int]:
    block = 0
    while True:
        digest = hashlib.sha256(seed + label + block.to_bytes(4, "big")).digest()
        yield from (int.from_bytes(digest[at : at + 2], "big") for at in range(0, 32, 2))
        block += 1


def _below(words: Iterator[int], n: int) -> int:
    return next(word % n for word in words if word < 65_536 - 65_536 % n)


def _line(rules: Rules, players: int, seed: bytes, number: int) -> bytes:
    game_seed = hashlib.sha256(seed + b"game" + number.to_bytes(4, "big")).digest()
    words = _words(game_seed, b"play")
    game = Game(rules, players, Deal.from_seed(game_seed))
    told: list[str] = []
    while game.decision is not None:
        texts = {action_text(action, rules): action for action in game.legal()}
        choice = [text for text in texts if text == "stop" or text.endswith(" end")]
        if not choice or game.declared:
            choice = list(texts)
        told.append(choice[_below(words, len(choice))] if len(choice) > 1 else choice[0])
        game.apply(texts[told[-1]])
    assert game.result is not None
    return f"{number};{'|'.join(told)};{','.join(map(str, game.result.cash))}\n".encode()


@pytest.mark.parametrize(("name", "players"), [("renegade-classic", 4), ("avalon-hill", 2)])
def test_the_digest_is_computed_as_documented(run: Callable[..., Run], name: str, players: int) -> None:
    seed = hashlib.sha256(b"any seed").digest()
    games = b"".join(hashlib.sha256(_line(preset(name), players, seed, number)).digest() for number in range(7))
    played = _simulated(run, "--games", "7", "--players", str(players), "--rules", name, "--seed", seed.hex())
    assert played["digest"] == hashlib.sha256(games).hexdigest()


# --- counts -------------------------------------------------------------------------------------------------


def test_the_counts_are_those_of_the_games(run: Callable[..., Run]) -> None:
    task = Task(preset("corporations"), 3, bytes(32))
    games = [play_random_game(task, number) for number in range(10)]
    results = [simulation.result_of(game) for game, _ in games]
    played = _simulated(run, "--players", "3", "--games", "10", "--rules", "corporations", "--seed", "0")
    assert played["rules"] == "corporations"
    assert played["fingerprint"] == preset("corporations").fingerprint()
    assert played["players"] == 3
    assert played["decisions"] == sum(len(answers) for _, answers in games)
    assert played["turns"] == sum(game.turn for game, _ in games)
    assert played["ends"] == {"declared": 10}
    money = [sum(result.cash[seat] for result in results) / 10 for seat in range(3)]
    assert played["money_mean_by_seat"] == money
    assert played["wins_by_seat"] == [sum(result.places[seat] == 1 for result in results) for seat in range(3)]
    speed = played["games_per_cpu_second"]
    assert isinstance(speed, float)
    assert speed > 0


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_simulated(run: Callable[..., Run], name: str) -> None:
    assert _simulated(run, "--games", "1", "--players", "3", "--rules", name, "--seed", "1")["games"] == 1


def test_a_knob_makes_another_game(run: Callable[..., Run]) -> None:
    arguments = ("--games", "3", "--seed", "1", "--players", "3")
    changed = _simulated(run, *arguments, "--set", "bonus_chart=three-holders", "--set", "dead_tiles=forced")
    assert changed["rules"] == "renegade-tycoon dead_tiles=forced"
    assert changed["digest"] != _simulated(run, *arguments)["digest"]


def test_the_screen_shows_the_counts_the_seed_and_the_digest(run: Callable[..., Run]) -> None:
    digest = _simulated(run, "--games", "2", "--seed", "0A")["digest"]
    shown = run("simulate", "--games", "2", "--seed", "0A")
    assert (shown.status, shown.err) == (0, "")
    assert f"seed   {'a'.rjust(64, '0')}\ndigest {digest}\n" in shown.out
    assert "games that ended: declared" in shown.out


def test_without_a_seed_it_is_fresh_and_shown(run: Callable[..., Run]) -> None:
    seeds = {str(_simulated(run, "--games", "1", "--players", "2")["seed"]) for _ in range(2)}
    assert len(seeds) == 2
    assert {len(seed) for seed in seeds} == {64}
    seed = seeds.pop()
    assert _simulated(run, "--games", "1", "--players", "2", "--seed", seed)["seed"] == seed


def test_batches_are_all_games_in_order() -> None:
    games = [number for first, count in batches_of(GAMES) for number in range(first, first + count)]
    assert games == list(range(GAMES))


# --- failures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--players", "1"), "--players: takes a whole number from 2 to 6, not '1'"),
        (("--players", "7"), "--players: takes a whole number from 2 to 6, not '7'"),
        (("--players", "two"), "not 'two'"),
        (("--games", "0"), "--games: takes a whole number from 1 to 4,294,967,296, not '0'"),
        (("--games", "-5"), "--games"),
        (("--games", "4294967297"), "not '4294967297'"),
        (("--games", "9" * 5_000), "takes a whole number"),
        (("--games", "²"), "not '²'"),
        (("--jobs", "0"), "--jobs: takes a whole number from 1 to 256, not '0'"),
        (("--seed", "xyz"), "hexadecimal digits, as in --seed 0a1b, not 'xyz'"),
        (("--seed", ""), "hexadecimal digits"),
        (("--seed", "0" * 65), "takes 1 to 64 hexadecimal digits"),
        (("--seed", "0x1"), "hexadecimal digits"),
        (("--rules", "Tycoon"), "there is no preset 'Tycoon'; did you mean renegade-tycoon"),
        (("--rules", "renegade-tycoon", "--players", "2"), "SET-6"),
        (("--set", "assets=none"), "the knob assets takes open, hidden"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("simulate", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_ctrl_c_says_how_far_it_got(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(task: Task, batches: Iterator[Games], _jobs: int) -> Iterator[simulation.Batch]:
        yield play_batch(task, *next(batches))
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "play_batches", interrupted)
    stopped = run("simulate", "--games", "1000", "--seed", "1", "--json")
    assert (stopped.status, stopped.out) == (130, "")
    assert f"interrupted after {BATCH_GAMES} of 1,000 games; the seed is {SEED_1}" in stopped.err


def test_a_game_without_end_is_a_failure(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "ANSWERS_MAX", 20)
    failed = run("simulate", "--games", "1", "--seed", "1")
    assert failed.status == 1
    assert f"game 0 of seed {SEED_1} does not end within 20 answers" in failed.err


def test_a_process_that_dies_is_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    seven = Task(preset("renegade-classic"), 7, bytes(32))
    with pytest.raises(CommandFailed, match=r"a process ended in the middle of games [0-9]+ to [0-9]+: .*try --jobs 1"):
        list(play_batches(seven, batches_of(GAMES), 2))
    assert "2 to 6 seats can play" in capfd.readouterr().err


def test_a_process_that_is_stuck_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "RESULT_LIMIT_S", 0)
    with pytest.raises(
        CommandFailed, match="nothing was finished within 0 s, and games 0 to 99999 is the first that is missing: try --jobs 1"
    ):
        list(play_batches(Task(preset("renegade-classic"), 4, bytes(32)), [Games(0, 100_000)], 2))
