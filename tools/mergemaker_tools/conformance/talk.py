"""The referee's side of the conversation: the client's stream and session, and for each match what was sent and what is open."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from google.protobuf.message import DecodeError
from mergemaker.v1 import referee_pb2

from mergemaker_tools.conformance.dialogues import Dialogue, Question, dialogue
from mergemaker_tools.conformance.promises import Promise
from mergemaker_tools.conformance.streams import Stream
from mergemaker_tools.conformance.transcript import Transcript

Item = TypeVar("Item")
NOTE_BYTES_MAX: Final = 1_024
REQUEST_BYTES_MAX: Final = 65_536
MATCHES_MAX: Final = 16
POLL_S: Final = 0.1
"""How often the script checks whether the client's process still runs, in seconds."""
UNKNOWN_FIELD: Final = bytes.fromhex("ca3e0474657374")
"""Field 1001, which no message has: the text `test`."""


class CaseFailed(Exception):
    """The client did not do what the case demands."""


@dataclass(slots=True)
class Match:
    """One match of a case."""

    dialogue: Dialogue
    promise: Promise
    """What the referee promises of the deal."""
    asked: int = 0
    """How many questions of the dialogue were asked."""
    told: int = 0
    """The number of the last event that was sent."""
    confirmed: int = 0
    """The number of the last event that the client has surely received, because it answered after it."""
    begun: bool = False
    open: Question | None = None
    """The question that waits for an answer, or whose answer waits for its acknowledgement."""
    answer: referee_pb2.PlayRequest | None = None
    """The client's answer to it."""
    to_accept: int = 0
    """The decision whose answer is still to be acknowledged; 0 for none."""
    over: bool = False
    seen: int = 0
    """The number of the last event that the client has seen, as it says when it comes back."""

    @property
    def name(self) -> str:
        """The match's id."""
        return self.dialogue.name


@dataclass(slots=True)
class Session:
    """What outlives a stream."""

    tokens: list[str] = field(default_factory=list)
    """The resume tokens that the client got, the newest last."""
    hello: referee_pb2.Hello = field(default_factory=referee_pb2.Hello)
    """The last one that came."""


