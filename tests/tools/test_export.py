"""`mergemaker export`: tables that say what the records say, in three formats, whole or not at all."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest
from mergemaker_engine.actions import POWERS as POWERS_IN_ORDER
from mergemaker_engine.actions import code_of
from mergemaker_engine.board import CHAINS
from mergemaker_engine.decisions import ChooseOffer, ChooseReply
from mergemaker_engine.notation import parse_rules
from mergemaker_engine.record.lines import DecisionLine, EndLine, Header
from mergemaker_engine.record.reading import Record, read_record
from mergemaker_engine.views import FIRST_CHAIN_SQUARE
from mergemaker_engine.wording import action_text
from mergemaker_referee import record_files
from mergemaker_testkit.limited import limited
from mergemaker_testkit.recorded import of_kind, opened, recorded_match, sealed
from mergemaker_tools.exporting import formats
from mergemaker_tools.exporting.columns import COLUMNS, EXPORT_VERSION, NAMES, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.tools.conftest import Run

# How long anything here may take on a slow machine.
LIMIT_S = 60
FORMATS = ("csv", "jsonl", "parquet")
ROOT = Path(__file__).parents[2]

RULES = {
    text: parse_rules(text)
    for text in (
        "renegade-classic", "reference-trading", "avalon-hill-powers", "renegade-tycoon assets=hidden", "corporations",
    )
}  # fmt: skip
CLASSIC = recorded_match(RULES["renegade-classic"], 3, bytes(32))
TRADING = recorded_match(RULES["reference-trading"], 3, bytes(32))
POWERS = recorded_match(RULES["avalon-hill-powers"], 4, bytes(32))
HIDDEN = recorded_match(RULES["renegade-tycoon assets=hidden"], 6, bytes([4]) * 32)
VOIDED = recorded_match(RULES["corporations"], 3, bytes(32), decisions=9)
RECORDS = {"a": CLASSIC, "b": TRADING, "c": POWERS, "d": HIDDEN, "e": VOIDED}

Rows = list[dict[str, Any]]


def _write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{name}.jsonl").write_bytes(b"".join(RECORDS[name]))


def _value(text: str, kind: Kind) -> object:
    """A value of a csv file, of which only the column says what it is."""
    if kind is Kind.NUMBERS:
        return [int(word) for word in text.split()]
    if kind is Kind.YES_NO:
        return {"true": True, "false": False}[text]
    return int(text) if kind is Kind.NUMBER else text


def _read_csv(content: bytes) -> Rows:
    head, *lines = csv.reader(io.StringIO(content.decode(), newline=""))
    assert head == list(NAMES)
    return [
        {
            column.name: None if column.empty and not text else _value(text, column.kind)
            for column, text in zip(COLUMNS, line, strict=True)
        }
        for line in lines
    ]


def _read(path: Path) -> Rows:
    """The rows of a table in any format, as `json.loads` gives them."""
    content = path.read_bytes()
    if path.suffix == ".csv":
        return _read_csv(content)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in content.splitlines()]
    rows: Rows = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def _expected(record: Record) -> Rows:
    """The rows once more, from `Record.steps()`, views and the lines."""
    header, end = record.header, record.end
    assert end is not None
    rows: Rows = []
    for step in record.steps():
        public, own = step.before.public_view(), step.view(step.seat)
        trading = isinstance(step.decision, ChooseOffer | ChooseReply)
        seats = [step.view(seat) for seat in range(header.seats)]
        shares = [seat.shares[number] for number, seat in enumerate(seats)]
        rows.append(
            {
                "export_version": 1,
                "match": header.match,
                "rules": next(text for text, rules in RULES.items() if rules == header.rules),
                "fingerprint": header.rules.fingerprint(),
                "seats": header.seats,
                "codes": len(step.mask) if not trading else 818,
                "assets_open": public.cash[0] is not None,
                "n": step.number,
                "line": step.line_number,
                "seat": step.seat,
                "bot": f"random {step.seat}",
                "turn": own.turn,
                "turn_seat": own.turn_seat,
                "kind": type(step.decision).__name__,
                "asked": step.line.asked,
                "board": "".join(str(mark) for mark in public.board),
                "sizes": list(public.sizes),
                "prices": list(public.prices),
                "market": list(public.market),
                "pile": public.pile,
                "set_aside": list(public.set_aside),
                "hand_sizes": list(public.hand_sizes),
                "powers_used": [sum(1 << POWERS_IN_ORDER.index(power) for power in used) for used in public.powers_used]
                or [0] * header.seats,
                "declared": public.declared,
                "end_allowed": public.end_allowed,
                "cash": [seat.cash[number] for number, seat in enumerate(seats)],
                "shares": [count for held in shares for count in held or ()],
                "hand": list(own.hand),
                "legal": len(step.legal),
                "legal_codes": None if trading else [code for code, legal in enumerate(step.mask) if legal],
                "answer": action_text(step.answer, header.rules),
                "code": None if trading else code_of(step.answer),
                "by": str(step.line.by),
                "used_ms": 12,
                "bank_ms": None,
                "ended": str(end.why),
                "final_money": end.cash and end.cash[step.seat],
                "place": end.places and end.places[step.seat],
                "won": end.places and end.places[step.seat] == 1,
            }
        )
    return rows


# --- what is in a table -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_table_says_what_the_record_says(run: Callable[..., Run], tmp_path: Path, form: str, name: str) -> None:
    _write(tmp_path, name)
    done = run("export", f"{name}.jsonl", "--format", form, "-o", f"table.{form}")
    record = read_record([b"".join(RECORDS[name])])
    decisions = len(record.decisions)
    assert (done.status, done.out, done.err) == (0, f"table.{form}: {decisions} decisions of 1 record\n", "")
    table = _read(tmp_path / f"table.{form}")
    for row, expected in zip(table, _expected(record), strict=True):
        assert row == expected
        assert [type(value) for value in row.values()] == [type(value) for value in expected.values()]
    assert len(table) == decisions


def test_the_records_of_these_tests_have_everything() -> None:
    rows = [row for lines in RECORDS.values() for row in _expected(read_record([b"".join(lines)]))]
    assert {row["kind"] for row in rows} >= {"ChooseTile", "ChooseDisposal", "ChooseFounded", "ChooseOffer", "ChoosePower"}
    assert {row["ended"] for row in rows} == {"declared", "voided"}
    for name in ("assets_open", "won", "end_allowed", "declared", "set_aside", "legal_codes"):
        assert {bool(row[name]) for row in rows} == {True, False}, name
    assert any(sum(row["powers_used"]) for row in rows)
    assert {str(FIRST_CHAIN_SQUARE + chain) for chain in range(CHAINS)} <= set("".join(row["board"] for row in rows))


@pytest.mark.parametrize("form", FORMATS)
def test_any_number_of_processes_writes_the_same(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    _write(tmp_path, *RECORDS)
    for jobs in ("1", "3"):
        done = run("export", ".", "--format", form, "-o", f"table-{jobs}", "--jobs", jobs)
        assert done.status == 0
    assert (tmp_path / "table-1").read_bytes() == (tmp_path / "table-3").read_bytes()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_standard_output_gets_what_a_file_gets(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    _write(tmp_path, "a", "e")
    assert run("export", "a.jsonl", "e.jsonl", "--format", form, "--output", "table").status == 0
    done = run("export", "a.jsonl", "e.jsonl", "--format", form)
    assert (done.status, done.err) == (0, "")
    assert done.out.encode() == (tmp_path / "table").read_bytes()


def test_texts_that_would_break_a_line_are_quoted(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(CLASSIC)
    header = of_kind(lines[0], Header)
    strange = ('a,"b"\r\nc', "ä 漢", "")
    lines[0] = replace(header, bots=strange)
    (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
    for form in FORMATS:
        assert run("export", "a.jsonl", "--format", form, "-o", f"table.{form}").status == 0
        assert {row["bot"] for row in _read(tmp_path / f"table.{form}")} == set(strange)


def test_times_are_taken_only_where_they_are_numbers(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(CLASSIC)
    parts: list[dict[str, object]] = [{"used_ms": True, "bank_ms": "5"}, {}, {"used_ms": -1, "bank_ms": 2**53 - 1}]
    for at, run_part in enumerate(parts, 2):
        lines[at] = replace(of_kind(lines[at], DecisionLine), run=run_part)
    (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
    assert run("export", "a.jsonl", "--format", "parquet", "-o", "t.parquet").status == 0
    rows = _read(tmp_path / "t.parquet")
    assert [(row["used_ms"], row["bank_ms"]) for row in rows[:4]] == [
        (None, None), (None, None), (-1, 2**53 - 1), (12, None),
    ]  # fmt: skip


def test_parquet_has_types_a_version_and_bounded_row_groups(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "ROW_GROUP_ROWS", 100)
    _write(tmp_path, *RECORDS)
    assert run("export", ".", "--format", "parquet", "-o", "t.parquet", "--jobs", "1").status == 0
    file = pyarrow.parquet.ParquetFile(tmp_path / "t.parquet")
    try:
        assert file.metadata.metadata[b"mergemaker.export_version"] == b"1"
        groups = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
        schema = file.schema_arrow
    finally:
        file.close()
    assert max(groups) <= 100
    assert sum(groups) == sum(len(read_record([b"".join(lines)]).decisions) for lines in RECORDS.values())
    types = {Kind.TEXT: "string", Kind.NUMBER: "int64", Kind.YES_NO: "bool", Kind.NUMBERS: "list<element: int32>"}
    assert [(field.name, str(field.type), field.nullable) for field in schema] == [
        (column.name, types[column.kind], bool(column.empty)) for column in COLUMNS
    ]


@pytest.mark.checkout
def test_every_column_is_documented_as_it_is() -> None:
    page = (ROOT / "tools" / "EXPORT.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| `\w+` \| (?:text|number|yes/no|numbers) \|", line)]
    assert rows == [
        f"| `{column.name}` | {column.kind} | {column.known} | {column.says} | {column.empty or 'never'} |" for column in COLUMNS
    ]
    assert f"## Columns, version {EXPORT_VERSION}\n" in page
    assert f"at most {formats.ROW_GROUP_ROWS:,} rows" in page


def test_the_version_has_risen_if_the_columns_are_others() -> None:
    assert (EXPORT_VERSION, len(COLUMNS)) == (1, 39)
    assert NAMES[0] == "export_version"


def test_the_summary_as_a_document(run: Callable[..., Run], tmp_path: Path) -> None:
    _write(tmp_path, "a", "e")
    (tmp_path / "b.jsonl").write_bytes(b"")
    done = run("export", ".", "--format", "csv", "-o", "t.csv", "--json", "--skip-bad")
    document = json.loads(done.out)
    left_out = document.pop("left_out")
    assert document == {
        "file": "t.csv",
        "format": "csv",
        "export_version": 1,
        "records": 2,
        "decisions": len(CLASSIC) - 3 + 9,
    }
    assert [(one["path"], one["state"], one["reason"]) for one in left_out] == [("b.jsonl", "bad", "empty")]


# --- records that are not good ------------------------------------------------------------------------------


def _wrong_result() -> bytes:
    lines = opened(CLASSIC)
    end = of_kind(lines[-1], EndLine)
    assert end.cash is not None
    lines[-1] = replace(end, cash=tuple(cash + 100 for cash in end.cash))
    return b"".join(sealed(lines))


def _illegal_answer() -> bytes:
    lines = opened(CLASSIC)
    at = next(at for at, line in enumerate(lines) if isinstance(line, DecisionLine) and line.asked == "ChoosePurchase")
    lines[at] = replace(of_kind(lines[at], DecisionLine), answer="buy 3 Imperial 2 Tower")
    return b"".join(sealed(lines))


def _asked_otherwise() -> bytes:
    lines = opened(CLASSIC)
    lines[-2] = replace(of_kind(lines[-2], DecisionLine), asked="ChooseExchange")
    return b"".join(sealed(lines))


BAD = {
    "unfinished": (b"".join(CLASSIC[:-1]), "unfinished: the record has no end line"),
    "torn": (b"".join(CLASSIC)[:-3], "unfinished: the last line is torn off"),
    "empty": (b"", "there is nothing in it"),
    "picture": (b"\x89PNG\r\n\x1a\n", "a record begins with"),
    "cut": (gzip.compress(b"".join(CLASSIC))[:-30], "the gzip packing is damaged or cut short"),
    "wrong result": (_wrong_result(), f"line {len(CLASSIC)}: the end line gives another result than the game has"),
    "illegal answer": (_illegal_answer(), "(too-many-shares)"),
    "asked otherwise": (_asked_otherwise(), f"line {len(CLASSIC) - 1}: seat "),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("what", BAD)
def test_a_bad_record_stops_the_export_and_nothing_is_left(run: Callable[..., Run], tmp_path: Path, form: str, what: str) -> None:
    content, said = BAD[what]
    _write(tmp_path, "a")
    (tmp_path / "b.jsonl").write_bytes(content)
    failed = run("export", "a.jsonl", "b.jsonl", "--format", form, "-o", "table", "--jobs", "1")
    assert (failed.status, failed.out) == (1, "")
    assert failed.err.startswith("mergemaker export: b.jsonl: ")
    assert said in failed.err
    assert failed.err.endswith("--skip-bad leaves such records out.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize("form", FORMATS)
def test_bad_records_can_be_left_out(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    _write(tmp_path, "a", "e")
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


def test_without_a_good_record_there_is_no_table(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    failed = run("export", ".", "--format", "csv", "-o", "t.csv", "--skip-bad")
    assert (failed.status, failed.out) == (1, "")
    assert "not one record is good" in failed.err
    assert not list(tmp_path.glob("t.csv*"))


# --- where a table goes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.jsonl",), "the following arguments are required: --format"),
        (("a.jsonl", "--format", "xls"), "--format"),
        (("--format", "csv"), "the following arguments are required: RECORD"),
        (("a.jsonl", "--format", "parquet"), "parquet is not for standard output: name a file with -o"),
        (("a.jsonl", "--format", "csv", "--json"), "name it with -o"),
        (("a.jsonl", "--format", "csv", "-o", "old"), "old is there already: choose another name, or replace it with --force"),
        (("a.jsonl", "--format", "csv", "-o", ".", "--force"), ". is there, and is no file"),
        (("a.jsonl", "--format", "csv", "-o", os.devnull, "--force"), "is there, and is no file"),
        (("a.jsonl", "--format", "csv", "-o", "none/t"), "there is no folder none"),
        (("a.jsonl", "--format", "csv", "-o", "a.jsonl", "--force"), "a.jsonl is one of the records"),
        ((".", "--format", "csv", "-o", "link", "--force"), "link is one of the records"),
        (("a.jsonl", "--format", "csv", "-o", "held"), "held.part is there: another export is writing it, or one was killed"),
        (("a.jsonl", "--format", "csv", "-o", "n" * 300), "n cannot be a file: File name too long"),
        (("nowhere", "--format", "csv", "-o", "t"), "nowhere cannot be found"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    _write(tmp_path, "a")
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
    _write(tmp_path, "a")
    failed = run("export", "a.jsonl", "--format", "csv", "-o", name)
    assert (failed.status, failed.out) == (1, "")
    assert ".part" in failed.err
    assert " cannot be written: " in failed.err


def test_force_replaces_a_file_and_what_is_left_of_one(run: Callable[..., Run], tmp_path: Path) -> None:
    _write(tmp_path, "a")
    (tmp_path / "t").write_text("old")
    (tmp_path / "t.part").write_text("half" * 1_000_000)
    assert run("export", "a.jsonl", "--format", "jsonl", "-o", "t", "--force").status == 0
    assert len((tmp_path / "t").read_bytes().splitlines()) == len(CLASSIC) - 3
    assert not (tmp_path / "t.part").exists()


def test_without_pyarrow_it_is_said_what_to_install(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, "a")
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
    _write(tmp_path, "a")
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

    monkeypatch.setattr("mergemaker_tools.checking.record_chunks", interrupted)
    _write(tmp_path, "a", "e")
    stopped = run("export", "a.jsonl", "e.jsonl", "--format", form, "-o", "t", "--jobs", "1")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err == "mergemaker export: interrupted after 1 of 2 records; t was not written\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "e.jsonl"]


def _with_ctrl_c() -> None:
    """What a terminal's shell gives its commands; a shell that starts the tests in the background has it switched off."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="needs process groups as POSIX has them")
