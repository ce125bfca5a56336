"""Runs many cases, several at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

from mergemaker_tools.conformance.running import run_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mergemaker_tools.conformance.cases import Case
    from mergemaker_tools.conformance.running import Client, Outcome


def run_cases(cases: Sequence[Case], client: Client, jobs: int) -> Iterator[Outcome]:
    """Runs cases, and gives each outcome as it comes. Whoever breaks off in between ends those that run."""
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
