"""A match's journal on a real disk: what is written, taken back, or resumed, and what waits for what."""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest
from mergemaker_engine.errors import RecordError
from mergemaker_engine.record.scribe import Scribe, Secrets
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.records.files import open_record, pack, record_chunks
from mergemaker_referee.records.journal import Committer, Journal, JournalError, record_name
from mergemaker_referee.records.secrets_file import forget_secrets, read_secrets, secrets_path, write_secrets
from mergemaker_testkit.recorded import recorded_match

WAIT_S = 30
"""A guard against a hang, far above what any step takes."""
SEED = bytes(range(32))
LINES = recorded_match(preset("renegade-classic"), 3, SEED)
TORN_AT = 40


@pytest.fixture
def committer() -> Iterator[Committer]:
    made = Committer()
    yield made
    made.close()


def _write(path: Path, lines: list[bytes]) -> None:
    with Journal.create(path) as journal:
        for line in lines:
            journal.append(line)


def test_a_record_is_the_lines_that_were_appended(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.jsonl"
    _write(path, LINES)
    assert path.read_bytes() == b"".join(LINES)
    assert verify(record_chunks(path)).decisions == len(open_record(path).decisions)


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    _write(path, LINES[:3])
    with pytest.raises(FileExistsError):
        Journal.create(path)
    assert path.read_bytes() == b"".join(LINES[:3])


def test_a_line_is_with_the_system_when_append_returns(tmp_path: Path) -> None:
    # The writer kills itself at once, without closing or flushing anything.
    path = tmp_path / "a.jsonl"
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom mergemaker_referee.records.journal import Journal\n"
        "journal = Journal.create(Path(sys.argv[1]))\n"
        "for line in sys.stdin.buffer:\n    journal.append(line)\nos.abort()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(path)], input=b"".join(LINES[:20]), check=False, timeout=WAIT_S, capture_output=True
    )
    assert ended.returncode != 0
    assert path.read_bytes() == b"".join(LINES[:20])


@pytest.mark.parametrize("torn", [b"", b'{"kind":"deci', LINES[TORN_AT][:-1], b"\x00" * 5_000])
def test_a_match_is_taken_up_again_without_its_torn_last_line(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(LINES[:TORN_AT]) + torn)
    journal, record = Journal.resume(path)
    with journal:
        assert path.read_bytes() == b"".join(LINES[:TORN_AT])
        assert record.lines == TORN_AT
        assert Scribe.resumed(record).decisions == len(record.decisions)
        for line in LINES[TORN_AT:]:
            journal.append(line)
    assert path.read_bytes() == b"".join(LINES)


def test_a_damaged_record_is_not_taken_up_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    damaged = b"".join(LINES[:10]).replace(b'"seat":1', b'"seat":2', 1) + b"{torn"
    path.write_bytes(damaged)
    with pytest.raises(RecordError) as found:
        Journal.resume(path)
    assert found.value.reason in {"game-chain", "line-chain"}
    assert path.read_bytes() == damaged


def test_a_line_that_is_written_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    _write(tmp_path / "a.jsonl", LINES[:5])
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(LINES[:5])


def test_a_full_disk_takes_the_line_back_and_it_can_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    room = [sum(map(len, LINES[:5])) + 30]

    def until_full(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, data[: room[0]])
        room[0] -= written
        return written

    path = tmp_path / "a.jsonl"
    with Journal.create(path) as journal:
        monkeypatch.setattr(os, "write", until_full)
        for line in LINES[:5]:
            journal.append(line)
        with pytest.raises(JournalError, match="No space left"):
            journal.append(LINES[5])
        assert path.read_bytes() == b"".join(LINES[:5])
        room[0] = 1_000_000
        journal.append(LINES[5])
    assert path.read_bytes() == b"".join(LINES[:6])


def test_what_could_not_be_taken_back_at_once_is_taken_back_before_the_next_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    write = os.write

    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.EROFS, "Read-only file system")

    def tear(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", refuse)
        return write(descriptor, data[:30])

    with Journal.create(path) as journal:
        journal.append(LINES[0])
        with monkeypatch.context() as broken:
            broken.setattr(os, "ftruncate", refuse)
            monkeypatch.setattr(os, "write", tear)
            for _ in range(2):
                with pytest.raises(JournalError, match="last whole line"):
                    journal.append(LINES[1])
        assert path.read_bytes() == LINES[0] + LINES[1][:30]
        monkeypatch.setattr(os, "write", write)
        journal.append(LINES[1])
    assert path.read_bytes() == LINES[0] + LINES[1]


def test_of_secrets_that_cannot_be_written_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, pieces = os.write, [20]

    def until_full(descriptor: int, data: bytes) -> int:
        if not pieces:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: pieces.pop()])

    monkeypatch.setattr(os, "write", until_full)
    with pytest.raises(OSError, match="No space left"):
        write_secrets(tmp_path / "a.jsonl", Secrets(SEED))
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_is_not_on_the_disk_is_taken_back(tmp_path: Path) -> None:
    problems = [None, None, OSError(errno.EIO, "Input/output error"), None]

    def sync(_: int) -> None:
        problem = problems.pop(0)
        if problem:
            raise problem

    committer = Committer(sync)
    path = tmp_path / "a.jsonl"
    with Journal.create(path, committer) as journal:  # the folder is synced first
        journal.append(LINES[0])
        with pytest.raises(JournalError, match="Input/output error"):
            journal.append(LINES[1])
        assert path.read_bytes() == LINES[0]
        journal.append(LINES[1])
    committer.close()
    assert path.read_bytes() == LINES[0] + LINES[1]
    assert problems == []


