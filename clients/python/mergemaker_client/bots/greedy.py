"""The bot `greedy`: looks one turn ahead, and leaves nothing to chance. `GREEDY.md` gives its rule for every language.

Each legal answer has a score. The bot takes the highest, and among equal ones the first in the documented order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never, cast

from mergemaker_engine.actions import (
    Action,
    Buy,
    Dispose,
    EndPlacing,
    EndTrading,
    Exchange,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    NoOffer,
    OfferTrade,
    Place,
    Power,
    Reply,
    StopPlay,
    TradePair,
    UsePower,
)
from mergemaker_engine.board import CHAINS, SQUARES
from mergemaker_engine.buying import purchase_max
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
from mergemaker_engine.effects import EffectKind, TileEffect

from mergemaker_client.answer import Answer
from mergemaker_client.bot import Bot
from mergemaker_client.bots.worth import Worth, is_ahead
from mergemaker_client.errors import BotError
from mergemaker_client.handlers import PurchaseTurn
from mergemaker_client.turn import Turn

ENDING: Final = 100_000_000
"""More than all else together: added to answers that declare the end, subtracted if declaring would be wrong."""
STOPPING: Final = -1_000_000_000
FOUNDED_SIZE: Final = 2
"""The assumed size of a chain that has just been founded, or may be founded again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The constants of the rule that can be chosen. These are the rule's own."""

    reserve: int = 3_000
    """In dollars: what is spent of the last of it counts more, by one part in `reserve_part`."""
    reserve_part: int = 4
    growth: int = 200
    """In dollars: what a share of a chain is expected to gain, more for a small chain and a large pile."""
    growth_size: int = 2
    free_price: int = 400
    """Three free shares are taken when three of this price are available, or when the pile is low."""
    low_pile: int = 30

    def __post_init__(self) -> None:
        """Refuses what the rule cannot be played with."""
        for name in WEIGHT_BOUNDS:
            value, (low, high) = getattr(self, name), WEIGHT_BOUNDS[name]
            if type(value) is not int or not low <= value <= high:
                raise BotError("bad-option", f"{name} is a whole number from {low} to {high}, not {value!r}")


WEIGHT_BOUNDS: Final = {
    "reserve": (0, 1_000_000),
    "reserve_part": (1, 1_000),
    "growth": (0, 100_000),
    "growth_size": (1, 100),
    "free_price": (0, 10_000),
    "low_pile": (0, 108),
}
"""The least and the largest value of each."""
USUAL: Final = Weights()


class GreedyBot(Bot):
    """Takes the answer with the highest score. Other constants than the rule's are given by name: `GreedyBot(reserve=1000)`."""

    def __init__(self, **weights: int) -> None:
        self._weights = Weights(**weights) if weights else USUAL

    def answer(self, turn: Turn) -> Answer:
        """Answers by score."""
        scores = scores_of(turn, self._weights)
        return scores.index(max(scores))


def scores_of(turn: Turn, weights: Weights = USUAL) -> list[int]:
    """The score of each legal answer, in their order; for offers only the score of making none."""
    worth = Worth(turn.view)
    match turn.decision:
        case ChooseOffer():
            return [0]
        case ChooseTile():
            return _tile_scores(turn, worth)
        case ChoosePurchase():
            return _purchase_scores(cast("PurchaseTurn", turn), worth, weights)
        case ChooseDisposal() as decision:
            return _disposal_scores(turn, worth, decision)
        case (
            ChooseFounded()
            | ChooseSurvivor()
            | ChooseAcquired()
            | ChooseExchange()
            | ChoosePower()
            | ChoosePairTrade()
            | ChooseReply()
        ):
            return [_simple_score(turn, worth, weights, answer) for answer in turn.answers]
        case _:
            assert_never(turn.decision)


def _simple_score(turn: Turn, worth: Worth, weights: Weights, answer: Action) -> int:
    """The score of an answer that needs only itself and the view."""
    match answer:
        case NameFounded():
            return founding(worth, answer.chain, FOUNDED_SIZE)
        case NameSurvivor():
            assert isinstance(turn.decision, ChooseSurvivor), turn.decision
            chains = turn.decision.chains
            return merger(worth, answer.chain, chains, 1 + sum([worth.sizes[chain] for chain in chains]))
        case NameAcquired():
            return worth.mine[answer.chain]
        case Exchange():
            return int(answer.exchange)
        case UsePower():
            return _power_score(worth, weights, answer.power)
        case TradePair():
            return worth.bought(answer.give, -2) + worth.bought(answer.take, 1)
        case Reply():
            assert isinstance(turn.decision, ChooseReply), turn.decision
            return _trade_score(worth, turn.decision) if answer.accept else 0
        case EndTrading() | Place() | StopPlay() | EndPlacing() | Buy() | Dispose() | NoOffer() | OfferTrade():
            return 0
        case _:
            assert_never(answer)


# --- tiles -----------------------------------------------------------------------------------------------------------


def founding(worth: Worth, chain: int, size: int) -> int:
    """The value of founding a chain of this size, with the founder's share."""
    held = worth.mine[chain] + (1 if worth.market[chain] else 0)
    return worth.lead(chain, worth.price_at(chain, size), held)


def growing(worth: Worth, chain: int, size: int) -> int:
    """The value of a chain's growth to this size."""
    return worth.lead(chain, worth.price_at(chain, size), worth.mine[chain]) - worth.lead_now(chain)


def merger(worth: Worth, survivor: int, chains: Sequence[int], size: int) -> int:
    """The value of a merger: one of these chains takes the others over, and then has this size."""
    paid = [worth.paid_lead(chain) - worth.lead_now(chain) for chain in chains if chain != survivor]
    return growing(worth, survivor, size) + sum(paid)


