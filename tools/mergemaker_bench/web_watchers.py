"""The process with a benchmark's browsers: each follows live matches by a stream of its own, on asyncio alone.

python -m mergemaker_bench.web_watchers PLAN, which is a `BrowsersPlan` as JSON.
"""

import asyncio
import json
import sys
import time
from dataclasses import dataclass
from typing import Any, Final

from mergemaker_bench.referee_bare import run_fast
from mergemaker_bench.referee_child import mind_parent

LOOK_INTERVAL_S: Final = 0.2
"""How often somebody without a match looks for one."""
_DATA: Final = b"data: "
_LINE_BYTES_MAX: Final = 4 * 1_024 * 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsersPlan:
    """How many come, and to which match."""

    port: int
    browsers: int
    bot: str
    """A bot of the match that all of them follow."""


class Browsers:
    """All of them."""

    def __init__(self, plan: BrowsersPlan) -> None:
        self._plan: Final = plan
        self._match: tuple[str, int] | None = None
        """The match, and an event from which on it can be followed."""
        self._followed: Final[set[int]] = set()
        self._frames = 0
        self._refused = 0
        self._seen: list[tuple[str, int, int, int]] = []
        """Match, first and last event of a frame, and when it came."""

    async def run(self) -> None:
        """Follows until the parent ends this process."""
        mind_parent({}, self.report)
        await asyncio.gather(self._look(), *(self._follow(number) for number in range(self._plan.browsers)))

    async def _look(self) -> None:
        """Finds the match that is followed."""
        path = f"/api/matches?phase=playing&limit=1&bot={self._plan.bot.replace(' ', '%20')}"
        while True:
            found = (await self._json(path))["matches"]
            if not found:
                self._match = None
            elif self._match is None or found[0]["match"] != self._match[0]:
                match = found[0]["match"]
                live = await self._json(f"/api/matches/{match}/live")
                self._match = (match, live["first_event"] + len(live["events"]))
            await asyncio.sleep(LOOK_INTERVAL_S)

    async def _json(self, path: str) -> Any:  # noqa: ANN401 - what JSON holds
        reader, writer = await self._asked(path)
        text = await reader.read()
        writer.close()
        return json.loads(text.partition(b"\r\n\r\n")[2])

    async def _asked(self, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._plan.port, limit=_LINE_BYTES_MAX)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
        return reader, writer

    async def _follow(self, number: int) -> None:
        while True:
            if self._match is not None:
                match, place = self._match
                reader, writer = await self._asked(f"/api/stream?match={match}:{place}")
                if b" 200" not in await reader.readline():
                    self._refused += 1
                else:
                    await self._read(reader, match, number)
                writer.close()
            await asyncio.sleep(LOOK_INTERVAL_S)

    async def _read(self, reader: asyncio.StreamReader, match: str, number: int) -> None:
        place = 1
        while line := await reader.readline():
            if line.startswith((b"event: over", b"event: problem")):
                return
            if not line.startswith(_DATA + b"{"):
                continue
            said: dict[str, Any] = json.loads(line[len(_DATA) :])
            events = said.get("events")
            if events is None:  # begin where it is known
                return
            last = said["first_event"] + len(events) - 1
            self._frames += 1
            if number in self._followed:  # the first frame has what was before
                self._seen.append((match, max(place, said["first_event"]), last, time.monotonic_ns()))
            self._followed.add(number)
            place = last + 1
        self._followed.discard(number)

    def report(self) -> dict[str, object]:
        """What happened so far; what was seen is since the last report."""
        seen, self._seen = self._seen, []
        return {"frames": self._frames, "followed": len(self._followed), "refused": self._refused, "seen": seen}


def main() -> None:
    """Follows what there is."""
    run_fast(Browsers(BrowsersPlan(**json.loads(sys.argv[1]))).run())


if __name__ == "__main__":
    main()
