"""Rules that a scenario cannot show: what views contain and omit, and what is announced."""

from dataclasses import fields, replace

import pytest
from mergemaker_engine.deal import Chances, Deal
from mergemaker_engine.decisions import ChoosePower, ChooseTile
from mergemaker_engine.events import Event, TilesReceived, audience, seen_by
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.notation import parse_action, parse_position, parse_square, position_text
from mergemaker_engine.rules import PRESETS, Assets, Rules, preset
from mergemaker_engine.views import View

ANSWERS_MAX = 2_000
MODEST_OFFERS = 50

# Two cannot play on the chart with three holders (SET-6).
TABLES = [(name, seats) for name in PRESETS for seats in (2, 3, 6) if (name, seats) != ("renegade-tycoon", 2)]

# Seat 1 has the turn. In the tests, seats 0 and 2 hide different things.
POSITION = """
rules {rules}
seats 3
turn 9 seat 1
board
  A TT.LL.......
  E ..o.........
seat 0 cash {cash} tiles {left} shares {held}
seat 1 cash 4000 tiles 5G 7G
seat 2 cash 6000 tiles 9G 11G
pile {pile}
aside 12A 12B
"""


def _position(
    rules: str = "avalon-hill",
    cash: int = 5000,
    left: str = "1I 3I",
    held: str = "T3",
    pile: str = "5I 7I rest",
) -> Game:
    return parse_position(POSITION.format(rules=rules, cash=cash, left=left, held=held, pile=pile))


def _played(rules: Rules, seats: int, seed: int, answers: int = ANSWERS_MAX) -> tuple[Game, list[Event]]:
    """A game with random answers, at its end or after `answers` answers, and everything that was announced."""
    game = Game(rules, seats, Deal.from_seed(bytes([seed]) * 32))
    chances = Chances(bytes([seed]) * 32, "answers")
    events = list(game.start_events)
    for _ in range(answers):
        if game.decision is None:
            break
        legal = game.legal()
        # Most offers ask for shares that nobody has; the first ones in the list are modest.
        listed = min(len(legal), MODEST_OFFERS) if chances.below(2) else len(legal)
        events += game.apply(legal[chances.below(listed)])
    return game, events


@pytest.mark.rule("VIS-1")
@pytest.mark.parametrize("seat", [1, None])
def test_views_do_not_depend_on_the_hands_of_others_or_the_pile(seat: int | None) -> None:
    one = _position(left="1I 3I", pile="5I 7I rest")
    other = _position(left="5I 7I", pile="3I 1I rest")

    def seen(game: Game) -> View:
        return game.public_view() if seat is None else game.view(seat)

    assert position_text(one) != position_text(other)
    assert seen(one) == seen(other)


@pytest.mark.rule("VIS-1")
def test_a_seat_sees_its_own_hand_and_the_public_sees_none() -> None:
    game = _position()
    assert game.view(1).hand == (parse_square("5G"), parse_square("7G"))
    assert game.public_view().hand == ()


@pytest.mark.rule("VIS-1", "TBL-2")
@pytest.mark.parametrize("preset_name", PRESETS)
def test_board_market_pile_and_tiles_set_aside_are_in_every_view(preset_name: str) -> None:
    game, _ = _played(preset(preset_name), 3, seed=7, answers=120)
    for view in (game.public_view(), *(game.view(seat) for seat in range(3))):
        assert view.market == tuple(game.market)
        assert view.sizes == tuple(game.sizes)
        assert view.pile == len(game.deal.order) - game.drawn
        assert len(view.set_aside) == len(game.aside)
        assert sum(map(bool, view.board)) == sum(map(bool, game.board))
        assert view.hand_sizes == tuple(map(len, game.hands))