def effect_score(worth: Worth, effect: TileEffect) -> int:
    """The value of placing a tile with this effect."""
    match effect.kind:
        case EffectKind.LONE:
            return 0
        case EffectKind.GROWS:
            return growing(worth, effect.chains[0], effect.size)
        case EffectKind.FOUNDS:
            # Chains of one price with the same shares are worth the same: only one of them is looked at.
            different = {worth.standing(chain, effect.size): chain for chain in range(CHAINS) if not worth.sizes[chain]}
            return max([founding(worth, chain, effect.size) for chain in different.values()])
        case EffectKind.MERGES:  # the last one: mypy sees that none is left
            return max([merger(worth, survivor, effect.chains, effect.size) for survivor in effect.survivors])


def _ending(turn: Turn, worth: Worth) -> int:
    """The score of declaring the end."""
    return ENDING if turn.may_declare and is_ahead(turn.view, worth) else -ENDING


def _tile_scores(turn: Turn, worth: Worth) -> list[int]:
    ending = _ending(turn, worth)
    by_effect: dict[tuple[EffectKind, tuple[int, ...], int], int] = {}
    by_square = {}
    for effect in turn.effects:
        alike = effect.kind, effect.chains, effect.size
        if alike not in by_effect:
            by_effect[alike] = effect_score(worth, effect)
        by_square[effect.square] = by_effect[alike]
    scores = []
    for answer in turn.answers:
        if isinstance(answer, Place):
            scores.append(by_square[answer.square] + (ending if answer.declare else 0))
        else:
            scores.append(0 if isinstance(answer, EndPlacing) else STOPPING)
    return scores


# --- shares ----------------------------------------------------------------------------------------------------------


def _gains(worth: Worth, weights: Weights, chain: int, counts: range, *, free: bool, last: bool) -> list[int]:
    """The values of buying 0, 1, 2 … shares of a chain; with `last`, in the game's last turn."""
    price, held = worth.prices[chain], worth.mine[chain]
    if not price:
        return []  # it is not on the board
    cost = 0 if free else price
    if last:
        before = worth.closing(chain, held)
        return [worth.closing(chain, held + count) - before - cost * count for count in counts]
    growth = weights.growth * worth.pile // (weights.growth_size + worth.sizes[chain])
    before = worth.own(chain, price, held)
    return [worth.own(chain, price, held + count) - before + (growth - cost) * count for count in counts]


def _purchase_scores(turn: PurchaseTurn, worth: Worth, weights: Weights) -> list[int]:
    free = turn.decision.terms is PurchaseTerms.THREE_FREE
    counts = range(purchase_max(turn.decision.terms) + 1)
    usual = [_gains(worth, weights, chain, counts, free=free, last=False) for chain in range(CHAINS)]
    # After declaring with a tile, the seat may have founded a chain, so that the end could no longer be declared.
    declared = turn.view.declared
    closing = usual
    if turn.view.end_allowed or declared:
        closing = [_gains(worth, weights, chain, counts, free=free, last=True) for chain in range(CHAINS)]
    ending = _ending(turn, worth)
    prices = worth.prices
    part = weights.reserve_part
    owed = weights.reserve - worth.cash
    scores = []
    # There are up to 120 answers, so this loop is most of a game's time.
    for answer in turn.answers:
        is_last = answer.declare or declared
        gains = closing if is_last else usual
        score = ending if answer.declare else 0
        short = owed
        for chain, count in answer.parts:
            score += gains[chain][count]
            short += prices[chain] * count
        if short > 0 and not is_last and not free:
            score -= short // part
        scores.append(score)
    return scores


def _disposal_scores(turn: Turn, worth: Worth, decision: ChooseDisposal) -> list[int]:
    acquired, survivor = decision.acquired, decision.survivor
    price, held = worth.prices[acquired], worth.mine[acquired]
    # The price of the survivor's shares after this merger, as far as these two chains determine it.
    later = worth.price_at(survivor, worth.sizes[acquired] + worth.sizes[survivor] + 1)
    owned = worth.mine[survivor]
    before = worth.own(survivor, later, owned)
    refounded = worth.price_at(acquired, FOUNDED_SIZE)
    scores = []
    for answer in turn.answers:
        assert isinstance(answer, Dispose), answer
        score = answer.sell * price + worth.own(survivor, later, owned + answer.trade // 2) - before
        if not turn.view.declared:
            kept = held - answer.sell - answer.trade
            score += worth.own(acquired, refounded, kept) * worth.pile // SQUARES
        scores.append(score)
    return scores


# --- powers and trades -----------------------------------------------------------------------------------------------


def _power_score(worth: Worth, weights: Weights, power: Power | None) -> int:
    match power:
        case None:
            return 0
        case Power.TAKE_FIVE | Power.PLACE_FOUR:
            return 1
        case Power.THREE_FREE:
            dearest = max([worth.prices[chain] for chain in range(CHAINS) if worth.market[chain] >= 3], default=0)
            return 1 if dearest >= weights.free_price or worth.pile < weights.low_pile else -1
        case Power.BUY_FIVE:
            return 1 if worth.cash >= weights.reserve else -1
        case Power.TRADE_TWO:  # the last one: mypy sees that none is left
            return -1


def _trade_score(worth: Worth, offer: ChooseReply) -> int:
    """The value of accepting an offer."""
    shares = [worth.bought(chain, offer.give_shares[chain] - offer.take_shares[chain]) for chain in range(CHAINS)]
    return offer.give_cash - offer.take_cash + sum(shares)
