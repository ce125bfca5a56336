"""The oracle on its own: money, the board, mergers, the deal, refusals."""

import pytest

from .board import SQUARES, can_be_placed, is_dead, neighbours
from .deal import Stream, market_draws, tile_order
from .money import MARKET, THREE_HOLDERS, TWO_HOLDERS, bonuses, price_of_share
from .oracle import Oracle
from .placing import list_disposals, place_tile
from .presets import PRESETS
from .staging import give_shares, lay_table, row, run

SEED = bytes(range(32))
TIED = "three-holders"
CLASSIC = "two-holders"


# --- money ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chart", "held", "paid"),
    [
        # Festival acquires Imperial of five tiles ($700): Liz, Charlie, Courtney, Amanda.
        (TIED, [3, 2, 0, 0], {0: 7000, 1: 5000}),
        (TIED, [3, 3, 1, 0], {0: 6000, 1: 6000, 2: 3500}),
        (TIED, [3, 2, 2, 0], {0: 7000, 1: 4300, 2: 4300}),
        (TIED, [3, 2, 2, 1], {0: 7000, 1: 4300, 2: 4300}),
        (TIED, [4, 3, 1, 1], {0: 7000, 1: 5000, 2: 1800, 3: 1800}),
        (TIED, [1, 0, 0, 0], {0: 10500}),  # BON-6: first and third
        (TIED, [2, 2, 0, 0], {0: 6000, 1: 6000}),  # BON-5: two holders, two places
        (TIED, [2, 2, 2, 0], {0: 5200, 1: 5200, 2: 5200}),  # BON-7: 15,500 in three, rounded up
        (TIED, [2, 2, 2, 1], {0: 5200, 1: 5200, 2: 5200}),
        (TIED, [2, 2, 1, 1], {0: 6000, 1: 6000, 2: 1800, 3: 1800}),
        (TIED, [3, 2, 2, 2], {0: 7000, 1: 2900, 2: 2900, 3: 2900}),
        (TIED, [2, 2, 2, 2], {0: 3900, 1: 3900, 2: 3900, 3: 3900}),
        (CLASSIC, [3, 2, 1, 0], {0: 7000, 1: 3500}),
        (CLASSIC, [0, 2, 0, 0], {1: 10500}),
        (CLASSIC, [2, 2, 1, 0], {0: 5300, 1: 5300}),
        (CLASSIC, [3, 1, 1, 1], {0: 7000, 1: 1200, 2: 1200, 3: 1200}),
        (CLASSIC, [0, 0, 0, 0], {}),  # BON-3
    ],
)
def test_bonuses_by_rank(chart: str, held: list[int], paid: dict[int, int]) -> None:
    assert bonuses(dict(enumerate(held)), 700, chart) == paid


@pytest.mark.parametrize(
    ("held", "market", "paid"),
    [
        ([11, 5], 9, {0: 7000, MARKET: 3500}),  # the older rulebook's example (TWO-2)
        ([11, 9], 9, {0: 7000, 1: 1800, MARKET: 1800}),  # TWO-7: tied with the market
        ([3, 3], 3, {0: 3500, 1: 3500, MARKET: 3500}),
        ([3, 0], 12, {MARKET: 7000, 0: 3500}),
        ([3, 0], 0, {0: 10500}),  # TWO-4: an empty pile
    ],
)
def test_the_market_ranks_like_a_player(held: list[int], market: int, paid: dict[int, int]) -> None:
    assert bonuses({0: held[0], 1: held[1], MARKET: market}, 700, CLASSIC) == paid


@pytest.mark.parametrize(
    ("tier", "size", "price"),
    [
        ("cheap", 2, 200),
        ("cheap", 6, 600),
        ("cheap", 10, 600),
        ("cheap", 41, 1000),
        ("middle", 5, 600),
        ("middle", 41, 1100),
        ("dear", 2, 400),
        ("dear", 11, 900),
        ("dear", 40, 1100),
        ("dear", 108, 1200),
    ],
)
def test_prices(tier: str, size: int, price: int) -> None:
    assert price_of_share(tier, size) == price


