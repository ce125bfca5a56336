"""How a duel is shown: progress on a terminal, what to expect after its pilot, and what is known at its end."""

from collections.abc import Sequence
from typing import Final

from mergemaker_contest.designs import A, B, Design
from mergemaker_contest.scores import Score
from mergemaker_contest.sequential import INTERVAL_BLOCKS_MIN, Verdict
from mergemaker_contest.stopping import PILOT_BLOCKS, Stopped

from mergemaker_tools import options as shared
from mergemaker_tools.contests.duel_options import POINTS
from mergemaker_tools.contests.duel_running import DuelWatcher
from mergemaker_tools.contests.dueling import Duel
from mergemaker_tools.contests.playing.blocks import MatchPlayed
from mergemaker_tools.screen import complain, show_line
from mergemaker_tools.tables import Telling, show, table

_SCORES: Final = {Score.SHARE: "share of the money", Score.PLACE: "place", Score.WIN: "wins"}
_STOPS: Final = {
    Stopped.VERDICT: "the test has its answer",
    Stopped.PRECISION: "the difference is known as precisely as asked",
    Stopped.MATCHES: "all matches are played",
    Stopped.MINUTES: "the time is over",
    Stopped.INTERRUPTED: "interrupted",
}
EXIT_STATUS: Final = {Verdict.BETTER: 0, Verdict.WORSE: 1, Verdict.NO_DIFFERENCE: 1, Verdict.OPEN: 2}
"""0: A is better; 1: it is not; 2: there is no answer, as after wrong use."""


class ShownProgress(DuelWatcher):
    """Shows progress on standard error, and after the pilot what to expect."""

    def __init__(self, tell: Telling) -> None:
        self._tell: Final = tell

    def block_over(self, duel: Duel, seconds: float) -> None:
        """Shows how far it is."""
        self._tell(duel.matches, matches_left(duel, seconds), progress_text(duel, seconds))

    def pilot_over(self, duel: Duel) -> None:
        """Says what to expect."""
        complain(expectation(duel))


def matches_left(duel: Duel, seconds: float) -> int | None:
    """About how many matches are still to be played, by what is known now; None while nothing is known."""
    plan, most = duel.plan, []
    if plan.matches_max is not None:
        most.append(plan.matches_max - duel.matches)
    if plan.seconds_max is not None and seconds > 0:
        most.append(round((plan.seconds_max - seconds) * duel.matches / seconds))
    if duel.blocks >= PILOT_BLOCKS:
        interval = duel.interval
        if plan.precision is None:
            most.append(duel.matches_expected() - duel.matches)
        elif interval is not None:
            # The interval narrows about as the square root of the number of blocks.
            whole = duel.matches * (interval.half_width / plan.precision) ** 2
            most.append(round(whole) - duel.matches)
    return max(0, min(most)) if most else None


def progress_text(duel: Duel, seconds: float) -> str:
    """The rate, the difference as far as it is known, and the time that is left."""
    rate = duel.matches / seconds if seconds > 0 else 0.0
    known = difference_text(duel) if duel.interval else f"pilot: {duel.blocks} of {PILOT_BLOCKS} blocks"
    left = matches_left(duel, seconds)
    until = f"  about {duration_text(left / rate)} left" if left is not None and rate else ""
    return f"{rate:,.1f}/s  {known}{until}"


def difference_text(duel: Duel) -> str:
    """The difference with what is known of it, in points: `+1.6 ± 1.2 points`."""
    interval = duel.interval
    if interval is None:
        return f"{duel.mean * POINTS:+.1f} points"
    return f"{duel.mean * POINTS:+.1f} ± {interval.half_width * POINTS:.1f} points"


def expectation(duel: Duel) -> str:
    """What to expect after the pilot."""
    points = duel.plan.question.difference * POINTS
    per_match = f"after {duel.matches} matches: blocks differ by {duel.deviation * POINTS:.1f} points (standard deviation)"
    return f"{per_match}; about {duel.matches_expected():,} matches to see a difference of {points:g} points"


def show_duel(duel: Duel, seconds: float, repeat: str) -> None:
    """Shows what is known at the end."""
    plan = duel.plan
    names = [entrant.name for entrant in plan.terms.bots]
    rules = shared.rules_in_words(plan.terms.rules)
    shown = table(f"{names[A]} against {names[B]}, {_design_text(duel)}, {rules}")
    shown.add_column("bot")
    for head in ("seats", "score", "wins", "mean money", "place", "faults"):
        shown.add_column(head, justify="right")
    for bot in (A, B):
        seats = duel.seats_of(bot)
        count = len(seats) or 1
        wins = sum(seat.place == 1 for seat in seats)
        money = sum(seat.cash for seat in seats) / count
        place = sum(seat.place for seat in seats) / count
        faults = sum(seat.own_faults for seat in seats)
        cells = (f"{len(seats):,}", f"{duel.score_of(bot) * POINTS:.1f}", f"{wins:,}", f"${money:,.0f}", f"{place:.2f}")
        shown.add_row(names[bot], *cells, f"{faults or '-'}")
    show(shown)
    _show_faults(duel)
    confidence = 100 * (1 - plan.question.alpha)
    too_few = f"; how precise that is takes {INTERVAL_BLOCKS_MIN} blocks to say"
    valid = f" ({confidence:g} %, at every look)" if duel.interval else too_few
    show_line(f"difference in {_SCORES[plan.score]}: {difference_text(duel)}{valid}")
    show_line(f"verdict: {verdict_text(duel)}")
    why = "" if duel.stop is None else f"; {_STOPS[duel.stop]}"
    show_line(f"played: {duel.matches:,} matches in {duel.blocks:,} blocks, {duration_text(seconds)}{why}")
    if plan.terms.records is not None and duel.blocks:
        show_line(f"records: in {plan.terms.records}")
    show_line(f"repeat with: {repeat}")


