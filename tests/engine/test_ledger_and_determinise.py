"""Books kept from announcements, and full games made from what a seat knows."""

from collections import Counter
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mergemaker_engine.audit import audit
from mergemaker_engine.board import CELL
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChooseDisposal, ChooseExchange, ChooseOffer, ChooseReply
from mergemaker_engine.determinise import determinise
from mergemaker_engine.errors import ViewError
from mergemaker_engine.events import Event, HandShown, SharesBought, StartTilePlaced, TilesReceived, TurnBegan, audience
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.notation import parse_action, parse_position, parse_square, position_text
from mergemaker_engine.playout import play_out
from mergemaker_engine.rules import Assets, preset
from mergemaker_testkit.strategies import STEADY, Played, Table, played_games

SEED: Final = bytes(range(32))
ANSWERS_TRIED_MAX: Final = 8
HIDDEN_CLASSIC: Final = "rules renegade-classic assets=hidden"


def _books(seats: int, events: list[Event], seat: int | None) -> Ledger:
    """The books of a seat or of the public, from the events that it may see."""
    ledger = Ledger(seats)
    for event in events:
        if audience(event) in (None, seat):
            ledger.observe(event)
    return ledger


def _hidden(table: Table) -> bool:
    return table.is_hidden


# --- the ledger ---


@pytest.mark.rule("VIS-2")
@settings(STEADY, max_examples=60)
@given(played=played_games())
def test_the_books_of_every_seat_are_right(played: Played) -> None:
    game = played.game
    for seat in (None, *range(game.seats)):
        ledger = _books(game.seats, played.events, seat)
        assert ledger.cash == game.cash
        assert ledger.shares == [game.shares[other :: game.seats] for other in range(game.seats)]


@pytest.mark.rule("PLC-9", "VIS-1")
@settings(STEADY, max_examples=60)
@given(played=played_games(min_answers=250, of=lambda table: table.rules.unplayable_hand != "skip"))
def test_tiles_that_a_seat_showed_and_still_has_are_known(played: Played) -> None:
    game = played.game
    ledger = _books(game.seats, played.events, None)
    shown = [event for event in played.events if isinstance(event, HandShown)]
    for seat in range(game.seats):
        known = ledger.known_tiles(seat)
        assert {CELL[square] for square in known} <= set(game.hands[seat])
        last = [event for event in shown if event.seat == seat][-1:]
        expected = {square for event in last for square in event.squares if CELL[square] in game.hands[seat]}
        assert known == expected


def _seen(ledger: Ledger) -> tuple[list[int], list[list[int]], list[frozenset[int]]]:
    seats = range(len(ledger.cash))
    return ledger.cash[:], [held[:] for held in ledger.shares], [ledger.known_tiles(seat) for seat in seats]


@settings(STEADY, max_examples=60)
@given(played=played_games(min_answers=50), at=st.integers(0, 2_000))
def test_books_are_copied_whole_and_apart(played: Played, at: int) -> None:
    # Wherever the copy is made, even during a merger or an offer, both continue to the same books.
    seats, cut = played.game.seats, at % len(played.events)
    ledger = _books(seats, played.events[:cut], None)
    before = _seen(ledger)
    twin = ledger.copy()
    for event in played.events[cut:]:
        twin.observe(event)
    assert _seen(ledger) == before
    for event in played.events[cut:]:
        ledger.observe(event)
    assert _seen(ledger) == _seen(twin)
    assert ledger.cash == played.game.cash


def test_a_ledger_ignores_what_moves_neither_money_nor_shares() -> None:
    ledger = Ledger(2)
    for event in (StartTilePlaced(0, 5), TilesReceived(1, (1, 2)), TurnBegan(0, 1)):
        ledger.observe(event)
    assert (ledger.cash, ledger.shares) == ([6000, 6000], [[0] * 7, [0] * 7])
    assert ledger.known_tiles(0) == ledger.known_tiles(1) == frozenset()


@pytest.mark.rule("FND-2", "VIS-2")
def test_what_a_founder_gets_in_place_of_a_share_is_in_the_books() -> None:
    # Random games never found a chain whose stock is all in players' hands.
    text = f"{HIDDEN_CLASSIC}\nseats 3\nboard\n  A o...........\nseat 0 tiles 2A\nseat 1 shares I25"
    game = parse_position(text)
    books = Ledger(3)
    for answer in ("2A", "found Imperial"):
        for event in game.apply(parse_action(answer, game.rules)):
            books.observe(event)
    assert books.cash == game.cash == [6400, 6000, 6000]


# --- determinise ---