@pytest.mark.rule("VIS-2", "VIS-4")
@pytest.mark.parametrize("preset_name", PRESETS)
def test_only_drawn_tiles_are_told_to_one_seat_alone(preset_name: str) -> None:
    _, events = _played(preset(preset_name), 3, seed=3)
    private = {type(event) for event in events if audience(event) is not None}
    assert private == {TilesReceived}
    assert all(audience(event) == event.seat for event in events if isinstance(event, TilesReceived))


@pytest.mark.rule("VIS-1", "VIS-2")
@pytest.mark.parametrize("preset_name", PRESETS)
@pytest.mark.parametrize("seat", [0, 2, None])
def test_a_seat_sees_its_own_tiles_and_what_is_public(preset_name: str, seat: int | None) -> None:
    _, events = _played(preset(preset_name), 3, seed=3)
    secret = [event for event in events if isinstance(event, TilesReceived) and event.seat != seat]
    seen = seen_by(seat, iter(events))
    assert secret
    assert list(seen) == [event for event in events if event not in secret]
    assert any(isinstance(event, TilesReceived) for event in seen) is (seat is not None)


@pytest.mark.rule("VIS-3")
@pytest.mark.parametrize(("assets", "makes_a_difference"), [("hidden", False), ("open", True)])
@pytest.mark.parametrize("seat", [1, None])
def test_hidden_cash_of_others_makes_no_difference_to_a_view(seat: int | None, assets: str, makes_a_difference: bool) -> None:
    def seen(cash: int) -> View:
        game = _position(rules=f"avalon-hill assets={assets}", cash=cash)
        return game.public_view() if seat is None else game.view(seat)

    assert (seen(cash=100) != seen(cash=9000)) is makes_a_difference


@pytest.mark.rule("VIS-3")
def test_with_hidden_assets_a_seat_sees_its_own_and_nobody_elses() -> None:
    view = _position().view(1)
    assert view.cash == (None, 4000, None)
    assert view.shares == (None, (0,) * 7, None)
    assert _position().public_view().cash == (None, None, None)


@pytest.mark.rule("VIS-3")
def test_who_of_the_others_holds_the_shares_that_are_out_makes_no_difference() -> None:
    def game(holder: int) -> Game:
        return parse_position(
            f"""
            rules avalon-hill
            seats 3
            turn 2 seat 1
            board
              A TT..........
            seat {holder} shares T3
            seat 1 tiles 5E
            """
        )

    assert game(holder=0).view(1) == game(holder=2).view(1)
    assert game(holder=0).view(0) != game(holder=2).view(0)


@pytest.mark.rule("MRG-9")
def test_holdings_of_the_chain_being_acquired_are_in_every_view_while_assets_are_hidden() -> None:
    game = parse_position(
        """
        rules avalon-hill
        seats 3
        turn 9 seat 0
        board
          E ...LL.TTT...
        seat 0 tiles 6E shares L2
        seat 2 shares L5 T1
        """
    )
    game.apply(parse_action("6E", game.rules))
    for view in (game.public_view(), *(game.view(seat) for seat in range(3))):
        assert view.merger is not None
        assert view.merger.holdings == (2, 0, 5)
    assert game.view(1).shares == (None, (0,) * 7, None)


@pytest.mark.rule("VIS-4")
def test_whether_another_seat_was_asked_something_cannot_be_seen() -> None:
    game = _position(rules="avalon-hill-powers")
    assert isinstance(game.decision, ChoosePower)
    before = (game.view(0), game.view(2), game.public_view())
    for _ in range(2):
        assert game.apply(parse_action("no power", game.rules)) == ()
    assert isinstance(game.decision, ChooseTile)
    assert (game.view(0), game.view(2), game.public_view()) == before
    assert {view.decision for view in before} == {None}
    assert {view.agenda for view in before} == {()}
    assert game.view(1).decision == game.decision


