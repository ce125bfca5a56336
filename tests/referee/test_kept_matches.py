"""What a match costs in memory after its end, while its bots may still come back for the result."""

import gc
import tracemalloc
from pathlib import Path
from typing import Final

import pytest
import trio
from mergemaker_referee.configuration.settings import Settings
from mergemaker_testkit.in_process import House, a_house

MATCHES: Final = 4
SEATS: Final = 4
KEPT_BYTES_MAX: Final = 20 * 1024


async def _play(house: House) -> None:
    _, made = await house.create(SEATS)
    await house.play_to_the_end(made)


def _let_go(house: House) -> None:
    referee = house.referee
    while referee._leaving:
        referee._seating.remove(referee._leaving.popleft()[1])
    gc.collect()


@pytest.mark.pure
def test_a_match_that_is_kept_for_its_bots_costs_little(tmp_path: Path) -> None:
    async def run() -> float:
        async with a_house(tmp_path, Settings(), log=tmp_path / "public.log") as house:
            await _play(house)
            _let_go(house)
            tracemalloc.start()
            for _ in range(MATCHES):
                await _play(house)
            gc.collect()
            # What caches keep stays; only what is let go of is counted.
            kept, _ = tracemalloc.get_traced_memory()
            _let_go(house)
            left, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return (kept - left) / MATCHES

    assert trio.run(run) < KEPT_BYTES_MAX


def test_a_bot_that_comes_after_the_end_gets_everything(tmp_path: Path) -> None:
    async def run() -> None:
        async with a_house(tmp_path, Settings()) as house:
            _, made = await house.create(2)
            match = await house.play_to_the_end(made)
            events = match.table.events_since(1, 0)
            match.table.fold()
            _, said = await house.seated(made.tokens[1])
            told = [event.number for response in said for event in response.events]
            assert told == list(range(1, len(events) + 1))
            assert any(response.HasField("match_started") for response in said)
            assert any(response.HasField("match_ended") for response in said)
            assert match.table._desk.game is None, "folded again"

    trio.run(run)
