"""The questions to a person at the terminal, and how typed answers are read."""

from collections.abc import Sequence

import pytest
from mergemaker_client import MatchInfo, Turn
from mergemaker_engine.defaults import default_index
from mergemaker_engine.effects import choice_effects
from mergemaker_engine.game import Game
from mergemaker_engine.notation import parse_position
from mergemaker_engine.wording import action_text, parse_action
from mergemaker_tools.play.human import HumanBot, Left
from mergemaker_tools.play.human_questions import question_lines
from mergemaker_tools.play.human_words import NotUnderstood, answer_in, board_with_hand

EARLY = """
seats 2
turn 9 seat 0
board
  A TT.o........
  C ...o........
  I .........AAA
seat 0 tiles 3A 4B 5C 12H 7F
"""
MERGER = """
seats 2
turn 9 seat 0
board
  A TT.AA.......
seat 0 tiles 3A 9I shares T3 A1
seat 1 shares A4
"""


BOTS = ("you", "other", "seat two")


def _turn(game: Game) -> Turn:
    decision = game.decision
    assert decision is not None
    view = game.view(decision.seat)
    answers = game.legal()
    return Turn(
        match=MatchInfo("m", view.rules, view.seats, decision.seat, BOTS[: view.seats], bytes(32)),
        number=1,
        view=view,
        decision=decision,
        answers=answers,
        default=answers[default_index(decision, answers)],
        effects=choice_effects(view),
        events=(),
        events_seen=0,
    )


def _after(position: str, *actions: str) -> Turn:
    game = parse_position(position)
    for text in actions:
        game.apply(parse_action(text, game.rules))
    return _turn(game)


TILE = _after(EARLY)
FOUNDED = _after(EARLY, "4B")
PURCHASE = _after(EARLY, "7F")
SURVIVOR = _after(MERGER, "3A")
DISPOSAL = _after(MERGER, "3A", "survivor American")


def _meant(typed: str, turn: Turn) -> str:
    return action_text(answer_in(typed, turn), turn.match.rules)


@pytest.mark.parametrize(
    ("turn", "typed", "meant"),
    [
        (TILE, "7F", "7F"),
        (TILE, "  7f ", "7F"),
        (FOUNDED, "found w", "found Worldwide"),
        (FOUNDED, "Worldwide", "found Worldwide"),
        (FOUNDED, "1", action_text(FOUNDED.answers[0], FOUNDED.match.rules)),
        (PURCHASE, "", "buy nothing"),
        (PURCHASE, "nothing", "buy nothing"),
        (PURCHASE, "buy 2 t 1 american", "buy 2 Tower 1 American"),
        (PURCHASE, "2 Tower", "buy 2 Tower"),
        (PURCHASE, "1 A", "buy 1 American"),
        (SURVIVOR, "american", "survivor American"),
        (SURVIVOR, "survivor t", "survivor Tower"),
        (SURVIVOR, "2", "survivor American"),
        (DISPOSAL, "keep", "sell 0 trade 0"),
        (DISPOSAL, "SELL 1", "sell 1 trade 0"),
        (DISPOSAL, "trade 2", "sell 0 trade 2"),
        (DISPOSAL, "sell 1  trade 2", "sell 1 trade 2"),
        (DISPOSAL, "trade 2 sell 1", "sell 1 trade 2"),
        (DISPOSAL, "sell all", "sell 3 trade 0"),
    ],
)
def test_answers_are_understood_however_they_are_spelled(turn: Turn, typed: str, meant: str) -> None:
    assert _meant(typed, turn) == meant


@pytest.mark.parametrize(
    ("turn", "typed", "why"),
    [
        (TILE, "", "type an answer"),
        (TILE, "hello", "'hello' is no answer to this"),
        (TILE, "1A", "1A is not one of your tiles"),
        (TILE, "13A", "is no answer to this"),
        (TILE, "7F end", "the end cannot be declared now"),
        (TILE, "buy nothing", "`buy nothing` is not possible now"),
        (TILE, "\x1b[A", "is no answer to this"),
        (TILE, "9" * 999, "is no answer to this"),
        (FOUNDED, "Tower", "`found Tower` is not possible now"),
        (FOUNDED, "0", "the list has the answers 1 to 5"),
        (FOUNDED, "6", "the list has the answers 1 to 5"),
        (PURCHASE, "1 Worldwide", "Worldwide is not on the board"),
        (PURCHASE, "4 Tower", "you cannot buy that many now"),
        (PURCHASE, "99 Tower", "is no answer to this"),
        (PURCHASE, "1 T 1 T", "is no answer to this"),
        (PURCHASE, "end", "the end cannot be declared now"),
        (DISPOSAL, "sell 4", "`sell 4 trade 0` is not possible now"),
        (DISPOSAL, "trade 1", "is no answer to this"),
        (DISPOSAL, "trade all", "is no answer to this"),
        (DISPOSAL, "sell 1 keep 2", "is no answer to this"),
    ],
)
def test_what_is_no_answer_is_said_with_the_reason(turn: Turn, typed: str, why: str) -> None:
    with pytest.raises(NotUnderstood) as refused:
        answer_in(typed, turn)
    assert why in str(refused.value)


def test_too_dear_is_said() -> None:
    poor = _after(EARLY.replace("seat 0 ", "seat 0 cash 300 "), "7F")
    with pytest.raises(NotUnderstood, match=r"2 Tower cost \$400, and you have \$300"):
        answer_in("2 T", poor)


def test_too_few_left_is_said() -> None:
    with pytest.raises(NotUnderstood, match="Tower has 1 left"):
        answer_in("2 T", _after(f"{EARLY}seat 1 shares T24\n", "7F"))


