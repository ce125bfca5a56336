"""The metrics of all processes of a server on one page, as if it were one."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias  # noqa: TID251 - prometheus_client is an extra, which may not be there

from mergemaker_referee.metrics import PrometheusMeasures

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Metric

Told: TypeAlias = list[list[Any]]
"""Metrics as JSON has them: name, text, type, and samples of a name, labels and a value."""
LAGS: Final = "_lag_seconds"
"""Metrics whose names end so are the longest of something: the greatest counts, and not the sum."""
COUNTED: Final = ("counter", "histogram")
BEGAN: Final = "_created"
"""Samples whose names end so say when a process began to count, which means nothing for all of them together."""


def told(measures: PrometheusMeasures) -> Told:
    """The metrics of one process."""
    return [
        [each.name, each.documentation, each.type, [[sample.name, dict(sample.labels), sample.value] for sample in each.samples]]
        for each in measures.registry.collect()
    ]


class Gathered:
    """Adds up what processes tell. Counts of processes that are gone stay, so that no count falls."""

    def __init__(self, own: Callable[[], Told]) -> None:
        """`own` gives the metrics of the process that serves."""
        self._own: Final = own
        self._now: Final[dict[int, Told]] = {}
        self._gone: Told = []

    def took(self, process: int, told_now: Told) -> None:
        """A process has told its metrics."""
        self._now[process] = told_now

    def ended(self, process: int) -> None:
        """A process is gone; another one takes its place."""
        counts = [each for each in self._now.pop(process, []) if each[2] in COUNTED]
        self._gone = _sum([self._gone, counts])

    def registry(self) -> "CollectorRegistry":
        """What a page can show."""
        from prometheus_client import CollectorRegistry  # noqa: PLC0415 - an extra

        registry = CollectorRegistry()
        registry.register(self)
        return registry

    def collect(self) -> Iterator["Metric"]:
        """All metrics, for Prometheus. Its thread calls this."""
        from prometheus_client import Metric  # noqa: PLC0415 - an extra

        for name, text, kind, samples in _sum([self._own(), self._gone, *tuple(self._now.values())]):
            metric = Metric(name, text, kind)
            for sample, labels, value in samples:
                metric.add_sample(sample, labels, value)
            yield metric


def _sum(all_told: Sequence[Told]) -> Told:
    found: dict[str, list[Any]] = {}
    values: dict[str, dict[tuple[str, tuple[tuple[str, str], ...]], float]] = {}
    for name, text, kind, samples in (each for told_now in all_told for each in told_now):
        found.setdefault(name, [name, text, kind])
        mine = values.setdefault(name, {})
        for sample, labels, value in samples:
            if not sample.endswith(BEGAN):
                place = (sample, tuple(labels.items()))
                before = mine.get(place, 0.0)
                mine[place] = max(before, value) if name.endswith(LAGS) else before + value
    return [[*found[name], [[sample, dict(labels), value] for (sample, labels), value in values[name].items()]] for name in found]
