"""What counts as a failure: a case that fails, or one that passes though it is known to fail."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mergemaker_tools.conformance.running import Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """A case's outcome, in the light of what is known to fail."""

    outcome: Outcome
    is_known: bool

    @property
    def is_failure(self) -> bool:
        """Whether it counts as one."""
        return (self.outcome.problem is None) == self.is_known

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        if self.outcome.problem is None:
            return "passes, known" if self.is_known else "passed"
        return "known to fail" if self.is_known else "FAILED"


def verdicts(outcomes: Sequence[Outcome], known: Collection[str]) -> list[Verdict]:
    """The verdict on each."""
    return [Verdict(outcome, outcome.case.id in known) for outcome in outcomes]
