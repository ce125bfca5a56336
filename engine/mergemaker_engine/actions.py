"""The answers to decisions: actions, their integer codes, and tables of all of them.

An action checks itself when it is made: a wrong type or an impossible count is an error at once. `Game.apply` then only
checks whether the position accepts it. `VOCABULARY.md` fixes codes and order.
"""

from dataclasses import field
from enum import StrEnum
from itertools import combinations_with_replacement
from operator import index
from typing import Final, SupportsIndex, TypeAlias

from mergemaker_engine.action_checks import check_flag, check_number, check_shares
from mergemaker_engine.board import CHAINS, SQUARES
from mergemaker_engine.chains import SHARES_PER_CHAIN
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.shown import shown
from mergemaker_engine.unchecked import Unchecked
from mergemaker_engine.values import dataclass

USUAL_PURCHASE_MAX: Final = 3
LARGEST_PURCHASE: Final = 5
TRADE_CASH_MAX: Final = 100_000
"""In dollars, for either side of an offer. Without a limit, offers could not be listed."""
TRADE_CASH_STEP: Final = 100
_SEAT_LIMIT: Final = 6


class Power(StrEnum):
    """The five special powers, in the order of their codes (PWR-1)."""

    TAKE_FIVE = "take-five"
    PLACE_FOUR = "place-four"
    THREE_FREE = "three-free"
    BUY_FIVE = "buy-five"
    TRADE_TWO = "trade-two"


POWERS: Final = tuple(Power)
CHAIN_NUMBERS: Final = tuple(f"chain-{chain}" for chain in range(CHAINS))
"""Used as chain names where no rules are known."""
_DISPOSAL_COLUMNS: Final = SHARES_PER_CHAIN // 2 + 1
# Every list of chains that can be bought, by length, then as sequences. The index of a list is the rank of its purchase.
_CHAIN_LISTS: Final = tuple(
    chains for count in range(LARGEST_PURCHASE + 1) for chains in combinations_with_replacement(range(CHAINS), count)
)
USUAL_PURCHASES: Final = sum(len(chains) <= USUAL_PURCHASE_MAX for chains in _CHAIN_LISTS)
_LARGE_PURCHASES: Final = len(_CHAIN_LISTS) - USUAL_PURCHASES


# The same lists as seven counts, one for each chain.
_SHARES: Final = tuple(tuple(map(chains.count, range(CHAINS))) for chains in _CHAIN_LISTS)
_RANK: Final = {shares: rank for rank, shares in enumerate(_SHARES)}
# The first code of each kind of action, in the order of VOCABULARY.md.
PLACE_CODE: Final = 0
PLACE_END_CODE: Final = PLACE_CODE + SQUARES
STOP_CODE: Final = PLACE_END_CODE + SQUARES
FOUNDED_CODE: Final = STOP_CODE + 1
SURVIVOR_CODE: Final = FOUNDED_CODE + CHAINS
ACQUIRED_CODE: Final = SURVIVOR_CODE + CHAINS
DISPOSE_CODE: Final = ACQUIRED_CODE + CHAINS
BUY_CODE: Final = DISPOSE_CODE + (SHARES_PER_CHAIN + 1) * _DISPOSAL_COLUMNS
BUY_END_CODE: Final = BUY_CODE + USUAL_PURCHASES
EXCHANGE_CODE: Final = BUY_END_CODE + USUAL_PURCHASES
CODES_WITHOUT_POWERS: Final = EXCHANGE_CODE + 2
END_PLACING_CODE: Final = CODES_WITHOUT_POWERS
POWER_CODE: Final = END_PLACING_CODE + 1
PAIR_CODE: Final = POWER_CODE + 1 + len(POWERS)
END_TRADING_CODE: Final = PAIR_CODE + CHAINS * CHAINS
LARGE_BUY_CODE: Final = END_TRADING_CODE + 1
LARGE_BUY_END_CODE: Final = LARGE_BUY_CODE + _LARGE_PURCHASES
CODES: Final = LARGE_BUY_END_CODE + _LARGE_PURCHASES


