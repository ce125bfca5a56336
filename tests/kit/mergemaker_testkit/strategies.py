"""Hypothesis strategies for whole games: tables of all kinds, seeds, and games in progress.

A game in progress is drawn as four small numbers (table, seed, how many answers, how they are chosen), so a test
that fails shrinks to the fewest answers that show it. `another_world` makes a game that a seat cannot tell from
the real one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from mergemaker_engine.actions import Action
from mergemaker_engine.board import CHAINS, cells_of, squares_of
from mergemaker_engine.chains import BonusChart
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseDisposal, ChooseOffer
from mergemaker_engine.events import Event
from mergemaker_engine.game import Game
from mergemaker_engine.playout import declares_end
from mergemaker_engine.rules import PRESETS, Assets, Rules

SEED_BYTES: Final = 32
ANSWERS_MAX: Final = 700
"""Answers in a drawn game: enough for nearly every game of shy players to reach its end."""
_MODEST_OFFERS: Final = 60
_CASH_SWAP_HUNDREDS: Final = 90

# The same examples on every machine: a failure in CI can be reproduced at home. Games are large examples,
# on purpose.
STEADY: Final = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

_KNOB_VALUES: Final[dict[str, tuple[object, ...]]] = {
    "chains": tuple(dict.fromkeys(rules.chains for rules in PRESETS.values())),
    "bonus_chart": ("two-holders", "three-holders"),
    "start_order": ("letter-first", "number-first"),
    "founder_without_stock": ("cash", "nothing"),
    "dead_tiles": ("optional", "forced", "forced-then-optional"),
    "unplayable_hand": ("skip", "show", "redraw"),
    "after_declaring": ("finish", "finish-or-stop"),
    "two_player_market": (False, True),
    "assets": ("open", "hidden"),
    "special_powers": (False, True),
    "trade_offers": (0, 0, 1, 3),
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rules and a number of seats that they allow (SET-6)."""

    rules: Rules
    seats: int

    @property
    def is_hidden(self) -> bool:
        """Whether the cash and shares of others are hidden (VIS-3)."""
        return self.rules.assets is Assets.HIDDEN


@dataclass(slots=True)
class Played:
    """A game, how it came about, and everything announced in it."""

    table: Table
    seed: bytes
    game: Game
    answers: list[Action] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


def rule_sets() -> st.SearchStrategy[Rules]:
    """A preset, unchanged or with random knobs."""
    presets = st.sampled_from(list(PRESETS.values()))
    changes = st.fixed_dictionaries({}, optional={knob: st.sampled_from(values) for knob, values in _KNOB_VALUES.items()})
    return presets | st.builds(lambda rules, knobs: rules.with_knobs(knobs), presets, changes)


def tables(min_seats: int = 2) -> st.SearchStrategy[Table]:
    """Rules and seats; with the three-holder chart, at least three."""

    def table(rules: Rules, seats: int) -> Table:
        return Table(rules, max(seats, 3) if rules.bonus_chart is BonusChart.THREE_HOLDERS else seats)

    return st.builds(table, rule_sets(), st.integers(min_seats, 6))


def seeds() -> st.SearchStrategy[bytes]:
    """Seeds of deals and streams. Two bytes decide: a seed shrinks to zeros alone."""
    return st.binary(min_size=2, max_size=2).map(lambda start: start + bytes(SEED_BYTES - 2))


def pick_answer(game: Game, stream: Chances, *, shy: bool) -> Action:
    """A random answer. Half of all offers are modest, and sometimes accepted; shy players never declare the end.

    Only players who do not declare reach the late game, with dead tiles and empty hands.
    """
    legal = game.legal()
    if isinstance(game.decision, ChooseOffer):
        among = min(_MODEST_OFFERS, len(legal)) if stream.below(2) else len(legal)
        return legal[stream.below(among)]
    answers: Sequence[Action] = legal
    if shy:
        answers = [action for action in legal if not declares_end(action)]
    return answers[stream.below(len(answers))]


def played_games(
    min_answers: int = 0, max_answers: int = ANSWERS_MAX, of: Callable[[Table], bool] | None = None
) -> st.SearchStrategy[Played]:
    """A game after this number of random answers, or at its end if that comes first; `of` limits the tables."""

    def play(table: Table, seed: bytes, count: int, shy: bool) -> Played:
        game = Game(table.rules, table.seats, Deal.from_seed(seed))
        played = Played(table, seed, game, events=list(game.start_events))
        stream = Chances(seed, "answers")
        while game.decision is not None and len(played.answers) < count:
            action = pick_answer(game, stream, shy=shy)
            played.answers.append(action)
            played.events += game.apply(action)
        return played

    at = tables() if of is None else tables().filter(of)
    return st.builds(play, at, seeds(), st.integers(min_answers, max_answers), st.booleans())


def another_world(game: Game, seat: int | None, stream: Chances) -> Game:
    """A copy in which everything differs that a seat (None: the public) cannot know, and all that it knows is the same.

    The tiles of the other hands and of the pile are dealt anew among them, and the market's draws come from another
    seed. With hidden assets, the others' cash is changed and their shares change owners, except those of a chain
    whose holders were just shown (MRG-9). Which market draw is the next one is known, so its number stays.
    """
    twin = game.copy()
    others = [other for other in range(game.seats) if other != seat]
    pile = squares_of(game.deal.cells[game.drawn :])
    unseen = [square for other in others for square in squares_of(game.hands[other])]
    tiles = stream.shuffled([*unseen, *pile])
    for other in others:
        size = len(game.hands[other])
        twin.hands[other] = cells_of(sorted(tiles[:size]))
        del tiles[:size]
    twin.deal = Deal(tiles, bytes(stream.below(256) for _ in range(SEED_BYTES)))
    twin.drawn = 0
    if game.rules.assets is Assets.HIDDEN and game.result is None:
        _hide_assets(twin, others, stream)
    return twin


def _hide_assets(twin: Game, others: Sequence[int], stream: Chances) -> None:
    seats = twin.seats
    asked = twin.decision
    shown = asked.acquired if isinstance(asked, ChooseDisposal) else None
    for other in others:
        twin.cash[other] = 100 * stream.below(_CASH_SWAP_HUNDREDS)
    for chain in range(CHAINS):
        if chain == shown:
            continue
        out = sum(twin.shares[chain * seats + other] for other in others)
        for other in others:
            twin.shares[chain * seats + other] = 0
        for _ in range(out):
            twin.shares[chain * seats + others[stream.below(len(others))]] += 1
