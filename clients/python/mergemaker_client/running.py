"""`run(MyBot)`: the one call in a bot's file. Connects as the environment says, and plays."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from queue import Empty, SimpleQueue
from secrets import token_bytes
from typing import Any, Final, NoReturn, TypeAlias, assert_never, cast

from mergemaker_engine.record.commitments import CONTRIBUTION_BYTES
from mergemaker_engine.shown import shown

from mergemaker_client.bot import AnyBot, AsyncBot
from mergemaker_client.connection import Connection
from mergemaker_client.environment import Environment
from mergemaker_client.errors import BotError
from mergemaker_client.factories import AnyKind, factory_of
from mergemaker_client.outputs import Ask, Begin, Close, Decline, Delivered, End, Notice, Tell, Told
from mergemaker_client.playing import BotFailed, OnError, Player
from mergemaker_client.problems import BadSetting, ClientError
from mergemaker_client.protocol import Conversation
from mergemaker_client.reconnecting import Patience
from mergemaker_client.reporting import complain
from mergemaker_client.trace import Trace
from mergemaker_client.turn import MatchResult, Turn
from mergemaker_client.wishes import LIBRARY, EventMode, Wishes

DISTRIBUTION: Final = "mergemaker"
VERSION_CHARACTERS_MAX: Final = 64
FAILED: Final = 1
WRONG_USE: Final = 2
INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""
STOPPED: Final = 0
"""The exit status after SIGTERM: its sender wants the bot to end, and it does."""
SIGNAL_WAKE_S: Final = 1.0
"""How often an idle bot wakes up: on some systems a signal is not seen while a thread waits."""


def run(  # noqa: PLR0913 - the one call of a bot's file: each of these is given by its name, if at all
    bot: AnyKind,
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    version: str = "",
    matches: int | None = None,
    matches_at_once: int = 1,
    events: str = EventMode.HELD,
    evict: bool = False,
    on_error: str = OnError.DEFAULT,
) -> None:
    """Plays until the referee has no more matches for this bot, or `matches` are played.

    The address comes from the environment (`MERGEMAKER_SERVER`, `MERGEMAKER_TOKEN`, `MERGEMAKER_BOT`, `MERGEMAKER_CA`), unless
    it is given here. Problems are written to standard error and end the process: with 1 for failures, 2 for wrong
    settings, 130 after Ctrl-C, 0 after SIGTERM. A deal that was not the one promised is a failure, reported at once and finally.
    """
    try:
        with _stopping_on_signals():
            environment = Environment.read(os.environ, server=server, token=token, name=name)
            wishes = wishes_of(environment, version, matches, matches_at_once, events, evict=evict)
            results = play(bot, environment, wishes, on_error=on_error)
    except (BadSetting, BotError) as problem:
        _leave(str(problem), FAILED if isinstance(problem, BotFailed) else WRONG_USE)
    except ClientError as problem:
        _leave(str(problem), FAILED)
    except KeyboardInterrupt:
        _leave("interrupted", INTERRUPTED)
    false = [result.problem.reason for result in results if result.problem is not None]
    if false:
        _leave(f"{len(false)} of {len(results)} deals were not the ones promised: {', '.join(sorted(set(false)))}", FAILED)


def _leave(text: str, status: int) -> NoReturn:
    complain(text)
    raise SystemExit(status) from None


def wishes_of(
    environment: Environment, version: str, matches: int | None, matches_at_once: int, events: str, *, evict: bool
) -> Wishes:
    """A bot's requests to the referee, checked."""
    for what, count in (("matches", matches), ("matches_at_once", matches_at_once)):
        if count is not None and (type(count) is not int or count < 1):
            raise BadSetting("bad-setting", f"{what} is a whole number from 1, not {shown(count)}")
    if events not in list(EventMode):
        raise BadSetting("bad-setting", f"events are {' or '.join(EventMode)}, not {shown(events)}")
    if len(version) > VERSION_CHARACTERS_MAX:
        raise BadSetting("bad-setting", f"version has at most {VERSION_CHARACTERS_MAX} characters")
    return Wishes(
        name=environment.name,
        version=version,
        library=_library_text(),
        events=EventMode(events),
        matches=matches,
        matches_at_once=matches_at_once,
        evict=evict,
    )


def _library_text() -> str:
    try:
        return f"{LIBRARY} {metadata.version(DISTRIBUTION)}"
    except metadata.PackageNotFoundError:
        return LIBRARY


