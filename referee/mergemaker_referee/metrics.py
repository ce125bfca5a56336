"""Metrics for Prometheus: the referee's measurements, under stable names, at their own address.

Threads of prometheus_client serve the page. They read numbers, and the lengths of tables that the referee's thread owns,
and change nothing. No label contains a name, a match or a token, so labels are bounded and reveal no secrets.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final  # noqa: TID251 - prometheus_client is an extra, which may not be there

from mergemaker_engine.record.lines import DEFAULTS, AnsweredBy, Ending

from mergemaker_referee.configuration.settings import Address
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.measures import Measures

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

CLOSE_LIMIT_S: Final = 5.0
"""How long the page's thread may take to end."""
_THINKING_S: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_QUEUED_S: Final = (0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_WRITTEN_S: Final = (0.000_03, 0.000_1, 0.000_3, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_NS: Final = 1e9
_CAUSES: Final = {cause: str(cause).removeprefix("default: ").replace(" ", "-") for cause in AnsweredBy if cause in DEFAULTS}
"""The label of each cause."""


class PrometheusMeasures(Measures):
    """Keeps measurements as Prometheus's metrics."""

    def __init__(self, registry: "CollectorRegistry") -> None:
        from prometheus_client import Counter, Histogram  # noqa: PLC0415 - an extra

        self.registry: Final = registry
        self._thinking: Final = Histogram(
            "mergemaker_decision_seconds",
            "From when a question went to the transport until its answer came from there.",
            buckets=_THINKING_S,
            registry=registry,
        )
        self._queued: Final = Histogram(
            "mergemaker_answer_queue_seconds",
            "From when an answer came until it was judged: the referee's own delay, which is charged to nobody.",
            buckets=_QUEUED_S,
            registry=registry,
        )
        self._written: Final = Histogram(
            "mergemaker_record_write_seconds",
            "Until lines of a record were durable, with fsync where the configuration asks for it.",
            buckets=_WRITTEN_S,
            registry=registry,
        )
        self._defaults: Final = Counter(
            "mergemaker_defaults", "Defaults that were taken for a seat, by cause.", ["cause"], registry=registry
        )
        self._refusals: Final = Counter("mergemaker_refusals", "Answers that were refused.", registry=registry)
        self._matches: Final = Counter("mergemaker_matches_over", "Matches that have ended.", ["ending"], registry=registry)
        # A cause that has not occurred yet is shown as 0, so that rates are right from the first one on.
        for cause in _CAUSES.values():
            self._defaults.labels(cause)
        for ending in Ending:
            self._matches.labels(str(ending))

    def answered(self, thought_ns: int, queued_ns: int) -> None:
        """A decision was answered."""
        self._thinking.observe(max(thought_ns, 0) / _NS)
        self._queued.observe(max(queued_ns, 0) / _NS)

    def written(self, took_ns: int) -> None:
        """Lines of a record are durable."""
        self._written.observe(took_ns / _NS)

    def default_taken(self, cause: AnsweredBy) -> None:
        """A default was taken."""
        self._defaults.labels(_CAUSES[cause]).inc()

    def refused(self) -> None:
        """An answer was refused."""
        self._refusals.inc()

    def match_over(self, ending: Ending) -> None:
        """A match has ended."""
        self._matches.labels(str(ending)).inc()

    def show(self, name: str, text: str, now: Callable[[], float]) -> None:
        """Adds a number that is read whenever the page is requested."""
        from prometheus_client import Gauge  # noqa: PLC0415 - an extra

        Gauge(name, text, registry=self.registry).set_function(now)

    def show_by_phase(self, name: str, text: str, now: Mapping[str, Callable[[], float]]) -> None:
        """Adds numbers by phase that are read whenever the page is requested."""
        from prometheus_client import Gauge  # noqa: PLC0415 - an extra

        gauge = Gauge(name, text, ["phase"], registry=self.registry)
        for phase, number in now.items():
            gauge.labels(phase).set_function(number)


def own_measures() -> PrometheusMeasures:
    """Measures that a page may show."""
    try:
        from prometheus_client import CollectorRegistry  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise RefereeError("no-metrics", "metrics need an extra: `pip install 'mergemaker[server]'`") from error
    return PrometheusMeasures(CollectorRegistry())


@contextlib.contextmanager
def served_page(address: Address, shown: "CollectorRegistry") -> Iterator[int]:
    """Serves a page within a block; yields its port."""
    from prometheus_client import start_http_server  # noqa: PLC0415 - an extra

    try:
        server, thread = start_http_server(address.port, address.host, shown)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RefereeError("metrics-address", f"metrics cannot be served on {address}: {reason}") from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(CLOSE_LIMIT_S)


@contextlib.contextmanager
def metrics_page(address: Address) -> Iterator[tuple[PrometheusMeasures, int]]:
    """Serves a page of one process within a block. Yields what it shows, and its port."""
    measures = own_measures()
    with served_page(address, measures.registry) as port:
        yield measures, port
