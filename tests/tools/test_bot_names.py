"""Which bot a word of the command line means."""

import contextlib
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mergemaker_processes.bot_names import (
    WORD_CHARACTERS_MAX,
    BotNameProblem,
    BotSpec,
    BuiltInBot,
    CommandBot,
    HumanPlayer,
    ModuleBot,
    RemoteBot,
    ScriptBot,
    bot_spec,
    split_windows,
)

BUILT_IN = ("random", "greedy", "planner")

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs programs as POSIX has them")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder; its `bin` is the only folder on the PATH."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def program(path: Path, mode: int = 0o700) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("word", "expected", "name"),
    [
        ("random", BuiltInBot("random"), "random"),
        ("planner:playouts=200", BuiltInBot("planner", "playouts=200"), "planner"),
        ("planner:a=1,b=x:y", BuiltInBot("planner", "a=1,b=x:y"), "planner"),
        ("planner:Bot", BuiltInBot("planner", "Bot"), "planner"),
        ("remote", RemoteBot(), "remote"),
        ("human", HumanPlayer(), "human"),
        ("bots:Clever", ModuleBot("bots", "Clever"), "Clever"),
        ("my_bots.deep.er:make_1", ModuleBot("my_bots.deep.er", "make_1"), "make_1"),
    ],
)
def test_words_without_a_file_are_known_by_their_form(word: str, expected: BotSpec, name: str) -> None:
    spec = bot_spec(word, BUILT_IN)
    assert spec == expected
    assert spec.name == name


def test_a_built_in_bot_is_written_as_it_was() -> None:
    assert [BuiltInBot("a").word, BuiltInBot("a", "b=1").word] == ["a", "a:b=1"]


@pytest.mark.parametrize("word", ["bot.py", "./bot.py", "my bot.py", "a b/it's.py"])
def test_a_path_that_ends_in_py_is_run_by_this_python(folder: Path, word: str) -> None:
    (folder / "a b").mkdir()
    (folder / word).write_text("")
    spec = bot_spec(word, BUILT_IN)
    assert spec == ScriptBot(Path(word))
    assert spec.arguments == (sys.executable, str(Path(word)))
    assert spec.name == Path(word).stem


@posix_only
@pytest.mark.parametrize(
    ("word", "arguments"),
    [
        ("tool", ("{bin}/tool",)),
        ("tool --fast", ("{bin}/tool", "--fast")),
        ("tool 'one word' \"it's\" back\\ slash ''", ("{bin}/tool", "one word", "it's", "back slash", "")),
        ("tool bot.py", ("{bin}/tool", "bot.py")),
        ("tool $HOME *", ("{bin}/tool", "$HOME", "*")),
        ("./mine", ("./mine",)),
        ("'./my bot' -x", ("./my bot", "-x")),
        ("bin/tool random:x", ("bin/tool", "random:x")),
    ],
)
def test_anything_else_is_a_command_line(folder: Path, word: str, arguments: tuple[str, ...]) -> None:
    for name in ("bin/tool", "mine", "my bot"):
        program(folder / name)
    expected = tuple(argument.format(bin=folder / "bin") for argument in arguments)
    spec = bot_spec(word, BUILT_IN)
    assert spec == CommandBot(expected)
    assert spec.name == Path(expected[0]).stem


@posix_only
def test_a_built_in_bot_comes_before_a_program(folder: Path) -> None:
    program(folder / "bin" / "random")
    assert bot_spec("random", BUILT_IN) == BuiltInBot("random")
    assert bot_spec("bin/random", BUILT_IN) == CommandBot(("bin/random",))


@pytest.mark.parametrize(
    ("word", "reason", "said"),
    [
        ("", "bot-word", "'' names no bot: A bot is one of random, greedy, planner"),
        (" \t", "bot-word", "names no bot"),
        ("a\0b", "bot-word", r"'a\x00b' names no bot"),
        ("x" * (WORD_CHARACTERS_MAX + 1), "bot-word", "xxx…' names no bot"),
        ("greddy", "bot-unknown", "there is no bot and no program 'greddy'; did you mean greedy?"),
        ("plannr:playouts=200", "bot-unknown", "did you mean planner?"),
        ("Remote", "bot-unknown", "did you mean remote?"),
        ("tool --fast", "bot-unknown", "no program 'tool'\nA bot is one of"),
        ("''", "bot-unknown", "no program ''"),
        ("none.py", "bot-script", "the bot 'none.py' cannot be read: No such file or directory"),
        ("./none.py", "bot-script", "cannot be read"),
        ("folder.py", "bot-script", "cannot be read"),
        ("./none", "bot-not-found", "there is no program './none'"),
        ("./" + "x" * 300, "bot-not-found", "there is no program './xxx"),
        ("./a " + "x" * 300 + ".py", "bot-not-found", "there is no program './a'"),
        ("./none --fast", "bot-not-found", "there is no program './none'"),
        ("./my bot", "bot-not-found", "there is no program './my': quote it within the quotes, as in \"'./my bot'\""),
        ("'./my bot", "bot-command-line", "cannot be split (No closing quotation): close each quote"),
        ("./plain", "bot-not-executable", "the bot's program './plain' is not executable: `chmod +x`"),
        ("./plain.py -x", "bot-not-executable", "is not executable"),
        ("./bin", "bot-not-executable", "'./bin' is a folder"),
        ("./evil\x1b[1m", "bot-not-found", r"there is no program './evil\x1b[1m'"),
    ],
)
@posix_only
def test_what_is_no_bot_is_said_with_what_was_expected(folder: Path, word: str, reason: str, said: str) -> None:
    (folder / "folder.py").mkdir()
    program(folder / "my bot")
    program(folder / "plain", 0o600)
    program(folder / "plain.py", 0o600)
    with pytest.raises(BotNameProblem) as problem:
        bot_spec(word, BUILT_IN)
    assert said in str(problem.value)
    assert problem.value.reason == reason
    assert len(str(problem.value)) < WORD_CHARACTERS_MAX + 1_000


@given(st.text())
def test_any_text_is_a_bot_or_a_problem(word: str) -> None:
    with contextlib.suppress(BotNameProblem):
        assert bot_spec(word, BUILT_IN).name


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("  a  b\tc ", ["a", "b", "c"]),
        (r"C:\bots\bot.exe --fast", [r"C:\bots\bot.exe", "--fast"]),
        (r'"C:\my bots\bot.exe" x', [r"C:\my bots\bot.exe", "x"]),
        (r'"a folder\\" b', ["a folder\\", "b"]),
        (r"say \"hi\" \\server\share", ["say", '"hi"', r"\\server\share"]),
        (r'a"b c"d ""', ["ab cd", ""]),
        (r"it's 'one", ["it's", "'one"]),
        (r"a\\\"b", [r"a\"b"]),
        ("end\\\\", ["end\\\\"]),
    ],
)
def test_command_lines_are_split_as_windows_does(line: str, words: list[str]) -> None:
    assert split_windows(line) == words


@given(st.lists(st.text(st.characters(exclude_characters="\0"))))
def test_what_python_joins_for_windows_is_split_again(words: list[str]) -> None:
    from subprocess import list2cmdline  # noqa: PLC0415 - this test alone needs it

    assert split_windows(list2cmdline(words)) == words


def test_an_open_quote_is_refused_on_windows() -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split_windows('"open')
