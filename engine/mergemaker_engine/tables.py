"""What a set of rules and a number of seats resolve to.

It is computed once: play does not look at rule texts or knobs.
"""

from functools import lru_cache
from typing import Final

from mergemaker_engine.actions import POWERS
from mergemaker_engine.chains import DEAREST_PRICE, BonusChart, bonus_places, price_table
from mergemaker_engine.decisions import (
    ChooseExchange,
    ChooseOffer,
    ChoosePower,
    ChoosePurchase,
    ChooseTile,
    DrawTiles,
    ExchangeDead,
    PassTurn,
    PowerPhase,
    RedrawHand,
    Step,
)
from mergemaker_engine.errors import SetupError
from mergemaker_engine.rules import (
    SEATS_MAX,
    SEATS_MIN,
    AfterDeclaring,
    DeadTiles,
    FounderWithoutStock,
    Rules,
    UnplayableHand,
    check_rules,
)
from mergemaker_engine.shown import shown
from mergemaker_engine.unchecked import Unchecked

MARKET_SEATS: Final = 2
"""The number of seats with which the knob `two_player_market` takes effect (TWO-6)."""
_TABLES_KEPT_MAX: Final = 64


class Tables:
    """The resolved form of a rule set for a number of seats. All games share it; it never changes."""

    __slots__ = (
        "buys_next",
        "exchange_again",
        "founder_cash",
        "market_plays",
        "may_stop",
        "places",
        "powers",
        "prices",
        "rules",
        "seats",
        "show_hand",
        "tile_steps",
        "turn_steps",
        "turns",
    )

    def __init__(self, rules: Rules, seats: int) -> None:
        self.rules: Final = rules
        self.seats: Final = seats
        self.prices: Final = tuple(price_table(rules.tier(chain)) for chain in range(len(rules.chain_names)))
        """By chain, then size (BON-1)."""
        self.places: Final = {price: bonus_places(rules.bonus_chart, price) for price in range(200, DEAREST_PRICE + 1, 100)}
        """By price: the bonus of each place (BON-2)."""
        self.founder_cash: Final = rules.founder_without_stock is FounderWithoutStock.CASH
        self.show_hand: Final = rules.unplayable_hand is UnplayableHand.SHOW
        self.may_stop: Final = rules.after_declaring is AfterDeclaring.FINISH_OR_STOP
        self.exchange_again: Final = rules.dead_tiles is DeadTiles.FORCED_THEN_OPTIONAL
        self.market_plays: Final = rules.two_player_market and seats == MARKET_SEATS
        self.powers: Final = len(POWERS) if rules.special_powers else 0
        self.turns: Final = tuple(_turn(rules, seat) for seat in range(seats))
        """By seat: the agenda of a whole turn; its first step is the last item (TRN-1)."""
        turn = self.turns[0]
        self.turn_steps: Final = len(turn)
        """How many steps a turn has."""
        self.tile_steps: Final = 1 + turn.index(ChooseTile(0))
        """How many of them are to come when a tile is asked for."""
        self.buys_next: Final = turn[self.tile_steps - 2] == ChoosePurchase(0)
        """Whether the purchase comes right after the tile."""

    def __reduce__(self) -> tuple[object, ...]:
        return tables_for, (self.rules, self.seats)


def check_seats(rules: Rules, seats: Unchecked[int]) -> None:
    """Refuses a number of seats that these rules do not allow (SET-6)."""
    check_rules(rules)
    if type(seats) is not int or not SEATS_MIN <= seats <= SEATS_MAX:
        raise SetupError("bad-seats", f"{SEATS_MIN} to {SEATS_MAX} seats can play, not {shown(seats)}", "SET-6")
    if seats == MARKET_SEATS and rules.bonus_chart is BonusChart.THREE_HOLDERS:
        raise SetupError(
            "bad-seats", "two seats play with the two-holder chart: take bonus_chart=two-holders or more seats", "SET-6"
        )


def _turn(rules: Rules, seat: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    if rules.unplayable_hand is UnplayableHand.REDRAW:
        steps.append(RedrawHand())
    if rules.trade_offers:
        steps.append(ChooseOffer(seat, rules.trade_offers))
    if rules.special_powers:
        steps += [ChoosePower(seat, PowerPhase.START), ChoosePower(seat, PowerPhase.PLACING)]
    steps.append(ChooseTile(seat))
    if rules.special_powers:
        steps.append(ChoosePower(seat, PowerPhase.BUYING))
    steps += [ChoosePurchase(seat), DrawTiles()]
    if rules.dead_tiles is not DeadTiles.OPTIONAL:
        steps.append(ExchangeDead())
    if rules.dead_tiles is not DeadTiles.FORCED:
        steps.append(ChooseExchange(seat))
    steps.append(PassTurn())
    return tuple(reversed(steps))


@lru_cache(maxsize=_TABLES_KEPT_MAX)
def _tables(rules: Rules, seats: int) -> Tables:
    return Tables(rules, seats)


def tables_for(rules: Rules, seats: Unchecked[int]) -> Tables:
    """The tables of a rule set for this number of seats."""
    check_seats(rules, seats)
    return _tables(rules, seats)
