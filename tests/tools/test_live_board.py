"""`mergemaker match` on a terminal: the live board, and what Ctrl-C leaves."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mergemaker_testkit.terminals import LIMIT_S, Terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pipes, signals and terminals as POSIX has them")


RANDOM = "mergemaker_client.bots.random_bot:RandomBot"
"""In a thread of the command, because another process does not matter here."""


@pytest.fixture
def environment(plain_environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Without a size, so that a terminal's own counts; files kept after a fault go to the test's folder."""
    unsized = {name: value for name, value in plain_environment.items() if name not in ("COLUMNS", "LINES")}
    return unsized | {"TMPDIR": str(tmp_path)}


COLOUR = re.compile(r"\x1b\[[0-9;]*\b[34]\d\b")


@pytest.fixture
def terminal(command_line: list[str], environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*arguments: str, **variables: str) -> Terminal:
        opened.append(Terminal([*command_line, "match", *arguments], environment | variables, tmp_path))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_the_live_board_waits_for_those_who_look_on(terminal: Callable[..., Terminal]) -> None:
    import termios  # noqa: PLC0415 - as in `Terminal`

    shown = terminal(RANDOM, RANDOM, "--seed", "2", "--pace", "60")
    shown.shows("60 s a decision")
    shown.press(b"+")
    shown.shows("30 s a decision")
    assert "bank" not in shown.text
    shown.press(b"c")
    shown.shows("bank")
    shown.press(b" ")
    shown.shows("paused")
    shown.press(b"\r")
    shown.shows(r"repeat with: .*\n")
    assert shown.child.wait(LIMIT_S) == 0
    page = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.text).replace("\r\n", "\n")
    last_board = page[page.rindex("renegade-classic", 0, page.index("place   seat")) :]
    assert re.search(r"^A(?: +[.oA-Z]){12}", last_board, re.MULTILINE)
    assert "the game is over" in last_board
    assert COLOUR.search(shown.text)
    assert max(map(len, re.split(r"[\r\n]", page[: page.index("place   seat")]))) <= 80
    assert termios.tcgetattr(shown.theirs) == shown.before


def test_the_live_board_does_without_colour(terminal: Callable[..., Terminal]) -> None:
    shown = terminal(RANDOM, RANDOM, "--seed", "2", "--pace", "0.001", NO_COLOR="1")
    shown.shows(r"repeat with: .*\n")
    assert shown.child.wait(LIMIT_S) == 0
    assert "a decision" in shown.text
    assert not COLOUR.search(shown.text)


def test_ctrl_c_leaves_the_terminal_as_it_was(terminal: Callable[..., Terminal]) -> None:
    import termios  # noqa: PLC0415 - as in `Terminal`

    shown = terminal(RANDOM, RANDOM, "--seed", "2", "--pace", "60")
    shown.shows("60 s a decision")
    shown.press(b"\x03")
    shown.shows("interrupted; again with: ")
    assert shown.child.wait(LIMIT_S) == 130
    assert termios.tcgetattr(shown.theirs) == shown.before
    assert shown.text.rindex("\x1b[?25h") > shown.text.rindex("\x1b[?25l")
