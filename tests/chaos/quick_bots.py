"""Bots that do not think: each answers every question at once with its default, in as many matches as allowed.

    python -m tests.chaos.quick_bots

They cost so little that only the server limits the number of decisions per second, and the deal alone decides their
play. Standard input gives their names as one JSON document, and stays open: when it closes, everything ends.
Standard output gets their results as a line of JSON, a few times per second.
"""

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
from grpc import aio
from mergemaker.v1 import referee_pb2

from tests.chaos.server_process import until

PLAY: Final = "/mergemaker.v1.RefereeService/Play"
OPTIONS: Final = (("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1))
MATCHES_AT_ONCE: Final = 16
TELL_S: Final = 0.1
BACK_S: Final = 0.05
"""How long a bot waits after its stream breaks."""
END_LIMIT_S: Final = 30.0
LEFT: Final = "it left"
FRESH: Final = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.ALREADY_EXISTS)
"""After these, it reconnects as a new session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickBot:
    """One bot."""

    name: str
    token: str = field(repr=False)
    target: str
    """HOST:PORT."""
    matches_at_once: int = MATCHES_AT_ONCE
    stays_s: float = 0.0
    """How long it stays, on average, before it leaves and returns; 0: to the end."""


@dataclass(slots=True)
class Done:
    """The results of a process's bots."""

    answered: Counter[str] = field(default_factory=Counter)
    """By bot: the number of answers."""
    ended: list[tuple[str, str]] = field(default_factory=list)
    """Bot and match for each reported end; reported entries are removed."""
    lost: Counter[str] = field(default_factory=Counter)
    """By bot and status: the number of broken streams."""

    def line(self) -> str:
        ended, self.ended = self.ended, []
        said = {"at": time.monotonic(), "answered": self.answered, "ended": ended, "lost": self.lost}
        return json.dumps(said)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a client with a token."""
    return (("authorization", f"Bearer {token}"),)


def hello(**wishes: Any) -> bytes:
    """A Hello."""
    return referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1], library="quick", **wishes)).SerializeToString()


TAKE_SEAT: Final = referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()).SerializeToString()


def answer_to(response: referee_pb2.PlayResponse) -> bytes | None:
    """A bot's reply to a response that needs one."""
    if response.HasField("decision"):
        said = referee_pb2.Answer(decision=response.decision.id, index=response.decision.default_index)
        return referee_pb2.PlayRequest(match=response.match, answer=said).SerializeToString()
    if response.HasField("ping"):
        return referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=response.ping.id)).SerializeToString()
    if response.HasField("match_ended"):
        return TAKE_SEAT
    return None


async def play(bot: QuickBot, done: Done) -> None:
    """Plays, and reconnects whenever its stream breaks."""
    resume = ""
    while True:
        async with aio.insecure_channel(bot.target, options=OPTIONS) as channel:
            call: Any = channel.stream_stream(PLAY, response_deserializer=referee_pb2.PlayResponse.FromString)(
                metadata=bearer(bot.token), wait_for_ready=True
            )
            leaving: asyncio.Future[None] | None = None
            try:
                back = {"resume": referee_pb2.Resume(resume_token=resume)} if resume else {"evict": True}
                await call.write(hello(matches_max=bot.matches_at_once, **back))
                async for response in call:
                    if response.HasField("welcome"):
                        resume = response.welcome.resume_token
                        if bot.stays_s:  # not before: a cancelled first write never returns from grpc.aio
                            leaving = asyncio.ensure_future(_leave(call, bot.stays_s))
                        for _ in range(bot.matches_at_once):  # a broken stream's requests for matches are forgotten
                            await call.write(TAKE_SEAT)
                    await _respond(call, bot, response, done)
                status = "the stream ended"
            except aio.AioRpcError as error:
                status = f"{error.code().name}: {error.details()}"
                if error.code() in FRESH:
                    resume = ""
            except (asyncio.InvalidStateError, asyncio.CancelledError, aio.UsageError):
                status = "it ended while something was written"
            if leaving is not None:
                status = LEFT if leaving.done() else status
                leaving.cancel()
            done.lost[f"{bot.name}: {status}"] += 1
        await asyncio.sleep(BACK_S)


async def _leave(call: Any, stays_s: float) -> None:
    """Ends a stream after a while, in one of two ways."""
    chance = random.SystemRandom()
    await asyncio.sleep(chance.expovariate(1 / stays_s))
    if chance.random() < 0.5:
        call.cancel()
    else:
        with contextlib.suppress(asyncio.InvalidStateError, aio.UsageError, aio.AioRpcError):
            await call.done_writing()


async def _respond(call: Any, bot: QuickBot, response: referee_pb2.PlayResponse, done: Done) -> None:
    """Sends the reply, and counts."""
    said = answer_to(response)
    if said is not None:
        await call.write(said)
    done.answered[bot.name] += response.HasField("decision")
    if response.HasField("match_ended"):
        done.ended.append((bot.name, response.match))


async def tell(done: Done) -> None:
    """Writes the results repeatedly."""
    while True:
        print(done.line(), flush=True)
        await asyncio.sleep(TELL_S)


def until_input_closes(work: Callable[[], Awaitable[Any]], heard: Callable[[str], None] = lambda _: None) -> None:
    """Runs a program until its standard input closes; a program that ends by itself has failed."""

    def wait() -> None:
        for line in sys.stdin:
            heard(line)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()
    asyncio.run(_forever(work))
    print("the work has ended by itself", file=sys.stderr)
    os._exit(1)


async def _forever(work: Callable[[], Awaitable[Any]]) -> None:
    await work()


def main() -> None:
    """Runs the bots until standard input closes."""
    bots = [QuickBot(**said) for said in json.loads(sys.stdin.readline())]
    done = Done()
    until_input_closes(lambda: asyncio.gather(tell(done), *(play(bot, done) for bot in bots)))


class Told:
    """The reports of a process that `tell`s, read by a separate thread."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process: Final = process
        self.answered: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.at = 0.0
        """The time of the report, by the clock that all processes of a machine share."""
        self.ended: Final[deque[tuple[str, str]]] = deque()
        """For the task that removes them."""
        self._thread: Final = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said = json.loads(line)
            self.ended.extend((bot, match) for bot, match in said["ended"])
            self.lost = Counter(said["lost"])
            self.answered, self.at = Counter(said["answered"]), said["at"]

    def wait(self) -> None:
        """Waits for its first report."""
        until(lambda: self.at > 0 or self.process.poll() is not None, "a program says what it does")
        assert self.process.poll() is None, f"a program ended before it was to, with status {self.process.returncode}"

    def close(self) -> None:
        """Ends the process, and closes everything."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(END_LIMIT_S)
        self._thread.join(END_LIMIT_S)
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextlib.contextmanager
def program(module: str, said: Any, errors: Path) -> Iterator[Told]:
    """Runs a program until the block ends; its standard input gives its task."""
    with errors.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
            start_new_session=True,  # Ctrl-C is for its parent; it ends with its input
        )
    told = Told(process)
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps(said) + "\n")
        process.stdin.flush()
        told.wait()
        yield told
    finally:
        told.close()


@contextlib.contextmanager
def quick_bots(bots: Sequence[QuickBot], errors: Path) -> Iterator[Told]:
    """Runs bots in a separate process."""
    with program("tests.chaos.quick_bots", [asdict(bot) for bot in bots], errors) as told:
        yield told


if __name__ == "__main__":
    main()
