"""How a refused call ends: a status with a text, and the same for programs, in the form of Google's tools and libraries."""

from typing import Any, Final, TypeAlias

import grpc
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc import aio

from mergemaker_referee.connections import CloseCode, Closing

Context: TypeAlias = aio.ServicerContext[Any, Any]

DOMAIN: Final = "mergemaker"
"""The namespace that gives the reasons their meaning."""
DETAILS_KEY: Final = "grpc-status-details-bin"
"""The trailing metadata in which gRPC's own libraries look for a `google.rpc.Status`."""


def grpc_status(code: CloseCode) -> grpc.StatusCode:
    """GRPC's own value of a status."""
    return grpc.StatusCode[code.name]


def reason_for_programs(reason: str) -> str:
    """A reason in the form of `ErrorInfo`: `too-many-calls` becomes `TOO_MANY_CALLS`."""
    return reason.replace("-", "_").upper()


def details_of(closing: Closing) -> bytes:
    """The status with its reason for programs: a `google.rpc.Status` that contains an `ErrorInfo`."""
    info = error_details_pb2.ErrorInfo(
        reason=reason_for_programs(closing.reason),
        domain=DOMAIN,
        metadata={"reason": closing.reason, "reconnect": "true" if closing.reconnect else "false"},
    )
    packed = any_pb2.Any()
    packed.Pack(info)
    code: int = grpc_status(closing.code).value[0]
    data: bytes = status_pb2.Status(code=code, message=text_of(closing), details=[packed]).SerializeToString()
    return data


def text_of(closing: Closing) -> str:
    """The status's text: the reason and its meaning."""
    return f"{closing.reason}: {closing.text}"


async def abort(context: Context, closing: Closing) -> None:
    """Ends a call with a status. Never returns: gRPC raises an error that ends the handler."""
    await context.abort(grpc_status(closing.code), text_of(closing), ((DETAILS_KEY, details_of(closing)),))