def test_a_chain_of_one_tile_has_no_price() -> None:
    with pytest.raises(ValueError, match="at least 2 tiles"):
        price_of_share("cheap", 1)


def test_first_bonus_is_ten_times_and_last_five_times_the_price() -> None:
    for price in range(200, 1300, 100):
        assert (TWO_HOLDERS[price][0], TWO_HOLDERS[price][-1]) == (10 * price, 5 * price)
        assert (THREE_HOLDERS[price][0], THREE_HOLDERS[price][-1]) == (10 * price, 5 * price)


# --- the board -----------------------------------------------------------------------------


def test_neighbours_are_never_diagonal() -> None:
    assert set(neighbours("5C")) == {"4C", "6C", "5B", "5D"}
    assert set(neighbours("12I")) == {"11I", "12H"}


def test_a_tile_between_two_safe_chains_is_dead() -> None:
    # PLC-7, whatever else it touches; but one safe chain may acquire.
    chains = {"Tower": row("A", 1, 11), "Luxor": row("C", 1, 11), "American": "12C 12D"}
    table = lay_table("avalon-hill", 3, chains)
    assert is_dead("5B", table.board)
    assert not can_be_placed("5B", table.board, table.rules.chains)
    assert not is_dead("12B", table.board)  # touches only the unsafe American


def test_an_eighth_chain_cannot_be_founded_but_the_tile_is_not_dead() -> None:
    squares = ["1A 2A", "4A 5A", "7A 8A", "10A 11A", "1C 2C", "4C 5C", "7C 8C"]
    table = lay_table("avalon-hill", 3, {"independent": "12I"})
    for chain, of_chain in zip(table.rules.chains, squares, strict=True):
        table.paint(of_chain.split(), chain)
    assert not can_be_placed("11I", table.board, table.rules.chains)  # PLC-8
    assert can_be_placed("6I", table.board, table.rules.chains)  # PLC-3
    assert not is_dead("11I", table.board)


def test_start_tiles_that_touch_stay_independent_until_joined() -> None:
    # SET-4, PLC-4: three touching start tiles make, with the fourth tile, one chain of four.
    table = lay_table("reference", 3, {"independent": "5C 6C 5D"}, hand="7C")
    asked = run(place_tile(table, "7C"), "found Imperial")
    assert asked[0].text == "ChooseFounded seat=0"
    assert asked[0].answers == [f"found {chain}" for chain in table.rules.chains]
    assert table.events == [
        "TilePlaced seat=0 square=7C",
        "ChainFounded seat=0 chain=Imperial size=4",
        "FounderRewarded seat=0 chain=Imperial shares=1 cash=0",
    ]


def test_growth_takes_independent_groups_along() -> None:
    table = lay_table("reference", 3, {"Tower": "1A 2A", "independent": "4A 5A 3B 12I"}, hand="3A")
    assert run(place_tile(table, "3A")) == []
    assert table.events[-1] == "ChainGrew chain=Tower size=6"
    assert table.board["12I"] == "independent"


@pytest.mark.parametrize(("preset", "cash"), [("reference", 500), ("avalon-hill", 0)])
def test_a_founder_without_stock(preset: str, cash: int) -> None:
    # FND-2: at the price of the new chain's size; here three tiles.
    table = lay_table(preset, 3, {"independent": "5C 6C"}, hand="7C")
    give_shares(table, "Imperial", [0, 20, 5])
    run(place_tile(table, "7C"), "found Imperial")
    assert table.events[-1] == f"FounderRewarded seat=0 chain=Imperial shares=0 cash={cash}"
    assert table.cash[0] == 6000 + cash


# --- mergers -------------------------------------------------------------------------------


