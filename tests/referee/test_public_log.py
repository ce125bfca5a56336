"""The public log of a server: its file after any end of the server, pages of it, and what a match leaves in it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path

import pytest
import trio
import trio.testing
from mergemaker.v1 import matches_pb2, public_log_pb2, referee_pb2
from mergemaker_engine.record.canonical import hash_text
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.in_log import Claim, LogBook
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.public_log import Begin, End, Head, LogChain, log_entries
from mergemaker_referee.configuration.settings import Address, Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.records.files import open_record
from mergemaker_referee.records.journal import Journal
from mergemaker_referee.records.leftovers import NOTHING_LEFT, find_leftovers
from mergemaker_referee.records.log_file import (
    KEY_BYTES,
    LOG_NAME,
    PAGE_BYTES_MAX,
    STRIDE,
    LogIndex,
    OpenedLog,
    _key,
    open_log,
    page_of,
)
from mergemaker_referee.records.public_log import PublicLog
from mergemaker_referee.serving import serving
from mergemaker_referee.tokens import TokenKind, token_hash
from mergemaker_table.inputs import Void
from mergemaker_testkit.in_process import House, InlineWriter, a_house
from mergemaker_testkit.logged import begin, end, heads_of, log_of

ENTRIES: list[Begin | End] = [begin("a"), begin("b"), end("a"), begin("c"), end("c", Ending.VOIDED, None, None)]

OPERATOR = f"{TokenKind.OPERATOR}operator"


def in_trio(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a test under trio, with a guard against a hang."""

    @wraps(test)
    def run(**fixtures: object) -> None:
        async def guarded() -> None:
            with trio.fail_after(60):
                await test(**fixtures)

        trio.run(guarded)

    return run


def _opened(folder: Path) -> OpenedLog:
    return open_log(folder / LOG_NAME, [folder], NOTHING_LEFT)


def _written(folder: Path, data: bytes) -> Path:
    (folder / LOG_NAME).write_bytes(data)
    return folder / LOG_NAME


# --- the file ---


def test_a_log_that_is_opened_goes_on_from_its_last_whole_line(tmp_path: Path) -> None:
    path = _written(tmp_path, b"".join(log_of(ENTRIES)) + b'{"n":6,"kind":"be')
    opened = _opened(tmp_path)
    assert path.read_bytes() == b"".join(log_of(ENTRIES))
    assert (opened.index.head, opened.open) == (heads_of(ENTRIES)[-1], frozenset({"b"}))
    opened.journal.append(LogChain(opened.index.head).seal(end("b")))
    opened.journal.close()
    assert list(log_entries([path.read_bytes()])) == [*ENTRIES, end("b")]


@pytest.mark.parametrize(
    "data", [b"".join(log_of(ENTRIES)[1:]), b"no log\n", b"".join(log_of(ENTRIES)).replace(b"declared", b"stuck")]
)
def test_a_damaged_log_is_not_gone_on_with_and_it_is_said_what_to_do(tmp_path: Path, data: bytes) -> None:
    path = _written(tmp_path, data)
    with pytest.raises(RefereeError, match=r"is damaged: line \d: .* Restore it from a copy, or move it away") as refused:
        _opened(tmp_path)
    assert refused.value.reason == "bad-public-log"
    assert path.read_bytes() == data


def test_everything_of_a_log_can_be_read_by_pages(tmp_path: Path) -> None:
    count = 8 * STRIDE + 3
    lines = log_of([begin(f"m-{number}") for number in range(count)])
    _written(tmp_path, b"".join(lines))
    opened = _opened(tmp_path)
    for first in (1, 2, STRIDE, STRIDE + 1, 3 * STRIDE, count):
        for size in (1, 2, STRIDE + 1):
            assert page_of(opened, first, size) == b"".join(lines[first - 1 : first - 1 + size])
    largest = page_of(opened, 1, count)
    assert b"".join(lines).startswith(largest)
    assert PAGE_BYTES_MAX - len(lines[-1]) < len(largest) <= PAGE_BYTES_MAX
    opened.journal.close()