class _InWords:
    """Gives `repr` in the words of `VOCABULARY.md`. Without rules, chains have no names, so their numbers are shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        from mergemaker_engine.wording import words_of_action  # noqa: PLC0415 - that module imports this one

        return f"<{words_of_action(self, CHAIN_NUMBERS)}>"  # type: ignore[arg-type]  # only actions derive from it


@dataclass(frozen=True, slots=True, repr=False)
class Place(_InWords):
    """Place a tile; with `declare`, declare the end first (PLC-1, END-2)."""

    square: Unchecked[int]
    declare: Unchecked[bool] = False
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.square, "square", 0, SQUARES - 1, "PLC-1")
        check_flag(self.declare, "declare", "END-2")
        object.__setattr__(self, "code", (PLACE_END_CODE if self.declare else PLACE_CODE) + self.square)


@dataclass(frozen=True, slots=True, repr=False)
class StopPlay(_InWords):
    """Declare the end and stop at once, instead of placing a tile (END-2)."""

    @property
    def code(self) -> int:
        """The integer code."""
        return STOP_CODE


@dataclass(frozen=True, slots=True, repr=False)
class EndPlacing(_InWords):
    """Place no more tiles this turn (PWR-5)."""

    @property
    def code(self) -> int:
        """The integer code."""
        return END_PLACING_CODE


@dataclass(frozen=True, slots=True, repr=False)
class NameFounded(_InWords):
    """Give the founded chain its name (FND-1)."""

    chain: Unchecked[int]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.chain, "chain", 0, CHAINS - 1, "FND-1")
        object.__setattr__(self, "code", FOUNDED_CODE + self.chain)


@dataclass(frozen=True, slots=True, repr=False)
class NameSurvivor(_InWords):
    """Name the chain that survives a merger of equals (MRG-2)."""

    chain: Unchecked[int]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.chain, "chain", 0, CHAINS - 1, "MRG-2")
        object.__setattr__(self, "code", SURVIVOR_CODE + self.chain)


@dataclass(frozen=True, slots=True, repr=False)
class NameAcquired(_InWords):
    """Name which of several equal chains is settled next (MRG-4)."""

    chain: Unchecked[int]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.chain, "chain", 0, CHAINS - 1, "MRG-4")
        object.__setattr__(self, "code", ACQUIRED_CODE + self.chain)


@dataclass(frozen=True, slots=True, repr=False)
class Dispose(_InWords):
    """Sell some shares of an acquired chain, trade in `trade` of them two for one, and keep the rest (MRG-6)."""

    sell: Unchecked[int]
    trade: Unchecked[int]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.sell, "sell", 0, SHARES_PER_CHAIN, "MRG-6")
        check_number(self.trade, "trade", 0, SHARES_PER_CHAIN - self.sell, "MRG-6")
        if self.trade % 2:
            raise MalformedAction(
                "odd-trade",
                f"trade is the number of shares given up, two for one, so an even number, not {self.trade}",
                "MRG-8",
            )
        object.__setattr__(self, "code", DISPOSE_CODE + _DISPOSAL_COLUMNS * self.sell + self.trade // 2)


@dataclass(frozen=True, slots=True, repr=False)
class Buy(_InWords):
    """Buy this many shares of each chain, or none; with `declare`, declare the end first (BUY-1, END-2)."""

    shares: Unchecked[tuple[int, ...]]
    declare: Unchecked[bool] = False
    code: int = field(init=False, repr=False, compare=False)
    count: int = field(init=False, repr=False, compare=False)
    """The number of shares in all."""
    parts: tuple[tuple[int, int], ...] = field(init=False, repr=False, compare=False)
    """The chains bought, each with its number of shares."""

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_shares(self.shares, "shares", LARGEST_PURCHASE, "BUY-1")
        check_flag(self.declare, "declare", "END-2")
        rank = _RANK.get(self.shares)
        if rank is None:
            raise MalformedAction(
                "malformed", f"a purchase is of {LARGEST_PURCHASE} shares at most, not {sum(self.shares)}", "BUY-1"
            )
        if rank < USUAL_PURCHASES:
            code = (BUY_END_CODE if self.declare else BUY_CODE) + rank
        else:
            code = (LARGE_BUY_END_CODE if self.declare else LARGE_BUY_CODE) + rank - USUAL_PURCHASES
        parts = tuple((chain, count) for chain, count in enumerate(self.shares) if count)
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "count", sum(self.shares))
        object.__setattr__(self, "parts", parts)


@dataclass(frozen=True, slots=True, repr=False)
class Exchange(_InWords):
    """Exchange all dead tiles of the hand, or keep them (DRW-2)."""

    exchange: Unchecked[bool]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_flag(self.exchange, "exchange", "DRW-2")
        object.__setattr__(self, "code", EXCHANGE_CODE + self.exchange)


@dataclass(frozen=True, slots=True, repr=False)
class UsePower(_InWords):
    """Use a special power, or none (PWR-1)."""

    power: Unchecked[Power | None]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        if self.power is not None and type(self.power) is not Power:
            raise MalformedAction("malformed", f"power is a Power or None, not {shown(self.power)}", "PWR-1")
        index = 0 if self.power is None else 1 + POWERS.index(self.power)
        object.__setattr__(self, "code", POWER_CODE + index)


@dataclass(frozen=True, slots=True, repr=False)
class TradePair(_InWords):
    """Give two shares of a chain to the market for one of another (PWR-4)."""

    give: Unchecked[int]
    take: Unchecked[int]
    code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the fields and sets the code."""
        check_number(self.give, "give", 0, CHAINS - 1, "PWR-4")
        check_number(self.take, "take", 0, CHAINS - 1, "PWR-4")
        if self.give == self.take:
            raise MalformedAction("same-chain", "the two chains of such a trade differ", "PWR-4")
        object.__setattr__(self, "code", PAIR_CODE + CHAINS * self.give + self.take)


