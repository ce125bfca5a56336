"""Runs every broken client through the cases of `mergemaker conform`: it must fail exactly those that are listed here.

    python -m tests.conformance.broken                                       # every case in which the break can show
    python -m tests.conformance.broken --all                                 # every case
    python -m tests.conformance.broken --only claims-no-seat --jobs 2

Where a case never uses the broken part, the client behaves like the whole one, which passes all cases. So CI leaves those out.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mergemaker_tools.conformance.cases import Case, Claim, all_cases
from mergemaker_tools.conformance.outcomes import Outcome
from mergemaker_tools.conformance.running import Client, run_case
from mergemaker_tools.tables import progress

from tests.conformance.forking import forking

ROOT: Final = Path(__file__).resolve().parents[2]
AGAIN: Final = "python -m tests.conformance.broken"
PASSING_LIMIT_S: Final = 120
"""The limit for anything that must come."""
FAILING_LIMIT_S: Final = 25
"""The limit in a case that must fail, often by silence. It is above the 15 s after which a client must give up a stream."""
START: Final = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.conformance.broken_client import main
sys.exit(main(sys.argv[1:]))
"""
"""Its folder is named, because a client is started in any folder."""
PLAIN: Final = (sys.executable, "-P", "-c", START)
"""The start of the command for a broken client in a process of its own, which imports everything itself."""
SILENT_AT_ONCE: Final = 10
"""How many cases that fail by silence run beside the others. They mostly wait, and need the processor only to start."""


def _has(*words: str) -> Callable[[Case], bool]:
    return lambda case: any(step.word in words for step in case.steps)


def _comes_back(case: Case) -> bool:
    return sum(step.word == "hello" for step in case.steps) > 1


def _tells_of_the_deal(case: Case) -> bool:
    return any("proof" in step.settings for step in case.steps)


@dataclass(frozen=True, slots=True)
class Broken:
    """What must happen to one broken client."""

    uses: Callable[[Case], bool]
    """Whether a case uses what is broken."""
    fails: str
    """The ids of all cases that it must fail."""
    said: str
    """A text that each of their problems contains."""
    or_said: str = ""
    """A text that some of them contain instead."""
    is_silent: bool = False
    """Whether they fail because something does not come. Each then takes `FAILING_LIMIT_S`, and hardly any processor time."""
    either: str = ""
    """Cases with a break right after a question. It fails them only if it has answered before it sees the break."""

    @property
    def failing(self) -> frozenset[str]:
        """The ids as a set."""
        return frozenset(self.fails.split())