# --- what a match leaves in it ---


@pytest.mark.parametrize("mode", [DealMode.SERVER, DealMode.JOINT])
@in_trio
async def test_a_match_begins_in_the_log_at_once_and_ends_there_as_its_record(tmp_path: Path, mode: DealMode) -> None:
    log = tmp_path / LOG_NAME
    async with a_house(tmp_path, Settings(), log=log) as house:
        match, _ = await house.create(mode=mode)
        await match.begun.wait()
        (entry,) = log_entries([log.read_bytes()])
        promise = match.table.setup.promise
        assert isinstance(entry, Begin)
        assert promise is not None
        assert (entry.match, entry.commitment) == (match.id, promise.commitment)
        match.post(Void("enough"))
        await match.end_told.wait()
        _, ended = log_entries([log.read_bytes()])
        assert isinstance(ended, End)
        assert ended.why is Ending.VOIDED
        book = LogBook([match.id])
        book.read([log.read_bytes()])
        book.check(Claim.of(open_record(match.record)))


@in_trio
async def test_a_plain_deal_promises_nothing(tmp_path: Path) -> None:
    async with a_house(tmp_path, Settings(), log=tmp_path / LOG_NAME) as house:
        match, _ = await house.create(mode=DealMode.PLAIN)
        await match.begun.wait()
        (entry,) = log_entries([(tmp_path / LOG_NAME).read_bytes()])
        assert isinstance(entry, Begin)
        assert entry.commitment is None


@in_trio
async def test_a_server_keeps_its_log_in_its_data_folder_for_everybody_to_read(tmp_path: Path) -> None:
    async with serving(Settings(data_folder=tmp_path / "data", listen=(Address("127.0.0.1", 0),))):
        assert (tmp_path / "data" / LOG_NAME).read_bytes() == b""


@in_trio
async def test_what_was_dealt_before_there_was_a_log_is_not_promised_afterwards(tmp_path: Path) -> None:
    async with a_house(tmp_path, Settings()) as house:
        match, made = await house.create()
        for token in made.tokens:
            await house.seated(token)
        assert match.table.turn == 1
    log = tmp_path / LOG_NAME
    async with a_house(tmp_path, Settings(), log=log) as house:
        await house.referee.take_up(find_leftovers(tmp_path).unfinished)
        again = house.referee._seating.matches[match.id]
        await again.begun.wait()
        assert log.read_bytes() == b""
        again.post(Void("enough"))
        await again.end_told.wait()
    (entry,) = log_entries([log.read_bytes()])
    assert isinstance(entry, End)


@in_trio
async def test_entries_that_come_while_others_are_written_are_written_together(tmp_path: Path) -> None:
    class Slow(InlineWriter):
        def __init__(self) -> None:
            self.writes = 0
            self.go = trio.Event()

        async def append(self, journal: Journal, lines: bytes) -> None:
            self.writes += 1
            await self.go.wait()
            await super().append(journal, lines)

    writer = Slow()
    log = PublicLog(_opened(tmp_path), writer, lambda: datetime(2026, 11, 18, tzinfo=UTC), 500)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(log.run)
        first = log.begin("a", None)
        await trio.testing.wait_all_tasks_blocked()
        others = [log.begin(f"m-{number}", None) for number in range(100)]
        await trio.testing.wait_all_tasks_blocked()
        assert (writer.writes, log.head.entries, first.is_set()) == (1, 0, False)
        writer.go.set()
        for written in (first, *others):
            await written.wait()
        assert (writer.writes, log.head.entries) == (2, 101)
        assert log.begin("a", None).is_set(), "it is not published twice"
        head, page = await log.page(101, 9)
        assert (head, page.count(b"\n"), page[:9]) == (log.head, 1, b'{"n":101,')
        assert await log.page(102, 9) == (log.head, b"")
        nursery.cancel_scope.cancel()


