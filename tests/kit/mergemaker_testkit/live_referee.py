"""A real server on loopback, in a thread of the test's process, and raw clients that send anything a test wants."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

import grpc
import trio
from mergemaker.v1 import matches_pb2_grpc, referee_pb2, spectate_pb2_grpc
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.beside import Beside, nothing_beside
from mergemaker_referee.configuration.settings import Address, Settings
from mergemaker_referee.matches.making import MadeMatch, MatchWish, SeatWish
from mergemaker_referee.serving import Running, serving
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms, Terms

WAIT_LIMIT_S: Final = 60.0
"""A guard against a hang."""


class LiveReferee:
    """A server in its own thread, as `mergemaker serve` runs it."""

    def __init__(self, settings: Settings, beside: Beside = nothing_beside) -> None:
        self.settings: Final = settings
        self._beside: Final = beside
        self.running: Running | None = None
        self._problem: BaseException | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        self._scope: trio.CancelScope | None = None
        self._ready: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._run, name="test referee", daemon=True)

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(WAIT_LIMIT_S)
        if self._problem is not None:
            raise self._problem

    def stop(self) -> None:
        if self._scope is not None and self._thread.is_alive():
            scope = self._scope
            assert self._token is not None
            self._token.run_sync_soon(scope.cancel)
        self._thread.join(WAIT_LIMIT_S)
        assert not self._thread.is_alive()
        if self._problem is not None:
            raise self._problem

    def _run(self) -> None:
        try:
            trio.run(self._serve)
        except BaseException as problem:  # noqa: BLE001 - raised where the test waits
            self._problem = problem
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        with trio.CancelScope() as self._scope:
            async with serving(self.settings) as self.running, self._beside(self.running.referee):
                self._token = trio.lowlevel.current_trio_token()
                self._ready.set()
                await trio.sleep_forever()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a coroutine function on the referee's thread."""
        return trio.from_thread.run(function, *arguments, trio_token=self._token)

    def run_sync(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs a function on the referee's thread."""
        return trio.from_thread.run_sync(function, *arguments, trio_token=self._token)

    def until_over(self, match: str) -> None:
        """Waits for what follows the end of a match: bots learn the end before its secrets are deleted and it is counted."""
        assert self.running is not None
        hosted = self.running.referee._seating.matches[match]

        async def wait() -> None:
            with trio.fail_after(WAIT_LIMIT_S):
                await hosted.end_told.wait()

        self.run(wait)

    @property
    def address(self) -> str:
        assert self.running is not None
        return self.running.addresses[0]

    @property
    def target(self) -> str:
        return self.address.partition("://")[2]

    def create(
        self,
        seats: int = 2,
        *,
        clock: ClockTerms | None = None,
        rules: str = "renegade-classic",
        mode: DealMode = DealMode.SERVER,
        seed: bytes | None = None,
        bots: Sequence[str | None] | None = None,
    ) -> MadeMatch:
        """Makes a match that waits for its seats."""
        assert self.running is not None
        names = bots or [None] * seats
        wish = MatchWish(
            rules=preset(rules),
            seats=tuple(SeatWish(bot or f"bot {number}", bot) for number, bot in enumerate(names)),
            terms=Terms(clock=clock or CLOCKS["standard"], faults=FaultTerms()),
            mode=DealMode.PLAIN if seed else mode,
            seed=seed,
        )
        _, made = self.run(self.running.referee.create, wish)
        assert isinstance(made, MadeMatch)
        return made

    def channel(self, *options: tuple[str, int]) -> grpc.Channel:
        usual = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
        return grpc.insecure_channel(self.target, options=(*usual, *options))


@contextmanager
def live_referee(folder: Path, **changes: Any) -> Iterator[LiveReferee]:
    """A server with the usual settings, or some changed ones."""
    settings = replace(Settings(listen=(Address("127.0.0.1", 0),), data_folder=folder), **changes)
    referee = LiveReferee(settings)
    referee.start()
    try:
        yield referee
    finally:
        referee.stop()


def operator_settings() -> tuple[str, dict[str, Any]]:
    """An operator's token, and its setting."""
    token = fresh_token(TokenKind.OPERATOR)
    return token, {"operator_token_hash": token_hash(token)}


def bearer(token: str | None) -> tuple[tuple[str, str], ...]:
    return () if token is None else (("authorization", f"Bearer {token}"),)


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """How a stream ended."""

    code: grpc.StatusCode
    details: str

    @property
    def reason(self) -> str:
        return self.details.partition(":")[0]


class Reachable(Protocol):
    """A server, in this process or in another."""

    def channel(self, *options: tuple[str, int]) -> grpc.Channel: ...


class RawBot:
    """A client that sends exactly what the test says, and keeps what it receives."""

    def __init__(self, referee: Reachable, token: str | None, *, reads: bool = True) -> None:
        # A client that does not read buffers as little as possible.
        self._channel = referee.channel(*(() if reads else (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 16_384))))
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._responses: SimpleQueue[referee_pb2.PlayResponse | StreamEnd] = SimpleQueue()
        self._ended: StreamEnd | None = None
        play: Any = self._channel.stream_stream(
            "/mergemaker.v1.RefereeService/Play",
            request_serializer=None,
            response_deserializer=referee_pb2.PlayResponse.FromString,
        )
        self.call = play(self._requests_to_send(), metadata=bearer(token))
        self._thread = threading.Thread(target=self._read, daemon=True)
        if reads:
            self._thread.start()

    def _requests_to_send(self) -> Iterator[bytes]:
        while (request := self._requests.get()) is not None:
            yield request

    def _read(self) -> None:
        try:
            for response in self.call:
                self._responses.put(response)
        except grpc.RpcError as error:
            self._responses.put(StreamEnd(error.code(), error.details() or ""))
        else:
            self._responses.put(StreamEnd(grpc.StatusCode.OK, ""))

    def start_reading(self) -> None:
        self._thread.start()

    def send(self, request: referee_pb2.PlayRequest | bytes) -> None:
        self._requests.put(request if isinstance(request, bytes) else request.SerializeToString())

    def hello(self, **fields: Any) -> referee_pb2.Welcome:
        """Sends Hello and returns the Welcome. By default, everything is sent at once."""
        said = {"protocols": [1], "library": "test", "event_mode": referee_pb2.EVENT_MODE_IMMEDIATE, **fields}
        self.send(referee_pb2.PlayRequest(hello=referee_pb2.Hello(**said)))
        return self.until("welcome").welcome

    def take_seat(self, match: str = "", seat: int | None = None) -> referee_pb2.MatchOffered:
        self.send(referee_pb2.PlayRequest(match=match, take_seat=referee_pb2.TakeSeat(seat=seat)))
        return self.until("match_offered").match_offered

    def answer(self, match: str, decision: int, index: int | None = None, note: str = "", **choice: Any) -> None:
        if index is not None:
            choice["index"] = index
        chosen = referee_pb2.Answer(decision=decision, note=note, **choice)
        self.send(referee_pb2.PlayRequest(match=match, answer=chosen))

    def next(self) -> referee_pb2.PlayResponse | StreamEnd:
        """The next response, or the stream's end. It answers pings."""
        if self._ended is not None:
            return self._ended
        until = time.monotonic() + WAIT_LIMIT_S  # for all pings together, which may never stop
        while True:
            try:
                response = self._responses.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                raise AssertionError("nothing came from the referee") from None
            if isinstance(response, StreamEnd):
                self._ended = response
            elif response.HasField("ping"):
                self.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=response.ping.id)))
                continue
            return response

    def next_if_any(self) -> referee_pb2.PlayResponse | None:
        """The next response, if it has already arrived."""
        if self._ended is None and self._responses.empty():
            return None
        response = self.next()
        assert not isinstance(response, StreamEnd), response
        return response

    def until(self, field_name: str) -> referee_pb2.PlayResponse:
        """The next response with this field; skips those before it."""
        while True:
            response = self.next()
            assert not isinstance(response, StreamEnd), f"the stream ended before any {field_name}: {response}"
            if response.HasField(field_name):  # type: ignore[arg-type]  # tests name only fields that exist
                return response

    def end(self) -> StreamEnd:
        """How the stream ends; skips responses before that."""
        while not isinstance(response := self.next(), StreamEnd):
            pass
        return response

    def goodbye(self) -> tuple[referee_pb2.Goodbye, StreamEnd]:
        """The last response, and how the stream ends."""
        said = self.until("goodbye").goodbye
        return said, self.end()

    def leave(self) -> None:
        self._requests.put(None)

    def drop(self) -> None:
        """Disconnects like a killed process."""
        self.call.cancel()
        self._channel.close()

    def close(self) -> None:
        self._requests.put(None)
        self.call.cancel()
        self._channel.close()
        if self._thread.is_alive():
            self._thread.join(WAIT_LIMIT_S)


