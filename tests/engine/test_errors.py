"""What an error says to the sender of the bad input."""

import pytest
from mergemaker_engine.actions import Place
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import IllegalAction, Refusal, refusal_of
from mergemaker_engine.game import Game
from mergemaker_engine.rules import preset


def test_a_refusal_says_what_its_error_says() -> None:
    game = Game(preset("reference"), 3, Deal.from_seed(bytes(32)))
    elsewhere = next(square for square in range(108) if Place(square) not in game.legal())
    with pytest.raises(IllegalAction) as raised:
        game.apply(Place(elsewhere))
    error = raised.value
    assert refusal_of(error) == Refusal(error.reason, error.message, error.rule)
    assert error.rule is not None
    assert refusal_of(error).trace == ""
