"""How a bot's first process ended."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exited:
    """It ended by itself with this status."""

    status: int

    def __str__(self) -> str:
        return f"exit status {self.status}"


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal ended it."""

    number: int

    def __str__(self) -> str:
        try:
            return f"ended by {signal.Signals(self.number).name}"
        except ValueError:  # a signal without a name
            return f"ended by signal {self.number}"


@dataclass(frozen=True, slots=True)
class Refused:
    """The system did not start it; the text says why."""

    why: str

    def __str__(self) -> str:
        return f"not started: {self.why}"


@dataclass(frozen=True, slots=True)
class Lost:
    """Its supervisor ended before it, so its end is unknown; something on this machine must have killed the supervisor."""

    def __str__(self) -> str:
        return "its supervisor was killed"


Ending = Exited | Signalled | Refused | Lost
