"""Settings for the tests of all rooms."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import structlog

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Programs that a shell starts in the background ignore Ctrl-C, and so would all programs that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


PLAIN_ROOMS = ("contest", "engine", "table")
"""Rooms of tests about code that needs nothing but Python."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what needs nothing but Python: CI does not repeat all of it with other versions of packages.

    Modules with slow tests go first: several processes can share what is left at the end only if that is short.
    """
    here = Path(__file__).parent
    plain = tuple(f"{here / room}{os.sep}" for room in PLAIN_ROOMS)
    slow_modules: set[Path] = set()
    for item in items:
        if str(item.path).startswith(plain):
            item.add_marker(pytest.mark.plain)
        if item.get_closest_marker("slow") is not None:
            slow_modules.add(item.path)
    items.sort(key=lambda item: item.path not in slow_modules)


@pytest.fixture(scope="session", autouse=True)
def _loggers_that_keep_nothing() -> Iterator[None]:
    """A logger that caches its first configuration would log for one test with the settings of another."""
    configure = structlog.configure

    def keep_nothing(**settings: Any) -> None:
        configure(**{**settings, "cache_logger_on_first_use": False})

    with mock.patch.object(structlog, "configure", keep_nothing):
        yield


@pytest.fixture(autouse=True)
def _log_as_it_was(_loggers_that_keep_nothing: None) -> Iterator[None]:
    """A test's configuration of the log holds for that test alone."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)
