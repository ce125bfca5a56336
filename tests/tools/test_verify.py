"""`mergemaker verify`: which records are good, what is wrong with the others, and that no file stops it."""

import errno
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from mergemaker_engine.record import verifying
from mergemaker_engine.record.lines import DecisionLine
from mergemaker_engine.record.splitting import LINE_BYTES_MAX
from mergemaker_engine.rules import preset
from mergemaker_referee.records import files as record_files
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, renamed, sealed, with_wrong_result
from mergemaker_tools.records import checking

from tests.tools.conftest import Run

LINES = recorded_match(preset("renegade-classic"), 3, bytes(32))
GOOD = b"".join(LINES)
DECISIONS = len(LINES) - 3


def _other(seed: int) -> bytes:
    """Another match, with its own secrets."""
    lines = opened(recorded_match(preset("corporations"), 3, bytes([seed]) * 32))
    return b"".join(sealed(renamed(lines, f"m-{seed + 1}", bytes([seed]) * 32)))


def _zstd(content: bytes, window_log: int) -> bytes:
    """Packed as a stream, which states its window and not its length."""
    terms = zstandard.ZstdCompressionParameters.from_level(3, window_log=window_log)
    packing = zstandard.ZstdCompressor(compression_params=terms).compressobj()
    return packing.compress(content) + packing.flush()


def _wrong_digest() -> bytes:
    """A record with right hashes and one wrong digest."""
    lines = opened(LINES)
    lines[11] = replace(of_kind(lines[11], DecisionLine), digest=of_kind(lines[10], DecisionLine).digest)
    return b"".join(sealed(lines))


def _is_posix() -> bool:
    return os.name == "posix"


# --- what is good -------------------------------------------------------------------------------------------


