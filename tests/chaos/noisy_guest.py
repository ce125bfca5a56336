"""What one guest with an ordinary token can do to others: noises of many kinds on a real server, beside good playing bots.

    python -m tests.chaos.noisy_guest                                        # every kind
    python -m tests.chaos.noisy_guest --kinds "evicts itself" "never reads"  # some of them

Quiet and noisy phases take turns. In a quiet one, the guest plays as fast as it can, in as many matches as it may; in a noisy
one, the same token makes noise. Good bots keep a share of the decisions that they have in quiet phases; meanwhile, newcomers
get their welcome and the operator gets answers; the server's memory hardly grows; and no good bot is
charged, in any match. Each kind has its own server. All processes share the machine's processors: the guest gives
way to the server, and the table says how busy each was.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from tests.chaos.noises import KINDS, PLAYS
from tests.chaos.noisy_house import House, house
from tests.chaos.watched_process import Look, busy_share, look_at

KEPT_MIN: Final = 0.70
"""The least share of their decisions that others keep."""
NEWCOMER_S_MAX: Final = 10.0
OPERATOR_S_MAX: Final = 10.0
MEMORY_MB_MAX: Final = 100.0
PHASES: Final = 4
"""Quiet, noisy, quiet, noisy."""
SETTLE_S: Final = 1.0
"""How long a phase lasts before its events count."""
LOOK_S: Final = 0.2
PROBE_S: Final = 0.5
"""The pause between newcomers."""
AT_ONCE: Final = 16
"""Matches of good bots: with this many, the server is the limit."""
INTERRUPTED: Final = 130


@dataclass(slots=True)
class Phase:
    """The findings of one phase."""

    decisions_per_s: float = 0.0
    """By good bots."""
    noise_per_s: float = 0.0
    """Since the guest came: some noise is made only once."""
    memory_mb: float = 0.0
    """The maximum."""
    server_busy: float = 0.0
    """In processors."""
    guest_busy: float = 0.0
    newcomers_s: list[float | None] = field(default_factory=list)
    operator_s: list[float | None] = field(default_factory=list)


def _probing(place: House, phase: Phase, enough: threading.Event) -> threading.Thread:
    """Newcomers connect and the operator asks, until told to stop; each at least once."""

    def probe() -> None:
        while True:
            phase.newcomers_s.append(place.newcomer_s())
            phase.operator_s.append(place.operator_s())
            if enough.wait(PROBE_S):
                return

    thread = threading.Thread(target=probe, daemon=True)
    thread.start()
    return thread


def measure(place: House, kind: str, seconds: float) -> Phase:
    """One phase with a guest of this kind."""
    phase, enough, looks = Phase(), threading.Event(), list[Look]()
    with place.guest(kind) as guest:
        time.sleep(SETTLE_S)
        probing = _probing(place, phase, enough)
        before = (place.answered(), place.good.at, look_at(guest.process.pid))
        end = time.monotonic() + seconds
        while time.monotonic() < end or not looks:
            looks.append(place.look())
            place.tell(guest)
            time.sleep(LOOK_S)
        looks.append(place.look())
        after = (place.answered(), place.good.at, look_at(guest.process.pid))
        enough.set()
        probing.join()
    lasted = max(after[1] - before[1], 1e-9)
    phase.decisions_per_s = (after[0] - before[0]) / lasted
    phase.noise_per_s = guest.answered.total() / (lasted + SETTLE_S)
    phase.memory_mb = max(look.memory_kb for look in looks) / 1_024
    phase.server_busy = busy_share(looks[0], looks[-1])
    phase.guest_busy = busy_share(before[2], after[2])
    return phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one kind of noise."""

    kind: str
    quiet: list[Phase]
    noisy: list[Phase]
    in_vain: list[str]
    charged: list[str]
    lost: list[str]
    faults: list[str]

    def _of(self, phases: list[Phase], number: str) -> float:
        return float(statistics.median(getattr(phase, number) for phase in phases))

    @property
    def kept(self) -> float:
        """The share of their decisions that others kept."""
        return self._of(self.noisy, "decisions_per_s") / max(self._of(self.quiet, "decisions_per_s"), 1e-9)

    @property
    def memory_mb(self) -> float:
        """How much the server grew, compared to the first quiet phase."""
        return max(phase.memory_mb for phase in self.noisy) - self.quiet[0].memory_mb

    def longest_s(self, whose: str) -> float | None:
        """The longest wait of newcomers or the operator in noisy phases; None if one of them failed."""
        waits = [wait for phase in self.noisy for wait in getattr(phase, whose)]
        return None if None in waits else max(waits)

    def problems(self) -> list[str]:
        """The problems, in a few words each."""
        newcomer, operator = self.longest_s("newcomers_s"), self.longest_s("operator_s")
        found = {
            "slow": self.kept < KEPT_MIN,
            "newcomer": newcomer is None or newcomer > NEWCOMER_S_MAX,
            "operator": operator is None or operator > OPERATOR_S_MAX,
            "memory": self.memory_mb > MEMORY_MB_MAX,
            "charged": bool(self.charged),
            "lost streams": bool(self.lost),
            "server's faults": bool(self.faults),
            "made no noise": not any(phase.noise_per_s for phase in self.noisy),
        }
        return [name for name, is_so in found.items() if is_so]

    def __str__(self) -> str:
        cells = [
            f"{self.kind:38}",
            f"{self._of(self.quiet, 'decisions_per_s'):6.0f}",
            f"{self._of(self.noisy, 'decisions_per_s'):6.0f}",
            f"{self.kept:5.0%}",
            f"{_seconds(self.longest_s('newcomers_s')):>8}",
            f"{_seconds(self.longest_s('operator_s')):>8}",
            f"{self.memory_mb:+7.1f}",
            f"{len(self.charged):7}",
            f"{self._of(self.noisy, 'noise_per_s'):8.0f}",
            f"{self._of(self.quiet, 'server_busy'):5.2f}",
            f"{self._of(self.noisy, 'server_busy'):5.2f}",
            f"{self._of(self.noisy, 'guest_busy'):5.2f}",
            "FAILS: " + ", ".join(self.problems()) if self.problems() else "ok",
        ]
        return "  ".join(cells)


