"""Runs many cases, several at a time."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from mergemaker_tools.conformance.cases import Case
from mergemaker_tools.conformance.outcomes import Outcome
from mergemaker_tools.conformance.running import Client, run_case


def run_cases(cases: Sequence[Case], client: Client, jobs: int) -> Iterator[Outcome]:
    """Runs cases, and yields each outcome as soon as there is one. A caller that stops early ends the cases that still run."""
    stopping = threading.Event()
    with ThreadPoolExecutor(jobs, thread_name_prefix="conformance") as pool:
        running = [pool.submit(run_case, case, client, stopping) for case in cases]
        try:
            for each in as_completed(running):
                yield each.result()
        finally:
            stopping.set()
            for each in running:
                each.cancel()
