"""The server's log: to standard error, for people or as JSON, and never with a token in it."""

import contextlib
import logging
import os
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog
from structlog.typing import Processor

from mergemaker_referee.configuration.settings import LogFormat, LogLevel
from mergemaker_referee.tokens import without_tokens


def configure_log(form: LogFormat, level: LogLevel, process: int | None = None) -> None:
    """Sets how everything that is logged from now on is written. With its number, each line names this process."""

    def name_process(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        return event if process is None else {**event, "process": process}

    processors: list[Processor] = [
        name_process,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _hide_tokens,
    ]
    if form is LogFormat.JSON:
        processors.append(structlog.processors.JSONRenderer(default=str))
    else:
        colours = sys.stderr is not None and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        plain = structlog.dev.plain_traceback  # a trace is already text without tokens
        processors.append(structlog.dev.ConsoleRenderer(colors=colours, exception_formatter=plain))
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *_: _Writer(sys.stderr),
        cache_logger_on_first_use=True,
    )


def _hide_tokens(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if not isinstance(value, int | float | None):
            event[key] = without_tokens(value if isinstance(value, str) else str(value))
    return event


class _Writer:
    """Writes lines. If the log cannot be written, because its reader is gone or the disk is full, matches go on."""

    def __init__(self, file: TextIO | None) -> None:
        self._file = file

    def msg(self, line: str) -> None:
        """Writes one line."""
        if self._file is not None:
            with contextlib.suppress(OSError, ValueError):
                self._file.write(line + "\n")
                self._file.flush()

    debug = info = warning = error = critical = exception = fatal = log = msg
