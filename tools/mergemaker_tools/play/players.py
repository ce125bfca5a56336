"""The players: a bot in a process, one in a thread of this process, or one that a person starts."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import trio
from mergemaker_client.environment import Environment, Target
from mergemaker_client.errors import BotError
from mergemaker_client.problems import ClientError
from mergemaker_processes.confinement.troubles import Trouble
from mergemaker_processes.endings import Exited
from mergemaker_processes.environment import Address
from mergemaker_processes.launching import BotProcess, LaunchProblem

LOOK_S: Final = 60.0
"""How long a thread waits at a time for a bot's end; an abandoned thread ends after that."""
WAITING_THREADS_MAX: Final = 1_000
GIVE_UP_MS: Final = 5_000
"""A referee in the same process does not come back."""


class Player(Protocol):
    """A seat's bot after its start."""

    @property
    def log(self) -> Path | None:
        """The log with its problems."""

    @property
    def has_ended(self) -> bool:
        """Whether it has stopped playing."""

    @property
    def has_ended_well(self) -> bool:
        """Whether it ended by itself, and had no complaints."""

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """For a confined bot: the limits that it has reached, and what it looked for, so far."""

    async def failed(self) -> Exception:
        """Waits without a limit until it cannot play any more; returns why."""


class ProcessPlayer:
    """A bot in a process."""

    def __init__(self, process: BotProcess, limiter: trio.CapacityLimiter) -> None:
        self._process: Final = process
        self._limiter: Final = limiter

    @property
    def log(self) -> Path | None:
        """Its standard error."""
        return self._process.launch.logs.err

    @property
    def process_id(self) -> int | None:
        """The number of its first process, for a debugger."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether its first process is over."""
        return self._process.poll() is not None

    @property
    def has_ended_well(self) -> bool:
        """Whether its first process ended with status 0."""
        return self._process.poll() == Exited(0)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """What its supervisor has told."""
        return self._process.troubles

    def ask_to_leave(self) -> None:
        """Asks it to end, as a system does before it kills."""
        self._process.ask_to_stop()

    def hurry(self) -> None:
        """Kills it, so that waiting for its end does not take long."""
        self._process.ask_to_stop(0)

    async def failed(self) -> Exception:
        """Waits until no process plays."""
        while True:
            process = self._process
            # A first process that ended well may have left others that play.
            wait = process.wait_gone if process.poll() == Exited(0) else process.wait
            await self._in_thread(partial(wait, LOOK_S))
            if process.poll() is None or (process.poll() == Exited(0) and not process.is_gone):
                continue
            failure = await self._in_thread(process.failure)
            if isinstance(failure, LaunchProblem):
                return failure

    async def _in_thread(self, call: Callable[[], object]) -> object:
        return await trio.to_thread.run_sync(call, abandon_on_cancel=True, limiter=self._limiter)


class ThreadPlayer:
    """A bot in this process. An error ends its thread, and nothing else."""

    troubles: tuple[Trouble, ...] = ()
    """Nobody confines it."""

    def __init__(self, name: str, factory: Any, address: Address, log: Path) -> None:  # noqa: ANN401 - any kind of bot
        self.log: Final = log
        self._name: Final = name
        self._factory = factory
        self._environment = Environment(Target.parse(address.server), address.token, address.bot)
        self._problem: Exception | None = None
        self._token: Final = trio.lowlevel.current_trio_token()
        self._over: Final = trio.Event()
        self._leaving: Final = threading.Event()
        # A daemon thread does not keep the process from ending.
        threading.Thread(target=self._run, name=f"bot {name}", daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether its thread has ended, as far as this thread knows."""
        return self._over.is_set()

    @property
    def has_ended_well(self) -> bool:
        """Whether its thread came to its end."""
        return self._over.is_set() and self._problem is None

    async def failed(self) -> Exception:
        """Waits until the thread is over."""
        await self._over.wait()
        return self._problem or LaunchProblem("bot-ended", f"the bot {self._name} ended too early", self._name)

    async def leave(self) -> None:
        """Waits for its end."""
        await self._over.wait()

    def dismiss(self) -> None:
        """Makes it end with its stream, or now if that is broken: the referee is about to end for good."""
        self._leaving.set()

    def _run(self) -> None:
        # Slow to import, and most matches have no such bot.
        from mergemaker_client.reconnecting import Patience  # noqa: PLC0415 - as said
        from mergemaker_client.running import play  # noqa: PLC0415 - as said

        try:
            with self.log.open("a", encoding="utf-8") as log:

                def report(text: str) -> None:
                    log.write(f"{text}\n")
                    log.flush()

                patience = Patience(give_up_ms=GIVE_UP_MS)
                play(self._factory, self._environment, report=report, patience=patience, leaving=self._leaving)
        except (ClientError, BotError) as problem:
            self._problem = LaunchProblem("bot-ended", f"the bot {self._name} ended too early: {problem}", self._name)
        except BaseException as problem:  # noqa: BLE001 - any error of a bot is reported, and ends nothing else
            why = f"{type(problem).__name__}: {problem}"
            self._problem = LaunchProblem("bot-ended", f"the bot {self._name} failed: {why}", self._name)
        finally:
            try:
                self._token.run_sync_soon(self._over.set)
            except trio.RunFinishedError:  # nothing waits any more
                return


class RemotePlayer:
    """A bot that a person starts: whether it still runs is unknown here."""

    log: Final = None
    has_ended: Final = False
    has_ended_well: Final = False
    troubles: tuple[Trouble, ...] = ()

    async def failed(self) -> Exception:
        """Never comes back."""
        await trio.sleep_forever()
        raise AssertionError("nothing comes after forever")