@pytest.mark.rule("VIS-4", "PWR-1")
def test_used_powers_are_in_every_view() -> None:
    game = _position(rules="avalon-hill-powers")
    game.apply(parse_action("power take-five", game.rules))
    for view in (game.public_view(), *(game.view(seat) for seat in range(3))):
        assert view.powers_used == ((), ("take-five",), ())
        assert view.hand_sizes == (2, 7, 2)


@pytest.mark.rule("END-6")
def test_when_the_game_is_over_every_view_holds_all_cash_and_shares() -> None:
    game, _ = _played(preset("avalon-hill"), 3, seed=5)
    assert game.result is not None
    for view in (game.public_view(), game.view(0)):
        assert view.cash == game.result.cash
        assert None not in view.shares


@pytest.mark.rule("VIS-2", "VIS-3", "TBL-4")
@pytest.mark.parametrize(("preset_name", "seats"), TABLES)
def test_who_writes_down_what_is_announced_knows_all_cash_and_shares(preset_name: str, seats: int) -> None:
    # The older rules forbid such notes; nothing here can prevent them.
    rules = replace(preset(preset_name), assets=Assets.HIDDEN)
    for answers in (40, 200, ANSWERS_MAX):
        game, events = _played(rules, seats, seed=seats, answers=answers)
        books = Ledger(seats)
        for event in events:
            if audience(event) is None:
                books.observe(event)
        assert books.cash == game.cash
        assert books.shares == [game.shares[seat::seats] for seat in range(seats)]


@pytest.mark.rule("SET-1", "SET-2", "SET-5")
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_dealt_game_has_every_tile_once_and_all_shares_in_the_market(seats: int) -> None:
    game = Game(preset("renegade-classic"), seats, Deal.from_seed(bytes(32)))
    placed = [cell for cell, label in enumerate(game.board) if label]
    tiles = [*placed, *b"".join(game.hands), *game.deal.cells[game.drawn :]]
    assert sorted(tiles) == sorted(game.deal.cells)
    assert len(set(tiles)) == 108
    assert [len(hand) for hand in game.hands] == [6] * seats
    assert game.market == [25] * 7
    assert game.cash == [6000] * seats


@pytest.mark.rule("TWO-5", "TWO-6")
def test_every_tile_of_the_pile_can_be_shown_to_the_market_and_none_else() -> None:
    deal = Deal.from_seed(bytes(32))
    for left in (1, 2, 12):
        assert {deal.market_index(draw, left) for draw in range(40 * left)} == set(range(left))


@pytest.mark.rule("VIS-1")
def test_a_view_has_no_field_for_the_pile_or_other_hands() -> None:
    names = {part.name for part in fields(View)}
    assert names.isdisjoint({"hands", "deal", "order", "seed", "tiles"})


SKIPPED = ("TurnBegan", "PlacingSkipped")
SHOWN = ("TurnBegan", "HandShown", "PlacingSkipped")
REDRAWN = ("TurnBegan", "HandShown", "TilesSetAside", "TilesDrawn", "TilesReceived")
UNPLAYABLE = {
    "renegade-classic": SKIPPED,
    "renegade-tycoon": SKIPPED,
    "avalon-hill": SHOWN,
    "avalon-hill-powers": SHOWN,
    "corporations": SKIPPED,
    "reference": REDRAWN,
    "reference-trading": REDRAWN,
}


@pytest.mark.rule("PLC-9")
@pytest.mark.parametrize("name", PRESETS)
def test_what_every_preset_does_with_a_hand_of_which_nothing_can_be_placed(name: str) -> None:
    chain, other = preset(name).chain_names[0][0], preset(name).chain_names[-1][0]
    board = f"board\n  A {chain * 12}\n  C {other * 12}"
    game = parse_position(f"rules {name}\nseats 3\n{board}\nseat 0 cash 0 tiles 5B\npile 7G rest")
    events = list(game.start_events)
    if isinstance(game.decision, ChoosePower):
        events += game.apply(game.legal()[0])
    assert tuple(type(event).__name__ for event in events) == UNPLAYABLE[name]
