"""Random values of every kind that messages represent: possible by themselves, even if no game has them."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_type_hints

from hypothesis import strategies as st
from mergemaker_engine.actions import Action, Buy, Dispose, Exchange, OfferTrade, Place, Power, Reply, TradePair, UsePower
from mergemaker_engine.bounds import AnswerBounds, DisposalBounds, Listed, OfferBounds, PurchaseBounds
from mergemaker_engine.decisions import Automatic, ChooseOffer, ChooseTile, Decision, Step
from mergemaker_engine.effects import TileEffect
from mergemaker_engine.events import AssetsShown, Event, FounderRewarded, ResultReached, SharesBought, TilesDrawn
from mergemaker_engine.rules import Rules
from mergemaker_engine.views import MergerView, View

Value = TypeVar("Value")

DOLLARS_MAX: Final = 2**32 - 1


def _sorted_tuple(values: set[int]) -> tuple[int, ...]:
    return tuple(sorted(values))


seats: Final = st.integers(0, 5)
chains: Final = st.integers(0, 6)
squares: Final = st.integers(0, 107)
counts: Final = st.integers(0, 25)
dollars: Final = st.integers(0, DOLLARS_MAX)
chain_lists: Final = st.sets(chains).map(_sorted_tuple)
square_lists: Final = st.sets(squares, max_size=12).map(_sorted_tuple)
seven_counts: Final = st.tuples(*[counts] * 7)
holdings: Final = st.lists(st.integers(0, 4), min_size=2, max_size=6).map(tuple)

_BY_NAME: Final[Mapping[str, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        "seat": seats,
        "partner": seats,
        "proposer": seats,
        "square": squares,
        "squares": square_lists,
        "chain": chains,
        "chains": chain_lists,
        "survivor": chains,
        "survivors": chain_lists,
        "waiting": chain_lists,
        "give": chains,
        "take": chains,
        "give_shares": seven_counts,
        "take_shares": seven_counts,
        "holdings": holdings,
        "size": st.integers(1, 108),
        "kept": counts,
        "sold": counts,
        "traded": counts,
        "received": counts,
        "shares": counts,
        "number": st.integers(1, 3),
        "turn": dollars,
        "cash": dollars,
        "amount": dollars,
        "cost": dollars,
        "give_cash": dollars,
        "take_cash": dollars,
    }
)
_OF_KIND: Final[Mapping[tuple[type, str], st.SearchStrategy[Any]]] = MappingProxyType(
    {
        (FounderRewarded, "shares"): st.integers(0, 1),
        (SharesBought, "shares"): seven_counts,
        (AssetsShown, "shares"): seven_counts,
        (ResultReached, "cash"): st.lists(dollars, min_size=2, max_size=6).map(tuple),
        (ResultReached, "places"): st.lists(st.integers(1, 6), min_size=2, max_size=6).map(tuple),
        (TilesDrawn, "count"): st.integers(1, 108),
        (ChooseTile, "number"): st.integers(1, 4),
        (ChooseTile, "most"): st.integers(1, 4),
        (ChooseOffer, "left"): st.integers(1, 10),
    }
)


def _member(kind: type, name: str, hint: object) -> st.SearchStrategy[Any]:
    special = _OF_KIND.get((kind, name))
    if special is not None:
        return special
    if hint is bool:
        return st.booleans()
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return st.sampled_from(list(hint))
    if name == "acquired":
        return chain_lists if "tuple" in str(hint) else chains
    if hint == int | None:
        return st.none() | _BY_NAME[name]
    return _BY_NAME[name]


def values_of(kind: type[Value]) -> st.SearchStrategy[Value]:
    """Values of one kind of decision, step or event, with random fields."""
    hints = get_type_hints(kind)
    members = {part.name: _member(kind, part.name, hints[part.name]) for part in fields(kind) if part.init}  # type: ignore[arg-type]  # all kinds are dataclasses
    return st.builds(kind, **members)


DECISION_KINDS: Final[tuple[type, ...]] = Decision.__args__
STEP_KINDS: Final[tuple[type, ...]] = (*DECISION_KINDS, *Automatic.__args__)
EVENT_KINDS: Final[tuple[type, ...]] = Event.__args__
ACTION_KINDS: Final[tuple[type, ...]] = Action.__args__


def decisions() -> st.SearchStrategy[Decision]:
    """Questions of all kinds."""
    return st.one_of([values_of(kind) for kind in DECISION_KINDS])


def steps() -> st.SearchStrategy[Step]:
    """Steps of all kinds."""
    return st.one_of([values_of(kind) for kind in STEP_KINDS])


def events() -> st.SearchStrategy[Event]:
    """Events of all kinds."""
    return st.one_of([values_of(kind) for kind in EVENT_KINDS])


def _offer(partner: int, numbers: list[int], cash: int) -> OfferTrade:
    """An offer: a number for each chain, negative if given, positive if asked; cash likewise, in steps."""
    numbers = numbers if any(number < 0 for number in numbers) else [-1, *numbers[1:]]
    numbers = numbers if any(number > 0 for number in numbers) else [*numbers[:-1], 1]
    give, take = ([max(sign * number, 0) for number in numbers] for sign in (-1, 1))
    return OfferTrade(partner, tuple(give), 100 * max(-cash, 0), tuple(take), 100 * max(cash, 0))


def _buy(bought: list[int], declare: bool) -> Buy:
    return Buy(tuple(bought.count(chain) for chain in range(7)), declare)


def _dispose(sell: int, pairs: int) -> Dispose:
    return Dispose(sell, 2 * min(pairs, (25 - sell) // 2))


def _pair(give: int, further: int) -> TradePair:
    return TradePair(give, (give + further) % 7)


_ACTIONS: Final[Mapping[type, st.SearchStrategy[Any]]] = MappingProxyType(
    {
        Place: st.builds(Place, squares, st.booleans()),
        Dispose: st.builds(_dispose, counts, st.integers(0, 12)),
        Buy: st.builds(_buy, st.lists(chains, max_size=5), st.booleans()),
        UsePower: st.builds(UsePower, st.none() | st.sampled_from(list(Power))),
        TradePair: st.builds(_pair, chains, st.integers(1, 6)),
        OfferTrade: st.builds(_offer, seats, st.lists(st.integers(-25, 25), min_size=7, max_size=7), st.integers(-1_000, 1_000)),
        Exchange: st.builds(Exchange, st.booleans()),
        Reply: st.builds(Reply, st.booleans()),
    }
)


def actions_of(kind: type) -> st.SearchStrategy[Action]:
    """Actions of one kind."""
    return _ACTIONS[kind] if kind in _ACTIONS else values_of(kind)


def actions() -> st.SearchStrategy[Action]:
    """Actions of all kinds."""
    return st.one_of([actions_of(kind) for kind in ACTION_KINDS])


def effects() -> st.SearchStrategy[TileEffect]:
    """What tiles might do."""
    return values_of(TileEffect)


def _purchase(least: int, more: int, cash: int | None, shop: list[tuple[int, int]], declare: bool) -> PurchaseBounds:
    prices = tuple(100 * price for price, _ in shop)
    market = tuple(left if price else 0 for price, left in shop)
    return PurchaseBounds(least, least + more, cash, prices, market, declare)


def bounds() -> st.SearchStrategy[AnswerBounds]:
    """Legal answers, listed and as bounds."""
    shop = st.lists(st.tuples(st.integers(0, 12), counts), min_size=7, max_size=7)
    partners = st.sets(seats, max_size=5).map(_sorted_tuple)
    return st.one_of(
        st.lists(actions(), max_size=4).map(lambda some: Listed(tuple(some))),
        st.builds(_purchase, st.integers(0, 1), st.integers(0, 4), st.none() | dollars, shop, st.booleans()),
        st.builds(DisposalBounds, counts, counts),
        st.builds(OfferBounds, partners, seven_counts, st.integers(0, 1_000).map(lambda steps: 100 * steps)),
    )


@st.composite
def views(draw: st.DrawFn, rules: Rules) -> View:
    """Views under some rules, with unrelated parts."""
    number = draw(st.integers(2, 6))

    def each(of: st.SearchStrategy[Any]) -> tuple[Any, ...]:
        return draw(st.tuples(*[of] * number))

    asked = draw(st.none() | decisions())
    acquired = draw(st.none() | chains)
    merger = MergerView(
        draw(squares),
        draw(st.none() | chains),
        draw(chain_lists),
        acquired,
        each(st.integers(0, 4)) if acquired is not None else (),
    )
    powers: Callable[[set[Power]], tuple[Power, ...]] = tuple
    return View(
        rules=rules,
        seats=number,
        seat=draw(st.none() | st.integers(0, number - 1)),
        turn=draw(dollars),
        turn_seat=draw(st.integers(0, number - 1)),
        board=bytes(draw(st.lists(st.integers(0, 8), min_size=108, max_size=108))),
        sizes=draw(st.tuples(*[st.integers(0, 15)] * 7)),
        prices=draw(st.tuples(*[dollars] * 7)),
        market=draw(seven_counts),
        pile=draw(st.integers(0, 108)),
        set_aside=draw(square_lists),
        hand=draw(square_lists),
        hand_sizes=each(st.integers(0, 108)),
        cash=each(st.none() | dollars),
        shares=each(st.none() | seven_counts),
        powers_used=each(st.sets(st.sampled_from(list(Power))).map(powers)) if rules.special_powers else (),
        declared=draw(st.booleans()),
        end_allowed=draw(st.booleans()),
        power_used=draw(st.booleans()),
        moved=draw(st.booleans()),
        idle=draw(dollars),
        merger=draw(st.none() | st.just(merger)),
        decision=asked,
        agenda=tuple(draw(st.lists(steps(), max_size=3))) if asked is not None else (),
        over=draw(st.none() | st.sampled_from(list(get_type_hints(View)["over"].__args__[0]))),
    )
