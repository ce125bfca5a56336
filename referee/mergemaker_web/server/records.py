"""Released records: as they are, one or many; as the viewer takes them; and the last position and the faults in them.

All of it is read in threads, a few at a time, so that no match waits for it.
"""

import json
import tarfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

import trio
from mergemaker_engine.errors import EngineError
from mergemaker_engine.events import TilePlaced
from mergemaker_engine.record.lines import DEFAULTS, DecisionLine
from mergemaker_engine.record.splitting import whole_lines
from mergemaker_referee.records.files import SUFFIX, open_record, record_chunks
from mergemaker_table.evidence import evidence_in
from mergemaker_table.refusals import REJECTED
from mergemaker_table.run_notes import WHY
from mergemaker_table.seats import was_put

from mergemaker_web.carried import carried
from mergemaker_web.server.messages import Fault, Moment
from mergemaker_web.server.pages import Position
from mergemaker_web.server.problems import bad_record

READERS_MAX: Final = 2
"""Records that are read at once."""
CHUNK_BYTES: Final = 64 * 1_024
RECORDS_MAX: Final = 10_000
"""Records that are sent together."""
_RESULT = TypeVar("_RESULT")
_BLOCK: Final = tarfile.RECORDSIZE


class Released:
    """Reads released records."""

    def __init__(self) -> None:
        self._readers: Final = trio.CapacityLimiter(READERS_MAX)

    async def _read(self, match: str, read: Callable[[Path], _RESULT], path: Path) -> _RESULT:
        try:
            return await trio.to_thread.run_sync(read, path, limiter=self._readers, abandon_on_cancel=True)
        except (EngineError, OSError, ValueError, KeyError) as error:
            raise bad_record(match, str(error)) from error

    async def plain(self, match: str, path: Path) -> bytes:
        """A record as it was written, unpacked."""
        return await self._read(match, _plain, path)

    async def document(self, match: str, path: Path) -> bytes:
        """A record for the viewer, as a `CarriedMatch`."""
        return await self._read(match, _document, path)

    async def last_position(self, match: str, path: Path) -> Position | None:
        """How a match stood at its end; None if no tiles were dealt."""
        return await self._read(match, _last_position, path)

    async def faults(self, match: str, path: Path) -> list[Fault]:
        """Everything that went wrong at seats."""
        return await self._read(match, lambda where: list(_faults(match, where)), path)

    async def together(self, paths: AsyncIterator[tuple[str, Path]]) -> AsyncIterator[bytes]:
        """Records as the pieces of a tar file, each under the name that its file had when it was written."""
        size = 0
        async for match, path in paths:
            content = await self.plain(match, path)
            head = tarfile.TarInfo(path.name.partition(SUFFIX)[0] + SUFFIX)
            head.size, head.mode = len(content), 0o644
            padding = b"\0" * (-len(content) % tarfile.BLOCKSIZE)
            piece = head.tobuf(tarfile.PAX_FORMAT) + content + padding
            size += len(piece)
            for start in range(0, len(piece), CHUNK_BYTES):
                yield piece[start : start + CHUNK_BYTES]
        end = 2 * tarfile.BLOCKSIZE
        yield b"\0" * (end + -(size + end) % _BLOCK)


def _plain(path: Path) -> bytes:
    return b"".join(record_chunks(path))


def _document(path: Path) -> bytes:
    match = carried(whole_lines(record_chunks(path)))
    return json.dumps(match.document(), ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _last_position(path: Path) -> Position | None:
    record = open_record(path)
    if record.deal is None:
        return None
    last = None
    game = record.start()
    for step in record.steps():
        last = next((event.square for event in step.events if isinstance(event, TilePlaced)), last)
        game = step.before
        game.apply(step.answer)
    return Position(game.public_view(), record.header.bots, last)


def _faults(match: str, path: Path) -> Iterator[Fault]:
    """Defaults for questions that were asked, and refused answers, in the order of the record."""
    for _, line in open_record(path).entries:
        if isinstance(line, DecisionLine):
            if line.by in DEFAULTS and was_put(line):
                yield _fault(match, line.seat, line.number, str(line.by).removeprefix("default: "), line.run)
        elif line.what == REJECTED and line.seat is not None:
            yield _fault(match, line.seat, _number(line.run.get("n")), f"refused: {line.run.get('reason', '')}", line.run)


def _fault(match: str, seat: int, decision: int | None, what: str, run: Mapping[str, object]) -> Fault:
    evidence = evidence_in(run)
    return Fault(
        match=match,
        seat=seat,
        decision=decision,
        what=what,
        why=str(run.get(WHY) or ("" if evidence is None else evidence.verdict.text)),
        at_fault="" if evidence is None else str(evidence.verdict.at_fault),
        timeline=[] if evidence is None else [Moment(kind=str(each.kind), at_us=each.at_us) for each in evidence.moments],
    )


def _number(value: object) -> int | None:
    return value if type(value) is int else None
