"""Steps about the connection between client and referee: breaks, a dead line, pings of HTTP/2, proxies."""

import time
from collections.abc import Callable, Mapping
from typing import Final

from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.talk import POLL_S, CaseFailed


def _cut(stage: Stage, _: Step) -> None:
    """The relay resets every connection."""
    stage.talk.broke_ns = time.monotonic_ns()
    stage.relay.cut()


def _stop(stage: Stage, _: Step) -> None:
    """The server is stopped."""
    stage.stop()


def _restart(stage: Stage, _: Step) -> None:
    """A server starts again, under the same address."""
    stage.restart()


def _dead(stage: Stage, _: Step) -> None:
    """The line goes dead: it stays open, and nothing comes through in either direction. A new connection works."""
    stage.talk.broke_ns = time.monotonic_ns()
    stage.relay.let_die()


def _http_ping(stage: Stage, _: Step) -> None:
    """The client gets a ping of HTTP/2."""
    stage.relay.send(stage.http_pings.next())


def _http_pong(stage: Stage, _: Step) -> None:
    """The client acknowledges every ping of HTTP/2."""
    _await(stage, stage.http_pings.are_answered, f"has acknowledged no ping of HTTP/2, of {stage.http_pings.count},")


def _connects(stage: Stage, _: Step) -> None:
    """The client opens a connection."""
    _await(stage, lambda: stage.relay.connections > 0, "has opened no connection")


def _await(stage: Stage, holds: Callable[[], bool], missing: str) -> None:
    until = time.monotonic() + stage.limit_s
    while not holds():
        if time.monotonic() > until:
            raise CaseFailed(f"the client {missing} for {stage.limit_s:.0f} s")
        time.sleep(POLL_S)


def _direct(stage: Stage, _: Step) -> None:
    """The client has not connected to the proxy."""
    if stage.proxy.connections:
        raise CaseFailed("the client has spoken to a proxy, though the referee is on the loopback")


STEPS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {
    "cut": _cut,
    "stop": _stop,
    "restart": _restart,
    "dead": _dead,
    "http-ping": _http_ping,
    "http-pong": _http_pong,
    "connects": _connects,
    "direct": _direct,
}
"""By word."""
