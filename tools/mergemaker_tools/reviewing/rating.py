"""Rates one decision: the recorded answer and others are played on in the same fresh deals.

Some deals, the *scouting* ones, choose the best of the other answers. Other deals, the *rating* ones, then compare this answer
with the recorded one. If the same deals did both, the chosen answer would look better than it is, by the luck that chose it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mergemaker_engine.actions import Action
from mergemaker_engine.deal import Chances, derived_seed
from mergemaker_engine.determinise import determinise
from mergemaker_engine.wording import action_text

from mergemaker_tools.redealing.estimates import Estimate, estimate
from mergemaker_tools.reviewing.asking import Asked
from mergemaker_tools.reviewing.house import House, play_on

_DECISION: Final = "review"
_DEAL: Final = "deal"
_UNSEEN: Final = "unseen"


class Effort(StrEnum):
    """How much is played for each decision."""

    QUICK = "quick"
    USUAL = "usual"
    THOROUGH = "thorough"


@dataclass(frozen=True, slots=True)
class Work:
    """What is played for one decision."""

    others: int
    """At most this many answers are tried beside the recorded one."""
    scouting: int
    """Deals in which all of them are played."""
    rating: int
    """Deals in which the recorded answer and the best of the others are played."""


EFFORTS: Final = MappingProxyType({Effort.QUICK: Work(3, 2, 4), Effort.USUAL: Work(5, 4, 16), Effort.THOROUGH: Work(8, 20, 100)})


@dataclass(frozen=True, slots=True)
class Plan:
    """What is the same for all decisions of a review."""

    work: Work
    house: House
    seed: bytes


@dataclass(frozen=True, slots=True)
class Rated:
    """A decision and what the deals say of its answer. Shares are parts of all money at the end, for the seat that was asked."""

    number: int
    turn: int
    seat: int
    by: str
    recorded: str
    alternative: str
    """The best of the other answers in the scouting deals."""
    share: Estimate
    """The share after the recorded answer."""
    gain: Estimate
    """How much larger the share is after the alternative, deal by deal."""
    is_preferred: bool
    """Whether the alternative did better in the scouting deals."""
    tried: int
    """How many answers were played."""

    @property
    def loss(self) -> float:
        """What the recorded answer is expected to lose. If it is negative, the rating deals disagree with the scouting ones."""
        return self.gain.mean if self.is_preferred else 0.0

    @property
    def low(self) -> float:
        """The lower end of the loss's interval."""
        return self.gain.low if self.is_preferred else 0.0

    @property
    def high(self) -> float:
        """The upper end of the loss's interval."""
        return self.gain.high if self.is_preferred else max(self.gain.high, 0.0)

    @property
    def is_clear(self) -> bool:
        """Whether the deals tell the answers apart: the whole interval of the loss is above nothing."""
        return self.low > 0


def rate(plan: Plan, asked: Asked) -> Rated:
    """Rates a decision. What comes out follows from the plan and the question alone."""
    work = plan.work
    scouted = [_shares(plan, asked, asked.answers, deal) for deal in range(work.scouting)]
    means = [math.fsum(shares) for shares in zip(*scouted, strict=True)]
    best = max(range(1, len(means)), key=means.__getitem__)
    pair = (asked.answers[0], asked.answers[best])
    rated = [_shares(plan, asked, pair, work.scouting + deal) for deal in range(work.rating)]
    rules = asked.view.rules
    return Rated(
        number=asked.number,
        turn=asked.turn,
        seat=asked.seat,
        by=asked.by,
        recorded=action_text(pair[0], rules),
        alternative=action_text(pair[1], rules),
        share=estimate([recorded for recorded, _ in rated]),
        gain=estimate([other - recorded for recorded, other in rated]),
        is_preferred=means[best] > means[0],
        tried=len(asked.answers),
    )


def _shares(plan: Plan, asked: Asked, answers: Iterable[Action], deal: int) -> list[float]:
    """The seat's share of all money after each of these answers, in the same deal and with the same chances."""
    own = derived_seed(derived_seed(plan.seed, _DECISION, asked.number), _DEAL, deal)
    world = determinise(asked.view, Chances(own, _UNSEEN), asked.books)
    shares = []
    for answer in answers:
        game = world.copy()
        game.take(answer, None)
        money = play_on(game, plan.house, own)
        shares.append(money[asked.seat] / sum(money))
    return shares
