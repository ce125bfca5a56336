"""Who a caller is: the operator, a bot that the configuration knows, or the holder of a seat's token. Never a mere name."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Operator:
    """Makes, cancels and fetches matches."""


@dataclass(frozen=True, slots=True)
class KnownBot:
    """A bot with its own token."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """The holder of the token of this seat of this match."""

    match: str
    seat: int


@dataclass(frozen=True, slots=True)
class Onlooker:
    """A spectator without a token, where the referee is open to spectators."""


Identity: TypeAlias = Operator | KnownBot | SeatHolder | Onlooker
Player: TypeAlias = KnownBot | SeatHolder
