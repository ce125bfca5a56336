"""The verdicts: whether a case counts as a failure, and which level a client reaches."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mergemaker_tools.conformance.cases import Case, Level
from mergemaker_tools.conformance.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a case, compared with the list of cases that are known to fail."""

    outcome: Outcome
    is_known: bool

    @property
    def is_failure(self) -> bool:
        """Whether it counts as a failure: the case fails, or it passes although it is known to fail."""
        return (self.outcome.problem is None) == self.is_known

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        if self.outcome.problem is None:
            return "passes, known" if self.is_known else "passed"
        return "known to fail" if self.is_known else "FAILED"


@dataclass(frozen=True, slots=True)
class LevelReport:
    """How the client did in the cases of one level."""

    level: Level
    held: int
    """How many cases of this level there are for the client."""
    run: int
    """How many of them were run."""
    failed: int
    """How many of those failed, known or not."""

    @property
    def is_reached(self) -> bool:
        """Whether the client passed all of them."""
        return self.run == self.held and not self.failed


def verdicts(outcomes: Sequence[Outcome], known: Collection[str]) -> list[Verdict]:
    """The verdict on each."""
    return [Verdict(outcome, outcome.case.id in known) for outcome in outcomes]


def levels_up_to(level: Level) -> tuple[Level, ...]:
    """A level and those below it, the lowest first."""
    every = tuple(Level)
    return every[: every.index(level) + 1]


def level_reports(held: Sequence[Case], outcomes: Sequence[Outcome], asked: Level) -> list[LevelReport]:
    """How the client did at each level up to the one that was asked for. A case that is known to fail fails here, too."""
    return [
        LevelReport(
            level,
            sum(case.level is level for case in held),
            sum(outcome.case.level is level for outcome in outcomes),
            sum(outcome.case.level is level and outcome.problem is not None for outcome in outcomes),
        )
        for level in levels_up_to(asked)
    ]


def level_reached(reports: Sequence[LevelReport]) -> Level | None:
    """The highest level of which, and of all below, every case has passed; None where there is none."""
    reached: Level | None = None
    for report in reports:
        if not report.is_reached:
            break
        reached = report.level
    return reached


def level_text(reports: Sequence[LevelReport]) -> str:
    """The same in a sentence, such as: conforms at level core; 2 of 9 cases of level full failed."""
    reached = level_reached(reports)
    failing = [each for each in reports if each.failed]
    if reached is not None:
        said = f"conforms at level {reached}"
    elif failing:
        said = f"does not conform at level {failing[0].level}"
    else:
        said = "proves no level"
    failed = [f"{each.failed} of {_cases(each.run)} of level {each.level} failed" for each in failing]
    left_out = [
        f"{each.held - each.run} of {_cases(each.held)} of level {each.level} did not run"
        for each in reports
        if each.run < each.held
    ]
    return "; ".join((said, *failed, *left_out))


def _cases(count: int) -> str:
    return f"{count} case" if count == 1 else f"{count} cases"
