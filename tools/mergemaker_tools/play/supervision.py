"""Watches one game while it is played: who has joined, who fails, and what people should know of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mergemaker_client.reporting import FAILURE_NOTE
from mergemaker_engine.record.lines import AnsweredBy
from mergemaker_processes.bot_names import HumanPlayer
from mergemaker_processes.logs import log_lines
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_table.inputs import Resign
from mergemaker_table.outputs import DefaultTaken, Output, Refused, WriteLine

from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.failure_watch import FailureWatch, first_failure
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.reports import GameReport, Noticed, report_of
from mergemaker_tools.play.seating import SeatedBots
from mergemaker_tools.problems import CommandFailed

_FAILURE_MARK: Final = f'"note":"{FAILURE_NOTE}'.encode()
"""How a failure's note begins in a record's line."""


FAILED_UNASKED: Final = "it failed where nothing was asked"


class StrictStop(CommandFailed):
    """A fault has ended strict games. The bot may still be writing why."""

    def __init__(self, text: str, log: Path | None) -> None:
        super().__init__(text)
        self._log: Final = log

    def with_report(self) -> CommandFailed:
        """The same with the bot's own report, once it has ended, and with its logs."""
        if self._log is None:
            return self
        return CommandFailed("\n".join([str(self), *log_lines(self._log), *first_failure(self._log)]))


def strict_stop(plan: MatchPlan, seat: int, what: str, log: Path | None) -> StrictStop:
    """The error that ends strict games at a fault."""
    return StrictStop(f"seat {seat} ({plan.names[seat]}), {what}", log)


class Supervision:
    """Looks after the bots of one game."""

    def __init__(
        self,
        plan: MatchPlan,
        match: HostedMatch,
        audience: Audience,
        seating: SeatedBots,
        break_off: Callable[[Exception], None],
    ) -> None:
        self._plan: Final = plan
        self._match: Final = match
        self._audience: Final = audience
        self._seating: Final = seating
        self._break_off: Final = break_off
        self._joined: Final = [False] * plan.seats
        self.refusals: Final = [0] * plan.seats
        """By seat: how many answers were refused."""
        self.failures: Final = [0] * plan.seats
        """By seat: how often its bot failed, and its library answered the default."""
        self.saw_fault = False
        self._watch: Final = FailureWatch()

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:
        """Handles what happened in the game."""
        for seat, connected in enumerate(match.table.connected):
            self._joined[seat] = self._joined[seat] or connected
        for output in outputs:
            if type(output) is Refused and output.refusals_left is not None:
                self.refusals[output.seat] += 1
                refusal = output.refusal
                rule = f" [{refusal.rule}]" if refusal.rule else ""
                self._fault(output.seat, f"its answer was refused ({refusal.reason}): {refusal.text}{rule}")
            elif type(output) is DefaultTaken and output.cause != AnsweredBy.RESIGNED:
                self._fault(output.seat, f"{output.cause}: {output.text}")
            elif type(output) is WriteLine and _FAILURE_MARK in output.line:
                self._failure(json.loads(output.line))
        if self._plan.strict:
            self._look_for_untold_failures(match.table.asked_seat)
        try:
            self._audience.hear(match, outputs)
        except (OSError, CommandFailed) as problem:
            # A closed pipe or a full disk for our own output ends the command: it is no fault of the referee.
            self._break_off(problem)

    def _fault(self, seat: int, what: str) -> None:
        self.saw_fault = True
        if self._plan.strict:
            self._break_off(strict_stop(self._plan, seat, what, self.logs[seat]))

    def _failure(self, line: Mapping[str, Any]) -> None:
        """Notes an answer that a library gave for a bot that raised an error; the referee takes it for a good one."""
        if line["kind"] == "decision" and line["by"] == AnsweredBy.BOT:
            seat = line["seat"]
            self.failures[seat] += 1
            self._fault(seat, f"it failed at decision {line['n']} ({line['asked']}): {line['run']['note']}")

    def _look_for_untold_failures(self, asked: int | None) -> None:
        """Looks for failures outside questions. The asked bot may have failed at its question: its answer will show that."""
        for seat, log in enumerate(self.logs):
            if log is not None and seat != asked and not self.failures[seat] and self._watch.has_failed(log):
                self._fault(seat, FAILED_UNASKED)

    @property
    def logs(self) -> list[Path | None]:
        """By seat: where its bot's standard error goes; a person has none."""
        return [
            None if player is None or isinstance(spec, HumanPlayer) else player.log
            for spec, player in zip(self._plan.specs, self._seating.players, strict=True)
        ]

    def report(self, number: int, seed: bytes, record: Path | None) -> GameReport:
        """The report of the game, which has ended."""
        noticed = Noticed(refusals=tuple(self.refusals), failures=tuple(self.failures), logs=tuple(self.logs))
        return report_of(self._match.table, number, seed, noticed, record)

    async def watch_seat(self, seat: int) -> None:
        """Waits for the end of a seat's bot, which should come after that of the game."""
        failure = await self._end_of(seat)
        while not self._match.is_over and not self._joined[seat] and self._seating.may_start_again(seat):
            # It was still leaving after the game before.
            await self._seating.fill(self._match)
            failure = await self._end_of(seat)
        if self._match.is_over:
            return
        self.saw_fault = True
        if not self._joined[seat] or self._plan.strict:
            self._break_off(failure)
            return
        self._audience.note(f"seat {seat}: {failure}")
        if self._match.is_without_clock or self._plan.in_block is not None:
            # Without a clock, the match would wait for its answer forever. Many matches should not wait for a bot that is gone.
            self._match.post(Resign(seat))

    async def _end_of(self, seat: int) -> Exception:
        player = self._seating.players[seat]
        assert player is not None, "all seats are filled before they are watched"
        return await player.failed()
