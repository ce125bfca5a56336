"""One match on a disk that obeys the test, for tests of a disk's faults."""

import errno
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, Final

import structlog
from mergemaker.v1 import match_pb2, matches_pb2, spectate_pb2
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.records.journal import Durability

from .bots import Manner, SimBot
from .disk import NoFaults, Op
from .lives import Machine, Stalls
from .notebook import SECRETS, SUFFIX, Notebook, last_kind
from .office import Made, Office, Wanted, settings_with
from .world import MS, S, World

VOIDED: Final = match_pb2.ENDING_VOIDED
GIVE_UP_MS: Final = 2_000
THINK_NS: Final = 700 * MS
"""Makes a match last a minute; between two answers, nothing happens but what a test does."""


class OrderedDisk(NoFaults, Stalls):
    """A disk that does what the test says."""

    def __init__(self) -> None:
        self.refuses: set[tuple[Op, str]] = set()
        """Operations, each with the end of the names for which it is refused; a folder has none."""
        self.stalls_ns: list[int] = []
        """How long each of the next operations is held up."""
        self.tears = False
        """Whether it writes lines, and reports that it did not."""
        self.stall_behind_refusal_ns = 0
        """How long the operation after the next refused line is held up."""
        self.truncated = 0
        """How often a file was truncated."""
        self.late_news_ns = 0
        """How long the report of the next completed operation takes."""

    def before(self, op: Op, path: PurePath, size: int) -> int | None:  # noqa: ARG002 - as in the port
        if any(each is op and path.name.endswith(end) for each, end in self.refuses):
            if op is not Op.REMOVE and self.stall_behind_refusal_ns:
                self.stalls_ns.append(self.stall_behind_refusal_ns)
                self.stall_behind_refusal_ns = 0
            raise OSError(errno.EROFS, "read-only")
        return None

    def after_part(self, op: Op, path: PurePath) -> None:  # noqa: ARG002 - as in the port
        self.truncated += op is Op.TRUNCATE
        if self.tears and op is Op.WRITE:
            raise OSError(errno.EIO, "who knows")

    def before_ns(self) -> int:
        return self.stalls_ns.pop(0) if self.stalls_ns else 0

    def behind_ns(self) -> int:
        late, self.late_news_ns = self.late_news_ns, 0
        return late


LINES: Final = {(Op.WRITE, SUFFIX), (Op.TRUNCATE, SUFFIX)}
DELETION: Final = {(Op.REMOVE, SECRETS)}
FOLDER: Final = {(Op.SYNC, "")}


class Looking:
    """Watches, and keeps what arrives."""

    def __init__(self) -> None:
        self.saw: list[spectate_pb2.WatchResponse] = []

    def came(self, response: bytes) -> None:
        self.saw.append(spectate_pb2.WatchResponse.FromString(response))

    def ended(self, code: str, text: str) -> None:
        """Handles the stream's end."""


class Trial:
    """One match of two bots on an obedient disk; `happen` says what happens, and checks it."""

    def __init__(self, happen: "Callable[[Trial], Any]", durability: Durability = Durability.PROCESS, seed: int = 1) -> None:
        self.world: Final = World(seed)
        self.disk: Final = OrderedDisk()
        settings = settings_with(durability=durability, limits=Limits(disk_give_up_ms=GIVE_UP_MS))
        self.machine: Final = Machine(self.world, settings, self.disk, self.disk)
        self.notebook: Final = Notebook()
        self.notebook.follow(self.machine)
        self.office: Final = Office(self.machine)
        self.bots: Final[list[SimBot]] = []
        self.errors: Final[list[str]] = []
        self.match = ""
        self._happen: Final = happen
        with _log_to(self.errors):
            self.world.run(self._main)

    async def _main(self) -> None:
        self.machine.start()
        await self.world.sleep(MS)
        self.office.create(Wanted(), self._seat)
        await self.world.sleep(5 * S)
        await self._happen(self)
        assert all(told.is_end_kept for told in self.notebook.told_so_far)

    def _seat(self, made: Made) -> None:
        self.match = made.match
        for number, token in enumerate(made.tokens):
            manner = Manner(think=lambda _: THINK_NS)
            self.bots.append(SimBot(self.world, self.machine.network, f"bot {number}", token, manner))
            self.bots[-1].connect()

    # --- looking ---

    @property
    def endings(self) -> list[int]:
        """How the match ended, as each bot got it."""
        return [ended.ending for bot in self.bots for ended in bot.ended_with.values()]

    @property
    def phase(self) -> int:
        assert self.machine.life.referee is not None
        return self.machine.life.referee._summary(self.match).phase

    @property
    def hosted(self) -> HostedMatch:
        assert self.machine.life.referee is not None
        return self.machine.life.referee._seating.matches[self.match]

    @property
    def path(self) -> PurePath:
        path = self.notebook.path_of(self.match)
        assert path is not None
        return path

    @property
    def record(self) -> bytes:
        return self.machine.disk.written(self.path)

    @property
    def has_secrets(self) -> bool:
        return any(path.name.endswith(SECRETS) for path in self.machine.disk.files)

    # --- doing ---

    async def wait_s(self, seconds: float) -> None:
        await self.world.sleep(round(seconds * S))

    async def until_over(self) -> None:
        for _ in range(600):
            if len(self.endings) == len(self.bots):
                return
            await self.world.sleep(S)
        raise AssertionError("the bots are never told of an end")

    def check_stands_still(self) -> None:
        assert self.endings == []
        assert self.phase == matches_pb2.MATCH_PHASE_SUSPENDED
        assert self.has_secrets

    def check_is_void(self) -> None:
        """It was reported as void, and the record is that of an aborted match."""
        assert self.endings == [VOIDED] * 2
        assert last_kind(self.record) != "end"
        assert not self.has_secrets

    def check_is_as_written(self) -> None:
        """The bots got what the record says."""
        end = verify([self.record]).record.end
        assert end is not None
        ended = [ended for bot in self.bots for ended in bot.ended_with.values()]
        assert [each.proof.seed for each in ended] == [end.seed] * 2


@contextmanager
def _log_to(errors: list[str]) -> Iterator[None]:
    def keep(_: object, method: str, event: MutableMapping[str, Any]) -> Any:
        if method == "error":
            errors.append(str(event["event"]))
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[keep], cache_logger_on_first_use=False)
    try:
        yield
    finally:
        structlog.configure(**before)
