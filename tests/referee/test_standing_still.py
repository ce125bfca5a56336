"""What a referee that stood still does not blame on anybody: silence, missing pongs, blocked writes, late calls."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import Closing
from mergemaker_referee.identities import KnownBot
from mergemaker_referee.rpc.accounts import Account
from mergemaker_referee.rpc.calls import within
from mergemaker_referee.rpc.crossing import Crossing
from mergemaker_referee.rpc.stamps import BEAT_MS, Stamps
from mergemaker_referee.rpc.streams import Stream
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.seating import Seating
from mergemaker_referee.tokens import TokenBook

MS = 1_000_000
S = 1_000 * MS
STOPPED_NS = 120 * S


class _Client:
    """The referee's end of a stream."""

    peer = "here"
    unread_bytes = 0
    held_up_ns = 0

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.may_come_back = False
        self.said: list[referee_pb2.PlayResponse] = []

    def send(self, response: bytes, handed: Callable[[int], None] | None = None) -> None:  # noqa: ARG002 - as in the port
        self.said.append(referee_pb2.PlayResponse.FromString(response))

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

    def barrier(self, passed: Callable[[], None]) -> None:
        passed()

    def close(self, closing: Closing, last: bytes = b"") -> None:  # noqa: ARG002 - as in the port
        self.closed.append(closing.reason)
        self.may_come_back = closing.reconnect


class _House:
    """A lobby and its clock."""

    def __init__(self) -> None:
        self.now_ns = 1_000 * S
        self.stood_ns = 0
        self.are_breaks_ours = False
        limits = Limits(hello_ms_max=5_000, pong_ms_max=15_000, ping_interval_ms=5_000, session_keep_ms=60_000)
        self.lobby = Lobby(
            Seating(TokenBook()),
            limits,
            About("test"),
            Clocks(
                now_ns=lambda: self.now_ns,
                awake_ns=lambda: self.now_ns - self.stood_ns,
                are_breaks_ours=lambda: self.are_breaks_ours,
            ),
            bytes,
        )

    def pass_s(self, seconds: float) -> None:
        self.now_ns += round(seconds * S)
        self.lobby.look_after_sessions()

    def stop(self) -> None:
        self.now_ns += STOPPED_NS
        self.stood_ns += STOPPED_NS
        self.lobby.look_after_sessions()

    def come(
        self, *, says_hello: bool = True, resume_token: str | None = None, seen: dict[str, int] | None = None
    ) -> tuple[_Client, Any]:
        client = _Client()
        stream = self.lobby.play(client, KnownBot("ann"))
        if says_hello:
            hello = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1]))
            if resume_token is not None:
                hello.hello.resume.resume_token = resume_token
                for match, last_event in (seen or {}).items():
                    hello.hello.resume.seen.add(match=match, last_event=last_event)
            stream.received(hello.SerializeToString(), self.now_ns)
        return client, stream


@pytest.mark.parametrize(("says_hello", "limit_s", "reason"), [(False, 5, "no-hello"), (True, 15, "no-pong")])
def test_who_is_silent_while_the_referee_stands_still_is_not_ended(says_hello: bool, limit_s: int, reason: str) -> None:
    house = _House()
    client, _ = house.come(says_hello=says_hello)
    house.pass_s(limit_s - 1)
    house.stop()
    house.pass_s(0.9)
    assert client.closed == []
    house.pass_s(0.2)
    assert client.closed == [reason]


def test_who_is_away_while_the_referee_stands_still_is_not_forgotten() -> None:
    house = _House()
    _, stream = house.come()
    stream.gone("the client went")
    house.pass_s(59)
    house.stop()
    assert house.lobby.sessions == 1
    house.pass_s(2)
    assert house.lobby.sessions == 0


def test_who_waits_for_matches_and_comes_back_before_its_break_was_noticed_may_wait_again() -> None:
    house = _House()
    client, stream = house.come()
    token = client.said[0].welcome.resume_token
    take_seat = referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()).SerializeToString()
    stream.received(take_seat, house.now_ns)
    house.stop()
    again, stream = house.come(resume_token=token)
    stream.received(take_seat, house.now_ns)
    assert client.closed == ["taken-over"]
    assert not any(said.HasField("request_refused") for said in again.said)
    assert again.said[0].welcome.resumed


