"""Questions to a person in words, with what depends on the answer: prices, holdings, majorities. This module does no I/O."""

from collections.abc import Iterator
from typing import Final, assert_never

from mergemaker_client.turn import TileChoice, Turn
from mergemaker_engine.actions import Action, Buy, Place, Power, UsePower
from mergemaker_engine.board import CHAINS, NUMBERS, SQUARES
from mergemaker_engine.chains import GIANT_SIZE, SAFE_SIZE, TIERS
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
    PurchaseTerms,
)
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import EMPTY_SQUARE, INDEPENDENT_SQUARE, View, chain_at
from mergemaker_engine.wording import action_text, square_name

from mergemaker_tools.phrases import ASKED, bought_text
from mergemaker_tools.play.person import PersonsVoice
from mergemaker_tools.play.stakes import bonuses_of, listed, most_of_others, ordinal, paid_now, totals_now

LISTED_MAX: Final = 24
"""Up to this many answers are listed with numbers; for more, only their form is shown."""

POWERS_SAY: Final = {
    Power.TAKE_FIVE: "take five tiles from the pile now; you draw no more until you have fewer than six",
    Power.PLACE_FOUR: "place up to four tiles this turn, one after the other, and then buy once",
    Power.THREE_FREE: "take one to three shares free instead of buying",
    Power.BUY_FIVE: "buy up to five shares this turn",
    Power.TRADE_TWO: "before you buy, give two shares of a chain for one of another, up to three times",
}
"""What each power lets its player do."""


def question_lines(turn: Turn) -> list[str]:
    """The question, and its possible answers."""
    voice = PersonsVoice(turn.match.bots, turn.seat)
    match turn.decision:
        case ChooseTile() as tile:
            which = f", number {tile.number} of up to {tile.most} this turn" if tile.most > 1 else ""
            lines = [f"Place a tile{which}:", *_tile_lines(turn, voice)]
        case ChoosePurchase() as purchase:
            lines = _purchase_lines(turn, voice, free=purchase.terms is PurchaseTerms.THREE_FREE)
        case ChooseDisposal(acquired=acquired, survivor=survivor):
            lines = _disposal_lines(turn, acquired, survivor)
        case ChooseFounded(square=square):
            lines = _founding_lines(turn, square)
        case ChooseExchange():
            lines = ["Exchange your dead tiles for new ones? They can never be placed.", *_listed(turn)]
        case ChooseReply():
            reply = turn.decision
            given, asked = (
                _side(turn, reply.give_shares, reply.give_cash),
                _side(turn, reply.take_shares, reply.take_cash),
            )
            lines = [f"{voice.who(reply.proposer)} offers you {given} for {asked}. Do you accept?", *_listed(turn)]
        case ChooseSurvivor() | ChooseAcquired() | ChoosePower() | ChoosePairTrade() | ChooseOffer():
            lines = [ASKED[type(turn.decision)], *_listed(turn, voice)]
        case _:
            assert_never(turn.decision)
    return [*lines, *_ending_lines(turn, voice)]


def _side(turn: Turn, shares: tuple[int, ...], cash: int) -> str:
    return ", ".join(part for part in (bought_text(shares, turn.names), f"${cash:,}" if cash else "") if part)


def _ending_lines(turn: Turn, voice: PersonsVoice) -> list[str]:
    if not turn.may_declare:
        return []
    large = [turn.names[chain] for chain, size in enumerate(turn.view.sizes) if size >= GIANT_SIZE]
    why = f"{listed(large)} has {GIANT_SIZE} tiles or more" if large else "all chains are safe"
    lines = [f"You may declare the end, as {why}: add `end` to the answer, and this turn is the last."]
    totals = totals_now(turn.view)
    if totals is not None:
        lines.append(f"  If the game ended now: {voice.paid(totals)}.")
    return lines


# --- tiles -------------------------------------------------------------------------------------------------


