"""`mergemaker new`: what it writes, what it refuses, and that a Python project works by itself."""

import json
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import mergemaker.v1
import pytest
from mergemaker_processes.bot_names import CommandBot
from mergemaker_testkit.type_checkers import BARE, CHECKERS
from mergemaker_tools.new_project import KINDS, PLACEHOLDER, files_of, library_folder, name_from, write_project
from mergemaker_tools.project_pages import GUIDE, with_guide

from tests.tools.conftest import Run

LIMIT_S = 120
"""A guard against a hang, far above what any step takes."""


@pytest.mark.parametrize("language", KINDS)
def test_a_project_has_a_bot_its_test_and_the_library(language: str) -> None:
    files = {str(file.path): file for file in files_of(language, "sea-lion")}
    own = {path for path in files if not path.startswith("sdk/")}
    assert {"README.md", "run", "test", ".gitignore"} <= own
    assert files["run"].is_program
    assert files["test"].is_program
    assert len(files) - len(own) > 10
    assert not any(PLACEHOLDER in path or PLACEHOLDER.encode() in files[path].content for path in own)
    assert b"sea-lion" in files["README.md"].content
    assert not any("template" in path or "node_modules" in path or "__pycache__" in path for path in files)


@pytest.mark.parametrize("language", KINDS)
def test_every_library_is_named_whole(language: str) -> None:
    assert (library_folder(language) / "template" / "sdk.txt").read_text(encoding="utf-8").strip()


def test_a_project_in_java_has_the_protocol_and_no_code_that_its_build_makes() -> None:
    files = {str(file.path): file.content for file in files_of("java", "sea-lion")}
    (home,) = mergemaker.v1.__path__
    protocol = {f"sdk/protos/mergemaker/v1/{path.name}": path.read_bytes() for path in Path(home).glob("*.proto")}
    assert protocol
    assert {path: content for path, content in files.items() if path.endswith(".proto")} == protocol
    assert b"<sourceDirectory>${project.basedir}/sdk/protos</sourceDirectory>" in files["pom.xml"]
    marks = re.compile(b"DO NOT EDIT|GrpcGenerated")  # by protoc, and by gRPC's plugin
    assert [path for path, content in files.items() if path.endswith(".java") and marks.search(content)] == []


def prose(page: bytes) -> str:
    """A page without its code, where brackets are no links."""
    return re.sub(r"`[^`\n]*`", "code", re.sub(r"(?ms)^ *```.*?^ *```$", "", page.decode()))


def anchors(page: bytes) -> set[str]:
    """The names of a page's headings in links to them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"(?ms)^ *```.*?^ *```$", "", page.decode()), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("language", KINDS)
def test_every_link_of_a_project_leads_somewhere_in_it(language: str) -> None:
    files = {str(file.path): file.content for file in files_of(language, "sea-lion")}
    folders = {str(folder) for path in files for folder in PurePosixPath(path).parents}
    pages = [path for path in files if path.endswith(".md")]
    assert "README.md" in pages
    links = [(page, target) for page in pages for target in re.findall(r"\]\(([^()\s]+)\)", prose(files[page]))]
    for page, target in links:
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            assert place in files or place in folders, f"{page} links to {target}"
            assert not anchor or anchor in anchors(files[place]), f"{page} links to {target}"
    if language not in ("python", "llm"):
        assert ("sdk/README.md", "guide/README.md#how-a-bot-is-started") in links or language == "typescript"
        assert ("sdk/guide/README.md", "python/GREEDY.md") in links


def test_a_page_keeps_its_links_to_what_a_project_has_and_the_text_of_the_others(tmp_path: Path) -> None:
    for page in GUIDE:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text(f"[this](#a) [go](go) [rust](rust) [home](https://example.org/x) {page}\n")
    page = "[the `guide`](../README.md#x), [`wire`](wire/a.go), [more](examples/), `a[T](b)`\n```go\nf[T](x)\n```\n"
    library = [(PurePosixPath("README.md"), page.encode()), (PurePosixPath("wire/a.go"), b"[x](y)")]
    made = {str(path): content.decode() for path, content in with_guide("go", tmp_path, library)}
    assert made["README.md"] == ("[the `guide`](guide/README.md#x), [`wire`](wire/a.go), more, `a[T](b)`\n```go\nf[T](x)\n```\n")
    assert made["wire/a.go"] == "[x](y)"
    assert made["guide/README.md"] == "[this](#a) [go](..) rust [home](https://example.org/x) README.md\n"
    assert set(made) == {"README.md", "wire/a.go", *(f"guide/{page}" for page in GUIDE)}


TOOL = """#!/bin/sh
# Replaces every tool that builds: whatever is looked for after it is there.
mkdir -p .venv/bin node_modules dist target
[ -e .venv/bin/python ] || cp "$0" .venv/bin/python
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the project's programs are for POSIX shells")
@pytest.mark.parametrize(("language", "lock"), [("python", ".venv.lock"), ("typescript", ".lock"), ("java", ".building")])
def test_a_lock_that_a_killed_build_left_is_not_waited_for(tmp_path: Path, language: str, lock: str) -> None:
    write_project(tmp_path / "bot", list(files_of(language, "sea-lion")), lambda _: None)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("python3", "npm", "node", "mvn"):
        (tools / name).write_text(TOOL, encoding="utf-8")
        (tools / name).chmod(0o755)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        assert gone.wait(LIMIT_S) == 0
    (tmp_path / "bot" / lock).mkdir()
    (tmp_path / "bot" / lock / "pid").write_text(f"{gone.pid}\n", encoding="utf-8")
    done = subprocess.run(
        [str(tmp_path / "bot" / "prepare")],
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        cwd=tmp_path / "bot",
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "bot" / lock).exists()


