"""`engine/vectors/records`: each record fails at the line and for the reason in the index, and every reason occurs."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any, Final

import make_record_vectors
import pytest
from make_record_vectors import VECTORS, unpacked
from mergemaker_engine import record as record_package
from mergemaker_engine.errors import EngineError, RecordError
from mergemaker_engine.record.verifying import verify
from mergemaker_referee.records.files import record_chunks
from mergemaker_table import record_checks
from mergemaker_table.record_checks import TermsFound, check_terms
from mergemaker_testkit.reasons import reasons_in

pytestmark = pytest.mark.checkout

INDEX: Final[list[dict[str, Any]]] = json.loads((VECTORS / "index.json").read_text("utf-8"))
BYTES_MAX: Final = 600_000
OF_OTHERS: Final = {"public_log.py", "in_log.py", "receipts.py", "signatures.py"}
"""Modules about other formats: files beside a record."""
NOT_OF_READERS: Final = {"bad-length", "bad-seat", "bad-text", "bad-value", "audit", "books"}
"""Reasons that no record can show: a writer gives them, or an engine that is wrong itself."""


def _found(name: str) -> tuple[str | None, int | None, TermsFound | None]:
    """The reason and the line that `mergemaker verify` gives."""
    try:
        return None, None, check_terms(verify(record_chunks(VECTORS / name)).record)
    except EngineError as error:
        return error.reason, error.line if isinstance(error, RecordError) else None, None


@pytest.mark.parametrize("entry", INDEX, ids=[entry["file"] for entry in INDEX])
def test_each_record_has_its_line_and_its_reason(entry: dict[str, Any]) -> None:
    reason, line, terms = _found(entry["file"])
    assert (reason, line) == (entry["reason"], entry["line"])
    assert (reason is None) == entry["file"].startswith("good/")
    assert terms is not TermsFound.UNKNOWN


def test_every_reason_of_a_record_is_there() -> None:
    folder = Path(record_package.__file__).parent
    sources = [path.read_text("utf-8") for path in folder.glob("*.py") if path.name not in OF_OTHERS]
    sources.append(Path(record_checks.__file__).read_text("utf-8"))
    raised = {reason for source in sources for _, reason in reasons_in(source, {"RecordError"})}
    assert raised - NOT_OF_READERS - {entry["reason"] for entry in INDEX} == set()


def test_the_files_are_what_the_script_makes() -> None:
    made = dict(make_record_vectors.all_files())
    assert {path.relative_to(VECTORS).as_posix() for path in VECTORS.rglob("*.*")} == {*made, "README.md"}
    for name, content in made.items():
        assert unpacked((VECTORS / name).read_bytes()) == unpacked(content), f"{name}: make generate NAMES=records"


def test_a_bad_record_is_named_in_the_index_as_in_its_folder() -> None:
    assert {entry["file"] for entry in INDEX} == {
        path.relative_to(VECTORS).as_posix() for folder in ("good", "bad") for path in (VECTORS / folder).iterdir()
    }
    assert all({*entry} == {"file", "reason", "line", "what"} for entry in INDEX)


def test_the_files_stay_small() -> None:
    assert sum(path.stat().st_size for path in VECTORS.rglob("*.*")) < BYTES_MAX


def test_what_is_packed_says_so() -> None:
    for entry in INDEX:
        content = (VECTORS / entry["file"]).read_bytes()
        assert content.startswith(b"\x1f\x8b") == entry["file"].endswith(".gz"), entry["file"]
        if entry["file"].endswith(".gz") and entry["reason"] != "bad-packing":
            assert zlib.crc32(gzip.decompress(content))
