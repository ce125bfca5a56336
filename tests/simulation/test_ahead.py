"""Matches that are made before their bots' time: when the time to join begins, for whom, and what happens if nobody comes."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest
from mergemaker_engine.record.commitments import DealMode
from mergemaker_engine.record.lines import Ending, EndLine, Incident, PlayIncident
from mergemaker_engine.record.reading import Record
from mergemaker_engine.record.verifying import verify
from mergemaker_engine.rules import preset
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.matches.hosting import HostedMatch
from mergemaker_referee.matches.making import MatchWish, SeatWish
from mergemaker_table import Phase
from mergemaker_table.evidence import AtFault, Evidence, evidence_in
from mergemaker_table.join_terms import JoinTerms, MissingSeats
from mergemaker_table.terms import CLOCKS, FaultTerms, Terms

from .bots import Manner, SimBot
from .lives import MORNING, Machine
from .office import Office, bot_token, settings_with
from .world import MS, S, World

BOTS: Final = ("ann", "bob", "cid", "dan")
STARTUP_S: Final = 15
CLOCK: Final = replace(CLOCKS["standard"], startup_ms=STARTUP_S * 1_000)
THINK_NS: Final = 900 * MS
"""Makes a match last longer than the time to join, at no cost to a bank."""
DAY_MS: Final = 86_400_000


class Hall:
    """A referee, known bots that connect when a test says so, and matches made ahead."""

    def __init__(self, happen: "Callable[[Hall], Coroutine[Any, Any, None]]") -> None:
        self.world: Final = World(5)
        settings = settings_with(*BOTS, limits=Limits(matches_per_stream_max=4))
        self.machine: Final = Machine(self.world, settings)
        self.office: Final = Office(self.machine)
        self.bots: Final[dict[str, SimBot]] = {}
        self._happen: Final = happen
        self.world.run(self._main)

    async def _main(self) -> None:
        self.machine.start()
        await self.world.sleep(MS)
        await self._happen(self)

    async def wait_s(self, seconds: float) -> None:
        await self.world.sleep(round(seconds * S))

    def come(self, *names: str, at_once: int = 1) -> None:
        for name in names:
            manner = Manner(think=lambda _: THINK_NS, matches=None, matches_at_once=at_once)
            self.bots[name] = SimBot(self.world, self.machine.network, name, bot_token(name), manner)
            self.bots[name].connect()

    def go(self, name: str) -> None:
        self.bots.pop(name).die()

    async def make(self, *bots: str | None, joining: JoinTerms | None = None, faults: FaultTerms | None = None) -> HostedMatch:
        assert self.machine.life.referee is not None
        terms = joining or JoinTerms(missing=MissingSeats.VOID, wait_ms_max=DAY_MS)
        wish = MatchWish(
            rules=preset("avalon-hill"),
            seats=tuple(SeatWish(bot or f"seat {number}", bot) for number, bot in enumerate(bots)),
            terms=Terms(CLOCK, faults or FaultTerms()),
            joining=terms,
            mode=DealMode.SERVER,
        )
        match, made = await self.machine.life.referee.create(wish)
        await match.begun.wait()
        for number, token in enumerate(made.tokens):
            if token:
                self.bots[f"{match.id}.{number}"] = SimBot(self.world, self.machine.network, f"seat {number}", token, Manner())
        return match

    def again(self, match: HostedMatch) -> HostedMatch:
        """The same match after a restart."""
        assert self.machine.life.referee is not None
        return self.machine.life.referee._seating.matches[match.id]

    async def restart(self, away_s: float) -> None:
        self.machine.kill()
        await self.wait_s(away_s)
        self.machine.start()
        await self.wait_s(0.1)

    def record(self, match: HostedMatch) -> Record:
        found = verify([self.machine.disk.written(match.record)]).record
        assert isinstance(found.end, EndLine)
        return found

    def incidents(self, match: HostedMatch, what: str) -> list[Incident]:
        return [line for _, line in self.record(match).entries if isinstance(line, Incident) and line.what == what]

    def check_played(self, *matches: HostedMatch) -> None:
        for match in matches:
            end = self.record(match).end
            assert end is not None
            assert end.why is not Ending.VOIDED
            assert not any(end.faults)
            assert self.incidents(match, PlayIncident.NEVER_JOINED) == []

    def voided(self, match: HostedMatch) -> Evidence:
        (line,) = self.incidents(match, PlayIncident.VOIDED)
        written = evidence_in(line.run)
        assert written is not None
        return written


def _phase(match: HostedMatch) -> Phase:
    return match.table.phase


async def _until_over(hall: Hall, *matches: HostedMatch) -> None:
    for _ in range(4_000):
        if all(match.is_over for match in matches):
            break
        await hall.wait_s(1)
    assert all(match.is_over for match in matches)
    await hall.wait_s(1)


def test_a_match_that_is_made_ahead_waits_until_its_busy_bot_is_free() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", "bob", "cid")
        first = await hall.make("ann", "bob")
        second = await hall.make("ann", "cid")
        await hall.wait_s(2 * STARTUP_S)
        assert (_phase(first), _phase(second)) == (Phase.PLAYING, Phase.WAITING)
        await _until_over(hall, first, second)
        hall.check_played(first, second)

    Hall(happen)


def test_nobody_is_held_by_a_match_that_cannot_begin() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", "bob", "cid")
        waits = await hall.make("ann", "bob", "cid", "dan")
        others = [await hall.make("ann", "bob"), await hall.make("bob", "cid"), await hall.make("cid", "ann")]
        await _until_over(hall, *others)
        hall.check_played(*others)
        assert _phase(waits) is Phase.WAITING
        assert not any(waits.table.connected)
        hall.come("dan")
        await _until_over(hall, waits)
        hall.check_played(waits)

    Hall(happen)


def test_matches_begin_in_the_order_of_their_making() -> None:
    async def happen(hall: Hall) -> None:
        matches = [await hall.make("ann", "bob") for _ in range(3)]
        hall.come("ann", "bob")
        for number, match in enumerate(matches):
            await hall.wait_s(1)
            assert [_phase(each) for each in matches[number:]] == [Phase.PLAYING, *[Phase.WAITING] * (2 - number)]
            await _until_over(hall, match)
        hall.check_played(*matches)

    Hall(happen)


def test_a_bot_that_plays_two_at_once_plays_the_third_behind_them() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", at_once=2)
        hall.come("bob", "cid", "dan")
        matches = [await hall.make("ann", bot) for bot in ("bob", "cid", "dan")]
        await hall.wait_s(1)
        assert [_phase(match) for match in matches] == [Phase.PLAYING, Phase.PLAYING, Phase.WAITING]
        await _until_over(hall, *matches)
        hall.check_played(*matches)

    Hall(happen)


def test_a_bot_without_a_stream_is_not_there() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann")
        await hall.wait_s(1)
        hall.go("ann")
        await hall.wait_s(1)
        match = await hall.make("ann", "bob")
        hall.come("bob")
        await hall.wait_s(1)
        assert _phase(match) is Phase.WAITING
        await hall.wait_s(70)
        hall.come("ann")
        await _until_over(hall, match)
        hall.check_played(match)

    Hall(happen)


def test_seats_with_tokens_are_not_waited_for_and_may_come_before() -> None:
    async def happen(hall: Hall) -> None:
        waits, runs = await hall.make("ann", None), await hall.make(None, None, joining=JoinTerms(missing=MissingSeats.VOID))
        hall.bots[f"{waits.id}.1"].connect()
        await hall.wait_s(2 * STARTUP_S)
        assert (_phase(waits), waits.table.connected) == (Phase.WAITING, (False, True))
        assert hall.voided(runs).verdict.reason == "nobody-came"
        hall.come("ann")
        await _until_over(hall, waits)
        hall.check_played(waits)
        late = await hall.make("ann", None)
        await _until_over(hall, late)
        assert hall.voided(late).verdict.text == "not all bots joined in time; missing: seat 1 (seat 1)"

    Hall(happen)


# --- how long it waits ---


@pytest.mark.parametrize("missing", MissingSeats)
def test_waiting_has_a_limit_and_who_was_missing_is_named(missing: MissingSeats) -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", "bob")
        played = await hall.make("ann", "bob")
        match = await hall.make("ann", "cid", "dan", joining=JoinTerms(missing=missing, wait_ms_max=20_000))
        await hall.wait_s(19)
        assert _phase(match) is Phase.WAITING
        await hall.wait_s(2)
        if missing is MissingSeats.VOID:
            found = hall.voided(match)
            assert found.verdict.at_fault is AtFault.NOBODY
            assert found.verdict.reason == "not-started"
            assert found.verdict.text == (
                "not all bots were free at once within 20000 ms: ann plays 1 at once, as many as it takes; "
                "cid is not connected; dan is not connected"
            )
        else:
            assert _phase(match) is Phase.JOINING
            hall.come("dan")
            await _until_over(hall, match)
            assert [line.seat for line in hall.incidents(match, PlayIncident.NEVER_JOINED)] == [0, 1]
        await _until_over(hall, played, match)
        hall.check_played(played)

    Hall(happen)


def test_a_bot_that_becomes_free_within_the_time_to_join_gets_its_seat() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", "bob", "cid")
        first = await hall.make("ann", "bob")
        second = await hall.make("ann", "cid", joining=JoinTerms(missing=MissingSeats.PLAY, wait_ms_max=0))
        await hall.wait_s(1)
        assert (_phase(second), second.table.connected) == (Phase.JOINING, (False, True))
        hall.office.cancel(first.id)
        await hall.wait_s(1)
        assert second.table.connected == (True, True)
        await _until_over(hall, second)
        hall.check_played(second)

    Hall(happen)


def test_a_match_that_was_never_begun_is_shown_to_no_bot_that_asks_for_any() -> None:
    async def happen(hall: Hall) -> None:
        vain = await hall.make("ann", "dan", joining=JoinTerms(missing=MissingSeats.VOID, wait_ms_max=1_000))
        cancelled = await hall.make("ann", "dan")
        await hall.wait_s(3)
        hall.office.cancel(cancelled.id, "enough")
        await hall.wait_s(1)
        hall.come("ann", "bob")
        match = await hall.make("ann", "bob")
        await _until_over(hall, vain, cancelled, match)
        assert list(hall.bots["ann"].ended_with) == [match.id]

    Hall(happen)


# --- at a named time ---


@pytest.mark.parametrize("bots", [(None, None), ("ann", "bob")])
def test_at_a_named_time_the_time_to_join_begins_whoever_is_there(bots: Sequence[str | None]) -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann")
        at = MORNING + timedelta(hours=6)
        match = await hall.make(*bots, joining=JoinTerms(missing=MissingSeats.VOID, begins=at))
        await hall.wait_s(6 * 3_600 - 2)
        assert _phase(match) is Phase.WAITING
        await hall.wait_s(4)
        assert _phase(match) is Phase.JOINING
        await hall.wait_s(STARTUP_S)
        (began,) = hall.incidents(match, "joining began")
        assert 6 * 3_600_000 - 10 <= int(str(began.run["at_ms"])) <= 6 * 3_600_000 + 1_100
        assert hall.voided(match).verdict.reason == ("nobody-came" if bots[0] is None else "missing-seats")

    Hall(happen)


def test_with_both_it_waits_from_the_named_time_on() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann", "bob")
        at = MORNING + timedelta(hours=1)
        terms = JoinTerms(missing=MissingSeats.VOID, begins=at, wait_ms_max=600_000)
        early, late = await hall.make("ann", "bob", joining=terms), await hall.make("ann", "cid", joining=terms)
        await hall.wait_s(3_590)
        assert _phase(early) is Phase.WAITING
        await hall.wait_s(20)
        assert (_phase(early), _phase(late)) == (Phase.PLAYING, Phase.WAITING)
        await _until_over(hall, early, late)
        hall.check_played(early)
        assert hall.voided(late).verdict.reason == "not-started"
        (line,) = hall.incidents(late, PlayIncident.VOIDED)
        assert 4_200_000 - 10 <= int(str(line.run["at_ms"])) <= 4_202_000

    Hall(happen)


# --- the referee is gone ---


def test_after_a_restart_a_match_goes_on_waiting_and_is_played() -> None:
    async def happen(hall: Hall) -> None:
        hall.come("ann")
        match = await hall.make("ann", "bob")
        await hall.wait_s(2 * STARTUP_S)
        await hall.restart(40)
        await hall.wait_s(2 * STARTUP_S)
        assert _phase(hall.again(match)) is Phase.WAITING
        hall.come("bob")
        await hall.wait_s(5)
        assert _phase(hall.again(match)) is Phase.PLAYING
        await hall.restart(1)
        await _until_over(hall, hall.again(match))
        hall.check_played(match)

    Hall(happen)


@pytest.mark.parametrize(("away_s", "left_s"), [(100, 300), (4_000, 60)])
def test_a_restart_leaves_the_limit_of_waiting_what_it_was_with_the_time_of_grace_at_least(away_s: int, left_s: int) -> None:
    async def happen(hall: Hall) -> None:
        terms = JoinTerms(missing=MissingSeats.VOID, wait_ms_max=1_000_000)
        match = await hall.make("ann", "bob", joining=terms)
        await hall.wait_s(600)
        await hall.restart(away_s)
        await hall.wait_s(left_s - 3)
        assert _phase(hall.again(match)) is Phase.WAITING
        await hall.wait_s(6)
        assert hall.voided(match).verdict.reason == "not-started"

    Hall(happen)


def test_a_named_time_that_comes_while_the_referee_is_gone_has_come() -> None:
    async def happen(hall: Hall) -> None:
        match = await hall.make("ann", "bob", joining=JoinTerms(begins=MORNING + timedelta(seconds=100)))
        await hall.restart(200)
        assert _phase(hall.again(match)) is Phase.JOINING
        hall.come("ann", "bob")
        await _until_over(hall, hall.again(match))
        hall.check_played(match)

    Hall(happen)
