"""`mergemaker conform`: its cases as data, what the command says, and the Python client."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_tools import conformance
from mergemaker_tools.conformance.cases import FOLDER, Case, CaseProblem, Claim, all_cases, case_of, step_of
from mergemaker_tools.conformance.certificates import AUTHORITY
from mergemaker_tools.conformance.dialogues import dialogue, vectors_folder
from mergemaker_tools.conformance.running import STEPS
from mergemaker_tools.conformance.strange import STRANGE, STRANGE_OFFERS

from tests.tools.conftest import Run

CASE = "newer-question"
DEFAULTS = """
from mergemaker_client import Bot, run

run(Bot)
"""


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_every_case_is_made_of_steps_that_there_are(case: Case) -> None:
    assert case.steps[-1].word in {"leave", "exit", "unheard", "direct", "traced", "nothing"}, "a case ends with what must hold"
    for step in case.steps:
        assert step.word in STEPS, step.text
        assert step.settings.get("strange") in {None, *(STRANGE_OFFERS if step.word == "offer" else STRANGE)}
        for value in step.values:
            assert value in case.matches or value not in {path for each in all_cases() for path in each.matches}
    for name in case.matches:
        assert len(dialogue(name).questions) >= 20
    assert case.bots == tuple(Claim) or Claim.ANY not in case.bots
    assert not case.arguments or Claim.ANY not in case.bots, "a bot of any kind takes no arguments"


def test_steps_are_read() -> None:
    step = step_of("refuse not-legal left=2")
    assert (step.word, step.values, step.settings) == ("refuse", ("not-legal",), {"left": "2"})


@pytest.mark.parametrize("content", [{"shows": "x"}, {"steps": ["hello"]}, {"shows": "x", "steps": ["hello"], "stepz": 1}])
def test_a_case_that_says_something_else_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(CaseProblem):
        case_of("x", content)


def test_the_list_says_what_each_case_shows(run: Callable[..., Run]) -> None:
    done = run("conform", "--list")
    assert done.status == 0
    assert len(done.out.splitlines()) == sum(case.holds_for(Claim.ANY) for case in all_cases())
    assert f"{CASE} " in done.out


def test_cases_are_chosen_by_a_pattern(run: Callable[..., Run]) -> None:
    done = run("conform", "--list", "--json", "--case", "decisions-*", "--case", "decisions-classic-2", "--case", CASE)
    ids = [each["id"] for each in json.loads(done.out)]
    assert ids == [case.id for case in all_cases() if case.id.startswith("decisions-")] + [CASE]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--case", "newer-questoin", "--", "random"], "did you mean newer-question"),
        (["--case", "several-matches", "--", "random"], "for --bot any"),
        ([], "behind --"),
        (["--", "remote"], "can be started"),
        (["--case", "wrong-server", "--", "planner:playout=2"], "; did you mean playouts?"),
        (["--known-failing", "there-is-none", "--", "random"], "cannot read"),
    ],
)
def test_wrong_use_is_said(run: Callable[..., Run], arguments: list[str], said: str) -> None:
    done = run("conform", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_list_of_known_failing_cases_with_an_unknown_one_is_refused(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "known").write_text("newer-question # because\nno-such-case\n", "utf-8")
    done = run("conform", "--known-failing", "known", "--", "random")
    assert done.status == 2
    assert "no-such-case" in done.err


def test_the_python_client_passes(run: Callable[..., Run]) -> None:
    # One with a dialogue, and one with a certificate: where the built wheel is tested, all of it comes out of the wheel.
    cases = [CASE, "decisions-powers-3", "tls-by-address"]
    done = run("conform", "--bot", "greedy", "--json", *(f"--case={case}" for case in cases), "--", "greedy")
    assert done.status == 0, done.out + done.err
    document = json.loads(done.out)
    assert (document["passed"], document["failed"]) == (3, 0)


def test_what_is_played_lies_in_the_package_that_runs() -> None:
    package = Path(conformance.__file__).parent
    assert FOLDER.parent == package
    assert AUTHORITY.is_relative_to(package)
    is_checkout = (package.parents[2] / "pyproject.toml").exists()
    assert vectors_folder() == (package.parents[2] / "clients" / "vectors" if is_checkout else package / "vectors")


def test_a_client_that_answers_otherwise_fails_with_what_was_said(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "defaults.py").write_text(DEFAULTS, "utf-8")
    (tmp_path / "known").write_text("# none\n", "utf-8")
    command = shlex.join([sys.executable, str(tmp_path / "defaults.py")])
    done = run("conform", "--bot", "greedy", "--known-failing", "known", "--case", "decisions-classic-4", "--", command)
    assert done.status == 1
    assert "FAILED         decisions-classic-4" in done.out
    assert "what greedy answers" in done.out
    assert "from the client: {'match': 'classic-4', 'answer'" in done.out
    assert "0 passed, 1 failed" in done.out


def test_a_known_failing_case_that_passes_is_a_failure(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "known").write_text("missing-token\n", "utf-8")
    done = run("conform", "--known-failing", "known", "--case", "missing-token", "--case", "missing-server", "--", "random")
    assert done.status == 1
    assert "passes, known  missing-token" in done.out
    assert "1 passed, 1 failed" in done.out