BACK: Final = "has opened another stream"
BROKEN: Final[dict[str, Broken]] = {
    "comes-back-after-take-over": Broken(_has("goodbye", "status"), "take-over take-over-by-status take-over-while-asked", BACK),
    "comes-back-after-goodbye": Broken(
        _has("goodbye", "status"), "goodbye-after-all goodbye-for-good other-version session-alive-at-first", BACK
    ),
    "comes-back-after-refusal": Broken(_has("goodbye", "status"), "says-no-token says-what-stopped-it unauthenticated", BACK),
    "comes-back-at-once": Broken(
        _comes_back,
        "goodbye unavailable waits-while-idle waits-while-playing",
        "the client came back after",
        or_said="by what the client says",
    ),
    "answers-no-pings": Broken(
        _has("ping"),
        "break-after-acknowledged break-after-offer break-after-start break-in-the-greeting newer-fields ping "
        "ping-while-thinking trace",
        "answers the pings",
        is_silent=True,
    ),
    "answers-pings-after-thinking": Broken(_has("ping"), "ping-while-thinking", "what came before is answer"),
    "answers-repeated-questions-anew": Broken(
        _has("repeat", "again"),
        "break-after-answer break-again-and-again break-behind-claim break-in-the-greeting deal-changed decision-repeated "
        "goodbye http-pings keepalive server-away session-alive several-matches-break tls waits-while-playing",
        "the answer to decision",
        either="break-while-asked server-restart",
    ),
    "answers-old-questions": Broken(_has("old"), "old-decision", "what came is answer"),
    "guesses-at-unknown-kinds": Broken(
        lambda case: any("strange" in step.settings for step in case.steps), "newer-answers newer-question", "the default"
    ),
    "plays-by-unknown-knobs": Broken(
        lambda case: any(step.word == "offer" and "strange" in step.settings for step in case.steps),
        "newer-knob newer-requirement",
        "declines its seat",
        is_silent=True,
    ),
    "answers-settled-questions": Broken(_has("default"), "settled-while-thinking", "the answer names decision"),
    "answers-every-refusal": Broken(
        _has("refuse"),
        "refused-for-good refused-twice says-refusal says-refusal-trace stale-answer too-late",
        "what came is answer",
        or_said="the answer names decision",
    ),
    "lists-disposals-by-trade": Broken(
        _has("end"),
        "deal-server decisions-avalon-hill-3 decisions-avalon-hill-open-3 decisions-avalon-hill-open-4 "
        "decisions-classic-2 decisions-classic-4 decisions-classic-hidden-4 decisions-classic-hidden-6 decisions-corporations-4 "
        "decisions-corporations-hidden-4 decisions-corporations-hidden-5 decisions-powers-3 decisions-powers-open-5 "
        "decisions-reference-3 decisions-reference-4 decisions-reference-hidden-3 decisions-trading-2 decisions-trading-3 "
        "decisions-trading-4 decisions-trading-hidden-3 decisions-tycoon-3 decisions-tycoon-hidden-4",
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
    "uses-a-proxy": Broken(lambda case: case.proxy, "proxy", "", is_silent=True),
    "traces-tokens": Broken(lambda case: case.trace, "trace", "a token stands in the trace"),
    "resumes-with-its-first-token": Broken(
        _comes_back,
        "break-again-and-again break-behind-claim break-in-the-greeting says-no-token waits-while-playing",
        "expected is that of the newest",
    ),
    "claims-no-seat": Broken(
        _comes_back,
        "break-behind-claim says-no-token seat-lost server-away server-restart",
        "claims its seat",
        is_silent=True,
    ),
    "says-nothing-of-events": Broken(
        _comes_back,
        "break-after-acknowledged break-after-answer break-again-and-again break-and-missed break-behind-claim "
        "break-in-the-greeting break-while-asked deal-changed goodbye http-pings keepalive says-goodbye says-no-token seat-lost "
        "server-away server-restart session-alive several-matches-break tls waits-while-playing",
        "expected is the number of the last event",
    ),
    "promises-nothing": Broken(
        _has("ready"),
        "deal-joint deal-joint-broken deal-joint-own-part deal-joint-part deal-joint-seed joint joint-break "
        "joint-break-behind-reveal",
        "promises its part",
        is_silent=True,
    ),
    "asks-for-too-many-seats": Broken(lambda case: bool(case.arguments), "fewer-matches", "what came is take_seat"),
    "waits-for-ever-for-the-welcome": Broken(
        lambda case: len(case.steps) > 1 and case.steps[1].word != "welcome",
        "no-welcome",
        "opens a stream",
        is_silent=True,
    ),
    "trusts-without-being-told": Broken(lambda case: bool(case.tls), "tls-unknown", "has opened another stream"),
    "sends-no-keepalive": Broken(_has("dead"), "keepalive", "opens a stream", is_silent=True),
    "acknowledges-no-http-pings": Broken(_has("http-ping"), "http-pings", "acknowledged no ping of HTTP/2", is_silent=True),
    "waits-without-chance": Broken(_has("waits"), "waits-while-playing", "there is no chance"),
    "waits-no-longer-each-time": Broken(
        lambda case: _has("waits")(case) or case.id == "unavailable", "unavailable waits-while-idle waits-while-playing", ""
    ),
    "keeps-counting-attempts": Broken(_has("waits"), "waits-while-playing", "before attempt 0"),
    "says-other-waits": Broken(_has("waits"), "waits-while-idle waits-while-playing", "by what the client says"),
    "reports-no-waits": Broken(_has("waits"), "waits-while-idle waits-while-playing", "trying again in N ms"),
    "reports-no-refusals": Broken(_has("refuse"), "says-refusal says-refusal-trace", "standard error"),
    "reports-no-defaults": Broken(_has("default", "says"), "says-default says-missed-default", "standard error"),
    "reports-no-missed-defaults": Broken(_has("void"), "says-missed-default", "standard error"),
    "reports-no-voids": Broken(_has("says"), "says-void", "standard error"),
    "reports-no-receipts": Broken(_has("says"), "says-receipt", "standard error"),
    "reports-no-goodbyes": Broken(_has("goodbye"), "says-goodbye", "standard error"),
    "reports-no-evidence": Broken(
        _has("says"), "says-default says-missed-default says-refusal says-void", "measured by the case"
    ),
    "reports-no-traces": Broken(
        _has("says"), "says-default says-goodbye says-missed-default says-refusal says-refusal-trace says-void", "trace-of-the"
    ),
    "stops-without-a-word": Broken(_has("exit"), "says-what-stopped-it tls-empty-ca tls-missing-ca", "standard error"),
    "shows-its-token": Broken(_has("hides"), "says-no-token", "a token stands"),
    "checks-no-deal": Broken(
        _tells_of_the_deal,
        "deal-changed deal-joint-broken deal-joint-own-part deal-joint-part deal-joint-seed deal-plain-tiles deal-server-broken "
        "deal-server-none deal-server-seed deal-server-tiles",
        "expected is exit status 1",
    ),
    "checks-no-commitment": Broken(_tells_of_the_deal, "deal-joint-broken deal-server-broken", "expected is exit status 1"),
    "checks-no-seed": Broken(_tells_of_the_deal, "deal-joint-own-part deal-joint-part deal-joint-seed deal-server-seed", ""),
    "checks-no-parts": Broken(_tells_of_the_deal, "deal-joint-own-part deal-joint-part", "expected is exit status 1"),
    "checks-no-tiles": Broken(_tells_of_the_deal, "deal-plain-tiles deal-server-tiles", "expected is exit status 1"),
    "takes-another-promise": Broken(_tells_of_the_deal, "deal-changed", "expected is exit status 1"),
    "plays-without-a-promise": Broken(
        lambda case: case.id in ("deal-server", "deal-server-none", "deal-server-seed"),
        "deal-server-none",
        "expected is exit status 1",
    ),
    "doubts-every-deal": Broken(lambda case: case.id.startswith("deal-"), "deal-joint deal-server", "expected is exit status 0"),
    "ends-well-after-false-deals": Broken(
        _tells_of_the_deal,
        "deal-changed deal-joint-broken deal-joint-own-part deal-joint-part deal-joint-seed deal-plain-tiles deal-server-broken "
        "deal-server-none deal-server-seed deal-server-tiles",
        "expected is exit status 1",
    ),
    "reports-no-false-deals": Broken(
        _tells_of_the_deal,
        "deal-changed deal-joint-broken deal-joint-own-part deal-joint-part deal-joint-seed deal-plain-tiles deal-server-broken "
        "deal-server-none deal-server-seed deal-server-tiles",
        "standard error",
    ),
    "ignores-sigterm": Broken(_has("terminate"), "terminate", "", is_silent=True),
    "fails-on-wrong-settings": Broken(
        lambda case: bool(case.server or case.without) or case.tls in ("empty", "missing"),
        "missing-server missing-token plain-text tls-empty-ca tls-missing-ca wrong-server",
        "exit status 2",
    ),
}
"""By the name of the break in the folder `breaks`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A broken client, and a case."""

    name: str
    case: Case

    @property
    def must_fail(self) -> bool:
        """Whether the case is about the broken part."""
        return self.case.id in BROKEN[self.name].failing

    def wrong(self, outcome: Outcome) -> str | None:
        """What is wrong with an outcome; None if it is as listed."""
        if self.case.id in BROKEN[self.name].either.split():
            return None
        if outcome.problem is None:
            return "passes, and should fail" if self.must_fail else None
        if not self.must_fail:
            return f"fails, and should pass: {outcome.problem}"
        said, or_said = BROKEN[self.name].said, BROKEN[self.name].or_said
        is_said = said in outcome.problem or (or_said and or_said in outcome.problem)
        return None if is_said else f"fails as it should, but without {said!r}: {outcome.problem}"

    @property
    def is_silent(self) -> bool:
        """Whether it fails because something does not come."""
        return self.must_fail and BROKEN[self.name].is_silent

    def run(self, stopping: threading.Event, program: Sequence[str] = PLAIN) -> str | None:
        """Runs the case; returns what is wrong."""
        limit_s = FAILING_LIMIT_S if self.must_fail else PASSING_LIMIT_S
        return self.wrong(run_case(self.case, Client((*program, self.name), Claim.GREEDY, limit_s), stopping))


def trials(names: Iterable[str], *, every_case: bool) -> list[Trial]:
    """Everything to try. Those that must fail go first, because they take longest."""
    cases = [case for case in all_cases() if case.holds_for(Claim.GREEDY)]
    found = [Trial(name, case) for name in names for case in cases if every_case or BROKEN[name].uses(case)]
    return sorted(found, key=lambda trial: not trial.must_fail)


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries every broken client; returns 1 if one fails other cases than it must."""
    parser = argparse.ArgumentParser(prog=AGAIN, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", choices=list(BROKEN), help="this broken client")
    parser.add_argument("--all", action="store_true", help="also run the cases that never use the broken part")
    parser.add_argument("--jobs", type=int, default=4 * (os.cpu_count() or 1), metavar="N", help="cases at a time")
    options = parser.parse_args(arguments)
    tried = trials(options.only or BROKEN, every_case=options.all)
    stopping = threading.Event()
    wrong = 0
    with (
        progress(len(tried), "cases") as show,
        forking() if hasattr(os, "fork") else nullcontext(PLAIN) as program,
        ThreadPoolExecutor(options.jobs) as pool,
        ThreadPoolExecutor(SILENT_AT_ONCE) as silent,
    ):
        running = {(silent if trial.is_silent else pool).submit(trial.run, stopping, program): trial for trial in tried}
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
