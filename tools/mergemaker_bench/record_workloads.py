"""What is measured of records: writing the record of a game while it is played, and verifying one from its file."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from mergemaker_engine.deal import Chances, Deal, derived_seed
from mergemaker_engine.game import Game
from mergemaker_engine.playout import draw_from
from mergemaker_engine.record.commitments import NONCE_BYTES, DealMode, commitment
from mergemaker_engine.record.lines import AnsweredBy, Header, Promise, Status
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.journal import Journal

from mergemaker_bench.workloads import PLAYERS, RULES, SEED, Work, prepare_games

MATCH: Final = "bench"
_NONCE: Final = bytes(NONCE_BYTES)


def recorded_game(number: int) -> bytes:
    """The record of a game of random players."""
    return b"".join(_lines_of(number))


def record_path(folder: Path, number: int) -> Path:
    """The path of a game's record, made beforehand."""
    return folder / f"{number}.jsonl"


def make_records(folder: Path, numbers: range) -> list[int]:
    """Makes the records that will be verified; returns their sizes in bytes."""
    return [record_path(folder, number).write_bytes(recorded_game(number)) for number in numbers]


def _lines_of(number: int) -> Iterator[bytes]:
    """The lines of a record, each made at its point of the game, with times as a referee writes them."""
    seed = derived_seed(SEED, "game", number)
    scribe = Scribe()
    header = Header(
        rules=RULES,
        seats=PLAYERS,
        mode=DealMode.SERVER,
        match=MATCH,
        bots=("random",) * PLAYERS,
        promise=Promise(MATCH, commitment(MATCH, _NONCE, seed)),
    )
    game = Game(RULES, PLAYERS, Deal.from_seed(seed))
    stream = Chances(seed, "play")
    yield scribe.header(header)
    yield scribe.deal(game)
    while (decision := game.decision) is not None:
        # No player trading here: one possible answer is never asked.
        answers = game.legal()
        by = AnsweredBy.AUTOMATIC if len(answers) == 1 else AnsweredBy.BOT
        answer = draw_from(game, answers, stream)
        game.apply(answer)
        run = {"at_ms": 1_000 * scribe.decisions, "used_ms": 12, "bank_ms": 60_000}
        yield scribe.decision(decision, answer, by, game, run=run)
    yield scribe.end(game, Secrets(seed, seed, _NONCE), [Status.FINISHED] * PLAYERS)


def prepare_recordings(folder: Path) -> Work:
    """Games that are recorded as they are played, each line handed to the system at once. The units are records."""

    def work(number: int) -> int:
        path = folder / f"written-{os.getpid()}-{number}.jsonl"
        with Journal.create(path) as journal:
            for line in _lines_of(number):
                journal.append(line)
        path.unlink()
        return 1

    return work


def prepare_verifications(folder: Path) -> Work:
    """Records that are read from their files and verified. The units are records."""

    def work(number: int) -> int:
        verify([record_path(folder, number).read_bytes()])
        return 1

    return work


RECORD_WORKLOADS: Final[Mapping[str, Callable[[Path], Work]]] = MappingProxyType(
    {
        "games": lambda _folder: prepare_games(),
        "recordings": prepare_recordings,
        "verifications": prepare_verifications,
    }
)
"""By name; each is given the folder of the records that were made beforehand."""
