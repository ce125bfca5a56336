"""What the command and a supervisor on POSIX must agree on."""

LAUNCHER_REPORTS = 100
"""The descriptor of a launcher's pipe to the command: far above all that the supervisor has open."""
