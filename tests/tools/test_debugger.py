"""`breakpoint()` in a bot while the live board is shown: in a bot of the command's own process, and in a bot's file."""

import os
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mergemaker_testkit.terminals import LIMIT_S, Terminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs terminals as POSIX has them")

BOT = """
from mergemaker_client import Bot, run

class Stopping(Bot):
    stops = 1

    def choose_tile(self, turn):
        if self.stops:
            self.stops -= 1
            seen = turn.view.turn * 1000 + 7
            breakpoint()
            seen += 1
        return turn.default

if __name__ == "__main__":
    run(Stopping)
"""


@pytest.fixture
def terminal(command_line: list[str], plain_environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts a match on a terminal, in a folder with the bot."""
    opened: list[Terminal] = []
    (tmp_path / "stopping.py").write_text(BOT, "utf-8")
    sized = {name: value for name, value in plain_environment.items() if name not in ("COLUMNS", "LINES")}

    def start(*arguments: str) -> Terminal:
        opened.append(Terminal([*command_line, "match", *arguments], sized | {"TMPDIR": str(tmp_path)}, tmp_path))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@pytest.mark.parametrize("bot", ["stopping:Stopping", "stopping.py"])
def test_pdb_has_the_terminal_and_then_the_board_goes_on(terminal: Callable[..., Terminal], bot: str) -> None:
    import termios  # noqa: PLC0415 - as the mark says

    shown = terminal(bot, "mergemaker_client.bots.random_bot:RandomBot", "--seed", "2", "--pace", "0.001", "--no-record")
    shown.shows(r"a bot stopped at breakpoint\(\): c goes on, n steps, h is help; its clock runs on[^$]*\(Pdb\) ")
    # The terminal is as a person's shell has it: what is typed is shown, and comes line by line.
    assert termios.tcgetattr(shown.theirs)[3] & termios.ICANON
    assert termios.tcgetattr(shown.theirs)[3] & termios.ECHO
    shown.press(b"p seen\n")
    shown.shows(r"[0-9]+007\r?\n\(Pdb\) ")
    shown.press(b"n\n")
    shown.shows(r"return turn.default\r?\n\(Pdb\) ")
    shown.press(b"p seen\n")
    shown.shows(r"[0-9]+008\r?\n\(Pdb\) ")
    shown.press(b"c\n")
    shown.shows(r"repeat with: .*\n")
    assert shown.child.wait(LIMIT_S) == 0
    assert re.search("the game is over", shown.text)
    assert termios.tcgetattr(shown.theirs) == shown.before


def test_without_the_command_a_bot_is_told_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from mergemaker_client import debugging  # noqa: PLC0415 - it imports pdb, which most tests do not need

    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv(debugging.VARIABLE, f"{port} token")
    debugging.stop()
    assert "breakpoint() finds no terminal" in capsys.readouterr().err
