"""How a broken bot communicates: on its own streams, it may send anything, and wait for anything."""

import itertools
import queue
import threading
from collections.abc import Iterator
from typing import Any, Final

import grpc
from mergemaker.v1 import referee_pb2

PLAY: Final = "/mergemaker.v1.RefereeService/Play"
WAIT_S: Final = 600.0
"""A guard against a hang; the parent process ends this one long before."""
ENDED: Final = "ended"


class Ended(Exception):
    """The stream is over; the text says how."""


class Talk:
    """One stream of a bot."""

    def __init__(self, target: str, token: str, match: str, *, pongs: bool = True, memory: int | None = None) -> None:
        """`memory` limits the unread bytes that gRPC accepts; None: megabytes, as usual."""
        self.match: Final = match
        self.refused: Final[set[str]] = set()
        """The reasons of refusals."""
        self.is_over = False
        """Whether the match is over."""
        self._pongs: Final = pongs
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        if memory is not None:
            options += [("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", memory)]
        self._channel: Final = grpc.insecure_channel(target, options=options)
        self._requests: Final[queue.SimpleQueue[bytes | None]] = queue.SimpleQueue()
        self._responses: Final[queue.SimpleQueue[referee_pb2.PlayResponse | str]] = queue.SimpleQueue()
        self.asked = threading.Event()
        """Set after the first question arrives."""
        play: Any = self._channel.stream_stream(
            PLAY, request_serializer=None, response_deserializer=referee_pb2.PlayResponse.FromString
        )
        self.call: Final = play(self._sending(), metadata=(("authorization", f"Bearer {token}"),))
        self._reading: Final = threading.Event()
        self._reading.set()
        threading.Thread(target=self._read, daemon=True).start()

    def _sending(self) -> Iterator[bytes]:
        while (request := self._requests.get()) is not None:
            yield request

    def stop_reading(self) -> None:
        """Reads nothing more from the stream."""
        self._reading.clear()

    def _read(self) -> None:
        try:
            for response in self.call:
                if response.HasField("decision"):
                    self.asked.set()
                if response.HasField("ping") and self._pongs:
                    self.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=response.ping.id)))
                self._responses.put(response)
                self._reading.wait()
        except grpc.RpcError as error:
            self._responses.put((error.details() or error.code().name).partition(":")[0])
        else:
            self._responses.put(ENDED)

    # --- what it sends ---

    def send(self, request: referee_pb2.PlayRequest | bytes) -> None:
        self._requests.put(request if isinstance(request, bytes) else request.SerializeToString())

    def hello(self, protocol: int = 1, *, evict: bool = False) -> None:
        self.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[protocol], library="broken", evict=evict)))

    def take_seat(self) -> None:
        self.send(referee_pb2.PlayRequest(match=self.match, take_seat=referee_pb2.TakeSeat()))

    def answer(self, decision: int, index: int, note: str = "", match: str | None = None) -> None:
        said = referee_pb2.Answer(decision=decision, index=index, note=note)
        self.send(referee_pb2.PlayRequest(match=self.match if match is None else match, answer=said))

    def join(self) -> None:
        """Sends everything that a bot sends before its first question."""
        self.hello()
        self.take_seat()

    def leave(self) -> None:
        """Ends its side of the stream."""
        self._requests.put(None)

    def drop(self) -> None:
        """Breaks the stream."""
        self.call.cancel()
        self._channel.close()

    # --- what it receives ---

    def next(self) -> referee_pb2.PlayResponse:
        """The next response. Reading also answers pings, as in every library."""
        response = self._responses.get(timeout=WAIT_S)
        if isinstance(response, str):
            raise Ended(response)
        if response.HasField("answer_refused"):
            self.refused.add(response.answer_refused.problem.reason)
        if response.HasField("request_refused"):
            self.refused.add(response.request_refused.problem.reason)
        self.is_over = self.is_over or response.HasField("match_ended")
        return response

    def until(self, *fields: str) -> referee_pb2.PlayResponse:
        """The next response with one of these fields."""
        while True:
            response = self.next()
            if any(response.HasField(field) for field in fields):  # type: ignore[arg-type]  # fields that exist
                return response

    def decisions(self) -> Iterator[referee_pb2.Decision]:
        """Its questions, until the match is over."""
        while not self.is_over:
            response = self.next()
            if response.HasField("decision"):
                yield response.decision

    def play(self, count: int | None = None) -> int:
        """Answers this number of questions, or all, by their defaults; returns how many it answered."""
        number = 0
        for decision in itertools.islice(self.decisions(), count):
            self.answer(decision.id, decision.default_index)
            number += 1
        return number

    def listen(self) -> None:
        """Sends only pongs until the match is over."""
        while not self.is_over:
            self.next()
