"""A bot's own log of its thinking: for each question, the time from its arrival until the answer left.

It is written where a bot's trace is, at the border between the client library and gRPC:

- *Thinking* begins when gRPC hands the question to the library, and ends when the library hands the answer to gRPC. What the
  library does, other matches of the same bot, and any other delay of the process count.
- A question that was settled without an answer counts as thinking until the bot learned of that.
- A process that does not run, or that works on something else, can neither see a question come nor send an answer.
  Linux tells how long its threads ran and waited for a processor; of what they did right before the question was seen and right
  after the answer, `held_up_us` is the sum, for decisions of which a default was taken. That a bot's process is busy, or does
  not get a processor, is not the referee's fault.

A match is written as one line when it is over.
"""

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import Message
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_client.trace import Trace
from mergemaker_referee.rpc.starvation import RAN, WAITED, Starvation

LOOK_S: Final = 0.01
"""How often what the process waited is looked up, besides when a question is seen and when its answer leaves."""
NEAR_NS: Final = 200_000_000
"""What the process did counts for this long before it saw a question and after its answer.

Twice a bare allowance, since a question passes through several threads of the process, each of which may wait.
"""
_NS_PER_US: Final = 1_000

LOOKS_KEPT: Final = 20_000
_starvation: Final = Starvation(time.monotonic_ns, ours=frozenset, looks_kept=LOOKS_KEPT, counts=(RAN, WAITED))
"""Of all threads of this process."""
_looking: Final = threading.Lock()


def _look() -> None:
    while True:
        time.sleep(LOOK_S)
        _starvation.look()


def _now_ns(*, looks: bool) -> int:
    if looks:
        _starvation.look()
    return time.monotonic_ns()


def busy_near_ns(starvation: Starvation, came_ns: int, left_ns: int) -> int:
    """For how long the process was busy or waited right before a question was seen, and right after its answer."""
    before = starvation.since_ns(came_ns - NEAR_NS) - starvation.since_ns(came_ns)
    behind = starvation.since_ns(left_ns) - starvation.since_ns(left_ns + NEAR_NS)
    return min(before, NEAR_NS) + min(behind, NEAR_NS)


@dataclass(slots=True)
class _Match:
    seat: int = 0
    last: tuple[int, int, int | None] = (0, 0, None)
    """The last decision asked, when it came, and when its answer left."""
    thought_us: dict[int, int] = field(default_factory=dict)
    held_up_us: dict[int, int] = field(default_factory=dict)
    unsent: list[int] = field(default_factory=list)
    """What was settled before there was an answer."""

    def put(self, decision: int, now_ns: int) -> None:
        """A question has come, for the first time or again."""
        if decision != self.last[0]:
            self.last = (decision, now_ns, None)

    def answered(self, decision: int, now_ns: int) -> None:
        """An answer leaves."""
        number, came, left = self.last
        if number == decision and left is None:
            self.last = (number, came, now_ns)
            self.thought_us[decision] = (now_ns - came) // _NS_PER_US

    def settled(self, decision: int, now_ns: int) -> None:
        """A default was taken."""
        if decision != self.last[0]:
            return
        if self.last[2] is None:
            self.answered(decision, now_ns)
            self.unsent.append(decision)
        _, came, left = self.last
        self.held_up_us[decision] = busy_near_ns(_starvation, came, left or now_ns) // _NS_PER_US

    def line(self, match: str) -> dict[str, Any]:
        return {
            "match": match,
            "seat": self.seat,
            "thought_us": self.thought_us,
            "held_up_us": self.held_up_us,
            "unsent": self.unsent,
        }


class ThinkingLog(Trace):
    """Takes the place of a bot's trace, and keeps times only."""

    def __init__(self, path: Path, secret: str) -> None:
        super().__init__(path, secret)
        self._matches: dict[str, _Match] = {}
        if _looking.acquire(blocking=False):  # one thread looks for the whole process
            threading.Thread(target=_look, name="starvation", daemon=True).start()

    def received(self, message: Message) -> None:
        """Takes what came."""
        assert isinstance(message, PlayResponse)
        now = _now_ns(looks=message.HasField("decision"))
        if not message.match:
            return
        match = self._matches.setdefault(message.match, _Match())
        if message.HasField("match_offered"):
            match.seat = message.match_offered.seat
        if message.HasField("default_taken"):
            match.settled(message.default_taken.decision, now)
        if message.HasField("decision"):
            match.put(message.decision.id, now)
        if message.HasField("match_ended"):
            del self._matches[message.match]
            self._write(match.line(message.match))

    def sent(self, message: Message) -> None:
        """Takes what is on its way."""
        assert isinstance(message, PlayRequest)
        match = self._matches.get(message.match)
        if match is not None and message.HasField("answer"):
            match.answered(message.answer.decision, _now_ns(looks=True))

    def stream(self, what: str) -> None:
        """Streams are no matter here."""
