"""Runs a bot through its recorded past to a decision, and from there on and back. Going back means a new bot.

A bot in a process, in any language, speaks the ordinary protocol; one of this process is called directly.
"""

import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import trio
from mergemaker_client.asking import Caller
from mergemaker_client.bot import AnyBot, BotFactory, make_bot
from mergemaker_client.recorded import RecordedTurn, match_of
from mergemaker_engine.record.reading import Record
from mergemaker_engine.wording import action_text
from mergemaker_processes.launching import Launch

from mergemaker_tools.play.players import ProcessPlayer
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.shadowing.comparing import compared
from mergemaker_tools.shadowing.referee import Interrupts, ShadowFront, drive_bot, until_moved
from mergemaker_tools.shadowing.stepped_seat import Given, SteppedSeat

_Chosen = TypeVar("_Chosen")
SETTLE_S: Final = 0.05
SETTLE_LIMIT_S: Final = 1.0
"""A bot's standard error is shown when it has not grown for the first time, and after the second in any case."""


class Steps(Protocol):
    """Who says where to go: a person at the terminal, or a program that wants one decision."""

    def shown(self, number: int, given: Given, earlier: int, written: str) -> int | None:
        """Shows what a bot did at a decision, and returns the number of the decision to go to; None: it is over."""

    @property
    def waits(self) -> bool:
        """Whether a new bot is asked nothing until `attached` has returned."""

    def attached(self, process: int | None) -> None:
        """Lets the person attach a debugger to a new bot, whose process has this id."""


def debug_process(
    record: Record, seat: int, start: int, launch: Callable[..., Launch], limit_s: int, steps: Steps
) -> tuple[Path, ...]:
    """Debugs a bot in a process; returns the logs of all that were started."""
    logs: list[Path] = []

    async def run_all() -> None:
        target: int | None = start
        while target is not None:
            debugged = SteppedSeat(record, seat, target, time.monotonic_ns, waits=steps.waits)
            run = _Run(debugged, steps, limit_s)
            problem, _ = await drive_bot(debugged, launch, run.drive)
            logs.append(run.log)
            if problem is not None:
                raise problem
            target = run.target

    trio.run(run_all)
    return tuple(logs)


class _Run:
    """One bot's way from its first question to where its user leaves it, or goes back."""

    def __init__(self, seat: SteppedSeat, steps: Steps, limit_s: int) -> None:
        self._seat: Final = seat
        self._steps: Final = steps
        self._limit_s: Final = limit_s
        self.log = Path(os.devnull)
        self._read = 0
        self.target: int | None = None
        """The earlier decision to go back to; None: it is over."""

    async def drive(self, front: ShadowFront, player: ProcessPlayer, launch: Launch, interrupts: Interrupts) -> None:
        """Goes from stop to stop."""
        self.log = launch.logs.err
        if self._steps.waits:
            await self._unless_interrupted(partial(self._steps.attached, player.process_id), interrupts)
            front.send(self._seat.go_on(self._seat.stop_at))
        while True:
            await until_moved(front, player, launch, interrupts, self._limit_s, lambda: self._seat.given is not None)
            given = self._seat.given
            assert given is not None, "that was waited for"
            number = self._seat.stop_at
            written = await self._written()
            earlier = self._seat.shadowed
            differing = sum(1 for each in earlier.differences if each is not given.difference)
            show = partial(self._steps.shown, number, given, differing, written)
            target = await self._unless_interrupted(show, interrupts)
            if target is None or target <= number:
                self.target = target
                return
            front.send(self._seat.go_on(target))

    async def _unless_interrupted(self, show: Callable[[], _Chosen], interrupts: Interrupts) -> _Chosen:
        """Lets the person choose, in a thread that is left alone at Ctrl-C."""
        chosen: list[_Chosen] = []
        async with trio.open_nursery() as nursery:

            async def interrupted() -> None:
                raise await interrupts()

            nursery.start_soon(interrupted)
            chosen.append(await trio.to_thread.run_sync(show, abandon_on_cancel=True))
            nursery.cancel_scope.cancel()
        return chosen[0]

    async def _written(self) -> str:
        """What the bot has written to its standard error since the last stop. It comes by way of another process."""
        with trio.move_on_after(SETTLE_LIMIT_S):
            size = -1
            while size != (size := self.log.stat().st_size):  # noqa: ASYNC110 - another process writes it
                await trio.sleep(SETTLE_S)
        content = self.log.read_bytes()
        new, self._read = content[self._read :], len(content)
        return new.decode("utf-8", "replace")


def debug_here(record: Record, questions: tuple[RecordedTurn, ...], factory: BotFactory, start: int, steps: Steps) -> None:
    """Debugs a bot that is called in this process, where `breakpoint()` reaches the terminal by itself."""
    target: int | None = start
    while target is not None:
        target = _debug_one(record, questions, factory, target, steps)


def _debug_one(
    record: Record, questions: tuple[RecordedTurn, ...], factory: BotFactory, stop_at: int, steps: Steps
) -> int | None:
    """Calls one bot from its first question on; returns the decision to go back to, or None."""
    earlier = 0
    with Caller() as caller:
        bot = _made(factory, record, questions[0].turn.seat)
        for recorded in questions:
            begun_ns = time.monotonic_ns()
            with redirect_stdout(sys.stderr):
                bot.on_events(recorded.turn.events)
                difference, note = compared(caller, bot, recorded, record)
            ms = (time.monotonic_ns() - begun_ns) / 1_000_000
            if recorded.turn.number == stop_at:
                answered = difference.answered if difference else _recorded_text(recorded)
                chosen = steps.shown(stop_at, Given(answered, difference, note, ms), earlier, "")
                if chosen is None or chosen <= stop_at:
                    return chosen
                stop_at = chosen
            earlier += difference is not None
    return None


def _made(factory: BotFactory, record: Record, seat: int) -> AnyBot:
    try:
        bot = make_bot(factory)
        bot.on_start(match_of(record, seat))
    except Exception as error:
        raise CommandFailed(f"the bot cannot be made: {type(error).__name__}: {error}") from error
    return bot


def _recorded_text(recorded: RecordedTurn) -> str:
    return action_text(recorded.answer, recorded.turn.match.rules)
