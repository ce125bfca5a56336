"""The full-screen view on a terminal: keys go in, a screen comes out, and the terminal ends as it began."""

import codecs
import hashlib
import os
import re
import select
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from mergemaker_engine.rules import preset
from mergemaker_testkit.recorded import recorded_match
from mergemaker_testkit.tiny_terminal import TinyTerminal

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs terminals as POSIX has them")

# A guard against a hang.
LIMIT_S = 60
SIZE = (80, 24)
SEED = hashlib.sha256(b"replay").digest()
COLOUR = re.compile(r"\b[34]\d\b")
# In a separate process the second call fails: the first frame is drawn, the second is not.
BROKEN = """
import sys
from mergemaker_tools import cli
from mergemaker_tools.replaying import theatre
frame, calls = theatre.frame, []
def broken(*arguments):
    calls.append(arguments)
    if len(calls) > 1:
        raise ZeroDivisionError
    return frame(*arguments)
theatre.frame = broken
sys.exit(cli.main(sys.argv[1:]))
"""


class Session:
    """A command on a terminal. Tests read what it shows, and press keys."""

    def __init__(
        self, command: Sequence[str], environment: dict[str, str], errors: int | None = None, *, own_session: bool = True
    ) -> None:
        import pty  # noqa: PLC0415 - there is none outside POSIX, where this file is skipped
        import termios  # noqa: PLC0415 - likewise

        self._ours, self.theirs = pty.openpty()
        self._termios = termios
        self.screen = TinyTerminal(*SIZE)
        self.written = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._set_size(*SIZE)
        self._before = termios.tcgetattr(self.theirs)
        self.child = subprocess.Popen(
            command,
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs if errors is None else errors,
            env=environment,
            start_new_session=own_session,
            # Ctrl-Z stops a whole process group, which must not be the group of the tests.
            process_group=None if own_session else 0,
        )

    def _set_size(self, columns: int, lines: int) -> None:
        import fcntl  # noqa: PLC0415 - likewise

        fcntl.ioctl(self.theirs, self._termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns: int, lines: int) -> None:
        """As a terminal does when its window is resized."""
        self.screen.resize(columns, lines)
        self._set_size(columns, lines)
        self.child.send_signal(signal.SIGWINCH)

    def press(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def shows(self, form: str) -> None:
        """Reads until the whole frame is there, with a line of this form."""
        while not any(re.search(form, row) for row in self.screen.rows()):
            self._read()

    def _read(self) -> None:
        ready, _, _ = select.select([self._ours], [], [], LIMIT_S)
        assert ready, "nothing came for {} s after:\n{}".format(LIMIT_S, "\n".join(self.screen.rows()))
        text = self._decoder.decode(os.read(self._ours, 65_536))
        self.written += text
        self.screen.feed(text)

    def ends(self) -> int:
        """Waits for the end, and returns the status. The terminal must be as it was."""
        status = self.child.wait(LIMIT_S)
        self.is_as_before()
        return status

    def is_as_before(self) -> None:
        """Checks that the command left the terminal as it found it."""
        while select.select([self._ours], [], [], 0)[0]:
            self._read()
        assert self._termios.tcgetattr(self.theirs) == self._before
        assert (self.screen.second_screen, self.screen.cursor_shown, self.screen.wraps) == (False, True, True)

    def hang_up(self) -> None:
        """Takes the terminal away."""
        for end in (self.theirs, self._ours):
            os.close(end)
        self.theirs = self._ours = -1

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait(LIMIT_S)
        for end in (self.theirs, self._ours):
            if end >= 0:
                os.close(end)


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(recorded_match(preset("renegade-classic"), 4, SEED)))
    return str(path)


@pytest.fixture
def begin(command_line: list[str], plain_environment: dict[str, str]) -> Iterator[Callable[..., Session]]:
    """Starts `replay` on a terminal."""
    sessions: list[Session] = []
    own_size = {name: value for name, value in plain_environment.items() if name not in ("COLUMNS", "LINES")}

    def start(
        *arguments: str, command: Sequence[str] = (), errors: int | None = None, own_session: bool = True, **variables: str
    ) -> Session:
        whole = [*(command or command_line), "replay", *arguments]
        sessions.append(Session(whole, own_size | variables, errors, own_session=own_session))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def test_keys_go_through_the_match_and_the_terminal_is_as_before(begin: Callable[..., Session], record: str) -> None:
    session = begin(f"{record}@3")
    session.shows("q quit$")
    rows = session.screen.rows()
    assert rows[0].startswith("decision 3 of ")
    assert [row[0] for row in rows[2:11]] == list("ABCDEFGHI")
    assert (session.screen.second_screen, session.screen.cursor_shown) == (True, False)
    for keys, form in (
        (b"a", r"^asked     seat \d \(random \d\): .* → "),
        (b"\x1b[C", "^decision 4 of "),
        (b"lln", "^decision 7 of "),
        (b"\x1b[D", "^decision 6 of "),
        (b"\x1b[H", "^the set-up "),
        (b"s", "what seat 0 knew$"),
        (b"ssss", "all is shown$"),
        (b"g17", "^decision: 17_"),
        (b"\r", "^decision 17 of "),
        (b"?", "^Keys"),
        (b" ", "^decision 17 of "),
        (b"\x1b[F", "^result    declared · 1. seat "),
        (b"d", "^events "),
        (b"\x1b", "^result "),
    ):
        session.press(keys)
        session.shows(form)
    assert any(COLOUR.search(style) for style in session.screen.styles)
    session.press(b"q")
    assert session.ends() == 0
    assert "\n" not in session.written


