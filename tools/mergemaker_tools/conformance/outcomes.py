"""What became of a case."""

from dataclasses import dataclass

from mergemaker_tools.conformance.cases import Case


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case."""

    case: Case
    problem: str | None
    """What the client did wrong; None if it passed."""
    seconds: float
    transcript: tuple[dict[str, object], ...]
    said: tuple[str, ...]
    """The last lines of the client's standard error, if it did not pass."""