def _tile_lines(turn: Turn, voice: PersonsVoice) -> list[str]:
    lines = [f"  {square_name(tile.action.square):4} {_effect_text(tile, turn, voice)}" for tile in turn.tiles]
    placeable = {tile.action.square for tile in turn.tiles}
    lines += [f"  {square_name(square):4} {_why_not(turn.view, square)}" for square in turn.view.hand if square not in placeable]
    others = [action_text(answer, turn.match.rules) for answer in turn.answers if not isinstance(answer, Place)]
    return lines + [f"  {text}" for text in others]


def _why_not(view: View, square: int) -> str:
    """Why a tile cannot be placed (PLC-7, PLC-8)."""
    chains = {chain for near in _beside(square) if (chain := chain_at(view, near)) is not None}
    if sum(view.sizes[chain] >= SAFE_SIZE for chain in chains) > 1:
        return "cannot be placed: it would join two safe chains, so it is dead for the rest of the game"
    return "cannot be placed now: it would found a chain, and all seven are on the board"


def _effect_text(tile: TileChoice, turn: Turn, voice: PersonsVoice) -> str:
    names, effect, view = turn.names, tile.effect, turn.view
    match tile.kind:
        case EffectKind.LONE:
            return "stays alone"
        case EffectKind.FOUNDS:
            return f"founds a chain of {effect.size}: {_tiers_text(turn, effect.size)}"
        case EffectKind.GROWS:
            chain = tile.chains[0]
            before, after = view.prices[chain], _price_at(view, chain, effect.size)
            price = f"${before:,} to ${after:,} a share" if after != before else f"still ${after:,} a share"
            return f"grows {names[chain]} to {effect.size}: {price}, you hold {turn.mine[chain]}"
        case EffectKind.MERGES:
            survivors = listed([names[chain] for chain in effect.survivors], "or")
            stakes = "; ".join(_stake(turn, chain, voice) for chain in tile.chains if effect.survivors != (chain,))
            joined = listed([names[chain] for chain in tile.chains])
            return f"merges {joined}, {survivors} survives with {effect.size}; {stakes}"


def _tiers_text(turn: Turn, size: int) -> str:
    """The chains that can be founded, by their price at a size."""
    by_price: dict[int, list[str]] = {}
    for chain, name in enumerate(turn.names):
        if not turn.view.sizes[chain]:
            by_price.setdefault(_price_at(turn.view, chain, size), []).append(name)
    return "; ".join(f"{', '.join(names)} ${price:,}" for price, names in sorted(by_price.items()))


def _stake(turn: Turn, chain: int, voice: PersonsVoice) -> str:
    """What a settlement of a chain would pay now."""
    name, paid = turn.names[chain], paid_now(turn.view, chain)
    if paid is not None:
        return f"{name} would pay {voice.paid(paid)}"
    places = ", ".join(f"{ordinal(place)} ${amount:,}" for place, amount in enumerate(bonuses_of(turn.view, chain), 1))
    return f"{name} would pay {places}; you hold {turn.mine[chain]}"


def _price_at(view: View, chain: int, size: int) -> int:
    price: int = tables_for(view.rules, view.seats).prices[chain][size]
    return price


def _beside(square: int) -> Iterator[int]:
    row, column = divmod(square, NUMBERS)
    if column:
        yield square - 1
    if column < NUMBERS - 1:
        yield square + 1
    if row:
        yield square - NUMBERS
    if square + NUMBERS < SQUARES:
        yield square + NUMBERS


# --- chains ------------------------------------------------------------------------------------------------


def _founding_lines(turn: Turn, square: int) -> list[str]:
    """The chains that can be founded, with tier and price."""
    view, size = turn.view, _joined(turn.view, square)
    lines = ["Name the chain that you found; you get one share of it free:"]
    for number, answer in enumerate(turn.answers, 1):
        chain: int = answer.chain  # type: ignore[union-attr]  # the answers to this question name chains
        tier = TIERS[view.rules.tier(chain)]
        left = f"{view.market[chain]} shares left" if view.market[chain] else "no share left"
        holds = f", you hold {turn.mine[chain]}" if turn.mine[chain] else ""
        lines.append(f"  {number}. {turn.names[chain]:12} {tier:6} ${_price_at(view, chain, size):,} a share, {left}{holds}")
    return lines


