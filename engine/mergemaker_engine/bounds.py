"""The legal answers in short: bounds from which all answers can be listed, in the order of `Game.legal`.

A purchase has hundreds of answers, and an offer has millions. What market, cash and holding allow says the same in a few
numbers. `VOCABULARY.md` says how to list the answers from them. Bounds contain only what the seat that is asked may
know.
"""

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from mergemaker_engine.actions import TRADE_CASH_MAX, TRADE_CASH_STEP, Action, Buy, Dispose
from mergemaker_engine.board import CHAINS, LABEL
from mergemaker_engine.buying import purchase_max, with_declaration
from mergemaker_engine.decisions import (
    ChooseDisposal,
    ChooseOffer,
    ChoosePurchase,
    ChooseTile,
    PurchaseTerms,
    RarerDecision,
)
from mergemaker_engine.disposal import disposals
from mergemaker_engine.game import Game
from mergemaker_engine.purchases import Shop
from mergemaker_engine.state import end_allowed, holding
from mergemaker_engine.trading import Offers
from mergemaker_engine.values import dataclass


@dataclass(frozen=True, slots=True)
class Listed:
    """The answers themselves, if they are few."""

    actions: tuple[Action, ...]

    def answers(self) -> Sequence[Action]:
        """Every legal answer, in order."""
        return self.actions

    def count(self) -> int:
        """The number of answers."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class PurchaseBounds:
    """Every purchase of `count_min` to `count_max` shares that market and cash allow (BUY-1, PWR-2, PWR-3)."""

    count_min: int
    count_max: int
    cash: int | None
    """What the shares may cost in all; None if they cost nothing."""
    prices: tuple[int, ...]
    """By chain: what a share costs; 0 for a chain that is not on the board."""
    market: tuple[int, ...]
    """By chain: how many shares can be bought; 0 for a chain that is not on the board."""
    declare: bool
    """Whether each purchase can also declare the end (END-5)."""

    def answers(self) -> Sequence[Buy]:
        """Every legal answer, in order."""
        active = sum([LABEL[chain] for chain, left in enumerate(self.market) if left])
        goods = Shop(active, self.market, self.prices)
        cash = self.count_max * goods.dearest if self.cash is None else self.cash
        plain = goods.affordable(cash, self.count_max)
        if self.count_min:
            plain = [purchase for purchase in plain if purchase.count >= self.count_min]
        return with_declaration(plain) if self.declare else plain

    def count(self) -> int:
        """The number of answers."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class DisposalBounds:
    """Every way to sell and trade at most this many shares (MRG-6, MRG-8)."""

    held: int
    """Shares of the acquired chain: the most that can be sold and traded in all."""
    pairs_max: int
    """The most shares of the survivor that can be taken, each for two."""

    def answers(self) -> Sequence[Dispose]:
        """Every legal answer, in order."""
        return disposals(self.held, self.pairs_max)

    def count(self) -> int:
        """The number of answers."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class OfferBounds:
    """No offer, and every offer within what can be given and what may be asked (TRD-2, TRD-3)."""

    partners: tuple[int, ...]
    """The seats that an offer can be made to, ascending."""
    shares: tuple[int, ...]
    """By chain: the most that can be given."""
    cash: int
    """The most that can be given, in dollars: a multiple of `TRADE_CASH_STEP`."""

    def answers(self) -> Offers:
        """Every legal answer, in order. Each one is made when it is read."""
        return Offers((*self.shares, self.cash // TRADE_CASH_STEP), self.partners)

    def count(self) -> int:
        """The number of answers."""
        return len(self.answers())


AnswerBounds: TypeAlias = Listed | PurchaseBounds | DisposalBounds | OfferBounds


def answer_bounds(game: Game, answers: Sequence[Action] | None = None) -> AnswerBounds:
    """The bounds of the legal answers to the open decision; empty when the game is over.

    If you have the list of `game.legal()` already, pass it as `answers`: it is then not made again.
    """
    decision = game.decision
    if isinstance(decision, ChoosePurchase):
        return _purchase_bounds(game, decision)
    if isinstance(decision, ChooseDisposal):
        held = holding(game, decision.seat, decision.acquired)
        return DisposalBounds(held, min(held // 2, game.market[decision.survivor]))
    if isinstance(decision, ChooseOffer):
        return _offer_bounds(game, decision)
    if decision is None or isinstance(decision, ChooseTile | RarerDecision):
        return Listed(tuple(game.legal() if answers is None else answers))
    assert_never(decision)


def _purchase_bounds(game: Game, decision: ChoosePurchase) -> PurchaseBounds:
    is_free = decision.terms is PurchaseTerms.THREE_FREE
    return PurchaseBounds(
        count_min=int(is_free),
        count_max=purchase_max(decision.terms),
        cash=None if is_free else game.cash[decision.seat],
        prices=tuple(game.prices),
        market=tuple([left if game.active & LABEL[chain] else 0 for chain, left in enumerate(game.market)]),
        declare=end_allowed(game) and not game.declared,
    )


def _offer_bounds(game: Game, decision: ChooseOffer) -> OfferBounds:
    seat = decision.seat
    cash = min(game.cash[seat], TRADE_CASH_MAX)
    return OfferBounds(
        partners=tuple([other for other in range(game.seats) if other != seat]),
        shares=tuple([holding(game, seat, chain) for chain in range(CHAINS)]),
        cash=cash - cash % TRADE_CASH_STEP,
    )