def _check_made(game: Game, made: Game) -> None:
    """Checks that a game agrees with another one in all that the asked seat knows."""
    decision = game.decision
    assert decision is not None
    assert made.decision == decision
    assert made.view(decision.seat) == game.view(decision.seat)
    assert audit(made) == ()
    assert made.start_events == ()
    ours, theirs = game.legal(), made.legal()
    assert len(ours) == len(theirs)
    if not isinstance(decision, ChooseOffer):
        assert list(ours) == list(theirs)


def _check_playable(made: Game, chances: Chances) -> None:
    """Checks that answers lead to a sound game, and that one can be played to its end."""
    legal = made.legal()
    for _ in range(ANSWERS_TRIED_MAX):
        twin = made.copy()
        twin.apply(legal[chances.below(len(legal))])
        assert audit(twin) == ()
    play_out(made, chances)
    assert audit(made) == ()


@settings(STEADY, max_examples=90)
@given(played=played_games(), chance=st.integers(0, 255))
def test_a_made_game_agrees_with_its_view(played: Played, chance: int) -> None:
    game, decision = played.game, played.game.decision
    assume(decision is not None)
    assert decision is not None
    chances = Chances(bytes([chance]) * 32, "determinise")
    ledger = _books(game.seats, played.events, decision.seat)
    before = position_text(game)
    made = determinise(game.view(decision.seat), chances, ledger)
    _check_made(game, made)
    assert made.cash == game.cash
    assert made.shares == game.shares
    for other in range(game.seats):
        assert {CELL[square] for square in ledger.known_tiles(other)} <= set(made.hands[other])
    _check_playable(made, chances)
    assert position_text(game) == before


@settings(STEADY, max_examples=90)
@given(played=played_games(of=_hidden), chance=st.integers(0, 255))
def test_without_books_a_made_game_agrees_with_its_view_too(played: Played, chance: int) -> None:
    game, decision = played.game, played.game.decision
    assume(decision is not None)
    assert decision is not None
    chances = Chances(bytes([chance]) * 32, "determinise")
    made = determinise(game.view(decision.seat), chances)
    _check_made(game, made)
    _check_playable(made, chances)


@settings(STEADY, max_examples=60)
@given(played=played_games(max_answers=150), chance=st.integers(0, 255))
def test_equal_streams_make_equal_games(played: Played, chance: int) -> None:
    decision = played.game.decision
    assume(decision is not None)
    assert decision is not None
    view = played.game.view(decision.seat)
    one, same, other = (determinise(view, Chances(bytes([seed]) * 32, "determinise")) for seed in (chance, chance, chance ^ 1))
    assert position_text(one) == position_text(same)
    assert one.deal == same.deal != other.deal


def test_every_tile_that_is_not_seen_is_as_likely_in_a_hand_as_any_other() -> None:
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(SEED))
    decision = game.decision
    assert decision is not None
    view = game.view(decision.seat)
    chances = Chances(SEED, "determinise")
    other = (decision.seat + 1) % 3
    games = 3_000
    counts = Counter(cell for _ in range(games) for cell in determinise(view, chances).hands[other])
    unseen = 108 - 3 - 6
    expected = games * 6 / unseen
    assert len(counts) == unseen
    # The 99.9 % point of chi-square with 98 degrees of freedom.
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 144.6


@pytest.mark.rule("PWR-1")
@pytest.mark.rule("TWO-6")
def test_market_draws_that_a_deal_names_are_no_more_than_chances_in_a_game_that_is_made() -> None:
    game = Game(preset("renegade-classic"), 2, Deal(range(108), market_tiles=[100, 101]))
    assert determinise(game.view(0), Chances(SEED, "x")).deal.market_tiles == ()


def test_powers_that_were_used_are_used_in_the_game_that_is_made() -> None:
    game = parse_position(
        "rules avalon-hill-powers\nseats 3\nturn 9 seat 0\nboard\n  A TT..........\nseat 0 tiles 5E\nseat 2 powers three-free\n"
    )
    made = determinise(game.view(0), Chances(SEED, "determinise"))
    assert made.powers_used == game.powers_used != [0, 0, 0]


def test_a_copy_of_books_is_equal_and_shares_nothing() -> None:
    books = Ledger(2)
    twin = books.copy()
    books.observe(SharesBought(1, (3, 0, 0, 0, 0, 0, 0), 600))
    books.observe(HandShown(0, (5,)))
    assert (twin.cash, twin.shares, twin.known_tiles(0)) == ([6_000, 6_000], [[0] * 7, [0] * 7], frozenset())
    later = books.copy()
    assert (later.cash, later.shares) == (books.cash, books.shares) == ([6_000, 5_400], [[0] * 7, [3] + [0] * 6])
    assert later.known_tiles(0) == {5}


