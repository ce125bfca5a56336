"""What holds for all rooms' tests."""

import signal
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
import structlog

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whatever a shell starts in the background ignores Ctrl-C, and so would all programs that tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _loggers_that_keep_nothing() -> Iterator[None]:
    """A logger that keeps how it was configured at its first use would log for one test as another one wanted it."""
    configure = structlog.configure

    def keep_nothing(**settings: Any) -> None:
        configure(**{**settings, "cache_logger_on_first_use": False})

    with mock.patch.object(structlog, "configure", keep_nothing):
        yield


@pytest.fixture(autouse=True)
def _log_as_it_was(_loggers_that_keep_nothing: None) -> Iterator[None]:
    """How a test configures the log holds for that test alone."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)
