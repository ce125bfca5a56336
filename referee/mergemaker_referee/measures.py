"""What a referee measures of itself, as calls: a port behind which metrics stand, or nothing."""

from typing import Final

from mergemaker_engine.record.lines import AnsweredBy, Ending


class Measures:
    """Takes what is measured; here nothing comes of it. Times are in nanoseconds. All is called on the referee's thread."""

    def answered(self, thought_ns: int, queued_ns: int) -> None:
        """A decision was answered: so long after its question went out; and so long after the answer came it was judged."""

    def written(self, took_ns: int) -> None:
        """Lines of a record were durable so long after they were handed to the disk."""

    def default_taken(self, cause: AnsweredBy) -> None:
        """A default was taken in a seat's name."""

    def refused(self) -> None:
        """An answer was refused."""

    def match_over(self, ending: Ending) -> None:
        """A match has ended."""


NO_MEASURES: Final = Measures()
