"""What a referee measures of itself, as calls: a port to metrics, or to nothing."""

from typing import Final

from mergemaker_engine.record.lines import AnsweredBy, Ending


class Measures:
    """Takes measurements; this class ignores them. Times are in nanoseconds. All calls come from the referee's thread."""

    def answered(self, thought_ns: int, queued_ns: int) -> None:
        """A decision was answered: the time from its question to its answer, and the time from its answer to the judgement."""

    def written(self, took_ns: int) -> None:
        """Lines of a record became durable this long after the disk got them."""

    def default_taken(self, cause: AnsweredBy) -> None:
        """A default was taken for a seat."""

    def refused(self) -> None:
        """An answer was refused."""

    def match_over(self, ending: Ending) -> None:
        """A match has ended."""


NO_MEASURES: Final = Measures()
