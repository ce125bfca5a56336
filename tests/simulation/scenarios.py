"""The parts of a run, drawn from its seed: matches, bots, and everything that goes wrong meanwhile."""

from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random
from typing import Final

from mergemaker_client.wishes import EventMode
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.rules import PRESETS
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.records.journal import Durability
from mergemaker_table.join_terms import MissingSeats
from mergemaker_table.terms import CLOCKS, ClockTerms, FaultTerms

from .characters import CHARACTERS, CUT_OFF, GOOD, Habits
from .lives import MORNING
from .office import Wanted, settings_with
from .standing_still import STOPPED, SUSPENDED, THROTTLED, Stop
from .troubles import DiskTrouble, EndOfLife, Troubles
from .ways import NO_WAY, Way
from .world import MS, S

KNOWN_BOTS: Final = ("alice", "bob")
TROUBLED_NS: Final = 30 * S
"""Things go wrong for this long. Then all is repaired, and everything that still runs must end."""
STARTUPS_MS: Final = (15_000, 30_000)
WAITS_MS: Final = (20_000, 120_000, 3_600_000)
BUSY_SHARE: Final = 0.3
"""How often a known bot has a seat in each match."""
CUT_OFF_SHARE: Final = 0.3
GOOD_WAY_NS: Final = 15 * MS
"""A good bot's greatest distance, far below any allowance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """The player at a seat."""

    habits: Habits
    way: Way = NO_WAY
    events: EventMode = EventMode.HELD


@dataclass(frozen=True, slots=True, kw_only=True)
class LookOn:
    """A spectator of a match."""

    after_ns: int
    delay_ms: int
    freezes_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """A match and its players. Known bots have their plan in `Scenario.known`."""

    wanted: Wanted
    made_at_ns: int
    seats: tuple[SeatPlan, ...]
    cancelled_at_ns: int | None
    cancelled_after: int | None
    """After this number of responses about it."""
    spectators: tuple[LookOn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One run."""

    seed: str
    settings: Settings
    matches: tuple[MatchPlan, ...]
    known: dict[str, SeatPlan]
    known_at_once: int
    """How many matches each known bot plays at once; the others wait."""
    troubles: Troubles


def scenario_of(seed: int | str) -> Scenario:
    """The scenario of a seed."""
    chance = Random(f"scenario/{seed}")  # noqa: S311 - repeatable
    is_calm = chance.random() < 0.25
    known = {name: _seat(chance) for name in KNOWN_BOTS}
    settings = settings_with(
        *KNOWN_BOTS,
        durability=chance.choice((Durability.PROCESS, Durability.POWER)),
        automatic_delay_ms_max=chance.choice((0, 0, 0, 40)),
        spectating_delay_ms=chance.choice((0, 0, 1_500)),
        limits=Limits(
            held_events_max=chance.choice((200, 200, 5)),
            disk_give_up_ms=chance.choice((600_000, 600_000, 600_000, 1_500)),
            ping_interval_ms=chance.choice((5_000, 500)),
            unread_bytes_max=chance.choice((256 * 1_024, 16 * 1_024)),
            spectators_per_identity_max=100,  # all of them are the operator
        ),
    )
    matches = tuple(_match(chance, chance.choice((0, 0, 300 * MS, 2 * S))) for _ in range(chance.choice((1, 1, 1, 2, 3))))
    troubles = Troubles() if is_calm else _troubles(chance, settings)
    if not is_calm:
        troubles = replace(troubles, stops=_stops(Random(f"stops/{seed}")))  # noqa: S311 - repeatable
    unlucky = Random(f"cut off/{seed}")  # noqa: S311 - repeatable
    matches = tuple(replace(match, seats=_cut_off(unlucky, match.seats)) for match in matches)
    ahead = Random(f"ahead/{seed}")  # noqa: S311 - repeatable
    settings = replace(
        settings,
        missing_seats=ahead.choice((MissingSeats.PLAY, MissingSeats.PLAY, MissingSeats.VOID)),
        wait_ms_max=ahead.choice(WAITS_MS),
    )
    begins = tuple(ahead.choice((None, None, None, None, None, 0, 5, 25)) for _ in matches)
    matches = tuple(
        replace(match, wanted=replace(match.wanted, join_from=None if at_s is None else MORNING + timedelta(seconds=at_s)))
        for match, at_s in zip(matches, begins, strict=True)
    )
    at_once = ahead.choice((len(matches) + 2, len(matches) + 2, 1))
    if ahead.random() < BUSY_SHARE:
        matches = tuple(replace(match, wanted=_with_known(match.wanted)) for match in matches)
    return Scenario(seed=str(seed), settings=settings, matches=matches, known=known, known_at_once=at_once, troubles=troubles)


