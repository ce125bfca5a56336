"""What a confined bot leaves on the machine where its launcher was killed: a control group, and perhaps a scratch folder."""

import contextlib

from mergemaker_processes.confinement import cgroups


def remove(leftovers: str) -> None:
    """Removes them, if they are there. They are named by the group, a blank, and the folder's path where there may be one."""
    group, _, scratch = leftovers.partition(" ")
    with contextlib.suppress(OSError):  # where there are no groups, none was made
        cgroups.remove_left(group)
    if scratch:
        import shutil  # noqa: PLC0415 - slow to import, and only needed in the weaker form

        shutil.rmtree(scratch, ignore_errors=True)
