"""Spectators get the same bytes, batched by time alone and a few at once; each identity has a limit of streams."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import trio
import trio.testing
from mergemaker.v1 import match_pb2, matches_pb2, referee_pb2, spectate_pb2
from mergemaker_engine.events import Event
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.matches import following
from mergemaker_referee.matches.encoding import EventEncoder
from mergemaker_referee.matches.rounds import PAUSE_S_MAX, ROUND_NS, SLICE, WATCHERS_SHARE, Rounds
from mergemaker_referee.matches.spectating import DELAY_MS_MAX
from mergemaker_referee.records.files import open_record
from mergemaker_referee.tokens import token_hash
from mergemaker_table.inputs import Void
from mergemaker_testkit.in_process import House, Stream, a_house
from mergemaker_wire.matches import receipt_from_message

OPERATOR: Final = "mmo_operator"
BOT: Final = "mmb_bot"
DELAY_MS: Final = 5
MANY: Final = 3 * SLICE + 5
ROUND_MS: Final = ROUND_NS // 1_000_000


def settings(**limits: int) -> Settings:
    return Settings(
        operator_token_hash=token_hash(OPERATOR),
        bots={"bot": token_hash(BOT)},
        spectating_open=True,
        limits=Limits(**{"spectators_per_identity_max": MANY, **limits}),
    )


class Theatre(House):
    """A referee under a virtual clock, which moves only on command."""

    def __init__(self, house: House, clock: trio.testing.MockClock) -> None:
        super().__init__(house.referee)
        self._clock: Final = clock
        self.seats: list[Stream] = []
        self.match = ""

    async def begin(self) -> None:
        """A match of two that waits for the first answer."""
        match, made = await self.create()
        self.match = match.id
        for token in made.tokens:
            stream, said = await self.seated(token)
            stream.said += [each.SerializeToString() for each in said]
            self.seats.append(stream)
        await self.wait_ms(2 * ROUND_MS)

    async def wait_ms(self, for_ms: int) -> None:
        for _ in range(for_ms // DELAY_MS):
            self._clock.jump(DELAY_MS / 1_000)
            await trio.testing.wait_all_tasks_blocked()

    async def answer(self, times: int = 1) -> None:
        """The asked seat takes the default."""
        for _ in range(times):
            asked = [(seat, response.decision) for seat in self.seats for response in seat.responses() if response.decision.id]
            (seat, decision) = asked[0]
            answer = referee_pb2.Answer(decision=decision.id, index=decision.default_index)
            said = await seat.come(referee_pb2.PlayRequest(match=self.match, answer=answer))
            seat.said += [each.SerializeToString() for each in said]

    async def answer_all(self) -> None:
        """The same, to the end."""
        while not self.referee._seating.matches[self.match].is_over:
            await self.answer()

    def look_on(self, delay_ms: int = 0, token: str | None = OPERATOR) -> Stream:
        return self.watch(_wish(self.match, delay_ms), token)

    async def crowd(self, count: int, delay_ms: int = 0) -> list[Stream]:
        """Some spectators who have seen the match's present state."""
        streams = [self.look_on(delay_ms) for _ in range(count)]
        await self.wait_ms(2 * ROUND_MS + delay_ms)
        for stream in streams:
            assert [_kinds(data) for data in stream.said] == [["started"], ["view"]]
            stream.said.clear()
        return streams


def _wish(match: str, delay_ms: int = 0) -> bytes:
    return spectate_pb2.WatchRequest(match=match, delay_ms=delay_ms).SerializeToString()


def _kinds(data: bytes) -> list[str]:
    return [field.name for field, _ in spectate_pb2.WatchResponse.FromString(data).ListFields()]


def _events(stream: Stream) -> list[int]:
    return [event.number for data in stream.said for event in spectate_pb2.WatchResponse.FromString(data).events]


def perform(folder: Path, what: Callable[[Theatre], Awaitable[None]], **limits: int) -> None:
    """Runs a scene in a theatre."""
    clock = trio.testing.MockClock()

    async def run() -> None:
        async with a_house(folder, settings(**limits), lambda: round(trio.current_time() * 1e9)) as house:
            theatre = Theatre(house, clock)
            await theatre.begin()
            await what(theatre)

    trio.run(run, clock=clock)


# --- what is sent -------------------------------------------------------------------------------------------


def test_an_event_is_encoded_once_for_all_who_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    watch_parts = EventEncoder.watch_parts

    def count(self: EventEncoder, first_number: int, events: tuple[Event, ...]) -> list[bytes]:
        encoded.extend(range(first_number, first_number + len(events)))
        return watch_parts(self, first_number, events)

    async def watch(theatre: Theatre) -> None:
        now, later = await theatre.crowd(10), await theatre.crowd(10, 5 * ROUND_MS)
        monkeypatch.setattr(EventEncoder, "watch_parts", count)
        await theatre.answer(10)
        await theatre.wait_ms(8 * ROUND_MS)
        assert _events(now[0]) == encoded == sorted(set(encoded))
        # Equal content is one object, also for those who get it later.
        assert len({tuple(map(id, stream.said)) for stream in (*now, *later)}) == 1

    perform(tmp_path, watch)