def _with_known(wanted: Wanted) -> Wanted:
    """The same match with the first known bot, if it had no known one."""
    has_known = any(bot is not None for bot in wanted.seats)
    return wanted if has_known else replace(wanted, seats=(*wanted.seats[:-1], KNOWN_BOTS[0]))


def _way(chance: Random, most_ns: int) -> Way:
    if chance.random() < 0.4:
        return NO_WAY
    there, back = chance.randint(0, most_ns // 3), chance.randint(0, most_ns // 3)
    return Way(there, back, chance.choice((0, most_ns // 6)))


def _seat(chance: Random, *, must_be_good: bool = False) -> SeatPlan:
    habits = GOOD if must_be_good or chance.random() < 0.35 else chance.choice(CHARACTERS)
    way = NO_WAY if habits.late and chance.random() < 0.7 else _way(chance, GOOD_WAY_NS)
    return SeatPlan(habits=habits, way=way, events=chance.choice((EventMode.HELD, EventMode.IMMEDIATE)))


def _cut_off(chance: Random, seats: tuple[SeatPlan, ...]) -> tuple[SeatPlan, ...]:
    """Gives bad luck to some of the good ones after the first."""
    return tuple(
        replace(plan, habits=CUT_OFF) if number and plan.habits is GOOD and chance.random() < CUT_OFF_SHARE else plan
        for number, plan in enumerate(seats)
    )


def _clock(chance: Random) -> ClockTerms:
    if chance.random() < 0.3:
        return chance.choice((CLOCKS["fast"], CLOCKS["standard"], CLOCKS["slow"], CLOCKS["none"]))
    credit = chance.random() < 0.3
    return ClockTerms(
        name="own",
        allowance_ms=chance.choice((100, 250, 1_000)),
        bank_ms=chance.choice((0, 200, 2_000, 10_000)),
        increment_ms=chance.choice((0, 0, 20)),
        startup_ms=chance.choice(STARTUPS_MS),
        credit_decision_ms_max=50 if credit else 0,
        credit_match_ms_max=chance.choice((20, 400)) if credit else 0,
        credit_refill_ms=chance.choice((0, 10)) if credit else 0,
    )


def _match(chance: Random, made_at_ns: int) -> MatchPlan:
    rules = PRESETS[chance.choice(list(PRESETS))]
    changes: dict[str, object] = {}
    if chance.random() < 0.3:
        changes["assets"] = "hidden" if rules.assets == "open" else "open"
    if chance.random() < 0.15:
        changes["special_powers"] = True
    if chance.random() < 0.1:
        changes["trade_offers"] = 1
    rules = rules.with_knobs(changes) if changes else rules
    seats = chance.choice((2, 2, 2, 3, 3, 4, 5, 6))
    clock = _clock(chance)
    bots: list[str | None] = [None] * seats
    for name in KNOWN_BOTS:
        if chance.random() < 0.3:
            bots[chance.randrange(seats)] = name
    plans = tuple(_seat(chance, must_be_good=seat == 0) for seat in range(seats))
    wanted = Wanted(
        rules=rules,
        seats=tuple(bots),
        clock=clock,
        faults=FaultTerms(refusals_max=chance.choice((3, 3, 1)), defaults_max=chance.choice((5, 5, 2))),
        mode=chance.choice((DealMode.SERVER, DealMode.SERVER, DealMode.JOINT)),
    )
    is_cut_short = seats > 3 or chance.random() < 0.3
    return MatchPlan(
        wanted=wanted,
        made_at_ns=made_at_ns,
        seats=plans,
        cancelled_at_ns=chance.randint(0, 60) * S if clock.allowance_ms is None or chance.random() < 0.1 else None,
        cancelled_after=chance.randint(1, 120) if is_cut_short else None,
        spectators=tuple(_look_on(chance) for _ in range(chance.choice((0, 0, 1, 2)))),
    )


def _look_on(chance: Random) -> LookOn:
    return LookOn(
        after_ns=chance.choice((0, 0, 50 * MS, 2 * S)),
        delay_ms=chance.choice((0, 0, 700, 5_000)),
        freezes_ns=chance.choice((0, 0, 20 * S)),
    )


def _troubles(chance: Random, settings: Settings) -> Troubles:
    return Troubles(
        until_ns=TROUBLED_NS,
        ends=tuple(_end_of_life(chance, settings) for _ in range(chance.choice((0, 0, 1, 1, 2, 4)))),
        recovery_kills=chance.choice((0.0, 0.0, 0.4)),
        disk=tuple(_disk_trouble(chance) for _ in range(chance.choice((0, 0, 1, 2)))),
        stalls=chance.choice((0.0, 0.0, 0.03, 0.3)),
        hold_ups=chance.choice((0.0, 0.0, 0.02)),
    )


def _stops(chance: Random) -> tuple[Stop, ...]:
    return tuple(_stop(chance) for _ in range(chance.choice((0, 0, 0, 1, 1, 3))))


def _stop(chance: Random) -> Stop:
    at_ns, told = chance.choice((chance.randint(1, 500), chance.randint(1, 20_000))) * MS, chance.choice((None, 30, 100, 200))
    told = None if told is None else chance.randint(1, told)
    kind = chance.choice((STOPPED, STOPPED, STOPPED, THROTTLED, SUSPENDED))
    if kind == THROTTLED:
        for_ns, runs_ns = chance.choice((20, 90, 900)) * MS, chance.choice((10, 100)) * MS
        return Stop(kind=kind, at_ns=at_ns, told=told, for_ns=for_ns, times=chance.randint(2, 40), runs_ns=runs_ns)
    for_ns = chance.choice((chance.randint(100, 1_000), chance.randint(1_000, 20_000), chance.randint(20_000, 120_000))) * MS
    return Stop(kind=kind, at_ns=at_ns, told=told, for_ns=for_ns)


def _end_of_life(chance: Random, settings: Settings) -> EndOfLife:
    kinds = ["kill", "kill", "kill", "stop"]
    if settings.durability is Durability.POWER:
        kinds += ["power", "power"]
    trigger = chance.choice(("time", "operation", "operation", "told"))
    bounds = {"time": (1, 20_000), "operation": (1, 250), "told": (1, 300)}
    return EndOfLife(
        kind=chance.choice(kinds),
        trigger=trigger,
        at=chance.randint(*bounds[trigger]),
        away_ns=chance.choice((0, 10 * MS, 400 * MS, 3 * S, 20 * S)),
    )


def _disk_trouble(chance: Random) -> DiskTrouble:
    return DiskTrouble(
        kind=chance.choice(("full", "torn", "short", "no sync", "read-only", "unreadable", "after all")),
        first=chance.choice((chance.randint(1, 12), chance.randint(1, 200))),
        count=chance.choice((1, 1, 3, 12, 40)),
        one_match=chance.random() < 0.3,
    )
