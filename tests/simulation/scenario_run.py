"""One scenario, from its seed to its end. The checks judge the result."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog
from mergemaker.v1 import matches_pb2, spectate_pb2
from mergemaker_referee.connections import Closing

from .bots import Manner
from .characters import WildBot, any_answer
from .check_signatures import signatures_on
from .inquiries import Inquiries
from .lives import PUBLIC_LOG, Machine
from .notebook import SECRETS, SUFFIX, Notebook, last_kind
from .office import OPERATOR, Made, Office, bot_token
from .scenarios import TROUBLED_NS, MatchPlan, Scenario, SeatPlan, scenario_of
from .troubles import Fate
from .ways import NO_WAY
from .world import MS, S, World

END_WITHIN_NS: Final = 14_400 * S
"""Everything ends within this virtual time after the last trouble: matches may wait for others on the slowest clock."""
LOOK_NS: Final = S // 4
RESTART_NS: Final = 5 * S
"""A referee that could not start tries again after this time."""
RETRY_NS: Final = 500 * MS
HEARD_NS: Final = 100 * MS
"""Longer than any way: news of the end has arrived by then."""
BACK_WITHIN_NS: Final = 60 * S
"""Longer than anybody waits before a new try."""
LEFT_NS: Final = 200 * S
"""A referee remembers bots and matches that are gone for somewhat less than this."""


@dataclass(slots=True)
class Player:
    """A player: a seat's own bot, or a known one."""

    plan: SeatPlan
    bot: WildBot


@dataclass(slots=True)
class PlayedMatch:
    """A match that was made, as the operator knows it."""

    plan: MatchPlan
    match: str
    players: dict[int, Player] = field(default_factory=dict)
    """By seat: those whose bot is not a known one."""


class _Spectator:
    def came(self, response: bytes) -> None:
        """Does nothing: the notebook keeps it."""

    def ended(self, code: str, text: str) -> None:
        """Does nothing: spectators do not reconnect."""


