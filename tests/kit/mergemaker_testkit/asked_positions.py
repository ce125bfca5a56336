"""A position for each decision."""

from typing import Final

from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.wording import (
    parse_action,
)

TWO_CHAINS: Final = "board\n  A TT.LL.......\n"
REST_OF_TURN: Final = "ChoosePurchase seat=0 terms=usual; DrawTiles; ChooseExchange seat=0; PassTurn"
POSITIONS: Final = {
    "tile": f"rules avalon-hill\nseats 3\n{TWO_CHAINS}seat 0 tiles 5E 7G\nseat 1 tiles 9I",
    "tile of four": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}seat 0 tiles 5E 7G\n"
    f"agenda ChooseTile seat=0 number=1 most=4; {REST_OF_TURN}",
    "declared": "rules avalon-hill\nseats 3\nboard\n  A TTTTTTTTTTTT\nseat 0 tiles 5E 7G\ndeclared yes\n"
    f"agenda ChooseTile seat=0 number=1 most=1; {REST_OF_TURN}",
    "no stopping": "rules renegade-classic\nseats 3\nboard\n  A TTTTTTTTTTTT\nseat 0 tiles 5E",
    "seven chains": "rules renegade-classic\nseats 3\nboard\n  A TT.SS.AA.FF.\n  C WW.CC.II....\n  E o...........\n"
    "seat 0 tiles 2E 12I",
    "two safe chains": "rules renegade-classic\nseats 3\nboard\n  A TTTTTTTTTTTT\n  C SSSSSSSSSSSS\nseat 0 tiles 5B 12I",
    "founding": f"rules avalon-hill\nseats 3\n{TWO_CHAINS}  E ...oo.......\nseat 0 tiles 7G\n"
    f"agenda ChooseFounded seat=0 square=5E; {REST_OF_TURN}",
    "equal chains": f"rules avalon-hill\nseats 3\n{TWO_CHAINS}seat 0 tiles 3A shares L2",
    "equal acquired": "rules avalon-hill\nseats 3\nboard\n  C ....F.......\n  D ....F.......\n  E ..LL.TTT....\n"
    "seat 0 tiles 5E shares L2 F2",
    "disposal": "rules avalon-hill\nseats 3\nboard\n  E ..LL.TTT....\nseat 0 tiles 5E shares L6\n"
    "seat 1 shares T12\nseat 2 shares T12",
    "purchase": f"rules avalon-hill\nseats 3\n{TWO_CHAINS}seat 0 cash 600\nseat 1 shares L12\nseat 2 shares L12\n"
    f"agenda {REST_OF_TURN}",
    "three free": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}agenda ChoosePurchase seat=0 terms=three-free; PassTurn",
    "buy five": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}agenda ChoosePurchase seat=0 terms=buy-five; PassTurn",
    "exchange": "rules renegade-classic\nseats 3\nboard\n  A TTTTTTTTTTTT\n  C SSSSSSSSSSSS\nseat 0 tiles 5B 12I\n"
    "agenda ChooseExchange seat=0; PassTurn",
    "first power": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}seat 0 tiles 5E",
    "buying power": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}seat 0 powers buy-five\n"
    f"agenda ChoosePower seat=0 phase=buying; {REST_OF_TURN}",
    "pair trade": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}seat 0 shares T2\nseat 1 shares L13\nseat 2 shares L11\n"
    f"agenda ChoosePairTrade seat=0 number=1; {REST_OF_TURN}",
    "sold out": f"rules avalon-hill-powers\nseats 3\n{TWO_CHAINS}seat 0 shares T2 L2\nseat 1 shares L12\nseat 2 shares L11\n"
    f"agenda ChoosePairTrade seat=0 number=1; {REST_OF_TURN}",
    "offer": f"rules reference-trading\nseats 3\n{TWO_CHAINS}seat 0 cash 500 tiles 5E shares T2\nseat 1 cash 100",
    "reply": f"rules reference-trading\nseats 3\n{TWO_CHAINS}seat 0 cash 500 tiles 5E shares T2\nseat 1 cash 100",
}
ANSWERED_BEFORE: Final = {
    "equal chains": "3A",
    "equal acquired": "5E",
    "disposal": "5E",
    "reply": "offer seat 1: 2 Tower for $200",
}


def asked_game(name: str) -> Game:
    """The game in which this decision is open."""
    game = parse_position(POSITIONS[name])
    if name in ANSWERED_BEFORE:
        game.apply(parse_action(ANSWERED_BEFORE[name], game.rules))
    return game
