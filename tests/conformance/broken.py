"""Takes every broken client through `mergemaker conform`'s cases: it must fail exactly those that are written down here.

    python -m tests.conformance.broken                                       # every case in which the break can tell
    python -m tests.conformance.broken --all                                 # every case
    python -m tests.conformance.broken --only claims-no-seat --jobs 2

A case in which the broken part is never used is one of the client as it is, which passes all cases; so CI leaves those out.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_tools.conformance.cases import Case, Claim, all_cases
from mergemaker_tools.conformance.running import Client, Outcome, run_case
from mergemaker_tools.tables import progress

PROGRAM: Final = Path(__file__).with_name("broken_client.py")
AGAIN: Final = "python -m tests.conformance.broken"
PASSING_LIMIT_S: Final = 120
"""How long anything may take that must come."""
FAILING_LIMIT_S: Final = 25
"""The same in a case that must fail, often by silence. More than the 15 s in which a client must give up a stream."""


def _has(*words: str) -> Callable[[Case], bool]:
    return lambda case: any(step.word in words for step in case.steps)


def _comes_back(case: Case) -> bool:
    return sum(step.word == "hello" for step in case.steps) > 1


@dataclass(frozen=True, slots=True)
class Broken:
    """What must become of one broken client."""

    uses: Callable[[Case], bool]
    """Whether a case uses what is broken."""
    fails: str
    """The ids of all cases that must fail."""
    said: str
    """Stands in what is said of each of them."""
    either: str = ""
    """Cases with a break right behind a question: it fails those if it has answered before it sees the break."""

    @property
    def failing(self) -> frozenset[str]:
        """The ids as a set."""
        return frozenset(self.fails.split())


BACK: Final = "did not end within"
BROKEN: Final[dict[str, Broken]] = {
    "comes-back-after-take-over": Broken(_has("goodbye", "status"), "take-over take-over-by-status take-over-while-asked", BACK),
    "comes-back-after-goodbye": Broken(
        _has("goodbye", "status"), "goodbye-after-all goodbye-for-good other-version session-alive-at-first", BACK
    ),
    "comes-back-after-refusal": Broken(_has("goodbye", "status"), "unauthenticated", BACK),
    "comes-back-at-once": Broken(_comes_back, "goodbye unavailable", "the client came back after"),
    "answers-no-pings": Broken(
        _has("ping"),
        "break-after-acknowledged break-after-offer break-after-start break-in-the-greeting newer-fields ping "
        "ping-while-thinking trace",
        "answers the pings",
    ),
    "answers-pings-after-thinking": Broken(_has("ping"), "ping-while-thinking", "what came before is answer"),
    "answers-repeated-questions-anew": Broken(
        _has("repeat", "again"),
        "break-after-answer break-again-and-again break-behind-claim break-in-the-greeting decision-repeated goodbye server-away "
        "session-alive several-matches-break tls",
        "the answer to decision",
        either="break-while-asked server-restart",
    ),
    "answers-old-questions": Broken(_has("old"), "old-decision", "what came is answer"),
    "guesses-at-unknown-kinds": Broken(
        lambda case: any("strange" in step.settings for step in case.steps), "newer-answers newer-question", "the default"
    ),
    "plays-by-unknown-knobs": Broken(
        lambda case: any(step.word == "offer" and "strange" in step.settings for step in case.steps), "newer-knob", "the default"
    ),
    "answers-settled-questions": Broken(_has("default"), "settled-while-thinking", "the answer names decision"),
    "answers-every-refusal": Broken(
        _has("refuse"), "refused-for-good refused-twice stale-answer too-late", "what came is answer"
    ),
    "lists-disposals-by-trade": Broken(
        _has("end"),
        "decisions-avalon-hill-3 decisions-avalon-hill-open-3 decisions-avalon-hill-open-4 decisions-classic-2 "
        "decisions-classic-4 decisions-classic-hidden-4 decisions-classic-hidden-6 decisions-corporations-4 "
        "decisions-corporations-hidden-4 decisions-corporations-hidden-5 decisions-powers-3 decisions-powers-open-5 "
        "decisions-reference-3 decisions-reference-4 "
        "decisions-reference-hidden-3 decisions-trading-2 decisions-trading-3 decisions-trading-4 decisions-trading-hidden-3 "
        "decisions-tycoon-3 decisions-tycoon-hidden-4",
        "what greedy answers",
    ),
    "lists-declared-purchases-first": Broken(
        _has("end"),
        "decisions-avalon-hill-3 decisions-avalon-hill-open-4 decisions-classic-hidden-4 decisions-classic-hidden-6 "
        "decisions-corporations-4 decisions-corporations-hidden-4 decisions-powers-3 decisions-powers-open-5 "
        "decisions-reference-3 decisions-reference-4 decisions-trading-2 decisions-trading-3 decisions-trading-4 "
        "decisions-trading-hidden-3 decisions-tycoon-3",
        "what greedy answers",
    ),
    "uses-a-proxy": Broken(lambda case: case.proxy, "proxy", ""),
    "traces-tokens": Broken(lambda case: case.trace, "trace", "a token stands in the trace"),
    "resumes-with-its-first-token": Broken(
        _comes_back, "break-again-and-again break-behind-claim break-in-the-greeting", "expected is that of the newest"
    ),
    "claims-no-seat": Broken(_comes_back, "break-behind-claim seat-lost server-away server-restart", "claims its seat"),
    "says-nothing-of-events": Broken(
        _comes_back,
        "break-after-acknowledged break-after-answer break-again-and-again break-and-missed break-behind-claim "
        "break-in-the-greeting break-while-asked goodbye seat-lost server-away server-restart session-alive "
        "several-matches-break tls",
        "expected is the number of the last event",
    ),
    "promises-nothing": Broken(_has("ready"), "joint joint-break joint-break-behind-reveal", "promises its part"),
    "asks-for-too-many-seats": Broken(lambda case: bool(case.arguments), "fewer-matches", "what came is take_seat"),
    "waits-for-ever-for-the-welcome": Broken(
        lambda case: len(case.steps) > 1 and case.steps[1].word != "welcome", "no-welcome", "opens a stream"
    ),
    "trusts-without-being-told": Broken(lambda case: bool(case.tls), "tls-unknown", "has opened another stream"),
    "ignores-sigterm": Broken(_has("terminate"), "terminate", ""),
    "fails-on-wrong-settings": Broken(
        lambda case: bool(case.server or case.without) or case.tls in ("empty", "missing"),
        "missing-server missing-token plain-text tls-empty-ca tls-missing-ca wrong-server",
        "exit status 2",
    ),
}
"""By the name of what is broken, in broken_client.py."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A broken client, and a case."""

    name: str
    case: Case

    @property
    def must_fail(self) -> bool:
        """Whether the case is about what is broken."""
        return self.case.id in BROKEN[self.name].failing

    def wrong(self, outcome: Outcome) -> str | None:
        """What is wrong with an outcome; None where it is as written down."""
        if self.case.id in BROKEN[self.name].either.split():
            return None
        if outcome.problem is None:
            return "passes, and should fail" if self.must_fail else None
        if not self.must_fail:
            return f"fails, and should pass: {outcome.problem}"
        said = BROKEN[self.name].said
        return None if said in outcome.problem else f"fails as it should, but without {said!r}: {outcome.problem}"

    def run(self, stopping: threading.Event) -> str | None:
        """Runs the case; returns what is wrong."""
        command = (sys.executable, "-P", str(PROGRAM), self.name)
        limit_s = FAILING_LIMIT_S if self.must_fail else PASSING_LIMIT_S
        return self.wrong(run_case(self.case, Client(command, Claim.GREEDY, limit_s), stopping))


