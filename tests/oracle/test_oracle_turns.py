"""The oracle's turn: unplayable hands, powers, buying, exchange, declaring, trading, the end."""

from collections.abc import Sequence
from itertools import product

import pytest

from .oracle import Oracle
from .presets import PRESETS
from .staging import give_shares, lay_table, row, run
from .table import Table
from .trading import count_answers, is_legal_text, trade_with_players
from .turn import draw_up, exchange_dead_tiles, finish, play_turn, reason_to_end, redraw_hand

SAFE_PAIR = {"Tower": row("A", 1, 11), "Festival": row("C", 1, 11)}  # all of row B is dead


# --- hands that cannot be placed (PLC-9, DRW) ------------------------------------------------


@pytest.mark.parametrize(("preset", "shown"), [("avalon-hill", True), ("renegade-classic", False)])
def test_a_hand_without_a_placeable_tile(preset: str, shown: bool) -> None:
    table = lay_table(preset, 3, {**SAFE_PAIR, "American": "12I 12H"}, hand="4B 2B", pile="")
    asked = run(play_turn(table), "buy nothing")
    assert asked[0].text == "ChoosePurchase seat=0 terms=usual"  # the end is not declared: 12I
    expected = ["HandShown seat=0 squares=2B,4B"] if shown else []
    assert table.events[1:] == [
        *expected,
        "PlacingSkipped seat=0",
        "SharesBought seat=0 shares=0,0,0,0,0,0,0 cost=0",
    ]


def test_an_empty_hand_is_not_shown() -> None:
    table = lay_table("avalon-hill", 3, {"Tower": "1A 2A"}, pile="")
    run(play_turn(table), "buy nothing")
    assert table.events[1] == "PlacingSkipped seat=0"


def test_the_whole_hand_is_redrawn_as_far_as_the_pile_goes() -> None:
    # Only once; the forced exchange at the end of the turn happens anyway (knob dead_tiles).
    table = lay_table("reference", 3, {**SAFE_PAIR, "American": "12I 12H"}, hand="4B 2B 1B", pile="3B 5B")
    run(play_turn(table), "buy nothing")
    assert table.events[1:] == [
        "HandShown seat=0 squares=1B,2B,4B",
        "TilesSetAside seat=0 squares=1B,2B,4B",
        "TilesDrawn seat=0 count=2",
        "TilesReceived seat=0 squares=3B,5B",
        "PlacingSkipped seat=0",
        "SharesBought seat=0 shares=0,0,0,0,0,0,0 cost=0",
    ]


@pytest.mark.parametrize(("hand", "pile"), [("4B", ""), ("", "9I"), ("4B 9I", "9H")])
def test_no_redraw_without_a_pile_or_a_hand_or_with_a_placeable_tile(hand: str, pile: str) -> None:
    table = lay_table("reference", 3, SAFE_PAIR, hand=hand, pile=pile)
    redraw_hand(table)
    assert table.events == []


@pytest.mark.parametrize(("dead_tiles", "answers"), [("optional", ["exchange"]), ("forced", [])])
def test_dead_tiles_are_exchanged_once(dead_tiles: str, answers: list[str]) -> None:
    table = lay_table("reference", 3, SAFE_PAIR, hand="4B 2B 9I", pile="3B 9H 9G", dead_tiles=dead_tiles)
    asked = run(exchange_dead_tiles(table), *answers)  # 3B is dead, but waits (DRW-2)
    assert [question.answers for question in asked] == [["no exchange", "exchange"] for _ in answers]
    assert (table.set_aside, table.hands[0], table.pile) == (["2B", "4B"], ["9I", "3B", "9H"], ["9G"])


def test_forced_then_optional_until_refused_or_none_is_dead() -> None:
    table = lay_table("reference", 3, SAFE_PAIR, hand="4B 9I", pile="3B 5B 6B 9H")
    asked = run(exchange_dead_tiles(table), "exchange", "no exchange")
    assert [question.answers for question in asked] == [
        ["no exchange", "exchange"],
        ["no exchange", "exchange"],
    ]
    assert (table.hands[0], table.pile) == (["9I", "5B"], ["6B", "9H"])


def test_without_a_pile_there_is_no_exchange() -> None:
    table = lay_table("reference", 3, SAFE_PAIR, hand="4B", pile="")
    assert run(exchange_dead_tiles(table)) == []