class Talk:
    """The referee's side of the conversation with one client."""

    def __init__(
        self,
        streams: SimpleQueue[Stream],
        transcript: Transcript,
        limit_s: float,
        has_ended: Callable[[], str | None],
        stopping: threading.Event,
    ) -> None:
        self._streams: Final = streams
        self._transcript: Final = transcript
        self._limit_s: Final = limit_s
        self._has_ended: Final = has_ended
        """How the client's process ended; None while it runs."""
        self._stopping: Final = stopping
        """Set when the command is interrupted."""
        self.session: Final = Session()
        self.stream: Stream | None = None
        self.matches: Final[dict[str, Match]] = {}
        self.pings: Final[set[int]] = set()
        """The ids of pings that the client has not answered yet."""
        self._kept: Final[list[referee_pb2.PlayRequest]] = []
        """Requests about other matches than the one that a step waited for."""
        self.extra = b""
        """Bytes of unknown fields that go with every response."""
        self.broke_ns = time.monotonic_ns()
        """When the last stream ended."""
        self.least_ms = 0
        """How long the client was asked to stay away."""

    def match(self, name: str) -> Match:
        """A match by its dialogue's name."""
        if name not in self.matches:
            told = dialogue(name)
            self.matches[name] = Match(told, Promise(told))
        return self.matches[name]

    # --- to the client

    def send(self, response: referee_pb2.PlayResponse, raw: bytes = b"") -> None:
        """Sends a response, followed by unknown fields."""
        data = response.SerializeToString() + raw + self.extra
        self._transcript.sent(response, data)
        if self.stream is None:
            raise AssertionError("a script sends on a stream")
        self.stream.send(data)

    # --- from the client

    def next_stream(self, limit_s: float | None = None) -> Stream:
        """Waits for a new stream of the client."""
        found = self._wait(self._streams, limit_s or self._limit_s, "opens a stream", needs_process=True)
        self._transcript.step(f"stream {found.number} is open")
        self._kept.clear()  # it came on a stream that is gone
        self.stream = found
        return found

    def next(self, what: str, limit_s: float | None = None) -> referee_pb2.PlayRequest | None:
        """The next request; None when the client has closed its side. Pings and pongs are handled here, and not returned."""
        until = time.monotonic() + (limit_s or self._limit_s)
        while True:
            assert self.stream is not None, "a script listens to a stream"
            data = self._wait(self.stream.requests, max(0.0, until - time.monotonic()), what)
            if data is None:
                self._transcript.step("the client has closed its side of the stream, or is gone")
                return None
            request = self._read(data)
            if not self._is_ping(request):
                return request

    def next_of_any(self, what: str) -> referee_pb2.PlayRequest | None:
        """The next request, which may be one that was kept."""
        return self._kept.pop(0) if self._kept else self.next(what)

    def expect(self, kind: str, what: str, match: str = "") -> referee_pb2.PlayRequest:
        """The next request about a match, or about no match. It must be of this kind. Requests about other matches are kept."""
        for place, kept in enumerate(self._kept):
            if kept.match == match and kept.WhichOneof("kind") == kind:
                return self._kept.pop(place)
        while True:
            request = self.next(what)
            came = "the end of its stream" if request is None else request.WhichOneof("kind")
            if request is not None and came == kind and request.match == match:
                return request
            is_others = request is not None and request.match != match and len(self.matches) > 1
            if request is None or not is_others:
                about = "" if request is None or request.match == match else f" about the match {request.match!r}"
                raise CaseFailed(f"expected that the client {what}; what came is {came}{about}")
            self._kept.append(request)

    def has_crossed(self, request: referee_pb2.PlayRequest) -> bool:
        """Whether this is an answer that crossed with the end of its match. That may happen once, and is no fault."""
        match = self.matches.get(request.match)
        if match is None or not match.over or match.open is None or match.answer is not None:
            return False
        match.answer = request
        return request.answer.decision == match.open.number

    def next_at_hand(self) -> referee_pb2.PlayRequest | None:
        """A request that has come and that no step has taken; None if there is none. The stream may have ended."""
        if not self._kept and (self.stream is None or self.stream.requests.empty()):
            return None
        request = self.next_of_any("is silent")
        if request is None and self.stream is not None:
            self.stream.requests.put(None)  # the end is still to be looked at
        return request

    def has_stream(self) -> bool:
        """Whether the client opened a stream that no step has taken."""
        return not self._streams.empty()

    def await_pongs(self) -> None:
        """Waits until all pings are answered. Nothing else may come before."""
        until = time.monotonic() + self._limit_s
        while self.pings:
            assert self.stream is not None, "a script listens to a stream"
            what = f"answers the pings {sorted(self.pings)}"
            data = self._wait(self.stream.requests, max(0.0, until - time.monotonic()), what)
            if data is None:
                raise CaseFailed("the client ended its stream instead of answering a ping")
            request = self._read(data)
            if not self._is_ping(request):
                raise CaseFailed(f"expected that the client {what}; what came before is {request.WhichOneof('kind')}")

    def _wait(self, queue: SimpleQueue[Item], limit_s: float, what: str, *, needs_process: bool = False) -> Item:
        until = time.monotonic() + limit_s
        while True:
            try:
                return queue.get(timeout=min(POLL_S, max(0.0, until - time.monotonic())))
            except Empty:
                if self._stopping.is_set():
                    raise CaseFailed("interrupted") from None
                ending = self._has_ended() if needs_process else None
                if ending is not None and queue.empty():
                    raise CaseFailed(f"expected that the client {what}; its process ended ({ending})") from None
                if time.monotonic() >= until:
                    raise CaseFailed(f"expected that the client {what}; nothing came for {limit_s:.0f} s") from None

    def _read(self, data: bytes) -> referee_pb2.PlayRequest:
        try:
            request = referee_pb2.PlayRequest.FromString(data)
        except DecodeError:
            raise CaseFailed(f"a request cannot be read: {data.hex()}") from None
        self._transcript.received(request)
        if len(data) > REQUEST_BYTES_MAX:
            raise CaseFailed(f"a request has {len(data)} bytes; Limits.request_bytes_max is {REQUEST_BYTES_MAX}")
        if request.WhichOneof("kind") is None:
            raise CaseFailed("a request says nothing")
        if len(request.answer.note.encode()) > NOTE_BYTES_MAX:
            raise CaseFailed(f"a note has more than the {NOTE_BYTES_MAX} bytes of Limits.note_bytes_max")
        return request

    def _is_ping(self, request: referee_pb2.PlayRequest) -> bool:
        kind = request.WhichOneof("kind")
        if kind == "ping":
            response = referee_pb2.PlayResponse()
            response.pong.id = request.ping.id
            self.send(response)
        elif kind == "pong":
            if request.pong.id not in self.pings:
                raise CaseFailed(f"a pong has the id {request.pong.id}; the pings that wait have {sorted(self.pings)}")
            self.pings.remove(request.pong.id)
        return kind in ("ping", "pong")
