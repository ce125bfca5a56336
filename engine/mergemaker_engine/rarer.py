"""The rarer steps of a game, by kind: whether a question arises, what its legal answers are, and what an answer does.

The three most frequent decisions are not here: `Game` and `advance` take them first.
"""

from collections.abc import Sequence
from typing import assert_never

from mergemaker_engine.actions import Action
from mergemaker_engine.decisions import (
    Automatic,
    ChooseAcquired,
    ChooseDisposal,
    ChooseExchange,
    ChooseFounded,
    ChooseOffer,
    ChoosePairTrade,
    ChoosePower,
    ChoosePurchase,
    ChooseReply,
    ChooseSurvivor,
    ChooseTile,
    DrawTiles,
    ExchangeDead,
    PassTurn,
    RarerDecision,
    RedrawHand,
    SettleNext,
    Step,
)
from mergemaker_engine.drawing import answer_exchange, exchange_arises, exchange_dead, exchange_options, redraw_hand
from mergemaker_engine.founding import answer_founded, founded_options
from mergemaker_engine.mergers import acquired_options, answer_acquired, answer_survivor, settle_next, survivor_options
from mergemaker_engine.powers import (
    answer_pair_trade,
    answer_power,
    pair_trade_arises,
    pair_trade_options,
    power_arises,
    power_options,
)
from mergemaker_engine.state import Log, State
from mergemaker_engine.trading import answer_offer, answer_reply, offer_arises, offers, reply_options
from mergemaker_engine.unchecked import Unchecked


def arises(state: State, step: Step, log: Log) -> bool:
    """For the rarer steps: whether a question must be asked. Otherwise the step is carried out or dropped."""
    match step:
        case SettleNext():
            settle_next(state, step, log)
            return False
        case RedrawHand():
            state.agenda.pop()
            redraw_hand(state, log)
            return False
        case ExchangeDead():
            state.agenda.pop()
            exchange_dead(state, log)
            return False
        case ChooseExchange():
            found = exchange_arises(state, step)
        case ChoosePower():
            found = power_arises(state, step)
        case ChoosePairTrade():
            found = pair_trade_arises(state, step)
        case ChooseOffer():
            found = offer_arises(state, step)
        case (
            DrawTiles()
            | ChooseTile()
            | PassTurn()
            | ChoosePurchase()
            | ChooseDisposal()
            | ChooseFounded()
            | ChooseSurvivor()
            | ChooseAcquired()
            | ChooseReply()
        ):  # never reached: `advance` takes them
            raise AssertionError(step)
        case _:
            assert_never(step)
    if not found:
        state.agenda.pop()
    return found


def rarer_options(state: State, step: RarerDecision | Automatic) -> Sequence[Action]:
    """Every answer to a rarer decision, in the documented order."""
    match step:
        case ChooseFounded():
            return founded_options(state)
        case ChooseSurvivor():
            return survivor_options(state, step)
        case ChooseAcquired():
            return acquired_options(state)
        case ChooseExchange():
            return exchange_options()
        case ChoosePower():
            return power_options(state, step)
        case ChoosePairTrade():
            return pair_trade_options(state, step)
        case ChooseOffer():
            return offers(state, step)
        case ChooseReply():
            return reply_options(state, step)
        case RedrawHand() | SettleNext() | DrawTiles() | ExchangeDead() | PassTurn():  # never reached: they wait for no answer
            raise AssertionError(step)
        case _:
            assert_never(step)


def take_rarer_answer(state: State, step: RarerDecision | Automatic, action: Unchecked[Action], log: Log) -> None:
    """Takes the answer to a rarer decision."""
    match step:
        case ChooseFounded():
            answer_founded(state, step, action, log)
        case ChooseSurvivor():
            answer_survivor(state, step, action, log)
        case ChooseAcquired():
            answer_acquired(state, step, action, log)
        case ChooseExchange():
            answer_exchange(state, step, action, log)
        case ChoosePower():
            answer_power(state, step, action, log)
        case ChoosePairTrade():
            answer_pair_trade(state, step, action, log)
        case ChooseOffer():
            answer_offer(state, step, action, log)
        case ChooseReply():
            answer_reply(state, step, action, log)
        case RedrawHand() | SettleNext() | DrawTiles() | ExchangeDead() | PassTurn():  # never reached: they wait for no answer
            raise AssertionError(step)
        case _:
            assert_never(step)
