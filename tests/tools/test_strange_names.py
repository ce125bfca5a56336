"""No file name, and no text from others, can control a terminal or leave its line, whichever command shows it."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_engine.rules import preset
from mergemaker_processes.texts import harmless
from mergemaker_testkit.recorded import recorded_match
from mergemaker_tools.screen import complain, show_line
from mergemaker_tools.tables import show, table

from tests.tools.conftest import Run

ORDERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
STRANGE = "a\n\x1b]0;x\x07\u202e.jsonl"
SHOWN = r"a\n\x1b]0;x\x07\u202e.jsonl"
QUOTED = r"a\012\033]0;x\007\342\200\256.jsonl"

posix = pytest.mark.skipif(os.name != "posix", reason="only POSIX has such names")


@pytest.fixture(scope="module")
def match() -> list[bytes]:
    return recorded_match(preset("renegade-classic"), 2, bytes(32))


def named(value: object) -> str:
    return " ".join(word for word in value if STRANGE not in word) if isinstance(value, tuple) else str(value)


@posix
@pytest.mark.parametrize("content", ["missing", "garbage", "unfinished", "tampered"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", STRANGE),
        ("replay", STRANGE),
        ("replay", STRANGE, "--text"),
        ("replay", STRANGE, "--stats"),
        ("fork", f"{STRANGE}@99999", "--others", "random"),
        ("shadow", f"{STRANGE}@99999", "random", "--seat", "0"),
        ("shadow", STRANGE, "random", "--seat", "5"),
        ("export", STRANGE, "--format", "csv"),
    ],
    ids=named,
)
def test_a_records_name_is_shown_in_one_line_and_obeyed_by_no_terminal(
    run: Callable[..., Run], tmp_path: Path, match: list[bytes], arguments: tuple[str, ...], content: str
) -> None:
    lines = {"garbage": [b"\x1b[31m\n"], "unfinished": match[:-1], "tampered": [*match[:5], *match[6:]]}
    if content != "missing":
        (tmp_path / STRANGE).write_bytes(b"".join(lines[content]))
    said = in_one_line(run(*arguments))
    if content == "missing":
        assert SHOWN in said or QUOTED in said


@posix
@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "good.jsonl", "--format", "csv", "-o", STRANGE),
        ("export", "good.jsonl", STRANGE, "--format", "csv", "--skip-bad", "-o", f"{STRANGE}.csv"),
        ("export", "good.jsonl", "--format", "csv", "-o", f"nowhere/{STRANGE}"),
        ("matches", "fetch", "m", "-o", STRANGE, "--server", "127.0.0.1:1", "--token", "mmo_00000000"),
        ("serve", "--check-config", "--config", STRANGE),
        ("serve", "--init", STRANGE),
        ("serve", "--init", "fresh", "--host", "bots.example"),
        ("new", "python", STRANGE),
        ("new", "python", f"fresh/{STRANGE}", "--name", "bot"),
        ("match", "random", "random", "--record", STRANGE),
        ("match", "random", "random", "--record", f"fresh{STRANGE}"),
    ],
    ids=named,
)
def test_another_files_name_is_shown_in_one_line_and_obeyed_by_no_terminal(
    run: Callable[..., Run], tmp_path: Path, match: list[bytes], arguments: tuple[str, ...]
) -> None:
    (tmp_path / STRANGE).write_bytes(b"\x1b[31m\n")
    (tmp_path / "good.jsonl").write_bytes(b"".join(match))
    in_one_line(run(*arguments))


def in_one_line(done: Run) -> str:
    said = done.out + done.err
    assert not ORDERS.search(said)
    assert not re.search("[/'h]a\n", said), "a name stays in its line"
    return said


def test_what_is_shown_holds_no_orders_however_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    listed = table("\x1b[2J")
    listed.add_column("\x1b]0;x")
    listed.add_row("\x9b2J\u202eevil", style="bold")
    show("text \x1b[31m", listed)
    show_line("a line \x1b[31m\tand\nanother")
    complain("a complaint \x1b[31m\nand more")
    said = capsys.readouterr()
    assert not ORDERS.search((said.out + said.err).replace("\t", ""))
    for text in (r"text \x1b[31m", r"\x1b[2J", r"\x1b]0;x", r"\x9b2J\u202eevil", "\\x1b[31m\tand\nanother\n"):
        assert text in said.out
    assert said.err == "a complaint \\x1b[31m\nand more\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 💡 text", "plain ä 💡 text"),
        ("a\x00\n\udcff", r"a\x00\n\udcff"),
        ("tab\tand\u2028", r"tab\tand\u2028"),
        ("", ""),
    ],
)
def test_letters_stay_and_everything_else_is_spelled_out(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless("a\n\tb\r", "\n\t") == "a\n\tb\\r"