def _joined(view: View, square: int) -> int:
    """How many independent tiles are connected with one of them, which is counted, too."""
    found, waiting = {square}, [square]
    while waiting:
        for near in _beside(waiting.pop()):
            if near not in found and view.board[near] == INDEPENDENT_SQUARE:
                found.add(near)
                waiting.append(near)
    assert view.board[square] != EMPTY_SQUARE, "the tile lies there"
    return len(found)


def _listed(turn: Turn, voice: PersonsVoice | None = None) -> list[str]:
    if len(turn.answers) > LISTED_MAX:
        first = action_text(turn.answers[0], turn.match.rules)
        return [f"  `{first}`, or as in `offer seat 1: 2 {turn.names[0]} $300 for 1 {turn.names[-1]}`"]
    return [
        f"  {number}. {action_text(answer, turn.match.rules)}{_remark(turn, answer, voice)}"
        for number, answer in enumerate(turn.answers, 1)
    ]


def _remark(turn: Turn, answer: Action, voice: PersonsVoice | None) -> str:
    """What depends on an answer of a list."""
    match turn.decision:
        case ChooseSurvivor(chains=chains) if voice:
            survivor: int = answer.chain  # type: ignore[union-attr]  # the answers name chains
            stakes = [_stake(turn, chain, voice) for chain in chains if chain != survivor]
            return f": {'; '.join(stakes)}"
        case ChooseAcquired() if voice:
            chain: int = answer.chain  # type: ignore[union-attr]  # likewise
            return f": {turn.view.sizes[chain]} tiles; {_stake(turn, chain, voice)}"
        case ChoosePower() if isinstance(answer, UsePower):
            return f": {POWERS_SAY[answer.power]}" if answer.power else ": keep them for later"
        case _:
            return ""


# --- shares ------------------------------------------------------------------------------------------------


def _purchase_lines(turn: Turn, voice: PersonsVoice, *, free: bool) -> list[str]:
    most = max((answer.count for answer in turn.answers if isinstance(answer, Buy)), default=0)
    if not most:
        return ["You can buy nothing: Enter goes on."]
    view = turn.view
    offered = [chain for chain in range(CHAINS) if view.sizes[chain] and view.market[chain]]
    first = turn.names[offered[0]]
    ask = f"Take up to {most} shares free" if free else f"Buy up to {most} shares"
    none = "" if free else ", or Enter for nothing"
    heads = f"  {'chain':12} {'price':>6} {'left':>5} {'yours':>6}  {'most of the others':24} bonuses"
    return [
        f"{ask}, as in `1 {first.lower()}`{none}. You have ${turn.cash:,}.",
        heads,
        *(_offered_line(turn, chain, voice) for chain in offered),
    ]


def _offered_line(turn: Turn, chain: int, voice: PersonsVoice) -> str:
    view = turn.view
    most = most_of_others(view, chain, turn.seat)
    if most is None:
        others = "hidden"
    else:
        count, seats = most
        others = f"{count}, {listed([voice.who(seat) for seat in seats])}" if count else "none"
    bonuses = ", ".join(f"${amount:,}" for amount in bonuses_of(view, chain))
    price = f"${view.prices[chain]:,}"
    return f"  {turn.names[chain]:12} {price:>6} {view.market[chain]:>5} {turn.mine[chain]:>6}  {others[:24]:24} {bonuses}"


def _disposal_lines(turn: Turn, acquired: int, survivor: int) -> list[str]:
    names, held, view = turn.names, turn.mine[acquired], turn.view
    left = f"{view.market[survivor]} left, you hold {turn.mine[survivor]}"
    return [
        f"{names[survivor]} takes {names[acquired]} over. Sell, trade or keep each of your {held} {names[acquired]}:",
        f"  sell   for ${view.prices[acquired]:,} each; you have ${turn.cash:,}",
        f"  trade  two for one of {names[survivor]}, now ${view.prices[survivor]:,}; {left}",
        f"  keep   the rest, in case {names[acquired]} is founded again",
        "  as in `sell 1 trade 2`, `sell all` or `keep`",
    ]
