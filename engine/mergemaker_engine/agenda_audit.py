"""The auditor of agendas: whether a turn can reach these steps, on this board, in this order (TRN-1).

An agenda is the rest of the turn and, on top of it, at most one interruption: an offer to be answered, swaps, a founding or
a merger. A written position may leave out steps of the turn, except its end.
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from mergemaker_engine.actions import TRADE_CASH_MAX, TRADE_CASH_STEP
from mergemaker_engine.board import ALL_CHAINS, CELL, CHAINS, CHAINS_IN, INDEPENDENT, is_dead, near
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.decisions import (
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
    Decision,
    DrawTiles,
    ExchangeDead,
    PassTurn,
    PowerPhase,
    PurchaseTerms,
    RedrawHand,
    SettleNext,
    Step,
)
from mergemaker_engine.mergers import largest_of
from mergemaker_engine.powers import PAIR_TRADES_MAX, TILES_PLACED_MAX
from mergemaker_engine.state import State, holding

_INTERRUPTIONS: Final = (
    ChooseReply, ChoosePairTrade, ChooseFounded, ChooseSurvivor, ChooseAcquired, ChooseDisposal, SettleNext,
)  # fmt: skip


def agenda_faults(state: State) -> Iterator[str]:
    """Everything that is wrong with the agenda of a running game, in words."""
    steps = state.agenda[::-1]
    for step in steps:
        if isinstance(step, Decision) and not isinstance(step, ChooseDisposal | ChooseReply) and step.seat != state.seat:
            yield f"{type(step).__name__} asks seat {step.seat} in the turn of seat {state.seat}"
    at = next((at for at, step in enumerate(steps) if not isinstance(step, _INTERRUPTIONS)), len(steps))
    rest = steps[at:]
    yield from _rest_of_turn(state, rest)
    if at:
        yield from _interruption(state, steps[:at], rest)


# --- the rest of the turn --------------------------------------------------------------------------------------------


def _rest_of_turn(state: State, rest: Sequence[Step]) -> Iterator[str]:
    """The steps are those of a turn, in its order, and the last one ends the turn."""
    if not rest or not isinstance(rest[-1], PassTurn):
        yield "the agenda does not end with PassTurn"
    places = [_place_in_turn(state, step) for step in rest]
    for step, place in zip(rest, places, strict=True):
        if place is None:
            yield f"{type(step).__name__} is no step of the rest of a turn by these rules"
    known = [place for place in places if place is not None]
    if known != sorted(set(known)):
        yield "the agenda is not in the order of a turn"
    for at, step in enumerate(rest):
        if isinstance(step, ChooseOffer) and not 1 <= step.left <= state.tables.rules.trade_offers:
            yield f"{step.left} offers are left, of {state.tables.rules.trade_offers}"
        if isinstance(step, ChoosePower):
            yield from _power(step, rest[at + 1 :])
        if isinstance(step, ChooseTile):
            yield from _tile(state, step, is_first=at == 0)
        if isinstance(step, ChoosePurchase) and step.terms is not PurchaseTerms.USUAL:
            yield from _special_purchase(state, step)


def _place_in_turn(state: State, step: Step) -> int | None:
    """The index of a step in a whole turn, even if the step has changed since the turn began."""
    seat = state.seat
    match step:
        case ChooseOffer():
            step = ChooseOffer(seat, state.tables.rules.trade_offers)
        case ChooseTile():
            step = ChooseTile(seat)
        case ChoosePurchase():
            step = ChoosePurchase(seat)
        case ChoosePower():
            step = ChoosePower(seat, step.phase)
        case (
            ChooseFounded()
            | ChooseSurvivor()
            | ChooseAcquired()
            | ChooseDisposal()
            | ChooseExchange()
            | ChoosePairTrade()
            | ChooseReply()
            | RedrawHand()
            | SettleNext()
            | DrawTiles()
            | ExchangeDead()
            | PassTurn()
        ):
            pass
        case _:
            assert_never(step)
    turn = state.tables.turns[seat][::-1]
    return turn.index(step) if step in turn else None


def _power(step: ChoosePower, after: Sequence[Step]) -> Iterator[str]:
    """A power that changes a step comes right before that step in its usual form (PWR-2, PWR-3, PWR-5)."""
    changed = {PowerPhase.PLACING: ChooseTile(step.seat), PowerPhase.BUYING: ChoosePurchase(step.seat)}.get(step.phase)
    if changed is not None and after[:1] != [changed]:
        yield f"the power of the phase {step.phase} is not followed by the usual {type(changed).__name__}"


def _tile(state: State, step: ChooseTile, *, is_first: bool) -> Iterator[str]:
    """There is one tile, or up to four under Place four; then all steps before the tiles are over (PWR-5)."""
    if step.most not in {1, TILES_PLACED_MAX if state.tables.powers else 1} or not 1 <= step.number <= step.most:
        yield f"no turn has a tile number {step.number} of {step.most}"
    if step != ChooseTile(step.seat) and not is_first:
        yield f"a step of the turn stands before tile number {step.number} of {step.most}"


def _special_purchase(state: State, step: ChoosePurchase) -> Iterator[str]:
    """A power for the purchase was used just before it (PWR-2, PWR-3, PWR-7)."""
    if not state.tables.powers:
        yield f"these rules have no purchase on the terms {step.terms}"
    if state.agenda[-1] is not step:
        yield f"a step of the turn stands before the purchase on the terms {step.terms}"
    if step.terms is PurchaseTerms.THREE_FREE and not any(state.market[chain] for chain in CHAINS_IN[state.active]):
        yield "three shares are free, and there is none to take"


# --- interruptions ----------------------------------------------------------------------------------------------


def _interruption(state: State, steps: Sequence[Step], rest: Sequence[Step]) -> Iterator[str]:
    """Each kind comes alone, except the questions of a merger, and only where the turn allows it."""
    match steps:
        case [ChooseReply() as reply]:
            yield from _reply(state, reply)
            yield from _stands_before(state, rest, ChooseOffer(state.seat, state.tables.rules.trade_offers))
        case [ChoosePairTrade() as trade]:
            if not state.tables.powers or not 1 <= trade.number <= PAIR_TRADES_MAX:
                yield f"these rules have no swap number {trade.number}"
            yield from _stands_before(state, rest, ChoosePurchase(state.seat))
        case [ChooseFounded() as founding]:
            yield from _founding(state, founding)
            yield from _after_a_tile(state, rest)
        case [ChooseSurvivor() as survivor]:
            yield from _survivor(state, survivor)
            yield from _after_a_tile(state, rest)
        case [*questions, SettleNext() as merger]:
            yield from _merger(state, merger)
            yield from _questions(state, questions, merger)
            yield from _after_a_tile(state, rest)
        case _:
            names = ", ".join(type(step).__name__ for step in steps)
            yield f"{names}: a turn is interrupted by one thing only, and a question of a merger has its SettleNext after it"


def _stands_before(state: State, rest: Sequence[Step], earliest: Step) -> Iterator[str]:
    """An interruption belongs to some step, so nothing before that step is still to come."""
    turn = state.tables.turns[state.seat][::-1]
    first = _place_in_turn(state, rest[0]) if rest else None
    if first is not None and (earliest not in turn or first < turn.index(earliest)):
        yield f"{type(rest[0]).__name__} is over, or not of these rules, when {type(state.agenda[-1]).__name__} is asked"


def _after_a_tile(state: State, rest: Sequence[Step]) -> Iterator[str]:
    """A founding or a merger follows a tile, so only tiles after the first are still to come (PWR-5)."""
    yield from _stands_before(state, rest, ChooseTile(state.seat))
    if rest and isinstance(rest[0], ChooseTile) and rest[0].number == 1:
        yield "the first tile of the turn is still to come, and something follows from one"


def _reply(state: State, reply: ChooseReply) -> Iterator[str]:
    """The player in turn made the offer, may make it, and has what it gives (TRD-1 to TRD-3)."""
    if reply.proposer != state.seat or reply.seat == state.seat or not 0 <= reply.seat < state.tables.seats:
        yield f"seat {reply.proposer} makes seat {reply.seat} an offer in the turn of seat {state.seat}"
        return
    sides = ((reply.give_shares, reply.give_cash), (reply.take_shares, reply.take_cash))
    for shares, cash in sides:
        if len(shares) != CHAINS or not all(0 <= count <= SHARES_PER_CHAIN for count in shares):
            yield f"one side of an offer is {CHAINS} counts of shares, each at most {SHARES_PER_CHAIN}, not {shares}"
            return
        if not 0 <= cash <= TRADE_CASH_MAX or cash % TRADE_CASH_STEP:
            yield f"an offer moves ${cash}"
        if not (any(shares) or cash):
            yield "one side of an offer gives nothing"
    if (reply.give_cash and reply.take_cash) or any(map(min, zip(reply.give_shares, reply.take_shares, strict=True))):
        yield "the same stands on both sides of an offer"
    held = [holding(state, reply.proposer, chain) for chain in range(CHAINS)]
    if state.cash[reply.proposer] < reply.give_cash or any(map(int.__lt__, held, reply.give_shares)):
        yield f"seat {reply.proposer} offers what it does not have"


def _touched(state: State, square: int) -> int:
    return near(state.board, CELL[square])


def _founding(state: State, founding: ChooseFounded) -> Iterator[str]:
    """The tile lies on the board, beside independent tiles and no chain, and a name is free (PLC-4, PLC-8)."""
    if state.board[CELL[founding.square]] != INDEPENDENT or _touched(state, founding.square) != INDEPENDENT:
        yield "a chain is founded by a tile that lies on the board, beside others and beside no chain"
    if state.active == ALL_CHAINS:
        yield "an eighth chain is founded"


def _merging(state: State, square: int, chains: Sequence[int]) -> Iterator[str]:
    """The tile lies between exactly these chains, and no two of them are safe (MRG-1, PLC-7)."""
    touched = _touched(state, square)
    if state.board[CELL[square]] != INDEPENDENT or len(chains) < 2 or tuple(chains) != CHAINS_IN[touched & ALL_CHAINS]:
        yield "a merger is of the chains that its tile on the board touches, two at least"
    if is_dead(touched, state.safe):
        yield "two safe chains merge"


def _survivor(state: State, step: ChooseSurvivor) -> Iterator[str]:
    """There are several largest chains to choose from (MRG-2)."""
    yield from _merging(state, step.square, step.chains)
    if len(step.chains) > 1 and len(largest_of(state, step.chains)) == 1:
        yield "a survivor is chosen, and one chain is the largest"


def _merger(state: State, merger: SettleNext) -> Iterator[str]:
    """The largest chain survives, and the others are settled, largest first (MRG-1, MRG-4)."""
    chains = sorted((merger.survivor, *merger.acquired))
    yield from _merging(state, merger.square, chains)
    if list(merger.acquired) != [chain for chain in chains if chain != merger.survivor]:
        yield "the acquired chains of a merger are not in order, or one survives"
    if list(merger.waiting) != [chain for chain in merger.acquired if chain in merger.waiting]:
        yield "the chains still to be settled are not in order, or not acquired"
    if merger.survivor not in largest_of(state, tuple(chains)):
        yield "the survivor of a merger is not among its largest chains"
    settled = [state.sizes[chain] for chain in merger.acquired if chain not in merger.waiting]
    waiting = [state.sizes[chain] for chain in merger.waiting]
    if settled and waiting and min(settled) < max(waiting):
        yield "a larger chain waits in a merger, and a smaller one is settled"


def _questions(state: State, questions: Sequence[Step], merger: SettleNext) -> Iterator[str]:
    """Either one of several equal chains is chosen, or the holders of one chain are asked in turn (MRG-4 to MRG-6)."""
    match questions:
        case []:
            return
        case [ChooseAcquired() as step]:
            if step.survivor != merger.survivor or not merger.waiting or len(largest_of(state, merger.waiting)) == 1:
                yield "an acquired chain is chosen, and its merger has none to choose from"
            return
    disposals = [step for step in questions if isinstance(step, ChooseDisposal)]
    settled = [chain for chain in merger.acquired if chain not in merger.waiting]
    pairs = {(step.acquired, step.survivor) for step in disposals}
    if len(disposals) != len(questions) or pairs - {(chain, merger.survivor) for chain in settled} or len(pairs) != 1:
        yield "what is asked during a merger is not about one chain that it settles"
        return
    seats = state.tables.seats
    turns = [(step.seat - state.seat) % seats for step in disposals]
    if turns != sorted(set(turns)) or not all(step.seat < seats for step in disposals):
        yield "the holders of an acquired chain are not asked in seat order, the mergemaker first"
    elif not all(holding(state, step.seat, step.acquired) for step in disposals):
        yield "a seat disposes of shares that it does not have"
