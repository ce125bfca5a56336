"""Files of bots' output: their names, what is kept, and their last lines."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_processes.kept_log import KeptLog
from mergemaker_processes.logs import LINE_CHARACTERS_MAX, last_lines, log_lines, new_log_files
from mergemaker_tools.problems import CommandFailed


@pytest.mark.parametrize(
    ("match", "bot", "expected"),
    [
        ("m1", "greedy", "m1-seat3-greedy"),
        ("../../m", "a/b\\c:d*?", "m-seat3-a_b_c_d"),
        ("m", "planner:playouts=200", "m-seat3-planner_playouts_200"),
        ("m", "Käse\n\x1b[1m", "m-seat3-K_se_1m"),
        ("m", "...", "m-seat3-bot"),
        ("m", "x" * 500, f"m-seat3-{'x' * 60}"),
    ],
)
def test_files_have_names_that_any_system_takes(tmp_path: Path, match: str, bot: str, expected: str) -> None:
    files = new_log_files(tmp_path / "a" / "b", match, 3, bot)
    assert (files.out.name, files.err.name) == (f"{expected}.out", f"{expected}.err")
    assert files.out.parent == tmp_path / "a" / "b"
    assert (files.out.stat().st_size, files.err.stat().st_size) == (0, 0)


def test_logs_that_are_there_are_left_alone(tmp_path: Path) -> None:
    first = new_log_files(tmp_path, "m", 0, "bot")
    first.out.write_text("kept")
    second, third = (new_log_files(tmp_path, "m", 0, "bot") for _ in range(2))
    assert [second.out.name, third.err.name] == ["m-seat0-bot-2.out", "m-seat0-bot-3.err"]
    assert first.out.read_text() == "kept"


def test_a_folder_that_cannot_be_is_a_problem_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandFailed, match=r"logs of bots cannot be written in .*file \(.+\): choose another folder"):
        new_log_files(tmp_path / "file", "m", 0, "bot")


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n\ntwo\r\n", ["one", "", "two"]),
        (b"1\n2\n3\n4\n", ["2", "3", "4"]),
        (b"\x1b[31mred\x1b[0m\tand \xff\x07", ["\\x1b[31mred\\x1b[0m    and \N{REPLACEMENT CHARACTER}\\x07"]),
        (b"y" * 500, ["y" * LINE_CHARACTERS_MAX + "…"]),
        (b"z" * 70_000 + b"\nlast", ["z" * LINE_CHARACTERS_MAX + "…", "last"]),
    ],
)
def test_the_last_lines_are_shown_without_what_a_terminal_obeys(tmp_path: Path, written: bytes, lines: list[str]) -> None:
    path = tmp_path / "log"
    path.write_bytes(written)
    assert last_lines(path, 3) == lines


def test_a_bots_output_is_named_beside_its_log_where_there_is_some(tmp_path: Path) -> None:
    files = new_log_files(tmp_path, "m", 0, "my.bot")
    assert log_lines(files.err) == [f"its log: {files.err}"]
    files.out.write_text("thinking\n", "utf-8")
    assert log_lines(files.err)[1:] == [f"its output: {files.out}"]
    files.out.unlink()
    assert len(log_lines(files.err)) == 1


def test_a_log_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none") == [f"({tmp_path / 'none'} cannot be read: No such file or directory)"]


@given(st.lists(st.binary(max_size=60)), st.integers(0, 200))
def test_beginning_and_end_are_kept_and_the_rest_is_counted(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], bytes_max: int
) -> None:
    path = tmp_path_factory.mktemp("kept") / "log"
    log = KeptLog(str(path), bytes_max)
    for part in parts:
        log.take(part)
    log.finish()
    whole = b"".join(parts)
    tail_max = bytes_max // 16
    head, tail = whole[: bytes_max - tail_max], whole[bytes_max - tail_max :]
    full = b"\n[mergemaker: this log is full; its end follows when the bot has ended]\n"
    expected = head + (full if head and len(head) == bytes_max - tail_max else b"")
    if len(tail) > tail_max:
        expected += b"[mergemaker: %d bytes are left out here]\n" % (len(tail) - tail_max)
    assert path.read_bytes() == expected + (tail[-tail_max:] if tail_max else b"")
    assert log.problem == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110 - shorter
def test_a_file_that_takes_no_more_is_said_and_not_tried_again() -> None:
    log = KeptLog("/dev/full", 100)
    log.take(b"one")
    log.take(b"two" * 100)
    log.finish()
    assert os.strerror(log.problem) == "No space left on device"
