"""`only_nothing` agrees with the list of purchases, without making the list."""

from collections import Counter

import pytest
from mergemaker_engine.buying import only_nothing, purchase_options
from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.decisions import ChoosePurchase
from mergemaker_engine.game import Game
from mergemaker_engine.playout import draw_answer
from mergemaker_engine.rules import preset

PURSES = range(0, 1_300, 100)


@pytest.mark.rule("TBL-3")
def test_there_is_only_nothing_to_buy_where_the_list_has_nothing_else() -> None:
    found: Counter[bool] = Counter()
    for number in range(4):
        seed = derived_seed(bytes(32), "game", number)
        game = Game(preset("renegade-classic"), 2 + number, Deal.from_seed(seed))
        chances = Chances(seed, "play")
        while (step := game.decision) is not None:
            if isinstance(step, ChoosePurchase):
                for cash in PURSES:
                    for sold_out in (False, True):
                        twin = game.copy()
                        twin.cash[step.seat] = cash
                        twin.market = [0] * len(twin.market) if sold_out else twin.market
                        expected = len(purchase_options(twin, step)) == 1
                        assert only_nothing(twin, step) == expected
                        found[expected] += 1
            game.apply(draw_answer(game, chances))
    assert min(found[True], found[False]) > len(PURSES)


@pytest.mark.rule("END-5")
def test_who_may_declare_the_end_can_do_more_than_buy_nothing() -> None:
    seed = bytes(32)
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(seed))
    chances = Chances(seed, "play")
    asked = 0
    while (step := game.decision) is not None:
        if isinstance(step, ChoosePurchase) and len(purchase_options(game, step)) > 1:
            twin = game.copy()
            twin.cash[step.seat] = 0
            twin.giant = True
            twin.declared = False
            assert not only_nothing(twin, step)
            twin.declared = True
            assert only_nothing(twin, step)
            asked += 1
        game.apply(draw_answer(game, chances))
    assert asked
