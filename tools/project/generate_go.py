"""Makes the Go code of the protocol from the .proto files; with `--check`, compares only: `clients/go/generate` runs it.

protoc comes with grpcio-tools, in the version that makes Python's code, in an environment that is deleted after this
run; its two plugins for Go are built in the versions below. The generated files name these versions.
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

GENERATED: Final = Generated(ROOT / "clients" / "go" / "wire", "*.pb.go", "clients/go/generate")
MODULE: Final = "github.com/mergemaker/mergemaker/clients/go"
PLUGINS: Final = (
    "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
    "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
)
BUILD_LIMIT_S: Final = 600


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    check = is_check(GENERATED.command, "Go", argv)
    go = shutil.which("go")
    if go is None:
        raise SystemExit("there is no go on the PATH; install Go in the version that clients/go/go.mod names")
    with tempfile.TemporaryDirectory(prefix="mergemaker-go-protos-") as temporary:
        return GENERATED.settle(generate(go, Path(temporary)), is_check=check)


def generate(go: str, folder: Path) -> dict[str, bytes]:
    """The generated files by name."""
    tools = folder / "tools"
    environment = {**os.environ, "GOBIN": str(tools)}
    for plugin in PLUGINS:
        subprocess.run([go, "install", plugin], cwd=folder, env=environment, timeout=BUILD_LIMIT_S, check=True)
    out = folder / "out"
    out.mkdir()
    outputs = [f"--plugin={path}" for path in sorted(tools.iterdir())]
    outputs += [word for name in ("go", "go-grpc") for word in (f"--{name}_out={out}", f"--{name}_opt=module={MODULE}")]
    protoc(generator_python(folder), folder, outputs)
    return {path.name: path.read_bytes() for path in (out / GENERATED.folder.name).glob(GENERATED.pattern)}


if __name__ == "__main__":
    sys.exit(main())
