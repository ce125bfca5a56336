"""Where processes of a server meet: the channel, processes that end again and again, and calls to one that is gone."""

import itertools
import socket
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from mergemaker.v1 import matches_pb2
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.configuration.settings import Settings
from mergemaker_referee.connections import CloseCode
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.matches.made_requests import MadeByRequest
from mergemaker_referee.matches.operator_calls import CallProblem
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.processes.channel import LATER_NS, WAITING_BYTES_MAX, Channel
from mergemaker_referee.processes.far_calls import FarCalls
from mergemaker_referee.processes.far_sessions import FarConnection, Numbers
from mergemaker_referee.processes.frames import Frame, Kind
from mergemaker_referee.processes.front_desk import FrontDesk
from mergemaker_referee.processes.house import House, HouseGone
from mergemaker_referee.processes.keeping import AGAIN_S_MAX, STEADY_S, Keeper
from mergemaker_referee.processes.match_book import MatchBook
from mergemaker_table.run_members import RequestKey

KEY = "once"


# --- the channel ----------------------------------------------------------------------------------------------------------


async def _all_of(channel: Channel, count: int) -> list[Frame]:
    """The first frames that come; then this side goes."""
    found: list[Frame] = []

    def take(came: Frame) -> None:
        found.append(came)
        if len(found) == count:
            scope.cancel()

    with trio.CancelScope() as scope:
        await channel.run(take)
    return found


def test_frames_go_in_order_and_noted_ones_first() -> None:
    async def play() -> list[Frame]:
        ours, theirs = socket.socketpair()
        here, there = Channel(ours, first=lambda: b""), Channel(theirs)
        found: list[Frame] = []

        async def listen() -> None:
            found.extend(await _all_of(there, 4))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            here.send(Kind.SEND, 1, data=b"a")
            here.send_from_anywhere(Kind.HANDED, 2, 7)
            here.send(Kind.SEND, 3, data=bytes(5_000_000))  # more than a socket takes at once
            here.send(Kind.SEND, 4)
            await here.run(lambda _: None)
        assert not here.is_open
        here.send(Kind.SEND, 5)
        return found

    assert [each.number for each in trio.run(play)] == [2, 1, 3, 4]


def test_a_note_goes_by_itself_after_a_moment() -> None:
    async def play() -> list[Frame]:
        ours, theirs = socket.socketpair()
        here, there = Channel(ours), Channel(theirs)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here.run, lambda _: None)
            nursery.start_soon(_beat)
            here.send_from_anywhere(Kind.HANDED, 2, 7)
            found = await _all_of(there, 1)
            nursery.cancel_scope.cancel()
        return found

    assert trio.run(play) == [Frame(Kind.HANDED, 2, 7, 0, b"")]


async def _beat() -> None:
    """A loop of the referee wakes now and then, even if nothing comes."""
    for _ in range(10_000):
        await trio.sleep(LATER_NS / 1e9)


def test_a_side_that_does_not_read_is_given_up() -> None:
    async def play() -> None:
        ours, theirs = socket.socketpair()
        channel = Channel(ours)
        megabytes = bytes(16 * 1_024 * 1_024)
        with theirs:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(channel.run, lambda _: None)
                await trio.testing.wait_all_tasks_blocked()
                for _ in range(WAITING_BYTES_MAX // len(megabytes) + 2):
                    channel.send(Kind.SEND, data=megabytes)
                    await trio.lowlevel.checkpoint()
        assert not channel.is_open

    trio.run(play)


# --- processes that end again and again -------------------------------------------------------------------------------------


class _ShortLived(Keeper):
    """Its processes live for as long as the test says."""

    def __init__(self, house: House, lives: Sequence[float], problem: RefereeError | None = None) -> None:
        desk = cast("FrontDesk", SimpleNamespace(houses=[house]))
        super().__init__(desk, Settings(), "test", lambda: 0)
        self.lives = list(lives)
        self.problem = problem
        self.began: list[float] = []

    async def _live(self, house: House, task_status: "trio.TaskStatus[None] | None") -> RefereeError | None:
        assert house.number == 1
        self.began.append(trio.current_time())
        if self.problem is not None:
            return self.problem
        if task_status is not None:
            task_status.started()
        await trio.sleep(self.lives.pop(0))
        if not self.lives:
            self.stop()
        return None


def test_a_process_that_ends_again_and_again_is_started_ever_more_seldom() -> None:
    async def play() -> list[float]:
        keeper = _ShortLived(House(1, ()), [0.0] * 11 + [STEADY_S + 1, 0.0, 0.0])
        await keeper.run()
        return keeper.began

    began = trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    waits = [after - before for before, after in itertools.pairwise(began)]
    assert waits[:11] == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, AGAIN_S_MAX, AGAIN_S_MAX, AGAIN_S_MAX])
    assert waits[11:] == pytest.approx([STEADY_S + 1 + 0.1, 0.2]), "one that has played for long begins anew"


