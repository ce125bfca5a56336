"""Starts the bots of one table, and ends all of them with the table."""

import base64
import hashlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

import trio
from mergemaker_client.bot import Bot
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, CommandBot, HumanPlayer, ModuleBot, RemoteBot, ScriptBot
from mergemaker_processes.confinement.confining import Confining
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_processes.environment import Address, bot_environment
from mergemaker_processes.launching import LEAVE_LIMIT_S, BotProcess, Launch, launched
from mergemaker_processes.logs import LogFiles, new_log_files
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.tokens import TokenKind, fresh_token
from mergemaker_table.inputs import Resign

from mergemaker_tools.play.modules import factory_in
from mergemaker_tools.play.plan import MatchPlan
from mergemaker_tools.play.players import WAITING_THREADS_MAX, Player, ProcessPlayer, RemotePlayer, ThreadPlayer

BOT_NAME_CHARACTERS_MAX: Final = 64
"""The longest name of a bot that the referee accepts."""
_DERIVATION: Final = "mergemaker match seat token"


def known_name(table: int, seat: int) -> str:
    """The name of a seat's bot in the referee's configuration, for more than one game."""
    return f"table {table} seat {seat}"


def tokens_of(plan: MatchPlan, table: int) -> tuple[str, ...]:
    """By seat: derived from the plan's token, so that they are the same each time, or fresh."""
    kind = TokenKind.SEAT if plan.games == 1 else TokenKind.BOT
    if plan.token is None:
        return tuple(fresh_token(kind) for _ in plan.words)
    return tuple(_derived(kind, f"{_DERIVATION}\0{plan.token}\0{table}\0{seat}") for seat in range(plan.seats))


def _derived(kind: TokenKind, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return kind + base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def command_of(spec: BotSpec) -> tuple[str, ...]:
    """The command that starts a bot as a process."""
    match spec:
        case BuiltInBot():
            # -P: a random.py in the current folder must not replace Python's.
            return sys.executable, "-P", "-m", "mergemaker_tools", "bot", spec.word
        case ScriptBot() | CommandBot():
            return spec.arguments
        case _:
            raise AssertionError(f"a {type(spec).__name__} is no process")


def launch_at(
    address: Address, name: str, command: tuple[str, ...], logs: LogFiles, confining: Confining | None, seat: int
) -> Launch:
    """The launch of a bot's process, confined or not, which finds its seat at this address."""
    environment = bot_environment(os.environ, address)
    if confining is None:
        return Launch(name, command, environment, logs)
    unseen = [("the folder of the logs", logs.err.parent)]
    confinement, environment = confining.launch_for(seat, address.server, environment, unseen)
    return Launch(name, command, environment, logs, confinement=confinement)


def with_scratch(launch: Launch, folder: Path) -> Launch:
    """The launch of a bot that has this folder for temporary files."""
    folder.mkdir(parents=True, exist_ok=True)
    own = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(folder))
    return replace(launch, environment={**launch.environment, **own})


class SeatedBots(Protocol):
    """The bots of one match."""

    @property
    def players(self) -> Sequence[Player | None]:
        """By seat; None before its start."""

    async def fill(self, match: HostedMatch) -> None:
        """Starts all bots that do not run."""

    def may_start_again(self, seat: int) -> bool:
        """Whether the bot has played and ended normally, so that it is restarted."""

    def new_troubles(self) -> tuple[tuple[Trouble, ...], ...]:
        """By seat: what was reported of confined bots since the last call."""

    def game_over(self) -> None:
        """All bots here have played a game."""

    async def person_told(self) -> None:
        """Waits until a person at the terminal has read how the match ended."""

    def hurry(self) -> None:
        """Kills all bots that are processes, without waiting."""


