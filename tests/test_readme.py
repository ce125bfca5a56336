"""`tests/README.md` names every folder and every long check that exists, and no others."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.checkout

TESTS = Path(__file__).parent
TEXT = (TESTS / "README.md").read_text(encoding="utf-8")
LONG_CHECK = re.compile(r"python -m (tests\.[a-z_.]+[a-z])")


def test_every_folder_has_a_row() -> None:
    rows = set(re.findall(r"^\| `([a-z]+)` \|", TEXT, flags=re.MULTILINE))
    assert rows == {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}


def test_every_long_check_has_a_row() -> None:
    """Programs that only long checks start have no `--help`, and no row."""
    programs = {
        "tests." + ".".join(path.relative_to(TESTS).with_suffix("").parts)
        for path in TESTS.glob("**/*.py")
        if not path.name.startswith("test_") and _is_a_persons(path.read_text(encoding="utf-8"))
    }
    assert set(LONG_CHECK.findall(TEXT)) == programs


def _is_a_persons(program: str) -> bool:
    return 'if __name__ == "__main__":' in program and "ArgumentParser(" in program
