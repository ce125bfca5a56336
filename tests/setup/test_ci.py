"""How CI judges its steps, counts their tests, and keeps its limits."""

import ast
import os
import select
import shlex
import sys
from pathlib import Path

import pytest
from ci import FIRST, THEN
from ci_counts import Count, Tally, cases_passed, checks_listed, contracts_kept, files_formatted, files_typed, pytest_tests
from ci_runner import Runner, Step, run_all
from ci_versions import extra_requirements, floors, lowest, same_version
from refresh_constraints import lines_of
from toy_checkout import CHECKOUT


def step(source: str, name: str = "step", limit_s: float = 60) -> Step:
    return Step(name, shlex.join([sys.executable, "-c", source]), pytest_tests, limit_s)


GOOD = step("print('3 passed, 1 skipped in 0.1s')", "good")


@pytest.mark.parametrize(
    ("output", "tests"),
    [
        ("==== 12 passed in 3.20s ====", Tally(12)),
        ("12 passed, 2 skipped in 61.00s (0:01:01)", Tally(12, 0, 2)),
        ("== 1 failed, 2 passed, 3 errors in 1.0s ==", Tally(2, 4)),
        ("== 2 passed, 1 xfailed, 1 xpassed, 4 warnings in 1.0s ==", Tally(3, 1)),
        ("1 passed in 0.1s\nthen the real ones\n== 5 passed in 0.1s ==", Tally(5)),
        ("== no tests ran in 0.01s ==", Tally()),
        ("== 7 deselected in 0.01s ==", Tally()),
        ("the log says 5 passed", Tally()),
    ],
)
def test_counts_what_pytest_says(output: str, tests: Tally) -> None:
    assert pytest_tests(output).tests == tests


@pytest.mark.parametrize(
    ("count", "output", "found"),
    [
        (files_formatted, "12 files already formatted", Count(Tally(1), "12 files")),
        (files_typed, "Success: no issues found in 1 source file", Count(Tally(1), "1 files")),
        (files_typed, "Found 3 errors in 1 file", Count(Tally(), "0 files")),
        (checks_listed, "ok: lint\nleft out: more\nnot ok: code\nok: rest\n", Count(Tally(2, 1, 1), "3 checks")),
        (checks_listed, "nothing", Count(Tally(), "0 checks")),
        (cases_passed, "3 passed, 0 failed\nconformance: 5 passed, 1 failed\n", Count(Tally(5, 1), "6 cases")),
        (cases_passed, "non-interference: 168 passed, 0 failed\n", Count(Tally(168), "168 cases")),
        (cases_passed, "Traceback", Count(Tally(), "0 cases")),
        (contracts_kept, "Contracts: 2 kept, 0 broken.", Count(Tally(1), "2 contracts")),
        (contracts_kept, "Contracts: 1 kept, 1 broken.", Count(Tally(), "0 contracts")),
    ],
)
def test_counts_what_other_tools_say(count: object, output: str, found: Count) -> None:
    assert callable(count)
    assert count(output) == found


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (step("print('3 passed in 0.1s'); raise SystemExit(1)"), "ended with status 1"),
        (step("print('no tests ran in 0.1s')"), "ran no test"),
        (step("print('1 failed, 3 passed in 0.1s')"), "has failed tests"),
        (
            step("import time; print('3 passed in 0.1s', flush=True); time.sleep(600)", limit_s=0.3),
            "did not end",
        ),
    ],
)
def test_a_step_fails(bad: Step, fault: str) -> None:
    outcome = Runner().run(bad)
    assert fault in outcome.fault
    assert outcome.tests.failed == 1


def test_ends_what_a_step_started(tmp_path: Path) -> None:
    fifo = tmp_path / "held open by a grandchild"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    grandchild = f"exec 3>'{fifo}'; echo begun >&3; sleep 600"
    outcome = Runner().run(Step("step", shlex.join(["sh", "-c", f"({grandchild}) & wait"]), pytest_tests, 1))
    assert "did not end" in outcome.fault
    assert os.read(reader, 100) == b"begun\n"
    readable, _, _ = select.select([reader], [], [], 60)
    assert readable, "the grandchild lives"
    assert os.read(reader, 100) == b"", "nobody holds the other end"
    os.close(reader)


