"""What a benchmark shows: a row for each thing that was measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured. All limits are upper ones."""

    id: str
    what: str
    unit: str
    measured: float | None
    """None where it could not be measured; `note` says why."""
    must: float | None = None
    aim: float | None = None
    note: str = ""

    def met(self, limit: float | None) -> bool | None:
        """Whether a limit is met; None where there is none, or nothing was measured."""
        return None if limit is None or self.measured is None else self.measured <= limit
