"""Bounds and the list of legal answers agree."""

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mergemaker_engine.actions import NO_OFFER, Action, Buy, Dispose
from mergemaker_engine.bounds import DisposalBounds, Listed, OfferBounds, PurchaseBounds, answer_bounds
from mergemaker_engine.deal import Deal
from mergemaker_engine.decisions import ChooseDisposal, ChooseOffer, ChoosePurchase, PurchaseTerms
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_action, parse_position
from mergemaker_engine.rules import PRESETS
from mergemaker_testkit.strategies import STEADY, Played, played_games

LISTED_MAX = 2_000


def _check_bounds(game: Game, place: int) -> None:
    bounds, legal = answer_bounds(game), game.legal()
    answers = bounds.answers()
    assert bounds.count() == len(answers) == len(legal)
    if len(legal) <= LISTED_MAX:
        assert list(answers) == list(legal)
    else:
        assert all(answers[at] == legal[at] for at in (0, 1, len(legal) - 1, place % len(legal)))


@settings(STEADY, max_examples=250)
@given(played=played_games(), place=st.integers(0, 2**60))
def test_bounds_list_what_is_legal(played: Played, place: int) -> None:
    _check_bounds(played.game, place)


@pytest.mark.parametrize("terms", list(PurchaseTerms))
@settings(STEADY, max_examples=60)
@given(
    played=played_games(min_answers=12),
    cash=st.integers(0, 70).map(lambda hundreds: 100 * hundreds),
    market=st.lists(st.integers(0, 5), min_size=7, max_size=7),
)
def test_bounds_of_purchases_on_all_terms(played: Played, terms: PurchaseTerms, cash: int, market: list[int]) -> None:
    game = played.game
    assume(game.decision is not None)
    game.agenda.append(ChoosePurchase(0, terms))
    game.cash[0] = cash
    game.market = market
    bounds = answer_bounds(game)
    assert isinstance(bounds, PurchaseBounds)
    assert (bounds.cash is None) == (terms is PurchaseTerms.THREE_FREE)
    _check_bounds(game, 0)
    # As another language would list them: from the numbers alone, by length, then as sequences.
    listed = _purchases(bounds)
    assert list(bounds.answers()) == listed


@pytest.mark.rule("PWR-2")
def test_three_free_takes_one_share_at_least_and_costs_nothing() -> None:
    game = parse_position("rules renegade-classic\nseats 3\nboard\n  A TT.SS.......\nturn 9 seat 0\nseat 0 cash 0 tiles 12I\n")
    game.agenda.append(ChoosePurchase(0, PurchaseTerms.THREE_FREE))
    bounds = answer_bounds(game)
    assert isinstance(bounds, PurchaseBounds)
    assert (bounds.count_min, bounds.count_max, bounds.cash) == (1, 3, None)
    assert len(bounds.answers()) == bounds.count() == 9
    assert list(bounds.answers()) == list(game.legal()) == _purchases(bounds)


def _purchases(bounds: PurchaseBounds) -> list[Action]:
    found: list[Action] = []
    # Up to three shares, then more; each without the end declared, then with it.
    for counts in ((0, 1, 2, 3), (4, 5)):
        for declare in (False, True)[: 1 + bounds.declare]:
            for count in counts:
                if not bounds.count_min <= count <= bounds.count_max:
                    continue
                for chains in product(range(7), repeat=count):
                    if list(chains) != sorted(chains):
                        continue
                    shares = tuple(chains.count(chain) for chain in range(7))
                    cost = sum(bounds.prices[chain] for chain in chains)
                    held = all(bought <= left for bought, left in zip(shares, bounds.market, strict=True))
                    if held and (bounds.cash is None or cost <= bounds.cash):
                        found.append(Buy(shares, declare))
    return found


@given(held=st.integers(0, 25), pairs_max=st.integers(0, 25))
def test_disposals_from_two_numbers(held: int, pairs_max: int) -> None:
    bounds = DisposalBounds(held, pairs_max)
    expected = [
        Dispose(sell, trade) for sell in range(held + 1) for trade in range(0, held - sell + 1, 2) if trade // 2 <= pairs_max
    ]
    assert list(bounds.answers()) == expected
    assert bounds.count() == len(expected)


