"""Named values: the engine's by name, the protocol's by number, in both directions."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from mergemaker.v1 import actions_pb2, answers_pb2, events_pb2, match_pb2, questions_pb2, rules_pb2
from mergemaker_engine.actions import Power
from mergemaker_engine.chains import BonusChart
from mergemaker_engine.decisions import PowerPhase, PurchaseTerms
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.events import EndReason
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import AnsweredBy, Ending, Status
from mergemaker_engine.rules import (
    AfterDeclaring,
    Assets,
    DeadTiles,
    FounderWithoutStock,
    StartOrder,
    UnplayableHand,
)

from mergemaker_wire.errors import UNKNOWN_KIND, WireError, not_set

Named = TypeVar("Named", bound=StrEnum)
Number = TypeVar("Number", bound=int)

UNSPECIFIED: Final = 0


class EnumTable(Generic[Named, Number]):
    """One set of named values and its numbers."""

    __slots__ = ("_names", "numbers")

    def __init__(self, members: Iterable[Named], number_of: Callable[[str], Number], prefix: str) -> None:
        self.numbers: Final = {member: number_of(f"{prefix}_{member.name}") for member in members}
        """The number of each value in messages."""
        self._names: Final = {int(number): member for member, number in self.numbers.items()}

    def read(self, number: int, where: str) -> Named:
        """The value of a number; an error if it is unspecified or unknown."""
        name = self._names.get(number)
        if name is not None:
            return name
        expected = f"one of {', '.join(self.numbers)}"
        if number == UNSPECIFIED:
            raise not_set(where, expected)
        raise WireError(UNKNOWN_KIND, f"{where} is {expected}; {number} is not known here: a newer version may know it")


POWERS: Final = EnumTable(Power, actions_pb2.Power.Value, "POWER")
POWER_PHASES: Final = EnumTable(PowerPhase, questions_pb2.PowerPhase.Value, "POWER_PHASE")
PURCHASE_TERMS: Final = EnumTable(PurchaseTerms, questions_pb2.PurchaseTerms.Value, "PURCHASE_TERMS")
EFFECT_KINDS: Final = EnumTable(EffectKind, answers_pb2.EffectKind.Value, "EFFECT_KIND")
END_REASONS: Final = EnumTable(EndReason, events_pb2.EndReason.Value, "END_REASON")
BONUS_CHARTS: Final = EnumTable(BonusChart, rules_pb2.BonusChart.Value, "BONUS_CHART")
START_ORDERS: Final = EnumTable(StartOrder, rules_pb2.StartOrder.Value, "START_ORDER")
FOUNDER_REWARDS: Final = EnumTable(FounderWithoutStock, rules_pb2.FounderWithoutStock.Value, "FOUNDER_WITHOUT_STOCK")
DEAD_TILES: Final = EnumTable(DeadTiles, rules_pb2.DeadTiles.Value, "DEAD_TILES")
UNPLAYABLE_HANDS: Final = EnumTable(UnplayableHand, rules_pb2.UnplayableHand.Value, "UNPLAYABLE_HAND")
AFTER_DECLARING: Final = EnumTable(AfterDeclaring, rules_pb2.AfterDeclaring.Value, "AFTER_DECLARING")
ASSETS: Final = EnumTable(Assets, rules_pb2.Assets.Value, "ASSETS")
DEAL_MODES: Final = EnumTable(DealMode, match_pb2.DealMode.Value, "DEAL_MODE")
ENDINGS: Final = EnumTable(Ending, match_pb2.Ending.Value, "ENDING")
STATUSES: Final = EnumTable(Status, match_pb2.SeatStatus.Value, "SEAT_STATUS")
_NO_FAULTS: Final = frozenset[AnsweredBy]((AnsweredBy.BOT, AnsweredBy.AUTOMATIC))
FAULT_CAUSES: Final = EnumTable([by for by in AnsweredBy if by not in _NO_FAULTS], match_pb2.FaultCause.Value, "FAULT_CAUSE")
"""Why a default was taken: every `AnsweredBy` but the bot itself and what is not asked."""

OF_FIELDS: Final[Mapping[str, EnumTable[Any, Any]]] = {
    "Power": POWERS,
    "PowerPhase": POWER_PHASES,
    "PurchaseTerms": PURCHASE_TERMS,
    "EndReason": END_REASONS,
}
"""By the name of an enum in the protocol: those that stand in questions, answers and events."""
