"""Plays blocks with the real referee: bots that are programs run as processes.

Bots of different owners are started anew for each match, with fresh folders: nothing that a bot kept of a match of the block
reaches the next one, as far as its process and the folder that its system calls the one for temporary files go. `--confine` keeps
it from all other folders, too. They are started while the match before is played. Bots of one author stay from match to match.
"""

import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Final

from mergemaker_contest.designs import SEATS_MAX
from mergemaker_engine.record.commitments import DealMode
from mergemaker_processes.confinement.confining import Confining
from mergemaker_processes.launching import LaunchProblem
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Address, LogFormat, LogLevel, Settings
from mergemaker_referee.logs import configure_log
from mergemaker_referee.records.files import SUFFIX
from mergemaker_referee.tokens import TokenKind, fresh_token, token_hash

from mergemaker_tools.contests.playing.blocks import (
    REPLAYS_MAX,
    Appointment,
    Block,
    BlockPlayed,
    BlockProblem,
    MatchPlayed,
    PlayTerms,
    Trouble,
    VoidMatch,
)
from mergemaker_tools.contests.playing.one_block import CannotPlay, play_block
from mergemaker_tools.contests.playing.referee_thread import RefereeThread, waited_for
from mergemaker_tools.contests.playing.sittings import KeptBots, Sitting
from mergemaker_tools.contests.trust import Trust
from mergemaker_tools.play.clocks import with_time_to_start
from mergemaker_tools.play.games import SESSION_KEEP_MS, STOP_GRACE_MS, STOP_SIGNALS
from mergemaker_tools.play.plan import InBlock, MatchPlan
from mergemaker_tools.problems import CommandFailed, Interrupted


class ProcessPlayer:
    """Plays blocks with a referee of its own, one match at a time."""

    def __init__(self, terms: PlayTerms) -> None:
        self.terms: Final = terms
        self._room: _Room | None = None

    def play(self, block: Block) -> BlockPlayed | BlockProblem:
        """Plays all matches of a block."""
        configure_log(LogFormat.CONSOLE, LogLevel.ERROR)
        stays = False
        try:
            with _signals_interrupt():
                if self._room is None:
                    self._room = _Room(self.terms, block)
                played = play_block(self.terms, block, self._room.play_match)
                stays = self.terms.trust is Trust.OWN and isinstance(played, BlockPlayed)
                return played
        except KeyboardInterrupt:
            return BlockProblem(block=block, trouble=Trouble.INTERRUPTED, text="interrupted")
        except CommandFailed as problem:
            return BlockProblem(block=block, trouble=Trouble.VOID, text=str(problem))
        finally:
            if not stays:
                self.close()

    def close(self) -> None:
        """Ends the referee, and the bots that stayed."""
        room, self._room = self._room, None
        if room is not None:
            room.close()