def test_it_plays_by_itself(begin: Callable[..., Session], record: str) -> None:
    session = begin(record)
    session.shows("^the set-up ")
    session.press(b"+++ ")
    session.shows("^decision 3 of ")
    session.press(b" \x03")
    assert session.ends() == 0


def test_a_new_size_is_drawn_anew(begin: Callable[..., Session], record: str) -> None:
    session = begin(f"{record}@30")
    session.shows("q quit$")
    session.resize(60, 12)
    session.shows("^Too small: 60x12")
    session.resize(120, 40)
    session.shows("q quit$")
    assert len(session.screen.rows()) == 40
    assert session.screen.rows()[0].startswith("decision 30 of ")
    session.press(b"\x1b")
    assert session.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_terminal_is_as_before(begin: Callable[..., Session], record: str, number: int) -> None:
    session = begin(record)
    session.shows("q quit$")
    session.child.send_signal(number)
    assert session.ends() == -number
    assert "Traceback" not in session.written


def test_ctrl_c_from_elsewhere_ends_it_and_the_terminal_is_as_before(begin: Callable[..., Session], record: str) -> None:
    session = begin(record, command=[sys.executable, "-c", _WITH_CTRL_C])
    session.shows("q quit$")
    session.child.send_signal(signal.SIGINT)
    assert session.ends() == 130
    assert "Traceback" not in session.written


# A shell that starts the tests in the background switches Ctrl-C off.
_WITH_CTRL_C = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from mergemaker_tools import cli
sys.exit(cli.main(sys.argv[1:]))
"""


def test_a_fault_is_reported_on_a_restored_terminal(begin: Callable[..., Session], record: str) -> None:
    session = begin(record, command=[sys.executable, "-c", BROKEN])
    session.shows("^the set-up ")
    session.press(b"l")
    assert session.ends() == 1
    session.shows("^ZeroDivisionError")


def test_a_terminal_that_goes_away_ends_it(begin: Callable[..., Session], record: str) -> None:
    session = begin(record, errors=subprocess.PIPE)
    session.shows("q quit$")
    session.hang_up()
    assert session.child.stderr
    assert session.child.wait(LIMIT_S) in (0, 1)
    assert "Traceback" not in session.child.stderr.read().decode()
    session.child.stderr.close()


def test_ctrl_z_stops_it_on_a_restored_terminal_and_it_continues(begin: Callable[..., Session], record: str) -> None:
    session = begin(f"{record}@9", own_session=False)
    session.shows("q quit$")
    stopped: list[int] = []
    # In a thread, because waiting for a process to stop has no limit.
    waiting = threading.Thread(target=lambda: stopped.append(os.waitpid(session.child.pid, os.WUNTRACED)[1]), daemon=True)
    waiting.start()
    session.press(b"\x1a")
    waiting.join(LIMIT_S)
    assert stopped, f"the command did not stop for {LIMIT_S} s"
    assert os.WIFSTOPPED(stopped[0])
    session.is_as_before()
    session.child.send_signal(signal.SIGCONT)
    session.shows("q quit$")
    assert session.screen.second_screen
    session.press(b"q")
    assert session.ends() == 0


def test_no_color_is_respected(begin: Callable[..., Session], record: str) -> None:
    session = begin(f"{record}@60", NO_COLOR="1")
    session.shows("q quit$")
    session.press(b"q")
    assert session.ends() == 0
    assert not any(COLOUR.search(style) for style in session.screen.styles)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_is_told_what_to_do_instead(begin: Callable[..., Session], record: str, term: str) -> None:
    session = begin(record, TERM=term)
    assert session.ends() == 2
    again = f"{sys.executable} -m mergemaker_tools replay {record} --text"
    assert f"nothing can be drawn:\r\n`{again}` shows the game as text" in session.written, session.written
    assert "\x1b" not in session.written


def test_an_unfinished_match_is_refused_before_the_screen_is_taken(begin: Callable[..., Session], tmp_path: Path) -> None:
    running = tmp_path / "running.jsonl"
    running.write_bytes(b"".join(recorded_match(preset("renegade-classic"), 4, SEED)[:-1]))
    session = begin(str(running))
    assert session.ends() == 1
    assert "--text shows its header and the answers so far" in session.written
    assert "\x1b" not in session.written
