"""The rules of Acquire: a game, its decisions, answers and events, with no clock and no I/O.

from mergemaker_engine import Deal, Game, preset

game = Game(preset("renegade-tycoon"), 4, Deal.from_seed(bytes(32)))
while game.decision is not None:
    game.apply(game.legal()[0])
print(game.result)
"""

from mergemaker_engine.actions import Action as Action
from mergemaker_engine.actions import action_of_code as action_of_code
from mergemaker_engine.actions import code_of as code_of
from mergemaker_engine.audit import audit as audit
from mergemaker_engine.board_svg import board_svg as board_svg
from mergemaker_engine.deal import Chances as Chances
from mergemaker_engine.deal import Deal as Deal
from mergemaker_engine.decisions import Decision as Decision
from mergemaker_engine.determinise import determinise as determinise
from mergemaker_engine.errors import EngineError as EngineError
from mergemaker_engine.errors import IllegalAction as IllegalAction
from mergemaker_engine.errors import MalformedAction as MalformedAction
from mergemaker_engine.events import Event as Event
from mergemaker_engine.events import audience as audience
from mergemaker_engine.events import seen_by as seen_by
from mergemaker_engine.game import Game as Game
from mergemaker_engine.game import Result as Result
from mergemaker_engine.ledger import Ledger as Ledger
from mergemaker_engine.notation import parse_position as parse_position
from mergemaker_engine.notation import position_text as position_text
from mergemaker_engine.playout import play_out as play_out
from mergemaker_engine.rules import PRESETS as PRESETS
from mergemaker_engine.rules import Rules as Rules
from mergemaker_engine.rules import preset as preset
from mergemaker_engine.views import View as View
from mergemaker_engine.wording import action_text as action_text
from mergemaker_engine.wording import event_text as event_text
from mergemaker_engine.wording import parse_action as parse_action
