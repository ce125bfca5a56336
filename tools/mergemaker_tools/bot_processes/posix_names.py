"""What the command and a supervisor on POSIX have agreed on."""

from __future__ import annotations

LAUNCHER_REPORTS = 100
"""Where the launcher of a confined bot finds the pipe to the command: far above all that is open in the supervisor."""
