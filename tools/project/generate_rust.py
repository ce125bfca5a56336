"""Makes the Rust code of the protocol from the .proto files; with `--check`, compares only: `clients/rust/generate` runs it.

protoc comes with grpcio-tools, in the version that makes Python's code, in an environment that is deleted after this
run; the crate `clients/rust/generator`, with pinned versions of prost and tonic, makes Rust from its descriptor set.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from generated_code import Generated, generator_python, is_check, protoc
from make_venv import ROOT

CLIENT: Final = ROOT / "clients" / "rust"
GENERATOR: Final = CLIENT / "generator"
GENERATED: Final = Generated(CLIENT / "src" / "generated", "*.rs", "clients/rust/generate")
CARGO_LIMIT_S: Final = 900


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    check = is_check(GENERATED.command, "Rust", argv)
    cargo = shutil.which("cargo")
    if cargo is None:
        raise SystemExit("there is no cargo on the PATH; install Rust in the version that clients/rust/Cargo.toml names")
    with tempfile.TemporaryDirectory(prefix="mergemaker-rust-protos-") as temporary:
        return GENERATED.settle(generate(cargo, Path(temporary)), is_check=check)


def generate(cargo: str, folder: Path) -> dict[str, bytes]:
    """The generated files by name."""
    descriptors = folder / "descriptors"
    protoc(generator_python(folder), folder, [f"--descriptor_set_out={descriptors}", "--include_source_info"])
    out = folder / "out"
    out.mkdir()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(GENERATOR / "target")}
    subprocess.run(
        [cargo, "run", "--quiet", "--manifest-path", str(GENERATOR / "Cargo.toml"), "--", str(descriptors), str(out)],
        env=environment,
        stdin=subprocess.DEVNULL,
        timeout=CARGO_LIMIT_S,
        check=True,
    )
    return {path.name: path.read_bytes() for path in out.glob(GENERATED.pattern)}


if __name__ == "__main__":
    sys.exit(main())
