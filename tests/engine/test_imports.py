"""The engine may use only a named list of standard modules: no clock, no I/O, no randomness of its own."""

import ast
from pathlib import Path

import mergemaker_engine
import pytest

ALLOWED = frozenset(
    [
        "__future__",
        "abc",
        "base64",
        "binascii",
        "bisect",
        "collections",
        "contextlib",
        "dataclasses",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "hmac",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "sys",  # whether tests run (`values`)
        "types",
        "typing",
        "zlib",
        "mergemaker_engine",
    ]
)
ENGINE = Path(mergemaker_engine.__file__).parent


def imported(source: str) -> set[str]:
    """The top-level names of all modules that a source imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Name) and node.id == "__import__":
            names.add("__import__")
    return names


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_engine_imports_only_what_it_may(path: Path) -> None:
    assert imported(path.read_text(encoding="utf-8")) - ALLOWED == set()


def test_sees_every_kind_of_import() -> None:
    source = "import os.path\nimport json\ndef f():\n  from time import time\n  __import__('io')\n"
    assert imported(source) == {"os", "json", "time", "__import__"}