def test_the_processor_time_of_a_step_is_that_of_all_it_started() -> None:
    work = "import time\nwhile time.process_time() < 0.3: pass"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True); print('1 passed in 0.1s')"
    outcome = Runner().run(step(start))
    assert not outcome.fault
    assert outcome.cpu_seconds >= 0.3
    assert Runner().run(step("import time; time.sleep(600)", limit_s=0.3)).cpu_seconds == 0


def test_the_last_line_is_the_total(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(GOOD, [GOOD, GOOD]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "9 passed, 0 failed, 3 skipped"
    assert sum(line.startswith("good: 3 passed, 0 failed, 1 skipped (3 tests), ") for line in lines) == 3


def test_a_failed_step_fails_the_whole_and_shows_what_it_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(GOOD, [step("print('what went wrong'); raise SystemExit(2)", "bad")]) == 1
    output = capsys.readouterr().out
    assert "what went wrong" in output
    assert "bad: 0 passed, 1 failed" in output
    assert output.splitlines()[-1] == "3 passed, 1 failed, 1 skipped"


def test_going_over_the_budget_is_said_and_fails_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(GOOD, [], budget_s=0) == 0
    assert "over the budget" in capsys.readouterr().out


def test_the_steps_have_names_of_their_own() -> None:
    names = [each.name for each in (FIRST, *THEN)]
    assert len(set(names)) == len(names)
    assert "make test" in {each.command for each in THEN}, "the command of the README"
    assert any("--cov-fail-under=100" in each.command for each in THEN)


@pytest.mark.parametrize("room", ["chaos", "confine"])
def test_what_does_more_in_its_own_step_is_marked_as_larger(room: str) -> None:
    depending: list[str] = []
    for path in sorted((CHECKOUT / "tests" / room).glob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        on_the_share = {"FULL", "full_only"}
        of_all = ""
        for part in module.body:
            match part:
                case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                    on_the_share |= {name} if on_the_share & _names_in(part) and name != "pytestmark" else set()
                    of_all += ast.unparse(part) if name == "pytestmark" else ""
                case ast.FunctionDef(name) if name.startswith("test_"):
                    if "full_only" in of_all or on_the_share & _names_in(part):
                        depending.append(name)
                        marks = of_all + " ".join(map(ast.unparse, part.decorator_list))
                        assert "pytest.mark.larger" in marks, f"{path.name}: {name} would not run in CI's own step for {room}"
    assert len(depending) > 5


def _names_in(part: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}


def test_lowest_versions_take_the_place_of_pinned_ones() -> None:
    lows = floors(["rich>=13.7", "pytest_cov>=7.0"])
    assert lows == {"rich": "13.7", "pytest-cov": "7.0"}
    assert floors(["protobuf>=6.31,<8", "uvloop>=0.21; sys_platform != 'win32'"]) == {"protobuf": "6.31", "uvloop": "0.21"}
    assert lowest("Rich==15.0.0\nmdurl==0.1.2\npytest-cov==7.1.0\n", lows) == "mdurl==0.1.2\nrich==13.7\npytest-cov==7.0\n"


def test_an_extra_that_names_others_asks_for_what_they_ask_for() -> None:
    extras = {"a": ["x>=1"], "b": ["y>=2"], "test": ["pytest>=8", "project[a,b]"]}
    project = {"name": "project", "optional-dependencies": extras}
    assert extra_requirements(project, "test") == ["pytest>=8", "x>=1", "y>=2"]


@pytest.mark.parametrize("declared", ["rich", "rich>13", "rich<14", "rich>=13,!=14", "rich==13"])
def test_refuses_a_dependency_without_a_lowest_version(declared: str) -> None:
    with pytest.raises(SystemExit, match="should be `name>=version`"):
        floors([declared])


def test_compares_versions_as_pip_does() -> None:
    assert same_version("13.7", "13.7.0")
    assert not same_version("13.7", "13.7.1")


def test_constraints_are_names_and_versions() -> None:
    report = {
        "install": [
            {
                "metadata": {"name": "mergemaker", "version": "0.1.0"},
                "download_info": {"dir_info": {"editable": True}},
            },
            {"metadata": {"name": "pytest-cov", "version": "7.1.0"}, "download_info": {"url": "u"}},
            {"metadata": {"name": "Pytest", "version": "9.2.0"}, "download_info": {"url": "u"}},
        ]
    }
    assert lines_of(report) == "Pytest==9.2.0\npytest-cov==7.1.0\n"
