"""A full game that agrees with what a seat knows, for bots that search.

What the seat cannot know is drawn at random.
"""

from collections.abc import Sequence

from mergemaker_engine.actions import POWERS
from mergemaker_engine.board import CELL, CHAINS, SQUARES, cells_of
from mergemaker_engine.chains import SHARES_PER_CHAIN, START_CASH
from mergemaker_engine.deal import SEED_BYTES, Chances, Deal, check_chances
from mergemaker_engine.decisions import ChooseReply
from mergemaker_engine.errors import ViewError
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger
from mergemaker_engine.shown import shown
from mergemaker_engine.state import set_size
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import View, labels_of


def determinise(view: View, chances: Chances, ledger: Ledger | None = None) -> Game:
    """A game in which the view's seat would see exactly this view. The rest is drawn from `chances`.

    Hands and pile are dealt anew from the tiles that the seat cannot see. Hidden cash and shares come from the
    `ledger`. Without one, the shares in players' hands are dealt to the others at random, and their cash is the
    starting cash. The view must be that of the seat that is asked, since nobody else knows what is asked.
    """
    if not isinstance(view, View):
        raise ViewError("no-view", f"a game is made from a View, such as game.view(0), not {shown(view)}")
    check_chances(chances)
    if ledger is not None and not isinstance(ledger, Ledger):
        raise ViewError("no-ledger", f"books are a Ledger, or None, not {shown(ledger)}")
    seat = view.seat
    if seat is None or view.decision is None:
        raise ViewError("nothing-asked", "only the view of the seat that is asked a decision can be made into a game")
    game = Game.from_state(tables_for(view.rules, view.seats), Deal(()))
    _take_public_part(game, view)
    others = [other for other in range(view.seats) if other != seat]
    _deal_tiles(game, view, seat, chances, ledger)
    _deal_shares(game, view, others, chances, ledger)
    for other in range(view.seats):
        known = view.cash[other]
        if known is None:
            known = ledger.cash[other] if ledger else max(START_CASH, _offered(view, other)[1])
        game.cash[other] = known
    return game


def _take_public_part(game: Game, view: View) -> None:
    for cell, label in zip(CELL, labels_of(view.board), strict=True):
        game.board[cell] = label
    for chain, size in enumerate(view.sizes):
        set_size(game, chain, size)
    game.market = list(view.market)
    game.aside = cells_of(view.set_aside)
    for seat, powers in enumerate(view.powers_used):
        game.powers_used[seat] = sum(1 << POWERS.index(power) for power in powers)
    game.seat = view.turn_seat
    game.turn = view.turn
    game.declared = view.declared
    game.power_used = view.power_used
    game.moved = view.moved
    game.idle = view.idle
    game.agenda = list(view.agenda)


def _deal_tiles(game: Game, view: View, seat: int, chances: Chances, ledger: Ledger | None) -> None:
    """Fills the other hands and the pile with the tiles that the seat cannot see.

    Tiles that a seat has shown stay in its hand.
    """
    shown = [set(ledger.known_tiles(other)) if ledger and other != seat else set() for other in range(view.seats)]
    seen = {square for square in range(SQUARES) if view.board[square]} | {*view.hand, *view.set_aside}
    seen = seen.union(*shown)
    unseen = chances.shuffled([square for square in range(SQUARES) if square not in seen])
    for other, size in enumerate(view.hand_sizes):
        if other == seat:
            squares: Sequence[int] = view.hand
        else:
            missing = size - len(shown[other])
            squares = [*shown[other], *unseen[:missing]]
            del unseen[:missing]
        game.hands[other] = cells_of(sorted(squares))
    game.deal = Deal(unseen, bytes(chances.below(256) for _ in range(SEED_BYTES)))


def _offered(view: View, seat: int) -> tuple[tuple[int, ...], int]:
    """The shares and cash that a seat must have, since it has just offered them (TRD-2)."""
    asked = view.decision
    if isinstance(asked, ChooseReply) and asked.proposer == seat:
        return asked.give_shares, asked.give_cash
    return (0,) * CHAINS, 0


def _deal_shares(game: Game, view: View, others: Sequence[int], chances: Chances, ledger: Ledger | None) -> None:
    """Gives every seat its shares: the known ones, or a random part of those in players' hands."""
    held = [list(shares) if shares is not None else None for shares in view.shares]
    merger = view.merger
    for chain in range(CHAINS):
        out = SHARES_PER_CHAIN - view.market[chain]
        counts = [shares[chain] if shares is not None else 0 for shares in held]
        hidden = [other for other in others if held[other] is None]
        if hidden and merger is not None and merger.acquired == chain:
            counts = list(merger.holdings)
        elif hidden and ledger is not None:
            for other in hidden:
                counts[other] = ledger.shares[other][chain]
        elif hidden:
            for other in hidden:
                counts[other] = _offered(view, other)[0][chain]
            for _ in range(out - sum(counts)):
                counts[hidden[chances.below(len(hidden))]] += 1
        if sum(counts) != out:
            raise ViewError("ledger-disagrees", "the ledger does not agree with the view; give it every event from the first on")
        game.shares[chain * view.seats : (chain + 1) * view.seats] = counts
