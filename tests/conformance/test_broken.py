"""Clients that are broken on purpose fail where they must. Some run here, and all in CI (`-m tests.conformance.broken`)."""

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest
from mergemaker_tools.conformance.cases import Claim, all_cases
from mergemaker_tools.conformance.outcomes import Outcome

from .breaks import BREAKS
from .broken import BROKEN, PLAIN, Trial, main, trials
from .forking import forking

LIMIT_S = 60
CASES = {case.id: case for case in all_cases()}
QUICK = [
    # None of them fails by silence, which would take as long as the limit.
    ("comes-back-at-once", "goodbye"),
    ("comes-back-after-take-over", "take-over"),
    ("answers-pings-after-thinking", "ping-while-thinking"),
    ("answers-repeated-questions-anew", "decision-repeated"),
    ("guesses-at-unknown-kinds", "newer-question"),
    ("lists-disposals-by-trade", "decisions-classic-4"),
    ("resumes-with-its-first-token", "break-in-the-greeting"),
    ("traces-tokens", "trace"),
    ("fails-on-wrong-settings", "missing-token"),
    ("reports-no-evidence", "says-void"),
    ("reports-no-traces", "says-refusal-trace"),
    ("checks-no-tiles", "deal-server-tiles"),
    ("checks-no-parts", "deal-joint-own-part"),
    ("ends-well-after-false-deals", "deal-plain-tiles"),
    # What it must pass, although that uses the broken part.
    ("answers-pings-after-thinking", "ping"),
    ("resumes-with-its-first-token", "break-while-asked"),
]


def test_every_break_has_cases_that_show_it() -> None:
    assert set(BROKEN) == set(BREAKS)
    held = {case.id: case for case in all_cases() if case.holds_for(Claim.GREEDY)}
    for name, broken in BROKEN.items():
        assert broken.failing, name
        for case in (*broken.failing, *broken.either.split()):
            assert broken.uses(held[case]), f"{name} is told by {case}, and must run it"
        assert not broken.failing & set(broken.either.split())


def test_all_cases_are_tried_on_request() -> None:
    (name, *_) = BROKEN
    every = trials([name], every_case=True)
    assert {trial.case.id for trial in every} == {case.id for case in all_cases() if case.holds_for(Claim.GREEDY)}
    assert {trial.case.id for trial in trials([name], every_case=False)} < {trial.case.id for trial in every}
    assert every[0].must_fail


@pytest.mark.parametrize(
    ("case", "problem", "said"),
    [
        ("trace", None, "passes, and should fail"),
        ("trace", "step 3: a token stands in the trace", None),
        ("trace", "step 1: nothing came for 25 s", "without 'a token stands in the trace'"),
        ("ping", None, None),
        ("ping", "step 3: nothing came", "fails, and should pass: step 3"),
    ],
)
def test_what_differs_from_the_table_is_reported(case: str, problem: str | None, said: str | None) -> None:
    trial = Trial("traces-tokens", CASES[case])
    wrong = trial.wrong(Outcome(trial.case, problem, 1.0, (), ()))
    assert (wrong is None) == (said is None)
    assert said is None or said in str(wrong)


def test_a_break_before_or_after_the_answer_may_be_seen_or_not() -> None:
    trial = Trial("answers-repeated-questions-anew", CASES["break-while-asked"])
    assert trial.wrong(Outcome(trial.case, None, 1.0, (), ())) is None
    assert trial.wrong(Outcome(trial.case, "step 12: the answer to decision 3 is number 5", 1.0, (), ())) is None


def test_broken_clients_fail_what_they_must_and_nothing_else() -> None:
    stopping = threading.Event()
    tried = [Trial(name, CASES[case]) for name, case in QUICK]
    assert sum(trial.must_fail for trial in tried) == len(tried) - 2
    # test_forking.py shows that a forked client behaves as one that imports everything itself.
    with forking() if hasattr(os, "fork") else nullcontext(PLAIN) as program, ThreadPoolExecutor(2) as pool:
        wrong = dict(zip(QUICK, pool.map(lambda trial: trial.run(stopping, program), tried), strict=True))
    assert {each: problem for each, problem in wrong.items() if problem is not None} == {}


def test_what_can_be_broken_is_listed() -> None:
    done = subprocess.run([*PLAIN, "no-such"], capture_output=True, timeout=LIMIT_S, check=False, text=True)
    assert done.returncode == 2
    assert all(name in done.stderr for name in BROKEN)


def test_an_unknown_broken_client_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--only", "no-such"])
    assert "claims-no-seat" in capsys.readouterr().err