@dataclass(frozen=True, slots=True, repr=False)
class EndTrading(_InWords):
    """Make no more trades with this power (PWR-4)."""

    @property
    def code(self) -> int:
        """The integer code."""
        return END_TRADING_CODE


@dataclass(frozen=True, slots=True, repr=False)
class NoOffer(_InWords):
    """Offer nothing more this turn (TRD-1)."""


@dataclass(frozen=True, slots=True, repr=False)
class OfferTrade(_InWords):
    """Offer `partner` shares and cash for shares and cash (TRD-1, TRD-3)."""

    partner: Unchecked[int]
    give_shares: Unchecked[tuple[int, ...]]
    give_cash: Unchecked[int]
    take_shares: Unchecked[tuple[int, ...]]
    take_cash: Unchecked[int]

    def __post_init__(self) -> None:
        """Checks what must hold for every offer of any seat."""
        check_number(self.partner, "partner", 0, _SEAT_LIMIT - 1, "TRD-1")
        check_shares(self.give_shares, "give_shares", SHARES_PER_CHAIN, "TRD-2")
        check_shares(self.take_shares, "take_shares", SHARES_PER_CHAIN, "TRD-2")
        for name, cash in (("give_cash", self.give_cash), ("take_cash", self.take_cash)):
            check_number(cash, name, 0, TRADE_CASH_MAX, "TRD-3")
            if cash % TRADE_CASH_STEP:
                raise MalformedAction("malformed", f"{name} is a multiple of ${TRADE_CASH_STEP}, not {cash}", "TRD-3")
        if not (any(self.give_shares) or self.give_cash) or not (any(self.take_shares) or self.take_cash):
            raise MalformedAction("empty-side", "each side of an offer gives something", "TRD-3")
        both = any(map(min, zip(self.give_shares, self.take_shares, strict=True)))
        if both or (self.give_cash and self.take_cash):
            raise MalformedAction("both-sides", "a chain, or cash, stands on one side of an offer at most", "TRD-3")


@dataclass(frozen=True, slots=True, repr=False)
class Reply(_InWords):
    """Accept an offer, or decline it (TRD-1)."""

    accept: Unchecked[bool]

    def __post_init__(self) -> None:
        """Checks the field."""
        check_flag(self.accept, "accept", "TRD-1")


