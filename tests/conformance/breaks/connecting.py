"""Breaks of how a client connects, and how it stops."""

import os
from pathlib import Path
from typing import Any, Final

from mergemaker_client import connection
from mergemaker_client.environment import SERVER_VARIABLE
from mergemaker_tools.commands import bot as bot_command
from mergemaker_tools.conformance.certificates import AUTHORITY
from mergemaker_tools.conformance.frames import acknowledged_ping
from mergemaker_tools.conformance.relay import Relay

from tests.conformance.breaks.registry import breaks, put

ENDLESS_MS: Final = 3_600_000


@breaks
def uses_a_proxy() -> None:
    """Lets gRPC use a proxy even for the loopback."""

    def options(target: Any) -> list[tuple[str, int]]:
        return [option for option in real(target) if option[0] != "grpc.enable_http_proxy"]

    real = put(connection, "channel_options", options)


@breaks
def waits_for_ever_for_the_welcome() -> None:
    """Never gives up a stream that gets no Welcome."""
    put(connection, "WELCOME_MS_MAX", ENDLESS_MS)


@breaks
def trusts_without_being_told() -> None:
    """Trusts a certificate that no setting names."""

    def trusted(told: Path | None) -> bytes | None:
        found: bytes | None = AUTHORITY.read_bytes() if told is None else real(told)
        return found

    real = put(connection, "_trusted", trusted)


@breaks
def sends_no_keepalive() -> None:
    """Sends no HTTP/2 pings, so it never notices a dead connection."""

    def options(target: Any) -> list[tuple[str, int]]:
        return [option for option in real(target) if "keepalive" not in option[0] and "ping" not in option[0]]

    real = put(connection, "channel_options", options)


@breaks
def acknowledges_no_http_pings() -> None:
    """Drops its acknowledgement of every HTTP/2 ping."""
    host, port = os.environ[SERVER_VARIABLE].rsplit(":", 1)
    relay = Relay(keeps=lambda frame: acknowledged_ping(frame) is None)
    relay.target = int(port)
    os.environ[SERVER_VARIABLE] = f"{host}:{relay.port}"


@breaks
def ignores_sigterm() -> None:
    """Continues when it is asked to stop."""
    put(bot_command, "_stop", lambda *_: None)


@breaks
def fails_on_wrong_settings() -> None:
    """Ends with a failure's status after wrong settings. `main` handles this."""
