"""How the seats of a match came out: one value, from where it is found to where it is sent."""

from collections.abc import Mapping

from mergemaker_engine.record.lines import AnsweredBy, Status
from mergemaker_engine.values import dataclass


@dataclass(frozen=True, slots=True)
class Thinking:
    """How long a seat took over the decisions it was asked."""

    decisions: int = 0
    total_ms: int = 0
    longest_ms: int = 0

    @property
    def mean_ms(self) -> int:
        """The mean, in whole milliseconds, rounded down."""
        return self.total_ms // self.decisions if self.decisions else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one seat came out."""

    seat: int
    bot: str
    place: int | None
    """1 is best; equal money shares a place. None if the match was voided."""
    cash: int | None
    """None if the match was voided."""
    status: Status
    faults: Mapping[AnsweredBy, int]
    """How many defaults were taken in its name, by cause."""
    since: int | None = None
    """From which decision of the match on the status held; None if the seat finished, or where that is not known."""
    thinking: Thinking = Thinking()
    """Nothing where that is not known."""
    bot_id: str = ""
    """By which the referee's configuration knows the bot; empty for a holder of the seat's token."""
    version: str = ""
    """What the bot said of its version."""
