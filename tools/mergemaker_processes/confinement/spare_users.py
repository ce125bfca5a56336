"""Users for confined bots: each bot has one of its own while it runs, on the whole machine.

Which are taken is not written down anywhere: who has one holds a socket of that name, and the kernel frees it however its
holder ends.
"""

import contextlib
import os
import socket

from mergemaker_processes.confinement.steps import Step

SPARE = range(60_578, 61_184)
"""Numbers that no distribution gives to anybody; small enough for containers that have 16 bits of them."""
SUBORDINATE_FILES = ("/etc/subuid", "/etc/subgid")


class NoUser(Exception):
    """Nobody can be found whom a bot could run as, for a reason in words."""


class SpareUser:
    """A user, by number, and the socket that says it is taken."""

    def __init__(self, number: int, held: socket.socket) -> None:
        self.number = number
        self._held = held

    def free(self) -> None:
        """Lets others have it."""
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
    """The numbers that a file of subordinate users or groups lends to somebody; the first line that is about him counts."""
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
    """Takes a user for a bot: of those that nobody has, or of those that are lent to the own user."""
    numbers = own_subordinates() if maps_users else SPARE
    try:
        return SpareUser.taken(numbers)
    except NoUser as error:
        raise Step("users", 0, str(error)) from error
