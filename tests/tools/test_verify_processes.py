"""`mergemaker verify` with large files and several processes: the memory they use, how they fail, and how they stop."""

import errno
import gzip
import json
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import zstandard
from mergemaker_engine.record.splitting import RECORD_BYTES_MAX
from mergemaker_engine.rules import preset
from mergemaker_referee.records import files as record_files
from mergemaker_testkit.limited import limited
from mergemaker_testkit.recorded import recorded_match
from mergemaker_tools import parallel
from mergemaker_tools.parallel import RESULTS_AHEAD, in_order
from mergemaker_tools.problems import CommandFailed
from mergemaker_tools.records import checking

from tests.tools.conftest import Run

# A guard against a hang.
LIMIT_S = 60


LINES = recorded_match(preset("renegade-classic"), 3, bytes(32))
GOOD = b"".join(LINES)


def _is_posix() -> bool:
    return os.name == "posix"


MEMORY_BYTES = 256 * 1024 * 1024
"""The memory of a process in tests that show that memory stays flat: less than the largest record and its line need."""
MIB = 1024 * 1024


# --- memory -------------------------------------------------------------------------------------------------


def _zeros(path: Path, size: int) -> None:
    """A file of zeros that takes no disk space."""
    with path.open("wb") as file:
        file.truncate(size)


def _packed_bomb(path: Path, beginning: bytes, piece: bytes, pieces: int) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(beginning)
        for _ in range(pieces):
            file.write(piece)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to RLIMIT_AS")
def test_large_files_do_not_fill_the_memory(tmp_path: Path, command_line: list[str], plain_environment: dict[str, str]) -> None:
    folder = tmp_path / "large"
    folder.mkdir()
    _zeros(folder / "a.jsonl", 1024 * MIB)
    _zeros(folder / "b.jsonl", RECORD_BYTES_MAX)
    (folder / "c.jsonl").write_bytes(LINES[0] + b"a" * (60 * MIB))
    (folder / "d.jsonl").write_bytes(LINES[0] + b"a" * (100 * MIB))
    _packed_bomb(folder / "e.jsonl.gz", LINES[0], bytes(MIB), 300)
    _packed_bomb(folder / "f.jsonl.gz", LINES[0], b"\n" * MIB, 256)
    (folder / "g.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(LINES[0] + bytes(256 * MIB)))
    # Correct lines without an end.
    incident = b'{"kind":"incident","game":"' + bytes(22) + b'","run":{"what":"slow"},"line":"' + bytes(22) + b'"}\n'
    _packed_bomb(folder / "h.jsonl.gz", LINES[0], incident * 1_000, 1_000)
    (folder / "i.jsonl").write_bytes(GOOD)

    checked = subprocess.run(
        limited("RLIMIT_AS", MEMORY_BYTES, [*command_line, "verify", str(folder), "--jobs", "1", "--json"]),
        env=plain_environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (1, "")
    document = json.loads(checked.stdout)
    assert [(Path(one["path"]).name[0], one["line"], one["reason"]) for one in document["not_good"]] == [
        ("a", None, "too-large"),
        ("b", 1, "no-record"),
        ("c", 2, "long-line"),
        ("d", None, "too-large"),
        ("e", 2, "long-line"),
        ("f", 2, "not-json"),
        ("g", 2, "long-line"),
        ("h", 2, "not-json"),
    ]
    assert document["good"] == 1


def test_no_more_work_begins_than_may_wait_to_be_handed_back() -> None:
    begun = 0

    def numbers() -> Iterator[int]:
        nonlocal begun
        for number in range(100):
            begun += 1
            yield number

    for done, result in enumerate(in_order(operator.neg, numbers(), 2)):
        assert result == -done
        assert begun <= done + 1 + RESULTS_AHEAD * 2
    assert begun == 100


# --- processes ----------------------------------------------------------------------------------------------


def test_a_process_that_dies_is_a_failure_and_its_file_is_named() -> None:
    with pytest.raises(CommandFailed, match="ended in the middle of 3: "):
        list(in_order(os._exit, [3, 3, 3], 2))


def test_a_process_that_raises_is_a_failure_and_shows_where(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandFailed, match="ended in the middle of 0: "):
        list(in_order(partial(operator.floordiv, 1), [0], 2))
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_process_that_is_stuck_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "RESULT_LIMIT_S", 0)
    with pytest.raises(CommandFailed, match=f"nothing was finished within 0 s, and {LIMIT_S} is the first"):
        list(in_order(time.sleep, [LIMIT_S, LIMIT_S + 1], 2))


def test_a_process_that_cannot_be_started_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    with pytest.raises(CommandFailed, match=r"no further process can be started \(Resource temporarily unavailable\)"):
        list(in_order(operator.neg, [1, 2], 2))


def test_ctrl_c_says_how_far_it_got(run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = record_files.record_chunks

    def interrupted(path: Path) -> Iterator[bytes]:
        if path.name == "c.jsonl":
            raise KeyboardInterrupt
        return read(path)

    monkeypatch.setattr(checking, "record_chunks", interrupted)
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        (tmp_path / name).write_bytes(GOOD if name == "a.jsonl" else b"")
    stopped = run("verify", ".", "--jobs", "1", "--json")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err == "mergemaker verify: interrupted after 2 of 3 records: 1 good, 1 bad\n"


@pytest.mark.skipif(not _is_posix(), reason="needs process groups as POSIX has them")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_all_processes(tmp_path: Path, command_line: list[str], plain_environment: dict[str, str], jobs: str) -> None:
    (tmp_path / "0.jsonl").write_bytes(b"")
    (tmp_path / "1.jsonl").write_bytes(GOOD)
    for number in range(2, 3_000):
        (tmp_path / f"{number}.jsonl").symlink_to("1.jsonl")
    child = subprocess.Popen(
        [*command_line, "verify", str(tmp_path), "--jobs", jobs],
        env=plain_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert child.stdout is not None
        # The first record's line comes at once, before the others are checked.
        assert "(empty)" in child.stdout.readline()
        # As a terminal does: to the command and to everything that it started.
        os.killpg(child.pid, signal.SIGINT)
        # Both pipes end when nobody holds them open, so no process was left behind.
        out, err = child.communicate(timeout=LIMIT_S)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(LIMIT_S)
    assert (child.returncode, out) == (130, "")
    assert "interrupted after " in err
    assert "Traceback" not in err


@pytest.mark.skipif(not _is_posix(), reason="needs terminals as POSIX has them")
def test_lines_go_where_they_are_sent_while_a_terminal_shows_progress(
    tmp_path: Path, command_line: list[str], plain_environment: dict[str, str]
) -> None:
    import pty  # noqa: PLC0415 - there is none outside POSIX

    (tmp_path / "a.jsonl").write_bytes(b"")
    ours, theirs = pty.openpty()
    try:
        checked = subprocess.run(
            [*command_line, "verify", str(tmp_path)],
            env=plain_environment,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        shown = os.read(ours, 65_536).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert checked.returncode == 1
    assert checked.stdout.splitlines()[1:] == ["1 record: 0 good, 1 bad"]
    assert "(empty)" in checked.stdout
    assert "(empty)" not in shown
    assert "records" in shown
