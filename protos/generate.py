"""Makes the Python code of the protocol from the .proto files: `python protos/generate.py`; with `--check`, compares only.

The generator runs in an environment of its own, made for this run from `generator-requirements.txt` and thrown away with it:
the code must not depend on what else is installed, and the versions are the oldest that the code is to run with.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "project"))

from generated_code import PROTOS, SOURCES, Generated, generator_python, is_check, protoc

PACKAGE: Final = Path("mergemaker") / "v1"
GENERATED: Final = Generated(PROTOS / PACKAGE, "*_pb2*.py*", "`python protos/generate.py`")


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    check = is_check("protos/generate.py", "Python", argv)
    with tempfile.TemporaryDirectory(prefix="mergemaker-protos-") as temporary:
        return GENERATED.settle(generate(Path(temporary)), is_check=check)


def generate(folder: Path) -> dict[str, bytes]:
    """The generated files by name."""
    python = generator_python(folder)
    out = folder / "out"
    out.mkdir()
    plugins = [f"--plugin=protoc-gen-{name}={python.with_name(f'protoc-gen-{name}')}" for name in ("mypy", "mypy_grpc")]
    outputs = [f"--{name}_out={out}" for name in ("python", "grpc_python")]
    outputs += [f"--{name}_out=quiet:{out}" for name in ("mypy", "mypy_grpc")]
    protoc(python, folder, [*plugins, *outputs])
    return {
        path.name: path.read_bytes()
        for source in SOURCES
        for path in (out / PACKAGE).glob(f"{source.stem}{GENERATED.pattern}")
        if "_pb2_grpc." not in path.name or has_service(source)  # without one there is nothing for gRPC in the file
    }


def has_service(source: Path) -> bool:
    """Whether a .proto file declares a service."""
    return any(line.startswith("service ") for line in source.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    sys.exit(main())
