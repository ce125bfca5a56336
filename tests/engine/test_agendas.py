"""The agenda of a position: one that a turn cannot reach is refused, and an accepted one can be played."""

import re
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker_engine.audit import audit
from mergemaker_engine.board import NUMBERS, SQUARE_NAMES
from mergemaker_engine.deal import Chances
from mergemaker_engine.decisions import ChooseOffer, ChooseReply, PowerPhase, PurchaseTerms
from mergemaker_engine.errors import EngineError, NotationError
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position, position_text
from mergemaker_testkit.strategies import STEADY, Played, pick_answer, played_games

SEED: Final = bytes(32)
ANSWERS_AFTER: Final = 30

# --- what no turn can reach ---

POWERS: Final = "rules avalon-hill-powers\nseats 3\nboard\n  A TT..........\n  E ...oo.......\nseat 0 tiles 9I shares T2\n"
CLASSIC: Final = "rules renegade-classic\nseats 3\nboard\n  A TT..........\n  E ...oo.......\nseat 0 tiles 9I shares T2\n"
TRADING: Final = "rules reference-trading\nseats 3\nboard\n  A TT..........\nseat 0 cash 500 tiles 9I shares T2\n"
SEVEN: Final = "rules renegade-classic\nseats 3\nboard\n  A TT.SS.AA.FF.\n  C WW.CC.II....\n  E oo..........\nseat 0 tiles 9I\n"
BOUGHT_UP: Final = f"{POWERS}seat 1 shares T23\n"
# The tile 5E is between Luxor and Festival (two tiles each), Tower (three) and Worldwide (four).
MERGER: Final = (
    "rules avalon-hill\nseats 3\nboard\n  C ....F.......\n  D ....F.......\n  E ..LLoTTT....\n  F ....W.......\n"
    "  G ....WWW.....\nseat 0 tiles 9I shares L2\nseat 2 shares L1 F2\n"
)
EQUAL: Final = "rules avalon-hill\nseats 3\nboard\n  E ..LLoTT.....\nseat 0 tiles 9I\n"
SAFE: Final = "rules avalon-hill\nseats 3\nboard\n  A TTTTTTTTTTT.\n  B o...........\n  C LLLLLLLLLLLL\nseat 0 tiles 9I\n"
TILE: Final = "ChooseTile seat=0 number=1 most=1"
BUY: Final = "ChoosePurchase seat=0 terms=usual"
SETTLE: Final = "SettleNext square=5E survivor=Worldwide acquired=Luxor,Tower,Festival"
LUXOR: Final = "acquired=Luxor survivor=Worldwide"
SEAT_1_GETS: Final = "ChooseReply seat=1 proposer=0 give_shares"

