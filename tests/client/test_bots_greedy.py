"""What `greedy` does, with the figures of `GREEDY.md` calculated by hand."""

from dataclasses import replace

import pytest
from mergemaker_client import Answer, Bot
from mergemaker_client.bots.greedy import ENDING, GreedyBot, effect_score, merger, scores_of
from mergemaker_client.bots.worth import Worth, bonus_now, hoped_bonus, is_ahead, rival_bonus
from mergemaker_client.turn import Turn
from mergemaker_engine.actions import (
    ACCEPT,
    BUY_OF_CHAINS,
    DECLINE,
    ENOUGH_SWAPS,
    NO_OFFER,
    NO_POWER,
    USE_POWER,
    Action,
    Buy,
    Dispose,
    EndPlacing,
    Exchange,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    OfferTrade,
    Place,
    StopPlay,
    TradePair,
)
from mergemaker_engine.decisions import (
    ChooseAcquired,
    ChooseDisposal,
    ChooseExchange,
    ChooseFounded,
    ChooseOffer,
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseReply,
    ChooseSurvivor,
    ChooseTile,
    Decision,
    PowerPhase,
    PurchaseTerms,
)
from mergemaker_engine.effects import EffectKind, TileEffect
from mergemaker_engine.rules import Assets, preset
from mergemaker_engine.views import View
from mergemaker_testkit.local_match import LocalMatch

RULES = preset("renegade-classic")
NONE = (0,) * 7


class _First(Bot):
    def __init__(self) -> None:
        self.turn: Turn | None = None

    def answer(self, turn: Turn) -> Answer:
        self.turn = self.turn or turn
        return turn.default


@pytest.fixture(scope="module")
def start() -> Turn:
    bots = [_First() for _ in range(3)]
    LocalMatch(RULES, bots, bytes(32)).play()
    turn = bots[0].turn
    assert turn
    return turn


def holding(*held: int) -> tuple[int, ...]:
    """Shares of the first chains; none of the others."""
    return (*held, *NONE)[:7]


def view(start: Turn, sizes: tuple[int, ...], *shares: tuple[int, ...], cash: tuple[int, ...] = (6_000,) * 3) -> View:
    """A view of the first seat: sizes of the first chains and three seats' shares, and the rest derived from them."""
    sizes = holding(*sizes)
    probe = Worth(start.view)
    prices = tuple(probe.price_at(chain, size) for chain, size in enumerate(sizes))
    market = tuple(25 - sum(held[chain] for held in shares) for chain in range(7))
    return replace(start.view, seat=0, sizes=sizes, prices=prices, market=market, shares=shares, cash=cash, pile=54)


def asked(start: Turn, view: View, decision: Decision, *answers: Action, effects: tuple[TileEffect, ...] = ()) -> Turn:
    match = replace(start.match, seat=0)
    return replace(start, match=match, view=view, decision=decision, answers=answers, default=answers[0], effects=effects)


def given(turn: Turn) -> Action:
    index = GreedyBot().answer(turn)
    assert isinstance(index, int)
    return turn.answers[index]


@pytest.mark.parametrize(
    ("held", "first", "second", "paid"),
    [
        (0, 5, 2, 0),
        (0, 0, 0, 0),
        (1, 0, 0, 4_500),
        (4, 3, 3, 3_000),
        (3, 3, 3, 1_500),
        (3, 3, 1, 2_250),
        (2, 5, 2, 750),
        (3, 5, 2, 1_500),
        (1, 5, 2, 0),
    ],
)
def test_a_bonus_at_a_price_of_300(held: int, first: int, second: int, paid: int) -> None:
    assert bonus_now(300, held, first, second) == paid


def test_hopes_of_a_holding_by_hand() -> None:
    # 15 · 300 · 16 / (16 + 4 + 1 + 16) = 1945, and 3,000 paid now; the others 15 · 300 · 5 / 37 = 608, and 1,500.
    assert hoped_bonus(300, 4, 2, 1) == (1_945 + 3_000) // 2
    assert rival_bonus(300, 4, 2, 1) == (608 + 1_500) // 2
    assert hoped_bonus(300, 0, 0, 0) == rival_bonus(300, 0, 0, 0) == 0


def test_the_two_largest_other_holdings_are_counted_where_they_are_shown(start: Turn) -> None:
    worth = Worth(view(start, (3, 3), holding(2, 1), holding(5, 0), holding(3, 0)))
    assert (worth.first[:2], worth.second[:2], worth.rest[:2]) == ((5, 0), (3, 0), (8, 0))


def test_they_are_guessed_where_they_are_hidden(start: Turn) -> None:
    shown = view(start, (3,), holding(2), holding(5), holding(3))
    worth = Worth(replace(shown, shares=(shown.shares[0], None, None), cash=(6_000, None, None)))
    assert (worth.first[0], worth.second[0], worth.rest[0]) == (6, 2, 8)
    alone = Worth(replace(shown, seats=2, shares=(shown.shares[0], None), cash=(6_000, None)))
    assert (alone.first[0], alone.second[0], alone.rest[0]) == (8, 0, 8)


