"""A bot's handlers, one for each kind of decision, and the turn that each of them gets.

Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
"""

from typing import TypeAlias

from mergemaker_engine.actions import (
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
    Reply,
    StopPlay,
    TradePair,
    UsePower,
)
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
)

from mergemaker_client.answer import Answer
from mergemaker_client.turn import Turn

TileTurn: TypeAlias = Turn[ChooseTile, Place | StopPlay | EndPlacing]
FoundedTurn: TypeAlias = Turn[ChooseFounded, NameFounded]
SurvivorTurn: TypeAlias = Turn[ChooseSurvivor, NameSurvivor]
AcquiredTurn: TypeAlias = Turn[ChooseAcquired, NameAcquired]
DisposalTurn: TypeAlias = Turn[ChooseDisposal, Dispose]
PurchaseTurn: TypeAlias = Turn[ChoosePurchase, Buy]
ExchangeTurn: TypeAlias = Turn[ChooseExchange, Exchange]
PowerTurn: TypeAlias = Turn[ChoosePower, UsePower]
PairTradeTurn: TypeAlias = Turn[ChoosePairTrade, TradePair | EndTrading]
OfferTurn: TypeAlias = Turn[ChooseOffer, NoOffer | OfferTrade]
ReplyTurn: TypeAlias = Turn[ChooseReply, Reply]


class Handlers:
    """What a bot answers, by the kind of decision. A method that you do not write takes the default."""

    def choose_tile(self, turn: TileTurn) -> Answer:
        """Place a tile."""
        return turn.default

    def choose_founded(self, turn: FoundedTurn) -> Answer:
        """Name the founded chain."""
        return turn.default

    def choose_survivor(self, turn: SurvivorTurn) -> Answer:
        """Name the survivor of a merger of equals."""
        return turn.default

    def choose_acquired(self, turn: AcquiredTurn) -> Answer:
        """Name the chain that is settled next."""
        return turn.default

    def choose_disposal(self, turn: DisposalTurn) -> Answer:
        """Keep, sell and trade shares of an acquired chain."""
        return turn.default

    def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        """Buy shares, or none."""
        return turn.default

    def choose_exchange(self, turn: ExchangeTurn) -> Answer:
        """Exchange dead tiles, or keep them."""
        return turn.default

    def choose_power(self, turn: PowerTurn) -> Answer:
        """Use a special power, or none."""
        return turn.default

    def choose_pair_trade(self, turn: PairTradeTurn) -> Answer:
        """Trade two shares for one with the market."""
        return turn.default

    def choose_offer(self, turn: OfferTurn) -> Answer:
        """Offer a trade to another player."""
        return turn.default

    def choose_reply(self, turn: ReplyTurn) -> Answer:
        """Accept or decline a trade."""
        return turn.default


class AsyncHandlers:
    """What an async bot answers, by the kind of decision. A method that you do not write takes the default."""

    async def choose_tile(self, turn: TileTurn) -> Answer:
        """Place a tile."""
        return turn.default

    async def choose_founded(self, turn: FoundedTurn) -> Answer:
        """Name the founded chain."""
        return turn.default

    async def choose_survivor(self, turn: SurvivorTurn) -> Answer:
        """Name the survivor of a merger of equals."""
        return turn.default

    async def choose_acquired(self, turn: AcquiredTurn) -> Answer:
        """Name the chain that is settled next."""
        return turn.default

    async def choose_disposal(self, turn: DisposalTurn) -> Answer:
        """Keep, sell and trade shares of an acquired chain."""
        return turn.default

    async def choose_purchase(self, turn: PurchaseTurn) -> Answer:
        """Buy shares, or none."""
        return turn.default

    async def choose_exchange(self, turn: ExchangeTurn) -> Answer:
        """Exchange dead tiles, or keep them."""
        return turn.default

    async def choose_power(self, turn: PowerTurn) -> Answer:
        """Use a special power, or none."""
        return turn.default

    async def choose_pair_trade(self, turn: PairTradeTurn) -> Answer:
        """Trade two shares for one with the market."""
        return turn.default

    async def choose_offer(self, turn: OfferTurn) -> Answer:
        """Offer a trade to another player."""
        return turn.default

    async def choose_reply(self, turn: ReplyTurn) -> Answer:
        """Accept or decline a trade."""
        return turn.default
