"""A whole game, turn by turn, in the order of TRN-1, up to the last payments."""

from .board import in_deal_order
from .buying import choose_power, purchase, trade_two, useful_buying_powers
from .placing import place_tile
from .settlement import pay_bonuses
from .table import HAND_TILES, Question, Script, Table, set_up
from .texts import counts, line, place_text
from .trading import trade_with_players

TAKE_FIVE_TILES = 5  # PWR-6
PLACE_FOUR_TILES = 4  # PWR-5


def play_game(table: Table) -> Script:
    """Set up, then play turns until the game ends."""
    set_up(table)
    reason = None
    while reason is None:
        yield from play_turn(table)
        reason = reason_to_end(table)
        if reason is None:
            table.seat = (table.seat + 1) % table.seats
    finish(table, reason)


def play_turn(table: Table) -> Script:
    """Play one turn (TRN-1)."""
    table.turn += 1
    table.power_this_turn = False
    table.active_turn = False
    table.say("TurnBegan", seat=table.seat, turn=table.turn)
    redraw_hand(table)
    yield from trade_with_players(table)
    if (yield from choose_power(table, "start", ["take-five"] if table.pile else [])):
        table.draw(table.seat, TAKE_FIVE_TILES)
    # PWR-7: Place four is offered only with a placeable tile.
    useful = ["place-four"] if table.placeable(table.seat) else []
    placing_power = yield from choose_power(table, "placing", useful)
    yield from place_tiles(table, PLACE_FOUR_TILES if placing_power else 1)
    if table.stopped:
        return
    power = yield from choose_power(table, "buying", useful_buying_powers(table))
    if power == "trade-two":
        yield from trade_two(table)
    yield from purchase(table, power)
    draw_up(table)
    yield from exchange_dead_tiles(table)
    table.quiet_turns = 0 if table.active_turn else table.quiet_turns + 1  # END-4


def reason_to_end(table: Table) -> str | None:
    """Say why the game ends after this turn, or None."""
    if table.declared:  # END-2: even if the condition no longer holds
        return "declared"
    if table.quiet_turns >= table.seats:  # END-4
        return "stuck"
    return None


def redraw_hand(table: Table) -> None:
    """Replace a whole hand without a playable tile (knob `unplayable_hand`)."""
    seat = table.seat
    hand = table.hands[seat]
    if table.rules.unplayable_hand != "redraw" or not hand or not table.pile or table.placeable(seat):
        return
    _show_hand(table)
    table.draw(seat, table.put_aside(seat, hand))


def _show_hand(table: Table) -> None:
    seat = table.seat
    table.say("HandShown", seat=seat, squares=in_deal_order(table.hands[seat]))


def place_tiles(table: Table, most: int) -> Script:
    """Place one tile, or up to four under Place four; or stop if that is allowed (END-2)."""
    seat = table.seat
    for number in range(1, most + 1):
        placeable = table.placeable(seat)  # judged again after each tile
        if not placeable:
            if number == 1:  # PLC-9
                _skip_placing(table)
            return
        options = _tile_options(table, placeable)
        may_stop = table.rules.after_declaring == "finish-or-stop" and (table.declared or table.end_may_be_declared())
        answers = list(options)
        if may_stop:
            answers.append("stop")
        if number > 1:
            answers.append("enough tiles")  # PWR-5: may stop after any
        text = line("ChooseTile", seat=seat, number=number, most=most)
        answer = yield Question(seat, text, answers)
        if answer == "enough tiles":
            return
        if answer == "stop":
            _declare(table)
            table.stopped = True
            return
        square, declare = options[answer]
        if declare:
            _declare(table)
        yield from place_tile(table, square)


def _tile_options(table: Table, placeable: list[str]) -> dict[str, tuple[str, bool]]:
    # In ascending code: all tiles without 'end', then all with it.
    declaring = (False, True) if table.end_may_be_declared() else (False,)
    return {place_text(square, declare=declare): (square, declare) for declare in declaring for square in placeable}


def _skip_placing(table: Table) -> None:
    # An empty hand is not shown (knob `unplayable_hand`).
    if table.rules.unplayable_hand == "show" and table.hands[table.seat]:
        _show_hand(table)
    table.say("PlacingSkipped", seat=table.seat)


def _declare(table: Table) -> None:
    # END-2. A seat that stops may have declared with an earlier tile of Place four.
    if not table.declared:
        table.declared = True
        table.say("EndDeclared", seat=table.seat)


def draw_up(table: Table) -> None:
    """Fill the hand up to six; a hand of six or more draws nothing (DRW-1, PWR-6)."""
    missing = HAND_TILES - len(table.hands[table.seat])
    if missing > 0:
        table.draw(table.seat, missing)


def exchange_dead_tiles(table: Table) -> Script:
    """Exchange all dead tiles or none, as the knob `dead_tiles` says (DRW-2)."""
    seat = table.seat
    first = True
    while table.pile and table.dead(seat):  # DRW-3: eighth-chain tiles do not count as dead
        # What the rules force is not a decision; only a choice is.
        forced = first and table.rules.dead_tiles in ("forced", "forced-then-optional")
        if not forced:
            answer = yield Question(seat, line("ChooseExchange", seat=seat), ["no exchange", "exchange"])
            if answer == "no exchange":
                return
        table.draw(seat, table.put_aside(seat, table.dead(seat)))
        if table.rules.dead_tiles != "forced-then-optional":  # once; a dead replacement waits
            return
        first = False


def finish(table: Table, reason: str) -> None:
    """End the game: last bonuses, last sales, the places (END-3, END-6)."""
    table.say("GameEnded", reason=reason)
    for seat in range(table.seats):
        shares = counts(table.shares[seat], table.rules.chains)
        table.say("AssetsShown", seat=seat, cash=table.cash[seat], shares=shares)
    for chain in table.active():  # TWO-3: in the chains' fixed order; the board no longer changes
        price = table.price(chain)
        pay_bonuses(table, chain, price)
        for seat in range(table.seats):
            count = table.shares[seat][chain]
            if count > 0:
                table.return_shares(seat, chain, count)
                table.cash[seat] += count * price
                table.say("SharesSold", seat=seat, chain=chain, shares=count, cash=count * price)
    # Seats with equal money share a place, and the following places stay empty.
    places = [1 + sum(1 for other in table.cash if other > mine) for mine in table.cash]
    table.say("ResultReached", cash=table.cash, places=places)
    table.over = True
