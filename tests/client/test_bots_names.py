"""Built-in bots by name and options."""

import pytest
from mergemaker_client.bots import NAMES, make, parse
from mergemaker_client.bots.greedy import USUAL, GreedyBot, Weights
from mergemaker_client.bots.planner import PLAYOUTS_MAX, PlannerBot
from mergemaker_client.bots.random_bot import RandomBot
from mergemaker_client.errors import BotError


def test_the_bots_have_their_names() -> None:
    assert NAMES == ("random", "greedy", "planner")
    assert [type(make(name)) for name in NAMES] == [RandomBot, GreedyBot, PlannerBot]


def test_options_stand_behind_a_colon() -> None:
    built_in = parse("planner:playouts=200")
    assert (built_in.name, built_in.options) == ("planner", (("playouts", 200),))
    assert isinstance(built_in(), PlannerBot)


def test_the_constants_of_greedy_are_options() -> None:
    built_in = parse("greedy:reserve=1000,low_pile=12")
    made, usual = built_in(), make("greedy")
    assert isinstance(made, GreedyBot)
    assert isinstance(usual, GreedyBot)
    assert (made._weights, usual._weights) == (Weights(reserve=1000, low_pile=12), USUAL)
    with pytest.raises(BotError, match="growth_size is a whole number from 1 to 100, not 0"):
        GreedyBot(growth_size=0)


def test_what_is_parsed_makes_a_bot_for_each_match() -> None:
    built_in = parse("random")
    assert built_in() is not built_in()


@pytest.mark.parametrize("text", ["", "Random", "randm", "random ", ":playouts=3", 7, None])
def test_an_unknown_name_is_refused_with_those_there_are(text: object) -> None:
    with pytest.raises(BotError, match=r"random, greedy, planner|such as random") as caught:
        make(text)  # type: ignore[arg-type]  # as a careless caller would
    assert caught.value.reason == "unknown-bot"


def test_a_name_that_is_nearly_right_is_answered_with_the_one_that_is_like_it() -> None:
    with pytest.raises(BotError, match=r"there are random, greedy, planner; did you mean planner\?$"):
        parse("Planer:playouts=3")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("random:playouts=3", "random has no option 'playouts'; it has none"),
        ("greedy:reserve=-1", "greedy:reserve is a whole number from 0 to 1000000, not '-1'"),
        ("greedy:reserve=1.5", "greedy:reserve is a whole number from 0 to 1000000, not '1.5'"),
        ("greedy:reserve_part=0", "greedy:reserve_part is a whole number from 1 to 1000, not '0'"),
        ("greedy:reserv=3", r"greedy has no option 'reserv'; it has reserve .*; did you mean reserve or reserve_part"),
        ("greedy:reserve=1,reserve=2", "given the option reserve twice"),
        ("planner:", "planner has no option ''; it has playouts"),
        (
            "planner:playout=3",
            r"planner has no option 'playout'; it has playouts \(1 to 1000000: .*; did you mean playouts\?$",
        ),
        ("planner:depth=3", r"instead of thinking by the clock\)$"),
        ("planner:playouts", "planner:playouts is a whole number from 1 to 1000000, not ''"),
        ("planner:playouts=", "not ''"),
        ("planner:playouts=0", "not '0'"),
        ("planner:playouts=1000001", "not '1000001'"),
        ("planner:playouts=-5", "not '-5'"),
        ("planner:playouts=2.5", r"not '2\.5'"),
        ("planner:playouts=٣", "not '٣'"),
        ("planner:playouts=" + "9" * 10_000, "not '999"),
        ("planner:playouts=3,playouts=4", "given the option playouts twice"),
        ("planner:playouts=3,", "planner has no option ''"),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_known(text: str, says: str) -> None:
    with pytest.raises(BotError, match=says) as caught:
        parse(text)
    assert caught.value.reason == "bad-option"


@pytest.mark.parametrize("playouts", [0, -1, PLAYOUTS_MAX + 1, 2.0, True])
def test_a_planner_takes_no_other_number_either(playouts: object) -> None:
    with pytest.raises(BotError, match="playouts is a whole number") as caught:
        PlannerBot(playouts)  # type: ignore[arg-type]  # as a careless caller would
    assert caught.value.reason == "bad-option"