def test_a_hand_of_six_or_more_draws_nothing() -> None:
    table = lay_table("avalon-hill", 3, {}, hand=row("A", 1, 7))
    draw_up(table)
    assert table.events == []
    table.hands[0] = ["1A", "2A"]
    draw_up(table)
    assert table.events[0] == "TilesDrawn seat=0 count=4"


# --- declaring and the end ---------------------------------------------------------------------


def test_declaring_with_a_tile_or_stopping() -> None:
    table = lay_table("avalon-hill", 3, SAFE_PAIR, hand="9I 4B 9H")
    asked = run(play_turn(table), "stop")
    assert asked[0].answers == ["9H", "9I", "9H end", "9I end", "stop"]
    assert table.events[1:] == ["EndDeclared seat=0"]
    assert reason_to_end(table) == "declared"
    assert "9H" in table.hands[0]


def test_a_declared_end_holds_even_where_the_condition_no_longer_does() -> None:
    # END-2: the tile founds a chain that is not safe. The purchase does not offer the end again.
    table = lay_table("renegade-classic", 3, {**SAFE_PAIR, "independent": "9I"}, hand="9H", pile="")
    asked = run(play_turn(table), "9H end", "found Imperial", "buy nothing")
    assert asked[0].answers == ["9H", "9H end"]  # END-2: this preset has no stopping
    assert not any(answer.endswith("end") for answer in asked[2].answers or [])
    assert reason_to_end(table) == "declared"


def test_with_nothing_to_place_or_buy_the_declaration_is_asked_alone() -> None:
    table = lay_table("avalon-hill", 3, SAFE_PAIR, hand="4B", pile="")
    table.cash[0] = 0
    asked = run(play_turn(table), "buy nothing end")
    assert [question.answers for question in asked] == [["buy nothing", "buy nothing end"]]
    assert table.events[-2:] == [
        "EndDeclared seat=0",
        "SharesBought seat=0 shares=0,0,0,0,0,0,0 cost=0",
    ]


def test_one_chain_of_41_is_enough() -> None:
    long = " ".join([row("A", 1, 12), row("B", 1, 12), row("C", 1, 12), row("D", 1, 5)])
    table = lay_table("avalon-hill", 3, {"Tower": long, "Luxor": "1I 2I"})
    assert table.size("Tower") == 41
    assert table.end_may_be_declared()
    del table.board["5D"]
    assert not table.end_may_be_declared()
    assert not lay_table("avalon-hill", 3, {"independent": "1A"}).end_may_be_declared()


def test_a_round_without_activity_ends_the_game() -> None:
    # END-4: a trade between players does not count, a bought share does.
    table = lay_table("reference-trading", 2, {"Tower": "1A 2A"}, pile="")
    table.hands[1] = []
    run(play_turn(table), "offer seat 1: $100 for 1 Tower", "decline", "no offer", "buy 1 Tower")
    assert table.quiet_turns == 0
    for _ in range(2):
        assert reason_to_end(table) is None
        run(play_turn(table), "offer seat 1: 1 Tower for $100", "accept", "no offer", "buy nothing")
        give_shares(table, "Tower", [1, -1])
    assert reason_to_end(table) == "stuck"


def test_the_last_payments() -> None:
    table = lay_table("avalon-hill", 3, {"Tower": "1A 2A", "Imperial": row("C", 1, 11)})
    give_shares(table, "Tower", [2, 2, 1])
    give_shares(table, "Luxor", [5, 0, 0])  # inactive: worth nothing
    finish(table, "declared")
    assert table.events == [
        "GameEnded reason=declared",
        "AssetsShown seat=0 cash=6000 shares=5,2,0,0,0,0,0",
        "AssetsShown seat=1 cash=6000 shares=0,2,0,0,0,0,0",
        "AssetsShown seat=2 cash=6000 shares=0,1,0,0,0,0,0",
        "BonusPaid seat=0 chain=Tower amount=1500",
        "BonusPaid seat=1 chain=Tower amount=1500",
        "SharesSold seat=0 chain=Tower shares=2 cash=400",
        "SharesSold seat=1 chain=Tower shares=2 cash=400",
        "SharesSold seat=2 chain=Tower shares=1 cash=200",
        "ResultReached cash=7900,7900,6200 places=1,1,3",
    ]
    assert (table.market["Tower"], table.market["Luxor"]) == (25, 20)


