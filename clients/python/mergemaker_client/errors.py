"""What can be wrong with a bot, as an error with a stable `reason`."""

from typing import Final

from mergemaker_engine.errors import Reduced, reduced


class BotError(Exception):
    """A bot is not valid, or its answer is not one."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason: Final = reason
        """For programs; it does not change between versions."""
        super().__init__(message)

    def __reduce__(self) -> Reduced:
        """Makes copies, also those in other processes, keep the reason and the text."""
        return reduced(self)
