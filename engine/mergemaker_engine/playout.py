"""Random games to the end, for search bots. They make no events, and list answers only if they must.

Every answer is drawn as if from the whole list of legal answers, each equally likely. One exception: as soon as the
end may be declared, one of the answers that declare it is drawn.
"""

from bisect import bisect
from collections.abc import Sequence
from typing import Final

from mergemaker_engine.actions import USUAL_PURCHASE_MAX, Action, Buy, Place, StopPlay
from mergemaker_engine.board import ALL_CHAINS, CELL, CHAINS_IN, INDEPENDENT, LABEL, ROW, SEVERAL, near
from mergemaker_engine.buying import usual_purchases
from mergemaker_engine.chains import DEAREST_PRICE
from mergemaker_engine.deal import Chances, check_chances
from mergemaker_engine.decisions import ChooseDisposal, ChooseExchange, ChooseFounded, ChoosePurchase, ChooseTile
from mergemaker_engine.disposal import disposal_options, dispose
from mergemaker_engine.drawing import CELL_BYTES, HAND_SIZE, carry_out_exchange, has_dead_tile
from mergemaker_engine.errors import SetupError
from mergemaker_engine.founding import found, founded_options
from mergemaker_engine.game import Game
from mergemaker_engine.placing import place, placeable
from mergemaker_engine.purchases import ALL_USUAL, NOTHING, all_purchases
from mergemaker_engine.shown import shown
from mergemaker_engine.state import end_allowed, set_size
from mergemaker_engine.turn import advance
from mergemaker_engine.unchecked import Unchecked

_BLIND_DRAWS_MAX: Final = 4
"""How often a purchase is drawn from all purchases before the affordable ones are listed."""
_HAND_BUT_ONE: Final = HAND_SIZE - 1
_EVENTFUL: Final = tuple(several or touched == INDEPENDENT for touched, several in enumerate(SEVERAL))
"""By what a tile touches: whether it does more than lie there or make one chain larger by one."""


def declares_end(action: Action) -> bool:
    """Whether an answer declares the end (END-2)."""
    return isinstance(action, StopPlay) or (isinstance(action, Place | Buy) and action.declare)


def _check_players(game: object, chances: object) -> None:
    if not isinstance(game, Game):
        raise SetupError("bad-game", f"a Game is played, such as Game(rules, seats, deal), not {shown(game)}")
    check_chances(chances)


def draw_answer(game: Unchecked[Game], chances: Unchecked[Chances]) -> Action:
    """A random answer to the open decision; the end is declared as soon as it may be."""
    if type(game) is not Game or type(chances) is not Chances:
        _check_players(game, chances)
    return draw_from(game, game.legal(), chances)


def draw_from(game: Game, answers: Sequence[Action], chances: Chances) -> Action:
    """The same, if you have the list of all legal answers already."""
    if end_allowed(game) and not game.declared and isinstance(game.decision, ChooseTile | ChoosePurchase):
        answers = [action for action in answers if declares_end(action)] or answers
    if len(answers) == 1:
        return answers[0]
    return answers[chances.below(len(answers))]


def play_out(game: Unchecked[Game], chances: Unchecked[Chances]) -> None:
    """Plays a game to its end with random answers. It changes the game, so pass a copy."""
    _check_players(game, chances)
    _play_out(game, chances)


def _play_out(game: Game, chances: Chances) -> None:
    while game.agenda:
        step = game.agenda[-1]
        kind = type(step)
        if kind is ChooseDisposal:
            _dispose_all(game, chances)
        elif (kind is ChooseTile or kind is ChoosePurchase) and _is_plain(game):
            _plain_turns(game, chances)
        elif kind is ChooseFounded:
            _found_any(game, chances)
            advance(game, None)
        elif kind is ChooseExchange:
            carry_out_exchange(game, exchange=chances.below_small(2) == 1, log=None)
            advance(game, None)
        else:
            game.take(draw_answer(game, chances), None)


def _dispose_all(game: Game, chances: Chances) -> None:
    """Lets every holder of an acquired chain dispose of it at random."""
    agenda = game.agenda
    step = agenda[-1]
    while type(step) is ChooseDisposal:
        options = disposal_options(game, step)
        dispose(game, step, options[chances.below_small(len(options))], None)
        step = agenda[-1]
    advance(game, None)


def _found_any(game: Game, chances: Chances) -> None:
    """Names the founded chain at random."""
    step = game.agenda[-1]
    assert type(step) is ChooseFounded, step
    names = founded_options(game)
    found(game, step, names[chances.below_small(len(names))].chain, None)


def _is_plain(game: Game) -> bool:
    """Whether the open tile or purchase is of a usual turn, and no end can be declared with it."""
    if game.declared or end_allowed(game):
        return False
    agenda = game.agenda
    return tuple(agenda) == game.tables.turns[game.seat][: len(agenda)]


