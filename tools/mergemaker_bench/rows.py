"""What a benchmark shows: a row for each thing that was measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. Its limits are upper ones, unless it says otherwise."""

    id: str
    what: str
    unit: str
    measured: float | None
    """None where it could not be measured; `note` says why."""
    must: float | None = None
    aim: float | None = None
    note: str = ""
    is_floor: bool = False
    """Whether its limits are lower ones."""

    def met(self, limit: float | None) -> bool | None:
        """Whether a limit is met; None where there is none, or nothing was measured."""
        if limit is None or self.measured is None:
            return None
        return self.measured >= limit if self.is_floor else self.measured <= limit
