"""`make generate` knows every script that makes files, and names what it cannot make."""

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import generate_all
import make_configuration_page
import pytest
from generate_all import KEPT, MAKERS, ROOT, Maker

pytestmark = pytest.mark.checkout

SCRIPTS = ROOT / "tools" / "project"


def test_every_script_that_makes_files_is_known() -> None:
    started = {Path(word).name for maker in MAKERS for word in maker.command}
    makers = {path.name for path in SCRIPTS.glob("make_*.py")} - {"make_venv.py", "make_compiled.py"}
    assert makers - set(KEPT) == {name for name in started if name.startswith("make_")}
    languages = {path.parent.name for path in (ROOT / "clients").glob("*/generate")}
    assert languages == {maker.name for maker in MAKERS if maker.command[0].startswith("clients/")}


def test_the_page_lists_what_there_is() -> None:
    page = (SCRIPTS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z]+)` \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", page, flags=re.MULTILINE)
    assert [(name, makes, source.strip("`"), because) for name, makes, source, because in rows] == [
        (each.name, each.makes, each.source, each.committed_because) for each in MAKERS
    ]


def test_what_is_made_of_the_protocol_is_marked_as_generated() -> None:
    asked = [
        "protos/mergemaker/v1/match_pb2.py",
        "clients/go/wire/match.pb.go",
        "clients/rust/src/generated/fields.rs",
        "clients/typescript/src/wire/match_pb.ts",
        "clients/TRANSCRIPT.md",
    ]
    assert all((ROOT / path).exists() for path in asked)
    told = subprocess.run(
        ["git", "check-attr", "linguist-generated", *asked],  # noqa: S607 - any git will do
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.count(": linguist-generated: set") == len(asked), told.stdout


def test_what_maven_makes_is_not_committed() -> None:
    answer = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "clients/java"],  # noqa: S607 - any git will do
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    sources = [ROOT / name for name in answer.stdout.splitlines() if name.endswith(".java")]
    assert sources
    marks = re.compile("DO NOT EDIT|GrpcGenerated")  # by protoc, and by gRPC's plugin
    assert [path for path in sources if path.exists() and marks.search(path.read_text("utf-8"))] == []


def test_a_toolchain_that_is_not_there_is_said_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        generate_all, "MAKERS", (Maker("nothing", "nothing/", "nothing", "never", ("never",), "no-such-program"),)
    )
    assert generate_all.main([]) == 1
    assert "left out: nothing/: there is no no-such-program on this machine" in capsys.readouterr().out


@pytest.mark.parametrize(("status", "result"), [(0, 0), (3, 1)])
def test_all_makers_run_though_one_fails(
    status: int, result: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[list[str]] = []

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        started.append(command)
        return SimpleNamespace(returncode=status)

    monkeypatch.setattr(subprocess, "run", run)
    assert generate_all.main(["--check", "python", "configuration"]) == result
    assert [command[-1] for command in started] == ["--check", "--check"]
    assert ("not ok: python ended with status 3" in capsys.readouterr().out) == bool(status)


def test_an_unknown_name_is_answered_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        generate_all.main(["cobol"])
    assert "nothing is called cobol; there is python, go" in capsys.readouterr().err


def test_the_page_of_settings_is_what_the_script_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_configuration_page.main(["--check"]) == 0
    other = tmp_path / "CONFIGURATION.md"
    other.write_text("# Mine\n\n## The settings\n\nold\n", "utf-8")
    monkeypatch.setattr(make_configuration_page, "PAGE", other)
    assert make_configuration_page.main(["--check"]) == 1
    assert make_configuration_page.main(["--wrong"]) == 2
    assert make_configuration_page.main([]) == 0
    assert make_configuration_page.main(["--check"]) == 0
    assert other.read_text("utf-8").startswith("# Mine\n\n## The settings\n\n### [server]")
