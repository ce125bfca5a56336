"""`mergemaker export` writes a whole table or none: bad records, refused places, interruptions."""

import errno
import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from mergemaker_engine.record.lines import DecisionLine
from mergemaker_referee.records import files as record_files
from mergemaker_testkit.exported_records import CLASSIC, FORMATS, write_records
from mergemaker_testkit.limited import limited
from mergemaker_testkit.recorded import of_kind, opened, sealed, with_wrong_result

from tests.tools.conftest import Run

# A guard against a hang.
LIMIT_S = 60


# --- records that are not good ------------------------------------------------------------------------------


def _illegal_answer() -> bytes:
    lines = opened(CLASSIC)
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.asked == "ChoosePurchase")
    lines[at] = replace(of_kind(lines[at], DecisionLine), answer="buy 3 Imperial 2 Tower")
    return b"".join(sealed(lines))


def _asked_otherwise() -> bytes:
    lines = opened(CLASSIC)
    lines[-2] = replace(of_kind(lines[-2], DecisionLine), asked="ChooseExchange")
    return b"".join(sealed(lines))


UNFINISHED = {
    "unfinished": (b"".join(CLASSIC[:-1]), "unfinished: the record has no end line"),
    "torn": (b"".join(CLASSIC)[:-3], "unfinished: the last line is torn off"),
}
BAD = {
    "empty": (b"", "there is nothing in it"),
    "picture": (b"\x89PNG\r\n\x1a\n", "a record begins with"),
    "cut": (gzip.compress(b"".join(CLASSIC))[:-30], "the gzip packing is damaged or cut short"),
    "wrong result": (with_wrong_result(CLASSIC), f"line {len(CLASSIC)}: the end line gives another result than the game has"),
    "illegal answer": (_illegal_answer(), "(too-many-shares)"),
    "asked otherwise": (_asked_otherwise(), f"line {len(CLASSIC) - 1}: seat "),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("what", BAD)
def test_a_bad_record_stops_the_export_and_nothing_is_left(run: Callable[..., Run], tmp_path: Path, form: str, what: str) -> None:
    content, said = BAD[what]
    write_records(tmp_path, "a")
    (tmp_path / "b.jsonl").write_bytes(content)
    failed = run("export", "a.jsonl", "b.jsonl", "--format", form, "-o", "table", "--jobs", "1")
    assert (failed.status, failed.out) == (1, "")
    assert failed.err.startswith("mergemaker export: b.jsonl: ")
    assert said in failed.err
    assert failed.err.endswith("--skip-bad leaves such records out.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("form", FORMATS)
def test_bad_records_can_be_left_out(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, "a", "e")
    assert run("export", "a.jsonl", "e.jsonl", "--format", form, "-o", "expected").status == 0
    for number, (content, _) in enumerate(BAD.values()):
        (tmp_path / f"b{number}.jsonl").write_bytes(content)
    done = run("export", ".", "--format", form, "-o", "table", "--skip-bad")
    assert done.status == 0
    assert done.out == f"table: {len(CLASSIC) - 3 + 9} decisions of 2 records; {len(BAD)} left out\n"
    for line, (number, (_, said)) in zip(done.err.splitlines(), enumerate(BAD.values()), strict=True):
        assert line.startswith(f"left out: b{number}.jsonl: ")
        assert said in line
    assert (tmp_path / "table").read_bytes() == (tmp_path / "expected").read_bytes()


@pytest.mark.parametrize("form", FORMATS)
def test_running_matches_are_left_out_with_a_note(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, "a")
    assert run("export", "a.jsonl", "--format", form, "-o", "expected").status == 0
    for number, (content, _) in enumerate(UNFINISHED.values()):
        (tmp_path / f"b{number}.jsonl").write_bytes(content)
    done = run("export", ".", "--format", form, "-o", "table")
    assert (done.status, done.out) == (0, f"table: {len(CLASSIC) - 3} decisions of 1 record; {len(UNFINISHED)} left out\n")
    for line, (number, (_, said)) in zip(done.err.splitlines(), enumerate(UNFINISHED.values()), strict=True):
        assert line.startswith(f"left out: b{number}.jsonl: ")
        assert said in line
    assert (tmp_path / "table").read_bytes() == (tmp_path / "expected").read_bytes()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("more", [(), ("--force",)])
def test_the_null_device_takes_a_table(run: Callable[..., Run], tmp_path: Path, form: str, more: tuple[str, ...]) -> None:
    write_records(tmp_path, "a")
    done = run("export", "a.jsonl", "--format", form, "-o", os.devnull, *more)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{os.devnull}: {len(CLASSIC) - 3} decisions of 1 record\n"
    assert not Path(os.devnull).is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_without_a_good_record_there_is_no_table(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    failed = run("export", ".", "--format", "csv", "-o", "t.csv", "--skip-bad")
    assert (failed.status, failed.out) == (1, "")
    assert "not one record is good and finished" in failed.err
    assert not list(tmp_path.glob("t.csv*"))


# --- where a table goes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.jsonl",), "say what to write: --format csv, jsonl, parquet, or a file whose name ends so"),
        (("a.jsonl", "-o", "table.xls"), "say what to write"),
        (("a.jsonl", "--format", "xls"), "--format"),
        (("--format", "csv"), "the following arguments are required: RECORD"),
        (("a.jsonl", "--format", "parquet"), "parquet is not for standard output: name a file with -o"),
        (("a.jsonl", "--format", "csv", "--json"), "name it with -o"),
        (("a.jsonl", "--format", "csv", "-o", "old"), "old is there already: choose another name, or replace it with --force"),
        (("a.jsonl", "--format", "csv", "-o", ".", "--force"), ". is there, and is no file"),
        (("a.jsonl", "--format", "csv", "-o", "none/t"), "there is no folder none"),
        (("a.jsonl", "--format", "csv", "-o", "a.jsonl", "--force"), "a.jsonl is one of the records"),
        ((".", "--format", "csv", "-o", "link", "--force"), "link is one of the records"),
        (("a.jsonl", "--format", "csv", "-o", "held"), "held.part is there: another export is writing it, or one was killed"),
        (("a.jsonl", "--format", "csv", "-o", "n" * 300), "n cannot be a file: File name too long"),
        (("nowhere", "--format", "csv", "-o", "t"), "nowhere cannot be found"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    write_records(tmp_path, "a")
    (tmp_path / "old").write_text("old")
    (tmp_path / "held.part").write_text("half")
    (tmp_path / "link").symlink_to("a.jsonl")
    refused = run("export", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "held.part", "link", "old"]
    assert (tmp_path / "old").read_text() == "old"
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(CLASSIC)


@pytest.mark.parametrize("name", ["n" * 252, "a\0b"])
def test_a_name_under_which_nothing_can_be_written_is_a_failure(run: Callable[..., Run], tmp_path: Path, name: str) -> None:
    write_records(tmp_path, "a")
    failed = run("export", "a.jsonl", "--format", "csv", "-o", name)
    assert (failed.status, failed.out) == (1, "")
    assert ".part" in failed.err
    assert " cannot be written: " in failed.err


def test_force_replaces_a_file_and_the_remains_of_one(run: Callable[..., Run], tmp_path: Path) -> None:
    write_records(tmp_path, "a")
    (tmp_path / "t").write_text("old")
    (tmp_path / "t.part").write_text("half" * 1_000_000)
    assert run("export", "a.jsonl", "--format", "jsonl", "-o", "t", "--force").status == 0
    assert len((tmp_path / "t").read_bytes().splitlines()) == len(CLASSIC) - 3
    assert not (tmp_path / "t.part").exists()


def test_without_pyarrow_the_message_says_what_to_install(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_records(tmp_path, "a")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    failed = run("export", "a.jsonl", "--format", "parquet", "-o", "t")
    assert (failed.status, failed.out) == (1, "")
    assert "pip install 'mergemaker[parquet]'" in failed.err
    assert not (tmp_path / "t").exists()
    assert run("export", "a.jsonl", "--format", "csv", "-o", "t").status == 0


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, command_line: list[str], plain_environment: dict[str, str], form: str
) -> None:
    write_records(tmp_path, "a")
    failed = subprocess.run(
        limited("RLIMIT_FSIZE", 4_096, [*command_line, "export", "a.jsonl", "--format", form, "-o", "t"]),
        env=plain_environment | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == f"mergemaker export: t cannot be written: {os.strerror(errno.EFBIG)}; nothing is left of it\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


# --- interrupted --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_ctrl_c_says_how_far_it_got_and_leaves_nothing(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    read = record_files.record_chunks

    def interrupted(path: Path) -> Iterator[bytes]:
        if path.name == "e.jsonl":
            raise KeyboardInterrupt
        return read(path)

    monkeypatch.setattr("mergemaker_tools.records.checking.record_chunks", interrupted)
    write_records(tmp_path, "a", "e")
    stopped = run("export", "a.jsonl", "e.jsonl", "--format", form, "-o", "t", "--jobs", "1")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err == "mergemaker export: interrupted after 1 of 2 records; t was not written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "e.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="needs process groups as POSIX has them")
@pytest.mark.parametrize("sent", ["interrupt", "close"])
def test_a_stream_can_be_stopped_from_both_ends(
    tmp_path: Path, command_line: list[str], plain_environment: dict[str, str], sent: str
) -> None:
    write_records(tmp_path, "a")
    for number in range(400):
        (tmp_path / f"{number}.jsonl").symlink_to("a.jsonl")
    child = subprocess.Popen(
        [*command_line, "export", str(tmp_path), "--format", "csv", "--jobs", "2"],
        env=plain_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().startswith("export_version,file,match,")
        assert child.stdout.readline().startswith(f"2,{tmp_path / '0.jsonl'},m-1,")
        if sent == "interrupt":
            # As a terminal does: to the command and to everything that it started.
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.stdout.close()
            child.stdout = None
        # The pipes end when nobody holds them open, so no process was left behind.
        _, err = child.communicate(timeout=LIMIT_S)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(LIMIT_S)
    assert child.returncode == (130 if sent == "interrupt" else 141)
    assert ("interrupted after " in err) is (sent == "interrupt")
    assert "Traceback" not in err
