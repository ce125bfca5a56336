"""The legal answers in short: bounds from which all of them can be listed, in the order of `Game.legal`.

A purchase has hundreds of answers and an offer millions. What a market, a purse and a holding allow says the same in a few
numbers, and `VOCABULARY.md` says how anybody lists the answers from them. Bounds say nothing but what the seat that
is asked may know.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from mergemaker_engine.actions import TRADE_CASH_MAX, TRADE_CASH_STEP, Action, Buy, Dispose
from mergemaker_engine.board import CHAINS, LABEL
from mergemaker_engine.buying import purchase_max, with_declaration
from mergemaker_engine.decisions import (
    ChooseAcquired,
    ChooseDisposal,
    ChooseExchange,
    ChooseFounded,
    ChooseOffer,
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseReply,
    ChooseSurvivor,
    ChooseTile,
    PurchaseTerms,
)
from mergemaker_engine.disposal import disposals
from mergemaker_engine.game import Game
from mergemaker_engine.purchases import Shop
from mergemaker_engine.state import end_allowed, holding
from mergemaker_engine.trading import Offers


@dataclass(frozen=True, slots=True)
class Listed:
    """The answers themselves, where they are few."""

    actions: tuple[Action, ...]

    def answers(self) -> Sequence[Action]:
        """Every legal answer, in order."""
        return self.actions

    def count(self) -> int:
        """How many there are."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class PurchaseBounds:
    """Every purchase of `count_min` to `count_max` shares that market and cash allow (BUY-1, PWR-2, PWR-3)."""

    count_min: int
    count_max: int
    cash: int | None
    """What the shares may cost together; None when they cost nothing."""
    prices: tuple[int, ...]
    """By chain: what a share costs; 0 for a chain that is not on the board."""
    market: tuple[int, ...]
    """By chain: how many shares can be bought; 0 for a chain that is not on the board."""
    declare: bool
    """Whether each purchase can also be made with the end declared (END-5)."""

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
        """How many there are."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class DisposalBounds:
    """Every mix of selling and trading so many shares (MRG-6, MRG-8)."""

    held: int
    """Shares of the acquired chain: at most so many are sold and traded together."""
    pairs_max: int
    """How many shares of the survivor can be had, each for two."""

    def answers(self) -> Sequence[Dispose]:
        """Every legal answer, in order."""
        return disposals(self.held, self.pairs_max)

    def count(self) -> int:
        """How many there are."""
        return len(self.answers())


@dataclass(frozen=True, slots=True)
class OfferBounds:
    """No offer, and every offer of what there is to give for what may be asked (TRD-2, TRD-3)."""

    partners: tuple[int, ...]
    """The seats that an offer can be made to, ascending."""
    shares: tuple[int, ...]
    """By chain: the most that can be given."""
    cash: int
    """The most that can be given, in dollars: a multiple of `TRADE_CASH_STEP`."""

    def answers(self) -> Offers:
        """Every legal answer, in order, none of them made before it is looked at."""
        return Offers((*self.shares, self.cash // TRADE_CASH_STEP), self.partners)

    def count(self) -> int:
        """How many there are."""
        return len(self.answers())


AnswerBounds: TypeAlias = Listed | PurchaseBounds | DisposalBounds | OfferBounds


def answer_bounds(game: Game, answers: Sequence[Action] | None = None) -> AnswerBounds:
    """The bounds of what may be answered to the open decision; nothing is listed when the game is over.

    `answers` is what `game.legal()` lists: if you have it already, it is not listed again.
    """
    decision = game.decision
    match decision:
        case ChoosePurchase():
            return _purchase_bounds(game, decision)
        case ChooseDisposal():
            held = holding(game, decision.seat, decision.acquired)
            return DisposalBounds(held, min(held // 2, game.market[decision.survivor]))
        case ChooseOffer():
            return _offer_bounds(game, decision)
        case (
            ChooseTile()
            | ChooseFounded()
            | ChooseSurvivor()
            | ChooseAcquired()
            | ChooseExchange()
            | ChoosePower()
            | ChoosePairTrade()
            | ChooseReply()
            | None
        ):
            return Listed(tuple(game.legal() if answers is None else answers))
        case _:
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
