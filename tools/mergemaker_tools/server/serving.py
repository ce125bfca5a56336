"""Runs the referee of `mergemaker serve`, and prints where it listens."""

import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeAlias

from mergemaker_referee.beside import Beside, nothing_beside
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.logs import configure_log
from mergemaker_referee.processes.serving_many import RunningMany, serve_many_forever
from mergemaker_referee.rpc.server import ServerProblem
from mergemaker_referee.serving import Running, serve_forever, software_text

from mergemaker_tools.problems import DONE, CommandFailed, only_problem
from mergemaker_tools.screen import show_line, show_notes, write

BookOf: TypeAlias = Callable[[str], Any]
"""Gives the tournaments of a database; its type is of an extra."""
_WEB_EXTRAS: Final = ("hypercorn", "msgspec", "starlette")
"""What the extra `web` brings."""
_EXTRAS: Final = ("grpc_health", "grpc_reflection")
"""What the extra `server` brings on every system."""


def serve(settings: Settings, operator_token: str | None, book_of: BookOf, *, as_json: bool) -> int:
    """Serves, and prints where; returns the exit status. `book_of` gives the tournaments of a database, for the pages."""
    configure_log(settings.log_format, settings.log_level)
    show_notes("serve", settings.remarks())
    if any(importlib.util.find_spec(name) is None for name in _EXTRAS):
        show_notes("serve", ["health checks and reflection need an extra: `pip install 'mergemaker[server]'`"])

    beside, pages = _pages_beside(settings, book_of)

    def announce(running: Running | RunningMany) -> None:
        metrics = _metrics_url(settings, running)
        if as_json:
            document: dict[str, object] = {"addresses": list(running.addresses), "records": str(settings.records)}
            document |= ({"metrics": metrics} if metrics else {}) | ({"web": pages[0]} if pages else {})
            # On one line, so that a program that starts the server can read it while the server runs.
            write(json.dumps(document | ({"operator_token": operator_token} if operator_token else {})) + "\n")
            return
        for address in running.addresses:
            show_line(f"listening on {address}")
        show_line(f"records: {settings.records}")
        told = {"metrics": metrics, "pages": pages[0] if pages else None}
        told["operator's token, good until this server ends"] = operator_token
        for name, value in told.items():
            if value is not None:
                show_line(f"{name}: {value}")

    try:
        if settings.processes > 1:
            serve_many_forever(settings, announce, beside)
        else:
            serve_forever(settings, announce, beside)
    except (RefereeError, ServerProblem, BaseExceptionGroup) as problem:
        only = only_problem(problem)
        if isinstance(only, RefereeError | ServerProblem):
            raise CommandFailed(str(only)) from problem
        if isinstance(only, CommandFailed | BrokenPipeError):  # of what was announced
            raise only from problem
        raise
    return DONE


def _pages_beside(settings: Settings, book_of: BookOf) -> tuple[Beside, list[str]]:
    """What runs beside the referee: pages, if the settings say so. Their address is known once they are served."""
    addresses: list[str] = []
    if settings.web.listen is None:
        return nothing_beside, addresses
    if any(importlib.util.find_spec(name) is None for name in _WEB_EXTRAS):
        raise CommandFailed("pages need an extra: `pip install 'mergemaker[web]'`; or leave web.listen out")
    from mergemaker_web.server.listening import pages_beside  # noqa: PLC0415 - an extra

    tournaments = None if settings.web.database is None else book_of(settings.web.database)
    return pages_beside(settings, software_text(), addresses.append, tournaments), addresses


def _metrics_url(settings: Settings, running: Running | RunningMany) -> str | None:
    if settings.metrics_listen is None or running.metrics_port is None:
        return None
    return f"http://{replace(settings.metrics_listen, port=running.metrics_port)}/metrics"
