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
        """A copy, also one in another process, has the same reason and text."""
        return reduced(self)


class BadSetting(ClientError):
    """A setting is missing, or is not what it should be."""


class Unreachable(ClientError):
    """The referee could not be reached for too long."""


class RefusedByReferee(ClientError):
    """The referee said no, and would say so again."""


class TakenOver(ClientError):
    """Another process plays with this bot's token now. Who is told so never comes back by itself."""


class FalseDeal(ClientError):
    """The deal was not the one that the referee had promised, or it withheld what would show that."""
