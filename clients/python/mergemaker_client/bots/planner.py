"""The bot `planner`: plays possible continuations of the game, and takes the answer that did best in them.

`greedy`'s scores pick a handful of answers. Then worlds are made up that agree with what the seat knows. In each world
every one of these answers is tried, with the same deal, and the game is played to its end with random answers. The bot takes
the answer with the largest mean share of all money, if it beats `greedy`'s answer by more than chance explains.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import SEED_BYTES, Chances, derived_seed
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.determinise import determinise
from mergemaker_engine.errors import ViewError
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.playout import play_out
from mergemaker_engine.views import View

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.bots.greedy import scores_of
from mergemaker_client.errors import BotError
from mergemaker_client.turn import MatchInfo, Turn

PLAYOUTS_MAX: Final = 1_000_000
CANDIDATES_MAX: Final = 6
THINKING_MS_MAX: Final = 1_000
"""For one answer, however much time there is, even without a limit."""
ALLOWANCE_PER_CENT: Final = 60
"""The part of the free time for each decision that is used. The rest is for the round trip."""
BANK_PARTS: Final = 100
"""One answer takes at most this part of the bank: a match usually has fewer questions to a seat."""
SHARE_UNIT: Final = 1_000_000
"""Money is compared in millionths of all money, in whole numbers, so that equal play repeats on every machine."""


class Tally:
    """How much better than the first candidate each one did, world by world."""

    def __init__(self, candidates: int) -> None:
        self._gains = [0] * candidates
        self._squares = [0] * candidates

    def add(self, shares: Sequence[int]) -> None:
        """Adds each candidate's result in one world."""
        for place, share in enumerate(shares):
            gain = share - shares[0]
            self._gains[place] += gain
            self._squares[place] += gain * gain

    def best(self) -> int:
        """The candidate with the largest gain, among those whose gain exceeds one standard error.

        If there is none, the first.
        """
        sure = [place for place, gain in enumerate(self._gains) if gain > 0 and gain * gain > self._squares[place]]
        return max(sure, key=self._gains.__getitem__, default=0)


class PlannerBot(Bot):
    """Searches by random play from worlds that agree with the view.

    With `playouts`, it plays about that many games for each answer, and its answer depends only on view, events and nonce.
    Without, it thinks for a part of its time, given by `thinking_ms`, and two runs may differ.
    """

    def __init__(self, playouts: int | None = None, *, now: Callable[[], float] = time.monotonic) -> None:
        if playouts is not None and (type(playouts) is not int or not 1 <= playouts <= PLAYOUTS_MAX):
            raise BotError("bad-option", f"playouts is a whole number from 1 to {PLAYOUTS_MAX}, or None, not {playouts!r}")
        self._playouts = playouts
        self._now = now
        self._ledger: Ledger | None = None

    def on_start(self, match: MatchInfo) -> None:
        """Opens the books."""
        self._ledger = Ledger(match.seats)

    def on_events(self, events: Sequence[Event]) -> None:
        """Keeps the books: if assets are hidden, they show what the others have."""
        if self._ledger is not None:
            for event in events:
                self._ledger.observe(event)

    def answer(self, turn: Turn) -> Answer:
        """Answers by trying. There are millions of offers, and it makes none."""
        if isinstance(turn.decision, ChooseOffer):
            return turn.default
        candidates = candidates_of(turn)
        if len(candidates) == 1:
            return candidates[0]
        tally = Tally(len(candidates))
        for world, seed in self._worlds(turn, len(candidates)):
            tally.add([_played(world, turn.answers[index], seed, turn.seat) for index in candidates])
        return candidates[tally.best()]

    def _worlds(self, turn: Turn, candidates: int) -> Iterator[tuple[Game, bytes]]:
        """Makes up worlds, each with the seed of its play, until the playouts or the time are used up."""
        seed = bytes([turn.chance.below(256) for _ in range(SEED_BYTES)])
        ends = self._now() + thinking_ms(turn) / 1_000
        books = self._books(turn.view)
        number = 0
        while number == 0 or (self._now() < ends if self._playouts is None else number * candidates < self._playouts):
            world = derived_seed(seed, "world", number)
            yield determinise(turn.view, Chances(world, "unseen"), books), world
            number += 1

    def _books(self, view: View) -> Ledger | None:
        """The books, if a view hides their content and they agree with it.

        They do not agree if the bot did not get every event from the first on.
        """
        if None not in view.cash:
            return None
        try:
            determinise(view, Chances(bytes(SEED_BYTES), "check"), self._ledger)
        except ViewError as error:
            if error.reason != "ledger-disagrees":
                raise
            return None
        return self._ledger


def thinking_ms(turn: Turn) -> int:
    """How long to think: 60 per cent of the free time for a decision and a hundredth of the bank, but at most a second."""
    if turn.time_left_ms is None:
        return THINKING_MS_MAX
    bank = turn.bank_ms or 0
    free = max(turn.time_left_ms - bank, 0)
    return min(free * ALLOWANCE_PER_CENT // 100 + bank // BANK_PARTS, THINKING_MS_MAX)


def candidates_of(turn: Turn) -> list[int]:
    """The indices of the answers that are worth trying, with `greedy`'s answer first."""
    scores = scores_of(turn)
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    return order[:CANDIDATES_MAX]


def _played(world: Game, answer: Action, seed: bytes, seat: int) -> int:
    game = world.copy()
    game.take(answer, None)
    play_out(game, Chances(seed, "play"))
    return SHARE_UNIT * game.cash[seat] // sum(game.cash)
