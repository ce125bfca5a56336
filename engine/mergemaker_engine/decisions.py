"""Decisions, which say who is asked what, and the automatic steps beside them on the agenda.

A game's agenda is a stack of steps, the next one last. A step is either a decision, which waits for an answer, or
something that the rules carry out by themselves. There is no other phase, prompt or flag that could disagree with
it. Steps hold no secrets. Whether an optional step has anything to offer is decided when its turn comes.
"""

from enum import StrEnum
from typing import Final, TypeAlias, final

from mergemaker_engine.values import dataclass


class PowerPhase(StrEnum):
    """The part of a turn in which a power can be used (PWR-1, TRN-1)."""

    START = "start"
    PLACING = "placing"
    BUYING = "buying"


class PurchaseTerms(StrEnum):
    """The terms of a purchase (BUY-1, PWR-2, PWR-3)."""

    USUAL = "usual"
    BUY_FIVE = "buy-five"
    THREE_FREE = "three-free"


@dataclass(frozen=True, slots=True)
class ChooseOffer:
    """Offer a trade to another player, or go on; `left` counts this offer (TRD-1)."""

    seat: int
    left: int


@dataclass(frozen=True, slots=True)
class ChooseReply:
    """Accept or decline the offer that `proposer` just made (TRD-1)."""

    seat: int
    proposer: int
    give_shares: tuple[int, ...]
    """What the proposer gives."""
    give_cash: int
    take_shares: tuple[int, ...]
    """What the proposer asks for."""
    take_cash: int


@dataclass(frozen=True, slots=True)
class ChoosePower:
    """Use a special power of this phase, or none (PWR-1)."""

    seat: int
    phase: PowerPhase


@final
@dataclass(frozen=True, slots=True)
class ChooseTile:
    """Place a tile: the `number`-th of this turn, of at most `most` (PLC-1, PWR-5)."""

    seat: int
    number: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class ChooseFounded:
    """Name the chain that the tile on `square` founded (FND-1)."""

    seat: int
    square: int


@dataclass(frozen=True, slots=True)
class ChooseSurvivor:
    """Name which of the equal largest chains survives (MRG-2); `chains` are all chains that the tile joins."""

    seat: int
    square: int
    chains: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChooseAcquired:
    """Name which of the equal largest chains is settled next (MRG-4)."""

    seat: int
    survivor: int


@final
@dataclass(frozen=True, slots=True)
class ChooseDisposal:
    """Keep, sell and trade the shares of an acquired chain (MRG-6)."""

    seat: int
    acquired: int
    survivor: int


@dataclass(frozen=True, slots=True)
class ChoosePairTrade:
    """Trade two shares for one of another chain: the `number`-th such trade of this turn (PWR-4)."""

    seat: int
    number: int


@final
@dataclass(frozen=True, slots=True)
class ChoosePurchase:
    """Buy shares, or none (BUY-1)."""

    seat: int
    terms: PurchaseTerms = PurchaseTerms.USUAL


@dataclass(frozen=True, slots=True)
class ChooseExchange:
    """Exchange all dead tiles of the hand, or keep them (DRW-2)."""

    seat: int


RarerDecision: TypeAlias = (
    ChooseFounded | ChooseSurvivor | ChooseAcquired | ChooseExchange | ChoosePower | ChoosePairTrade | ChooseOffer | ChooseReply
)
"""All decisions except the three most frequent ones."""
RepeatedDecision: TypeAlias = ChooseTile | ChoosePairTrade
"""Decisions that are asked several times in a turn, counted by `number`. From the second on, the last answer makes no more."""
Decision: TypeAlias = ChooseTile | ChoosePurchase | ChooseDisposal | RarerDecision
SURELY_ASKED: Final = frozenset((ChoosePurchase, ChooseDisposal, ChooseFounded, ChooseSurvivor, ChooseAcquired, ChooseReply))
"""Decisions that are asked as soon as it is their turn: there is always an answer to them."""


@dataclass(frozen=True, slots=True)
class RedrawHand:
    """Sets a whole unplayable hand aside at the start of a turn, and draws anew (PLC-9)."""


@dataclass(frozen=True, slots=True)
class SettleNext:
    """Settles the next acquired chain of a merger, or ends the merger when none is left (MRG-4, MRG-10)."""

    square: int
    survivor: int
    acquired: tuple[int, ...]
    """All chains that the merger dissolves."""
    waiting: tuple[int, ...]
    """The acquired chains still to be settled."""


@dataclass(frozen=True, slots=True)
class DrawTiles:
    """Fills the hand at the end of the turn (DRW-1)."""


@dataclass(frozen=True, slots=True)
class ExchangeDead:
    """Exchanges dead tiles without asking (DRW-2)."""


@dataclass(frozen=True, slots=True)
class PassTurn:
    """Ends the turn: the game ends, or the next seat's turn begins (END-2, END-4)."""


Automatic: TypeAlias = RedrawHand | SettleNext | DrawTiles | ExchangeDead | PassTurn
Step: TypeAlias = Decision | Automatic