class ScenarioRun:
    """Runs a scenario, and keeps the results."""

    def __init__(self, scenario: Scenario, *, keeps_trace: bool = False) -> None:
        self.scenario: Final = scenario
        self.world: Final = World(f"scenario/{scenario.seed}", keeps_trace=keeps_trace)
        self.notebook: Final = Notebook()
        self.fate: Final = Fate(self.world, scenario.troubles, self.notebook)
        self.machine: Final = Machine(self.world, scenario.settings, self.fate, self.fate)
        self.office: Final = Office(self.machine)
        self.inquiries: Final = Inquiries(self.world, self.office, self.notebook)
        self.matches: Final[list[PlayedMatch]] = []
        self.known: Final[dict[str, Player]] = {}
        self.mended_ns = 0
        self.ended_ns: int | None = None
        """When all matches had ended; None if they did not."""
        self.unfinished: list[str] = []
        self.left: list[str] = []
        """What the referee still remembered after the end."""
        self.lives = 0
        """How many referees there were to the end."""
        self.signed_at_once: frozenset[str] = frozenset()
        """The matches whose signatures these had written."""
        self.logged: Final[list[str]] = []
        """Errors in the referee's log."""

    def run(self) -> "ScenarioRun":
        """Runs it."""
        self.notebook.follow(self.machine)
        self.notebook.fate = self.fate
        self.machine.on_start = self.fate.life_begins
        with _logging_to(self.logged):
            self.world.run(self._main)
        return self

    async def _main(self) -> None:
        world = self.world
        self.fate.rule(self.machine)
        self.machine.start()
        for name, plan in self.scenario.known.items():
            self._start_bot(plan, name, bot_token(name), matches=None, at_once=self.scenario.known_at_once)
        for match in self.scenario.matches:
            world.after(match.made_at_ns + MS, self._make, match)
        await self._live_through_troubles()
        self._mend()
        until = world.now_ns + END_WITHIN_NS
        while world.now_ns < until:
            await world.sleep(S)
            self.unfinished = self._not_over()
            if not self.unfinished:
                self.ended_ns = world.now_ns
                await self._have_the_end_heard()
                break
        await self._see_what_is_left()
        await self._start_once_more()
        world.note("over", self.ended_ns)

    async def _have_the_end_heard(self) -> None:
        """Bots that stay to the end return for it, if they are away just now."""
        await self.world.sleep(HEARD_NS)
        until = self.world.now_ns + BACK_WITHIN_NS
        while self.world.now_ns < until and any(
            player.plan.habits.stays and not (player.bot.twin or player.bot).is_over
            for played in self.matches
            for player in played.players.values()
        ):
            await self.world.sleep(S)

    async def _live_through_troubles(self) -> None:
        world, down_since = self.world, None
        # If nothing can go wrong any more, there is nothing to wait for.
        least = 6 * S if self.scenario.troubles.are_none else TROUBLED_NS
        while world.now_ns < least:
            await world.sleep(LOOK_NS)
            self.inquiries.look()
            if self.machine.is_up:
                down_since = None
            elif down_since is None:
                down_since = world.now_ns
            elif world.now_ns - down_since > RESTART_NS:
                self.machine.start()

    def _mend(self) -> None:
        world = self.world
        self.fate.mend()
        self.mended_ns = world.now_ns
        world.note("mended")
        if self.machine.life.leftovers is not None and self.machine.life.leftovers.damaged:
            self.machine.kill()  # a file that was unreadable at one start is readable at another
        self.machine.start()
        # If the referee was killed before it reported a new match, the operator does not know it, and cancels it.
        world.after(S, self.office.listed, self._cancel_unknown)

    def _cancel_unknown(self, listed: list[matches_pb2.MatchSummary]) -> None:
        known = {each.match for each in self.matches}
        for summary in listed:
            if summary.match not in known:
                self.office.cancel(summary.match, "nobody knows it")

    # --- matches and bots ---

    def _make(self, plan: MatchPlan) -> None:
        def refused(_: Closing) -> None:
            if self.world.now_ns < TROUBLED_NS:
                self.world.after(RETRY_NS, self._make, plan)

        self.office.create(plan.wanted, lambda made: self._made(plan, made), refused)

    def _made(self, plan: MatchPlan, made: Made) -> None:
        played = PlayedMatch(plan, made.match)
        self.matches.append(played)
        self.world.note("made", made.match)
        for seat, (known, token) in enumerate(zip(plan.wanted.seats, made.tokens, strict=True)):
            if known is None:
                name = f"{len(self.matches)}.{seat}"
                played.players[seat] = self._start_bot(plan.seats[seat], name, token, matches=1, at_once=1)
        if plan.cancelled_at_ns is not None:
            self.world.after(plan.cancelled_at_ns, self._cancel, played)
        if plan.cancelled_after is not None:
            self.notebook.when_told(made.match, plan.cancelled_after, lambda: self.world.after(0, self._cancel, played))
        for look_on in plan.spectators:
            self.world.after(look_on.after_ns, self._look_on, played.match, look_on.delay_ms, look_on.freezes_ns)

    def _start_bot(self, plan: SeatPlan, name: str, token: str, *, matches: int | None, at_once: int) -> Player:
        manner = Manner(
            choose=any_answer,
            events=plan.events,
            way=plan.way,
            matches=matches,
            matches_at_once=at_once,
            evict=bool(plan.habits.dies or plan.habits.is_displaced),
        )
        player = Player(plan, WildBot(self.world, self.machine.network, name, token, manner, plan.habits))
        if matches is None:
            self.known[name] = player
        if plan.habits.comes_after_ns is not None:
            self.world.after(plan.habits.comes_after_ns, player.bot.connect)
        return player

    def _cancel(self, played: PlayedMatch) -> None:
        self.office.cancel(played.match, "enough")
        if self.ended_ns is None:
            # A referee that was down did not get the request.
            self.world.after(10 * S, self._cancel, played)

    def _look_on(self, match: str, delay_ms: int, freezes_ns: int) -> None:
        request = spectate_pb2.WatchRequest(match=match, delay_ms=delay_ms)
        stream = self.machine.network.watch(OPERATOR, request.SerializeToString(), _Spectator(), NO_WAY)
        self.notebook.watched[stream.number] = match
        if freezes_ns:
            stream.freeze(freezes_ns)

    @property
    def has_hidden(self) -> bool:
        """Whether a file was unreadable at a referee's start: its match waited for another start."""
        return any(life.leftovers is not None and life.leftovers.damaged for life in self.machine.lives)

    # --- the end ---

    def records(self) -> list[Path]:
        """All existing records."""
        found = (path for path in self.machine.disk.files if path.name.endswith(SUFFIX) and path != PUBLIC_LOG)
        return sorted(found)  # type: ignore[arg-type]  # all are of this kind

    def _not_over(self) -> list[str]:
        """The matches whose records have no end, except those that were given up with the disk."""
        found = []
        for path in self.records():
            data = self.machine.disk.written(path)
            has_secrets = path.with_name(path.name + SECRETS) in self.machine.disk.files
            if has_secrets and last_kind(data) != "end":
                found.append(path.name)
        return found

    async def _see_what_is_left(self) -> None:
        """All bots leave; after a while the referee has forgotten them and all matches."""
        for bot in self.bots():
            bot.still_waits = not bot.is_dead and not bot.is_over
            if bot.stream is not None:
                bot.stream.drop()
            bot.is_dead = bot.is_over = True
        await self.world.sleep(LEFT_NS)
        referee = self.machine.life.referee
        if self.ended_ns is None or referee is None or not self.machine.is_up:
            return
        left = {
            "sessions": referee.sessions,
            "spectators": referee.spectators,
            "matches": len(referee._seating.matches),
            "tasks": 0 if referee._nursery is None else len(referee._nursery.child_tasks) - 1,  # one writes the public log
            "tokens": len(referee._book) - 1 - len(self.scenario.known),
            "streams": len(self.machine.network.transport.streams) if self.machine.network.transport else 0,
            "secrets": sum(path.name.endswith(SECRETS) for path in self.machine.disk.files),
        }
        self.left = [f"{count} {what}" for what, count in left.items() if count]

    async def _start_once_more(self) -> None:
        """Stops the referee in order and starts another, which does what was left to do, such as signing."""
        self.lives = len(self.machine.lives)
        self.signed_at_once = frozenset(signatures_on(self.machine.disk))
        if self.ended_ns is not None:
            self.machine.stop()
            await self.world.sleep(S)
            self.machine.start()
            await self.world.sleep(S)

    def bots(self) -> list[WildBot]:
        """All bots, and their replacements."""
        players = [*self.known.values(), *(player for match in self.matches for player in match.players.values())]
        bots = [player.bot for player in players]
        return [*bots, *(bot.twin for bot in bots if bot.twin is not None)]


@contextmanager
def _logging_to(errors: list[str]) -> Iterator[None]:
    """Keeps the errors of the referee's log, and nothing else of it."""

    def keep(_: object, method: str, event: MutableMapping[str, Any]) -> Any:
        if method in ("error", "critical", "exception"):
            errors.append(" ".join(str(each) for each in event.values()))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[structlog.processors.format_exc_info, keep], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)


def run_seed(seed: int | str, *, keeps_trace: bool = False) -> ScenarioRun:
    """Runs the scenario of a seed."""
    return ScenarioRun(scenario_of(seed), keeps_trace=keeps_trace).run()
