"""What can stop a bot's connection, as errors with a stable `reason` and a text that says what to do."""

from typing import Final

from mergemaker_engine.errors import Reduced, reduced


class ClientError(Exception):
    """The base of all errors of the network part."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason: Final = reason
        """For programs; it does not change between versions."""
        super().__init__(message)

    def __reduce__(self) -> Reduced:
        """Makes copies, also those in other processes, keep the reason and the text."""
        return reduced(self)


class BadSetting(ClientError):
    """A setting is missing or wrong."""


class Unreachable(ClientError):
    """The referee could not be reached for too long."""


class RefusedByReferee(ClientError):
    """The referee refused, and would refuse again."""


class TakenOver(ClientError):
    """Another process plays with this bot's token now. A client that gets this never comes back by itself."""


class FalseDeal(ClientError):
    """The deal was not the one that the referee had promised, or it withheld the evidence."""
