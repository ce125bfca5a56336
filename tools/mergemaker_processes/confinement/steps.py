"""The steps of confining a bot. The name of a failed step tells the command what to install or allow."""

from collections.abc import Iterator
from contextlib import contextmanager


class Step(Exception):
    """A step that failed: its name, the system's error number, and what it was about."""

    def __init__(self, name: str, number: int, detail: str) -> None:
        super().__init__(f"{name}: {number} {detail}")
        self.name = name
        self.number = number
        self.detail = detail


@contextmanager
def step(name: str) -> Iterator[None]:
    """Turns the system's errors into the failure of this step."""
    try:
        yield
    except OSError as error:
        raise Step(name, error.errno or 0, str(error.filename or "")) from error