def test_those_who_wait_at_the_same_time_share_one_sync() -> None:
    begun, go_on = threading.Event(), threading.Event()
    synced: list[int] = []

    def sync(descriptor: int) -> None:
        synced.append(descriptor)
        begun.set()
        assert go_on.wait(WAIT_S)

    committer = Committer(sync)
    first = committer.commit(7)
    assert begun.wait(WAIT_S)
    later = [committer.commit(descriptor) for descriptor in (8, 9, 8, 8, 9)]
    go_on.set()
    for future in (first, *later):
        future.result(WAIT_S)
    committer.close()
    assert synced == [7, 8, 9]


def test_one_bad_file_holds_up_no_other() -> None:
    def sync(descriptor: int) -> None:
        if descriptor == 8:
            raise OSError(errno.EIO, "Input/output error")

    committer = Committer(sync)
    futures = [committer.commit(descriptor) for descriptor in (7, 8, 9)]
    assert [isinstance(future.exception(WAIT_S), OSError) for future in futures] == [False, True, False]
    committer.close()


def test_a_closed_committer_answers_what_waits_and_takes_no_more(committer: Committer) -> None:
    future = committer.commit(os.open(os.devnull, os.O_WRONLY))
    committer.close()
    assert future.done()
    with pytest.raises(JournalError, match="closed"):
        committer.commit(1)


def test_lines_of_matches_that_are_written_at_the_same_time_are_all_there(tmp_path: Path, committer: Committer) -> None:
    def play(number: int) -> None:
        with Journal.create(tmp_path / f"{number}.jsonl", committer) as journal:
            for line in LINES[:20]:
                journal.append(line)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert [(tmp_path / f"{number}.jsonl").read_bytes() for number in range(6)] == [b"".join(LINES[:20])] * 6


def test_names_sort_by_time_and_hold_nothing_that_a_file_system_refuses() -> None:
    moments = [datetime(2026, 11, day, hour, 5, 9, tzinfo=UTC) for day in (9, 18) for hour in (3, 21)]
    names = [record_name(moment, "a1-b2") for moment in moments]
    assert names == sorted(names)
    assert names[0] == "20261109-030509-a1-b2.jsonl"
    assert not set("".join(names)) & set('<>:"/\\|?* ')


# --- packing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_packed_record_is_the_same_record(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "a.jsonl"
    _write(path, LINES)
    packed = pack(path, suffix)
    assert packed.name == "a.jsonl" + suffix
    assert [file.name for file in tmp_path.iterdir()] == [packed.name]
    assert b"".join(record_chunks(packed)) == b"".join(LINES)
    # Its bytes show the format, whatever its name.
    assert open_record(packed.rename(tmp_path / "b.jsonl")).lines == len(LINES)


def test_equal_records_are_equal_packed_files(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        _write(tmp_path / name, LINES)
    assert pack(tmp_path / "a.jsonl", ".gz").read_bytes() == pack(tmp_path / "b.jsonl", ".gz").read_bytes()


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_damaged_packing_is_said(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "a.jsonl"
    _write(path, LINES)
    packed = pack(path, suffix)
    whole = packed.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:200] + bytes([whole[200] ^ 255]) + whole[201:]):
        packed.write_bytes(damaged)
        with pytest.raises(RecordError):
            open_record(packed)


def test_without_the_extra_zstd_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    _write(path, LINES)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(RecordError, match=r"mergemaker\[zstd\]"):
        pack(path, ".zst")
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


# --- secrets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("secrets", [Secrets(SEED), Secrets(SEED, bytes(32), bytes([7] * 32))])
def test_secrets_come_back_and_are_only_for_their_owner(tmp_path: Path, secrets: Secrets) -> None:
    record = tmp_path / "a.jsonl"
    write_secrets(record, secrets)
    assert read_secrets(record) == secrets
    if os.name == "posix":
        assert secrets_path(record).stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        write_secrets(record, secrets)
    forget_secrets(record)
    forget_secrets(record)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seed":"zz","server_seed":null,"nonce":null}', '{"seed":5}'])
def test_damaged_secrets_are_said(tmp_path: Path, text: str) -> None:
    record = tmp_path / "a.jsonl"
    secrets_path(record).write_text(text, "utf-8")
    with pytest.raises(RecordError) as found:
        read_secrets(record)
    assert found.value.reason == "bad-secrets"
