"""Trading between players (TRD-1 to TRD-4).

There are far too many possible offers to list. So `Offers` is a sequence that is never written out: it knows its
length, makes any member from its index, and can tell whether an offer is a member.
"""

import operator
from collections.abc import Sequence
from typing import overload

from mergemaker_engine.actions import (
    ACCEPT,
    DECLINE,
    NO_OFFER,
    TRADE_CASH_MAX,
    TRADE_CASH_STEP,
    Action,
    NoOffer,
    OfferTrade,
    Reply,
)
from mergemaker_engine.board import CHAINS
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.decisions import ChooseOffer, ChooseReply
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.events import TradeAnswered, TradeOffered
from mergemaker_engine.refusals import wrong_kind
from mergemaker_engine.state import Log, State, holding
from mergemaker_engine.unchecked import Unchecked

_CASH_STEPS_MAX = TRADE_CASH_MAX // TRADE_CASH_STEP


class Offers(Sequence[NoOffer | OfferTrade]):
    """All legal answers to an offer decision, in order: no offer, then by partner, then by what is moved.

    An offer is eight numbers, one for each chain and one for cash: 0 for neither side, 1 … `given` for that many given,
    and from there on 1, 2, … asked.
    """

    __slots__ = ("_asked", "_endings", "_given", "_partners")

    def __init__(self, given: Sequence[int], partners: Sequence[int]) -> None:
        self._given = tuple(given)
        """The most that can be given: shares of each chain, then cash in steps."""
        self._asked = (*([SHARES_PER_CHAIN] * CHAINS), _CASH_STEPS_MAX)
        """The most that can be asked for, in the same form."""
        self._partners = tuple(partners)
        self._endings = self._count_endings()

    def _count_endings(self) -> dict[tuple[int, bool, bool], int]:
        """How many ways there are to complete an offer from a place in the eight numbers on.

        By place, and by whether anything was given and asked before it.
        """
        places = len(self._given)
        endings: dict[tuple[int, bool, bool], int] = {}
        for gave in (False, True):
            for asked in (False, True):
                endings[places, gave, asked] = int(gave and asked)
        for place in range(places - 1, -1, -1):
            for gave in (False, True):
                for asked in (False, True):
                    endings[place, gave, asked] = (
                        endings[place + 1, gave, asked]
                        + self._given[place] * endings[place + 1, True, asked]
                        + self._asked[place] * endings[place + 1, gave, True]
                    )
        return endings

    def __len__(self) -> int:
        return 1 + len(self._partners) * self._endings[0, False, False]

    @overload
    def __getitem__(self, index: int) -> NoOffer | OfferTrade: ...
    @overload
    def __getitem__(self, index: slice) -> "list[NoOffer | OfferTrade]": ...
    def __getitem__(self, index: int | slice) -> "NoOffer | OfferTrade | list[NoOffer | OfferTrade]":
        """The answer at an index, or a list of answers for a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = operator.index(index)
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} answers, and none at {index}")
        if at == 0:
            return NO_OFFER
        partner, rest = divmod(at - 1, self._endings[0, False, False])
        return _offer(self._partners[partner], self._numbers_at(rest), self._given)

    def _numbers_at(self, rest: int) -> list[int]:
        numbers = []
        gave = asked = False
        for place, most_given in enumerate(self._given):
            neither = self._endings[place + 1, gave, asked]
            if rest < neither:
                numbers.append(0)
                continue
            rest -= neither
            giving = self._endings[place + 1, True, asked]
            if rest < most_given * giving:
                count, rest = divmod(rest, giving)
                numbers.append(1 + count)
                gave = True
                continue
            rest -= most_given * giving
            count, rest = divmod(rest, self._endings[place + 1, gave, True])
            numbers.append(most_given + 1 + count)
            asked = True
        return numbers

    def __contains__(self, answer: object) -> bool:
        if isinstance(answer, NoOffer):
            return True
        if not isinstance(answer, OfferTrade) or answer.partner not in self._partners:
            return False
        return self.lacking(answer) is None

    def lacking(self, offer: OfferTrade) -> int | None:
        """The first chain, or 7 for cash, of which an offer gives more than the seat has."""
        for place, count in enumerate((*offer.give_shares, offer.give_cash // TRADE_CASH_STEP)):
            if count > self._given[place]:
                return place
        return None


def _offer(partner: int, numbers: Sequence[int], most_given: Sequence[int]) -> OfferTrade:
    give = [min(number, most) if number <= most else 0 for number, most in zip(numbers, most_given, strict=True)]
    take = [max(number - most, 0) for number, most in zip(numbers, most_given, strict=True)]
    return OfferTrade(
        partner,
        tuple(give[:CHAINS]),
        give[CHAINS] * TRADE_CASH_STEP,
        tuple(take[:CHAINS]),
        take[CHAINS] * TRADE_CASH_STEP,
    )


def offers(state: State, step: ChooseOffer) -> Offers:
    """Every legal answer: no offer, and every offer that the seat can fulfil (TRD-2, TRD-3)."""
    given = [holding(state, step.seat, chain) for chain in range(CHAINS)]
    given.append(min(state.cash[step.seat] // TRADE_CASH_STEP, _CASH_STEPS_MAX))
    return Offers(given, [seat for seat in range(state.tables.seats) if seat != step.seat])


def offer_arises(state: State, step: ChooseOffer) -> bool:
    """Whether the seat has a share or $100 to give."""
    seats = state.tables.seats
    return state.cash[step.seat] >= TRADE_CASH_STEP or any(state.shares[step.seat :: seats])


def answer_offer(state: State, step: ChooseOffer, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is NoOffer:
        state.agenda.pop()
        return
    if type(action) is not OfferTrade:
        raise wrong_kind(step, action, "TRD-1")
    if action.partner == step.seat or action.partner >= state.tables.seats:
        raise IllegalAction("no-such-partner", f"an offer goes to another seat, not to {action.partner}", "TRD-1")
    lacking = offers(state, step).lacking(action)
    if lacking is not None:
        what = "cash" if lacking == CHAINS else state.tables.rules.chain_names[lacking]
        raise IllegalAction("not-owned", f"seat {step.seat} does not have so much {what}", "TRD-2")
    make_offer(state, step, action, log)


def make_offer(state: State, step: ChooseOffer, action: OfferTrade, log: Log) -> None:
    """Announces an offer and asks the partner (TRD-4)."""
    agenda = state.agenda
    agenda.pop()
    if step.left > 1:
        agenda.append(ChooseOffer(step.seat, step.left - 1))
    agenda.append(
        ChooseReply(action.partner, step.seat, action.give_shares, action.give_cash, action.take_shares, action.take_cash)
    )
    if log is not None:
        log.append(
            TradeOffered(step.seat, action.partner, action.give_shares, action.give_cash, action.take_shares, action.take_cash)
        )


def _can_accept(state: State, step: ChooseReply) -> bool:
    """Whether the partner has what is asked for (TRD-2)."""
    if state.cash[step.seat] < step.take_cash:
        return False
    return all(holding(state, step.seat, chain) >= count for chain, count in enumerate(step.take_shares))


def reply_options(state: State, step: ChooseReply) -> tuple[Reply, ...]:
    """Decline, and accept if the partner has what is asked for."""
    return (DECLINE, ACCEPT) if _can_accept(state, step) else (DECLINE,)


def answer_reply(state: State, step: ChooseReply, action: Unchecked[Action], log: Log) -> None:
    """Checks and carries out the answer."""
    if type(action) is not Reply:
        raise wrong_kind(step, action, "TRD-1")
    if action.accept and not _can_accept(state, step):
        raise IllegalAction("not-owned", f"seat {step.seat} does not have what is asked for", "TRD-2")
    reply(state, step, accept=action.accept, log=log)


def reply(state: State, step: ChooseReply, *, accept: bool, log: Log) -> None:
    """Announces the answer, and carries out an accepted trade."""
    state.agenda.pop()
    if log is not None:
        log.append(TradeAnswered(step.seat, accept))
    if not accept:
        return
    seats = state.tables.seats
    for chain in range(CHAINS):
        moved = step.give_shares[chain] - step.take_shares[chain]
        state.shares[chain * seats + step.proposer] -= moved
        state.shares[chain * seats + step.seat] += moved
    state.cash[step.proposer] += step.take_cash - step.give_cash
    state.cash[step.seat] += step.give_cash - step.take_cash