@pytest.mark.parametrize("name", PRESETS)
def test_each_decision_has_its_bounds(name: str) -> None:
    kinds = {ChoosePurchase: PurchaseBounds, ChooseDisposal: DisposalBounds, ChooseOffer: OfferBounds}
    first, second = (chain[0] for chain in PRESETS[name].chain_names[:2])
    board = f"board\n  E ...{4 * first}.{3 * second}.\nturn 9 seat 0\nseat 0 tiles 8E\nseat 1 shares {second}5\n"
    game = parse_position(f"rules {name}\nseats 3\n{board}")
    seen = set()
    while game.decision is not None and game.turn < 12:
        bounds = answer_bounds(game)
        assert type(bounds) is kinds.get(type(game.decision), Listed)
        _check_bounds(game, 1)
        seen.add(type(bounds))
        game.apply(game.legal()[0])
    assert {PurchaseBounds, DisposalBounds, Listed} <= seen


@pytest.mark.pure
@pytest.mark.parametrize("name", PRESETS)
def test_answers_that_are_at_hand_are_not_listed_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(PRESETS[name], 3, Deal.from_seed(bytes(32)))
    for _ in range(60):
        answers, bounds = game.legal(), answer_bounds(game)
        with monkeypatch.context() as once:
            once.delattr(Game, "legal")
            assert answer_bounds(game, answers) == bounds
        game.apply(answers[len(answers) // 2])


def test_nothing_is_listed_when_the_game_is_over() -> None:
    game = parse_position("rules avalon-hill\nseats 3\nboard\n  A TTTTTTTTTTT.\nturn 30 seat 0\nseat 0 tiles 12I\n")
    game.apply(next(action for action in game.legal() if type(action).__name__ == "StopPlay"))
    assert answer_bounds(game) == answer_bounds(game, game.legal()) == Listed(())
    assert answer_bounds(game).count() == 0


def test_offers_are_read_by_index_from_either_end() -> None:
    game = parse_position("rules reference-trading\nseats 3\nturn 9 seat 0\nseat 0 cash 100 tiles 1A\n")
    offers = game.legal()
    assert offers[-1] == offers[len(offers) - 1] != offers[-2]
    assert offers[-len(offers)] == offers[0] == NO_OFFER
    assert offers[1 : -1 : len(offers) // 2] == [offers[1], offers[1 + len(offers) // 2]]
    assert offers[3:3] == []


def test_an_offer_gives_no_more_cash_than_an_offer_may() -> None:
    game = parse_position("rules reference-trading\nseats 3\nturn 9 seat 0\nseat 0 cash 123400 tiles 1A\n")
    bounds = answer_bounds(game)
    assert bounds == OfferBounds((1, 2), (0,) * 7, 100_000)
    game.cash[0] = 250
    assert answer_bounds(game) == OfferBounds((1, 2), (0,) * 7, 200)


@pytest.mark.rule("MRG-8")
def test_no_more_pairs_than_the_market_of_the_survivor_has() -> None:
    game = parse_position(
        "rules renegade-classic\nseats 3\nboard\n  E ...SS.TTT...\nturn 9 seat 0\nseat 0 tiles 6E shares S9\nseat 1 shares T24\n"
    )
    game.apply(game.legal()[0])
    assert answer_bounds(game) == DisposalBounds(9, 1)
    assert list(answer_bounds(game).answers()) == list(game.legal())


@pytest.mark.rule("END-5")
@pytest.mark.parametrize(("first", "may_declare"), [("12I", True), ("12I end", False)])
def test_the_end_is_declared_once_in_a_turn(first: str, may_declare: bool) -> None:
    game = parse_position("rules renegade-classic\nseats 3\nboard\n  A TTTTTTTTTTT.\nturn 30 seat 0\nseat 0 tiles 12I\n")
    game.apply(parse_action(first, game.rules))
    bounds = answer_bounds(game)
    assert isinstance(bounds, PurchaseBounds)
    assert bounds.declare is may_declare
    assert list(bounds.answers()) == list(game.legal())
