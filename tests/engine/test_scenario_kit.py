"""The scenarios' own machinery: badly written scenarios are refused, and unexpected outcomes fail."""

import pytest
from mergemaker_testkit.scenario import Answer, Ask, Legal, Now, Refused, ScenarioError, Start, parse
from mergemaker_testkit.scenario_run import run

GOOD = """
== A lone tile   [PLC-3]   # a comment
rules renegade-classic
seats 3
board
  A TT..........
turn 3 seat 1
seat 0 cash 100 shares T2
seat 1 cash 100 tiles 5E 7G
seat 2 tiles 9G
pile 12I 11I 10I 9I 8I rest
TurnBegan seat=1 turn=3
ask ChooseTile seat=1
legal 5E | 7G
legal has 5E
legal not 9G | stop
legal count 2
! 9G PLC-1
! 99Z malformed
> 5E
TilePlaced seat=1 square=5E
> buy nothing
...
TilesReceived seat=1 squares=8I,9I,10I,11I,12I
...
now cash 0 100
now shares 0 T2
now hand 2 9G
now powers 0 -
now market T23 S25
now size T2 S0
now at 1A Tower
now at 5E independent
now at 6E empty
now pile 98
now aside -
"""


def _good(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_scenario_is_read_into_steps() -> None:
    (scenario,) = parse(GOOD, "good.txt")
    assert (scenario.title, scenario.rules, scenario.line) == ("A lone tile", ("PLC-3",), 2)
    assert scenario.position.startswith("rules renegade-classic\nseats 3\nboard\nA TT")
    kinds = [type(step) for step in scenario.steps]
    assert kinds == [Start, Ask, Legal, Legal, Legal, Legal, Refused, Refused, Answer, Answer, *[Now] * 11]
    assert scenario.steps[8] == Answer(20, "5E", ("TilePlaced seat=1 square=5E",))


def test_a_scenario_that_holds_passes() -> None:
    (scenario,) = parse(GOOD, "good.txt")
    run(scenario)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one scenario"),
        ("rules renegade-classic\n", "good.txt:1: expected '== title"),
        ("== no rules\nseats 3\n", "good.txt:1: expected '== title"),
        ("== odd rule   [PLC]\nseats 3\n", "good.txt:1: expected '== title"),
        ("== nothing below   [PLC-1]\n", "good.txt:1: expected a position and steps"),
        ("== only a position   [PLC-1]\nseats 3\n", "expected a position and steps"),
        ("== only steps   [PLC-1]\n> 5E\n", "expected a position and steps"),
        ("== unknown line   [PLC-1]\nseats 3\nplace 5E\n", "good.txt:3: expected a line of the position"),
        (
            "== position after steps   [PLC-1]\nseats 3\n> 5E\nseats 3\n",
            "good.txt:4: expected a line of the position",
        ),
        ("== nothing asked   [PLC-1]\nseats 3\nask\n", "good.txt:3: expected a line of the position"),
        (
            "== events too late   [PLC-1]\nseats 3\n> 5E\nask ChooseTile\nTilePlaced seat=0\n",
            "good.txt:5: events stand",
        ),
        ("== no rule   [PLC-1]\nseats 3\n> 5E\n! 5E\n", "good.txt:4: expected '! ANSWER RULE-1'"),
        ("== set-up late   [PLC-1]\nseats 3\n> 5E\n! SET-6\n", "good.txt:4: expected '! ANSWER RULE-1'"),
        ("== set-up malformed   [PLC-1]\nseats 3\n! malformed\n", "good.txt:3: expected '! ANSWER RULE-1'"),
    ],
)
def test_a_badly_written_scenario_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        parse(text, "good.txt")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TurnBegan seat=1 turn=3", "TurnBegan seat=1 turn=4", "expected these events"),
        ("ask ChooseTile seat=1", "ask ChooseTile seat=2", "expected the decision"),
        ("ask ChooseTile seat=1", "ask ChooseTi", "expected the decision"),
        ("legal 5E | 7G", "legal 5E", "expected these answers"),
        ("legal 5E | 7G", "legal 7G | 5E", "expected these answers"),
        ("legal has 5E", "legal has 9G", "'9G' is not offered"),
        ("legal not 9G | stop", "legal not stop | 7G", "'7G' is offered"),
        ("legal count 2", "legal count 3", "expected 3 answers, got 2"),
        ("! 9G PLC-1", "! 9G PLC-2", "refused for PLC-2, got PLC-1"),
        ("! 9G PLC-1", "! 7G PLC-1", "refused for PLC-1, but it was accepted"),
        ("! 99Z malformed", "! 9G malformed", "refused for malformed, got PLC-1"),
        ("> 5E", "> 9G", "'9G' was refused at ChooseTile"),
        ("TilePlaced seat=1 square=5E", "TilePlaced seat=1 square=7G", "expected these events"),
        (
            "TilePlaced seat=1 square=5E",
            "TilePlaced seat=1 square=5E\nTilePlaced seat=1 square=5E",
            "expected these",
        ),
        ("> buy nothing\n...", "> buy nothing", "expected these events"),
        ("now cash 0 100", "now cash 0 200", "expected cash to be 0 200, got 0 100"),
        ("now shares 0 T2", "now shares 0 T2 S1", "expected shares to be"),
        ("now hand 2 9G", "now hand 2 9G 7G", "expected hand to be"),
        ("now powers 0 -", "now powers 0 take-five", "expected powers to be"),
        ("now market T23 S25", "now market T23 S24", "expected market to be"),
        ("now size T2 S0", "now size T3 S0", "expected size to be"),
        ("now at 1A Tower", "now at 1A Sackson", "expected at to be"),
        ("now at 6E empty", "now at 6E independent", "expected at to be"),
        ("now pile 98", "now pile 99", "expected pile to be"),
        ("now aside -", "now aside 1A", "expected aside to be"),
        ("8I rest", "8I rest\ndraws 1C", "'draws' names 1 tiles, 0 were drawn"),
    ],
)
def test_what_comes_out_differently_fails(old: str, new: str, message: str) -> None:
    (scenario,) = parse(_good(old, new), "good.txt")
    with pytest.raises(AssertionError, match=message):
        run(scenario)


def test_a_thing_that_now_cannot_look_at_is_refused() -> None:
    (scenario,) = parse(_good("now aside -", "now weather fine"), "good.txt")
    with pytest.raises(ScenarioError, match="cannot look at 'weather'"):
        run(scenario)


def test_a_setup_that_must_be_refused_and_is_not_fails() -> None:
    (scenario,) = parse("== two   [SET-6]\nrules renegade-classic\nseats 2\ndeal rest\n! SET-6\n", "two.txt")
    with pytest.raises(AssertionError, match="expected the set-up to be refused for SET-6, but it was accepted"):
        run(scenario)


def test_beside_a_deal_stands_no_position() -> None:
    (scenario,) = parse("== two   [SET-6]\nrules renegade-classic\nseats 2\nidle 1\ndeal rest\n> 3A\n", "two.txt")
    with pytest.raises(ScenarioError, match="beside 'deal' stand rules and seats only"):
        run(scenario)


def test_a_market_draw_that_is_not_named_fails() -> None:
    text = "== a draw   [TWO-1]\nrules renegade-classic\nseats 2\nboard\n  E FFFFFFF.IIII\nseat 0 tiles 8E shares I2\n> 8E\n"
    (scenario,) = parse(text, "draw.txt")
    with pytest.raises(AssertionError, match="market draw 0 happened; the line 'draws' names 0"):
        run(scenario)
