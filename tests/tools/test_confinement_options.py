"""`--confine` without a confined bot: its options, and what a bot would see."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mergemaker_processes.bot_names import BotSpec, BuiltInBot, CommandBot, ModuleBot, ScriptBot
from mergemaker_processes.confinement import confining, terms
from mergemaker_processes.confinement.confining import Confining, confining_from
from mergemaker_processes.confinement.sight import SYSTEM, is_below, real_path, sight_of
from mergemaker_testkit.systems import FakeSystem, linux
from mergemaker_tools.cli import Parser
from mergemaker_tools.commands import match as match_command
from mergemaker_tools.confine_options import add_confine
from mergemaker_tools.play.planning import plan_from
from mergemaker_tools.problems import WrongUse


def _options(*arguments: str) -> argparse.Namespace:
    parser = Parser()
    parser.add_argument("bots", nargs="*")
    add_confine(parser)
    return parser.parse_all(arguments)


def _confining(
    specs: Sequence[BotSpec], *arguments: str, system: FakeSystem | None = None, hidden: Sequence[tuple[str, Path]] = ()
) -> Confining | None:
    return confining_from(_options(*arguments), specs, hidden, system or FakeSystem())


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Skips the trial on this machine; returns the current folder."""
    monkeypatch.setattr(Confining, "try_once", lambda *_: "cgroup")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return work


def _bot(folder: Path, name: str = "bot.py", mode: int = 0o755) -> ScriptBot:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("")
    folder.chmod(mode)
    return ScriptBot(folder / name)


# --- options ------------------------------------------------------------------------------------------------


def test_the_form_stands_behind_an_equals_sign_so_that_no_bot_is_taken_for_it() -> None:
    assert _options("--confine", "a.py") == _options("a.py", "--confine=full")
    assert _options("--confine=limits").confine == "limits"
    assert _options("--", "--confine").bots == ["--confine"]
    with pytest.raises(WrongUse, match="invalid choice: 'half'"):
        _options("--confine=half")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--confine-memory", "15"), "from 16 to"),
        (("--confine-processes", "x"), "from 4 to"),
        (("--confine-scratch", "0"), "from 1 to"),
    ],
)
def test_limits_have_limits(arguments: Sequence[str], text: str) -> None:
    with pytest.raises(WrongUse, match=text):
        _options("--confine", *arguments)


@pytest.mark.parametrize("option", ["--confine-see=/x", "--confine-memory=64", "--confine-processes=9", "--confine-scratch=1"])
def test_what_belongs_to_confining_is_refused_without_it(option: str) -> None:
    with pytest.raises(WrongUse, match="of no use without --confine"):
        _confining((), option)
    assert _confining(()) is None


def test_limits_are_told_in_bytes_and_can_be_asked_for_again(untried: Path) -> None:
    arguments = ("--confine", "--confine-memory", "64", "--confine-processes", "9", "--confine-scratch", "2")
    found = _confining((BuiltInBot("random"),), *arguments)
    assert found is not None
    assert found.limits == {"memory_bytes_max": 64 * 2**20, "processes_max": 9, "scratch_bytes_max": 2 * 2**20}
    assert found.arguments == arguments
    assert found.document() == {"form": "full", "kept_by": "cgroup", **found.limits}
    usual = _confining((BuiltInBot("random"),), "--confine=limits", "--confine-see", str(untried))
    assert usual is not None
    assert usual.limits["processes_max"] == terms.PROCESSES_MAX
    assert usual.arguments == ("--confine=limits", "--confine-see", str(untried))


def test_a_bot_of_this_process_cannot_be_confined() -> None:
    with pytest.raises(WrongUse, match=r"my\.bots:Bot is a bot of this process.*give the path of a file"):
        _confining((ModuleBot("my.bots", "Bot"),), "--confine")