# --- two players ---------------------------------------------------------------------------------


def test_the_market_draws_for_each_chain_that_a_player_holds() -> None:
    # TWO-1, TWO-3, TWO-5, TWO-6: numbered, the pile as it was; none for Imperial, held by nobody.
    table = lay_table("avalon-hill", 2, {"Tower": "1A 2A", "American": "1C 2C", "Imperial": "1E 2E"})
    drawn = []

    def draw(number: int, pile: Sequence[str]) -> str:
        drawn.append(number)
        return pile[number]

    table.draw_market = draw
    give_shares(table, "Tower", [5, 0])
    give_shares(table, "American", [1, 1])
    before = list(table.pile)
    finish(table, "declared")
    assert [event for event in table.events if event.startswith(("MarketDrew", "BonusPaid"))] == [
        "MarketDrew chain=Tower square=3A shares=3",
        "BonusPaid seat=0 chain=Tower amount=2000",
        "MarketDrew chain=American square=4A shares=4",
        "BonusPaid seat=0 chain=American amount=800",
        "BonusPaid seat=1 chain=American amount=800",
    ]
    assert (drawn, table.pile) == ([0, 1], before)


def test_with_an_empty_pile_the_market_holds_none() -> None:
    table = lay_table("avalon-hill", 2, {"Tower": "1A 2A"}, pile="")
    give_shares(table, "Tower", [5, 0])
    finish(table, "declared")
    assert table.events[3:5] == [
        "MarketDrew chain=Tower square=none shares=0",
        "BonusPaid seat=0 chain=Tower amount=3000",
    ]


# --- special powers --------------------------------------------------------------------------------


def powers_table(hand: str, pile: str | None = None) -> Table:
    return lay_table("avalon-hill-powers", 3, {"Tower": "1A 2A", "Luxor": "1C 2C"}, hand=hand, pile=pile)


def test_take_five_and_then_no_draw_until_below_six() -> None:
    table = powers_table(row("I", 1, 6))
    asked = run(play_turn(table), "power take-five", "1I", "buy nothing")
    # PWR-1: one power a turn, so neither Place four nor a buying power is offered.
    assert [question.text.split()[0] for question in asked] == ["ChoosePower", "ChooseTile", "ChoosePurchase"]
    assert table.events[1:3] == ["PowerUsed seat=0 power=take-five", "TilesDrawn seat=0 count=5"]
    assert len(table.hands[0]) == 10
    assert table.powers == [{"take-five"}, set(), set()]


def test_a_power_is_used_once_a_game() -> None:
    table = powers_table("", pile="")
    run(play_turn(table), "power buy-five", "buy nothing")
    asked = run(play_turn(table), "no power", "buy nothing")
    assert asked[0].answers == ["no power", "power three-free"]


def test_place_four_where_an_earlier_tile_lets_a_later_one_be_placed() -> None:
    # 11I would found an eighth chain; once 3A has merged two of the seven, it may (PLC-8).
    table = lay_table("avalon-hill-powers", 3, {"independent": "12I"}, hand="3A 11I", pile="9I")
    squares = ["1A 2A", "4A 5A", "7A 8A", "10A 11A", "1C 2C", "4C 5C", "7C 8C"]
    for chain, of_chain in zip(table.rules.chains, squares, strict=True):
        table.paint(of_chain.split(), chain)
    answers = ["no power", "power place-four", "3A", "survivor Luxor", "11I", "found Tower", "buy nothing"]
    asked = run(play_turn(table), *answers)
    assert [(question.text, question.answers) for question in asked[2:5:2]] == [
        ("ChooseTile seat=0 number=1 most=4", ["3A"]),
        ("ChooseTile seat=0 number=2 most=4", ["11I", "enough tiles"]),
    ]
    assert "TilesDrawn seat=0 count=1" in table.events  # DRW-1: as far as the pile goes


def test_place_four_where_an_earlier_tile_makes_a_later_one_dead() -> None:
    chains = {"Tower": row("A", 1, 11), "Festival": row("C", 1, 10), "American": "1I 2I"}
    table = lay_table("avalon-hill-powers", 3, chains, hand="4B 11C", pile="")
    asked = run(play_turn(table), "power place-four", "11C", "buy nothing")
    assert asked[1].answers == ["4B", "11C"]
    assert asked[2].text == "ChoosePurchase seat=0 terms=usual"
    assert "PlacingSkipped seat=0" not in table.events  # one was placed


