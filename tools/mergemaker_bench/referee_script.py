"""A referee's messages in one match: servers without a referee send the same, so that all messages are alike."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Final

import trio
from mergemaker.v1 import referee_pb2
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import Closing, Listener, OnHanded
from mergemaker_referee.identities import KnownBot
from mergemaker_referee.matches.making import MatchMaker, MatchWish, SeatWish
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.journal_writer import OnSettled
from mergemaker_referee.referee import Referee
from mergemaker_referee.serving import software_text
from mergemaker_table.terms import CLOCKS, Terms

from mergemaker_bench.referee_bot import SEATS, answer_to, bot_name, hello, take_seat

RULES: Final = preset("renegade-classic")
CLOCK: Final = CLOCKS["standard"]
SEED: Final = bytes(32)
WAIT_LIMIT_S: Final = 30.0
_STRIDE: Final = 7
"""Tables begin this many steps apart, so that their messages are mixed."""


@dataclass(frozen=True, slots=True)
class Step:
    """The responses to one answer, each to a seat; the last one asks."""

    responses: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True, slots=True)
class Script:
    """One match, from its second decision to its last."""

    steps: tuple[Step, ...]
    answer_bytes: float
    """The mean of an answer."""

    @property
    def responses(self) -> float:
        """How many responses follow an answer, on average."""
        return sum(len(step.responses) for step in self.steps) / len(self.steps)

    @property
    def response_bytes(self) -> float:
        """The mean of a response."""
        return sum(len(data) for step in self.steps for _, data in step.responses) / self.responses / len(self.steps)

    @property
    def facts(self) -> dict[str, float]:
        """How large the messages are, and how many responses there are for an answer."""
        return {
            "answer_bytes": round(self.answer_bytes),
            "response_bytes": round(self.response_bytes),
            "responses": round(self.responses, 2),
        }

    def from_step(self, table: int) -> Iterator[Step]:
        """The steps, repeated endlessly; each table begins at another one."""
        first = table * _STRIDE % len(self.steps)
        return cycle(self.steps[first:] + self.steps[:first])


class _Nowhere:
    """Takes lines, and writes none."""

    def begin(self, journal: Journal, lines: bytes, settled: OnSettled) -> None:  # noqa: ARG002 - the port's
        """Reports at once that they are written."""
        settled(None)

    def flush(self) -> None:
        """Nothing gathers."""

    async def append(self, journal: Journal, lines: bytes) -> None:
        """Reports at once that they are written."""

    async def run(self, job: Callable[[], None]) -> None:
        """Does it here."""
        job()


class _Heard:
    """All messages at one table."""

    def __init__(self) -> None:
        self.said: list[tuple[int, bytes]] = []
        self.asked: tuple[int, referee_pb2.PlayResponse] | None = None
        self.is_over = False
        self.news = trio.Event()

    def hear(self, seat: int, data: bytes) -> None:
        """One response."""
        self.said.append((seat, data))
        response = referee_pb2.PlayResponse.FromString(data)
        self.is_over = self.is_over or response.HasField("match_ended")
        if response.HasField("decision"):
            self.asked = seat, response
        if self.asked or self.is_over:
            self.news.set()

    async def next(self) -> Step:
        """All messages up to a question, or to the end."""
        with trio.fail_after(WAIT_LIMIT_S):
            await self.news.wait()
        self.news = trio.Event()
        step = Step(tuple(self.said))
        self.said = []
        return step


class _Seat:
    """A stream that ends here."""

    def __init__(self, seat: int, heard: _Heard) -> None:
        self._seat: Final = seat
        self._heard: Final = heard

    @property
    def peer(self) -> str:
        """Nowhere."""
        return "benchmark"

    @property
    def held_up_ns(self) -> int:
        """Nothing holds it up."""
        return 0

    @property
    def unread_bytes(self) -> int:
        """It is all taken at once."""
        return 0

    def send(self, response: bytes, handed: OnHanded | None = None) -> None:
        """Keeps a response."""
        self._heard.hear(self._seat, response)
        if handed is not None:
            handed(time.monotonic_ns())

    def charge(self, cost_ns: int) -> None:
        """Nobody's work is counted here."""

    def barrier(self, passed: Callable[[], None]) -> None:
        """Nothing is on its way."""
        passed()

    def close(self, closing: Closing, last: bytes = b"") -> None:  # noqa: ARG002 - the port's
        """A script closes no stream."""
        raise AssertionError(closing)


def played_script(*, held: bool) -> Script:
    """Plays one match without a transport and without a disk, and keeps its messages."""
    with tempfile.TemporaryDirectory(prefix="mergemaker-bench-") as folder:
        return trio.run(_play, Path(folder), held)


async def _play(folder: Path, held: bool) -> Script:
    maker = MatchMaker(folder=folder, software=software_text(), today=lambda: datetime.now(UTC))
    referee = Referee(Settings(), maker, _Nowhere(), time.monotonic_ns)
    names = [bot_name(0, seat) for seat in range(SEATS)]
    wish = MatchWish(
        rules=RULES,
        seats=tuple(SeatWish(name, name) for name in names),
        terms=Terms(CLOCK),
        mode=DealMode.PLAIN,
        seed=SEED,
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(referee.run)
        await referee.create(wish)
        heard = _Heard()
        listeners: list[Listener] = []
        for seat, name in enumerate(names):
            listeners.append(referee.play(_Seat(seat, heard), KnownBot(name)))
            listeners[-1].received(hello(held=held), time.monotonic_ns())
            listeners[-1].received(take_seat(), time.monotonic_ns())
        script = await _answer_all(heard, listeners)
        nursery.cancel_scope.cancel()
    return script


async def _answer_all(heard: _Heard, listeners: list[Listener]) -> Script:
    await heard.next()  # the beginning of a match differs from all that follows
    steps: list[Step] = []
    answer_bytes = 0
    while heard.asked is not None:
        seat, response = heard.asked
        heard.asked = None
        answer = answer_to(response)
        listeners[seat].received(answer, time.monotonic_ns())
        step = await heard.next()
        if heard.is_over:
            break
        answer_bytes += len(answer)
        steps.append(step)
    return Script(tuple(steps), answer_bytes / len(steps))
