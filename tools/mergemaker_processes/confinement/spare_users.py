"""Users for confined bots: while it runs, each bot on the machine has its own.

No file lists the taken ones: the holder has a socket of that name, and the kernel frees it however its
holder ends.
"""

import contextlib
import os
import socket

from mergemaker_processes.confinement.steps import Step

SPARE = range(60_578, 61_184)
"""Numbers that no distribution uses; small enough for containers with 16 bits of them."""
SUBORDINATE_FILES = ("/etc/subuid", "/etc/subgid")


class NoUser(Exception):
    """No user is available for a bot; the text says why."""


class SpareUser:
    """A user's number, and the socket that marks it as taken."""

    def __init__(self, number: int, held: socket.socket) -> None:
        self.number = number
        self._held = held

    def free(self) -> None:
        """Frees it for others."""
        self._held.close()

    @classmethod
    def taken(cls, numbers: range) -> "SpareUser":
        """Takes the first that is free."""
        for number in numbers:
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(f"\0mergemaker-user-{number}")
            except OSError:
                held.close()
                continue
            return cls(number, held)
        raise NoUser(f"all users from {numbers.start} to {numbers.stop - 1} are taken: end other matches first")


def subordinates(text: str, name: str, user: int) -> range:
    """The numbers that a file of subordinate users or groups lends to a user; that user's first line counts."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            whose, first, count = line.split(":")
            if whose in (name, str(user)) and int(count) > 0:
                return range(int(first), int(first) + int(count))
    return range(0)


def own_subordinates() -> range:
    """The numbers that are lent to this process's user both as users and as groups."""
    import pwd  # noqa: PLC0415 - only there, and only for ordinary users

    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = ""
    lent = []
    for path in SUBORDINATE_FILES:
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to import
                lent.append(subordinates(file.read(), name, user))
        except FileNotFoundError:
            return range(0)
    users, groups = lent
    return range(max(users.start, groups.start), min(users.stop, groups.stop))


def spare_user(*, maps_users: bool) -> SpareUser:
    """Takes a user for a bot: one that nobody has, or one that is lent to our own user."""
    numbers = own_subordinates() if maps_users else SPARE
    try:
        return SpareUser.taken(numbers)
    except NoUser as error:
        raise Step("users", 0, str(error)) from error