def test_good_records_are_counted_however_they_are_packed(run: Callable[..., Run], tmp_path: Path) -> None:
    below = tmp_path / "records" / "below" / "deeper"
    below.mkdir(parents=True)
    (tmp_path / "records" / "a.jsonl").write_bytes(GOOD)
    (below.parent / "b.jsonl.gz").write_bytes(gzip.compress(_other(1)))
    (below / "c.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(_other(2)))
    (below / "c.jsonl.secrets").write_bytes(b"no record")
    checked = run("verify", "records")
    assert (checked.status, checked.out, checked.err) == (0, "3 records: 3 good\n", "")


def test_frames_of_zstd_follow_each_other(run: Callable[..., Run], tmp_path: Path) -> None:
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"aside"
    frames = [_zstd(GOOD[at : at + 7_000], 23) for at in range(0, len(GOOD), 7_000)]
    assert len(frames) > 3
    (tmp_path / "a.jsonl.zst").write_bytes(skipped.join(frames) + skipped)
    assert run("verify", "a.jsonl.zst").out == "1 record: 1 good\n"


def test_a_file_is_a_record_whatever_its_name(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "any name").write_bytes(gzip.compress(GOOD))
    assert run("verify", "any name").out == "1 record: 1 good\n"


def test_a_record_given_twice_is_checked_once(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(GOOD)
    assert run("verify", ".", "a.jsonl", str(tmp_path / "a.jsonl")).out == "1 record: 1 good\n"


def test_a_voided_match_can_be_good(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"".join(recorded_match(preset("renegade-classic"), 3, bytes(32), decisions=7)))
    assert run("verify", "a.jsonl").status == 0


@pytest.mark.parametrize("audited", [False, True])
def test_audit_looks_at_every_state(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, audited: bool
) -> None:
    monkeypatch.setattr(verifying, "audit", lambda _game: ["two and two are five"])
    (tmp_path / "a.jsonl").write_bytes(GOOD)
    checked = run("verify", "a.jsonl", *["--audit"] * audited)
    assert checked.status == audited
    if audited:
        assert checked.out.startswith("a.jsonl: line 3: two and two are five (audit)\n")


# --- what is not --------------------------------------------------------------------------------------------

NOT_GOOD = {
    "cut off in a line": (GOOD[:-5], f"line {len(LINES)}: unfinished: the last line is torn off", "(torn)"),
    "cut off between lines": (b"".join(LINES[:20]), "line 20: unfinished: the record has no end line", "(unfinished)"),
    "empty": (b"", "there is nothing in it", "(empty)"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "line 1: a record begins with", "(no-record)"),
    "torn before anything": (b"{", "line 1: unfinished: the last line is torn off", "(torn)"),
    "binary": (bytes(range(256)) * 40, "line 1: a record begins with", "(no-record)"),
    "blank line": (LINES[0] + b"\n", "line 2: a line is one JSON object", "(not-json)"),
    "not UTF-8": (LINES[0] + b"\xff\n", "line 2: a line is UTF-8 text", "(not-json)"),
    "long line": (LINES[0] + b"[" * (LINE_BYTES_MAX + 1), "line 2: a line has at most 65,536 bytes", "(long-line)"),
    "newer format": (GOOD.replace(b'"format":1', b'"format":2', 1), "line 1: this record has format 2", "(newer-format)"),
    "changed answer": (
        b"".join([*LINES[:11], LINES[11].replace(b'"seat":', b'"seat":0,"seat":'), *LINES[12:]]),
        "line 12: a name stands twice",
        "(twice)",
    ),
    "missing line": (b"".join([*LINES[:11], *LINES[12:]]), "line 12: ", "(game-chain)"),
    "wrong state": (_wrong_digest(), "line 12: after this decision the state has the digest", "(digest)"),
    "wrong result": (with_wrong_result(LINES), f"line {len(LINES)}: the money at the end is", "(result)"),
    "more after the end": (GOOD + LINES[-1], f"line {len(LINES) + 1}: the end line is the last", "(misplaced)"),
    "cut packing": (gzip.compress(GOOD)[:-30], "the gzip packing is damaged or cut short", "(bad-packing)"),
    "damaged packing": (gzip.compress(GOOD)[:40] + b"\xff" * 4_000, "the gzip packing is damaged", "(bad-packing)"),
    "large window": (
        _zstd(GOOD, 27),
        "unpacking this zstd file takes a window of 134,217,728 bytes, and 8,388,608",
        "(large-window)",
    ),
    "large window of a later frame": (
        _zstd(GOOD[:500], 20) + _zstd(GOOD[500:], 24),
        "unpacking this zstd file takes a window of 16,777,216 bytes",
        "(large-window)",
    ),
    "cut zstd": (_zstd(GOOD, 20)[:-9], "the zstd packing is cut short", "(bad-packing)"),
    "damaged zstd": (record_files.ZSTD_MAGIC + b"\xff" * 4_000, "the zstd packing is damaged", "(bad-packing)"),
}


@pytest.mark.parametrize("what", NOT_GOOD)
def test_what_is_wrong_is_told_in_one_line(run: Callable[..., Run], tmp_path: Path, what: str) -> None:
    content, said, reason = NOT_GOOD[what]
    (tmp_path / "a.jsonl").write_bytes(content)
    checked = run("verify", "a.jsonl")
    assert (checked.status, checked.err) == (1, "")
    line, summary = checked.out.splitlines()
    assert line.startswith(f"a.jsonl: {said}")
    assert line.endswith(reason)
    assert summary == ("1 record: 0 good, 1 unfinished" if "unfinished: " in said else "1 record: 0 good, 1 bad")


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_lines_have_the_order_of_the_files(run: Callable[..., Run], tmp_path: Path, jobs: str) -> None:
    # The first one takes longest.
    contents = [with_wrong_result(LINES), b"", GOOD, b"x", GOOD[:-5], b"", b"".join(LINES[:4]), GOOD, b"y"]
    for number, content in enumerate(contents):
        (tmp_path / f"{number}.jsonl").write_bytes(content)
    checked = run("verify", "8.jsonl", ".", "--jobs", jobs)
    assert [line.partition(":")[0] for line in checked.out.splitlines()] == [
        *(f"{number}.jsonl" for number in (8, 0, 1, 3, 4, 5, 6)),
        "9 records",
    ]
    assert checked.out.endswith("\n9 records: 2 good, 5 bad, 2 unfinished (1 copied)\n")
    assert checked.status == 1


def test_one_json_document(run: Callable[..., Run], tmp_path: Path) -> None:
    for name, content in {"a.jsonl": GOOD, "b.jsonl": _wrong_digest(), "c.jsonl": GOOD[:-5], "d.jsonl": b""}.items():
        (tmp_path / name).write_bytes(content)
    checked = run("verify", ".", "--json", "--audit")
    assert (checked.status, checked.err) == (1, "")
    document = json.loads(checked.out)
    found, (row,) = document.pop("not_good"), document.pop("rows")
    assert document == {
        "records": 4, "good": 1, "bad": 2, "unfinished": 1, "contradicting": 0, "decisions": DECISIONS, "audit": True,
        "voided": 0, "plain": 0, "forked": 0, "copies": 0, "unknown_terms": 0,
    }  # fmt: skip
    assert row["path"] == "a.jsonl"
    assert [(one["path"], one["state"], one["line"], one["reason"]) for one in found] == [
        ("b.jsonl", "bad", 12, "digest"),
        ("c.jsonl", "unfinished", len(LINES), "torn"),
        ("d.jsonl", "bad", None, "empty"),
    ]
    assert found[0]["text"].startswith("after this decision the state has the digest")


def test_quiet_shows_the_counts_alone(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    checked = run("verify", "a.jsonl", "--quiet")
    assert (checked.status, checked.out, checked.err) == (1, "1 record: 0 good, 1 bad\n", "")


@pytest.mark.skipif(not _is_posix(), reason="only POSIX has such names")
def test_a_strange_name_stays_in_its_line(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a\n\x1b[31m.jsonl").write_bytes(b"")
    lines = run("verify", ".").out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(r"'a\n\x1b[31m.jsonl': ")


# --- what is no record's file -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("nowhere.jsonl",), 2, "nowhere.jsonl cannot be found: No such file or directory"),
        (("a\0b",), 2, "'a\\x00b' cannot be found"),
        (("empty",), 2, "there is nothing in empty: a record's name ends in .jsonl, .jsonl.gz, .jsonl.zst"),
        (("empty", "empty"), 2, "there is nothing in these 2 folders"),
        ((), 2, "the following arguments are required: RECORD"),
        (("empty", "--jobs", "0"), 2, "--jobs: takes a whole number from 1 to 256, not '0'"),
        (("empty", "--json", "--quiet"), 2, "leave out --quiet"),
        (("empty", "--rows", "--quiet"), 2, "leave out --quiet"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], status: int, said: str) -> None:
    (tmp_path / "empty" / "folder.jsonl").mkdir(parents=True)
    (tmp_path / "empty" / "notes.txt").write_text("no record")
    refused = run("verify", *arguments)
    assert (refused.status, refused.out) == (status, "")
    assert said in refused.err


@pytest.mark.skipif(not _is_posix(), reason="needs pipes as POSIX has them")
def test_a_pipe_or_device_is_not_waited_for(run: Callable[..., Run], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    checked = run("verify", ".", "/dev/zero")
    assert checked.out.splitlines() == [
        "a.jsonl: this is no regular file, and a record is one (no-file)",
        "/dev/zero: this is no regular file, and a record is one (no-file)",
        "2 records: 0 good, 2 bad",
    ]


@pytest.mark.skipif(not _is_posix(), reason="needs links as POSIX has them")
def test_a_file_that_disappears_before_its_turn_is_unreadable(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to("nowhere")
    checked = run("verify", ".")
    assert checked.out.startswith("a.jsonl: this file cannot be read: No such file or directory (unreadable)\n")
    assert checked.status == 1


def test_a_file_that_cannot_be_read_does_not_stop_the_others(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = record_files.record_chunks

    def half_read(path: Path) -> Iterator[bytes]:
        for chunk in read(path):
            yield chunk[:1_000]
            if path.name == "a.jsonl":
                raise OSError(errno.EIO, "Input/output error")
            yield chunk[1_000:]

    monkeypatch.setattr(checking, "record_chunks", half_read)
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(GOOD)
    checked = run("verify", ".", "--jobs", "1")
    assert checked.out == ("a.jsonl: this file cannot be read: Input/output error (unreadable)\n2 records: 1 good, 1 bad\n")


def test_a_folder_that_cannot_be_read_is_a_failure(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    failed = run("verify", str(tmp_path))
    assert (failed.status, failed.out) == (1, "")
    assert f"the folder {tmp_path} cannot be read: Permission denied" in failed.err


def test_without_zstd_nothing_is_called_bad(run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(GOOD))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    failed = run("verify", ".")
    assert (failed.status, failed.out) == (1, "")
    assert "a.jsonl.zst: zstd needs an extra: `pip install 'mergemaker[zstd]'`" in failed.err