def test_who_plays_programs_of_two_authors_unconfined_mixes_them(untried: Path) -> None:
    one, two = (str(_bot(untried / name).path) for name in "ab")
    for bots, mixes in (
        ((one, two), True),
        ((one, one), False),
        ((one, "random"), False),
        ((one, two, "--confine=limits"), False),
    ):
        parser = Parser()
        match_command.configure(parser)
        assert plan_from(parser.parse_all(bots)).mixes_programs == mixes, bots


# --- what bots see -------------------------------------------------------------------------------------------


def _own(*arguments: str) -> tuple[str, ...]:
    return sight_of(CommandBot(arguments), ()).own


@linux
def test_a_script_sees_its_own_folder_and_what_python_needs(untried: Path) -> None:
    sight = sight_of(_bot(untried / "a b"), ())
    assert sight.own == (str(untried / "a b"),)
    assert sight.sees(untried / "a b" / "bot.py")
    assert sight.sees(Path(sys.executable))
    assert sight.sees(Path(confining.__file__))
    for unseen in (untried, untried.parent / "home", Path("/etc/shadow"), Path("/root/.ssh"), Path("/var"), Path("/home")):
        assert not sight.sees(unseen), unseen
    assert sight.folder == str(untried)
    assert not [path for path in sight.shown if is_below(os.path.dirname(path), sight.shown)]  # noqa: PTH120 - as text


@linux
def test_a_command_line_sees_the_folders_of_the_files_that_it_names(untried: Path) -> None:
    for name in ("js/main.js", "jars/a.jar", "lib/b.jar", "books/c"):
        _bot((untried / name).parent, Path(name).name)
    assert _own("/usr/bin/node", "js/main.js", "--fast") == (str(untried / "js"),)
    assert _own("/usr/bin/java", "-cp", "jars/a.jar:lib", "Main") == (str(untried / "jars"), str(untried / "lib"))
    assert _own("/usr/bin/node", "js/main.js", f"--book={untried}/books/c") == (str(untried / "books"), str(untried / "js"))
    assert _own("./js/main.js") == (str(untried / "js"),)
    assert _own("/usr/bin/npm", "start", "/dev/null", "/usr/share") == (str(untried),)


@linux
def test_of_a_program_in_a_bin_folder_the_libraries_beside_it_are_seen_and_nothing_else(untried: Path) -> None:
    for name in ("bin/node", "lib/libnode", "share/keys"):
        _bot((untried.parent / "home" / "tools" / name).parent, Path(name).name)
    _bot(untried / "mine", "bot.js")
    (untried / "mine" / "run").write_text("#!/usr/bin/env -S node --fast\n")
    (untried / "mine" / "run").chmod(0o755)
    tools = untried.parent / "home" / "tools"
    (tools / "bin" / "node").chmod(0o755)
    before = os.environ["PATH"]
    try:
        os.environ["PATH"] = f"{tools}/bin:{before}"
        sights = [
            sight_of(CommandBot((f"{tools}/bin/node", "mine/bot.js")), ()),
            sight_of(CommandBot(("./mine/run",)), ()),
        ]
    finally:
        os.environ["PATH"] = before
    for sight in sights:
        assert sight.own == (str(untried / "mine"),)
        assert sight.sees(tools / "bin" / "node")
        assert sight.sees(tools / "lib" / "libnode")
        assert not sight.sees(tools / "share")


def test_links_on_the_way_are_put_down(tmp_path: Path) -> None:
    real = tmp_path.resolve() / "real"
    (real / "deep").mkdir(parents=True)
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "second").symlink_to(real)
    links: dict[str, str] = {}
    assert real_path(f"{tmp_path.resolve()}/first/./x/../deep", links) == str(real / "deep")
    assert links == {f"{tmp_path.resolve()}/first": "second", f"{tmp_path.resolve()}/second": str(real)}
    (tmp_path / "round").symlink_to("round")
    assert real_path(f"{tmp_path.resolve()}/round", links).endswith("/round")