CodedAction: TypeAlias = (
    Place
    | Buy
    | Dispose
    | NameFounded
    | NameSurvivor
    | NameAcquired
    | StopPlay
    | Exchange
    | EndPlacing
    | UsePower
    | TradePair
    | EndTrading
)
Action: TypeAlias = CodedAction | NoOffer | OfferTrade | Reply

UNCODED: Final = (NoOffer, OfferTrade, Reply)
"""The actions of player trading, which have no integer code."""


# Every action, made once. `Game.legal` lists these objects.
PLACE: Final = tuple(Place(square) for square in range(SQUARES))
PLACE_END: Final = tuple(Place(square, declare=True) for square in range(SQUARES))
STOP: Final = StopPlay()
ENOUGH_TILES: Final = EndPlacing()
NAME_FOUNDED: Final = tuple(NameFounded(chain) for chain in range(CHAINS))
NAME_SURVIVOR: Final = tuple(NameSurvivor(chain) for chain in range(CHAINS))
NAME_ACQUIRED: Final = tuple(NameAcquired(chain) for chain in range(CHAINS))
DISPOSALS: Final = tuple(
    Dispose(sell, trade) for sell in range(SHARES_PER_CHAIN + 1) for trade in range(0, SHARES_PER_CHAIN - sell + 1, 2)
)
BUY: Final = tuple(map(Buy, _SHARES))
BUY_END: Final = tuple(Buy(shares, declare=True) for shares in _SHARES)
BUY_OF_CHAINS: Final = dict(zip(_CHAIN_LISTS, BUY, strict=True))
"""The purchase of an ascending list of chains."""
KEEP_DEAD: Final = Exchange(exchange=False)
EXCHANGE_DEAD: Final = Exchange(exchange=True)
NO_POWER: Final = UsePower(None)
USE_POWER: Final = tuple(UsePower(power) for power in POWERS)
ENOUGH_SWAPS: Final = EndTrading()
NO_OFFER: Final = NoOffer()
DECLINE: Final = Reply(accept=False)
ACCEPT: Final = Reply(accept=True)
TRADE_PAIRS: Final = tuple(TradePair(give, take) for give in range(CHAINS) for take in range(CHAINS) if give != take)

_BY_CODE: Final[dict[int, CodedAction]] = {
    action.code: action
    for group in (
        PLACE, PLACE_END, (STOP,), NAME_FOUNDED, NAME_SURVIVOR, NAME_ACQUIRED, DISPOSALS, BUY, BUY_END,
        (KEEP_DEAD, EXCHANGE_DEAD, ENOUGH_TILES, NO_POWER), USE_POWER, TRADE_PAIRS, (ENOUGH_SWAPS,),
    )
    for action in group
}  # fmt: skip
_NO_CODE: Final = -1


def action_of_code(code: SupportsIndex) -> CodedAction:
    """The action with this integer code. Any integer type is accepted, such as numpy's, but not a truth value."""
    action = _BY_CODE.get(code if type(code) is int else _whole_number(code))
    if action is None:
        raise MalformedAction(
            "no-such-code", f"no action has the code {shown(code)}; codes are whole numbers from 0 to {CODES - 1}"
        )
    return action


def _whole_number(code: SupportsIndex) -> int:
    """The int that a value stands for; if it stands for none, a number that is not a code."""
    try:
        return _NO_CODE if isinstance(code, bool) else index(code)
    except TypeError:
        return _NO_CODE


_CODED_KINDS: Final = frozenset(type(action) for action in _BY_CODE.values())


def code_of(action: Unchecked[Action]) -> int:
    """The integer code of an action."""
    if type(action) not in _CODED_KINDS:
        raise _without_code(action)
    code: int = action.code  # type: ignore[union-attr]  # only kinds with a code are left
    return code


def _without_code(action: object) -> MalformedAction:
    if isinstance(action, UNCODED):
        return MalformedAction("no-code", f"{type(action).__name__} has no code: actions of player trading have none")
    return MalformedAction("malformed", f"only actions have codes, and {shown(action)} is none")