def test_the_lead_by_hand(start: Turn) -> None:
    worth = Worth(view(start, (3,), holding(4), holding(2), holding(1)))
    own = 300 * 4 + (1_945 + 3_000) // 2
    assert worth.own(0, 300, 4) == own
    assert worth.lead_now(0) == 2 * own - (300 * 3 + (608 + 1_500) // 2)
    assert worth.paid_lead(0) == 2 * (1_200 + 3_000) - (900 + 1_500)
    assert worth.bought(0, 0) == 0


def test_it_buys_what_gives_it_a_majority(start: Turn) -> None:
    answers = (BUY_OF_CHAINS[()], BUY_OF_CHAINS[0, 0, 0], BUY_OF_CHAINS[1, 1, 1])
    at = view(start, (4, 4), holding(0, 3), holding(9, 4), holding())
    assert given(asked(start, at, ChoosePurchase(0), *answers)) == BUY_OF_CHAINS[1, 1, 1]


def test_a_purchase_by_hand(start: Turn) -> None:
    at = view(start, (3,), holding(), holding(), holding(), cash=(3_200, 0, 0))
    one = (15 * 300 // 17 + 4_500) // 2 + 200 * 54 // 5
    assert scores_of(asked(start, at, ChoosePurchase(0), BUY_OF_CHAINS[()], BUY_OF_CHAINS[0,])) == [0, one - 100 // 4]
    free = asked(start, at, ChoosePurchase(0, PurchaseTerms.THREE_FREE), BUY_OF_CHAINS[0,])
    assert scores_of(free) == [one + 300]
    last = asked(start, replace(at, declared=True), ChoosePurchase(0), BUY_OF_CHAINS[0,])
    assert scores_of(last) == [4_500]


def test_it_declares_the_end_when_it_is_ahead_and_never_else(start: Turn) -> None:
    for mine, ends in ((9, True), (1, False)):
        at = replace(view(start, (41,), holding(mine), holding(5), holding(1)), end_allowed=True)
        nothing = (BUY_OF_CHAINS[()], Buy(NONE, declare=True))
        assert given(asked(start, at, ChoosePurchase(0), *nothing)) == nothing[ends]
        lone = TileEffect(5, EffectKind.LONE, (), (), 1)
        tiles = (Place(5), Place(5, declare=True), StopPlay())
        assert given(asked(start, at, ChooseTile(0), *tiles, effects=(lone,))) == tiles[ends]
        assert max(scores_of(asked(start, at, ChooseTile(0), *tiles, effects=(lone,)))) == (ENDING if ends else 0)


def test_who_is_ahead_is_counted_with_cash_where_all_is_shown(start: Turn) -> None:
    rich = view(start, (41,), holding(5), holding(1), holding(), cash=(0, 30_000, 0))
    level = view(start, (41,), holding(3), holding(3), holding(), cash=(100, 100, 0))
    assert not is_ahead(rich, Worth(rich))
    assert is_ahead(level, Worth(level))


@pytest.mark.parametrize(("mine", "ahead"), [(9, True), (2, False)])
def test_and_guessed_by_stock_alone_where_it_is_hidden(start: Turn, mine: int, ahead: bool) -> None:
    at = view(start, (41,), holding(mine), holding(5), holding(3))
    hidden = replace(
        at, shares=(at.shares[0], None, None), cash=(6_000, None, None), rules=RULES.with_knobs({"assets": Assets.HIDDEN})
    )
    assert is_ahead(hidden, Worth(hidden)) is ahead


def test_it_founds_rather_than_laying_a_lone_tile(start: Turn) -> None:
    effects = (TileEffect(1, EffectKind.LONE, (), (), 1), TileEffect(9, EffectKind.FOUNDS, (), (), 2))
    at = view(start, (), holding(), holding(), holding())
    assert given(asked(start, at, ChooseTile(0), Place(1), Place(9), effects=effects)) == Place(9)


def test_it_grows_its_own_chain_and_not_a_rivals(start: Turn) -> None:
    effects = (TileEffect(1, EffectKind.GROWS, (1,), (), 5), TileEffect(2, EffectKind.GROWS, (0,), (), 5))
    at = view(start, (4, 4), holding(5, 0), holding(1, 5), holding())
    turn = asked(start, at, ChooseTile(0), Place(1), Place(2), effects=effects)
    assert given(turn) == Place(2)
    assert scores_of(turn)[0] < 0 < scores_of(turn)[1]


def test_it_merges_where_it_is_paid_and_not_where_others_are(start: Turn) -> None:
    mine = view(start, (3, 6), holding(5, 1), holding(0, 1), holding())
    theirs = view(start, (3, 6), holding(0, 1), holding(5, 1), holding())
    effect = TileEffect(1, EffectKind.MERGES, (0, 1), (1,), 10)
    assert effect_score(Worth(mine), effect) > 0 > effect_score(Worth(theirs), effect)


def test_of_enough_tiles_and_a_bad_one_it_takes_enough(start: Turn) -> None:
    effects = (TileEffect(1, EffectKind.GROWS, (1,), (), 5),)
    at = view(start, (4, 4), holding(5, 0), holding(1, 5), holding())
    assert given(asked(start, at, ChooseTile(0, 2, 4), Place(1), EndPlacing(), effects=effects)) == EndPlacing()


def test_it_names_the_chain_that_is_worth_most_to_it(start: Turn) -> None:
    at = view(start, (), holding(), holding(0, 0, 0, 0, 0, 0, 5), holding())
    names = (NameFounded(0), NameFounded(5), NameFounded(6))
    assert given(asked(start, at, ChooseFounded(0, 3), *names)) == NameFounded(5)


def test_it_lets_the_chain_survive_in_which_it_has_more_to_gain(start: Turn) -> None:
    at = view(start, (5, 5), holding(0, 5), holding(5, 0), holding())
    turn = asked(start, at, ChooseSurvivor(0, 3, (0, 1)), NameSurvivor(0), NameSurvivor(1))
    assert given(turn) == NameSurvivor(1)
    assert scores_of(turn) == [merger(Worth(at), chain, (0, 1), 11) for chain in (0, 1)]


def test_the_next_chain_is_that_of_which_it_has_most_and_the_first_of_equal_ones(start: Turn) -> None:
    at = view(start, (3, 3, 3), holding(1, 4, 4), holding(), holding())
    assert given(asked(start, at, ChooseAcquired(0, 6), *map(NameAcquired, range(3)))) == NameAcquired(1)


def test_a_disposal_by_hand(start: Turn) -> None:
    at = view(start, (3, 8), holding(2), holding(), holding())
    turn = asked(start, at, ChooseDisposal(0, 0, 1), Dispose(0, 0), Dispose(2, 0), Dispose(0, 2))
    kept = (200 * 2 + (15 * 200 * 4 // 20 + 3_000) // 2) * 54 // 108
    # The survivor will have 12 tiles, at $700 a share.
    traded = 700 + (15 * 700 // 17 + 10_500) // 2
    assert scores_of(turn) == [kept, 600, traded]
    assert given(turn) == Dispose(0, 2)
    assert scores_of(replace(turn, view=replace(at, declared=True))) == [0, 600, traded]


def test_dead_tiles_are_exchanged(start: Turn) -> None:
    turn = asked(start, start.view, ChooseExchange(0), Exchange(exchange=False), Exchange(exchange=True))
    assert given(turn) == Exchange(exchange=True)


@pytest.mark.parametrize(
    ("sizes", "cash", "pile", "power"),
    [((4,), 6_000, 54, 2), ((2,), 6_000, 54, 3), ((2,), 2_900, 54, None), ((2,), 2_900, 29, 2)],
)
def test_a_power_of_buying_is_used_when_it_is_worth_it(
    start: Turn, sizes: tuple[int, ...], cash: int, pile: int, power: int | None
) -> None:
    at = replace(view(start, sizes, holding(), holding(), holding(), cash=(cash, 0, 0)), pile=pile)
    turn = asked(start, at, ChoosePower(0, PowerPhase.BUYING), NO_POWER, *USE_POWER[2:])
    assert given(turn) == (NO_POWER if power is None else USE_POWER[power])


@pytest.mark.parametrize("power", [0, 1])
def test_tile_powers_are_used_at_once(start: Turn, power: int) -> None:
    turn = asked(start, start.view, ChoosePower(0, PowerPhase.START), NO_POWER, USE_POWER[power])
    assert given(turn) == USE_POWER[power]


def test_swaps_are_made_as_long_as_they_gain(start: Turn) -> None:
    better = asked(
        start, view(start, (2, 8), holding(2, 3), holding(9, 3), holding()), ChoosePairTrade(0, 2), TradePair(0, 1), ENOUGH_SWAPS
    )
    worse = asked(
        start, view(start, (8, 2), holding(4, 0), holding(3, 9), holding()), ChoosePairTrade(0, 2), TradePair(0, 1), ENOUGH_SWAPS
    )
    assert (given(better), given(worse)) == (TradePair(0, 1), ENOUGH_SWAPS)


def test_it_offers_nothing(start: Turn) -> None:
    offer = OfferTrade(1, NONE, 100, holding(25), 0)
    assert given(asked(start, start.view, ChooseOffer(0, 3), NO_OFFER, offer)) == NO_OFFER


@pytest.mark.parametrize(("cash", "reply"), [(4_400, DECLINE), (4_500, ACCEPT)])
def test_an_offer_is_accepted_when_it_gains(start: Turn, cash: int, reply: Action) -> None:
    # The cost is two shares at $400, and hopes of (15 · 400 · 4 / 20 + 6,000) / 2: $4,400 together.
    at = view(start, (4,), holding(2), holding(), holding())
    turn = asked(start, at, ChooseReply(0, 1, NONE, cash, holding(2), 0), DECLINE, ACCEPT)
    assert scores_of(turn) == [0, cash - 4_400]
    assert given(turn) == reply
