"""Plays CI's share of the games against the rules oracle: 2,000. `python -m tests.oracle.compare` plays any number."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GAMES = 2_000


def main() -> int:
    """Runs the comparison in this Python; pytest prints the results."""
    command = [sys.executable, "-m", "pytest", "-q", "tests/oracle/test_agreement.py"]
    environment = {**os.environ, "ORACLE_GAMES": str(GAMES)}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
