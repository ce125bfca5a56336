"""The command as a separate process: pipes, full disks, Ctrl-C, terminals with and without colour."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# How long each step may take on a slow machine.
LIMIT_S = 60
COLOUR = re.compile(r"\x1b\[[0-9;]*[34]\dm")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs pipes and terminals as POSIX has them")


def test_nothing_slow_is_imported_before_a_command_is_chosen(plain_environment: dict[str, str]) -> None:
    slow = ("rich", "mergemaker_engine", "multiprocessing", "difflib", "subprocess", "importlib.metadata")
    script = f"import sys, mergemaker_tools.cli; print([name for name in {slow} if name in sys.modules])"
    told = subprocess.run(
        [sys.executable, "-c", script],
        env=plain_environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert told.stdout == "[]\n"


def test_json_is_all_that_is_on_standard_output(command_line: list[str], plain_environment: dict[str, str]) -> None:
    # FORCE_COLOR asks for colour even without a terminal.
    done = subprocess.run(
        [*command_line, "simulate", "--games", "30", "--jobs", "2", "--json"],
        env=plain_environment | {"FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert json.loads(done.stdout)["games"] == 30
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [("rules",), ("rules", "--json"), ("--help",), ("rules", "--help")])
def test_a_closed_pipe_ends_the_command_quietly(
    command_line: list[str], plain_environment: dict[str, str], arguments: tuple[str, ...]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*command_line, *arguments],
            env=plain_environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [("rules",), ("rules", "--json"), ("--help",)])
def test_a_full_disk_is_a_failure_that_is_told(
    command_line: list[str], plain_environment: dict[str, str], arguments: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*command_line, *arguments],
            env=plain_environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert done.returncode == 1
    assert re.fullmatch(r"mergemaker(?: rules)?: standard output takes no more \(.+\): .+\n", done.stderr)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_without_a_standard_stream_the_rest_works(
    command_line: list[str], plain_environment: dict[str, str], stream: str
) -> None:
    number = {"stdout": 1, "stderr": 2}[stream]
    # The shell closes the stream, which no argument of subprocess can do.
    closed = ["sh", "-c", f'exec "$@" {number}>&-', "sh", *command_line]
    for arguments, status in ((("rules", "PLC-7"), 0), (("rules", "PLC-7X"), 2)):
        done = subprocess.run(
            [*closed, *arguments], env=plain_environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == status
        assert "Traceback" not in done.stderr
        assert ("PLC-7" in done.stdout) is (stream == "stderr" and status == 0)


def test_an_encoding_without_the_characters_gets_others(command_line: list[str], plain_environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*command_line, "rules", "BON"],
        env=plain_environment | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert done.stdout.isascii()
    assert b"?" not in done.stdout
    assert b"BON-8" in done.stdout


# --- terminals ------------------------------------------------------------------------------------------------


# Bots in threads, because their processes do not matter here.
MATCH = ("match", *["mergemaker_client.bots.random_bot:RandomBot"] * 2, "--seed", "1", "--no-record")


class Terminal:
    """A terminal with a process at its other end; tests read the process's output within a limit."""

    def __init__(self) -> None:
        import pty  # noqa: PLC0415 - only on POSIX; elsewhere, this file is skipped

        self.ours, self.theirs = pty.openpty()
        self.text = ""

    def read_until(self, form: str) -> bool:
        """Reads until the text contains this form; False if it ends before."""
        while not re.search(form, self.text):
            ready, _, _ = select.select([self.ours], [], [], LIMIT_S)
            assert ready, f"nothing came for {LIMIT_S} s after {self.text!r}"
            try:
                read = os.read(self.ours, 65_536)
            except OSError:  # Linux reports the other end's close in this way
                return False
            if not read:
                return False
            self.text += read.decode()
        return True

    def close_theirs(self) -> None:
        if self.theirs >= 0:
            os.close(self.theirs)
        self.theirs = -1


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.close_theirs()
    os.close(made.ours)


@pytest.fixture
def shown_on_terminal(terminal: Terminal, command_line: list[str], plain_environment: dict[str, str]) -> Callable[..., str]:
    """Runs the command with its output on a terminal; returns that output."""

    def show(*arguments: str, **variables: str) -> str:
        child = subprocess.Popen(
            [*command_line, *arguments],
            env=plain_environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=terminal.theirs,
            stderr=terminal.theirs,
        )
        terminal.close_theirs()
        terminal.read_until("(?!)")
        assert child.wait(LIMIT_S) == 0
        return terminal.text

    return show


def test_a_terminal_gets_colour(shown_on_terminal: Callable[..., str]) -> None:
    assert COLOUR.search(shown_on_terminal(*MATCH, "--pace", "0"))


def test_no_color_is_respected(shown_on_terminal: Callable[..., str]) -> None:
    text = shown_on_terminal(*MATCH, "--pace", "0", NO_COLOR="1")
    assert not COLOUR.search(text)
    assert "\nA  " in text


def test_a_dumb_terminal_gets_plain_text(shown_on_terminal: Callable[..., str]) -> None:
    text = shown_on_terminal(*MATCH, TERM="dumb")
    assert "\x1b" not in text
    assert "\nA  " in text


def test_a_dumb_terminal_gets_no_progress(shown_on_terminal: Callable[..., str]) -> None:
    text = shown_on_terminal("simulate", "--games", "2", "--json", TERM="dumb")
    assert text.startswith("{\r\n")
    assert json.loads(text)["games"] == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_everything_and_says_how_far_it_got(
    terminal: Terminal, command_line: list[str], plain_environment: dict[str, str], jobs: str
) -> None:
    child = subprocess.Popen(
        [*command_line, "simulate", "--games", "1000000", "--seed", "1", "--jobs", jobs],
        env=plain_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=terminal.theirs,
        start_new_session=True,
    )
    terminal.close_theirs()
    try:
        assert terminal.read_until("[1-9][0-9]*/1000000")
        # Like a terminal: sends it to the command and to all that it started.
        os.killpg(child.pid, signal.SIGINT)
        # The text ends when no process has the terminal open any more: none was left behind.
        assert not terminal.read_until("(?!)")
        assert child.wait(LIMIT_S) == 130
    finally:
        if child.poll() is None:
            child.kill()
            child.wait(LIMIT_S)
    assert re.search(r"interrupted after [1-9][0-9,]* of 1,000,000 games; the seed is 0{63}1\r\n", terminal.text)
    assert "Traceback" not in terminal.text


def test_workers_end_when_the_command_is_killed(
    terminal: Terminal, command_line: list[str], plain_environment: dict[str, str]
) -> None:
    child = subprocess.Popen(
        [*command_line, "simulate", "--games", "1000000", "--jobs", "2"],
        env=plain_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=terminal.theirs,
    )
    terminal.close_theirs()
    assert terminal.read_until("[1-9][0-9]*/1000000")
    child.kill()
    assert not terminal.read_until("(?!)")
    assert child.wait(LIMIT_S) == -signal.SIGKILL
