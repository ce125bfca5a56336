"""Writes the newest versions that satisfy pyproject.toml into constraints.txt: names and versions only.

`make constraints` runs it. Set-up, tests and checks then use exactly these versions.
"""

import json
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from make_venv import PIP_LIMIT_S, ROOT, SetupError, pip_outside, run, say

CONSTRAINTS = ROOT / "constraints.txt"


def main() -> int:
    """Resolves all dependencies anew and rewrites the file."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = ",".join(sorted(settings["project"]["optional-dependencies"]))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            *pip_outside(Path(sys.executable)),
            "install",
            "--dry-run",
            "--ignore-installed",
            "--quiet",
        ]
        command += ["--only-binary=:all:", "--report", str(report)]
        compiling = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["dependencies"]
        command += ["--editable", f".[{extras}]", *settings["build-system"]["requires"], *compiling]
        try:
            run(command, limit_s=PIP_LIMIT_S)
        except SetupError as error:
            say(str(error))
            return 1
        CONSTRAINTS.write_text(lines_of(json.loads(report.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


def lines_of(report: dict[str, Any]) -> str:
    """The lines `name==version` of what pip's report would install, without the project itself."""
    found = [item["metadata"] for item in report["install"] if "dir_info" not in item["download_info"]]
    pins = [f"{each['name']}=={each['version']}\n" for each in found]
    return "".join(sorted(pins, key=lambda pin: pin.partition("==")[0].lower()))


if __name__ == "__main__":
    sys.exit(main())
