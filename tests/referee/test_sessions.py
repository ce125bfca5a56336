"""A session and its way to a seat, without any transport."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.encoding import part, varint
from mergemaker_referee.identities import SeatHolder
from mergemaker_referee.limits import Limits
from mergemaker_referee.sessions import SeatLink, Session


@dataclass(eq=False)
class FakeConnection:
    sent: list[referee_pb2.PlayResponse] = field(default_factory=list)
    handed: list[Callable[[int], None] | None] = field(default_factory=list)
    closed: list[Closing] = field(default_factory=list)
    peer: str = "here"

    def send(self, response: bytes, handed: Callable[[int], None] | None = None) -> None:
        self.sent.append(referee_pb2.PlayResponse.FromString(response))
        self.handed.append(handed)

    def barrier(self, passed: Callable[[], None]) -> None:
        passed()

    def close(self, closing: Closing, last: bytes = b"") -> None:
        self.sent.append(referee_pb2.PlayResponse.FromString(last))
        self.closed.append(closing)


@pytest.fixture
def connection() -> FakeConnection:
    return FakeConnection()


@pytest.fixture
def session(connection: FakeConnection) -> Session:
    made = Session(1, SeatHolder("m", 0), "bot")
    made.attach(connection)
    return made


@pytest.fixture
def link(session: Session) -> SeatLink:
    match: Any = SimpleNamespace(id="m", links=[None], is_without_clock=False)
    return SeatLink(session, match, 0)


def event(number: int) -> bytes:
    return part("events", referee_pb2.PlayResponse(events=[]).events.add(number=number)).data


def test_pings_keep_to_their_interval_and_wait_for_their_pong(session: Session, connection: FakeConnection) -> None:
    session.ping_if_due(0, 100)
    session.ping_if_due(50, 100)
    assert [response.ping.id for response in connection.sent] == [1]
    session.ping_if_due(150, 100)
    assert len(connection.sent) == 1, "the pong has not come"
    session.pong(1, 160)
    session.ping_if_due(170, 100)
    assert [response.ping.id for response in connection.sent] == [1, 2]


def test_the_way_is_as_long_as_the_shortest_of_the_last_five_round_trips(session: Session, connection: FakeConnection) -> None:
    found = []
    for number, way in enumerate([30, 10, 50, 60, 70, 80, 90], start=1):
        session.ping_if_due(number * 1_000, 0)
        handed = connection.handed[-1]
        assert handed is not None
        handed(number * 1_000)
        found.append(session.pong(number, number * 1_000 + way))
    assert found == [30, 10, 10, 10, 10, 10, 50]


@pytest.mark.parametrize("ping_id", [0, 2])
def test_a_pong_to_no_ping_measures_nothing(session: Session, ping_id: int) -> None:
    session.ping_if_due(0, 0)
    assert session.pong(ping_id, 5) is None


def test_a_pong_that_is_faster_than_the_news_of_its_ping_measures_nothing(session: Session) -> None:
    session.ping_if_due(0, 0)
    assert session.pong(1, 5) is None
    session.ping_if_due(10, 0)
    assert session.ping_sent_ns == 10, "the next ping goes out"


def test_events_are_held_until_there_is_something_else_to_say(link: SeatLink, connection: FakeConnection) -> None:
    link.add_events([event(1), event(2)])
    link.end_batch(Limits())
    assert not connection.sent
    link.add(part("decision", referee_pb2.Decision(id=4)))
    link.end_batch(Limits())
    (response,) = connection.sent
    assert ([each.number for each in response.events], response.decision.id, response.match) == ([1, 2], 4, "m")


@pytest.mark.parametrize("limits", [Limits(held_events_max=2), Limits(held_bytes_max=1_024)])
def test_events_past_the_limit_are_sent(link: SeatLink, connection: FakeConnection, limits: Limits) -> None:
    events = [event(number) for number in range(1, 3 if limits.held_events_max == 2 else 300)]
    link.add_events(events)
    link.end_batch(limits)
    assert [each.number for response in connection.sent for each in response.events] == list(range(1, len(events) + 1))


def test_what_comes_in_another_order_than_clients_handle_it_goes_out_in_responses_of_its_own(
    link: SeatLink, connection: FakeConnection
) -> None:
    link.add(part("decision", referee_pb2.Decision(id=1)))
    link.add_events([event(1)])
    link.add(part("answer_accepted", referee_pb2.AnswerAccepted(decision=1)))
    link.add(part("answer_accepted", referee_pb2.AnswerAccepted(decision=2)))
    link.end_batch(Limits())
    said = [[field.name for field, _ in response.ListFields()] for response in connection.sent]
    assert said == [["match", "decision"], ["match", "events"], ["match", "answer_accepted"], ["match", "answer_accepted"]]


def test_what_is_not_due_waits_as_events_do(link: SeatLink, connection: FakeConnection) -> None:
    link.add(part("answer_accepted", referee_pb2.AnswerAccepted(decision=1)), is_due=False)
    link.end_batch(Limits())
    assert not connection.sent
    link.session.wants_events_at_once = True
    link.end_batch(Limits())
    assert connection.sent


def test_nothing_is_kept_for_who_is_away(link: SeatLink, session: Session, connection: FakeConnection) -> None:
    session.links["m"] = link
    link.add_events([event(1)])
    session.detach(5)
    session.attach(connection)
    link.add(part("decision", referee_pb2.Decision(id=1)))
    link.end_batch(Limits())
    assert [list(response.events) for response in connection.sent] == [[]]


def test_a_session_says_why_it_ends(session: Session, connection: FakeConnection) -> None:
    session.close(Closing(CloseCode.ABORTED, "taken-over", "elsewhere"))
    assert (connection.sent[0].goodbye.reason, connection.sent[0].goodbye.reconnect) == ("taken-over", False)


def test_the_text_of_a_resume_token_is_kept_by_nobody(session: Session) -> None:
    token = session.new_resume_token()
    assert token not in repr(vars(session))


@pytest.mark.parametrize(("number", "written"), [(0, b"\x00"), (127, b"\x7f"), (128, b"\x80\x01"), (300, b"\xac\x02")])
def test_numbers_are_written_as_the_protocol_has_them(number: int, written: bytes) -> None:
    assert varint(number) == written
