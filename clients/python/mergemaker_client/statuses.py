"""How a stream can end for good, and the advice for the bot's author."""

from collections.abc import Mapping
from typing import Final

from mergemaker_client.problems import TakenOver

TAKEN_OVER: Final = "taken-over"
"""The reason of a goodbye after which no client comes back."""
DISPLACED: Final = "ABORTED"
"""The status of that goodbye."""


def taken_over() -> TakenOver:
    """The error for a displaced client."""
    return TakenOver(
        TAKEN_OVER,
        "another process plays with this bot's token now, so this one stops and does not come back; "
        "start one process for each token",
    )


ALIVE: Final = "ALREADY_EXISTS"
"""The status of a stream that is refused because another process has a stream with the same token."""

_ADVICE: Final[Mapping[str, str]] = {
    "UNAUTHENTICATED": "check MERGEMAKER_TOKEN: it may belong to another referee, or have been withdrawn",
    "PERMISSION_DENIED": "check MERGEMAKER_TOKEN: this token may not do that",
    "FAILED_PRECONDITION": "update what is older, the referee or this client",
    ALIVE: "another process plays with the same token: end it, or take its place with evict=True",
    "INVALID_ARGUMENT": "MERGEMAKER_TRACE=FILE writes down what was sent",
    "UNIMPLEMENTED": "there is a gRPC server, but no referee: check MERGEMAKER_SERVER",
    "NOT_FOUND": "check MERGEMAKER_SERVER",
}
FINAL: Final = frozenset(_ADVICE)
"""Statuses after which coming back makes no sense."""


def advice(code: str, text: str) -> str:
    """The advice for a bot's author on a status after which coming back makes no sense."""
    return f"the referee refused ({code}): {text or 'it gave no reason'}; {_ADVICE[code]}"
