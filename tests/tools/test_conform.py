"""`mergemaker conform`: its cases as data, the command's output, and the Python client."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mergemaker_tools import conformance
from mergemaker_tools.conformance.backoff import Wait, problem_of, said_waits
from mergemaker_tools.conformance.cases import FOLDER, Case, CaseProblem, Claim, Level, all_cases, case_of, step_of
from mergemaker_tools.conformance.certificates import AUTHORITY
from mergemaker_tools.conformance.dialogues import dialogue, vectors_folder
from mergemaker_tools.conformance.frames import PREFACE, SentPings, Splitter, acknowledged_ping
from mergemaker_tools.conformance.outcomes import Outcome
from mergemaker_tools.conformance.promises import FALSE_PROMISES, PROMISES, PROOFS
from mergemaker_tools.conformance.running import STEPS
from mergemaker_tools.conformance.strange import STRANGE, STRANGE_OFFERS
from mergemaker_tools.conformance.verdicts import level_reached, level_reports, level_text

from tests.tools.conftest import Run

CASE = "newer-question"
REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULTS = """
from mergemaker_client import Bot, run

run(Bot)
"""


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_every_case_is_made_of_steps_that_there_are(case: Case) -> None:
    assert case.steps[-1].word in {"leave", "exit", "unheard", "direct", "traced", "nothing", "says", "hides", "waits"}, (
        "a case ends with what must hold"
    )
    for step in case.steps:
        assert step.word in STEPS, step.text
        assert step.settings.get("strange") in {None, *(STRANGE_OFFERS if step.word == "offer" else STRANGE)}
        assert step.settings.get("proof", "right") in PROOFS
        if step.word == "offer":
            assert set(step.values) <= {*PROMISES, *FALSE_PROMISES, *case.matches}, step.text
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
    assert re.search(r"^keepalive +full  A line that goes dead", done.out, re.MULTILINE)


def test_the_list_of_a_level_leaves_out_those_above(run: Callable[..., Run]) -> None:
    listed = json.loads(run("conform", "--list", "--json", "--level", "core").out)
    assert {each["level"] for each in listed} == {"core"}
    assert 0 < len(listed) < len(json.loads(run("conform", "--list", "--json").out))


def _outcome(case: Case, problem: str | None = None) -> Outcome:
    return Outcome(case, problem, 1.0, (), ())


HELD = [case for case in all_cases() if case.id in ("ping", "joint", "keepalive", "deal-joint", "trace")]
"""Two cases of level core, and three of level full."""


@pytest.mark.parametrize(
    ("asked", "failing", "left_out", "reached", "said"),
    [
        (Level.FULL, "", "", Level.FULL, "conforms at level full"),
        (Level.CORE, "", "keepalive deal-joint trace", Level.CORE, "conforms at level core"),
        (Level.FULL, "keepalive trace", "", Level.CORE, "conforms at level core; 2 of 3 cases of level full failed"),
        (Level.FULL, "ping", "", None, "does not conform at level core; 1 of 2 cases of level core failed"),
        (
            Level.FULL,
            "ping trace",
            "",
            None,
            "does not conform at level core; 1 of 2 cases of level core failed; 1 of 3 cases of level full failed",
        ),
        (Level.FULL, "", "ping", None, "proves no level; 1 of 2 cases of level core did not run"),
        (
            Level.FULL,
            "trace",
            "ping joint keepalive deal-joint",
            None,
            (
                "does not conform at level full; 1 of 1 case of level full failed; 2 of 2 cases of level core did not run; "
                "2 of 3 cases of level full did not run"
            ),
        ),
    ],
)
def test_the_level_that_is_reached(asked: Level, failing: str, left_out: str, reached: Level | None, said: str) -> None:
    outcomes = [
        _outcome(case, "nothing came" if case.id in failing.split() else None) for case in HELD if case.id not in left_out.split()
    ]
    reports = level_reports(HELD, outcomes, asked)
    assert (level_reached(reports), level_text(reports)) == (reached, said)


@pytest.mark.checkout
def test_the_guide_names_every_step_and_every_case_of_level_full() -> None:
    guide = (REPOSITORY / "clients" / "README.md").read_text("utf-8")
    steps = guide.partition("| step | what the referee does |")[2].partition("\n\n")[0]
    first, third = (
        {word for line in steps.splitlines()[2:] for word in re.findall(r"`([a-z-]+)[^`]*`", line.split("|")[column].strip())}
        for column in (1, 3)
    )
    assert first | third == set(STEPS)
    table = guide.partition("| cases of level `full` |")[2].partition("\n\n")[0]
    named = re.findall(r"`([a-z-]+)`", " ".join(line.split("|")[1] for line in table.splitlines()[2:]))
    assert sorted(named) == sorted(case.id for case in all_cases() if case.level is Level.FULL)


WAITS = [Wait(attempt, True, 0, 5_000) for attempt in range(8)]
GOOD = [73, 130, 390, 500, 812, 955, 501, 700]


@pytest.mark.parametrize(
    ("waits", "said", "problem"),
    [
        (WAITS, GOOD, None),
        (WAITS, GOOD[:-1], "7 times on standard error, and came back 8 times"),
        (WAITS, [75, 150, 300, 600, 750, 750, 750, 750], "no chance"),
        (WAITS[:7], [75, 150, 300, 600, 750, 750, 750], None),
        (WAITS, [73] * 8, "wait 2 is 73 ms"),
        (WAITS, [*GOOD[:4], 1_300, *GOOD[5:]], "expected are 499 to 1001 ms before attempt 4"),
        ([Wait(4, False, 300, 5_000)], [1_100], None),
        ([Wait(4, False, 300, 5_000)], [1_000], "1099 to 1901 ms"),
        ([Wait(7, False, 0, 90_000)], [10_000], None),
        ([Wait(7, False, 0, 90_000)], [12_800], "4999 to 10001 ms"),
        ([Wait(0, True, 0, 60)], [80], None),
        ([Wait(0, True, 0, 50)], [80], "came back after 50 ms, and says that it waits 80 ms"),
    ],
)
def test_waits_are_held_against_the_rule(waits: list[Wait], said: list[int], problem: str | None) -> None:
    found = problem_of(waits, said)
    assert (found is None) == (problem is None)
    assert problem is None or problem in str(found)


def test_waits_are_found_in_what_a_client_says() -> None:
    text = "mergemaker: no stream to x (UNAVAILABLE: in 3 ms); trying again in 61 ms\nno more\n... trying again in 190 ms\n"
    assert said_waits(text) == [61, 190]


def test_frames_are_cut_wherever_pieces_end() -> None:
    pings = SentPings()
    first, second = pings.next(), pings.next()
    acknowledged = bytes([*first[:4], 1, *first[5:]])
    stream = PREFACE + first + acknowledged + bytes([0, 0, 2, 0, 0, 0, 0, 0, 1]) + b"xy"
    for size in (1, 7, len(stream)):
        splitter = Splitter(is_client=True)
        frames = [frame for at in range(0, len(stream), size) for frame in splitter.frames(stream[at : at + size])]
        assert b"".join(frames) == stream
        assert len(frames) == 4
        assert [acknowledged_ping(frame) is not None for frame in frames] == [False, False, True, False]
    assert not pings.are_answered()
    assert not pings.keeps(acknowledged), "the server asked for no such acknowledgement"
    assert pings.keeps(acknowledged)
    assert not pings.are_answered(), "the second one is open"
    assert not pings.keeps(bytes([*second[:4], 1, *second[5:]]))
    assert pings.are_answered()


def test_cases_are_chosen_by_a_pattern(run: Callable[..., Run]) -> None:
    done = run("conform", "--list", "--json", "--case", "decisions-*", "--case", "decisions-classic-2", "--case", CASE)
    ids = [each["id"] for each in json.loads(done.out)]
    assert ids == [case.id for case in all_cases() if case.id.startswith("decisions-")] + [CASE]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--case", "newer-questoin", "--", "random"], "did you mean newer-question"),
        (["--case", "several-matches", "--", "random"], "for --bot any"),
        (["--level", "core", "--case", "keepalive", "--", "random"], "for --bot any --level core"),
        (["--level", "most", "--", "random"], "core"),
        ([], "after --"),
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
    # One with a dialogue, and one with a certificate: in the test of the built wheel, everything comes from the wheel.
    cases = [CASE, "decisions-powers-3", "tls-by-address"]
    done = run("conform", "--bot", "greedy", "--json", *(f"--case={case}" for case in cases), "--", "greedy")
    assert done.status == 0, done.out + done.err
    document = json.loads(done.out)
    assert (document["passed"], document["failed"]) == (3, 0)
    assert (document["level"], document["reached"], document["levels"]["core"]["run"]) == ("full", None, 3)
    assert {each["level"] for each in document["cases"]} == {"core"}


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