def trials(names: Iterable[str], *, every_case: bool) -> list[Trial]:
    """All there is to try: those that wait long for nothing to come go first."""
    cases = [case for case in all_cases() if case.holds_for(Claim.GREEDY)]
    found = [Trial(name, case) for name in names for case in cases if every_case or BROKEN[name].uses(case)]
    return sorted(found, key=lambda trial: not trial.must_fail)


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries every broken client; returns 1 where one fails other cases than it must."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", choices=list(BROKEN), help="this broken client")
    parser.add_argument("--all", action="store_true", help="run the cases, too, in which the broken part is never used")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), metavar="N", help="cases at a time")
    options = parser.parse_args(arguments)
    tried = trials(options.only or BROKEN, every_case=options.all)
    stopping = threading.Event()
    wrong = 0
    with progress(len(tried), "cases") as show, ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(trial.run, stopping): trial for trial in tried}
        try:
            for count, done in enumerate(as_completed(running), 1):
                show(count)
                problem = done.result()
                if problem is not None:
                    wrong += 1
                    print(f"{running[done].name} {running[done].case.id} {problem}", flush=True)
        except KeyboardInterrupt:
            print("\ninterrupted", file=sys.stderr)
            return 130
        finally:
            stopping.set()
            for each in running:
                each.cancel()
    print(f"broken clients: {len(tried) - wrong} passed, {wrong} failed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