@dataclass(slots=True)
class Clients:
    """Clients that the test's end closes."""

    referee: LiveReferee
    bots: list[RawBot] = field(default_factory=list)

    def bot(self, token: str | None, *, reads: bool = True) -> RawBot:
        bot = RawBot(self.referee, token, reads=reads)
        self.bots.append(bot)
        return bot

    def seated(self, made: MadeMatch, seat: int, **hello: Any) -> RawBot:
        """A client that has said Hello and taken its seat."""
        bot = self.bot(made.tokens[seat])
        bot.hello(**hello)
        bot.take_seat()
        return bot

    def close(self) -> None:
        for bot in self.bots:
            bot.close()


def play_to_the_end(
    bots: Sequence[RawBot], match: str, heard: Callable[[int, referee_pb2.PlayResponse], None] = lambda _seat, _response: None
) -> list[referee_pb2.MatchEnded]:
    """Each client, in its own thread, answers every question with the default; `heard` gets each response."""
    results: list[referee_pb2.MatchEnded | None] = [None] * len(bots)

    def play(number: int, bot: RawBot) -> None:
        while True:
            response = bot.next()
            if isinstance(response, StreamEnd):
                return
            heard(number, response)
            if response.HasField("decision"):
                bot.answer(match, response.decision.id, response.decision.default_index)
            if response.HasField("match_ended"):
                results[number] = response.match_ended
                return

    threads = [threading.Thread(target=play, args=(number, bot), daemon=True) for number, bot in enumerate(bots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_LIMIT_S)
    assert all(result is not None for result in results), results
    return [result for result in results if result is not None]


def match_stub(channel: grpc.Channel) -> matches_pb2_grpc.MatchServiceStub:
    return matches_pb2_grpc.MatchServiceStub(channel)


def spectate_stub(channel: grpc.Channel) -> spectate_pb2_grpc.SpectateServiceStub:
    return spectate_pb2_grpc.SpectateServiceStub(channel)
