"""The steps of confining a bot: what could not be done has a name, by which the command says what to install or allow."""

from collections.abc import Iterator
from contextlib import contextmanager


class Step(Exception):
    """What could not be done, by its name, with the system's error number, and what it was about."""

    def __init__(self, name: str, number: int, detail: str) -> None:
        super().__init__(f"{name}: {number} {detail}")
        self.name = name
        self.number = number
        self.detail = detail


@contextmanager
def step(name: str) -> Iterator[None]:
    """Makes of the system's errors that this step could not be done."""
    try:
        yield
    except OSError as error:
        raise Step(name, error.errno or 0, str(error.filename or "")) from error
