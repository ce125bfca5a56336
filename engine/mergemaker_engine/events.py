"""What happened: events, which all may see, except `TilesReceived`, which is for its seat (VIS-1, VIS-2, VIS-4).

Events are never cut down for a reader: what only one seat may know is an event of its own.
`VOCABULARY.md` fixes fields, text and order.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, TypeAlias

from mergemaker_engine.actions import Power
from mergemaker_engine.errors import ViewError
from mergemaker_engine.shown import shown
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass


class EndReason(StrEnum):
    """Why a game ended."""

    DECLARED = "declared"
    STUCK = "stuck"
    """A whole round in which nothing happened (END-4)."""


@dataclass(frozen=True, slots=True)
class StartTilePlaced:
    """A seat's start tile lies on the board (SET-3)."""

    seat: int
    square: int


@dataclass(frozen=True, slots=True)
class TilesDrawn:
    """A seat took tiles from the pile."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class TilesReceived:
    """Which tiles the seat took. Only this seat may see it (VIS-1)."""

    seat: int
    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A seat's turn began; turns are numbered from 1."""

    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class HandShown:
    """A seat showed a hand without a placeable tile (PLC-9)."""

    seat: int
    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TilesSetAside:
    """Tiles left the game, face up (DRW-2)."""

    seat: int
    squares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TradeOffered:
    """A player offered another a trade (TRD-4)."""

    seat: int
    partner: int
    give_shares: tuple[int, ...]
    give_cash: int
    take_shares: tuple[int, ...]
    take_cash: int


@dataclass(frozen=True, slots=True)
class TradeAnswered:
    """The partner accepted, and the trade is done; or the partner declined (TRD-1)."""

    seat: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class PowerUsed:
    """A special power was used; it cannot be used again (PWR-1)."""

    seat: int
    power: Power


@dataclass(frozen=True, slots=True)
class PlacingSkipped:
    """A seat could place nothing this turn (PLC-9)."""

    seat: int


@dataclass(frozen=True, slots=True)
class EndDeclared:
    """The game will end with this turn (END-2)."""

    seat: int


@dataclass(frozen=True, slots=True)
class TilePlaced:
    """A tile lies on the board (PLC-1)."""

    seat: int
    square: int


@dataclass(frozen=True, slots=True)
class ChainGrew:
    """A tile enlarged a chain to this size (PLC-5)."""

    chain: int
    size: int


@dataclass(frozen=True, slots=True)
class ChainFounded:
    """A chain came onto the board (FND-1)."""

    seat: int
    chain: int
    size: int


@dataclass(frozen=True, slots=True)
class FounderRewarded:
    """What the founder got: one share, or cash, or neither (FND-2)."""

    seat: int
    chain: int
    shares: int
    cash: int


@dataclass(frozen=True, slots=True)
class MergerBegan:
    """A tile joined these chains (PLC-6)."""

    seat: int
    chains: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChainSurvives:
    """The chain that takes the others over (MRG-1, MRG-2)."""

    chain: int


@dataclass(frozen=True, slots=True)
class HoldingsShown:
    """The chain that is acquired next, and how many of its shares each seat holds (MRG-9)."""

    chain: int
    holdings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MarketDrew:
    """The tile drawn for the market, and how many shares the market holds by it (TWO-1).

    With an empty pile there is no tile, and the market holds none (TWO-4).
    """

    chain: int
    square: int | None
    shares: int


@dataclass(frozen=True, slots=True)
class BonusPaid:
    """A bonus was paid (BON-4)."""

    seat: int
    chain: int
    amount: int


@dataclass(frozen=True, slots=True)
class StockDisposed:
    """What a holder did with the shares of an acquired chain (MRG-6)."""

    seat: int
    chain: int
    kept: int
    sold: int
    traded: int
    cash: int
    received: int
    """Shares of the survivor, in return for those traded."""


@dataclass(frozen=True, slots=True)
class MergerEnded:
    """The merger is settled, and the survivor has this size (MRG-10)."""

    chain: int
    size: int


@dataclass(frozen=True, slots=True)
class PairTraded:
    """Two shares of a chain went to the market for one of another (PWR-4)."""

    seat: int
    give: int
    take: int


@dataclass(frozen=True, slots=True)
class SharesBought:
    """A purchase, which may be of nothing; `shares` are by chain (BUY-1)."""

    seat: int
    shares: tuple[int, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over except for the last payments (END-3)."""

    reason: EndReason


@dataclass(frozen=True, slots=True)
class AssetsShown:
    """What a seat had when the game ended (END-6)."""

    seat: int
    cash: int
    shares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SharesSold:
    """A seat's shares of an active chain were sold at the end (END-3)."""

    seat: int
    chain: int
    shares: int
    cash: int


@dataclass(frozen=True, slots=True)
class ResultReached:
    """Money and place of each seat (END-3)."""

    cash: tuple[int, ...]
    places: tuple[int, ...]


Event: TypeAlias = (
    StartTilePlaced
    | TilesDrawn
    | TilesReceived
    | TurnBegan
    | HandShown
    | TilesSetAside
    | TradeOffered
    | TradeAnswered
    | PowerUsed
    | PlacingSkipped
    | EndDeclared
    | TilePlaced
    | ChainGrew
    | ChainFounded
    | FounderRewarded
    | MergerBegan
    | ChainSurvives
    | HoldingsShown
    | MarketDrew
    | BonusPaid
    | StockDisposed
    | MergerEnded
    | PairTraded
    | SharesBought
    | GameEnded
    | AssetsShown
    | SharesSold
    | ResultReached
)
_KINDS: Final = frozenset(Event.__args__)
PRIVATE: Final = frozenset({TilesReceived})
"""The kinds of events that only one seat may see."""


def audience(event: Unchecked[Event]) -> int | None:
    """The only seat that may see an event; None if all may."""
    if type(event) is TilesReceived:
        return event.seat
    if type(event) not in _KINDS:
        check_event(event)
    return None


def seen_by(seat: int | None, events: Iterable[Unchecked[Event]]) -> tuple[Event, ...]:
    """The events that a seat may see, in their order. For None: those that everybody may see."""
    return tuple([event for event in events if audience(event) in (None, seat)])


def check_event(event: object) -> None:
    """Refuses anything but an event."""
    if type(event) not in _KINDS:
        raise ViewError("no-event", f"what happens are events, such as `game.apply` returns, not {shown(event)}")