def _design_text(duel: Duel) -> str:
    match duel.plan.design:
        case Design.MIRROR:
            return f"mirror tables of {duel.plan.seats}"
        case Design.EXCHANGE:
            return f"an exchange at tables of {duel.plan.seats}"
        case Design.UNDIVIDED:
            return f"single matches at tables of {duel.plan.seats}"


def verdict_text(duel: Duel) -> str:
    """The answer, in words."""
    plan = duel.plan
    first, second = (plan.terms.bots[bot].name for bot in (A, B))
    points = f"{plan.question.difference * POINTS:g} points"
    match duel.answer:
        case Verdict.BETTER:
            return f"{first} is better than {second}"
        case Verdict.WORSE:
            return f"{first} is worse than {second}"
        case Verdict.NO_DIFFERENCE:
            return f"neither is better by {points}"
        case Verdict.OPEN:
            return "these matches do not tell them apart"


def _show_faults(duel: Duel) -> None:
    """Who failed, and whose fault it was."""
    for bot, entrant in enumerate(duel.plan.terms.bots):
        faults = duel.faults_of(bot)
        if faults:
            told = ", ".join(f"{times:,} {kind} ({_WHOSE[of]})" for (of, kind), times in faults.items())
            show_line(f"{entrant.name}: {told}")
            complaint = next((seat.complaint for seat in duel.seats_of(bot) if seat.complaint), "")
            for line in complaint.splitlines():
                show_line(f"  {line}")
    voided = [void for block in duel.played for void in block.voided]
    if voided:
        show_line(f"{len(voided)} matches were void and played again; the first: {voided[0].why}")


_WHOSE: Final = {"bot": "its own", "network": "the network's", "referee": "the referee's", "nobody": "nobody's"}


def duration_text(seconds: float) -> str:
    """A time as people say it: `3 min 20 s`."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def duel_document(duel: Duel, seconds: float, repeat: str) -> dict[str, object]:
    """All of it for programs."""
    plan, interval = duel.plan, duel.interval
    return {
        "bots": [entrant.name for entrant in plan.terms.bots],
        "rules": shared.rules_in_words(plan.terms.rules),
        "clock": plan.terms.clock.name,
        "design": str(plan.design),
        "seats": plan.seats,
        "score": str(plan.score),
        "question": {"difference": plan.question.difference, "alpha": plan.question.alpha, "beta": plan.question.beta},
        "verdict": str(duel.answer),
        "stop": None if duel.stop is None else str(duel.stop),
        "blocks": duel.blocks,
        "matches": duel.matches,
        "seconds": round(seconds, 3),
        "difference": {
            "mean": duel.mean if duel.blocks else None,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "deviation": duel.deviation if duel.blocks else None,
        },
        "expected_matches": duel.matches_expected() if duel.blocks >= PILOT_BLOCKS else None,
        "scores": {entrant.name: duel.score_of(bot) for bot, entrant in enumerate(plan.terms.bots)},
        "faults": {entrant.name: _fault_list(duel, bot) for bot, entrant in enumerate(plan.terms.bots)},
        "played": [
            {
                "block": played.block.number,
                "difference": difference,
                "matches": [_match_document(match) for match in played.matches],
                "void": [{"match": void.match, "why": void.why} for void in played.voided],
            }
            for played, difference in zip(duel.played, duel.differences, strict=True)
        ],
        "repeat": repeat,
    }


def _fault_list(duel: Duel, bot: int) -> Sequence[dict[str, object]]:
    return [{"of": of, "kind": kind, "times": times} for (of, kind), times in duel.faults_of(bot).items()]


def _match_document(match: MatchPlayed) -> dict[str, object]:
    return {
        "match": match.match,
        "bots": [seat.bot for seat in match.seats],
        "money": list(match.cash),
        "places": [seat.place for seat in match.seats],
        "statuses": [str(seat.status) for seat in match.seats],
        "game": match.game,
        "startup_ms": match.startup_ms,
        "mean_ms": [seat.thinking.mean_ms for seat in match.seats],
        "record": None if match.record is None else str(match.record),
    }