def test_shares_that_are_hidden_go_to_all_who_may_have_them() -> None:
    game = parse_position(f"{HIDDEN_CLASSIC}\nseats 3\nboard\n  A TT..........\nseat 0 tiles 5E\nseat 1 shares T1\n")
    chances = Chances(SEED, "determinise")
    holders = Counter(determinise(game.view(0), chances).shares.index(1) for _ in range(1_000))
    assert set(holders) == {1, 2}
    assert 400 < holders[1] < 600


@pytest.mark.rule("MRG-9")
def test_holdings_that_were_shown_are_kept_without_books() -> None:
    game = parse_position(
        f"{HIDDEN_CLASSIC}\nseats 3\nturn 9 seat 0\nboard\n  E ...SS.TTT...\n"
        "seat 0 tiles 6E shares S2\nseat 1 shares S1\nseat 2 shares S5 T1\n"
    )
    game.apply(parse_action("6E", game.rules))
    assert isinstance(game.decision, ChooseDisposal)
    for chance in range(20):
        made = determinise(game.view(0), Chances(bytes([chance]) * 32, "determinise"))
        assert made.shares[3:6] == [2, 1, 5]


@pytest.mark.rule("PLC-9")
def test_tiles_that_were_shown_stay_in_their_hand() -> None:
    game = parse_position(
        "rules avalon-hill\nseats 3\nturn 8 seat 0\nboard\n  A TTTTTTTTTTTT\n  C LLLLLLLLLLLL\n  I .....AA.....\n"
        "seat 0 tiles 3B 5B 7B\nseat 1 tiles 9E\nseat 2 tiles 9G\n"
    )
    ledger = _books(3, [*game.start_events], 1)
    for event in game.apply(parse_action("buy nothing", game.rules)):
        ledger.observe(event)
    if isinstance(game.decision, ChooseExchange):
        for event in game.apply(parse_action("no exchange", game.rules)):
            ledger.observe(event)
    shown = {CELL[parse_square(name)] for name in ("3B", "5B", "7B")}
    assert {CELL[square] for square in ledger.known_tiles(0)} == shown
    for chance in range(20):
        made = determinise(game.view(1), Chances(bytes([chance]) * 32, "determinise"), ledger)
        assert shown <= set(made.hands[0])
        assert len(made.hands[0]) == len(game.hands[0])
        assert audit(made) == ()


@pytest.mark.rule("TRD-2")
def test_who_offered_has_what_he_offers_without_books() -> None:
    game = parse_position(
        "rules reference-trading assets=hidden\nseats 4\nturn 9 seat 0\nboard\n  A TT..........\n"
        "seat 0 cash 9000 tiles 5E shares T3\nseat 1 cash 100\nseat 2 shares T2\n"
    )
    game.apply(parse_action("offer seat 1: 3 Tower for $100", game.rules))
    assert isinstance(game.decision, ChooseReply)
    for chance in range(20):
        made = determinise(game.view(1), Chances(bytes([chance]) * 32, "determinise"))
        made.apply(parse_action("accept", game.rules))
        assert audit(made) == ()


@pytest.mark.rule("TRD-2")
def test_who_offered_cash_has_it_without_books() -> None:
    game = parse_position(
        "rules reference-trading assets=hidden\nseats 3\nturn 9 seat 0\nboard\n  A TT..........\n"
        "seat 0 cash 9000 tiles 5E\nseat 1 shares T3\n"
    )
    game.apply(parse_action("offer seat 1: $9000 for 3 Tower", game.rules))
    made = determinise(game.view(1), Chances(SEED, "determinise"))
    made.apply(parse_action("accept", game.rules))
    assert audit(made) == ()


# --- refusals ---


def test_only_the_view_of_the_seat_that_is_asked_is_made_into_a_game() -> None:
    game = Game(preset("renegade-classic"), 3, Deal.from_seed(SEED))
    decision = game.decision
    assert decision is not None
    over = game.copy()
    play_out(over, Chances(SEED, "play"))
    for view in (game.public_view(), game.view((decision.seat + 1) % 3), over.view(0)):
        with pytest.raises(ViewError, match="the seat that is asked") as refusal:
            determinise(view, Chances(SEED, "determinise"))
        assert refusal.value.reason == "nothing-asked"


def test_books_that_do_not_agree_with_the_view_are_refused() -> None:
    rules = replace(preset("renegade-classic"), assets=Assets.HIDDEN)
    game = Game(rules, 3, Deal.from_seed(SEED))
    chances = Chances(SEED, "answers")
    while game.market == [25] * 7 or game.decision is None or game.shares[game.decision.seat :: 3] != [0] * 7:
        game.apply(game.legal()[chances.below(len(game.legal()))])
    with pytest.raises(ViewError, match="give it every event from the first on") as refusal:
        determinise(game.view(game.decision.seat), chances, Ledger(3))
    assert refusal.value.reason == "ledger-disagrees"
