"""Fresh deals that agree with what a seat knew, and what every seat has been told in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mergemaker_engine.board import squares_of
from mergemaker_engine.deal import Chances, derived_seed
from mergemaker_engine.determinise import determinise
from mergemaker_engine.events import Event, TilesReceived
from mergemaker_engine.game import Game
from mergemaker_engine.ledger import Ledger

from mergemaker_tools.redealing.question import Question

_DEAL: Final = "redeal"
_UNSEEN: Final = "unseen"
_NONCE: Final = "nonce"


@dataclass(frozen=True, slots=True)
class World:
    """One fresh deal, with the question open."""

    game: Game
    """Nobody changes it: each answer is played on a copy."""
    told: tuple[tuple[Event, ...], ...]
    """By seat: what it has seen so far."""
    nonces: tuple[bytes, ...]
    """By seat: the source of its bot's chances. They are the same for every answer."""


def world_of(question: Question, books: Ledger, seed: bytes, number: int) -> World:
    """Deal `number` of a series, which follows from the seed alone."""
    own = derived_seed(seed, _DEAL, number)
    game = determinise(question.view, Chances(own, _UNSEEN), books)
    told = tuple(
        tuple(_retold(events, hand, squares_of(game.hands[seat])))
        for seat, (events, hand) in enumerate(zip(question.told, question.hands, strict=True))
    )
    return World(game, told, tuple(derived_seed(own, _NONCE, seat) for seat in range(question.seats)))


def _retold(events: Iterable[Event], real: Sequence[int], dealt: Sequence[int]) -> Iterable[Event]:
    """A seat's past in the fresh deal: it drew the tiles that it now has when it really drew those that it had.

    Tiles that it has placed or shown since then stay as they were: everybody has seen them.
    """
    gone, new = sorted(set(real) - set(dealt)), sorted(set(dealt) - set(real))
    instead = dict(zip(gone, new, strict=True))
    for event in events:
        if isinstance(event, TilesReceived) and not instead.keys().isdisjoint(event.squares):
            yield replace(event, squares=tuple(sorted(instead.get(square, square) for square in event.squares)))
        else:
            yield event
