"""What can be wrong with a bot, as an error with a stable `reason`."""

from typing import Final

from mergemaker_engine.errors import Reduced, reduced


class BotError(Exception):
    """A bot is not what it should be, or answers what is no answer."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason: Final = reason
        """For programs; it does not change between versions."""
        super().__init__(message)

    def __reduce__(self) -> Reduced:
        """A copy, also one in another process, has the same reason and text."""
        return reduced(self)
