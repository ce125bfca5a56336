"""The output of a program in another process, which hashes names differently."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_WAIT_S: Final = 300
"""A guard against a hang, far above what any program takes."""


def printed_with(hash_seed: str, program: str) -> str:
    """Runs a Python program, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=_ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
        text=True,
        timeout=_WAIT_S,
    )
    return done.stdout