@pytest.fixture
def strays(untried: Path) -> Path:
    """A bot's folder, with links that lead out of it, and somebody else's folder beside it."""
    elsewhere = untried.parent / "else where"
    for name in ("run", "book", "bin/tool"):
        _bot((elsewhere / name).parent, Path(name).name)
        (elsewhere / name).chmod(0o755)
    bot = untried / "bot"
    _bot(bot, "bot.py")
    for link, target in (("run", "run"), ("book", "book"), ("out.py", "book"), ("books", "."), ("tool", "bin/tool")):
        (bot / link).symlink_to(elsewhere / target)
    (bot / "twice").symlink_to("run")
    return bot


@linux
@pytest.mark.parametrize(
    ("words", "link", "shown"),
    [
        (("bot/run",), "run", "."),
        (("bot/tool",), "tool", "bin"),
        (("bot/twice",), "twice", "."),
        (("/usr/bin/node", "bot/bot.py", "bot/book"), "book", "."),
        (("/usr/bin/node", "bot/bot.py", "--book=bot/book"), "book", "."),
        (("/usr/bin/java", "-cp", "bot:bot/books", "Main"), "books", "."),
        (("/usr/bin/node", "bot/books/book"), "books", "."),
    ],
)
def test_a_link_out_of_the_bots_folder_shows_nothing_and_is_refused(
    strays: Path, words: tuple[str, ...], link: str, shown: str
) -> None:
    elsewhere = strays.parent.parent / "else where"
    with pytest.raises(WrongUse) as refused:
        sight_of(CommandBot(words), ())
    said = str(refused.value)
    assert said.startswith(f"--confine: {strays / link} is a link to {elsewhere}")
    assert said.endswith(f"put a copy in the link's place, or allow it with --confine-see '{elsewhere / shown}'")
    allowed = sight_of(CommandBot(words), [elsewhere / shown])
    assert allowed.sees(elsewhere / shown)


@linux
def test_a_script_that_is_a_link_out_of_its_folder_is_refused_and_with_a_file_that_is_chosen_its_folder_is_not(
    strays: Path,
) -> None:
    for more in ((), [strays.parent.parent / "else where" / "book"]):
        with pytest.raises(WrongUse, match=r"out\.py is a link to .*, out of the bot's own folder"):
            sight_of(ScriptBot(strays / "out.py"), more)


@linux
def test_links_that_stay_in_a_folder_that_is_seen_are_followed(untried: Path) -> None:
    for name in ("bot/bot.py", "bot/v1/run"):
        _bot((untried / name).parent, Path(name).name)
    bot = untried / "bot"
    (bot / "v1" / "run").chmod(0o755)
    (bot / "now").symlink_to("v1")
    (bot / "v1" / "up").symlink_to("../bot.py")
    (bot / "python").symlink_to(sys.executable)
    assert _own("bot/now/run") == (str(bot / "v1"),)
    assert _own("/usr/bin/node", "bot/bot.py", "bot/v1/up") == (str(bot), str(bot / "v1"))
    assert str(bot) in _own("bot/python", "bot/bot.py"), "what the command itself is run by is seen by all"


