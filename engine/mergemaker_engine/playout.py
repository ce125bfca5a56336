"""Random games to the end, for search bots and simulations: no events, and no lists where an answer can be drawn without one.

Every answer is drawn as if from the whole list of legal ones, each equally likely, except that the end is declared as soon as it
may be: then one of the answers that declare it is drawn.
"""

from collections.abc import Sequence

from mergemaker_engine.actions import Action, Buy, Place, StopPlay
from mergemaker_engine.buying import buy, purchase_cost, purchases
from mergemaker_engine.deal import Stream
from mergemaker_engine.decisions import ChooseDisposal, ChoosePurchase, ChooseTile, PurchaseTerms
from mergemaker_engine.disposal import disposal_options, dispose
from mergemaker_engine.drawing import can_be_placed
from mergemaker_engine.game import Game
from mergemaker_engine.placing import declare, place, placeable_cells
from mergemaker_engine.board import near
from mergemaker_engine.state import end_allowed
from mergemaker_engine.turn import advance


def declares_end(action: Action) -> bool:
    """Whether an answer declares the end (END-2)."""
    return isinstance(action, StopPlay) or (isinstance(action, Place | Buy) and action.declare)


def draw_answer(game: Game, stream: Stream) -> Action:
    """A random answer to the open decision; the end is declared as soon as it may be."""
    answers: Sequence[Action] = game.legal()
    if not game.declared and end_allowed(game):
        answers = [action for action in answers if declares_end(action)] or answers
    if len(answers) == 1:
        return answers[0]
    return answers[stream.below(len(answers))]


def play_out(game: Game, stream: Stream) -> None:
    """Plays a game to its end with random answers. The game itself is changed: give it a copy."""
    agenda = game.agenda
    while agenda:
        step = agenda[-1]
        if type(step) is ChoosePurchase and step.terms is PurchaseTerms.USUAL:
            _purchase(game, step, stream)
        elif type(step) is ChooseTile and step.number == 1 and not end_allowed(game):
            _tile(game, step, stream)
        elif type(step) is ChooseDisposal:
            options = disposal_options(game, step)
            dispose(game, step, options[stream.below(len(options))], None)
        else:
            game.take(draw_answer(game, stream), None)
        advance(game, None)
        agenda = game.agenda


def _tile(game: Game, step: ChooseTile, stream: Stream) -> None:
    """Places a random tile: the first one drawn if it can be placed, otherwise one of those that can.

    That is each placeable one with the same chance: m of n can be placed, and 1/n + (n - m)/n · 1/m = 1/m.
    """
    hand = game.hands[step.seat]
    cell = hand[stream.below(len(hand))]
    if not can_be_placed(game, cell):
        cells = placeable_cells(game)
        cell = cells[stream.below(len(cells))]
    place(game, step, cell, near(game.board, cell), None)


def _purchase(game: Game, step: ChoosePurchase, stream: Stream) -> None:
    if not game.declared and end_allowed(game):
        declare(game, None)
    options = purchases(game, step)
    purchase = options[stream.below(len(options))]
    buy(game, step, purchase, purchase_cost(game, purchase), None)