HEAD: Final = (
    f"{'kind of noise':38}   quiet   noisy   kept  newcomer  operator   memory  charged   noise/s  server's CPU  guest  verdict\n"
    f"{'':38}  decisions of others/s       longest, s          MB  matches            quiet noisy   CPU"
)


def _seconds(wait: float | None) -> str:
    return "never" if wait is None else f"{wait:.2f}"


def disturb(folder: Path, kind: str, seconds: float, seed: int, at_once: int, tell: Callable[[str], None]) -> Row:
    """Alternates quiet and noisy phases, on a separate server."""
    quiet: list[Phase] = []
    noisy: list[Phase] = []
    with house(folder, seed, at_once) as place:
        for number in range(PHASES):
            is_noisy = number % 2 == 1
            phase = measure(place, kind if is_noisy else PLAYS, seconds)
            (noisy if is_noisy else quiet).append(phase)
            tell(f"{kind}: {'noisy' if is_noisy else 'quiet'}, {phase.decisions_per_s:.0f} decisions/s, {phase.memory_mb:.0f} MB")
        unfinished = []
        try:
            place.finish()
        except AssertionError as problem:
            unfinished.append(str(problem))
        return Row(
            kind=kind,
            quiet=quiet,
            noisy=noisy,
            in_vain=place.in_vain,
            charged=[*unfinished, *place.charged()],
            lost=place.lost(),
            faults=place.faults(),
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds: " + "; ".join((PLAYS, *KINDS)),
    )
    parser.add_argument("--kinds", nargs="+", metavar="NAME", default=list(KINDS), help="which noises (default: all)")
    parser.add_argument("--seconds", type=float, default=4.0, help="length of each phase (default: %(default)s)")
    parser.add_argument("--matches", type=int, default=AT_ONCE, help="matches of good bots at once (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="for the matches (default: a new one, which is shown)")
    parser.add_argument("--folder", type=Path, help="where results are kept (default: a temporary folder)")
    parser.add_argument("--json", action="store_true", help="writes a line of JSON for each kind to standard output")
    options = parser.parse_args()
    unknown = set(options.kinds) - {PLAYS, *KINDS}
    if unknown:
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; there are {'; '.join((PLAYS, *KINDS))}")
    if options.seconds <= 0 or options.matches < 1:
        parser.error("--seconds is above 0, and --matches a whole number from 1")
    return options


def main() -> int:
    """The command."""
    options = _options()
    seed = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    folder = options.folder or Path(tempfile.mkdtemp(prefix="mergemaker-noisy-"))
    print(f"seed {seed}, all is kept in {folder}", file=sys.stderr)
    begun, rows = time.monotonic(), list[Row]()

    def tell(text: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {text}", file=sys.stderr, flush=True)

    if not options.json:
        print(HEAD, flush=True)
    try:
        for number, kind in enumerate(options.kinds):
            row = disturb(folder / f"{number}", kind, options.seconds, seed, options.matches, tell)
            rows.append(row)
            said = {**asdict(row), "kept": row.kept, "memory_mb": row.memory_mb, "problems": row.problems()}
            print(json.dumps(said) if options.json else row, flush=True)
            for line in (*row.in_vain[:3], *row.charged[:3], *row.lost[:3], *row.faults[:3]):
                tell(f"{kind}: {line}")
    except KeyboardInterrupt:
        print(f"interrupted after {len(rows)} of {len(options.kinds)} kinds", file=sys.stderr)
        return INTERRUPTED
    failed = [row.kind for row in rows if row.problems()]
    tell(f"{len(rows)} kinds of noise, {len(failed)} of which disturb others")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
