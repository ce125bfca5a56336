"""A benchmark's server with one process or several, as `mergemaker serve` runs it, with its records and its public log."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import trio
from mergemaker.v1 import match_pb2, matches_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Address, Settings
from mergemaker_referee.connections import Closing
from mergemaker_referee.identities import Operator
from mergemaker_referee.processes.serving_many import serving_many
from mergemaker_referee.rpc.front import Front
from mergemaker_referee.serving import serving
from mergemaker_referee.tokens import token_hash

from mergemaker_bench.referee_bot import SEATS, bot_name, bot_token
from mergemaker_bench.referee_child import mind_parent, process_report
from mergemaker_bench.referee_server import CROWD, OPERATOR_TOKEN, ServerPlan

CLOCK: Final = match_pb2.ClockTerms(name="bench", allowance_ms=60_000, bank_ms=600_000)
"""Long enough for a machine with other work, and no limit to joining."""


async def serve_processes(plan: ServerPlan) -> None:
    """Serves until the parent ends this process."""
    settings = Settings(
        listen=(Address("127.0.0.1", 0),),
        data_folder=Path(plan.folder),
        processes=plan.processes,
        bots={bot_name(table, seat): token_hash(bot_token(table, seat)) for table in range(plan.bots) for seat in range(SEATS)},
        operator_token_hash=token_hash(OPERATOR_TOKEN),
        limits=Limits(**CROWD),
    )
    if plan.processes == 1:
        async with serving(settings) as running:
            matches = running.referee.seating.matches
            await _play(plan, running.referee, lambda match: matches[match].end_told, running.addresses[0])
    else:
        async with serving_many(settings) as many:
            await _play(plan, many.desk, many.desk.book.released.__getitem__, many.addresses[0])


async def _play(plan: ServerPlan, front: Front, end_of: Callable[[str], trio.Event], address: str) -> None:
    async with trio.open_nursery() as nursery:
        for table in range(plan.tables):
            nursery.start_soon(_keep_playing, front, table, end_of)
        mind_parent({"port": int(address.rpartition(":")[2])}, _report)
        await trio.sleep_forever()


async def _keep_playing(front: Front, table: int, end_of: Callable[[str], trio.Event]) -> None:
    """Plays match after match at one table, with the same bots."""
    seats = [matches_pb2.SeatPlan(bot_id=bot_name(table, seat)) for seat in range(SEATS)]
    request = matches_pb2.CreateMatchRequest(seats=seats, clock=CLOCK).SerializeToString()
    while True:
        send, receive = trio.open_memory_channel[bytes | Path | Closing](1)
        front.call("CreateMatch", Operator(), request, partial(_settle, send))
        made = await receive.receive()
        assert isinstance(made, bytes), made
        await end_of(matches_pb2.CreateMatchResponse.FromString(made).match.match).wait()


def _settle(send: "trio.MemorySendChannel[bytes | Path | Closing]", found: bytes | Path | Closing) -> None:
    send.send_nowait(found)


def _report() -> dict[str, object]:
    """The processor time of all processes, and of this one, which serves."""
    own = process_report()["cpu_ns"]
    assert isinstance(own, int), "a number of nanoseconds"
    children = [pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text("ascii").split()]
    return {"cpu_ns": own + sum(map(_cpu_ns, children)), "serving_cpu_ns": own}


def _cpu_ns(process: str) -> int:
    """The processor time of another process, as Linux reports it for each of its threads."""
    found = 0
    for path in Path(f"/proc/{process}/task").glob("*/schedstat"):
        try:
            found += int(path.read_text("ascii").split()[0])
        except OSError:
            continue  # the thread has ended
    return found