class Seating:
    """The bots of one table. Those that have ended are started again for the next game."""

    def __init__(
        self,
        plan: MatchPlan,
        server: str,
        tokens: Sequence[str],
        logs: Path,
        note: Callable[[str], None],
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._plan: Final = plan
        self._variables: Final = variables or {}
        """More variables for bots that are processes, unless they are confined."""
        self._server: Final = server
        self._tokens: Final = tokens
        self._logs: Final = logs
        self._note: Final = note
        self._limiter: Final = trio.CapacityLimiter(WAITING_THREADS_MAX)
        self._stack: Final = AsyncExitStack()
        self.players: Final[list[Player | None]] = [None] * plan.seats
        """By seat; None before the first game."""
        self._games: Final = [0] * plan.seats
        """By seat: how many games its present bot has played."""
        self._filling: Final = trio.Lock()
        self._left_troubles: Final[list[list[Trouble]]] = [[] for _ in range(plan.seats)]
        """By seat: what was reported of earlier bots, and not yet shown."""
        self._told: Final = [0] * plan.seats
        """By seat: how many troubles of its present bot have been shown."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        in_threads = [player for player in self.players if isinstance(player, ThreadPlayer)]
        try:
            with trio.move_on_after(LEAVE_LIMIT_S):
                for player in in_threads if error is None else ():
                    await player.leave()
        finally:
            # Not awaited: a bot may think for long, and a person may never answer.
            for player in in_threads:
                player.dismiss()
        return await self._stack.__aexit__(kind, error, trace)

    async def person_told(self) -> None:
        """Waits until a person at the terminal has read how the match ended, but not for one who still types."""
        with trio.move_on_after(LEAVE_LIMIT_S):
            for spec, player in zip(self._plan.specs, self.players, strict=True):
                if isinstance(spec, HumanPlayer) and isinstance(player, ThreadPlayer):
                    await player.leave()

    def hurry(self) -> None:
        """Kills all bots that are processes, without waiting."""
        for player in self.players:
            if isinstance(player, ProcessPlayer):
                player.hurry()

    def ask_to_leave(self) -> None:
        """Asks all bots that are processes to end, without waiting: no match comes any more."""
        for player in self.players:
            if isinstance(player, ProcessPlayer):
                player.ask_to_leave()

    def game_over(self) -> None:
        """All bots here have played a game."""
        for seat in range(self._plan.seats):
            self._games[seat] += 1

    def may_start_again(self, seat: int) -> bool:
        """Whether the bot has played and ended normally, as after a single match: it is restarted for the next game."""
        player = self.players[seat]
        return player is not None and player.has_ended_well and self._games[seat] > 0

    def new_troubles(self) -> tuple[tuple[Trouble, ...], ...]:
        """By seat: what was reported of confined bots since the last call."""
        found = []
        for seat in range(self._plan.seats):
            self._leave_troubles(seat)
            found.append(tuple(self._left_troubles[seat]))
            self._left_troubles[seat].clear()
        return tuple(found)

    def _leave_troubles(self, seat: int) -> None:
        player = self.players[seat]
        if player is not None:
            troubles = player.troubles
            self._left_troubles[seat] += troubles[self._told[seat] :]
            self._told[seat] = len(troubles)

    async def fill(self, match: HostedMatch) -> None:
        """Starts all bots that do not run, at the same time."""
        async with self._filling:
            await self._fill(match.id, match)

    async def fill_ahead(self, match_id: str) -> None:
        """Starts all bots that do not run, for a match that will be made later."""
        async with self._filling:
            await self._fill(match_id, None)

    async def _fill(self, match_id: str, match: HostedMatch | None) -> None:
        launches: dict[int, Launch] = {}
        for seat, spec in enumerate(self._plan.specs):
            player = self.players[seat]
            if player is not None and not player.has_ended:
                continue
            self._games[seat] = 0
            self._leave_troubles(seat)
            self._told[seat] = 0
            address = self._address(seat)
            if isinstance(spec, RemoteBot):
                self._ask_for(seat, address)
                self.players[seat] = RemotePlayer()
            elif isinstance(spec, ModuleBot | HumanPlayer):
                log = new_log_files(self._logs, match_id, seat, address.bot).err
                factory = factory_in(spec) if isinstance(spec, ModuleBot) else _person_at(match, seat, hints=self._plan.hints)
                self.players[seat] = ThreadPlayer(address.bot, factory, address, log)
            else:
                logs = new_log_files(self._logs, match_id, seat, address.bot)
                launches[seat] = self._launch(seat, address, command_of(spec), logs)
        if launches:
            started = await self._stack.enter_async_context(launched_aside(list(launches.values())))
            for seat, process in zip(launches, started, strict=True):
                self.players[seat] = ProcessPlayer(process, self._limiter)

    def _launch(self, seat: int, address: Address, command: tuple[str, ...], logs: LogFiles) -> Launch:
        launch = launch_at(address, address.bot, command, logs, self._plan.confining, seat)
        if self._plan.confining is not None:  # a confined bot reaches nothing but the referee, and has a folder of its own
            return launch
        launch = replace(launch, environment={**launch.environment, **self._variables})
        if self._plan.scratch is None:
            return launch
        return with_scratch(launch, self._plan.scratch / f"seat{seat}")

    def _address(self, seat: int) -> Address:
        return Address(self._server, self._tokens[seat], self._plan.names[seat][:BOT_NAME_CHARACTERS_MAX])

    def _ask_for(self, seat: int, address: Address) -> None:
        """Prints the variables for a person who starts a bot."""
        settings = "\n".join(f"  {name}={value}" for name, value in address.variables().items() if not name.endswith("BOT"))
        self._note(f"seat {seat} waits for a bot that you start, with these in its environment:\n{settings}")


def _person_at(match: HostedMatch | None, seat: int, *, hints: bool) -> Callable[[], Bot]:
    """Makes the player of a person, who may resign."""
    assert match is not None, "nobody waits for a match that is not made"
    from mergemaker_tools.play.human import HumanBot, TypedLines  # noqa: PLC0415 - most matches are played by bots alone

    token = trio.lowlevel.current_trio_token()
    return lambda: HumanBot(TypedLines(), lambda: token.run_sync_soon(match.post, Resign(seat)), hints=hints)


@asynccontextmanager
async def launched_aside(launches: Sequence[Launch]) -> AsyncIterator[tuple[BotProcess, ...]]:
    """`launched`, whose waiting is done in a thread."""
    manager = launched(launches)
    processes = await trio.to_thread.run_sync(manager.__enter__)
    try:
        yield processes
    except BaseException as error:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(partial(manager.__exit__, type(error), error, error.__traceback__))
        raise
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(partial(manager.__exit__, None, None, None))
