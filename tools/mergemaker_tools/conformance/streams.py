"""The transport of the scripted referee: real gRPC streams, each with a queue of requests and one of responses."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

import grpc

from mergemaker_tools.conformance.certificates import Certificate

SERVICE: Final = "mergemaker.v1.RefereeService"
STREAMS_MAX: Final = 64
"""How many streams can be open at a time; one more waits."""
_METADATA: Final = "authorization"


class Stream:
    """One stream of the client, as the script sees it."""

    def __init__(self, number: int, authorization: str) -> None:
        self.number: Final = number
        self.authorization: Final = authorization
        self.opened_ns: Final = time.monotonic_ns()
        self.requests: Final[SimpleQueue[bytes | None]] = SimpleQueue()
        """The requests that came. None follows the last one: the client has closed its side, or is gone."""
        self._responses: Final[SimpleQueue[bytes | tuple[str, str]]] = SimpleQueue()

    def send(self, response: bytes) -> None:
        """Sends a response."""
        self._responses.put(response)

    def end(self, code: str = "OK", text: str = "") -> None:
        """Ends the stream with a status, after everything that was sent."""
        self._responses.put((code, text))

    def serve(self, context: grpc.ServicerContext) -> Iterator[bytes]:
        """Sends responses until the stream ends; runs on a thread of the transport."""
        while True:
            given = self._responses.get()
            if isinstance(given, bytes):
                yield given
                continue
            code, text = given
            if code != "OK":
                context.abort(grpc.StatusCode[code], text)
            return


class ScriptedServer:
    """Accepts streams until it is stopped."""

    def __init__(self, streams: SimpleQueue[Stream], certificate: Certificate | None) -> None:
        self._streams: Final = streams
        self._count = 0
        self._lock: Final = threading.Lock()
        self._server: Final = grpc.server(ThreadPoolExecutor(STREAMS_MAX), options=[("grpc.so_reuseport", 0)])
        handler: Any = grpc.stream_stream_rpc_method_handler(self._play)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        address = "127.0.0.1:0"
        if certificate is None:
            self.port = self._server.add_insecure_port(address)
        else:
            credentials = grpc.ssl_server_credentials([(certificate.key, certificate.chain)])
            self.port = self._server.add_secure_port(address, credentials)
        self._server.start()

    def stop(self) -> None:
        """Ends all streams at once, and accepts no more."""
        self._server.stop(None).wait()

    def _play(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        with self._lock:
            self._count += 1
            stream = Stream(self._count, metadata.get(_METADATA, ""))
        reader = threading.Thread(target=_read, args=(requests, stream), name="conformance-reader", daemon=True)
        reader.start()
        context.add_callback(stream.end)  # otherwise `serve` waits for ever on a stream that is gone
        self._streams.put(stream)
        return stream.serve(context)


def _read(requests: Iterator[bytes], stream: Stream) -> None:
    # A stream that breaks makes the iterator raise a plain Exception. To the script, that is the end of the requests.
    with suppress(Exception):
        for request in requests:
            stream.requests.put(request)
    stream.requests.put(None)
