"""Makes the TypeScript code of the protocol from the .proto files; with `--check`, compares only.

protoc comes from `grpcio-tools`, in an environment made for this run and deleted after it; its plugin for TypeScript comes
from npm, at the version that `package.json` names for its runtime. `clients/typescript/generate` runs this script.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from generated_code import Generated, generator_python, is_check, protoc
from make_venv import ROOT

CLIENT: Final = ROOT / "clients" / "typescript"
GENERATED: Final = Generated(CLIENT / "src" / "wire", "*_pb.ts", "clients/typescript/generate")
RUNTIME: Final = "@bufbuild/protobuf"
PLUGIN: Final = "@bufbuild/protoc-gen-es"
NPM_LIMIT_S: Final = 300


def main(argv: Sequence[str] | None = None) -> int:
    """Generates or compares, and returns the exit status."""
    check = is_check(GENERATED.command, "TypeScript", argv)
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed, with which the generator is installed: it comes with Node.js 20 or newer")
    with tempfile.TemporaryDirectory(prefix="mergemaker-protos-") as temporary:
        return GENERATED.settle(generate(npm, Path(temporary)), is_check=check)


def generate(npm: str, folder: Path) -> dict[str, bytes]:
    """The generated files by name."""
    version = json.loads((CLIENT / "package.json").read_text("utf-8"))["dependencies"][RUNTIME]
    command = [npm, "install", "--prefix", str(folder), "--no-save", "--no-package-lock", "--ignore-scripts"]
    command += ["--no-audit", "--no-fund", "--loglevel=error", f"{PLUGIN}@{version}", f"{RUNTIME}@{version}"]
    quiet = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, stdin=quiet, stdout=quiet, timeout=NPM_LIMIT_S, check=True)
    out = folder / "out"
    out.mkdir()
    outputs = [f"--plugin=protoc-gen-es={folder / 'node_modules' / '.bin' / 'protoc-gen-es'}"]
    outputs += [f"--es_out={out}", "--es_opt=target=ts", "--es_opt=import_extension=js"]
    protoc(generator_python(folder), folder, outputs)
    return {path.name: path.read_bytes() for path in (out / "mergemaker" / "v1").glob(GENERATED.pattern)}


if __name__ == "__main__":
    sys.exit(main())