class _Room:
    """A referee, the names by which it knows bots, and what matches need of the disk.

    If bots stay, it is for all blocks; otherwise for one.
    """

    def __init__(self, terms: PlayTerms, block: Block) -> None:
        self._terms: Final = terms
        self._stays: Final = terms.trust is Trust.OWN
        names = _names_that_stay(len(terms.bots)) if self._stays else _names_in(block)
        tokens = {name: fresh_token(TokenKind.BOT) for name in names}
        self._tokens: Final = tokens
        self._ahead: Final[dict[str, tuple[Sitting, Future[MatchPlayed]]]] = {}
        """By match: those whose bots are being started."""
        with ExitStack() as stack:
            self._folder: Final = stack.enter_context(_private_folder())
            self._referee: Final = RefereeThread(_settings(terms, tokens), self._folder)
            stack.callback(self._referee.close)
            self._kept: Final = KeptBots(tokens) if self._stays else None
            if self._kept is not None:
                self._referee.start(self._kept.run)
                # A process for blocks that is ended in between ends its bots, and leaves no folder behind.
                leave = Finalize(self, self.close, exitpriority=1)
                stack.callback(leave.cancel)
            self._stack: Final = stack.pop_all()

    def close(self) -> None:
        """Ends everything."""
        self._stack.close()

    def play_match(self, appointment: Appointment) -> MatchPlayed | VoidMatch:
        """Plays one match, and meanwhile starts the bots of the next one."""
        self._begin_ahead(appointment)
        sitting, future = self._ahead.pop(appointment.match)
        sitting.on_begin = lambda: self._begin_ahead(appointment.then)
        self._referee.soon(sitting.its_turn)
        ways_to_end = iter((sitting.break_off, sitting.hurry))

        def on_interrupt() -> None:
            way = next(ways_to_end, None)
            if way is None:
                raise KeyboardInterrupt
            self._referee.soon(way)

        try:
            return waited_for(future, on_interrupt)
        except Interrupted as interrupted:
            raise CannotPlay(Trouble.INTERRUPTED, str(interrupted)) from interrupted
        except LaunchProblem as problem:
            raise CannotPlay(Trouble.BOT, str(problem), self._number_of(problem.bot)) from problem
        except CommandFailed as problem:
            return VoidMatch(match=appointment.match, why=str(problem))
        finally:
            if not self._stays:
                shutil.rmtree(self._folder / appointment.match, ignore_errors=True)
            for record in self._folder.glob(f"*{appointment.match}{SUFFIX}"):  # if records are not kept
                record.unlink(missing_ok=True)

    def _begin_ahead(self, appointment: Appointment | None) -> None:
        if appointment is not None and appointment.match not in self._ahead:
            self._ahead[appointment.match] = self._begun(appointment)

    def _begun(self, appointment: Appointment) -> "tuple[Sitting, Future[MatchPlayed]]":
        sitting = Sitting(appointment, self._plan(appointment), self._tokens, self._kept)
        return sitting, self._referee.start(sitting.run)

    def _number_of(self, name: str) -> int | None:
        return next((number for number, entrant in enumerate(self._terms.bots) if entrant.name == name), None)

    def _plan(self, appointment: Appointment) -> MatchPlan:
        terms = self._terms
        entrants = [terms.bots[bot] for bot in appointment.seating]
        folder = self._folder if self._stays else self._folder / appointment.match
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
            listen=_LISTEN,
            token=None,
            records=None,
            record=appointment.record,
            durability=terms.durability,
            logs=terms.logs or folder / "logs",
            strict=False,
            confining=_confining(terms, appointment),
            scratch=folder / "scratch",
            in_block=InBlock(appointment.block, appointment.match, appointment.seed, self._known(appointment), terms.host),
        )

    def _known(self, appointment: Appointment) -> tuple[str, ...]:
        """By seat: the name by which the referee knows its bot."""
        if not self._stays:
            return tuple(_name_at(appointment.match, seat) for seat in range(len(appointment.seating)))
        before: Counter[int] = Counter()
        names = []
        for bot in appointment.seating:
            names.append(_name_of_copy(bot, before[bot]))
            before[bot] += 1
        return tuple(names)


_LISTEN: Final = Address("127.0.0.1", 0)


def _settings(terms: PlayTerms, tokens: Mapping[str, str]) -> Settings:
    return Settings(
        listen=(_LISTEN,),
        plain_text_allowed=True,  # nobody else hears what is sent on this machine alone
        bots={name: token_hash(token) for name, token in tokens.items()},
        durability=terms.durability,
        limits=Limits(stop_grace_ms=STOP_GRACE_MS, session_keep_ms=SESSION_KEEP_MS),
    )


def _names_in(block: Block) -> Iterator[str]:
    """Of all bots that a block may have: each match has its own."""
    for index, seating in enumerate(block.seatings):
        for replay in range(REPLAYS_MAX + 1):
            yield from (_name_at(block.match_id(index, replay), seat) for seat in range(len(seating)))


def _name_at(match: str, seat: int) -> str:
    return f"{match} seat {seat}"


def _names_that_stay(bots: int) -> Iterator[str]:
    """Of all bots that there may be: a bot may have several seats."""
    return (_name_of_copy(bot, copy) for bot in range(bots) for copy in range(SEATS_MAX))


def _name_of_copy(bot: int, copy: int) -> str:
    return f"bot {bot} copy {copy}"


def _confining(terms: PlayTerms, appointment: Appointment) -> Confining | None:
    """How the bots of this match are confined: what each may see, by seat."""
    confining = terms.confining
    if confining is None:
        return None
    return replace(confining, sights=tuple(confining.sights[bot] for bot in appointment.seating))


@contextmanager
def _private_folder() -> Iterator[Path]:
    """What matches need of the disk while they are played."""
    folder = Path(tempfile.mkdtemp(prefix="mergemaker-match-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Within, all signals that break a match off do what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in _stop_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop_signals() -> Sequence[int]:
    """The signals that break a match off. In a process for blocks, Ctrl-C is for the command, which then ends this process."""
    return (signal.SIGTERM,) if _is_worker() and os.name == "posix" else STOP_SIGNALS


def _is_worker() -> bool:
    return multiprocessing.parent_process() is not None
