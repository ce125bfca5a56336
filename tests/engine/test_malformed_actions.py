"""Actions and codes that no position could accept are refused when they are made."""

from collections.abc import Callable
from typing import Any, Final, SupportsIndex

import pytest
from mergemaker_engine.actions import (
    CODES,
    Buy,
    Dispose,
    Exchange,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    OfferTrade,
    Place,
    Power,
    Reply,
    TradePair,
    UsePower,
    action_of_code,
)
from mergemaker_engine.errors import MalformedAction

NONE: Final = (0,) * 7
ONE: Final = (1, 0, 0, 0, 0, 0, 0)


class Whole(int):
    """A subclass of int that lies about itself."""


class Index:
    """A whole number as in other libraries: not an int, but convertible to one."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value

    def __repr__(self) -> str:
        return f"Index({self.value})"


NO_NUMBERS: Final[tuple[object, ...]] = (
    -1, 10**30, -(10**30), 1.0, 0.0, float("nan"), True, False, "1", "", None, (), [1], {}, b"\x01", Whole(1), 1 + 0j,
)  # fmt: skip
NO_FLAGS: Final[tuple[object, ...]] = (0, 1, None, "yes", "True", 1.0, Whole(1), (), [True])
NO_SHARES: Final[tuple[object, ...]] = (
    None, 3, "0000000", b"\0" * 7, (), (0,) * 6, (0,) * 8, [0] * 7, *((value, *NONE[1:]) for value in NO_NUMBERS),
)  # fmt: skip
Make = Callable[[Any], object]
NUMBER_FIELDS: Final[tuple[tuple[str, Make, str, int], ...]] = (
    ("Place.square", Place, "PLC-1", 108),
    ("NameFounded.chain", NameFounded, "FND-1", 7),
    ("NameSurvivor.chain", NameSurvivor, "MRG-2", 7),
    ("NameAcquired.chain", NameAcquired, "MRG-4", 7),
    ("Dispose.sell", lambda value: Dispose(value, 0), "MRG-6", 26),
    ("Dispose.trade", lambda value: Dispose(0, value), "MRG-6", 26),
    ("Dispose.trade beside a sale", lambda value: Dispose(24, value), "MRG-6", 2),
    ("TradePair.give", lambda value: TradePair(value, 2), "PWR-4", 7),
    ("TradePair.take", lambda value: TradePair(2, value), "PWR-4", 7),
    ("OfferTrade.partner", lambda value: OfferTrade(value, ONE, 0, NONE, 100), "TRD-1", 6),
    ("OfferTrade.give_cash", lambda value: OfferTrade(1, NONE, value, ONE, 0), "TRD-3", 100_100),
    ("OfferTrade.take_cash", lambda value: OfferTrade(1, ONE, 0, NONE, value), "TRD-3", 150),
)
FLAG_FIELDS: Final[tuple[tuple[str, Make, str], ...]] = (
    ("Place.declare", lambda value: Place(0, value), "END-2"),
    ("Buy.declare", lambda value: Buy(NONE, value), "END-2"),
    ("Exchange.exchange", Exchange, "DRW-2"),
    ("Reply.accept", Reply, "TRD-1"),
)
SHARES_FIELDS: Final[tuple[tuple[str, Make, str], ...]] = (
    ("Buy.shares", Buy, "BUY-1"),
    ("OfferTrade.give_shares", lambda value: OfferTrade(1, value, 0, NONE, 100), "TRD-2"),
    ("OfferTrade.take_shares", lambda value: OfferTrade(1, NONE, 100, value, 0), "TRD-2"),
)


def _refused_as_malformed(make: Make, rule: str, values: tuple[object, ...]) -> None:
    for value in values:
        with pytest.raises(MalformedAction) as refusal:
            make(value)
        assert (refusal.value.reason, refusal.value.rule) == ("malformed", rule), value
        assert f"[{rule}: " in str(refusal.value)


@pytest.mark.parametrize(("make", "rule", "beyond"), [row[1:] for row in NUMBER_FIELDS], ids=[row[0] for row in NUMBER_FIELDS])
def test_an_action_takes_whole_numbers_in_their_range_only(make: Make, rule: str, beyond: int) -> None:
    _refused_as_malformed(make, rule, (*NO_NUMBERS, beyond))


@pytest.mark.parametrize(("make", "rule"), [row[1:] for row in FLAG_FIELDS], ids=[row[0] for row in FLAG_FIELDS])
def test_an_action_takes_true_and_false_only(make: Make, rule: str) -> None:
    _refused_as_malformed(make, rule, NO_FLAGS)


@pytest.mark.parametrize(("make", "rule"), [row[1:] for row in SHARES_FIELDS], ids=[row[0] for row in SHARES_FIELDS])
def test_an_action_takes_seven_counts_only(make: Make, rule: str) -> None:
    _refused_as_malformed(make, rule, NO_SHARES)


@pytest.mark.parametrize("power", ["take-five", "", 0, 1, True, "no power", b"take-five", [], "TAKE_FIVE"], ids=repr)
def test_a_power_is_a_power_or_none(power: object) -> None:
    _refused_as_malformed(UsePower, "PWR-1", (power,))
    assert UsePower(Power.TAKE_FIVE) != UsePower(None)


@pytest.mark.rule("BUY-1")
@pytest.mark.parametrize("shares", [(6, 0, 0, 0, 0, 0, 0), (5, 1, 0, 0, 0, 0, 0), (1,) * 7, (5,) * 7])
def test_no_purchase_has_more_than_five_shares(shares: tuple[int, ...]) -> None:
    _refused_as_malformed(Buy, "BUY-1", (shares,))


@pytest.mark.parametrize("code", [-1, CODES, 10**30, 1.0, True, False, "5", None, Index(-1), Index(CODES), (), [5]], ids=repr)
def test_only_codes_of_actions_are_read(code: object) -> None:
    with pytest.raises(MalformedAction, match=f"codes are whole numbers from 0 to {CODES - 1}") as refusal:
        action_of_code(code)  # type: ignore[arg-type]  # tries what must be refused
    assert refusal.value.reason == "no-such-code"


@pytest.mark.parametrize("number", [5, Whole(5), Index(5)], ids=repr)
def test_a_code_may_be_a_whole_number_of_any_type(number: SupportsIndex) -> None:
    assert action_of_code(number) is action_of_code(5)
