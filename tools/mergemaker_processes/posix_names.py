"""What the command and a supervisor on POSIX have agreed on."""

LAUNCHER_REPORTS = 100
"""Where the launcher of a confined bot finds the pipe to the command: far above all that is open in the supervisor."""