def test_a_merger_of_four_with_ties_at_both_levels() -> None:
    # 5C joins two chains of three (MRG-2) and two of two (MRG-4), and an independent tile later.
    chains = {"Luxor": row("C", 2, 4), "Tower": row("C", 6, 8), "American": "5A 5B", "Festival": "5D 5E"}
    table = lay_table("avalon-hill", 3, chains, hand="5C")
    give_shares(table, "Luxor", [0, 2, 4])
    give_shares(table, "American", [0, 0, 1])
    asked = run(
        place_tile(table, "5C"),
        "survivor Tower",
        "sell 0 trade 2",
        "sell 1 trade 2",
        "acquire Festival",
        "sell 1 trade 0",
    )
    assert [question.text for question in asked] == [
        "ChooseSurvivor seat=0",
        "ChooseDisposal seat=1 acquired=Luxor survivor=Tower",
        "ChooseDisposal seat=2 acquired=Luxor survivor=Tower",
        "ChooseAcquired seat=0 survivor=Tower",
        "ChooseDisposal seat=2 acquired=American survivor=Tower",
    ]
    assert asked[0].answers == ["survivor Luxor", "survivor Tower"]
    assert asked[3].answers == ["acquire American", "acquire Festival"]
    assert table.events == [
        "TilePlaced seat=0 square=5C",
        "MergerBegan seat=0 chains=Luxor,Tower,American,Festival",
        "ChainSurvives chain=Tower",
        "HoldingsShown chain=Luxor holdings=0,2,4",
        "BonusPaid seat=1 chain=Luxor amount=1500",
        "BonusPaid seat=2 chain=Luxor amount=3000",
        "StockDisposed seat=1 chain=Luxor kept=0 sold=0 traded=2 cash=0 received=1",
        "StockDisposed seat=2 chain=Luxor kept=1 sold=1 traded=2 cash=300 received=1",
        "HoldingsShown chain=Festival holdings=0,0,0",
        "HoldingsShown chain=American holdings=0,0,1",
        "BonusPaid seat=2 chain=American amount=4500",
        "StockDisposed seat=2 chain=American kept=0 sold=1 traded=0 cash=300 received=0",
        "MergerEnded chain=Tower size=11",
    ]


def test_until_all_is_settled_the_board_is_as_before() -> None:
    # MRG-1, MRG-10: the merging tile counts for nobody, and independent tiles join only at the end.
    chains = {"Luxor": "1A 2A", "Tower": row("A", 4, 6), "independent": "3B 3C"}
    table = lay_table("avalon-hill", 3, chains, hand="3A")
    give_shares(table, "Luxor", [1, 0, 0])
    script = place_tile(table, "3A")
    next(script)
    assert (table.board["3A"], table.size("Luxor"), table.size("Tower")) == ("independent", 2, 3)
    with pytest.raises(StopIteration):
        script.send("sell 0 trade 0")
    assert (table.size("Luxor"), table.size("Tower")) == (0, 8)
    assert table.shares[0]["Luxor"] == 1  # FND-3: kept for a later life


def test_holders_dispose_from_the_mergemaker_on() -> None:
    # MRG-5: clockwise, wrapping round; the mergemaker decides ties.
    table = lay_table("avalon-hill", 4, {"Luxor": "1A 2A", "Tower": "4A 5A"})
    table.seat, table.hands[2] = 2, ["3A"]
    give_shares(table, "Luxor", [1, 1, 0, 1])
    keep = "sell 0 trade 0"
    asked = run(place_tile(table, "3A"), "survivor Tower", keep, keep, keep)
    assert [question.seat for question in asked] == [2, 3, 0, 1]


def test_trades_are_limited_by_the_survivors_market_as_it_stands() -> None:
    # MRG-8: seat 1 takes the last but one share, seat 2 can get one more.
    table = lay_table("avalon-hill", 3, {"Luxor": "1A 2A", "Tower": row("A", 4, 6)}, hand="3A")
    give_shares(table, "Luxor", [0, 4, 4])
    give_shares(table, "Tower", [22, 0, 0])
    asked = run(place_tile(table, "3A"), "sell 0 trade 4", "sell 0 trade 2")
    assert asked[0].answers is not None
    assert "sell 0 trade 4" in asked[0].answers
    assert asked[1].answers is not None
    assert "sell 0 trade 4" not in asked[1].answers
    assert (table.market["Tower"], table.market["Luxor"]) == (0, 23)


