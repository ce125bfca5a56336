"""`mergemaker export`: tables with the contents of records, in three formats and bounded memory."""

import json
import os
import re
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
from mergemaker_engine.board import CHAINS
from mergemaker_engine.record.lines import DecisionLine, Header
from mergemaker_engine.record.reading import read_record
from mergemaker_engine.views import FIRST_CHAIN_SQUARE
from mergemaker_processes.texts import harmless
from mergemaker_testkit.exported_records import CLASSIC, FORKED, FORKED_AT, FORMATS, RECORDS, forked, write_records
from mergemaker_testkit.exported_tables import expected_rows, read_csv, read_table
from mergemaker_testkit.recorded import of_kind, opened, sealed
from mergemaker_tools.exporting import formats
from mergemaker_tools.exporting.columns import COLUMNS, EXPORT_VERSION, NAMES, Kind

from tests.tools.conftest import Run

ROOT = Path(__file__).parents[2]

# --- what is in a table -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_table_says_what_the_record_says(run: Callable[..., Run], tmp_path: Path, form: str, name: str) -> None:
    write_records(tmp_path, name)
    done = run("export", f"{name}.jsonl", "--format", form, "-o", f"table.{form}")
    record = read_record([b"".join(RECORDS[name])])
    decisions = len(record.decisions)
    assert (done.status, done.out, done.err) == (0, f"table.{form}: {decisions} decisions of 1 record\n", "")
    table = read_table(tmp_path / f"table.{form}")
    for row, expected in zip(table, expected_rows(record, f"{name}.jsonl"), strict=True):
        assert row == expected
        assert [type(value) for value in row.values()] == [type(value) for value in expected.values()]
    assert len(table) == decisions


@pytest.mark.parametrize("form", FORMATS)
def test_the_name_of_a_file_says_its_format(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, "a")
    assert run("export", "a.jsonl", "-o", f"by-name.{form.upper()}").status == 0
    assert run("export", "a.jsonl", "--format", form, "-o", "by-option").status == 0
    assert (tmp_path / f"by-name.{form.upper()}").read_bytes() == (tmp_path / "by-option").read_bytes()


@pytest.mark.parametrize("form", FORMATS)
def test_what_a_fork_repeats_is_in_the_table_only_on_request(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, "a")
    (tmp_path / "fork.jsonl").write_bytes(b"".join(FORKED))
    expected = expected_rows(read_record(FORKED), "fork.jsonl")
    repeats = FORKED_AT - 1
    said = f"{len(expected) - repeats} decisions of 1 record; {repeats} decisions that forks repeat left out\n"
    assert run("export", "fork.jsonl", "--format", form, "-o", f"own.{form}").out == f"own.{form}: {said}"
    assert read_table(tmp_path / f"own.{form}") == expected[repeats:]
    assert run("export", "fork.jsonl", "--with-repeated", "--format", form, "-o", f"all.{form}").status == 0
    rows = read_table(tmp_path / f"all.{form}")
    assert rows == expected
    assert [row["repeated"] for row in rows] == [True] * repeats + [False] * (len(rows) - repeats)
    both = run("export", "a.jsonl", "fork.jsonl", "--format", form, "-o", f"both.{form}", "--jobs", "1", "--json")
    assert json.loads(both.out)["repeated_left_out"] == repeats
    numbers = [(row["parent"], row["n"]) for row in read_table(tmp_path / f"both.{form}")]
    decisions = range(1, len(expected) + 1)
    assert numbers == [*((None, n) for n in decisions), *(("m-1", n) for n in decisions[repeats:])]


