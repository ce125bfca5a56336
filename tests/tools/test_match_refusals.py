"""What `mergemaker match` refuses, and its notes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.conftest import Run

RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of this process, which is faster than a separate one."""
PAIR = (RANDOM, RANDOM)


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("random",), "one bot for each seat, as in `mergemaker match random random`: 2 to 6 seats"),
        (("random",) * 7, "not 7"),
        (("random", "randm"), "there is no bot and no program 'randm'; did you mean random?"),
        (("random", "planner:depth=3"), "the bot planner:depth=3: planner has no option 'depth'"),
        (("random", "planner:playout=3"), "; did you mean playouts?"),
        (("random", "no_such_module:Bot"), "the module cannot be imported: ModuleNotFoundError"),
        (("random", "json:NoBot"), "the module json has no NoBot"),
        (("random", "json:__version__"), "a bot is a class derived from Bot"),
        (("random", "nowhere.py"), "cannot be read: No such file"),
        (("random", "random", "--rules", "renegade-tycoon"), "SET-6"),
        (("random", "random", "--rules", "tycon"), "there is no preset 'tycon'; did you mean renegade-tycoon?"),
        (("random", "random", "--set", "asets=hidden"), "there is no knob 'asets'; did you mean assets?"),
        (("random", "random", "--set", "assets=hiden"), "takes open, hidden, not 'hiden'; did you mean hidden?"),
        (("random", "random", "--set", "trade_offers=hidden"), "from 0 to 10, not 'hidden'\n"),
        (("random", "random", "--games", "0"), "takes a whole number from 1 to 100,000, not '0'"),
        (("random", "random", "--jobs", "65"), "takes a whole number from 1 to 64, not '65'"),
        (("random", "random", "--seed", "g"), "hexadecimal digits"),
        (("random", "random", "--seed", "1", "--seed-file", "x"), "the seed is given twice"),
        (("random", "random", "--seed-file", "x"), "the seed cannot be read from x: No such file"),
        (("random", "random", "--quiet", "--verbose"), "not allowed with argument --quiet"),
        (("random", "random", "--json", "--verbose"), "leave out --verbose"),
        (("random", "random", "--clock", "quick"), "there is no clock 'quick'"),
        (("random", "random", "--clock", "standard:bnk=5"), "a clock has no term 'bnk'; did you mean bank?"),
        (("random", "random", "--clock", "standard:bank=x"), "bank takes a whole number of milliseconds"),
        (("random", "random", "--clock", "standard:bank=1,bank=2"), "is given the term bank twice"),
        (("random", "random", "--clock", "mine:increment=5"), "an allowance or a bank"),
        (("random", "random", "--clock", "MINE:bank=5"), "a clock's name is 1 to 40 of a-z"),
        (("random", "random", "--pace", "fast"), "takes a number of seconds from 0 to 60, as in 0.5, not 'fast'"),
        (("random", "random", "--pace", "nan"), "not 'nan'"),
        (("random", "random", "--listen", "7350"), "--listen: an address is HOST:PORT"),
        (("random", "random", "--token", ""), "--token takes a text of 1 to 200 characters"),
        (("random", "random", "--record", "x", "--games", "2"), "name their folder with --records"),
        (("random", "random", "--record", "x", "--no-record"), "not allowed with argument --record"),
        (("human", "random", "--json"), "a person plays one game, and has to see it"),
        (("human", "human"), "one person can play at it"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("match", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
    assert not Path("records").exists()


def test_a_port_that_is_taken_is_said(run: Callable[..., Run]) -> None:
    import socket  # noqa: PLC0415 - only for this test

    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run("match", *PAIR, "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert (refused.status, refused.out) == (1, "")
    assert "is the port taken" in refused.err


def test_a_referee_that_others_can_reach_is_noted(run: Callable[..., Run]) -> None:
    refused = run("match", *PAIR, "--listen", "0.0.0.0:0", "--json", "--no-record")
    assert (refused.status, refused.out) == (2, "")
    assert "In a network that you trust give --plain-text, too" in refused.err
    played = run("match", *PAIR, "--listen", "0.0.0.0:0", "--plain-text", "--json", "--no-record")
    assert played.status == 0
    assert played.err.startswith("note: 0.0.0.0:0 can be reached from other machines")


def test_a_file_that_holds_no_seed_is_refused(run: Callable[..., Run]) -> None:
    Path("seed").write_text("0" * 65, "ascii")
    refused = run("match", *PAIR, "--seed-file", "seed")
    assert refused.status == 2
    assert "seed holds no seed" in refused.err
