"""The default of each kind of decision, where it arises in games by all rules."""

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_engine.actions import (
    BUY,
    DECLINE,
    ENOUGH_SWAPS,
    ENOUGH_TILES,
    EXCHANGE_DEAD,
    NO_OFFER,
    NO_POWER,
    TRADE_PAIRS,
    Action,
    Buy,
    Dispose,
    NameAcquired,
    NameFounded,
    NameSurvivor,
    Place,
)
from mergemaker_engine.deal import Chances, Deal
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
    PowerPhase,
    PurchaseTerms,
)
from mergemaker_engine.defaults import default_answer, default_index
from mergemaker_engine.errors import IllegalAction
from mergemaker_engine.game import Game
from mergemaker_engine.playout import declares_end
from mergemaker_engine.rules import preset
from mergemaker_testkit.strategies import STEADY, Played, pick_answer, played_games

# What a decision may have in a field that is not a number.
OF_FIELDS: Final[dict[str, object]] = {
    "chains": (0, 1),
    "give_shares": (1,) * 7,
    "phase": PowerPhase.START,
    "take_shares": (0,) * 7,
    "terms": PurchaseTerms.USUAL,
}


@STEADY
@given(played_games())
def test_a_default_is_a_legal_answer_that_declares_nothing(played: Played) -> None:
    if played.game.decision is None:
        with pytest.raises(IllegalAction, match="the game is over"):
            default_answer(played.game)
        return
    index, answer = default_answer(played.game)
    answers = played.game.legal()
    assert answers[index] == answer
    assert not declares_end(answer)
    played.game.apply(answer)


def _first_chain(kind: type[NameFounded | NameSurvivor | NameAcquired]) -> Callable[[Decision, list[Action]], Action]:
    return lambda _, answers: min((answer for answer in answers if isinstance(answer, kind)), key=lambda answer: answer.chain)


def _tile(decision: Decision, answers: list[Action]) -> Action:
    assert isinstance(decision, ChooseTile)
    if decision.number > 1:
        return ENOUGH_TILES
    return Place(min(answer.square for answer in answers if isinstance(answer, Place)))


def _purchase(decision: Decision, answers: list[Action]) -> Action:
    assert isinstance(decision, ChoosePurchase)
    if decision.terms is not PurchaseTerms.THREE_FREE:
        return BUY[0]
    return min((answer for answer in answers if isinstance(answer, Buy)), key=lambda answer: answer.code)


def _swap(decision: Decision, answers: list[Action]) -> Action:
    assert isinstance(decision, ChoosePairTrade)
    return ENOUGH_SWAPS if decision.number > 1 else next(pair for pair in TRADE_PAIRS if pair in answers)


EXPECTED: dict[type[Decision], Callable[[Decision, list[Action]], Action]] = {
    ChooseTile: _tile,
    ChoosePurchase: _purchase,
    ChooseDisposal: lambda *_: Dispose(0, 0),
    ChooseFounded: _first_chain(NameFounded),
    ChooseSurvivor: _first_chain(NameSurvivor),
    ChooseAcquired: _first_chain(NameAcquired),
    ChooseExchange: lambda *_: EXCHANGE_DEAD,
    ChoosePower: lambda *_: NO_POWER,
    ChoosePairTrade: _swap,
    ChooseReply: lambda *_: DECLINE,
}


def test_each_kind_of_decision_has_the_default_that_is_written_down() -> None:
    seen: set[tuple[type[Decision], bool]] = set()
    # Equal chains that wait to be acquired are rare: game 9 by the second rule set has them.
    for name, starts in (("avalon-hill-powers", 14), ("renegade-tycoon", 10), ("reference-trading", 2)):
        rules = preset(name)
        for start in range(starts):
            seed = bytes([start]) * 32
            game = Game(rules, 4, Deal.from_seed(seed))
            stream = Chances(seed, "answers")
            while (decision := game.decision) is not None:
                if not isinstance(decision, ChooseOffer):
                    answers = list(game.legal())
                    assert default_answer(game)[1] == EXPECTED[type(decision)](decision, answers), decision
                    again = isinstance(decision, ChooseTile | ChoosePairTrade) and decision.number > 1
                    free = isinstance(decision, ChoosePurchase) and decision.terms is PurchaseTerms.THREE_FREE
                    seen.add((type(decision), again or free))
                game.apply(pick_answer(game, stream, shy=start % 2 == 0))
    assert {kind for kind, _ in seen} == set(EXPECTED)
    assert {kind for kind, special in seen if special} == {ChooseTile, ChoosePairTrade, ChoosePurchase}


@STEADY
@given(st.integers(0, 3))
def test_no_offer_is_found_among_millions_without_listing_them(start: int) -> None:
    game = Game(preset("reference-trading"), 6, Deal.from_seed(bytes([start]) * 32))
    decision = game.decision
    assert isinstance(decision, ChooseOffer)
    answers = game.legal()
    assert len(answers) > 1_000
    assert default_answer(game) == (0, NO_OFFER)
    assert default_index(decision, answers) == 0


def test_the_table_of_the_specification_says_which_answer_is_the_default() -> None:
    page = (Path(__file__).parents[2] / "engine" / "RECORDS.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| decision \| default \|\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    kinds = {kind.__name__: kind for kind in Decision.__args__}
    told: dict[str, tuple[int, int]] = {}
    for row in str(table).splitlines():
        names, text = row.strip("|").split("|")
        first = -1 if "the last answer" in text else 0
        assert "the first answer" in text or first == -1
        again = -1 if "with `number` above 1 the last" in text else first
        told |= dict.fromkeys(re.findall(r"`(\w+)`", names), (first, again))
    assert {*told} == {*kinds}
    answers = [NO_OFFER] * 9
    for name, (first, again) in told.items():
        kind = kinds[name]
        counted = {"number"} & {part.name for part in fields(kind)}
        plain: dict[str, Any] = {part.name: OF_FIELDS.get(part.name, 1) for part in fields(kind)}
        assert default_index(kind(**plain), answers) == first % len(answers), name
        if counted:
            assert default_index(kind(**plain | {"number": 2}), answers) == again % len(answers), name


def test_a_game_that_is_over_has_no_default() -> None:
    game = Game(preset("renegade-classic"), 2, Deal.from_seed(bytes(32)))
    while game.decision is not None:
        game.apply(game.legal()[-1])
    with pytest.raises(IllegalAction) as refused:
        default_answer(game)
    assert refused.value.reason == "game-over"