def _plain_turns(game: Game, chances: Chances) -> None:
    """Plays while turns are plain: one tile that does not merge, a purchase, one tile drawn.

    It repeats what `placing`, `buying`, `drawing` and `turn` do in such turns, without a call and an agenda for each step,
    and must agree with them. It leaves anything else to them. It returns with a decision on top of the agenda, or with the
    game over.
    """
    tables = game.tables
    seats, tile_steps = tables.seats, tables.tile_steps
    board, hands, cells = game.board, game.hands, game.deal.cells
    # `steps` counts the steps of the turn that are to come.
    seat, steps = game.seat, len(game.agenda)
    while True:
        hand = hands[seat]
        if steps == tile_steps:
            if not hand:
                break
            # A random placeable tile, if any: the tile drawn first or, if that is not placeable, one of the placeable ones.
            # Each then has the same chance. If m of n are placeable, it is 1/n + (n - m)/n · 1/m = 1/m.
            cell = hand[chances.below_small(len(hand))]
            touched = board[cell - ROW] | board[cell - 1] | board[cell + 1] | board[cell + ROW]
            if _EVENTFUL[touched]:
                game.agenda = list(tables.turns[seat][:steps])
                if not _place_eventful(game, cell, touched, chances):
                    advance(game, None)
                    return
                hand = hands[seat]
            else:
                hand = hands[seat] = hand.replace(CELL_BYTES[cell], b"")
                board[cell] = touched or INDEPENDENT
                if touched:
                    chain = CHAINS_IN[touched][0]
                    set_size(game, chain, game.sizes[chain] + 1)
            game.moved = True
            steps -= 1
            if not tables.buys_next or (touched & game.safe and end_allowed(game)):
                break
        _buy_any(game, seat, chances)
        steps -= 1
        drawn = game.drawn
        if len(hand) != _HAND_BUT_ONE or drawn == len(cells):
            break
        cell = cells[drawn]
        at = bisect(hand, cell)
        hands[seat] = hand[:at] + CELL_BYTES[cell] + hand[at:]
        game.drawn = drawn + 1
        if SEVERAL[game.safe] and has_dead_tile(game, seat):
            game.moved = True
            game.agenda = list(tables.turns[seat][: steps - 1])
            if type(game.agenda[-1]) is not ChooseExchange or drawn + 1 == len(cells):
                advance(game, None)
            return
        game.idle = 0
        game.seat = seat = (seat + 1) % seats
        game.turn += 1
        game.power_used = game.moved = False
        steps = tables.turn_steps
        if steps != tile_steps:
            break
    game.agenda = list(tables.turns[seat][:steps])
    advance(game, None)


def _place_eventful(game: Game, cell: int, touched: int, chances: Chances) -> bool:
    """Places a drawn tile that founds, connects or merges. If that is not placeable, places one that is, if any.

    Returns whether the purchase is what comes next.
    """
    if SEVERAL[touched & game.safe] or (touched == INDEPENDENT and game.active == ALL_CHAINS):
        tiles = placeable(game)
        if not tiles:
            return False
        cell = CELL[tiles[chances.below_small(len(tiles))].square]
        touched = near(game.board, cell)
    step = game.agenda[-1]
    assert type(step) is ChooseTile, step
    place(game, step, cell, touched, None)
    if touched == INDEPENDENT:
        _found_any(game, chances)
    return type(game.agenda[-1]) is ChoosePurchase and not end_allowed(game)


def _buy_any(game: Game, seat: int, chances: Chances) -> None:
    """Makes a random purchase: one of a list that has all possible ones, drawn again while it is not possible.

    Rejecting impossible purchases leaves equal chances for the others.
    """
    cash = game.cash[seat]
    everything = ALL_USUAL[game.active] if cash >= DEAREST_PRICE else _within_reach(game, cash)
    if len(everything) == 1:
        return
    market, prices = game.market, game.prices
    for _draw in range(_BLIND_DRAWS_MAX):
        purchase = everything[chances.below_small(len(everything))]
        cost = 0
        for chain, count in purchase.parts:
            if count > market[chain]:
                break
            cost += count * prices[chain]
        else:
            if cost <= cash:
                break
    else:
        options = usual_purchases(game, seat)
        purchase = options[chances.below_small(len(options))]
        cost = sum([count * prices[chain] for chain, count in purchase.parts])
    if purchase is NOTHING:
        return
    game.moved = True
    game.cash[seat] = cash - cost
    shares = game.shares
    seats = game.tables.seats
    for chain, count in purchase.parts:
        # Not `-=` and `+=`: for these, compiled code makes objects of both numbers.
        held = chain * seats + seat
        market[chain] = market[chain] - count
        shares[held] = shares[held] + count


def _within_reach(game: Game, cash: int) -> tuple[Buy, ...]:
    """Every purchase of chains of which one share can be bought, and of no more shares than money could ever pay."""
    market, prices = game.market, game.prices
    labels = 0
    cheapest = DEAREST_PRICE
    for chain in CHAINS_IN[game.active]:
        price = prices[chain]
        if price <= cash and market[chain]:
            labels |= LABEL[chain]
            cheapest = min(cheapest, price)
    most = cash // cheapest
    return ALL_USUAL[labels] if most >= USUAL_PURCHASE_MAX else all_purchases(labels, most)
