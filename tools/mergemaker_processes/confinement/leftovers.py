"""What remains of a confined bot whose launcher was killed: a control group, and perhaps a scratch folder."""

import contextlib

from mergemaker_processes.confinement import cgroups


def remove(leftovers: str) -> None:
    """Removes them, if they exist. The text has the group's name, a blank, and the folder's path if there may be one."""
    group, _, scratch = leftovers.partition(" ")
    with contextlib.suppress(OSError):  # without groups here, none was made
        cgroups.remove_left(group)
    if scratch:
        import shutil  # noqa: PLC0415 - slow to import, and only needed in the weaker form

        shutil.rmtree(scratch, ignore_errors=True)
