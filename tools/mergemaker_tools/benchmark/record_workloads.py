"""What is measured of records: writing the record of a game while it is played, and verifying it."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mergemaker_engine.deal import Deal, Stream, derived_seed
from mergemaker_engine.game import Game
from mergemaker_engine.playout import draw_from
from mergemaker_engine.record.commitments import NONCE_BYTES, DealMode, commitment
from mergemaker_engine.record.lines import By, Header, Promise, Status
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.verifying import verify

from mergemaker_tools.benchmark.workloads import PLAYERS, RULES, SEED, prepare_games

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mergemaker_tools.benchmark.workloads import Work

MATCH: Final = "bench"
_NONCE: Final = bytes(NONCE_BYTES)


def recorded_game(number: int) -> bytes:
    """The record of a game of random players, made while it is played; times as a referee writes them are in it."""
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
    stream = Stream(seed, "play")
    lines = [scribe.header(header), scribe.deal(game)]
    while (decision := game.decision) is not None:
        # No player trading here: one possible answer is never asked.
        answers = game.legal()
        by = By.AUTOMATIC if len(answers) == 1 else By.BOT
        answer = draw_from(game, answers, stream)
        game.apply(answer)
        run = {"at_ms": 1_000 * scribe.decisions, "used_ms": 12, "bank_ms": 60_000}
        lines.append(scribe.decision(decision, answer, by, game, run=run))
    lines.append(scribe.end(game, Secrets(seed, seed, _NONCE), [Status.FINISHED] * PLAYERS))
    return b"".join(lines)


def prepare_recordings() -> Work:
    """Games that are recorded as they are played. The units are records."""

    def work(number: int) -> int:
        recorded_game(number)
        return 1

    return work


def prepare_verifications() -> Work:
    """Records that are verified. The units are records."""
    record = cache(recorded_game)

    def work(number: int) -> int:
        verify([record(number)])
        return 1

    return work


RECORD_WORKLOADS: Final[Mapping[str, Callable[[], Work]]] = MappingProxyType(
    {"games": prepare_games, "recordings": prepare_recordings, "verifications": prepare_verifications}
)
"""By name."""
