"""Blocks on the machines of a Dask cluster: `--executor dask://HOST:PORT`.

Each task is one block, with its referee and its bots' processes on a worker. Dask gives the tasks of a worker that is gone to
another one. A block's records come back when its last match is over. They are verified here, as if the block had been broken off
and its records kept: a worker is believed nothing.
"""

import atexit
import platform
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from mergemaker_processes.bot_names import BotSpec
from mergemaker_referee.records.files import SUFFIX

from mergemaker_tools.contests.playing.blocks import (
    Appointment,
    Block,
    BlockPlayed,
    BlockPlayer,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.host_speed import measured_host
from mergemaker_tools.contests.playing.kept_matches import kept_match
from mergemaker_tools.contests.playing.many_blocks import block_player
from mergemaker_tools.contests.playing.one_block import CannotPlay, play_block
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.tournaments.entrants import hash_of
from mergemaker_tools.tournaments.publishing import program_text

CONNECT_LIMIT_S: Final = 30
WORKERS_LIMIT_S: Final = 120
"""How long to wait for the first worker."""
AHEAD: Final = 2
"""Blocks given to the cluster for each of its workers: one that is played, and one that waits."""
TRIES_MAX: Final = 3
"""How often a block is given to the cluster if what comes back is not what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterTerms:
    """What a worker needs to know to play any block."""

    contest: str
    terms: PlayTerms
    """Without places for files: a worker has its own."""
    hashes: tuple[str, ...]
    """Of the bots, as the manifest has them."""
    program: str
    fast: bool


@dataclass(frozen=True, slots=True)
class BlockFromAfar:
    """What a worker sends back."""

    result: BlockPlayed | BlockProblem
    records: Mapping[str, bytes]
    """By file name. Nothing else of the result is believed."""


def play_on_cluster(
    address: str, cluster: ClusterTerms, terms: PlayTerms, blocks: Iterable[Block], note: Callable[[str], None]
) -> Generator[BlockPlayed | BlockProblem]:
    """Plays blocks on a cluster, and yields them as they end. Closing it gives up those that have not ended."""
    with _client(address) as (client, as_completed):
        waiting = iter(blocks)
        running = as_completed(loop=client.loop)
        tries: dict[str, tuple[Block, int]] = {}

        def give(block: Block, number: int) -> None:
            future = client.submit(_play_block, cluster, block, pure=False, key=f"{block.name}-try{number}-{id(tries)}")
            tries[future.key] = block, number
            running.add(future)

        def fill() -> None:
            most = AHEAD * max(1, len(client.nthreads()))
            for block in islice(waiting, most - len(tries)):
                give(block, 1)

        fill()
        while tries:
            future = next(running)
            block, number = tries.pop(future.key)
            try:
                yield _arrived(terms, block, _sent(future))
            except CannotPlay as problem:
                if number == TRIES_MAX:
                    yield BlockProblem(block=block, trouble=problem.trouble, text=str(problem))
                else:
                    note(f"{block} is given to the cluster again: {problem}")
                    give(block, number + 1)
            fill()


@contextmanager
def _client(address: str) -> Iterator[tuple[Any, Any]]:
    try:
        from distributed import Client, as_completed  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise CommandFailed('a cluster needs the extra of that name: pip install "mergemaker[cluster]"') from error
    try:
        client = Client(address, timeout=CONNECT_LIMIT_S, set_as_default=False)
    except OSError as error:  # a time limit that is over is one, too
        raise CommandFailed(f"there is no Dask scheduler at {address}: {error}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=WORKERS_LIMIT_S)
        except TimeoutError as error:
            text = f"the Dask scheduler at {address} has no worker: start one by `dask worker {address} --nthreads 1`"
            raise CommandFailed(text) from error
        yield client, as_completed
    finally:
        client.close()


def _sent(future: Any) -> BlockFromAfar:  # noqa: ANN401 - of a library without types
    """What a task came to."""
    from distributed import KilledWorker  # noqa: PLC0415 - as above

    try:
        sent: BlockFromAfar = future.result()
    except KilledWorker as error:
        raise CannotPlay(Trouble.VOID, "the workers that played it ended in the middle of it") from error
    except CommandFailed:
        raise
    except Exception as error:
        text = f"the cluster does not play any more: {type(error).__name__}: {error}; when it does, --resume goes on"
        raise CommandFailed(text) from error
    return sent


def _arrived(terms: PlayTerms, block: Block, sent: BlockFromAfar) -> BlockPlayed | BlockProblem:
    """Takes what a worker sent: its records, if they are those of this block; raises `CannotPlay` if they are not."""
    if isinstance(sent.result, BlockProblem):
        return replace(sent.result, block=block)

    def take(appointment: Appointment) -> MatchPlayed | VoidMatch:
        assert appointment.record is not None, "a tournament keeps records"
        content = sent.records.get(appointment.record.name)
        if content is not None:
            appointment.record.write_bytes(content)
            if (found := kept_match(terms, appointment)) is not None:
                return found
        raise _NotWhatWasAsked(f"its record {appointment.record.name} is missing, or is not the one of this match")

    try:
        result = play_block(terms, block, take)
    except _NotWhatWasAsked as problem:
        raise CannotPlay(Trouble.VOID, str(problem)) from problem
    return result


class _NotWhatWasAsked(Exception):
    """A worker's records are not those of its block."""


# --- on a worker --------------------------------------------------------------------------------------------------------

_ONE_AT_A_TIME: Final = threading.Lock()
"""A worker with several threads plays one block at a time: bots that are called in its process share it."""
_PLAYERS: Final[dict[str, tuple[BlockPlayer, Path]]] = {}
"""By contest: what plays its blocks in this process, and where their records are meanwhile."""


def _play_block(cluster: ClusterTerms, block: Block) -> BlockFromAfar:
    """Plays a block in a worker's process."""
    with _ONE_AT_A_TIME:
        if cluster.contest not in _PLAYERS:
            if (problem := _unfit(cluster)) is not None:
                return BlockFromAfar(BlockProblem(block=block, trouble=Trouble.DISK, text=problem), {})
            _PLAYERS[cluster.contest] = _player(cluster)
        player, folder = _PLAYERS[cluster.contest]
        result = player.play(block)
        sent = BlockFromAfar(result, {path.name: path.read_bytes() for path in folder.glob(f"*{SUFFIX}")})
        for name in sent.records:
            (folder / name).unlink()
        return sent


def _player(cluster: ClusterTerms) -> tuple[BlockPlayer, Path]:
    folder = Path(tempfile.mkdtemp(prefix="mergemaker-blocks-"))
    player = block_player(replace(cluster.terms, records=folder, host=measured_host(), keeps=False), fast=cluster.fast)

    def leave() -> None:
        player.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(leave)
    return player, folder


def _unfit(cluster: ClusterTerms) -> str | None:
    """Why this worker cannot play; None if it can."""
    if program_text() != cluster.program:
        return f"a worker has {program_text()}, and this is {cluster.program}: install the same on all machines"
    for entrant, known in zip(cluster.terms.bots, cluster.hashes, strict=True):
        if (problem := _other_bot(entrant.name, entrant.spec, known)) is not None:
            return problem
    return None


def _other_bot(name: str, spec: BotSpec, known: str) -> str | None:
    where = platform.node()
    try:
        found = hash_of(spec)
    except OSError as error:
        return f"the worker on {where} cannot read the bot {name}: {error.strerror}; it needs the same files at the same place"
    if found != known:
        return f"the files of the bot {name} on the worker {where} are not those of this tournament: copy them there"
    return None
