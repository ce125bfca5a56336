"""Health checks and reflection, as gRPC's tools expect them. They need the extra `server`."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from grpc import aio

HEALTH_SERVICE: Final = "grpc.health.v1.Health"
REFLECTION_SERVICES: Final = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
"""The same protocol under two names. New tools ask for the first, old ones for the second."""
_REFLECT: Final = "ServerReflectionInfo"


async def add_health(server: aio.Server, services: Sequence[str]) -> Any:  # noqa: ANN401 - grpc_health has no types
    """Adds health checks of the whole server (``) and of each of its services. Returns what keeps their states."""
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415 - an extra
    from grpc_health.v1._async import HealthServicer  # noqa: PLC0415 - an extra

    class Health(HealthServicer):  # type: ignore[misc]  # grpc_health has no types
        """The usual one, with a list of all states."""

        async def List(self, _request: object, _context: object) -> object:  # noqa: N802 - the call has this name
            states = {name: health_pb2.HealthCheckResponse(status=status) for name, status in self._server_status.items()}
            return health_pb2.HealthListResponse(statuses=states)

    health = Health()
    health_pb2_grpc.add_HealthServicer_to_server(health, server)
    for service in ("", *services):
        await health.set(service, health_pb2.HealthCheckResponse.SERVING)
    return health


def add_reflection(server: aio.Server, services: Sequence[str]) -> None:
    """Adds reflection under both of its names."""
    import grpc  # noqa: PLC0415 - needed only here
    from google.protobuf import descriptor_pool  # noqa: PLC0415 - likewise
    from grpc_reflection.v1alpha import reflection, reflection_pb2  # noqa: PLC0415 - an extra

    # Reflection finds the services by these.
    from mergemaker.v1 import public_log_pb2, referee_pb2, server_pb2, spectate_pb2  # noqa: PLC0415, F401 - as said

    pool = descriptor_pool.Default()
    pool.AddSerializedFile(_v1(reflection_pb2.DESCRIPTOR))
    usual = reflection.aio.ReflectionServicer([*services, *REFLECTION_SERVICES])

    async def reflect(requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:  # noqa: ANN401 - as above
        async for request in requests:
            asked = _of_service(pool, request)
            async for response in usual.ServerReflectionInfo(_only(asked), context):
                response.original_request.CopyFrom(request)
                yield response

    handler: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(
        reflect,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    generic = [grpc.method_handlers_generic_handler(name, {_REFLECT: handler}) for name in REFLECTION_SERVICES]
    server.add_generic_rpc_handlers(tuple(generic))


def _v1(alpha: Any) -> bytes:  # noqa: ANN401 - as above
    """The description of v1, made from v1alpha's, the only one in Google's package. They differ only in name."""
    from google.protobuf import descriptor_pb2  # noqa: PLC0415 - needed only here

    file = descriptor_pb2.FileDescriptorProto()
    alpha.CopyToProto(file)
    file.name = file.name.replace("/v1alpha/", "/v1/")
    file.package = file.package.removesuffix("alpha")
    # Where a field has no type of its own, the name must not be set at all.
    for field in [field for message in file.message_type for field in message.field if field.type_name]:
        field.type_name = field.type_name.replace(".v1alpha.", ".v1.")
    for method in [method for service in file.service for method in service.method]:
        method.input_type = method.input_type.replace(".v1alpha.", ".v1.")
        method.output_type = method.output_type.replace(".v1alpha.", ".v1.")
    return file.SerializeToString()


def _of_service(pool: Any, request: Any) -> Any:  # noqa: ANN401 - as above
    """The request, with a method's name replaced by its service's: the usual reflection finds no methods."""
    try:
        method = pool.FindMethodByName(request.file_containing_symbol)
    except KeyError:
        return request
    return type(request)(host=request.host, file_containing_symbol=method.containing_service.full_name)


async def _only(request: object) -> AsyncIterator[object]:
    yield request