def test_each_tile_is_shown_with_what_it_does() -> None:
    assert question_lines(TILE) == [
        "Place a tile:",
        "  3A   grows Tower to 4: $200 to $400 a share, you hold 0",
        "  4B   founds a chain of 3: Sackson $300; Festival, Worldwide $400; Continental, Imperial $500",
        "  5C   founds a chain of 2: Sackson $200; Festival, Worldwide $300; Continental, Imperial $400",
        "  7F   stays alone",
        "  12H  grows American to 4: $400 to $500 a share, you hold 0",
    ]


def test_a_merger_says_what_majority_is_at_stake() -> None:
    merging = question_lines(_turn(parse_position(MERGER)))[1]
    assert merging.startswith("  3A   merges Tower and American, Tower or American survives with 5;")
    # With two players, a tile is drawn for the market, so nobody knows who is paid; the bonuses are known.
    assert "Tower would pay first $2,000, second $1,000; you hold 3" in merging
    three = _turn(parse_position(MERGER.replace("seats 2", "seats 3") + "seat 2 shares T1\n"))
    assert "Tower would pay you $2,000 and seat two $1,000; American would pay" in question_lines(three)[1]


def test_questions_say_price_holdings_and_bonuses() -> None:
    assert question_lines(PURCHASE) == [
        "Buy up to 3 shares, as in `1 tower`, or Enter for nothing. You have $6,000.",
        "  chain         price  left  yours  most of the others       bonuses",
        "  Tower          $200    25      0  none                     $2,000, $1,000",
        "  American       $400    25      0  none                     $4,000, $2,000",
    ]
    held = _after(EARLY.replace("4B 5C 12H 7F", "4B 5C 12H 7F shares T2") + "seat 1 shares T5\n", "7F")
    assert "  Tower          $200    18      2  5, other                 $2,000, $1,000" in question_lines(held)


def test_a_founder_learns_tiers_and_prices() -> None:
    assert question_lines(FOUNDED)[:3] == [
        "Name the chain that you found; you get one share of it free:",
        "  1. Sackson      cheap  $300 a share, 25 shares left",
        "  2. Festival     middle $400 a share, 25 shares left",
    ]


def test_a_merger_of_equals_is_asked_with_its_stakes() -> None:
    asked = question_lines(SURVIVOR)
    assert asked[0] == "Which chain survives?"
    assert asked[1].startswith("  1. survivor Tower: American would pay first $")
    assert asked[2].startswith("  2. survivor American: Tower would pay first $")


def test_a_disposal_says_what_each_share_brings() -> None:
    assert question_lines(DISPOSAL) == [
        "American takes Tower over. Sell, trade or keep each of your 3 Tower:",
        "  sell   for $200 each; you have $7,000",
        "  trade  two for one of American, now $300; 20 left, you hold 1",
        "  keep   the rest, in case Tower is founded again",
        "  as in `sell 1 trade 2`, `sell all` or `keep`",
    ]


def test_powers_are_explained() -> None:
    asked = question_lines(_turn(parse_position("rules avalon-hill-powers\nseats 3\nturn 9 seat 0\nseat 0 tiles 3A 9I\n")))
    assert asked[0] == "Use a power?"
    assert asked[1] == "  1. no power: keep them for later"
    assert asked[2].startswith("  2. power take-five: take five tiles from the pile now")


def test_the_end_may_be_declared_with_what_that_would_bring() -> None:
    rows = "\n".join(f"  {letter} TTTTTTTTTTTT" for letter in "ABC") + "\n  D TTTTT......."
    asked = question_lines(
        _turn(parse_position(f"seats 3\nturn 9 seat 0\nboard\n{rows}\nseat 0 tiles 9I shares T3\nseat 1 shares T5\n"))
    )
    assert asked[-2] == (
        "You may declare the end, as Tower has 41 tiles or more: add `end` to the answer, and this turn is the last."
    )
    assert asked[-1] == "  If the game ended now: you $14,000, other $21,000 and seat two $6,000."


def test_the_hand_is_on_the_board_lit_where_it_can_be_placed() -> None:
    rows = board_with_hand(TILE).plain.split("\n")
    assert rows[1].startswith("A   T  T [.] o ")
    assert rows[8][36:39] == "[.]"
    assert sum(row.count("[.]") for row in rows) == 5
    dead = _after("seats 2\nturn 9 seat 0\nboard\n  A TTTTTTTTTTT.\n  C AAAAAAAAAAAA\nseat 0 tiles 3B 9I\n")
    picture = board_with_hand(dead).plain.split("\n")
    assert picture[2][9:12] == "(.)"
    assert picture[9][27:30] == "[.]"
    assert "  3B   cannot be placed: it would join two safe chains, so it is dead for the rest of the game" in question_lines(
        dead
    )


def _person(typed: Sequence[str]) -> tuple[HumanBot, list[str]]:
    lines, left = iter(typed), []

    def ask() -> str:
        try:
            return next(lines)
        except StopIteration:
            raise Left from None

    return HumanBot(ask, lambda: left.append("left")), left


def test_a_person_is_asked_until_there_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    person, left = _person(["hm", "1A", "?", "board", "7f"])
    assert person.answer(TILE) == parse_action("7F", TILE.match.rules)
    shown = capsys.readouterr().out
    assert shown.count("Place a tile:") == 5
    assert "1A is not one of your tiles" in shown
    assert "quit resigns" in shown
    assert not left


def test_who_quits_is_asked_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    for typed in (["quit"], []):
        person, left = _person(typed)
        assert person.answer(TILE) == TILE.default
        capsys.readouterr()
        assert person.answer(PURCHASE) == PURCHASE.default
        assert capsys.readouterr().out == ""
        assert left == ["left"]