def test_disposals_come_by_sale_then_by_trade() -> None:
    assert list(list_disposals(2, 1)) == [
        "sell 0 trade 0", "sell 0 trade 2", "sell 1 trade 0", "sell 2 trade 0",
    ]  # fmt: skip
    assert len(list_disposals(25, 25)) == sum((25 - sold) // 2 + 1 for sold in range(26))


# --- the deal ------------------------------------------------------------------------------


def test_the_order_of_the_tiles() -> None:
    # Calculated from DEAL.md again, in another language.
    order = tile_order(SEED)
    assert order[:12] == ["1B", "4H", "3C", "3E", "12A", "12I", "4F", "5C", "8C", "3I", "12F", "8E"]
    assert order[-3:] == ["2B", "2A", "4E"]
    assert sorted(order) == sorted(SQUARES)


def test_the_market_draws() -> None:
    pile = SQUARES[:90]
    draw = market_draws(SEED)
    assert (draw(0, pile), draw(17, pile)) == (pile[43], pile[65])


def test_below_one_takes_a_word_as_well() -> None:
    plain, after_one = Stream(SEED, "deal"), Stream(SEED, "deal")
    plain.below(65536)
    assert after_one.below(1) == 0
    assert plain.below(65536) == after_one.below(65536)


def test_below_throws_away_what_would_favour_small_numbers() -> None:
    words, below = Stream(SEED, "deal"), Stream(SEED, "deal")
    drawn = [words.below(65536) for _ in range(200)]
    kept = [word for word in drawn if word < 40000]
    assert 0 < len(kept) < len(drawn)
    assert [below.below(40000) for _ in kept] == kept


def test_below_takes_more_words_for_large_numbers() -> None:
    high, both = Stream(SEED, "deal"), Stream(SEED, "deal")
    assert both.below(65536**2) == high.below(65536) * 65536 + high.below(65536)


@pytest.mark.parametrize(("seed", "label"), [(b"short", "deal"), (SEED, ""), (SEED, "x" * 20), (SEED, "dé")])
def test_a_wrong_stream_is_refused(seed: bytes, label: str) -> None:
    with pytest.raises(ValueError, match="Expected a"):
        Stream(seed, label)


def test_nothing_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one number"):
        Stream(SEED, "deal").below(0)


# --- refusals ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "seats", "changed"),
    [
        ("avalon-hill", 1, {}),
        ("avalon-hill", 7, {}),
        ("renegade-tycoon", 2, {}),  # SET-6
        ("corporations", 2, {"bonus_chart": "three-holders"}),
        ("avalon-hill", 3, {"dead_tiles": "never"}),
        ("avalon-hill", 3, {"special_powers": 1}),
        ("avalon-hill", 3, {"trade_offers": -1}),
        ("avalon-hill", 3, {"trade_offers": True}),
        ("avalon-hill", 3, {"chains": (("A", "B"), ("C", "D", "E"), ("F", "A"))}),
        ("avalon-hill", 3, {"chains": (("A", "B"), ("C", "D", "E"), ("F", "G H"))}),
        ("avalon-hill", 3, {"chains": (("A", "B"), ("C", "D", "E"))}),
        ("avalon-hill", 3, {"chains": (("A",), ("C", "D", "E"), ("F", "G", "H"))}),
        ("avalon-hill", 3, {"unknown": 1}),
    ],
)
def test_impossible_set_ups_are_refused(preset: str, seats: int, changed: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="xpected"):
        Oracle({**PRESETS[preset], **changed}, seats, tile_order(SEED), market_draws(SEED))


def test_a_wrong_order_is_refused() -> None:
    with pytest.raises(ValueError, match="108 tiles"):
        Oracle(PRESETS["reference"], 3, ["1A"] * 108, market_draws(SEED))


def test_wrong_answers_are_refused_and_change_nothing() -> None:
    oracle = Oracle(PRESETS["reference"], 3, tile_order(SEED), market_draws(SEED))
    before = oracle.state()
    for text in ("", "no offer", "13A", oracle.answers()[0] + " "):
        with pytest.raises(ValueError, match="ChooseTile"):
            oracle.answer(text)
    with pytest.raises(LookupError, match="ChooseTile"):
        oracle.offer_count()
    with pytest.raises(LookupError, match="ChooseTile"):
        oracle.offer_is_legal("no offer")
    assert oracle.state() == before