@pytest.mark.parametrize("sent", ["interrupt", "close"])
def test_a_stream_can_be_stopped_from_both_ends(
    tmp_path: Path, command_line: list[str], plain_environment: dict[str, str], sent: str
) -> None:
    _write(tmp_path, "a")
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
        preexec_fn=_with_ctrl_c,  # noqa: PLW1509 - nothing else runs in this process's threads
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline().startswith("export_version,match,")
        assert child.stdout.readline().startswith("1,m-1,")
        if sent == "interrupt":
            # As a terminal does: to the command and to all that it started.
            os.killpg(child.pid, signal.SIGINT)
        else:
            child.stdout.close()
            child.stdout = None
        # The pipes end when nobody has them open any more: no process was left behind.
        _, err = child.communicate(timeout=LIMIT_S)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait(LIMIT_S)
    assert child.returncode == (130 if sent == "interrupt" else 141)
    assert ("interrupted after " in err) is (sent == "interrupt")
    assert "Traceback" not in err


# --- memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_more_records_do_not_take_more_memory(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(formats, "ROW_GROUP_ROWS", 200)
    _write(tmp_path, "a")
    peaks: list[int] = []
    for count in (2, 12):
        (tmp_path / str(count)).mkdir()
        for number in range(count):
            (tmp_path / str(count) / f"{number}.jsonl").symlink_to(tmp_path / "a.jsonl")
        tracemalloc.start()
        try:
            done = run("export", str(count), "--format", form, "-o", f"t{count}", "--jobs", "1")
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        assert done.status == 0
    # The table is made of one record's part after the other, each of which is larger than what may come on top.
    part = len(run("export", "a.jsonl", "--format", "csv").out)
    assert peaks[1] < peaks[0] + part