FAULTS: Final = (
    # whose turn it is
    (POWERS, "ChooseTile seat=7 number=1 most=1; PassTurn", "ChooseTile asks seat 7 in the turn of seat 0"),
    (POWERS, "ChoosePurchase seat=1 terms=usual; PassTurn", "ChoosePurchase asks seat 1 in the turn of seat 0"),
    (POWERS, f"{TILE}; ChoosePower seat=2 phase=buying; {BUY}; PassTurn", "ChoosePower asks seat 2"),
    (POWERS, "ChooseFounded seat=1 square=5E; PassTurn", "ChooseFounded asks seat 1"),
    # the order of a turn
    (POWERS, TILE, "does not end with PassTurn"),
    (POWERS, "PassTurn; DrawTiles", "does not end with PassTurn"),
    (POWERS, f"PassTurn; {TILE}; PassTurn", "not in the order of a turn"),
    (POWERS, f"{BUY}; {TILE}; PassTurn", "not in the order of a turn"),
    (POWERS, f"{TILE}; {TILE}; PassTurn", "not in the order of a turn"),
    (POWERS, "RedrawHand; PassTurn", "RedrawHand is no step"),
    (POWERS, "ExchangeDead; PassTurn", "ExchangeDead is no step"),
    (POWERS, f"ChooseOffer seat=0 left=0; {TILE}; PassTurn", "ChooseOffer is no step"),
    (CLASSIC, f"ChoosePower seat=0 phase=start; {TILE}; PassTurn", "ChoosePower is no step"),
    (POWERS, f"{TILE}; ChooseFounded seat=0 square=5E; PassTurn", "ChooseFounded is no step of the rest"),
    (TRADING, f"ChooseOffer seat=0 left=4; {TILE}; PassTurn", "4 offers are left, of 3"),
    (TRADING, f"ChooseOffer seat=0 left=0; {TILE}; PassTurn", "0 offers are left, of 3"),
    # powers
    (POWERS, "ChoosePower seat=0 phase=placing; PassTurn", "not followed by the usual ChooseTile"),
    (POWERS, "ChoosePower seat=0 phase=buying; DrawTiles; PassTurn", "not followed by the usual ChoosePurchase"),
    (POWERS, "ChooseTile seat=0 number=1 most=3; PassTurn", "no turn has a tile number 1 of 3"),
    (POWERS, "ChooseTile seat=0 number=0 most=4; PassTurn", "no turn has a tile number 0 of 4"),
    (POWERS, "ChooseTile seat=0 number=5 most=4; PassTurn", "no turn has a tile number 5 of 4"),
    (CLASSIC, "ChooseTile seat=0 number=1 most=4; PassTurn", "no turn has a tile number 1 of 4"),
    (
        POWERS,
        "ChoosePower seat=0 phase=start; ChooseTile seat=0 number=2 most=4; PassTurn",
        "a step of the turn stands before tile number 2 of 4",
    ),
    (CLASSIC, "ChoosePurchase seat=0 terms=buy-five; PassTurn", "these rules have no purchase on the terms buy-five"),
    (POWERS, f"{TILE}; ChoosePurchase seat=0 terms=three-free; PassTurn", "stands before the purchase on the terms three-free"),
    (BOUGHT_UP, "ChoosePurchase seat=0 terms=three-free; PassTurn", "there is none to take"),
    (CLASSIC, f"ChoosePairTrade seat=0 number=1; {BUY}; PassTurn", "these rules have no swap number 1"),
    (POWERS, f"ChoosePairTrade seat=0 number=4; {BUY}; PassTurn", "these rules have no swap number 4"),
    (POWERS, f"ChoosePairTrade seat=0 number=1; {TILE}; PassTurn", "ChooseTile is over"),
    # an offer
    (CLASSIC, f"{SEAT_1_GETS}=1,0,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn", "not of these rules"),
    (
        TRADING,
        f"{SEAT_1_GETS}=1,0,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; RedrawHand; PassTurn",
        "RedrawHand is over",
    ),
    (
        TRADING,
        "ChooseReply seat=0 proposer=0 give_shares=1,0,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn",
        "seat 0 makes seat 0 an offer in the turn of seat 0",
    ),
    (
        TRADING,
        "ChooseReply seat=3 proposer=0 give_shares=1,0,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn",
        "seat 0 makes seat 3 an offer",
    ),
    (
        TRADING,
        "ChooseReply seat=0 proposer=1 give_shares=0,0,0,0,0,0,0 give_cash=100 take_shares=0,1,0,0,0,0,0 take_cash=0; PassTurn",
        "seat 1 makes seat 0 an offer in the turn of seat 0",
    ),
    (TRADING, f"{SEAT_1_GETS}=1 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn", "7 counts of shares"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=0 take_shares=26,0,0,0,0,0,0 take_cash=0; PassTurn", "each at most 25"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=150; PassTurn", "moves $150"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100100; PassTurn", "moves $100100"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=0; PassTurn", "gives nothing"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=0 take_shares=0,1,0,0,0,0,0 take_cash=0; PassTurn", "on both sides"),
    (TRADING, f"{SEAT_1_GETS}=0,1,0,0,0,0,0 give_cash=100 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn", "on both sides"),
    (TRADING, f"{SEAT_1_GETS}=0,3,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=100; PassTurn", "does not have"),
    (TRADING, f"{SEAT_1_GETS}=0,0,0,0,0,0,0 give_cash=600 take_shares=1,0,0,0,0,0,0 take_cash=0; PassTurn", "does not have"),
    # a founding
    (POWERS, "ChooseFounded seat=0 square=9G; PassTurn", "a chain is founded by a tile that lies on the board"),
    (POWERS, "ChooseFounded seat=0 square=1A; PassTurn", "a chain is founded by a tile that lies on the board"),
    (f"{EQUAL}", "ChooseFounded seat=0 square=5E; PassTurn", "a chain is founded by a tile that lies on the board"),
    (SEVEN, "ChooseFounded seat=0 square=1E; PassTurn", "an eighth chain is founded"),
    (POWERS, f"ChooseFounded seat=0 square=5E; {TILE}; PassTurn", "the first tile of the turn is still to come"),
    (POWERS, f"ChooseFounded seat=0 square=5E; ChoosePower seat=0 phase=placing; {TILE}; PassTurn", "ChoosePower is over"),
    (POWERS, "ChooseFounded seat=0 square=5E; ChooseFounded seat=0 square=4E; PassTurn", "interrupted by one thing only"),
    # a merger
    (POWERS, "ChooseAcquired seat=0 survivor=Tower; PassTurn", "has its SettleNext after it"),
    (POWERS, "ChooseDisposal seat=0 acquired=American survivor=Tower; PassTurn", "has its SettleNext after it"),
    (POWERS, "SettleNext square=9G survivor=Tower acquired=American waiting=American; PassTurn", "a merger is of the chains"),
    (EQUAL, "ChooseSurvivor seat=0 square=5E chains=Luxor,Tower,American; PassTurn", "a merger is of the chains"),
    (EQUAL, "ChooseSurvivor seat=0 square=5E chains=Tower,Luxor; PassTurn", "a merger is of the chains"),
    (EQUAL, "ChooseSurvivor seat=0 square=5E chains=-; PassTurn", "a merger is of the chains"),
    (
        EQUAL,
        f"ChooseSurvivor seat=0 square=5E chains=Luxor,Tower; {TILE}; PassTurn",
        "the first tile of the turn is still to come",
    ),
    (MERGER, "ChooseSurvivor seat=0 square=5E chains=Luxor,Tower,Festival,Worldwide; PassTurn", "one chain is the largest"),
    (SAFE, "ChooseSurvivor seat=0 square=1B chains=Luxor,Tower; PassTurn", "two safe chains merge"),
    (MERGER, f"{SETTLE} waiting=Luxor,Festival; {TILE}; PassTurn", "the first tile of the turn is still to come"),
    (
        MERGER,
        "SettleNext square=5E survivor=Worldwide acquired=Tower,Luxor,Festival waiting=-; PassTurn",
        "the acquired chains of a merger are not in order",
    ),
    (
        MERGER,
        "SettleNext square=5E survivor=Tower acquired=Luxor,Festival,Worldwide waiting=-; PassTurn",
        "not among its largest chains",
    ),
    (MERGER, f"{SETTLE} waiting=Festival,Luxor; PassTurn", "the chains still to be settled are not in order"),
    (MERGER, f"{SETTLE} waiting=American; PassTurn", "the chains still to be settled are not in order"),
    (MERGER, f"{SETTLE} waiting=Luxor,Tower; PassTurn", "a larger chain waits in a merger"),
    (MERGER, f"ChooseAcquired seat=0 survivor=Tower; {SETTLE} waiting=Luxor,Festival; PassTurn", "has none to choose from"),
    (MERGER, f"ChooseAcquired seat=0 survivor=Worldwide; {SETTLE} waiting=Luxor; PassTurn", "has none to choose from"),
    (MERGER, f"ChooseAcquired seat=0 survivor=Worldwide; {SETTLE} waiting=-; PassTurn", "has none to choose from"),
    (
        MERGER,
        f"ChooseAcquired seat=0 survivor=Worldwide; ChooseDisposal seat=0 {LUXOR}; {SETTLE} waiting=Festival; PassTurn",
        "is not about one chain that it settles",
    ),
    (MERGER, f"ChooseDisposal seat=0 {LUXOR}; {SETTLE} waiting=Luxor; PassTurn", "is not about one chain that it settles"),
    (
        MERGER,
        f"ChooseDisposal seat=0 acquired=Luxor survivor=Tower; {SETTLE} waiting=-; PassTurn",
        "is not about one chain that it settles",
    ),
    (
        MERGER,
        f"ChooseDisposal seat=0 {LUXOR}; ChooseDisposal seat=2 acquired=Tower survivor=Worldwide; {SETTLE} waiting=-; PassTurn",
        "is not about one chain that it settles",
    ),
    (
        MERGER,
        f"ChooseDisposal seat=2 {LUXOR}; ChooseDisposal seat=0 {LUXOR}; {SETTLE} waiting=Festival; PassTurn",
        "not asked in seat order",
    ),
    (
        MERGER,
        f"ChooseDisposal seat=0 {LUXOR}; ChooseDisposal seat=0 {LUXOR}; {SETTLE} waiting=Festival; PassTurn",
        "not asked in seat order",
    ),
    (MERGER, f"ChooseDisposal seat=5 {LUXOR}; {SETTLE} waiting=Festival; PassTurn", "not asked in seat order"),
    (MERGER, f"ChooseDisposal seat=1 {LUXOR}; {SETTLE} waiting=Festival; PassTurn", "shares that it does not have"),
)


@pytest.mark.parametrize(("position", "agenda", "message"), FAULTS)
def test_an_agenda_that_a_turn_cannot_come_to_is_refused(position: str, agenda: str, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as refusal:
        parse_position(f"{position}agenda {agenda}")
    assert refusal.value.reason == "impossible-position"


SOUND: Final = (
    (POWERS, f"ChoosePower seat=0 phase=placing; {TILE}; ChoosePower seat=0 phase=buying; {BUY}; PassTurn"),
    (POWERS, "ChooseTile seat=0 number=2 most=4; PassTurn"),
    (POWERS, "ChoosePurchase seat=0 terms=three-free; PassTurn"),
    (POWERS, f"ChoosePairTrade seat=0 number=3; {BUY}; PassTurn"),
    (POWERS, "ChooseFounded seat=0 square=5E; ChooseTile seat=0 number=2 most=4; PassTurn"),
    (TRADING, f"ChooseOffer seat=0 left=3; {TILE}; PassTurn"),
    (
        TRADING,
        f"{SEAT_1_GETS}=0,2,0,0,0,0,0 give_cash=0 take_shares=0,0,0,0,0,0,0 take_cash=9000; ChooseOffer seat=0 left=1; PassTurn",
    ),
    (EQUAL, f"ChooseSurvivor seat=0 square=5E chains=Luxor,Tower; {BUY}; PassTurn"),
    (MERGER, f"{SETTLE} waiting=Luxor,Tower,Festival; {BUY}; PassTurn"),
    (MERGER, f"ChooseAcquired seat=0 survivor=Worldwide; {SETTLE} waiting=Luxor,Festival; {BUY}; PassTurn"),
    (MERGER, f"ChooseDisposal seat=0 {LUXOR}; ChooseDisposal seat=2 {LUXOR}; {SETTLE} waiting=Festival; {BUY}; PassTurn"),
    (MERGER, f"ChooseDisposal seat=2 {LUXOR}; {SETTLE} waiting=-; {BUY}; PassTurn"),
)


@pytest.mark.parametrize(("position", "agenda"), SOUND)
def test_an_agenda_that_a_turn_comes_to_is_accepted_and_played(position: str, agenda: str) -> None:
    game = parse_position(f"{position}agenda {agenda}")
    _check_playable(game)


# --- damaged texts ---


def _check_playable(game: Game) -> None:
    """A position that was read is sound, and stays sound during play."""
    chances = Chances(SEED, "answers")
    assert position_text(parse_position(position_text(game))) == position_text(game)
    for _ in range(ANSWERS_AFTER):
        assert audit(game) == ()
        if game.decision is None:
            assert game.result is not None
            return
        assert len(game.legal()) > 0
        if not isinstance(game.decision, ChooseOffer | ChooseReply):
            assert any(game.legal_mask())
        game.apply(pick_answer(game, chances, shy=False))


VALUES: Final = st.sampled_from(
    ["0", "1", "2", "3", "4", "9", "-", "1,0,0,0,0,0,0", *PowerPhase, *PurchaseTerms, "Tower", "Luxor", "Tower,Imperial"]
) | st.sampled_from(SQUARE_NAMES)
OTHER_STEPS: Final = st.sampled_from(
    [
        *("PassTurn", "DrawTiles", "RedrawHand", "ExchangeDead", "ChooseExchange seat=0", TILE, BUY),
        *("ChooseTile seat=0 number=1 most=4", "ChooseTile seat=0 number=2 most=4"),
        *(f"ChoosePurchase seat=0 terms={terms}" for terms in PurchaseTerms),
        *(f"ChoosePower seat=0 phase={phase}" for phase in PowerPhase),
        *("ChoosePairTrade seat=0 number=1", "ChooseOffer seat=0 left=1", "ChooseAcquired seat=0 survivor=Tower"),
        f"{SEAT_1_GETS}=0,0,0,0,0,0,0 give_cash=100 take_shares=1,0,0,0,0,0,0 take_cash=0",
        "ChooseDisposal seat=0 acquired=Tower survivor=Imperial",
    ]
)


@st.composite
def damaged_steps(draw: st.DrawFn, steps: list[str]) -> list[str]:
    """An agenda with one change: a step missing, repeated, replaced or moved, or another value in a step."""
    at = draw(st.integers(0, len(steps) - 1))
    words = steps[at].split()
    ways = ["out", "twice", "another", "between", "order", *(["value"] * 4 if words[1:] else [])]
    match draw(st.sampled_from(ways)):
        case "out":
            return [*steps[:at], *steps[at + 1 :]]
        case "twice":
            return [*steps[: at + 1], *steps[at:]]
        case "another":
            return [*steps[:at], draw(OTHER_STEPS), *steps[at + 1 :]]
        case "between":
            return [*steps[:at], draw(OTHER_STEPS), *steps[at:]]
        case "order":
            return draw(st.permutations(steps))
    word_at = draw(st.integers(1, len(words) - 1))
    words[word_at] = words[word_at].partition("=")[0] + "=" + draw(VALUES)
    return [*steps[:at], " ".join(words), *steps[at + 1 :]]


@settings(STEADY, max_examples=300)
@given(played=played_games(max_answers=300), data=st.data())
def test_a_position_with_a_damaged_agenda_is_refused_or_can_be_played(played: Played, data: st.DataObject) -> None:
    *lines, last = position_text(played.game).splitlines()
    if not last.startswith("agenda "):
        return
    steps = data.draw(damaged_steps(last.removeprefix("agenda ").split("; ")))
    try:
        game = parse_position("\n".join([*lines, f"agenda {'; '.join(steps)}"]))
    except EngineError:
        return
    _check_playable(game)


@st.composite
def damaged_board(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """A position with one changed mark on the board or one line removed. Tiles that are then nowhere go into the pile."""
    rows = [at for at, line in enumerate(lines) if line.startswith("  ")]
    kept = [at for at, line in enumerate(lines) if not line.startswith("pile ")]
    at = draw(st.none() | st.sampled_from(rows)) if rows else None
    if at is None:
        gone = draw(st.sampled_from(kept))
        return [lines[place] for place in kept if place != gone]
    number = draw(st.integers(0, NUMBERS - 1))
    marks = lines[at][-NUMBERS:]
    mark = draw(st.sampled_from(sorted({*"".join(lines[row][-NUMBERS:] for row in rows)})))
    changed = f"{lines[at][:-NUMBERS]}{marks[:number]}{mark}{marks[number + 1 :]}"
    return [changed if place == at else lines[place] for place in kept]


@settings(STEADY, max_examples=300)
@given(played=played_games(max_answers=300), data=st.data())
def test_an_agenda_over_a_damaged_board_is_refused_or_can_be_played(played: Played, data: st.DataObject) -> None:
    # The board or the rules change but not the agenda, so the two may disagree.
    try:
        game = parse_position("\n".join(data.draw(damaged_board(position_text(played.game).splitlines()))))
    except EngineError:
        return
    _check_playable(game)
