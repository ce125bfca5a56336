"""Who speaks: the operator, a bot that the configuration knows, or whoever has a seat's token. Never a mere name."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Operator:
    """Makes matches, cancels and fetches them."""


@dataclass(frozen=True, slots=True)
class KnownBot:
    """A bot with a token of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """Whoever has the token of this seat of this match."""

    match: str
    seat: int


@dataclass(frozen=True, slots=True)
class Onlooker:
    """Somebody without a token, where the referee is open to spectators."""


Identity: TypeAlias = Operator | KnownBot | SeatHolder | Onlooker
Player: TypeAlias = KnownBot | SeatHolder
