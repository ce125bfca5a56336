"""Which build of the engine, the table and the wire runs here: the pure one, or the one that mypyc compiled."""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final

MARK: Final = "compiled.txt"
"""In the package of a compiled engine: what compiled it."""
PURE: Final = "pure"


def engine_build() -> str:
    """`pure`, or `compiled, mypyc 2.4.1`. It says what Python would import, and imports nothing."""
    spec = find_spec("mergemaker_engine")
    return build_of(None if spec is None or spec.origin is None else Path(spec.origin))


def build_of(module: Path | None) -> str:
    """The build of the engine, by the file of its `__init__`: what is compiled stands beside it."""
    if module is None or not any(module.with_name(f"game{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        return PURE
    return f"compiled, {module.with_name(MARK).read_text(encoding='ascii').strip()}"
