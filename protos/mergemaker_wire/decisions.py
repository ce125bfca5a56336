"""Questions and the other steps of a turn, as messages and back."""

from functools import lru_cache
from typing import Final

from mergemaker.v1 import questions_pb2 as pb
from mergemaker.v1 import view_pb2
from mergemaker_engine.board import SQUARES
from mergemaker_engine.decisions import Automatic, Decision, Step
from mergemaker_engine.powers import PAIR_TRADES_MAX
from mergemaker_engine.rules import TRADE_OFFERS_MAX

from mergemaker_wire.fields import any_value, chain, chains, number, seat, shares_or_none, square
from mergemaker_wire.kinds import Kinds, kinds_of
from mergemaker_wire.raw import part_bytes, part_tags

_KEPT_MAX: Final = 4_096

QUESTIONS: Final[Kinds[Decision]] = kinds_of(
    "a question",
    Decision,
    pb,
    pb.Question,
    {
        "number": number(1, SQUARES),
        "most": number(1, SQUARES),
        "square": square,
        "chains": chains,
        "survivor": chain,
        "acquired": chain,
        "choose_pair_trade.number": number(1, PAIR_TRADES_MAX),
        "left": number(1, TRADE_OFFERS_MAX),
        "proposer": seat,
        "give_shares": shares_or_none,
        "give_cash": any_value,
        "take_shares": shares_or_none,
        "take_cash": any_value,
    },
)
_AUTOMATIC: Final[Kinds[Automatic]] = kinds_of(
    "a step",
    Automatic,
    pb,
    pb.Step,
    {"square": square, "survivor": chain, "acquired": chains, "waiting": chains},
)


_VIEW: Final = part_tags(view_pb2.View)
_ASKED, _AGENDA = _VIEW["asked"], _VIEW["agenda"]


def asked_bytes(decision: Decision | None, agenda: tuple[Step, ...]) -> bytes:
    """As bytes: the part of a view's message that gives the question and the steps that follow."""
    steps = b"".join(map(_agenda_bytes, agenda))
    return steps if decision is None else _asked_bytes(decision) + steps


# Messages can be changed, so bytes are kept for the next time. Single steps recur, while whole agendas may not.
@lru_cache(maxsize=_KEPT_MAX)
def _asked_bytes(decision: Decision) -> bytes:
    return part_bytes(_ASKED, decision_to_message(decision).SerializeToString())


@lru_cache(maxsize=_KEPT_MAX)
def _agenda_bytes(step: Step) -> bytes:
    return part_bytes(_AGENDA, step_to_message(step).SerializeToString())


@lru_cache(maxsize=_KEPT_MAX)
def step_from_bytes(data: bytes) -> Step:
    """The step in the bytes of a message."""
    return step_from_message(pb.Step.FromString(data))


def decision_to_message(decision: Decision) -> pb.Question:
    """The message of a question."""
    return pb.Question(seat=decision.seat, **QUESTIONS.write(decision))


def decision_from_message(message: pb.Question) -> Decision:
    """The question in a message."""
    return QUESTIONS.read(message, seat=seat(message.seat, "question.seat"))


def step_to_message(step: Step) -> pb.Step:
    """The message of a step of a turn."""
    if isinstance(step, Decision):
        return pb.Step(question=decision_to_message(step))
    return pb.Step(**_AUTOMATIC.write(step))


def step_from_message(message: pb.Step) -> Step:
    """The step in a message."""
    if message.WhichOneof("kind") == "question":
        return decision_from_message(message.question)
    return _AUTOMATIC.read(message)
