"""The three formats: a record's rows as bytes, made in any process, and the files made of these bytes."""

import csv
import json
from collections.abc import Iterable
from enum import StrEnum
from types import ModuleType
from typing import Any, BinaryIO, Final, Protocol

from mergemaker_tools.exporting.columns import COLUMNS, EXPORT_VERSION, NAMES, Kind
from mergemaker_tools.exporting.rows import Row, Value
from mergemaker_tools.problems import CommandFailed

ROW_GROUP_ROWS: Final = 65_536
"""Rows in a row group of Parquet: as many are kept in memory before they are written."""
VERSION_KEY: Final = "mergemaker.export_version"
"""The key of the version in the metadata of a Parquet file."""
FORMULA_BEGINNINGS: Final = ("=", "+", "-", "@", "\t", "\r")
"""The first characters that make a text a formula for a spreadsheet."""
_CSV_END: Final = "\r\n"
"""The line ends given to the writer: older versions of Python quote these characters in a value, and no others."""
_COMPRESSION: Final = "zstd"
_JSON: Final = json.JSONEncoder(separators=(",", ":"))


class Format(StrEnum):
    """What a table can be written as."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"

    @property
    def is_text(self) -> bool:
        """Whether it can go to standard output."""
        return self is not Format.PARQUET

    @classmethod
    def of_file(cls, name: str) -> "Format | None":
        """The format that a file's name ends with; None if it ends otherwise."""
        return next((form for form in cls if name.lower().endswith(f".{form}")), None)


def encoded(rows: Iterable[Row], form: Format, *, spreadsheet_safe: bool = False) -> bytes:
    """The rows of one record in a format, to be handed to a `TableWriter`.

    `spreadsheet_safe`: in CSV, a text that a spreadsheet would take for a formula gets a quote before it.
    """
    match form:
        case Format.CSV:
            return _csv_text(_csv_row(row, spreadsheet_safe) for row in rows)
        case Format.JSONL:
            return b"".join(_json_line(row) for row in rows)
        case Format.PARQUET:
            return _arrow_batch(list(rows))


def beginning(form: Format) -> bytes:
    """What comes before all rows of a text."""
    return _csv_text([NAMES]) if form is Format.CSV else b""


class TableWriter(Protocol):
    """Writes encoded rows to a file."""

    def add(self, content: bytes) -> None:
        """Adds the rows of the next record."""

    def close(self) -> None:
        """Writes what is still in memory. The file stays open."""


def writer_for(form: Format, file: BinaryIO) -> TableWriter:
    """The writer for a file that is open and empty."""
    return _TextWriter(file, form) if form.is_text else _ParquetWriter(file)


def check_can_write(form: Format) -> None:
    """Refuses a format for which an extra is missing."""
    if form is Format.PARQUET:
        _pyarrow()


class _TextWriter:
    """A text is its beginning and then all rows."""

    def __init__(self, file: BinaryIO, form: Format) -> None:
        self._file = file
        file.write(beginning(form))

    def add(self, content: bytes) -> None:
        self._file.write(content)

    def close(self) -> None:
        pass


class _Lines:
    """Takes the writer's lines, of which each ends in `_CSV_END`."""

    def __init__(self) -> None:
        self.found: Final[list[str]] = []

    def write(self, line: str) -> None:
        self.found.append(line.removesuffix(_CSV_END) + "\n")


def _csv_text(lines: Iterable[Iterable[object]]) -> bytes:
    page = _Lines()
    csv.writer(page, lineterminator=_CSV_END).writerows(lines)
    return "".join(page.found).encode("utf-8")


def _csv_row(row: Row, spreadsheet_safe: bool) -> list[object]:
    return [_csv_value(value, spreadsheet_safe) for value in row]


def _csv_value(value: Value, spreadsheet_safe: bool) -> object:
    if spreadsheet_safe and isinstance(value, str) and value.startswith(FORMULA_BEGINNINGS):
        return f"'{value}"
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value  # None is an empty field


def _json_line(row: Row) -> bytes:
    return f"{_JSON.encode(dict(zip(NAMES, row, strict=True)))}\n".encode("ascii")


# --- Parquet --------------------------------------------------------------------------------------------------


def _pyarrow() -> ModuleType:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, needed for Parquet only
    except ImportError as error:
        raise CommandFailed("Parquet needs an extra: `pip install 'mergemaker[parquet]'`") from error
    arrow: ModuleType = pa
    return arrow


def _schema(arrow: ModuleType) -> Any:  # noqa: ANN401 - pyarrow comes without types
    types = {
        Kind.TEXT: arrow.string(),
        Kind.NUMBER: arrow.int64(),
        Kind.YES_NO: arrow.bool_(),
        Kind.NUMBERS: arrow.list_(arrow.int32()),
    }
    fields = [arrow.field(column.name, types[column.kind], nullable=bool(column.empty)) for column in COLUMNS]
    return arrow.schema(fields, metadata={VERSION_KEY: str(EXPORT_VERSION)})


def _arrow_batch(rows: list[Row]) -> bytes:
    """Rows as Arrow's bytes, without the schema."""
    arrow = _pyarrow()
    schema = _schema(arrow)
    columns = zip(*rows, strict=True) if rows else ([] for _ in COLUMNS)
    arrays = [arrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    batch = arrow.RecordBatch.from_arrays(arrays, schema=schema)
    return bytes(batch.serialize())


class _ParquetWriter:
    """Gathers rows until they are a row group."""

    def __init__(self, file: BinaryIO) -> None:
        from pyarrow import ipc, parquet  # noqa: PLC0415 - an extra, as above

        self._arrow = _pyarrow()
        self._ipc = ipc
        self._schema = _schema(self._arrow)
        self._writer = parquet.ParquetWriter(file, self._schema, compression=_COMPRESSION)
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, content: bytes) -> None:
        batch = self._ipc.read_record_batch(self._arrow.py_buffer(content), self._schema)
        self._waiting.append(batch)
        self._rows += batch.num_rows
        if self._rows >= ROW_GROUP_ROWS:
            self._write()

    def _write(self) -> None:
        table = self._arrow.Table.from_batches(self._waiting, self._schema)
        self._waiting, self._rows = [], 0
        self._writer.write_table(table, row_group_size=ROW_GROUP_ROWS)

    def close(self) -> None:
        try:
            if self._rows:
                self._write()
        finally:
            self._writer.close()