def test_what_happens_within_a_round_comes_in_one_response_however_many_decisions_that_were(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        (stream,) = await theatre.crowd(1)
        await theatre.answer(2)
        assert stream.said == []
        await theatre.wait_ms(ROUND_MS)
        first = _events(stream)
        assert len(first) > 2
        assert len(stream.said) == 1
        await theatre.answer(2)
        await theatre.wait_ms(ROUND_MS)
        assert len(stream.said) == 2
        assert _events(stream) == list(range(first[0], first[0] + len(_events(stream))))

    perform(tmp_path, watch)


def test_much_at_once_comes_in_responses_of_a_bounded_size_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 256
    monkeypatch.setattr(following, "EVENTS_BYTES_MAX", most)

    async def watch(theatre: Theatre) -> None:
        (stream,) = await theatre.crowd(1)
        await theatre.answer_all()
        assert stream.said == []
        await theatre.wait_ms(100 * ROUND_MS)
        *events, view, end = stream.said
        assert len(events) > 1
        assert max(map(len, events)) <= most
        assert [_kinds(each) for each in (*events, view, end)] == [*[["events"]] * len(events), ["view"], ["ended"]]
        numbers = _events(stream)
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert spectate_pb2.WatchResponse.FromString(view).view.last_event == numbers[-1]
        assert stream.closing is not None
        assert stream.closing.reason == "over"

    perform(tmp_path, watch)


def test_who_comes_after_the_end_is_shown_it_also_while_others_still_wait_for_it(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        (later,) = await theatre.crowd(1, 100 * ROUND_MS)
        await theatre.answer_all()
        late = theatre.look_on()
        await theatre.wait_ms(5 * ROUND_MS)
        assert [_kinds(data) for data in late.said] == [["started"], ["view"], ["ended"]]
        assert later.said == []
        await later.leave()
        await late.leave()
        alone = theatre.look_on()
        await theatre.wait_ms(5 * ROUND_MS)
        assert alone.said == late.said

    perform(tmp_path, watch)


@pytest.mark.parametrize("is_fault", [False, True])
def test_who_watches_gets_the_receipt_also_of_a_match_that_is_voided(tmp_path: Path, *, is_fault: bool) -> None:
    async def watch(theatre: Theatre) -> None:
        (there,) = await theatre.crowd(1)
        match = theatre.referee._seating.matches[theatre.match]
        if is_fault:
            match.table._playing.take = None  # type: ignore[method-assign,union-attr]  # the fault
            await theatre.answer()
        else:
            match.post(Void("enough"))
        await theatre.wait_ms(5 * ROUND_MS)
        late = theatre.look_on()
        await theatre.wait_ms(5 * ROUND_MS)
        for stream in (there, late):
            ended = spectate_pb2.WatchResponse.FromString(stream.said[-1]).ended
            assert (ended.ending, list(ended.standings)) == (match_pb2.ENDING_VOIDED, [])
            assert receipt_from_message(ended.receipt) == open_record(match.record).receipt

    perform(tmp_path, watch)


def test_who_comes_later_is_told_later_and_is_shown_how_it_stood_then(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        later = theatre.look_on(5 * ROUND_MS)
        await theatre.answer(3)
        await theatre.wait_ms(5 * ROUND_MS)
        assert [_kinds(data) for data in later.said] == [["started"]]
        await theatre.wait_ms(2 * ROUND_MS)
        assert [_kinds(data) for data in later.said] == [["started"], ["view"], ["events"]]
        assert spectate_pb2.WatchResponse.FromString(later.said[1]).view.last_event == _events(later)[0] - 1

    perform(tmp_path, watch)


# --- how much at once ---------------------------------------------------------------------------------------


def test_so_many_are_told_at_once_and_then_all_else_has_its_turn(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        streams = await theatre.crowd(MANY)
        told = [0]

        def barrier(passed: Callable[[], None]) -> None:
            told.append(sum(len(stream.said) for stream in streams))
            passed()

        theatre.referee.barrier = barrier
        await theatre.answer()
        await theatre.wait_ms(2 * ROUND_MS)
        assert told[-1] == MANY
        assert max(after - before for before, after in pairwise(told)) == SLICE

    perform(tmp_path, watch)


@dataclass(slots=True)
class Insatiable:
    """A watcher that always has more to get."""

    told: int = 0
    due_ns: float = 0
    is_ready: bool = True

    def send_due(self, before_ns: int) -> None:  # noqa: ARG002 - like the real one
        self.told += 1


@pytest.mark.parametrize("took_s", [0.002, 0.01])
def test_telling_watchers_takes_a_small_part_of_the_time_however_long_it_takes(took_s: float) -> None:
    watchers = [Insatiable() for _ in range(MANY)]
    for_s = 60.0

    async def run() -> None:
        async with trio.open_nursery() as nursery:

            async def take(passed: Callable[[], None]) -> None:
                await trio.sleep(took_s)
                passed()

            rounds = Rounds(watchers, lambda: round(trio.current_time() * 1e9), lambda passed: nursery.start_soon(take, passed))
            rounds.start(nursery)
            await trio.sleep(for_s)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    told = sum(watcher.told for watcher in watchers)
    assert took_s * (WATCHERS_SHARE - 1) <= PAUSE_S_MAX
    assert 0 < told / SLICE <= for_s / took_s / WATCHERS_SHARE + 1
    # All get their turn.
    assert max(watcher.told for watcher in watchers) - min(watcher.told for watcher in watchers) <= 1


def test_a_transport_that_stands_still_is_not_waited_for_without_end() -> None:
    watchers = [Insatiable()]

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            Rounds(watchers, lambda: round(trio.current_time() * 1e9), lambda _: None).start(nursery)
            await trio.sleep(60)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    assert watchers[0].told > 1


def test_who_has_not_got_the_last_response_yet_gets_the_next_one_after_it_and_is_not_cut_off(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        slow, quick = await theatre.crowd(2)
        slow.unread_bytes = 1
        for _ in range(5):
            await theatre.answer()
            await theatre.wait_ms(ROUND_MS)
        assert slow.said == []
        assert slow.closing is None
        assert len(quick.said) == 5
        slow.unread_bytes = 0
        await theatre.wait_ms(ROUND_MS)
        assert slow.said == [b"".join(quick.said)]

    perform(tmp_path, watch)


def test_nothing_is_left_of_those_who_went(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        nursery: Any = theatre.referee._nursery
        before = len(nursery.child_tasks)
        match = theatre.referee._seating.matches[theatre.match]
        streams = await theatre.crowd(3)
        assert (len(nursery.child_tasks), len(match.listeners)) == (before + 1, 1)
        for stream in streams:
            await stream.leave()
        await theatre.wait_ms(ROUND_MS)
        assert (len(nursery.child_tasks), len(match.listeners)) == (before, 0)
        assert theatre.referee.spectators == 0
        await theatre.crowd(1)

    perform(tmp_path, watch)


# --- who may watch ------------------------------------------------------------------------------------------------


def test_one_identity_watches_so_many_streams_and_others_are_free_to(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        streams = [theatre.look_on() for _ in range(4)]
        refused = theatre.look_on()
        assert refused.closing is not None
        assert (refused.closing.code, refused.closing.reason) == (CloseCode.RESOURCE_EXHAUSTED, "too-many-spectators")
        assert "4 streams" in refused.closing.text
        assert "limits.spectators_per_identity_max" in refused.closing.text
        await refused.leave()
        assert theatre.look_on().closing is not None
        assert [theatre.look_on(token=BOT).closing for _ in range(4)] == [None] * 4
        assert theatre.look_on(token=BOT).closing is not None
        await streams[0].leave()
        assert theatre.look_on().closing is None
        assert theatre.look_on().closing is not None

    perform(tmp_path, watch, spectators_per_identity_max=Limits().spectators_per_identity_max)


def test_those_without_a_token_are_no_identity(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        assert [theatre.look_on(token=None).closing for _ in range(10)] == [None] * 10

    perform(tmp_path, watch, spectators_per_identity_max=1)


def test_past_the_limit_of_all_one_more_is_told_which_it_is(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        closings = [theatre.look_on(token=token).closing for token in (OPERATOR, BOT, None)]
        assert closings[:2] == [None, None]
        assert closings[2] is not None
        assert closings[2].reason == "too-many-spectators"
        assert "limits.spectators_max" in closings[2].text

    perform(tmp_path, watch, spectators_max=2)


def test_a_long_name_of_a_match_is_not_said_again_whole(tmp_path: Path) -> None:
    async def watch(theatre: Theatre) -> None:
        refused = theatre.watch(_wish("x" * 60_000), OPERATOR).closing
        request = matches_pb2.GetMatchRequest(match="x" * 60_000).SerializeToString()
        unknown = await theatre.call("GetMatch", request, OPERATOR)
        for closing in (refused, unknown):
            assert isinstance(closing, Closing)
            assert (closing.code, closing.reason) == (CloseCode.NOT_FOUND, "unknown-match")
            assert len(closing.text) < 200

    perform(tmp_path, watch)


@pytest.mark.parametrize(("wanted", "given"), [(0, 0), (7, 7), (DELAY_MS_MAX + 1, DELAY_MS_MAX), (2**64 - 1, DELAY_MS_MAX)])
def test_a_delay_is_a_day_at_most(tmp_path: Path, wanted: int, given: int) -> None:
    async def watch(theatre: Theatre) -> None:
        stream = theatre.look_on(wanted)
        await trio.testing.wait_all_tasks_blocked()
        assert spectate_pb2.WatchResponse.FromString(stream.said[0]).started.delay_ms == given

    perform(tmp_path, watch)
