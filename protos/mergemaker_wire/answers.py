"""Legal answers as lists or bounds, and what tiles would do, as messages and back."""

from collections.abc import Iterable
from typing import Final, assert_never

from mergemaker.v1 import answers_pb2 as pb
from mergemaker_engine.actions import LARGEST_PURCHASE, TRADE_CASH_MAX, TRADE_CASH_STEP
from mergemaker_engine.board import SQUARES
from mergemaker_engine.bounds import AnswerBounds, DisposalBounds, Listed, OfferBounds, PurchaseBounds
from mergemaker_engine.chains import DEAREST_PRICE, SHARES_PER_CHAIN
from mergemaker_engine.effects import TileEffect
from mergemaker_engine.purchases import HUNDRED
from mergemaker_engine.rules import SEATS_MAX
from mergemaker_engine.unchecked import Unchecked

from mergemaker_wire.actions import action_from_message, action_to_message
from mergemaker_wire.enums import EFFECT_KINDS
from mergemaker_wire.errors import UNKNOWN_KIND, WireError, no_known_kind, out_of_range
from mergemaker_wire.fields import ascending, by_chain, chains, number, shares, square

_CASH_STEPS_MAX: Final = TRADE_CASH_MAX // TRADE_CASH_STEP
_KINDS: Final = ("listed", "purchase", "disposal", "offer")

_count_of_shares: Final = number(0, SHARES_PER_CHAIN)
_size: Final = number(1, SQUARES)


def answers_to_message(bounds: AnswerBounds, count: Unchecked[int | None] = None) -> pb.LegalAnswers:
    """The message of all legal answers. If they have already been counted, `count` avoids another count."""
    if count is None:
        count = bounds.count()
    match bounds:
        case Listed(actions):
            return pb.LegalAnswers(count=count, listed=pb.ListedAnswers(actions=list(map(action_to_message, actions))))
        case PurchaseBounds():
            return pb.LegalAnswers(
                count=count,
                purchase=pb.PurchaseBounds(
                    count_min=bounds.count_min,
                    count_max=bounds.count_max,
                    cash=bounds.cash,
                    prices=bounds.prices,
                    market=bounds.market,
                    declare=bounds.declare,
                ),
            )
        case DisposalBounds(held, pairs_max):
            return pb.LegalAnswers(count=count, disposal=pb.DisposalBounds(held=held, pairs_max=pairs_max))
        case OfferBounds(partners, held, cash):
            return pb.LegalAnswers(
                count=count,
                offer=pb.OfferBounds(
                    partners=partners,
                    held=held,
                    cash_steps=cash // TRADE_CASH_STEP,
                    asked_shares_max=SHARES_PER_CHAIN,
                    asked_cash_steps_max=_CASH_STEPS_MAX,
                    cash_step=TRADE_CASH_STEP,
                ),
            )
        case _:
            assert_never(bounds)


def answers_from_message(message: pb.LegalAnswers) -> AnswerBounds:
    """The legal answers in a message. `message.count` is their reported number."""
    match message.WhichOneof("kind"):
        case "listed":
            return Listed(tuple([action_from_message(one) for one in message.listed.actions]))
        case "purchase":
            return _purchase(message.purchase)
        case "disposal":
            return DisposalBounds(
                _count_of_shares(message.disposal.held, "disposal.held"),
                _count_of_shares(message.disposal.pairs_max, "disposal.pairs_max"),
            )
        case "offer":
            return _offer(message.offer)
        case None:
            raise no_known_kind("what can be answered", message, _KINDS)
        case unknown:
            assert_never(unknown)


def _purchase(message: pb.PurchaseBounds) -> PurchaseBounds:
    count_max = number(0, LARGEST_PURCHASE)(message.count_max, "purchase.count_max")
    prices = by_chain(message.prices, "purchase.prices")
    if max(prices) > DEAREST_PRICE or any(price % HUNDRED for price in prices):
        raise out_of_range("purchase.prices", f"multiples of {HUNDRED} up to {DEAREST_PRICE}", prices)
    market = shares(message.market, "purchase.market")
    if any(left and not price for left, price in zip(market, prices, strict=True)):
        raise out_of_range("purchase.market", "0 for each chain without a price", market)
    return PurchaseBounds(
        count_min=number(0, count_max)(message.count_min, "purchase.count_min"),
        count_max=count_max,
        cash=message.cash if message.HasField("cash") else None,
        prices=prices,
        market=market,
        declare=message.declare,
    )


def _offer(message: pb.OfferBounds) -> OfferBounds:
    # The limits of requests are the same in every game; an order with other limits would be another order.
    fixed = (message.asked_shares_max, message.asked_cash_steps_max, message.cash_step)
    known = (SHARES_PER_CHAIN, _CASH_STEPS_MAX, TRADE_CASH_STEP)
    if fixed != known:
        raise out_of_range("offer.asked_shares_max, asked_cash_steps_max and cash_step", f"{known} here", fixed)
    return OfferBounds(
        partners=ascending(message.partners, "offer.partners", SEATS_MAX),
        shares=shares(message.held, "offer.held"),
        cash=TRADE_CASH_STEP * number(0, _CASH_STEPS_MAX)(message.cash_steps, "offer.cash_steps"),
    )


def effect_to_message(effect: TileEffect) -> pb.TileEffect:
    """The message of a tile's effect."""
    return pb.TileEffect(
        square=effect.square,
        kind=EFFECT_KINDS.numbers[effect.kind],
        chains=effect.chains,
        survivors=effect.survivors,
        size=effect.size,
    )


def effect_from_message(message: pb.TileEffect) -> TileEffect:
    """The tile's effect in a message."""
    return TileEffect(
        square=square(message.square, "effect.square"),
        kind=EFFECT_KINDS.read(message.kind, "effect.kind"),
        chains=chains(message.chains, "effect.chains"),
        survivors=chains(message.survivors, "effect.survivors"),
        size=_size(message.size, "effect.size"),
    )


def effects_from_messages(messages: Iterable[pb.TileEffect]) -> tuple[TileEffect, ...]:
    """The effect of each tile. Kinds that only a newer version knows are skipped."""
    effects = []
    for message in messages:
        try:
            effects.append(effect_from_message(message))
        except WireError as error:
            if error.reason != UNKNOWN_KIND:
                raise
    return tuple(effects)
