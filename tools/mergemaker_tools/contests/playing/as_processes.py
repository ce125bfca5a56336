"""Plays blocks with the real referee: bots that are programs run as processes, each match with fresh ones and fresh folders.

Nothing that a bot kept of a match of the block reaches the next one, as far as its process and the folder that its system calls
the one for temporary files go. `--confine` keeps it from all other folders, too.
"""

import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import trio
from mergemaker_engine.record.commitments import DealMode
from mergemaker_processes.confinement.confining import Confining
from mergemaker_processes.launching import LaunchProblem
from mergemaker_processes.logs import last_lines
from mergemaker_referee.configuration.settings import Address, LogFormat, LogLevel
from mergemaker_referee.logs import configure_log
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_table.outputs import Output, Started

from mergemaker_tools.contests.playing.blocks import (
    Block,
    BlockPlayed,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.one_block import Appointment, CannotPlay, play_block
from mergemaker_tools.contests.playing.outcomes import Noticed, match_played
from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.clocks import with_time_to_start
from mergemaker_tools.play.games import STOP_SIGNALS, Games
from mergemaker_tools.play.plan import InBlock, MatchPlan
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.problems import CommandFailed, Interrupted


class ProcessPlayer:
    """Plays blocks with a referee of its own for each match, one match at a time."""

    def __init__(self, terms: PlayTerms) -> None:
        self.terms: Final = terms

    def play(self, block: Block) -> BlockPlayed | BlockProblem:
        """Plays all matches of a block."""
        configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
        return play_block(self.terms, block, self._play_match)

    def close(self) -> None:
        """Nothing is kept alive."""

    def _play_match(self, appointment: Appointment) -> MatchPlayed | VoidMatch:
        audience = _Quiet()
        with _private_folder() as folder:
            games = Games(self._plan(appointment, folder), audience, _stop_signals())
            try:
                games.play()
            except Interrupted as interrupted:
                raise CannotPlay(Trouble.INTERRUPTED, str(interrupted)) from interrupted
            except LaunchProblem as problem:
                raise CannotPlay(Trouble.BOT, str(problem), self._number_of(problem.bot)) from problem
            except CommandFailed as problem:
                return VoidMatch(match=appointment.match, why=str(problem))
            report = games.reports[0]
            noticed = [_noticed(report, seat, audience.said) for seat in range(len(appointment.seating))]
            return match_played(appointment, report.ended, report.turns, noticed, audience.startup_ms)

    def _number_of(self, name: str) -> int | None:
        return next((number for number, entrant in enumerate(self.terms.bots) if entrant.name == name), None)

    def _confining(self, appointment: Appointment) -> Confining | None:
        """How the bots of this match are confined: what each may see, by seat."""
        confining = self.terms.confining
        if confining is None:
            return None
        return replace(confining, sights=tuple(confining.sights[bot] for bot in appointment.seating))

    def _plan(self, appointment: Appointment, folder: Path) -> MatchPlan:
        terms = self.terms
        entrants = [terms.bots[bot] for bot in appointment.seating]
        return MatchPlan(
            words=tuple(entrant.name for entrant in entrants),
            own_names=tuple(entrant.name for entrant in entrants),
            specs=tuple(entrant.spec for entrant in entrants),
            rules=terms.rules,
            clock=with_time_to_start(terms.clock, by_hand=False),
            clock_word=terms.clock.name,
            seed=appointment.seed,
            seed_file=None,
            promised=terms.mode is DealMode.SERVER,
            games=1,
            jobs=1,
            listen=Address("127.0.0.1", 0),
            token=None,
            records=None,
            record=appointment.record,
            durability=terms.durability,
            logs=terms.logs or folder / "logs",
            strict=False,
            confining=self._confining(appointment),
            scratch=folder / "scratch",
            in_block=InBlock(appointment.block, appointment.match, appointment.seed),
        )


@contextmanager
def _private_folder() -> Iterator[Path]:
    """What a match needs of the disk while it is played."""
    folder = Path(tempfile.mkdtemp(prefix="mergemaker-match-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _stop_signals() -> Sequence[int]:
    """The signals that break a match off. In a process for blocks, Ctrl-C is for the command, which then ends this process."""
    is_worker = multiprocessing.parent_process() is not None
    return (signal.SIGTERM,) if is_worker and os.name == "posix" else STOP_SIGNALS


class _Quiet(Audience):
    """Keeps what there is to say, and shows nothing."""

    def __init__(self) -> None:
        self.said: Final[list[str]] = []
        self.startup_ms = 0
        self._begun_s = 0.0

    def begin(self, match: HostedMatch) -> None:  # noqa: ARG002 - the base class's
        """The bots are started."""
        self._begun_s = trio.current_time()

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:  # noqa: ARG002 - the base class's
        """When the deal is made, all have come."""
        if not self.startup_ms and any(isinstance(output, Started) for output in outputs):
            self.startup_ms = max(1, round((trio.current_time() - self._begun_s) * 1_000))

    def note(self, text: str) -> None:
        """Keeps it."""
        self.said.append(text)


def _noticed(report: GameReport, seat: int, said: Sequence[str]) -> Noticed:
    about = [text.removeprefix(f"seat {seat}: ") for text in said if text.startswith(f"seat {seat}")]
    log = report.logs[seat]
    lines = [] if log is None else last_lines(log)
    return Noticed(refused=report.refusals[seat], failed=report.failures[seat], complaint="\n".join([*about, *lines]))