def play(
    bot: AnyKind,
    environment: Environment,
    wishes: Wishes | None = None,
    *,
    on_error: str = OnError.DEFAULT,
    report: Callable[[str], None] = complain,
    patience: Patience | None = None,
    leaving: threading.Event | None = None,
) -> tuple[MatchResult, ...]:
    """Plays as `run` does, in any thread, and returns the matches' results. Raises problems.

    A sync bot is called in this thread, one match after the other; an async bot in an event loop of this thread. Once
    `leaving` is set, a stream that breaks is the end: the referee is not expected to come back.
    """
    if on_error not in list(OnError):
        raise BadSetting("bad-setting", f"on_error is {' or '.join(OnError)}, not {shown(on_error)}")
    conversation = Conversation(wishes or Wishes(name=environment.name), lambda: token_bytes(CONTRIBUTION_BYTES))
    inbox: SimpleQueue[_Stamped] = SimpleQueue()
    # The driver sets where it delivers; until then nothing comes.
    mailbox = _Mailbox(inbox.put)
    trace = Trace(environment.trace, environment.token) if environment.trace else None
    try:
        connection = Connection(environment, conversation, mailbox.deliver, trace=trace, patience=patience, leaving=leaving)
        note = trace.false_deal if trace else None
        player = Player(factory_of(bot), connection.answer, OnError(on_error), report, note)
        try:
            if player.is_async:
                asyncio.run(_play_async(player, connection, mailbox))
            else:
                _play_sync(player, connection, inbox)
        finally:
            connection.close()
    finally:
        if trace:
            trace.close()
    return tuple(player.results)


_Stamped: TypeAlias = tuple[Delivered, int]
"""An output, and when it came, in monotonic nanoseconds."""


class _Mailbox:
    """Stamps what the network's thread delivers, and passes it to the bots' driver."""

    def __init__(self, put: Callable[[_Stamped], object]) -> None:
        self.put = put

    def deliver(self, output: Delivered) -> None:
        self.put((output, time.monotonic_ns()))


def _play_sync(player: Player, connection: Connection, inbox: "SimpleQueue[_Stamped]") -> None:
    connection.start()
    while True:
        try:
            output, came_ns = inbox.get(timeout=SIGNAL_WAKE_S)
        except Empty:
            continue
        if isinstance(output, Close):
            _raise_problem(output)
            return
        if not isinstance(output, Ask):
            _told(player, output)
            continue
        if not connection.is_open(output.match, output.decision.id):
            continue  # settled before the bot had time for it
        asked = player.turn(output, came_ns, time.monotonic_ns())
        if asked is None:
            continue
        bot, turn = asked
        try:
            answer = bot.answer(turn)
        except Exception as error:  # noqa: BLE001 - whatever a bot raises is reported with the position
            player.raised(output, turn, error)
        else:
            player.returned(output, turn, answer)


async def _play_async(player: Player, connection: Connection, mailbox: _Mailbox) -> None:
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[_Stamped] = asyncio.Queue()

    def put(stamped: _Stamped) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(inbox.put_nowait, stamped)

    mailbox.put = put
    connection.start()
    try:
        async with asyncio.TaskGroup() as tasks:
            close = await _serve(player, connection, inbox, tasks)
    except ExceptionGroup as group:
        # One error stops the bot; the others are what it interrupted.
        raise group.exceptions[0] from group.exceptions[0].__cause__
    _raise_problem(close)


async def _serve(player: Player, connection: Connection, inbox: "asyncio.Queue[_Stamped]", tasks: asyncio.TaskGroup) -> Close:
    """Handles what comes in. Each question has its own task, so that other messages come through."""
    thinking: dict[str, asyncio.Task[None]] = {}
    while True:
        output, came_ns = await inbox.get()
        if isinstance(output, Ask | End) and output.match in thinking:
            # If the bot still thinks, its question was settled without it.
            thinking.pop(output.match).cancel()
        if isinstance(output, Close):
            for task in thinking.values():
                task.cancel()
            return output
        if not isinstance(output, Ask):
            _told(player, output)
            continue
        if not connection.is_open(output.match, output.decision.id):
            continue  # settled before the bot had time for it
        asked = player.turn(output, came_ns, time.monotonic_ns())
        if asked is not None:
            thinking[output.match] = tasks.create_task(_ask(player, output, *asked))


async def _ask(player: Player, output: Ask, bot: AnyBot, turn: Turn) -> None:
    try:
        answer: Any = await cast("AsyncBot", bot).answer(turn)
    except Exception as error:  # noqa: BLE001 - whatever a bot raises is reported with the position
        player.raised(output, turn, error)
    else:
        player.returned(output, turn, answer)


def _told(player: Player, output: Told) -> None:
    match output:
        case Tell():
            player.tell(output)
        case Begin():
            player.begin(output)
        case End():
            player.end(output)
        case Decline():
            player.declined(output)
        case Notice():
            player.notice(output)
        case _:
            assert_never(output)


def _raise_problem(close: Close) -> None:
    if close.problem is not None:
        raise close.problem


@contextmanager
def _stopping_on_signals() -> Iterator[None]:
    """Makes SIGTERM end the process normally: the stream and the files are closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise SystemExit(STOPPED)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
