"""The errors of the engine, by kind.

Every error has a stable `reason` for programs, a text for people, and a rule id if one is broken.
"""

from typing import Any, Final, Protocol, TypeAlias

from mergemaker_engine.catalogue import entry
from mergemaker_engine.values import dataclass

Reduced: TypeAlias = tuple[Any, ...]
"""The result of `__reduce__`. Python's own type for it is no narrower."""


def reduced(error: BaseException) -> Reduced:
    """The result of `__reduce__` for an error whose constructor takes something other than the text.

    Python copies an error from its text alone. Such an error from a worker would break the pool that receives it.
    """
    return _without_init, (type(error), *error.args), error.__dict__


def _without_init(kind: type[BaseException], *args: object) -> BaseException:
    """Makes an error without calling `__init__`. The copier fills in its attributes."""
    return kind.__new__(kind, *args)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something was refused: one value, from where it is found to where it is sent."""

    reason: str
    """Stable, for programs."""
    text: str
    """For people."""
    rule: str | None = None
    """The id of the rule that stands against it."""
    trace: str = ""
    """Names it in the log, for questions to the operator."""


class Reasoned(Protocol):
    """An error that says why: the engine's own, or that of a reader of messages."""

    @property
    def reason(self) -> str:
        """Stable, for programs."""

    @property
    def message(self) -> str:
        """The text without the rule's."""

    @property
    def rule(self) -> str | None:
        """The id of the rule that is broken."""


def refusal_of(error: Reasoned) -> Refusal:
    """What an error says to the sender of what it is about."""
    return Refusal(error.reason, error.message, error.rule)


class EngineError(ValueError):
    """The base of all errors that the engine raises for bad input."""

    def __init__(self, reason: str, message: str, rule: str | None = None) -> None:
        self.reason: Final = reason
        self.message: Final = message
        """The text without the text of the rule."""
        self.rule: Final = rule
        super().__init__(f"{message} [{rule}: {entry(rule).text}]" if rule else message)

    def __reduce__(self) -> Reduced:
        """A copy has the same reason, text, rule and line, in another process too."""
        return reduced(self)


class SetupError(EngineError):
    """Seats, rules, seed or order with which no game can be set up."""


class MalformedAction(EngineError):
    """An action that no position could ever accept: a wrong type, a count out of range."""


class IllegalAction(EngineError):
    """An action that this position does not accept. The game is unchanged."""


class NotationError(EngineError):
    """A text that cannot be read."""


class ViewError(EngineError):
    """A view was asked for something that it does not hold."""


class RecordError(EngineError):
    """A record that is wrong. `line` says where, counted from 1, if a single line is to blame."""

    def __init__(self, reason: str, message: str, rule: str | None = None, line: int | None = None) -> None:
        super().__init__(reason, message, rule)
        self.line: Final = line

    def at(self, line: int) -> "RecordError":
        """The same error with this line number, unless it has one already."""
        return self if self.line is not None else RecordError(self.reason, self.message, self.rule, line)

    def __str__(self) -> str:
        return super().__str__() if self.line is None else f"line {self.line}: {super().__str__()}"