def test_a_process_that_cannot_begin_is_no_server() -> None:
    async def play() -> None:
        await _ShortLived(House(1, ()), [], RefereeError("folder-in-use", "the folder is in use")).run()

    with pytest.raises(ExceptionGroup) as found:
        trio.run(play)
    assert found.group_contains(RefereeError, match="the folder is in use")


# --- calls to a process that is gone ------------------------------------------------------------------------------------------


class _Dying(House):
    """Ends during its first call; the next process of its place answers."""

    def __init__(self, made_before: bool) -> None:
        super().__init__(1, ())
        self.is_there = True
        self.calls = 0
        self.made_before = made_before
        self.matches_seated: dict[str, Any] = {}

    async def call(self, method: str, request: bytes) -> bytes:
        assert (method, bool(request)) == ("CreateMatch", True)
        self.calls += 1
        if self.calls > 1:
            made = matches_pb2.CreateMatchResponse(match=matches_pb2.MatchSummary(match="second"), seat_tokens=["a", "b"])
            return made.SerializeToString()
        if self.made_before:
            announced = SimpleNamespace(request=RequestKey(KEY, "0" * 64))
            self.matches_seated["first"] = SimpleNamespace(id="first", announced=announced)
        self.came.set()
        raise HouseGone


def _calls(house: _Dying, **limits: int) -> FarCalls:
    book = cast("MatchBook", SimpleNamespace(seating=SimpleNamespace(matches=house.matches_seated)))
    return FarCalls(book, [house], Limits(**limits))


@pytest.mark.parametrize(
    ("made_before", "made", "calls"), [(True, MadeByRequest("first"), 1), (False, MadeByRequest("second", ("a", "b")), 2)]
)
def test_a_request_with_a_key_makes_one_match_even_if_its_process_dies(
    made_before: bool, made: MadeByRequest, calls: int
) -> None:
    house = _Dying(made_before)
    assert trio.run(_calls(house)._make, b"request", KEY) == made
    assert house.calls == calls


def test_without_a_process_no_match_is_made() -> None:
    house = _Dying(made_before=False)
    house.is_there = False
    with pytest.raises(CallProblem) as found:
        _calls(house)._chosen_house()
    assert (found.value.closing.code, found.value.closing.reason) == (CloseCode.UNAVAILABLE, "no-process")


def test_who_asked_a_process_that_ends_hears_of_it() -> None:
    async def play() -> None:
        house = House(1, ())
        with pytest.raises(HouseGone):
            await house.call("GetMatch", b"")
        house.is_there = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_expect_gone, house)
            await trio.testing.wait_all_tasks_blocked()
            house.lost(lambda _: None)

    trio.run(play)


async def _expect_gone(house: House) -> None:
    with pytest.raises(HouseGone):
        await house.call("GetMatch", b"")


# --- what is sent and never handed over ---------------------------------------------------------------------------------------


class _Sent:
    """A channel that keeps what is sent."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, int]] = []
        """The link, and the number that waits for the handing over."""

    def send(self, kind: Kind, number: int = 0, value: int = 0, more: int = 0, data: bytes = b"") -> None:  # noqa: ARG002 - the channel's
        self.frames.append((number, value))


def _connection(sent: _Sent, handed: Numbers) -> FarConnection:
    return FarConnection(cast("Channel", sent), 1, handed, Numbers())


def test_nothing_is_kept_of_questions_that_are_never_handed_over() -> None:
    sent, handed, told = _Sent(), Numbers(), list[int]()
    connection = _connection(sent, handed)
    connection.link = cast("SeatLink", SimpleNamespace(unanswered=7))
    for _ in range(10):
        connection.send(b"asks", told.append)
    assert len(handed) == 1, "a bot is asked one question at a time"
    handed.make(sent.frames[0][1], 5)
    assert told == []
    handed.make(sent.frames[-1][1], 6)
    assert told == [6]
    connection.send(b"asks", told.append)
    connection.forget()
    assert len(handed) == 0


def test_a_spectators_bytes_are_unread_until_they_are_handed_over() -> None:
    sent, handed = _Sent(), Numbers()
    connection = _connection(sent, handed)
    connection.send(b"12345")
    connection.send(b"678")
    assert (connection.unread_bytes, len(handed)) == (8, 2)
    for _, number in sent.frames:
        handed.make(number)
    assert (connection.unread_bytes, len(handed)) == (0, 0)
    connection.send(b"9")
    connection.forget()
    assert len(handed) == 0
