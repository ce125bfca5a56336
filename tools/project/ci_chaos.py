"""Runs CI's share of the chaos tests, on real processes: those that are larger here than in `make test`.

tests/chaos/README.md has the long commands.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    """Runs the named tests, or all of them, in this Python; pytest prints the results."""
    paths = sys.argv[1:] or ["tests/chaos"]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "larger", "--durations=5", *paths]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "CHAOS": "full"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
