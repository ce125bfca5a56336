"""What is measured: pieces of work by name, each prepared once and then run by number.

The same number is the same work.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from mergemaker_engine.board import LETTERS, NUMBERS
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.playout import draw_answer, play_out
from mergemaker_engine.rules import preset
from mergemaker_tools.simulation import Task, play_random_game

Work = Callable[[int], int]
"""Does the piece of work with a number; returns how many units that was."""

PLAYERS: Final = 4
SEED: Final = bytes(32)
RULES: Final = preset("renegade-classic")
TASK: Final = Task(RULES, PLAYERS, SEED)

COPIED_POSITIONS: Final = 32
_ANSWERS_BETWEEN: Final = 5
"""Positions to copy are this many answers apart, from the first to the 155th: nearly a whole game."""

PURSES: Final = range(400, 3_000, 100)
"""The cash with which purchases are listed: enough for one share, and never for any three."""
# Sizes 2 to 8, apart from each other; a digit is the number of a chain.
_SEVEN_CHAINS: Final = (
    "00.11111111.",
    "............",
    "222.3333333.",
    "............",
    "4444.555555.",
    "............",
    "66666.......",
)
_SHARES_OUT_MAX: Final = 15


def prepare_games() -> Work:
    """Whole games through `legal()` and the checked `apply()`, with events. The units are decisions."""

    def work(number: int) -> int:
        _, answers = play_random_game(TASK, number)
        return len(answers)

    return work


def prepare_playouts() -> Work:
    """Playouts from a new game, its set-up included. The units are playouts."""

    def work(number: int) -> int:
        seed = derived_seed(SEED, "game", number)
        play_out(Game(RULES, PLAYERS, Deal.from_seed(seed)), Chances(seed, "play"))
        return 1

    return work


def prepare_copies() -> Work:
    """Copies of positions from a whole game. The units are copies."""
    game = Game(RULES, PLAYERS, Deal.from_seed(SEED))
    stream = Chances(SEED, "play")
    positions: list[Game] = []
    while len(positions) < COPIED_POSITIONS:
        positions.append(game.copy())
        for _ in range(_ANSWERS_BETWEEN):
            if game.decision is not None:
                game.apply(draw_answer(game, stream))

    def work(_number: int) -> int:
        for position in positions:
            position.copy()
        return len(positions)

    return work


def prepare_deals() -> Work:
    """Deals from seeds. The units are deals."""
    seeds = [derived_seed(SEED, "game", number) for number in range(COPIED_POSITIONS)]

    def work(_number: int) -> int:
        for seed in seeds:
            Deal.from_seed(seed)
        return len(seeds)

    return work


def prepare_purchases(purses: Sequence[int] = PURSES) -> Work:
    """Lists of purchases with seven chains and little cash. The units are lists."""
    positions = [purchase_position(cash) for cash in purses]

    def work(_number: int) -> int:
        for position in positions:
            position.legal()
        return len(positions)

    return work


def purchase_position(cash: int) -> Game:
    """A purchase to be made with this cash: seven chains of different sizes, 10 to 25 shares left of each."""
    names = RULES.chain_names
    rows = [
        f"{LETTERS[row]} {''.join(names[int(mark)][0] if mark.isdigit() else mark for mark in marks)}"
        for row, marks in enumerate(_SEVEN_CHAINS)
    ]
    purse = cash // 100
    out = [(purse * (chain + 3) + 5 * chain) % (_SHARES_OUT_MAX + 1) for chain in range(len(names))]
    shares = " ".join(f"{name[0]}{count}" for name, count in zip(names, out, strict=True) if count)
    hand = " ".join(f"{number}{LETTERS[-1]}" for number in range(1, NUMBERS, 2))
    lines = [
        *("seats 4", "turn 60 seat 0", "board", *rows),
        f"seat 0 cash {cash} tiles {hand}",
        f"seat 1 shares {shares}" if shares else "seat 1",
        *(
            "moved yes",
            "agenda ChoosePurchase seat=0 terms=usual; DrawTiles; ChooseExchange seat=0; PassTurn",
        ),
    ]
    return parse_position("\n".join(lines))


WORKLOADS: Final[Mapping[str, Callable[[], Work]]] = MappingProxyType(
    {
        "games": prepare_games,
        "playouts": prepare_playouts,
        "copies": prepare_copies,
        "deals": prepare_deals,
        "purchases": prepare_purchases,
        **{f"purchases-{cash}": partial(prepare_purchases, [cash]) for cash in PURSES},
    }
)
"""By name; `purchases-400` is the one list with $400."""
