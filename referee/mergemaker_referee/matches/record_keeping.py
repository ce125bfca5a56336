"""The record of a match in play, on its way to the disk: what a disk that refuses or does not answer means for the match.

Nothing is sent before it is recorded, not even a void. A match is void when its end line says so, or when its secrets are
deleted: nobody can take it up again without them. While the disk allows neither, the match stands still, and nobody is told.
"""

import contextlib
from collections.abc import Callable
from typing import Final

import structlog
import trio
from mergemaker_engine.record.receipts import Receipt
from mergemaker_table.inputs import Void
from mergemaker_table.outputs import WriteLine
from mergemaker_table.table import Phase, Table

from mergemaker_referee.matches.services import RefereeServices
from mergemaker_referee.records.forgetting import FORGET_S_MAX, SecretsOnDisk
from mergemaker_referee.records.journal import Journal, JournalError
from mergemaker_referee.records.journal_writer import DiskStalled, OnSettled
from mergemaker_referee.records.signing import RecordEnd

NS_PER_MS: Final = 1_000_000
_LOG = structlog.get_logger(__name__)


class RecordKeeper:
    """Has one match's lines written, and its secrets deleted."""

    def __init__(self, table: Table, journal: Journal, services: RefereeServices, changed: Callable[[], None]) -> None:
        """`changed` is called when the match stands still for its disk, and when it goes on."""
        self.suspended_because: str | None = None
        self.end_is_written = False
        """Whether the end of the match is written: a later fault does not change it."""
        self.receipt: Receipt | None = None
        """What to keep, to compare the record with; None while its end is not written."""
        self._end_line: bytes | None = None
        self._is_published = False
        """Whether the public log has the match's begin, so that it gets its end, too."""
        self._end_published: trio.Event | None = None
        self.secrets: Final = SecretsOnDisk(table.setup.match, journal.path, services.disk, services.committer)
        self._table: Final = table
        self._journal: Final = journal
        self._services: Final = services
        self._changed: Final = changed
        self._writing_since_ns: int | None = None
        """Since when lines have been on their way to the disk; None: there are none."""
        self._awake_since_ns = 0
        """The same on the clock of `awake_ns`."""
        self._is_void = False
        """Whether the match is reported as void in any case."""
        self._is_stuck = False
        """Whether the match can neither go on nor end, and that was logged."""

    async def write(self, lines: bytes) -> None:
        """Writes, and tries again as often as needed.

        If the disk refuses, or does not answer, for longer than a set time, it may be necessary to void the match. Then this
        raises what the disk said, and the caller calls `keep_void`.
        """
        self._begin()
        problem = await self._try(lines)
        if problem is not None:
            await self._try_again(lines, problem)
        self.note_written(lines)

    def begin(self, lines: bytes, settled: OnSettled) -> None:
        """Has lines written with those of other matches. If they are, `note_written` follows; otherwise `insist`."""
        self._begin()
        self._services.writer.begin(self._journal, lines, settled)

    async def insist(self, lines: bytes, problem: Exception) -> None:
        """Does what `write` does after its first try has failed like this."""
        if not isinstance(problem, JournalError):
            raise problem
        await self._try_again(lines, problem)
        self.note_written(lines)

    def note_written(self, lines: bytes) -> None:
        """Lines that were begun are written: the match goes on."""
        services = self._services
        since, self._writing_since_ns = self._writing_since_ns, None
        if (ended := self._table.ended) is not None:
            self.end_is_written, self.receipt = True, ended.receipt
            self._end_line = lines.splitlines()[-1]
        if self.suspended_because is not None:
            self._suspend(None)
        now = services.now_ns()
        took = 0 if since is None else now - since
        self._table.stood_still(took, now)
        services.measures.written(took)

    def _begin(self) -> None:
        self._writing_since_ns = self._services.now_ns()
        self._awake_since_ns = self._services.awake_ns()

    async def _try(self, lines: bytes) -> JournalError | None:
        """Writes the lines; returns what the disk said against it."""
        try:
            await self._services.writer.append(self._journal, lines)
        except JournalError as problem:
            return problem
        return None

    async def _try_again(self, lines: bytes, problem: JournalError | None) -> None:
        """Writes lines that were not written, as often as needed."""
        while problem is not None:
            self._suspend(str(problem))
            if isinstance(problem, DiskStalled):
                if await self._was_written_late(problem):
                    return
            else:
                await self._wait_or_void(problem, self._awake_since_ns)
            problem = await self._try(lines)

    # --- the public log ---------------------------------------------------------------------------------------------

    async def publish_begin(self) -> None:
        """Returns when the public log has the promise of the match: before that, nobody learns of the match.

        The record must have its first line before. If the disk refuses for too long, this raises what makes the match void.
        """
        log, services, setup = self._services.log, self._services, self._table.setup
        if log is None or self._is_published or not self._journal.size:
            return
        self._is_published = True
        if self._table.phase in (Phase.PLAYING, Phase.OVER):
            return  # if the log does not have it, it was dealt under a server without one: nothing can be promised any more
        promise = setup.promise
        published = log.begin(setup.match, promise.commitment if promise is not None and promise.match == setup.match else None)
        since_ns, awake_since_ns = services.now_ns(), services.awake_ns()
        self._writing_since_ns = since_ns
        while not published.is_set():
            if services.awake_ns() - awake_since_ns > services.limits.disk_give_up_ms * NS_PER_MS:
                raise JournalError("the public log does not take the match")
            with trio.move_on_after(services.limits.disk_retry_ms / 1_000):
                await published.wait()
        self._writing_since_ns = None
        self._suspend(None)
        self._table.stood_still(services.now_ns() - since_ns, services.now_ns())

    def end_again(self, receipt: Receipt | None) -> None:
        """The match ended under an earlier server: its secrets wait for the log as that server's would have."""
        self.receipt = receipt
        if self._services.log is not None:
            self._end_published = self._services.log.ended_before(self._match)

    def _publish_end(self) -> trio.Event | None:
        """Has the public log take the end of the match; None if the log does not have the match."""
        log = self._services.log
        if self._end_published is None and log is not None and self._is_published:
            self._end_published = log.end(self._match, self._end_line)
        return self._end_published

    # --- lines that the disk did not take ----------------------------------------------------------------------------

    async def _wait_or_void(self, problem: JournalError, since_ns: int) -> None:
        """Lines were refused: returns when to try them again. Raises the refusal if the match has to be void."""
        services = self._services
        if services.awake_ns() - since_ns > services.limits.disk_give_up_ms * NS_PER_MS:
            if self._is_end_at_stake and self._journal.is_torn:
                # The end may be there though it was refused: until it is cut off, or written, nobody knows how it ended.
                self._say_stuck(problem)
            else:
                await self._try_to_forget()
                if self.secrets.are_removed:  # a later line would be of a match that nobody can take up
                    raise problem
        await trio.sleep(services.limits.disk_retry_ms / 1_000)

    async def _was_written_late(self, stalled: DiskStalled) -> bool:
        """Lines were neither written nor refused, and may still be written: False if they have to be tried again.

        Late lines of a match whose secrets are gone leave it unfinished, and so void, as reported. But an end line ends it: what
        happened to that line must be known first.
        """
        if not self._is_end_at_stake:
            raise stalled
        self._say_stuck(stalled)
        try:
            await stalled.outcome()
        except OSError:
            return False
        return True

    @property
    def record_end(self) -> RecordEnd | None:
        """What there is to sign; None while the end is not written."""
        promise = self._table.setup.promise
        commitment = None if promise is None else promise.commitment
        return None if self.receipt is None else RecordEnd(self._journal.path, self.receipt, commitment)

    @property
    def _is_end_at_stake(self) -> bool:
        """Whether the lines on their way say how it ended, so that reporting it as void would contradict them."""
        return self._table.ended is not None and not self._is_void

    async def keep_void(self, void: Void | None) -> None:
        """Records that a match is void, even if that takes long: nobody is told before.

        It is written like any other line, if there is something to write. Without a `Void` there is not.
        """
        self._is_void, self._writing_since_ns = True, None
        try:
            lines = b"" if void is None else self._lines_of(void)
            if lines:
                await self.write(lines)
        except JournalError:
            pass  # so only deleting the secrets is left
        except Exception:  # noqa: BLE001 - the record stays unfinished, which `verify` says
            _LOG.exception("the record of a broken match could not be ended", match=self._match)
        if self.end_is_written:
            await self.forget_secrets()
        else:
            await self._forget_at_last()

    def _lines_of(self, void: Void) -> bytes:
        table, services = self._table, self._services
        outputs = () if table.ended else table.feed(void, services.now_ns(), services.held_up())
        return b"".join(output.line for output in outputs if type(output) is WriteLine)

    # --- secrets -----------------------------------------------------------------------------------------------------

    async def forget_secrets(self) -> None:
        """Deletes what the end line revealed, and who could take the seats, once the public log has the end.

        Otherwise a server that is started later would not find out what the log lacks.
        """
        published = self._publish_end()
        if published is not None:
            with trio.move_on_after(FORGET_S_MAX):
                await published.wait()
            if not published.is_set():
                return  # this is tried again
        await self.secrets.forget(self._services.writer)

    async def _forget_at_last(self) -> None:
        """Deletes them, and tries again as often as needed: then the match is void."""
        while self.secrets.are_there:
            await self._try_to_forget()
            if self.secrets.are_there:
                await trio.sleep(self._services.limits.disk_retry_ms / 1_000)
        self._publish_end()
        self._say_free("its secrets are deleted, and it is void")

    async def _try_to_forget(self) -> None:
        """One try. It waits for the outcome: meanwhile nothing may be written that would be sent."""
        try:
            await self.secrets.delete(self._services.writer)
        except DiskStalled as stalled:
            self._say_stuck(stalled)
            with contextlib.suppress(OSError):
                await stalled.outcome()
        except OSError as problem:
            self._say_stuck(problem)

    # --- what is said about it ---------------------------------------------------------------------------------------

    @property
    def _match(self) -> str:
        return self._table.setup.match

    def look_at_disk(self) -> None:
        """Reports that a match stands still if the disk neither takes nor refuses its line. Called now and then."""
        since, services = self._writing_since_ns, self._services
        if since is not None and services.now_ns() - since > services.limits.disk_retry_ms * NS_PER_MS:
            self._suspend("the disk does not answer")

    def _suspend(self, why: str | None) -> None:
        if why is not None and self.suspended_because is None:
            _LOG.warning("a record cannot be written: its match stands still", match=self._match, problem=why)
        if (why is None) != (self.suspended_because is None):
            self.suspended_because = why
            if why is None:
                self._say_free("its line is written")
            self._changed()

    def _say_stuck(self, problem: OSError) -> None:
        self._suspend(str(problem))
        if not self._is_stuck:
            self._is_stuck = True
            text = "a match can neither go on nor be voided until the disk takes its line, or deletes its secrets; nobody is told"
            _LOG.error(text, match=self._match, problem=str(problem))

    def _say_free(self, how: str) -> None:
        if self._is_stuck:
            self._is_stuck = False
            _LOG.warning("the disk has let a match go on, or end", match=self._match, how=how)
