"""Random games by number: plays them, counts batches, and makes the digest to check them by.

Everything but the time follows from the task alone: it is the same on every machine, with every Python, and in any number
of processes.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.game import Game, Result
from mergemaker_engine.playout import draw_answer
from mergemaker_engine.rules import Rules
from mergemaker_engine.wording import action_text

from mergemaker_tools.problems import CommandFailed

GAMES_MAX: Final = 2**32
"""Games are numbered in four bytes (`engine/DEAL.md`)."""
BATCH_GAMES: Final = 25
"""Games that are played and counted at a time: the most that an interruption loses in each process."""
ANSWERS_MAX: Final = 100_000
"""Answers in one game. A random game has a few hundred; more than this many mean a bug."""
_NANOSECONDS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Task:
    """What is simulated."""

    rules: Rules
    players: int
    seed: bytes


class Games(NamedTuple):
    """Games with consecutive numbers."""

    first: int
    how_many: int

    def __str__(self) -> str:
        return f"games {self.first} to {self.first + self.how_many - 1}"


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of games with consecutive numbers."""

    games: int
    decisions: int
    turns: int
    cpu_seconds: float
    """Of playing alone: set-up, legal answers, applying them, events."""
    digests: bytes
    """Those of the games, one after the other."""
    ends: Counter[str]
    """How many games ended by each reason."""
    money: tuple[int, ...]
    """By seat: the money of all games together."""
    wins: tuple[int, ...]
    """By seat: the games in which it was first, alone or with others."""


def play_random_game(task: Task, number: int) -> tuple[Game, list[Action]]:
    """Plays the game with a number to its end; returns it and all its answers."""
    seed = derived_seed(task.seed, "game", number)
    game = Game(task.rules, task.players, Deal.from_seed(seed))
    stream = Chances(seed, "play")
    answers: list[Action] = []
    while game.decision is not None:
        if len(answers) == ANSWERS_MAX:
            where = f"game {number} of seed {task.seed.hex()}"
            raise CommandFailed(f"{where} does not end within {ANSWERS_MAX:,} answers: please report it")
        answer = draw_answer(game, stream)
        game.apply(answer)
        answers.append(answer)
    return game, answers


def result_of(game: Game) -> Result:
    """How a game that was played to its end has ended."""
    result = game.result
    if result is None:
        raise AssertionError(f"a game that is over has a result, and this one asks {game.decision}")
    return result


def game_line(rules: Rules, number: int, answers: list[Action], cash: tuple[int, ...]) -> str:
    """A whole game in one line for the digest: number, answers and money."""
    texts = "|".join(action_text(answer, rules) for answer in answers)
    return f"{number};{texts};{','.join(map(str, cash))}\n"


def play_batch(task: Task, first: int, count: int) -> Batch:
    """Plays the games `first`, `first + 1`, … and counts; only playing is timed."""
    began = time.process_time_ns()
    played = [play_random_game(task, number) for number in range(first, first + count)]
    cpu_seconds = (time.process_time_ns() - began) / _NANOSECONDS
    digests: list[bytes] = []
    money = [0] * task.players
    wins = [0] * task.players
    ends: Counter[str] = Counter()
    for number, (game, answers) in enumerate(played, first):
        result = result_of(game)
        digests.append(hashlib.sha256(game_line(task.rules, number, answers, result.cash).encode("ascii")).digest())
        ends[str(result.reason)] += 1
        for seat in range(task.players):
            money[seat] += result.cash[seat]
            wins[seat] += result.places[seat] == 1
    return Batch(
        games=count,
        decisions=sum(len(answers) for _, answers in played),
        turns=sum(game.turn for game, _ in played),
        cpu_seconds=cpu_seconds,
        digests=b"".join(digests),
        ends=ends,
        money=tuple(money),
        wins=tuple(wins),
    )


def batches_of(games: int) -> Iterator[Games]:
    """The games of each batch."""
    for first in range(0, games, BATCH_GAMES):
        yield Games(first, min(BATCH_GAMES, games - first))


def play_batches(task: Task, batches: Iterable[Games], jobs: int) -> Generator[Batch]:
    """Plays batches in this many processes (this one, if one) and yields what came of them, in their order."""
    # Slow to import, and what plays single games does without it.
    from mergemaker_tools.parallel import in_order  # noqa: PLC0415 - as said

    return in_order(partial(_play, task), batches, jobs, "try --jobs 1")


def _play(task: Task, games: Games) -> Batch:
    return play_batch(task, games.first, games.how_many)


class Tally:
    """Batches in the order of their games, added up."""

    def __init__(self, players: int) -> None:
        self.games = 0
        self.decisions = 0
        self.turns = 0
        self.cpu_seconds = 0.0
        self.ends: Counter[str] = Counter()
        self.money = [0] * players
        self.wins = [0] * players
        self._digest = hashlib.sha256()

    def add(self, batch: Batch) -> None:
        """Adds the next batch."""
        self.games += batch.games
        self.decisions += batch.decisions
        self.turns += batch.turns
        self.cpu_seconds += batch.cpu_seconds
        self.ends += batch.ends
        self.money = [one + other for one, other in zip(self.money, batch.money, strict=True)]
        self.wins = [one + other for one, other in zip(self.wins, batch.wins, strict=True)]
        self._digest.update(batch.digests)

    @property
    def digest(self) -> str:
        """SHA-256 over the digests of all games, in hexadecimal digits."""
        return self._digest.hexdigest()

    @property
    def games_per_cpu_second(self) -> float:
        """How many games were played in a second of one processor."""
        return self.games / self.cpu_seconds if self.cpu_seconds else 0.0