def test_place_four_may_be_broken_off_and_ended_with_a_stop() -> None:
    # END-2, END-5: `stop` stays open after the declaration; 'end' is offered only once.
    table = lay_table("avalon-hill-powers", 3, SAFE_PAIR, hand="9I 8H 7I", pile="")
    asked = run(play_turn(table), "power place-four", "9I end", "stop")
    assert asked[1].answers == ["8H", "7I", "9I", "8H end", "7I end", "9I end", "stop"]
    assert asked[2].answers == ["8H", "7I", "stop", "enough tiles"]
    assert table.events.count("EndDeclared seat=0") == 1


def test_three_free_costs_nothing_and_at_least_one_is_taken() -> None:
    table = powers_table("", pile="")
    table.cash[0] = 0
    asked = run(play_turn(table), "power three-free", "buy 1 Luxor 2 Tower")
    assert asked[0].answers == ["no power", "power three-free"]  # PWR-7: nothing could be bought
    assert asked[1].text == "ChoosePurchase seat=0 terms=three-free"
    assert "buy nothing" not in (asked[1].answers or [])
    assert table.events[-1] == "SharesBought seat=0 shares=1,2,0,0,0,0,0 cost=0"


def test_buy_five() -> None:
    table = powers_table("", pile="")
    asked = run(play_turn(table), "power buy-five", "buy 3 Luxor 2 Tower")
    assert (asked[1].answers or [])[-1] == "buy 5 Tower"
    assert len(asked[1].answers or []) == 1 + 2 + 3 + 4 + 5 + 6
    assert table.cash[0] == 5000


def test_trade_two_then_the_usual_purchase() -> None:
    table = powers_table("", pile="")
    give_shares(table, "Tower", [4, 0, 0])
    give_shares(table, "Luxor", [0, 25, 0])
    give_shares(table, "American", [9, 0, 0])  # inactive
    assert "power trade-two" not in (run(play_turn(table), "no power", "buy nothing")[0].answers or [])
    table.return_shares(1, "Luxor", 1)
    asked = run(play_turn(table), "power trade-two", "swap 2 Tower for 1 Luxor", "buy 3 Tower")
    assert asked[1].answers == ["swap 2 Tower for 1 Luxor"]  # at least one; then none is possible
    assert table.shares[0] == {**dict.fromkeys(table.market, 0), "Tower": 5, "Luxor": 1, "American": 9}


def test_trade_two_may_be_broken_off_and_is_done_three_times_at_most() -> None:
    table = powers_table("", pile="")
    give_shares(table, "Tower", [9, 0, 0])
    swap = "swap 2 Tower for 1 Luxor"
    asked = run(play_turn(table), "power trade-two", swap, swap, swap, "buy nothing")
    assert [question.text for question in asked[1:4]] == [f"ChoosePairTrade seat=0 number={number}" for number in (1, 2, 3)]
    # By then, three shares of Luxor for one of Tower would also be possible.
    assert asked[3].answers == ["swap 2 Luxor for 1 Tower", swap, "enough swaps"]
    table.powers[0].clear()
    run(play_turn(table), "power trade-two", swap, "enough swaps", "buy nothing")
    assert table.shares[0]["Tower"] == 1


# --- trading between players -----------------------------------------------------------------------


