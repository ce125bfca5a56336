"""What is reported of a confined bot: the limits that it reached, and what it looked for that is hidden."""

import json
from dataclasses import dataclass

from mergemaker_processes.confinement.terms import MIB


@dataclass(frozen=True, slots=True)
class Trouble:
    """One such event. It is reported once for a bot's process, however often it happens."""

    kind: str
    """`memory`, `processes`, `looked` or `network`."""
    limit: int | None
    measured: int | None
    where: str | None = None
    ended: bool = False
    """Whether the bot was ended because of it."""

    @classmethod
    def from_report(cls, text: str) -> "Trouble":
        """Reads what the launcher reports."""
        told = json.loads(text)
        return cls(told["kind"], told.get("limit"), told.get("measured"), told.get("where"), told.get("ended", False))

    def __str__(self) -> str:
        then = "and was ended" if self.ended else "and got no more"
        match self.kind:
            case "memory":
                used = _mib(max(self.measured or 0, self.limit or 0))
                return f"it came to its limit of {_mib(self.limit or 0)} MiB of memory ({used} MiB measured), {then}"
            case "processes":
                return f"it came to its limit of {self.limit} processes and threads ({self.measured} measured), {then}"
            case "network":
                return f"it tried to reach other networks, {self.measured} times so far: from where it is there is no way out"
            case _:
                return f"it looked into what is not for it, and found nothing there: {self.where}"

    def document(self) -> dict[str, object]:
        """For programs."""
        parts = {"kind": self.kind, "limit": self.limit, "measured": self.measured, "where": self.where, "ended": self.ended}
        return {name: value for name, value in parts.items() if value is not None}


def _mib(number: int) -> str:
    return f"{-(-number // MIB):,}"
