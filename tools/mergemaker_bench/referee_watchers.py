"""The process with a benchmark's watchers, on `grpc.aio` alone.

python -m mergemaker_bench.referee_watchers PLAN, which is a `WatchersPlan` as JSON.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from grpc import aio
from mergemaker.v1 import matches_pb2, spectate_pb2

from mergemaker_bench.referee_bare import run_fast
from mergemaker_bench.referee_child import mind_parent
from mergemaker_bench.referee_client import OPTIONS
from mergemaker_bench.referee_server import OPERATOR_TOKEN

LIST_METHOD: Final = "/mergemaker.v1.MatchService/ListMatches"
WATCH_METHOD: Final = "/mergemaker.v1.SpectateService/Watch"
LOOK_INTERVAL_S: Final = 0.1
"""How often the running matches are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchersPlan:
    """How many come."""

    port: int
    watchers: int
    connections: int = 4


class Watchers:
    """Each watches one match to its end, and then another one."""

    def __init__(self, plan: WatchersPlan) -> None:
        self._plan: Final = plan
        self._matches: Sequence[str] = ()
        self._shown: Final[set[int]] = set()
        self._responses = 0
        self._refused = 0

    async def run(self) -> None:
        """Watches until the parent ends this process."""
        async with contextlib.AsyncExitStack() as stack:
            address = f"127.0.0.1:{self._plan.port}"
            channels = [
                await stack.enter_async_context(aio.insecure_channel(address, options=OPTIONS))
                for _ in range(self._plan.connections)
            ]
            mind_parent({}, self.report)
            watches: list[Any] = [channel.unary_stream(WATCH_METHOD) for channel in channels]
            everybody = (self._watch(watches[number % len(watches)], number) for number in range(self._plan.watchers))
            await asyncio.gather(self._list(channels[0].unary_unary(LIST_METHOD)), *everybody)

    async def _list(self, list_matches: Any) -> None:  # noqa: ANN401 - grpc's own callable
        request = matches_pb2.ListMatchesRequest(phase=matches_pb2.MATCH_PHASE_PLAYING).SerializeToString()
        while True:
            with contextlib.suppress(aio.AioRpcError):  # it is asked again
                found = await list_matches(request, metadata=(("authorization", f"Bearer {OPERATOR_TOKEN}"),))
                self._matches = sorted(each.match for each in matches_pb2.ListMatchesResponse.FromString(found).matches)
            await asyncio.sleep(LOOK_INTERVAL_S)

    async def _watch(self, watch: Any, number: int) -> None:  # noqa: ANN401 - grpc's own callable
        while True:
            if matches := self._matches:
                try:
                    call = watch(spectate_pb2.WatchRequest(match=matches[number % len(matches)]).SerializeToString())
                    while await call.read() is not aio.EOF:
                        self._responses += 1
                        self._shown.add(number)
                except aio.AioRpcError:
                    self._refused += 1
            await asyncio.sleep(LOOK_INTERVAL_S)

    def report(self) -> dict[str, object]:
        """What happened so far."""
        return {"responses": self._responses, "shown": len(self._shown), "refused": self._refused}


def main() -> None:
    """Watches what there is."""
    run_fast(Watchers(WatchersPlan(**json.loads(sys.argv[1]))).run())


if __name__ == "__main__":
    main()
