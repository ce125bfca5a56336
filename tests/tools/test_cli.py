"""The command line itself: help, version, refusals, and how problems become an exit status."""

import sys
from collections.abc import Callable
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from mergemaker_engine import game
from mergemaker_tools.cli import COMMANDS
from mergemaker_tools.commands import rules
from mergemaker_tools.engine_build import build_of, engine_build
from mergemaker_tools.problems import CommandFailed

from tests.tools.conftest import Run


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command_and_an_example(run: Callable[..., Run], arguments: tuple[str, ...]) -> None:
    helped = run(*arguments)
    assert helped.status == 0
    assert helped.err == ""
    for name, command in COMMANDS.items():
        assert f"  {name}" in helped.out
        assert command.summary in helped.out
    assert "example:\n  mergemaker " in helped.out


# The benchmarks are not in the wheel.
OF_COMMANDS = [pytest.param(name, marks=pytest.mark.checkout if name == "bench" else ()) for name in COMMANDS]


@pytest.mark.parametrize("name", OF_COMMANDS)
def test_each_command_has_help_with_an_example_that_it_understands(run: Callable[..., Run], name: str) -> None:
    helped = run(name, "--help")
    assert helped.status == 0
    assert helped.out.startswith(f"usage: mergemaker {name}")
    assert helped.out.endswith(f"example:\n  mergemaker {COMMANDS[name].example}\n")
    assert "--json" in helped.out
    assert COMMANDS[name].example.split()[0] == name


LINES_TO_COPY = "    "
"""Lines of a description that begin so are commands, in one piece to be copied."""


@pytest.mark.parametrize("name", [None, *OF_COMMANDS])
@pytest.mark.parametrize("columns", [72, 80])
def test_help_fits_the_terminal(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, name: str | None, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    helped = run(*filter(None, [name]), "--help").out
    prose, _, _example = helped.rpartition("example:\n")  # a command in one piece, too
    limit = columns if name else 80  # the list of commands is not wrapped
    assert [line for line in prose.splitlines() if len(line) > limit and not line.startswith(LINES_TO_COPY)] == []


@pytest.mark.parametrize("arguments", [("bench", "engine"), ("bench", "engine", "--json"), ("bench", "--help")])
def test_bench_says_what_to_do_where_it_is_not_installed(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "mergemaker_bench", None)
    monkeypatch.delitem(sys.modules, "mergemaker_bench.command", raising=False)
    refused = run(*arguments)
    assert (refused.status, refused.out) == (2, "")
    assert "mergemaker bench: the benchmarks (mergemaker_bench) are not installed" in refused.err
    assert "`make setup` in a checkout" in refused.err


def test_version(run: Callable[..., Run]) -> None:
    assert run("--version").out == f"mergemaker {metadata.version('mergemaker')} ({engine_build()})\n"


def test_the_version_names_the_build_that_runs(tmp_path: Path) -> None:
    module = tmp_path / "__init__.py"
    assert build_of(None) == build_of(module) == "pure"
    (tmp_path / f"game{EXTENSION_SUFFIXES[0]}").touch()
    (tmp_path / "compiled.txt").write_text("mypyc 2.4.1\n", encoding="ascii")
    assert build_of(module) == "compiled, mypyc 2.4.1"
    assert (engine_build() == "pure") == game.__file__.endswith(".py")


def test_version_where_nothing_is_installed(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def not_found(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_found)
    failed = run("--version")
    assert (failed.status, failed.out) == (1, "")
    assert "install it" in failed.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("simulat",), "there is no command 'simulat'; did you mean simulate?"),
        (("quite-another",), "there is no command 'quite-another'\nThe commands are match, "),
        (("--versio",), "there is no option '--versio'; did you mean --version"),
        (("rules", "--al"), "there is no option '--al'; did you mean --all or --help?"),
        (("simulate", "--game", "3"), "there is no option '--game'; did you mean --games"),
        (("simulate", "--game=3"), "there is no option '--game'; did you mean --games"),
        (("rules", "SET", "TRN"), "'TRN' is one argument too many"),
        (("simulate", "--games"), "argument --games: expected one argument"),
        (("match",), "the following arguments are required: BOT"),
        pytest.param(("bench", "refere"), "invalid choice: 'refere' (choose from", marks=pytest.mark.checkout),
        pytest.param(("bench", "refere"), "); did you mean referee?", marks=pytest.mark.checkout),
        (("matches", "creat"), "); did you mean create?"),
        pytest.param(("bench", "quite-another"), ")\n", marks=pytest.mark.checkout),
        (("export", "x.jsonl", "--format", "cvs"), "takes one of csv, jsonl, parquet, not 'cvs'; did you mean csv?"),
        (("conform", "--bot", "gredy", "--", "x"), "not 'gredy'; did you mean greedy?"),
        (("serve", "--log", "jsn"), "takes one of console, json, not 'jsn'; did you mean json?"),
        (("match", "random", "random", "--durability", "powr"), "did you mean power?"),
    ],
)
def test_wrong_use_is_refused_with_what_to_do(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run(*arguments)
    assert refused.status == 2
    assert refused.out == ""
    assert said in refused.err
    assert "--help` shows what there is." in refused.err


def test_what_failed_is_said_with_status_1(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_options: object) -> int:
        raise CommandFailed("no more paper")

    monkeypatch.setattr(rules, "run", fail)
    failed = run("rules")
    assert (failed.status, failed.out, failed.err) == (1, "", "mergemaker rules: no more paper\n")


def test_ctrl_c_is_no_traceback(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(rules, "run", interrupt)
    stopped = run("rules")
    assert (stopped.status, stopped.err) == (130, "mergemaker rules: interrupted\n")


def test_a_fault_of_the_command_itself_is_not_hidden(run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(_options: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(rules, "run", break_down)
    with pytest.raises(ZeroDivisionError):
        run("rules")