@linux
def test_an_interpreter_that_only_the_script_names_is_refused(strays: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = strays.parent.parent / "else where" / "run"
    script = strays / "script"
    script.write_text(f"#!{str(tool).replace('else where', 'elsewhere')}\n")
    script.chmod(0o755)
    tool.parent.rename(tool.parent.with_name("elsewhere"))
    elsewhere = tool.parent.with_name("elsewhere")
    with pytest.raises(WrongUse, match=r"script is to be run by .*elsewhere/run, .* neither the bot's own nor on the PATH"):
        _own("bot/script")
    monkeypatch.setenv("PATH", f"{elsewhere}:{os.environ['PATH']}")
    assert _own("bot/script") == (str(strays),)


@linux
def test_a_bot_in_a_folder_with_everything_else_is_refused(untried: Path) -> None:
    with pytest.raises(WrongUse, match="put it into a folder of its own"):
        _confining((_bot(untried.parent / "home"),), "--confine")
    with pytest.raises(WrongUse, match="put it into a folder of its own"):
        _confining((CommandBot(("/usr/bin/env", "/")),), "--confine")


@linux
def test_folders_are_chosen_for_all_or_for_one(untried: Path) -> None:
    specs = (_bot(untried / "a"), _bot(untried / "b"))
    (untried / "c").mkdir()
    found = _confining(specs, "--confine", "--confine-see", "1=c")
    assert found is not None
    assert [sight is not None and sight.sees(untried / "c") for sight in found.sights] == [False, True]
    for place, text in (("missing", "there is no missing"), ("/", "too much to see"), ("2=c", "there is no seat 2")):
        with pytest.raises(WrongUse, match=text):
            _confining(specs, "--confine", "--confine-see", place)


@linux
def test_what_the_referee_writes_is_hidden_or_refused(untried: Path) -> None:
    specs = (_bot(untried / "a"), _bot(untried / "a" / "nested"))
    (untried / "a" / "records").mkdir()
    seed = untried / "a" / "seed"
    seed.write_text("01")
    found = _confining(specs, "--confine", hidden=[("the records", untried / "a" / "records")])
    assert found is not None
    first, second = (dict(_order(found, seat)["hidden"]) for seat in (0, 1))
    assert first == {
        "the records": str(untried / "a" / "records"),
        "the home folder": str(untried.parent / "home"),
        "the folder of seat 1": str(untried / "a" / "nested"),
    }
    assert second["the folder of seat 0"] == str(untried / "a")  # empty there, except for the path to its own
    for label, path in (("the records", untried / "a"), ("the seed", seed)):
        with pytest.raises(WrongUse, match=f"{label}, .*, would be seen by the bot of seat 0"):
            _confining(specs, "--confine", hidden=[(label, path)])


def _order(found: Confining, seat: int, server: str = "grpc://127.0.0.1:7350") -> dict[str, Any]:
    launch, _ = found.launch_for(seat, server, {})
    return dict(launch.order)


@linux
@pytest.mark.parametrize("mode", [0o700, 0o750, 0o754])
def test_a_bot_that_another_user_may_not_read_is_refused(untried: Path, mode: int) -> None:
    with pytest.raises(WrongUse, match=r"may not read .*: `chmod -R o\+rX "):
        _confining((_bot(untried / "a", mode=mode),), "--confine")


@linux
def test_a_bot_finds_the_referee_at_its_usual_address_or_at_the_loopback(untried: Path) -> None:
    found = _confining((_bot(untried / "a"),), "--confine")
    assert found is not None
    for server, inner, listens in (
        ("grpc://127.0.0.1:7350", "grpc://127.0.0.1:7350", [("127.0.0.1", 7350)]),
        ("grpcs://[::1]:7350", "grpcs://[::1]:7350", [("::1", 7350)]),
        ("grpc://192.0.2.1:7350", "grpc://127.0.0.1:7350", [("127.0.0.1", 7350)]),
    ):
        launch, variables = found.launch_for(0, server, {"MERGEMAKER_SERVER": server})
        assert variables["MERGEMAKER_SERVER"] == inner
        assert launch.order["listen"] == listens
    assert _order(found, 0, "grpc://localhost:7350")["listen"][0] == ("127.0.0.1", 7350)
    assert _order(found, 0, "grpc://192.0.2.1:7350")["referee"] == ("192.0.2.1", 7350)


def test_the_system_shows_nobodys_own_places() -> None:
    assert not [path for path in SYSTEM if is_below(path, ["/root", "/home", "/var", "/tmp", "/run", "/srv", "/opt"])]  # noqa: S108 - names