@pytest.mark.parametrize("kind", ["python", "llm"])
def test_a_project_in_python_passes_its_tests_and_starts_without_this_package(
    run: Callable[..., Run], tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "my first bot"
    done = run("new", kind, str(folder))
    assert done.status == 0
    assert "bot.py" in done.out.splitlines()
    # The library's requirements are installed already; isolated from this package, as sdk/ has everything.
    script = (
        "import sys, unittest, importlib.metadata; sys.path[:0] = ['sdk', '.']; "
        "import mergemaker_client, mergemaker_engine, mergemaker_wire, mergemaker.v1, mergemaker_table; "
        "assert all('sdk' in m.__file__ for m in (mergemaker_client, mergemaker_engine, mergemaker_wire, mergemaker_table)); "
        "unittest.main('test_bot')"
    )
    tested = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert tested.returncode == 0, tested.stderr
    variables = {key: value for key, value in os.environ.items() if not key.startswith("MERGEMAKER_")}
    started = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=folder,
        env={**variables, "PYTHONPATH": "sdk"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert started.returncode == 2
    assert "MERGEMAKER_SERVER" in started.stderr


def test_what_is_written_is_one_document(run: Callable[..., Run], tmp_path: Path) -> None:
    done = run("new", "python", str(tmp_path / "Ann's Bot"), "--json")
    document = json.loads(done.out)
    assert (document["language"], document["name"]) == ("python", "ann-s-bot")
    assert Path(document["folder"], "run").stat().st_mode & 0o111
    assert {"bot.py", "run"} <= set(document["files"])


def test_an_empty_folder_is_taken(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    assert run("new", "python", str(tmp_path / "bot")).status == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["golang", "x"], "there is no template for 'golang'"),
        (["pyton", "x"], "did you mean python?"),
        (["python", "full"], "full is there, and not empty"),
        (["python", "file"], "file is there, and no folder"),
        (["python", "loose"], "loose is there, and no folder"),
        (["python", "123"], "say --name NAME"),
        (["python", "x", "--name", "Ann"], "letters a to z"),
        (["python", "x", "--name", "../x"], "letters a to z"),
        (["python", "x", "--name", "a" * 41], "up to 40"),
        (["python"], "FOLDER"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    run: Callable[..., Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").touch()
    (tmp_path / "file").touch()
    (tmp_path / "loose").symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))
    done = run("new", *arguments)
    assert done.status == 2
    assert said in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_place_that_cannot_be_written_is_said(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("new", "python", str(tmp_path / "file" / "bot"))
    assert done.status == 1
    assert "cannot be written" in done.err


@pytest.mark.parametrize(
    ("folder", "name"), [("My Bot!", "my-bot"), ("x", "x"), ("a" * 50, "a" * 40), ("9lives", None), ("…", None), ("a--b_", "a-b")]
)
def test_names_are_made_of_folders(folder: str, name: str | None) -> None:
    assert name_from(folder) == name


def test_a_bot_that_is_started_by_a_program_called_run_is_called_as_its_folder(tmp_path: Path) -> None:
    assert CommandBot((str(tmp_path / "sea-lion" / "run"), "--fast")).name == "sea-lion"
    assert CommandBot((str(tmp_path / "sea-lion" / "runner.sh"),)).name == "runner"


@pytest.mark.checkout
@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_an_editor_finds_all_that_a_python_project_imports(checker: Callable[[Path, str], str], tmp_path: Path) -> None:
    project = tmp_path / "sea-lion"
    write_project(project, [*files_of("python", "sea-lion")], lambda _: None)
    assert checker(project, BARE) == ""