@pytest.mark.parametrize("are_breaks_ours", [True, False])
def test_who_was_never_welcomed_since_the_referee_stood_still_may_try_again(*, are_breaks_ours: bool) -> None:
    house = _House()
    _, first = house.come()
    house.stop()
    house.are_breaks_ours = are_breaks_ours
    again, _ = house.come()
    assert (again.closed, again.may_come_back) == (["session-alive"], are_breaks_ours)
    first.gone("the client went")
    third, _ = house.come()
    assert third.closed == []


class _Match:
    """Keeps what arrives for it."""

    id = "m"
    is_without_clock = is_over = False

    def __init__(self) -> None:
        self.links: list[Any] = [None]
        self.came: list[Any] = []

    def post(self, given: Any) -> None:
        self.came.append(given)


def test_who_asks_for_its_seat_before_it_is_shown_its_match_again_is_shown_what_it_has_not_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, match = _House(), _Match()
    monkeypatch.setattr(house.lobby._seating, "find", lambda *_: (match, 0))
    take_seat = referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()).SerializeToString()
    client, stream = house.come()
    stream.received(take_seat, house.now_ns)
    match.links[0].is_shown = True
    house.stop()
    token = client.said[0].welcome.resume_token
    _, stream = house.come(resume_token=token, seen={match.id: 12})
    match.is_over = True  # just then; its end is not written yet
    house.lobby.match_over(match)  # type: ignore[arg-type]  # as much of a match as needed
    stream.received(take_seat, house.now_ns)
    assert [claim.seen for claim in match.came] == [0, 12]


class _Loop:
    """A loop whose timers run when a test says so."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.beat: Callable[[], None] = lambda: None

    def call_later(self, _: float, call: Callable[..., None], *arguments: Any) -> None:
        self.beat = lambda: call(*arguments)


def test_a_write_that_is_not_taken_while_the_transport_stands_still_cuts_nobody_off(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, cut = _Loop(), []
    stamps = Stamps(lambda: loop.now_ns)
    stamps.start(loop)  # type: ignore[arg-type]  # as much of a loop as needed
    context: Any = type("Context", (), {"peer": lambda _: "here"})()
    crossing: Any = object.__new__(Crossing)
    limits = Limits(write_ms_max=10_000)
    stream = Stream(context, crossing, stamps, limits, Account(limits, stamps.awake_ns, "a bot"))
    monkeypatch.setattr(stream, "_begin_closing", lambda closing, _: cut.append(closing.reason))
    stream._writing_since_ns = stamps.awake_ns()

    def pass_ms(milliseconds: int) -> None:
        for _ in range(milliseconds // BEAT_MS):
            loop.now_ns += BEAT_MS * MS
            loop.beat()
        stream.cut_if_stuck(stamps.awake_ns())

    pass_ms(9_000)
    loop.now_ns += STOPPED_NS
    stream.cut_if_stuck(stamps.awake_ns())
    loop.beat()
    pass_ms(500)
    assert cut == []
    pass_ms(1_000)
    assert cut == ["not-reading"]


def test_what_a_call_says_while_the_loop_stands_still_is_not_late() -> None:
    async def call() -> str:
        said: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        looks = 0

        def awake_ns() -> int:
            nonlocal looks
            looks += 1
            if looks == 5:
                said.set_result("found")  # timers were due four times, because the process was stopped; now the data is there
            return 0

        return await within(1, said, awake_ns)

    assert asyncio.run(call()) == "found"


def test_what_a_call_never_says_is_not_waited_for() -> None:
    async def call() -> None:
        awake = iter(range(0, 100 * MS, MS // 2))
        silent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            await within(1, silent, lambda: next(awake))
        finally:
            assert silent.cancelled()

    with pytest.raises(TimeoutError):
        asyncio.run(call())
