"""A bot's own log of its thinking: for each question, the time from its arrival until the answer left.

It is written like a bot's trace, at the border between the client library and gRPC:

- *Thinking* begins when gRPC hands the question to the library, and ends when the library hands the answer to gRPC. What the
  library does, other matches of the same bot, and all other delays of the process count.
- A question settled without an answer counts as thinking until the bot learned of that.
- A process that does not run, or does other work, can neither see a question nor send an answer.
  Linux reports how long its threads ran and waited for a processor; `held_up_us` is the sum of this right before a question
  was seen and right after its answer, for decisions that ended in a default. If a bot's process is busy, or does
  not get a processor, that is not the referee's fault.

Each match becomes one line when it is over.
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
"""How often to look up the process's waiting time, besides when a question is seen and when its answer leaves."""
NEAR_NS: Final = 200_000_000
"""The process's activity counts for this long before it saw a question and after its answer.

Twice a bare allowance, because a question passes through several threads of the process, and each may wait.
"""
_NS_PER_US: Final = 1_000

LOOKS_KEPT: Final = 20_000
_starvation: Final = Starvation(time.monotonic_ns, ours=frozenset, looks_kept=LOOKS_KEPT, counts=(RAN, WAITED))
"""For all threads of this process."""
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
    """How long the process was busy or waited right before a question was seen, and right after its answer."""
    before = starvation.since_ns(came_ns - NEAR_NS) - starvation.since_ns(came_ns)
    behind = starvation.since_ns(left_ns) - starvation.since_ns(left_ns + NEAR_NS)
    return min(before, NEAR_NS) + min(behind, NEAR_NS)


@dataclass(slots=True)
class _Match:
    seat: int = 0
    last: tuple[int, int, int | None] = (0, 0, None)
    """The last decision asked, its arrival time, and the time when its answer left."""
    thought_us: dict[int, int] = field(default_factory=dict)
    held_up_us: dict[int, int] = field(default_factory=dict)
    unsent: list[int] = field(default_factory=list)
    """Decisions that were settled before an answer."""

    def put(self, decision: int, now_ns: int) -> None:
        """A question arrives, for the first time or again."""
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
    """Replaces a bot's trace, and keeps only times."""

    def __init__(self, path: Path, secret: str) -> None:
        super().__init__(path, secret)
        self._matches: dict[str, _Match] = {}
        if _looking.acquire(blocking=False):  # one thread looks for the whole process
            threading.Thread(target=_look, name="starvation", daemon=True).start()

    def received(self, message: Message) -> None:
        """Takes a response."""
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
        """Takes a request on its way."""
        assert isinstance(message, PlayRequest)
        match = self._matches.get(message.match)
        if match is not None and message.HasField("answer"):
            match.answered(message.answer.decision, _now_ns(looks=True))

    def stream(self, what: str) -> None:
        """Ignored: streams do not matter here."""
