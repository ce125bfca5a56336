"""Offers of trades: which there are, in which order, and what is no offer."""

from dataclasses import replace
from itertools import pairwise
from math import prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mergemaker_engine.actions import (
    UNCODED,
    NoOffer,
    OfferTrade,
    Reply,
)
from mergemaker_engine.decisions import ChooseOffer
from mergemaker_engine.errors import IllegalAction, MalformedAction
from mergemaker_engine.trading import Offers
from mergemaker_testkit.strategies import (
    STEADY,
    Played,
    played_games,
)

NO_SHARES = (0,) * 6
OFFER_ASKED = (25,) * 7 + (1_000,)


@settings(STEADY, max_examples=40)
@given(played=played_games())
def test_every_refusal_of_an_offer_code_names_what_is_wrong(played: Played) -> None:
    # Player trading has no codes: a mask of an offer or a reply is refused, not empty.
    game = played.game
    if any(isinstance(action, UNCODED) for action in game.legal()[:1]):
        with pytest.raises(MalformedAction) as refusal:
            game.legal_mask()
        assert refusal.value.reason == "no-code"
    else:
        assert sum(game.legal_mask()) == len(game.legal())


# --- offers, too many to list ---


def _numbers(offer: OfferTrade, most: tuple[int, ...]) -> tuple[int, ...]:
    """The eight numbers of the page: 0, then the numbers given, then the numbers asked."""
    give = (*offer.give_shares, offer.give_cash // 100)
    take = (*offer.take_shares, offer.take_cash // 100)
    return tuple(given or (top + asked if asked else 0) for given, asked, top in zip(give, take, most, strict=True))


def _counted(most: tuple[int, ...]) -> int:
    """How many offers one partner can get: all fillings of the eight numbers with something on either side."""
    every = prod(1 + given + asked for given, asked in zip(most, OFFER_ASKED, strict=True))
    only_given = prod(1 + given for given in most)
    only_asked = prod(1 + asked for asked in OFFER_ASKED)
    return every - only_given - only_asked + 1


@pytest.mark.rule("TRD-2", "TRD-3")
@settings(STEADY, max_examples=80)
@given(
    shares=st.lists(st.sampled_from((0, 0, 1, 2, 25)), min_size=7, max_size=7),
    hundreds=st.integers(0, 1_200),
    partners=st.lists(st.integers(0, 5), max_size=5, unique=True).map(sorted),
    places=st.lists(st.integers(0, 2**60), min_size=2, max_size=12),
)
def test_offers_are_a_sequence_in_the_order_of_the_page(
    shares: list[int], hundreds: int, partners: list[int], places: list[int]
) -> None:
    most = (*shares, min(hundreds, 1_000))
    listed = Offers(most, partners)
    assert len(listed) == 1 + len(partners) * _counted(most)
    assert listed[0] == NoOffer()
    near = {0, 1, 2, len(listed) // 2, len(listed) - 1, *(place % len(listed) for place in places)}
    chosen = sorted(place for place in near if 0 < place < len(listed))
    found = [listed[place] for place in chosen]
    keys = [(offer.partner, *_numbers(offer, most)) for offer in found if isinstance(offer, OfferTrade)]
    assert len(keys) == len(chosen)
    assert all(one < following for one, following in pairwise(keys))
    assert all(offer in listed for offer in found)
    assert [listed[place - len(listed)] for place in chosen] == found
    assert listed[1:4] == [listed[place] for place in range(1, min(4, len(listed)))]


@settings(STEADY, max_examples=80)
@given(played=played_games(of=lambda table: table.rules.trade_offers > 0), place=st.integers(1, 2**60))
def test_what_is_offered_can_be_backed_and_what_cannot_is_not_listed(played: Played, place: int) -> None:
    game, decision = played.game, played.game.decision
    assume(isinstance(decision, ChooseOffer))
    assert decision is not None
    legal = game.legal()
    offer = legal[1 + place % (len(legal) - 1)]
    assert isinstance(offer, OfferTrade)
    assert offer.partner != decision.seat
    assert offer.give_cash <= game.cash[decision.seat]
    own = game.shares[decision.seat :: game.seats]
    assert all(given <= held for given, held in zip(offer.give_shares, own, strict=True))
    more = tuple(held + 1 if held < 25 else 0 for held in own)
    to_oneself = replace(offer, partner=decision.seat)
    beyond = OfferTrade(offer.partner, more, 0, (0,) * 7, 100)
    for refused in (to_oneself, beyond):
        assert refused not in legal
        with pytest.raises(IllegalAction):
            game.apply(refused)


def test_offers_have_no_other_members_and_no_other_places() -> None:
    listed = Offers((1, *NO_SHARES, 5), (1, 2))
    offer = OfferTrade(1, (1, *NO_SHARES), 0, (0, *NO_SHARES), 100)
    assert offer in listed
    assert NoOffer() in listed
    assert replace(offer, partner=0) not in listed
    assert replace(offer, give_shares=(2, *NO_SHARES)) not in listed
    others: tuple[object, ...] = (None, 1, "no offer", Reply(accept=True))
    assert all(other not in listed for other in others)
    for place in (len(listed), -len(listed) - 1, 10**30):
        with pytest.raises(IndexError, match="answers, and none at"):
            listed[place]
    with pytest.raises(TypeError):
        listed["1"]  # type: ignore[call-overload]  # tries what must be impossible
