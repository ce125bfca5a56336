"""The network: keeps a stream to the referee open in its own thread, so that pings are answered while the bot thinks."""

import os
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from random import SystemRandom
from typing import Final, TypeAlias

import grpc
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker.v1.referee_pb2_grpc import RefereeServiceStub

from mergemaker_client.environment import CA_VARIABLE, Environment, Target
from mergemaker_client.outputs import Close, Delivered, Notice, Output, Over, Send
from mergemaker_client.problems import BadSetting, Unreachable
from mergemaker_client.protocol import Choice, Conversation
from mergemaker_client.reconnecting import Backoff, Patience
from mergemaker_client.trace import Trace

WELCOME_MS_MAX: Final = 15_000
"""The longest from opening a stream to the referee's Welcome."""
LEAVE_MS_MAX: Final = 1_000
"""The longest from closing our side of a stream to its end."""
KEEPALIVE_MS: Final = 10_000
KEEPALIVE_TIMEOUT_MS: Final = 5_000
RESPONSE_BYTES_MAX: Final = 4 * 1_024 * 1_024

Deliver: TypeAlias = Callable[[Delivered], None]
"""Takes everything to be done except sending. Called on the network's thread, in order."""


def channel_options(target: Target) -> list[tuple[str, int]]:
    """Options for gRPC."""
    options = [
        ("grpc.keepalive_time_ms", KEEPALIVE_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        # The documented option alone changes nothing below a minute.
        ("grpc.http2.ping_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_receive_message_length", RESPONSE_BYTES_MAX),
        # A new stream after a break does not wait for what gRPC remembers of the old connection.
        ("grpc.use_local_subchannel_pool", 1),
    ]
    if target.is_loopback:
        options.append(("grpc.enable_http_proxy", 0))
    return options


def open_channel(target: Target, ca: Path | None) -> grpc.Channel:
    """A channel to a referee. With TLS, it uses the certificates of a file or those that the machine trusts."""
    options = channel_options(target)
    if target.secure:
        return grpc.secure_channel(target.address, grpc.ssl_channel_credentials(_trusted(ca)), options)
    return grpc.insecure_channel(target.address, options)


def _trusted(ca: Path | None) -> bytes | None:
    """Certificates to trust, as PEM; None for gRPC's own, where the machine has no such file."""
    path = ca
    if path is None:
        found = ssl.get_default_verify_paths().cafile
        if found is None or not os.path.isfile(found):  # noqa: PTH113 - a path from the ssl module, as it is
            return None
        path = Path(found)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSetting("bad-ca", f"the certificates in {path} cannot be read: {error.strerror or error}") from error
    if ca is not None and b"-----BEGIN CERTIFICATE-----" not in content:
        raise BadSetting("bad-ca", f"{CA_VARIABLE} names a file with certificates as PEM; {path} holds none")
    return content


_fresh_chance: Final = SystemRandom().random


class Connection:
    """Holds a conversation with the referee, over as many streams as it takes."""

    def __init__(
        self,
        environment: Environment,
        conversation: Conversation,
        deliver: Deliver,
        *,
        trace: Trace | None = None,
        patience: Patience | None = None,
        leaving: threading.Event | None = None,
        chance: Callable[[], float] = _fresh_chance,
    ) -> None:
        self._environment = environment
        self._conversation = conversation
        self._deliver = deliver
        self._trace = trace
        self._lock = threading.Lock()
        """Guards the conversation and the stream: the bot's thread answers while the network's thread receives."""
        self._requests: SimpleQueue[PlayRequest | None] = SimpleQueue()
        self._leaving = leaving or threading.Event()
        """Once this is set, a stream that breaks is not opened again."""
        self._cancel: Callable[[], object] | None = None
        self._backoff = Backoff(patience or Patience(), chance, _now_ms())
        self._thread = threading.Thread(target=self._run, name="mergemaker-network", daemon=True)
        # Reports wrong settings before anything starts.
        open_channel(environment.target, environment.ca).close()

    def start(self) -> None:
        """Opens the first stream."""
        self._thread.start()

    def answer(self, match: str, decision: int, choice: Choice, note: str = "") -> None:
        """Sends the bot's answer, now or once there is a stream again."""
        with self._lock:
            self._send(self._conversation.answered(match, decision, choice, note))

    def is_open(self, match: str, decision: int) -> bool:
        """Whether an answer to a question still counts, as far as this side knows."""
        with self._lock:
            return self._conversation.is_open(match, decision)

    def close(self) -> None:
        """Ends the stream and the thread, within a time limit."""
        self._leaving.set()
        self._requests.put(None)
        self._thread.join(LEAVE_MS_MAX / 1_000)
        cancel = self._cancel
        if self._thread.is_alive() and cancel is not None:
            cancel()
            self._thread.join(LEAVE_MS_MAX / 1_000)

    def _send(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Send):
                self._requests.put(output.request)
                if self._trace:
                    self._trace.sent(output.request)

    def _run(self) -> None:
        problem: Close
        try:
            problem = self._keep_open()
        except Exception as error:  # noqa: BLE001 - a fault of this thread is reported to the bot's, which waits for it
            self._deliver(Notice(f"the client itself failed: {error!r}"))
            problem = Close(Unreachable("client-fault", f"the client itself failed: {error!r}"))
        self._deliver(problem)

    def _keep_open(self) -> Close:
        """Opens streams until there is nothing left to do."""
        while True:
            code, text = self._one_stream()
            with self._lock:
                outcome = self._conversation.broke(code, text)
            if self._leaving.is_set():
                return Close(None)
            if isinstance(outcome, Over):
                return Close(outcome.problem)
            now = _now_ms()
            wait = self._backoff.wait_ms(now, outcome.least_ms, is_playing=self._conversation.is_playing)
            target = self._environment.target
            said = f"{code}: {text}" if text else code
            if wait is None:
                tried = f"{target} could not be reached for {self._backoff.limit_ms // 1_000} s"
                return Close(Unreachable("unreachable", f"{tried} ({said}): is the referee running there?"))
            self._deliver(Notice(f"no stream to {target} ({said}); trying again in {wait} ms"))
            if self._leaving.wait(wait / 1_000):
                return Close(None)

    def _one_stream(self) -> tuple[str, str]:
        """Opens a stream and receives until it ends. Returns how it ended."""
        environment = self._environment
        requests: SimpleQueue[PlayRequest | None] = SimpleQueue()
        self._backoff.opened(_now_ms())
        with open_channel(environment.target, environment.ca) as channel:
            metadata = (("authorization", f"Bearer {environment.token}"),)
            with self._lock:
                self._requests = requests
                self._send([Send(self._conversation.hello())])
            call = RefereeServiceStub(channel).Play(iter(requests.get, None), metadata=metadata)
            self._cancel = call.cancel
            if self._leaving.is_set():
                requests.put(None)
            timer = _timer(WELCOME_MS_MAX, call.cancel)
            try:
                for response in call:
                    is_new, is_last = self._received(response)
                    if is_new:
                        timer.cancel()
                    if is_last:
                        timer.cancel()
                        timer = _timer(LEAVE_MS_MAX, call.cancel)
                        requests.put(None)
            except grpc.RpcError as error:
                return self._ended(error.code().name, error.details() or "")
            finally:
                timer.cancel()
                self._cancel = None
                requests.put(None)
        return self._ended("OK", "")

    def _ended(self, code: str, text: str) -> tuple[str, str]:
        if self._trace:
            self._trace.stream(f"ended {code}: {text}" if text else f"ended {code}")
        if code == "CANCELLED" and not self._conversation.is_welcome and not self._leaving.is_set():
            return "DEADLINE_EXCEEDED", f"no Welcome came within {WELCOME_MS_MAX // 1_000} s"
        return code, text

    def _received(self, response: PlayResponse) -> tuple[bool, bool]:
        """Takes a response. Returns whether it welcomed the stream, and whether it completed everything."""
        if self._trace:
            self._trace.received(response)
        conversation = self._conversation
        with self._lock:
            was_welcome, was_closed = conversation.is_welcome, conversation.is_closed
            outputs = conversation.received(response)
            self._send(outputs)
            is_new = conversation.is_welcome and not was_welcome
        if is_new:
            self._backoff.welcomed()
        for output in outputs:
            if not isinstance(output, Send | Close):
                self._deliver(output)
                if not isinstance(output, Notice):
                    self._backoff.progressed()
        return is_new, conversation.is_closed and not was_closed


def _timer(limit_ms: int, act: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(limit_ms / 1_000, act)
    timer.daemon = True
    timer.start()
    return timer


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