def trading_table() -> Table:
    table = lay_table("reference-trading", 3, {"Tower": "1A 2A"}, hand="9I")
    give_shares(table, "Tower", [3, 0, 1])
    give_shares(table, "Luxor", [0, 2, 0])
    return table


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("no offer", True),
        ("offer seat 1: 3 Tower $500 for 1 Luxor", True),
        ("offer seat 1: 3 Tower for 25 Luxor 1 Imperial", True),  # TRD-2: asked of any holder
        ("offer seat 1: 1 Tower for $100000", True),
        ("offer seat 1: 1 Tower for $100100", False),
        ("offer seat 1: 1 Tower for 26 Luxor", False),
        ("offer seat 0: 1 Tower for 1 Luxor", False),  # oneself
        ("offer seat 3: 1 Tower for 1 Luxor", False),  # nobody
        ("offer seat 1: 4 Tower for 1 Luxor", False),  # TRD-2
        ("offer seat 1: $6100 for 1 Luxor", False),
        ("offer seat 1: $150 for 1 Luxor", False),  # TRD-3
        ("offer seat 1: 1 Tower for 1 Tower", False),
        ("offer seat 1: $100 for $200", False),
        ("offer seat 1: 1 Tower $100 for 1 Luxor $200", False),
        ("offer seat 1: 0 Tower for 1 Luxor", False),
        ("offer seat 1: $0 for 1 Luxor", False),
        ("offer seat 1: 01 Tower for 1 Luxor", False),
        ("offer seat 1: $500 3 Tower for 1 Luxor", False),  # not as VOCABULARY.md writes it
        ("offer seat 1: 1 Tower for 1 Tower 1 Luxor", False),
        ("offer seat 1: 1 Tower for 1 American 1 Luxor", False),  # not in chain order
        ("offer seat 1: 1 Tower 1 Tower for 1 Luxor", False),
        ("offer seat 1: 1 Nobody for 1 Luxor", False),
        ("offer seat 1: 1 Tower for ", False),
        ("offer seat 1: for 1 Luxor", False),
        ("offer seat -1: 1 Tower for 1 Luxor", False),
        ("offer seat 1: 1 Tower for 1 Luxor ", False),
        ("offer seat 1: 1 Tower for 1 Luxor\n", False),
        ("", False),
    ],
)
def test_which_offers_are_legal(text: str, legal: bool) -> None:
    assert is_legal_text(trading_table(), text) is legal


@pytest.mark.parametrize(("own", "asked"), [([1, 0, 2], [2, 2, 1]), ([0, 0], [1, 3]), ([2, 1, 0, 1], [1] * 4)])
def test_the_number_of_offers_by_brute_force(own: list[int], asked: list[int]) -> None:
    # Each number means nothing, then given, then asked, as VOCABULARY.md lists them.
    found = 0
    for offer in product(*(range(1 + have + want) for have, want in zip(own, asked, strict=True))):
        given = any(0 < number <= have for number, have in zip(offer, own, strict=True))
        wanted = any(number > have for number, have in zip(offer, own, strict=True))
        found += given and wanted
    assert count_answers(3, own, asked) == 1 + 3 * found


def test_the_oracle_counts_offers_at_the_start() -> None:
    # $6,000 and no share: 60 ways to give cash for some of seven times 25 shares, from either of two partners.
    order = [f"{column}{letter}" for letter in "ABCDEFGHI" for column in range(1, 13)]
    oracle = Oracle(PRESETS["reference-trading"], 3, order, lambda _, pile: pile[0])
    assert oracle.offer_count() == 1 + 2 * 60 * (26**7 - 1)
    with pytest.raises(LookupError, match="ChooseOffer"):
        oracle.answers()
    with pytest.raises(ValueError, match="no offer"):
        oracle.answer("offer seat 1: 1 Tower for 1 Luxor")
    assert oracle.answer("offer seat 2: $500 for 1 Luxor")[0].startswith("TradeOffered seat=0 partner=2")
    assert (oracle.question(), oracle.answers()) == ("ChooseReply seat=2 proposer=0", ["decline"])


def test_an_accepted_trade() -> None:
    table = trading_table()
    text = "offer seat 1: 3 Tower $500 for 2 Luxor"
    asked = run(trade_with_players(table), text, "accept", "no offer")
    assert [question.text for question in asked] == [
        "ChooseOffer seat=0 left=3",
        "ChooseReply seat=1 proposer=0",
        "ChooseOffer seat=0 left=2",
    ]
    given, taken = "give_shares=0,3,0,0,0,0,0 give_cash=500", "take_shares=2,0,0,0,0,0,0 take_cash=0"
    assert table.events == [
        f"TradeOffered seat=0 partner=1 {given} {taken}",
        "TradeAnswered seat=1 accepted=yes",
    ]
    assert (table.cash, table.shares[0]["Luxor"], table.shares[1]["Tower"]) == ([5500, 6500, 6000], 2, 3)


def test_no_more_offers_than_the_knob_allows_and_none_by_who_has_nothing() -> None:
    table = trading_table()
    text = "offer seat 2: 1 Tower for 1 Imperial"
    run(trade_with_players(table), text, "decline", text, "decline", text, "decline")
    table.cash[0] = 0
    table.return_shares(0, "Tower", 3)
    assert run(trade_with_players(table)) == []