def test_what_a_fork_repeats_is_checked_even_where_it_is_left_out(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(CLASSIC)
    lines[9] = replace(of_kind(lines[9], DecisionLine), asked="ChooseExchange")
    (tmp_path / "fork.jsonl").write_bytes(b"".join(forked(sealed(lines), "m-2", FORKED_AT)))
    failed = run("export", "fork.jsonl", "--format", "csv")
    assert failed.status == 1
    assert "fork.jsonl: line 10: " in failed.err


def test_the_help_says_which_columns_these_are(run: Callable[..., Run]) -> None:
    assert f"columns, version {EXPORT_VERSION}." in " ".join(run("export", "--help").out.split())


def test_a_path_that_is_no_text_is_in_the_table_as_one(run: Callable[..., Run], tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/records/\xff.jsonl"
    (tmp_path / "records").mkdir()
    try:
        Path(os.fsdecode(path)).write_bytes(b"".join(CLASSIC))
    except OSError:
        pytest.skip("this system has no such names")
    for form in FORMATS:
        assert run("export", "records", "--format", form, "-o", f"t.{form}").status == 0
        assert {row["file"] for row in read_table(tmp_path / f"t.{form}")} == {"records/\\xff.jsonl"}


def test_the_records_of_these_tests_cover_everything() -> None:
    rows = [row for lines in RECORDS.values() for row in expected_rows(read_record([b"".join(lines)]), "")]
    assert {row["kind"] for row in rows} >= {"ChooseTile", "ChooseDisposal", "ChooseFounded", "ChooseOffer", "ChoosePower"}
    assert {row["ended"] for row in rows} == {"declared", "voided"}
    some = ("tile", "merged", "survivor", "acquired", "offer_seat", "answer_partner")
    for name in ("assets_open", "won", "end_allowed", "declared", "set_aside", "legal_codes", *some):
        assert {bool(row[name]) for row in rows} == {True, False}, name
    assert any(sum(row["powers_used"]) for row in rows)
    assert {str(FIRST_CHAIN_SQUARE + chain) for chain in range(CHAINS)} <= set("".join(row["board"] for row in rows))


@pytest.mark.parametrize("form", FORMATS)
def test_any_number_of_processes_writes_the_same_table(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, *RECORDS)
    for jobs in ("1", "3"):
        done = run("export", ".", "--format", form, "-o", f"table-{jobs}", "--jobs", jobs)
        assert done.status == 0
    assert (tmp_path / "table-1").read_bytes() == (tmp_path / "table-3").read_bytes()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_standard_output_gets_the_same_as_a_file(run: Callable[..., Run], tmp_path: Path, form: str) -> None:
    write_records(tmp_path, "a", "e")
    assert run("export", "a.jsonl", "e.jsonl", "--format", form, "--output", "table").status == 0
    done = run("export", "a.jsonl", "e.jsonl", "--format", form)
    assert (done.status, done.err) == (0, "")
    assert done.out.encode() == (tmp_path / "table").read_bytes()


def test_texts_that_would_break_a_line_are_quoted(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(CLASSIC)
    header = of_kind(lines[0], Header)
    strange = ('a,"b"\r\nc', "ä 漢\rd", "")
    lines[0] = replace(header, bots=strange)
    (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
    for form in FORMATS:
        assert run("export", "a.jsonl", "--format", form, "-o", f"table.{form}").status == 0
        assert {row["bot"] for row in read_table(tmp_path / f"table.{form}")} == set(strange)


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1")


@pytest.mark.parametrize(
    ("arguments", "on_terminal", "quoted"),
    [
        ((), False, False),
        (("--spreadsheet-safe",), False, True),
        ((), True, True),
        (("--no-spreadsheet-safe",), True, False),
    ],
)
def test_no_text_is_a_formula_for_a_spreadsheet_and_numbers_stay_numbers(
    run: Callable[..., Run],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    on_terminal: bool,
    quoted: bool,
) -> None:
    for first in range(0, len(FORMULAS), 3):
        lines = opened(CLASSIC)
        bots = FORMULAS[first : first + 3]
        lines[0] = replace(of_kind(lines[0], Header), bots=bots)
        lines[4] = replace(of_kind(lines[4], DecisionLine), run={"used_ms": -1})
        (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
        with monkeypatch.context() as patched:
            patched.setattr(sys.stdout, "isatty", lambda: on_terminal)
            table = run("export", "a.jsonl", "--format", "csv", *arguments).out.encode()
        if not on_terminal:  # a file keeps carriage returns, and captured output does not
            assert run("export", "a.jsonl", "--format", "csv", *arguments, "--force", "-o", "table.csv").status == 0
            table = (tmp_path / "table.csv").read_bytes()
        rows = read_csv(table)
        shown = [harmless(bot) if on_terminal else bot for bot in bots]
        assert {row["bot"] for row in rows} == {f"'{bot}" if quoted else bot for bot in shown}
        assert -1 in {row["used_ms"] for row in rows}
        columns = [column.name for column in COLUMNS if column.kind is not Kind.TEXT]
        assert not any(str(row[name]).startswith("'") for row in rows for name in columns)


def test_other_formats_ignore_spreadsheets(run: Callable[..., Run], tmp_path: Path) -> None:
    write_records(tmp_path, "a")
    for option in ("--spreadsheet-safe", "--no-spreadsheet-safe"):
        done = run("export", "a.jsonl", "--format", "jsonl", option)
        assert (done.status, done.out) == (2, "")
        assert "are for csv, and jsonl needs neither" in done.err


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_terminal_obeys_nothing_in_a_table(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    lines = opened(CLASSIC)
    lines[0] = replace(of_kind(lines[0], Header), bots=("\x1b]0;x\x07", "\x9b2J", "\u202e"))
    (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
    in_a_file = run("export", "a.jsonl", "--format", form).out
    assert ("\x1b" in in_a_file) == (form == "csv"), "a file and a pipe get what the record says"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = run("export", "a.jsonl", "--format", form).out
    assert shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_times_are_used_only_if_they_are_numbers(run: Callable[..., Run], tmp_path: Path) -> None:
    lines = opened(CLASSIC)
    parts: list[dict[str, object]] = [{"used_ms": True, "bank_ms": "5"}, {}, {"used_ms": -1, "bank_ms": 2**53 - 1}]
    for at, run_part in enumerate(parts, 2):
        lines[at] = replace(of_kind(lines[at], DecisionLine), run=run_part)
    (tmp_path / "a.jsonl").write_bytes(b"".join(sealed(lines)))
    assert run("export", "a.jsonl", "--format", "parquet", "-o", "t.parquet").status == 0
    rows = read_table(tmp_path / "t.parquet")
    assert [(row["used_ms"], row["bank_ms"]) for row in rows[:4]] == [
        (None, None), (None, None), (-1, 2**53 - 1), (12, None),
    ]  # fmt: skip


def test_parquet_has_types_a_version_and_bounded_row_groups(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "ROW_GROUP_ROWS", 100)
    write_records(tmp_path, *RECORDS)
    assert run("export", ".", "--format", "parquet", "-o", "t.parquet", "--jobs", "1").status == 0
    file = pyarrow.parquet.ParquetFile(tmp_path / "t.parquet")
    try:
        assert file.metadata.metadata[b"mergemaker.export_version"] == b"2"
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


def test_every_column_is_documented_correctly() -> None:
    page = (ROOT / "tools" / "EXPORT.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| `\w+` \| (?:text|number|yes/no|numbers) \|", line)]
    assert rows == [
        f"| `{column.name}` | {column.kind} | {column.known} | {column.says} | {column.empty or 'never'} |" for column in COLUMNS
    ]
    assert f"## Columns, version {EXPORT_VERSION}\n" in page
    assert f"at most {formats.ROW_GROUP_ROWS:,} rows" in page


def test_the_version_rises_when_columns_change() -> None:
    assert (EXPORT_VERSION, len(COLUMNS)) == (2, 57)
    assert NAMES[0] == "export_version"


def test_the_summary_as_a_document(run: Callable[..., Run], tmp_path: Path) -> None:
    write_records(tmp_path, "a", "e")
    (tmp_path / "b.jsonl").write_bytes(b"")
    done = run("export", ".", "--format", "csv", "-o", "t.csv", "--json", "--skip-bad")
    document = json.loads(done.out)
    left_out = document.pop("left_out")
    assert document == {
        "file": "t.csv",
        "format": "csv",
        "export_version": 2,
        "records": 2,
        "decisions": len(CLASSIC) - 3 + 9,
        "repeated_left_out": 0,
    }
    assert [(one["path"], one["state"], one["reason"]) for one in left_out] == [("b.jsonl", "bad", "empty")]


# --- memory -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_more_records_do_not_take_more_memory(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(formats, "ROW_GROUP_ROWS", 200)
    write_records(tmp_path, "a")
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
    # The table is made record by record, and each part is larger than the growth that is allowed.
    part = len(run("export", "a.jsonl", "--format", "csv").out)
    assert peaks[1] < peaks[0] + part
