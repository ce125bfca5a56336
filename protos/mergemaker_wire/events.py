"""Events, both ways."""

from functools import lru_cache
from typing import Final

from mergemaker.v1 import events_pb2 as pb
from mergemaker_engine.board import SQUARES
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.events import (
    AssetsShown,
    BonusPaid,
    ChainFounded,
    ChainGrew,
    ChainSurvives,
    EndDeclared,
    Event,
    FounderRewarded,
    GameEnded,
    HandShown,
    HoldingsShown,
    MarketDrew,
    MergerBegan,
    MergerEnded,
    PairTraded,
    PlacingSkipped,
    PowerUsed,
    ResultReached,
    SharesBought,
    SharesSold,
    StartTilePlaced,
    StockDisposed,
    TilePlaced,
    TilesDrawn,
    TilesReceived,
    TilesSetAside,
    TradeAnswered,
    TradeOffered,
    TurnBegan,
)

from mergemaker_wire.enums import END_REASONS, POWERS
from mergemaker_wire.fields import (
    Field,
    Kind,
    Kinds,
    any_value,
    by_seat,
    chain,
    chains,
    holdings,
    named,
    number,
    seat,
    shares,
    square,
    squares,
)

_KEPT_MAX: Final = 4_096

_SEAT: Final = Field("seat", seat)
_SQUARE: Final = Field("square", square)
_SQUARES: Final = Field("squares", squares)
_CHAIN: Final = Field("chain", chain)
_CASH: Final = Field("cash", any_value)
_SIZE: Final = Field("size", number(0, SQUARES))
_COUNT: Final = number(0, SHARES_PER_CHAIN)
_SHARES: Final = Field("shares", shares)

_KINDS: Final[Kinds[Event]] = Kinds(
    "an event",
    Event,
    Kind(StartTilePlaced, pb.StartTilePlaced, "start_tile_placed", _SEAT, _SQUARE),
    Kind(TilesDrawn, pb.TilesDrawn, "tiles_drawn", _SEAT, Field("count", number(1, SQUARES))),
    Kind(TilesReceived, pb.TilesReceived, "tiles_received", _SEAT, _SQUARES),
    Kind(TurnBegan, pb.TurnBegan, "turn_began", _SEAT, Field("turn", any_value)),
    Kind(HandShown, pb.HandShown, "hand_shown", _SEAT, _SQUARES),
    Kind(TilesSetAside, pb.TilesSetAside, "tiles_set_aside", _SEAT, _SQUARES),
    Kind(
        TradeOffered,
        pb.TradeOffered,
        "trade_offered",
        _SEAT,
        Field("partner", seat),
        Field("give_shares", shares),
        Field("give_cash", any_value),
        Field("take_shares", shares),
        Field("take_cash", any_value),
    ),
    Kind(TradeAnswered, pb.TradeAnswered, "trade_answered", _SEAT, Field("accepted", any_value)),
    Kind(PowerUsed, pb.PowerUsed, "power_used", _SEAT, named("power", POWERS)),
    Kind(PlacingSkipped, pb.PlacingSkipped, "placing_skipped", _SEAT),
    Kind(EndDeclared, pb.EndDeclared, "end_declared", _SEAT),
    Kind(TilePlaced, pb.TilePlaced, "tile_placed", _SEAT, _SQUARE),
    Kind(ChainGrew, pb.ChainGrew, "chain_grew", _CHAIN, _SIZE),
    Kind(ChainFounded, pb.ChainFounded, "chain_founded", _SEAT, _CHAIN, _SIZE),
    Kind(FounderRewarded, pb.FounderRewarded, "founder_rewarded", _SEAT, _CHAIN, Field("shares", number(0, 1)), _CASH),
    Kind(MergerBegan, pb.MergerBegan, "merger_began", _SEAT, Field("chains", chains)),
    Kind(ChainSurvives, pb.ChainSurvives, "chain_survives", _CHAIN),
    Kind(HoldingsShown, pb.HoldingsShown, "holdings_shown", _CHAIN, Field("holdings", holdings)),
    Kind(MarketDrew, pb.MarketDrew, "market_drew", _CHAIN, Field("square", square, optional=True), Field("shares", _COUNT)),
    Kind(BonusPaid, pb.BonusPaid, "bonus_paid", _SEAT, _CHAIN, Field("amount", any_value)),
    Kind(
        StockDisposed,
        pb.StockDisposed,
        "stock_disposed",
        _SEAT,
        _CHAIN,
        Field("kept", _COUNT),
        Field("sold", _COUNT),
        Field("traded", _COUNT),
        _CASH,
        Field("received", _COUNT),
    ),
    Kind(MergerEnded, pb.MergerEnded, "merger_ended", _CHAIN, _SIZE),
    Kind(PairTraded, pb.PairTraded, "pair_traded", _SEAT, Field("give", chain), Field("take", chain)),
    Kind(SharesBought, pb.SharesBought, "shares_bought", _SEAT, _SHARES, Field("cost", any_value)),
    Kind(GameEnded, pb.GameEnded, "game_ended", named("reason", END_REASONS)),
    Kind(AssetsShown, pb.AssetsShown, "assets_shown", _SEAT, _CASH, _SHARES),
    Kind(SharesSold, pb.SharesSold, "shares_sold", _SEAT, _CHAIN, Field("shares", _COUNT), _CASH),
    Kind(ResultReached, pb.ResultReached, "result_reached", Field("cash", by_seat), Field("places", by_seat)),
)


# Every seat is told of an event, each with a number of its own.
@lru_cache(maxsize=_KEPT_MAX)
def event_bytes(event: Event) -> bytes:
    """An event's message but for the number, as bytes."""
    return pb.Event(**_KINDS.write(event)).SerializeToString()


def event_to_message(event: Event, number: int = 0) -> pb.Event:
    """The message that stands for an event, with its number among those that its reader sees."""
    message = pb.Event(number=number)
    message.MergeFromString(event_bytes(event))
    return message


def event_from_message(message: pb.Event) -> Event:
    """The event that a message stands for. Its number is `message.number`."""
    return _KINDS.read(message)
