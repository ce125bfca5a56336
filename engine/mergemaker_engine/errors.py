"""What can be wrong, by kind.

Every error has a stable `reason` for programs, a text for people, and a rule id if one is broken.
"""

from typing import Final

from mergemaker_engine.catalogue import entry


class EngineError(ValueError):
    """The base of all errors that the engine raises for what it was given."""

    def __init__(self, reason: str, message: str, rule: str | None = None) -> None:
        self.reason: Final = reason
        self.rule: Final = rule
        super().__init__(f"{message} [{rule}: {entry(rule).text}]" if rule else message)


class SetupError(EngineError):
    """A game cannot be set up like this: seats, rules, seed or order."""


class MalformedAction(EngineError):
    """An action that no position could ever accept: a wrong type, a count out of range."""


class IllegalAction(EngineError):
    """An action that this position does not accept. The game is as it was."""


class NotationError(EngineError):
    """A text that does not say what it should."""


class ViewError(EngineError):
    """Something was asked of a view that it does not hold."""
