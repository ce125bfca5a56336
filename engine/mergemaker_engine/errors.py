"""What can be wrong, by kind.

Every error has a stable `reason` for programs, a text for people, and a rule id if one is broken.
"""

from typing import Any, Final, TypeAlias

from mergemaker_engine.catalogue import entry

Reduced: TypeAlias = tuple[Any, ...]
"""What `__reduce__` gives: Python's own type for it says no more."""


def reduced(error: BaseException) -> Reduced:
    """What `__reduce__` of an error gives whose class takes something other than its text.

    By itself Python makes a copied error from its text alone. A worker's error would then break the pool that it is sent to.
    """
    return _without_init, (type(error), *error.args), error.__dict__


def _without_init(kind: type[BaseException], *args: object) -> BaseException:
    """An error as it is before `__init__`. Whoever copies it fills in its attributes."""
    return kind.__new__(kind, *args)


class EngineError(ValueError):
    """The base of all errors that the engine raises for what it was given."""

    def __init__(self, reason: str, message: str, rule: str | None = None) -> None:
        self.reason: Final = reason
        self.message: Final = message
        """The text without the rule's."""
        self.rule: Final = rule
        super().__init__(f"{message} [{rule}: {entry(rule).text}]" if rule else message)

    def __reduce__(self) -> Reduced:
        """A copy, also one in another process, has the same reason, text, rule and line."""
        return reduced(self)


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


class RecordError(EngineError):
    """A record is not what it should be; `line` says where, counted from 1, as far as one line is to blame."""

    def __init__(self, reason: str, message: str, rule: str | None = None, line: int | None = None) -> None:
        super().__init__(reason, message, rule)
        self.line: Final = line

    def at(self, line: int) -> "RecordError":
        """The same error with the line it is about, unless it names one already."""
        return self if self.line is not None else RecordError(self.reason, self.message, self.rule, line)

    def __str__(self) -> str:
        return super().__str__() if self.line is None else f"line {self.line}: {super().__str__()}"
