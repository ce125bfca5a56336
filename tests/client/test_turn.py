"""What a bot sees, and its helpers."""

from dataclasses import replace
from hashlib import sha256

import pytest
from mergemaker_client import Answer, Bot
from mergemaker_client.errors import BotError
from mergemaker_client.turn import MatchInfo, Turn, chance_seed
from mergemaker_engine.actions import PLACE, Action, Buy, Place
from mergemaker_engine.deal import Chances
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.errors import MalformedAction
from mergemaker_engine.rules import preset
from mergemaker_testkit.local_match import LocalMatch

RULES = preset("renegade-classic")
NONCE = bytes(range(32))
# From a match in which the second seat does everything, and declares the end.
SEED = bytes([2]) * 32


class Kept(Bot):
    """Keeps every turn, and answers anything."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def answer(self, turn: Turn) -> Answer:
        self.turns.append(turn)
        return turn.chance.below(len(turn.answers))


@pytest.fixture(scope="module")
def turns() -> list[Turn]:
    bots = [Kept() for _ in range(3)]
    LocalMatch(RULES, bots, SEED).play()
    return bots[1].turns


def test_a_turn_knows_its_own_shares_and_cash(turns: list[Turn]) -> None:
    for turn in turns:
        assert (turn.cash, turn.mine) == (turn.view.cash[1], turn.view.shares[1])
        assert turn.seat == turn.decision.seat == 1


def test_events_and_their_numbers_go_on_from_turn_to_turn(turns: list[Turn]) -> None:
    seen = 0
    for number, turn in enumerate(turns, 1):
        seen += len(turn.events)
        assert (turn.number, turn.events_seen) == (number, seen)


def test_tiles_are_the_legal_ones_with_what_each_would_do(turns: list[Turn]) -> None:
    kinds = set()
    for turn in turns:
        places = [answer for answer in turn.answers if isinstance(answer, Place) and not answer.declare]
        assert [tile.action for tile in turn.tiles] == places
        kinds |= {tile.kind for tile in turn.tiles}
        assert all(len(tile.chains) > 1 for tile in turn.tiles if tile.kind is EffectKind.MERGES)
    assert kinds == set(EffectKind)


def test_other_questions_have_no_tiles(turns: list[Turn]) -> None:
    others = [turn for turn in turns if not isinstance(turn.decision, ChooseTile)]
    assert others
    assert not any(turn.tiles for turn in others)


def test_declaring_is_allowed_where_an_answer_declares(turns: list[Turn]) -> None:
    def declares(action: Action) -> bool:
        return isinstance(action, Place | Buy) and action.declare

    assert {turn.may_declare for turn in turns} == {True, False}
    for turn in turns:
        assert turn.may_declare == any(map(declares, turn.answers))


def test_a_chain_goes_by_name_or_number(turns: list[Turn]) -> None:
    turn = replace(turns[0], view=replace(turns[0].view, prices=(200, 300, 0, 0, 0, 0, 900)))
    assert turn.names == RULES.chain_names
    assert turn.price("Tower") == turn.price(0) == 200
    assert turn.price("Imperial") == turn.price(6) == 900
    assert turn.buy({"Tower": 2, "Imperial": 1}) == Buy((2, 0, 0, 0, 0, 0, 1))
    assert turn.buy({6: 1}, declare=True) == Buy((0, 0, 0, 0, 0, 0, 1), declare=True)
    assert turn.buy({}) == Buy((0,) * 7)


@pytest.mark.parametrize("chain", ["tower", "Zeta", 7, -1, True, None])
def test_another_chain_is_refused_with_those_there_are(turns: list[Turn], chain: object) -> None:
    with pytest.raises(BotError, match="a chain is one of Tower, Sackson, ") as caught:
        turns[0].price(chain)  # type: ignore[arg-type]  # as a careless bot would
    assert caught.value.reason == "no-such-chain"


def test_a_purchase_of_too_many_is_refused_when_it_is_made(turns: list[Turn]) -> None:
    with pytest.raises(MalformedAction, match="5 shares at most, not 6"):
        turns[0].buy({"Tower": 4, "Sackson": 2})


def test_the_preimage_of_chances_is_the_one_written_down() -> None:
    preimage = b"mergemaker bot chance 1" + NONCE + (7).to_bytes(8, "big") + b"ChooseTile"
    assert chance_seed(NONCE, 7, "ChooseTile") == sha256(preimage).digest()


def test_chances_depend_on_nonce_last_event_and_kind_alone(turns: list[Turn]) -> None:
    turn = replace(turns[0], match=replace(turns[0].match, nonce=NONCE))

    def drawn(of: Turn) -> list[int]:
        return [of.chance.below(1_000) for _ in range(8)]

    stream = Chances(chance_seed(NONCE, turn.events_seen, "ChooseTile"), "bot")
    first = drawn(replace(turn))
    assert first == [stream.below(1_000) for _ in range(8)]
    assert drawn(replace(turn, number=99, default=PLACE[3], time_left_ms=5, events=())) == first
    assert drawn(replace(turn, events_seen=turn.events_seen + 1)) != first
    assert drawn(replace(turn, match=replace(turn.match, nonce=bytes(32)))) != first
    assert drawn(replace(turn, decision=next(t.decision for t in turns if not t.tiles))) != first


@pytest.mark.parametrize("nonce", [b"", bytes(31), "0" * 32, None])
def test_a_nonce_of_another_length_is_refused(nonce: object) -> None:
    with pytest.raises(BotError, match="a nonce is 32 bytes") as caught:
        MatchInfo("m", RULES, 2, 0, ("a", "b"), nonce)  # type: ignore[arg-type]  # as a wrong message would
    assert caught.value.reason == "bad-nonce"