# --- where a match is in it ---


def test_entries_are_found_by_their_match_whatever_else_the_log_has(tmp_path: Path) -> None:
    count = 2_000
    entries = [make(f"m-{number}") for number in range(count) for make in (begin, end)]
    newer = b'{"n":4001,"kind":"newer"'
    chain = LogChain(heads_of(entries)[-1])
    _written(tmp_path, b"".join(log_of(entries)) + newer + b',"hash":"' + hash_text(chain._after(newer).hash).encode() + b'"}\n')
    opened = _opened(tmp_path)
    for number in range(count):
        found = opened.index.number_of(Begin, f"m-{number}"), opened.index.number_of(End, f"m-{number}")
        assert found == (2 * number + 1, 2 * number + 2)
    assert opened.index.number_of(Begin, "another") == 0
    opened.journal.close()


def test_a_key_is_found_only_where_one_begins() -> None:
    index, wanted = LogIndex(), _key(Begin, "a")
    index.keys += b"?" + wanted + bytes(KEY_BYTES - 1) + wanted
    assert index.number_of(Begin, "a") == 3
    del index.keys[2 * KEY_BYTES :]
    assert index.number_of(Begin, "a") == 0


@in_trio
async def test_the_operator_is_told_the_numbers_of_a_matchs_entries_also_by_the_next_server(tmp_path: Path) -> None:
    async def numbers(house: House, match: str) -> tuple[int, int]:
        data = await house.call("GetMatch", matches_pb2.GetMatchRequest(match=match).SerializeToString(), OPERATOR)
        assert isinstance(data, bytes)
        entries = matches_pb2.GetMatchResponse.FromString(data).log_entries
        return entries.begin, entries.end

    log, settings = tmp_path / LOG_NAME, Settings(operator_token_hash=token_hash(OPERATOR))
    async with a_house(tmp_path, settings, log=log) as house:
        matches = [(await house.create())[0] for _ in range(2)]
        for match in matches:
            await match.begun.wait()
        assert [await numbers(house, match.id) for match in matches] == [(1, 0), (2, 0)]
        for match in matches:
            match.post(Void("enough"))
            await match.end_told.wait()
        assert [await numbers(house, match.id) for match in matches] == [(1, 3), (2, 4)]
    async with a_house(tmp_path, settings, log=log) as house:
        await house.referee.remember([tmp_path])
        assert [await numbers(house, match.id) for match in matches] == [(1, 3), (2, 4)]


# --- what everybody gets ---


@in_trio
async def test_a_welcome_has_the_head_and_anybody_reads_what_it_covers(tmp_path: Path) -> None:
    async with a_house(tmp_path, Settings(), log=tmp_path / LOG_NAME) as house:
        match, made = await house.create()
        await match.begun.wait()
        stream = house.open(made.tokens[0])
        (welcome, *_) = await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
        data = await house.call("ReadLog", b"", made.tokens[1])
        assert isinstance(data, bytes)
        page = public_log_pb2.ReadLogResponse.FromString(data)
        assert welcome.welcome.log_head == page.head
        assert page.lines == (tmp_path / LOG_NAME).read_bytes()
        book = LogBook(heads=[Head(page.head.entries, page.head.hash)])
        book.read([page.lines])
        assert book.open == 1


@in_trio
async def test_a_referee_without_a_log_says_so(tmp_path: Path) -> None:
    async with a_house(tmp_path, Settings()) as house:
        _, made = await house.create()
        stream = house.open(made.tokens[0])
        (welcome, *_) = await stream.come(referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])))
        assert not welcome.welcome.HasField("log_head")
        refused = await house.call("ReadLog", b"", made.tokens[0])
        assert isinstance(refused, Closing)
        assert (refused.code, refused.reason) == (CloseCode.UNIMPLEMENTED, "no-public-log")
