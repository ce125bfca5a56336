"""One match of a block with the bots that play it, from their start to their end.

The bots may be started before it is their turn. They connect, and wait for a match that is not made yet: so they know nothing of
it, and no time of theirs runs.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final, TypeAlias

import trio
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_processes.logs import last_lines
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.serving import Running
from mergemaker_table.outputs import Output, Started

from mergemaker_tools.contests.playing.blocks import Appointment, MatchPlayed
from mergemaker_tools.contests.playing.outcomes import Noticed, match_played
from mergemaker_tools.play.audience import Audience
from mergemaker_tools.play.games import Games, let_go
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.players import Player
from mergemaker_tools.play.reports import GameReport
from mergemaker_tools.play.seating import SeatedBots, Seating
from mergemaker_tools.problems import Interrupted

Tokens: TypeAlias = Mapping[str, str]
"""By the names by which the referee knows bots."""


class Sitting:
    """A match that will be played when it is its turn."""

    def __init__(self, appointment: Appointment, plan: MatchPlan, tokens: Tokens, kept: "KeptBots | None") -> None:
        """With `kept`, its bots are those that stay from match to match; otherwise all are its own."""
        self.on_begin: Callable[[], None] = lambda: None
        """Called when all bots are there and the deal is made."""
        self._appointment: Final = appointment
        self._plan: Final = plan
        self._tokens: Final = tokens
        self._kept: Final = kept
        self._audience: Final = _Quiet(self._has_begun)
        self._games: Final = Games(plan, self._audience)
        self._turn: Final = trio.Event()
        self._cancelled: Final = trio.CancelScope()
        self._bots: SeatedBots | None = None

    def its_turn(self) -> None:
        """The match may be made. Call this in the referee's thread, like all that follows."""
        self._turn.set()

    def break_off(self) -> None:
        """Voids the match if it is being played, and ends its bots."""
        if self._turn.is_set():
            self._games.break_off(Interrupted("interrupted"))
        else:
            self._cancelled.cancel()

    def hurry(self) -> None:
        """Kills its bots, without waiting."""
        if self._bots is not None:
            self._bots.hurry()

    async def run(self, running: Running) -> MatchPlayed:
        """Starts the bots that do not run, waits for its turn, and plays the match."""
        with self._cancelled:
            async with self._seated(running) as bots:
                self._bots = bots
                await self._turn.wait()
                self._audience.its_turn()
                report = await self._games.play_at(running, bots)
                noticed = [_noticed(report, seat, self._audience.said) for seat in range(self._plan.seats)]
                self._let_go()
                return match_played(self._appointment, report.ended, report.turns, noticed, self._audience.startup_ms)
        raise Interrupted("interrupted")

    @asynccontextmanager
    async def _seated(self, running: Running) -> AsyncIterator[SeatedBots]:
        if self._kept is not None:
            yield await self._kept.seated(running, self._plan, self._audience.note)
            return
        assert self._plan.in_block is not None, "the match is of a block"
        assert self._plan.logs is not None, "its bots' logs have a folder"
        tokens = [self._tokens[name] for name in self._plan.in_block.known]
        async with Seating(self._plan, running.addresses[0], tokens, self._plan.logs, self._audience.note) as seating:
            await seating.fill_ahead(self._appointment.match)
            yield seating

    def _let_go(self) -> None:
        """Tells bots that are this match's own that there is no other one."""
        assert self._audience.match is not None, "it was played"
        if self._kept is None:
            let_go(self._audience.match)

    def _has_begun(self) -> None:
        self.on_begin()


class KeptBots:
    """Bots that stay from match to match, if all belong to one author: each copy of a bot has a place of its own."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens: Final = tokens
        self._places: Final[dict[str, Seating]] = {}
        """By the names by which the referee knows them."""
        self._filling: Final = trio.Lock()

    async def seated(self, running: Running, plan: MatchPlan, note: Callable[[str], None]) -> SeatedBots:
        """The bots of a match; those that do not run are started."""
        in_block = plan.in_block
        assert in_block is not None, "the match is of a block"
        assert plan.logs is not None, "the logs have a folder"
        async with self._filling, trio.open_nursery() as nursery:
            for seat, known in enumerate(in_block.known):
                if known not in self._places:
                    of_one, tokens = _of_one_seat(plan, seat, known), [self._tokens[known]]
                    self._places[known] = Seating(of_one, running.addresses[0], tokens, plan.logs, note)
                nursery.start_soon(self._places[known].fill_ahead, in_block.match)
        return _AtPlaces([self._places[known] for known in in_block.known])

    async def run(self, _: Running) -> None:
        """Ends all of them when it is cancelled."""
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as nursery:
                    for place in self._places.values():
                        place.ask_to_leave()
                        nursery.start_soon(place.__aexit__, None, None, None)


def _of_one_seat(plan: MatchPlan, seat: int, known: str) -> MatchPlan:
    """What one bot of a match is started by."""
    confining = plan.confining
    return replace(
        plan,
        words=(plan.words[seat],),
        own_names=(plan.names[seat],),
        specs=(plan.specs[seat],),
        confining=None if confining is None else replace(confining, sights=(confining.sights[seat],)),
        scratch=None if plan.scratch is None else plan.scratch / known.replace(" ", "-"),
    )


class _AtPlaces:
    """The bots of one match among those that stay."""

    def __init__(self, places: Sequence[Seating]) -> None:
        self._places: Final = places

    @property
    def players(self) -> Sequence[Player | None]:
        """By seat."""
        return [place.players[0] for place in self._places]

    async def fill(self, match: HostedMatch) -> None:
        """Starts all bots that do not run."""
        for place in self._places:
            await place.fill(match)

    def may_start_again(self, seat: int) -> bool:
        """Whether the bot has played and ended normally."""
        return self._places[seat].may_start_again(0)

    def new_troubles(self) -> tuple[tuple[Trouble, ...], ...]:
        """By seat: what was reported of confined bots since the last call."""
        return tuple(place.new_troubles()[0] for place in self._places)

    def game_over(self) -> None:
        """All bots here have played a game."""
        for place in self._places:
            place.game_over()

    async def person_told(self) -> None:
        """No person plays in a contest."""

    def hurry(self) -> None:
        """Kills all bots that are processes, without waiting."""
        for place in self._places:
            place.hurry()


class _Quiet(Audience):
    """Keeps what there is to say, and shows nothing."""

    def __init__(self, begun: Callable[[], None]) -> None:
        self.said: Final[list[str]] = []
        self.startup_ms = 0
        self.match: HostedMatch | None = None
        self._begun: Final = begun
        self._turn_s = 0.0

    def its_turn(self) -> None:
        """From now on, the match waits for its bots."""
        self._turn_s = trio.current_time()

    def begin(self, match: HostedMatch) -> None:
        """The match is made."""
        self.match = match

    def hear(self, match: HostedMatch, outputs: Sequence[Output]) -> None:  # noqa: ARG002 - the base class's
        """When the deal is made, all have come."""
        if not self.startup_ms and any(isinstance(output, Started) for output in outputs):
            self.startup_ms = max(1, round((trio.current_time() - self._turn_s) * 1_000))
            self._begun()

    def note(self, text: str) -> None:
        """Keeps it."""
        self.said.append(text)


def _noticed(report: GameReport, seat: int, said: Sequence[str]) -> Noticed:
    about = [text.removeprefix(f"seat {seat}: ") for text in said if text.startswith(f"seat {seat}")]
    log = report.logs[seat]
    lines = [] if log is None else last_lines(log)
    return Noticed(refused=report.refusals[seat], failed=report.failures[seat], complaint="\n".join([*about, *lines]))
