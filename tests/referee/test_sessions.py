"""A session and its way to a seat, without any transport."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from mergemaker.v1 import referee_pb2
from mergemaker_referee.about import About
from mergemaker_referee.clocks import Clocks
from mergemaker_referee.configuration.limits import Limits
from mergemaker_referee.connections import CloseCode, Closing
from mergemaker_referee.identities import KnownBot, SeatHolder
from mergemaker_referee.matches.encoding import accepted_part, part
from mergemaker_referee.matches.seat_link import SeatLink
from mergemaker_referee.sessions.lobby import Lobby
from mergemaker_referee.sessions.session import Session

HELLO = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocols=[1])).SerializeToString()
NAME_BYTES = 6
"""This much randomness makes two of a million names equal once in 500 runs."""


@dataclass(eq=False)
class FakeConnection:
    sent: list[referee_pb2.PlayResponse] = field(default_factory=list)
    handed: list[Callable[[int], None] | None] = field(default_factory=list)
    closed: list[Closing] = field(default_factory=list)
    peer: str = "here"
    held_up_ns: int = 0
    unread_bytes: int = 0

    def send(self, response: bytes, handed: Callable[[int], None] | None = None) -> None:
        self.sent.append(referee_pb2.PlayResponse.FromString(response))
        self.handed.append(handed)

    def charge(self, cost_ns: int) -> None:
        """Does not count anybody's work."""

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
    made = Session("s1", SeatHolder("m", 0), "bot")
    made.attach(connection)
    return made


@pytest.fixture
def link(session: Session) -> SeatLink:
    match: Any = SimpleNamespace(id="m", links=[None], is_without_clock=False)
    return SeatLink(session, match, 0)


def event(number: int) -> bytes:
    return part("events", referee_pb2.PlayResponse(events=[]).events.add(number=number)).data


@pytest.mark.parametrize(
    ("hello", "heard", "asked", "came"),
    [
        (100, 360, 370, 110),  # it waited for its welcome
        (100, 360, 101, 100),  # it did not
        (100, 100, 150, 150),
    ],
)
def test_a_first_seat_is_asked_for_when_it_would_have_been_had_the_hello_been_heard_at_once(
    session: Session, hello: int, heard: int, asked: int, came: int
) -> None:
    session.heard_hello(hello, heard)
    assert session.would_have_come_ns(asked) == came
    assert session.would_have_come_ns(5_000) == 5_000, "what is asked for later did not wait for a welcome"


def test_pings_keep_to_their_interval_and_wait_for_their_pong(session: Session, connection: FakeConnection) -> None:
    session.ping_if_due(0, 100)
    session.ping_if_due(50, 100)
    assert [response.ping.id for response in connection.sent] == [1]
    session.ping_if_due(150, 100)
    assert len(connection.sent) == 1, "the pong has not come"
    session.pong(1, 160)
    session.ping_if_due(170, 100)
    assert [response.ping.id for response in connection.sent] == [1, 2]


def nothing() -> None:
    pass


def probe(
    session: Session, connection: FakeConnection, number: int, way: int, between: Callable[[], None] = nothing
) -> int | None:
    """One ping with this number, and its pong; returns the result."""
    session.ping_if_due(number * 1_000, 0)
    handed = connection.handed[-1]
    assert handed is not None
    handed(number * 1_000)
    between()
    return session.pong(number, number * 1_000 + way)


def test_the_way_is_as_long_as_the_shortest_of_the_last_eight_round_trips(session: Session, connection: FakeConnection) -> None:
    assert session.round_trip_ns == 0
    ways = [30, 10, 50, 60, 70, 80, 90, 99, 98, 97, 96]
    found = [probe(session, connection, number, way) for number, way in enumerate(ways, start=1)]
    assert found == [30, 10, 10, 10, 10, 10, 10, 10, 10, 50, 60]
    assert session.round_trip_ns == 60


def test_what_is_under_way_together_with_a_question_measures_nothing(
    session: Session, connection: FakeConnection, link: SeatLink
) -> None:
    session.links["m"] = link
    assert probe(session, connection, 1, 20, between=session.question_handed) == 20, "the first of all was sent long before"
    assert probe(session, connection, 2, 900, between=session.question_handed) is None
    link.is_asked = True
    assert probe(session, connection, 3, 900) is None, "it was sent while the bot thought"
    link.is_asked = False
    assert probe(session, connection, 4, 30) == 20


def test_one_seat_that_is_asked_is_enough_for_a_bot_that_plays_several_matches(
    session: Session, connection: FakeConnection, link: SeatLink
) -> None:
    other = SeatLink(session, link.match, 1)
    session.links.update(m=link, n=other)
    assert probe(session, connection, 1, 20) == 20
    other.is_asked = True
    assert probe(session, connection, 2, 900) is None


def test_a_transport_that_was_held_up_measures_nothing(session: Session, connection: FakeConnection) -> None:
    def hold_up() -> None:
        connection.held_up_ns += 50

    assert probe(session, connection, 1, 0, between=hold_up) is None
    assert probe(session, connection, 2, 20) == 20, "that was before"


def test_while_little_is_known_of_the_way_pings_come_sooner_unless_something_is_asked(
    session: Session, connection: FakeConnection, link: SeatLink
) -> None:
    second, interval = 1_000_000_000, 5_000_000_000
    session.links["m"] = link
    found = []
    for tenths in range(400):
        now = tenths * second // 10
        link.is_asked = 8 * second <= now < 20 * second
        before = len(connection.sent)
        session.ping_if_due(now, interval)
        if len(connection.sent) > before:
            handed = connection.handed[-1]
            assert handed is not None
            handed(now)
            session.pong(connection.sent[-1].ping.id, now + 7)
            found.append(tenths / 10)
    assert found[:8] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], "one after the other"
    assert found[8:] == [5.7, 10.7, 15.7, 20, 25, 30, 35], "signs of life at 10.7 and 15.7, and at 20 what was missed"


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
    link.add_events([event(1), event(2)], Limits())
    link.end_batch()
    assert not connection.sent
    link.add(part("decision", referee_pb2.Decision(id=4)))
    link.end_batch()
    (response,) = connection.sent
    assert ([each.number for each in response.events], response.decision.id, response.match) == ([1, 2], 4, "m")


def _numbers(connection: FakeConnection) -> list[list[int]]:
    """The event numbers in each response."""
    return [[each.number for each in response.events] for response in connection.sent]


@pytest.mark.parametrize("batches", [[[1, 2, 3, 4, 5]], [[1], [2, 3], [4, 5]], [[1, 2], [3, 4], [5]]])
def test_too_many_events_are_sent_however_they_came_together(
    link: SeatLink, connection: FakeConnection, batches: list[list[int]]
) -> None:
    limits = Limits(held_events_max=2)
    for batch in batches:
        link.add_events([event(number) for number in batch], limits)
        link.end_batch()
    assert _numbers(connection) == [[1, 2], [3, 4]]
    link.send()
    assert _numbers(connection) == [[1, 2], [3, 4], [5]]


def test_events_with_too_many_bytes_are_sent(link: SeatLink, connection: FakeConnection) -> None:
    limits = Limits(held_bytes_max=1_024)
    events = [event(number) for number in range(1, 300)]
    link.add_events(events, limits)
    assert all(sum(len(event(number)) for number in numbers) < 1_024 + len(event(300)) for numbers in _numbers(connection))
    link.send()
    assert [number for numbers in _numbers(connection) for number in numbers] == list(range(1, 300))
    assert len(_numbers(connection)) > 1


@pytest.mark.parametrize("batches", [[[1, 2, 3]], [[1], [2, 3]]])
def test_who_wants_events_at_once_gets_each_by_itself_however_they_came_together(
    link: SeatLink, connection: FakeConnection, batches: list[list[int]]
) -> None:
    link.session.wants_events_at_once = True
    for batch in batches:
        link.add_events([event(number) for number in batch], Limits())
        link.end_batch()
    link.add(part("decision", referee_pb2.Decision(id=4)))
    link.end_batch()
    assert _numbers(connection) == [[1], [2], [3], []]


def test_what_comes_in_another_order_than_clients_handle_it_goes_out_in_responses_of_its_own(
    link: SeatLink, connection: FakeConnection
) -> None:
    link.add(part("decision", referee_pb2.Decision(id=1)))
    link.add_events([event(1)], Limits())
    link.add(part("answer_accepted", referee_pb2.AnswerAccepted(decision=1)))
    link.add(part("answer_accepted", referee_pb2.AnswerAccepted(decision=2)))
    link.end_batch()
    said = [[field.name for field, _ in response.ListFields()] for response in connection.sent]
    assert said == [["match", "decision"], ["match", "events"], ["match", "answer_accepted"], ["match", "answer_accepted"]]


def test_what_is_not_due_waits_as_events_do(link: SeatLink, connection: FakeConnection) -> None:
    link.add(accepted_part(1))
    link.end_batch()
    assert not connection.sent
    link.session.wants_events_at_once = True
    link.end_batch()
    assert connection.sent


def test_nothing_is_kept_for_who_is_away(link: SeatLink, session: Session, connection: FakeConnection) -> None:
    session.links["m"] = link
    link.add_events([event(1)], Limits())
    session.detach(5)
    session.attach(connection)
    link.add(part("decision", referee_pb2.Decision(id=1)))
    link.end_batch()
    assert [list(response.events) for response in connection.sent] == [[]]


def test_a_session_says_why_it_ends(session: Session, connection: FakeConnection) -> None:
    session.close(Closing(CloseCode.ABORTED, "taken-over", "elsewhere"))
    assert (connection.sent[0].goodbye.reason, connection.sent[0].goodbye.reconnect) == ("taken-over", False)


def test_the_text_of_a_resume_token_is_kept_by_nobody(session: Session) -> None:
    token = session.new_resume_token()
    assert token not in repr(vars(session))


def test_sessions_and_streams_are_named_by_chance_alone_so_that_no_name_counts_others() -> None:
    drawn: list[str] = []

    def random_bytes(count: int) -> bytes:
        drawn.append(hashlib.sha256(str(len(drawn)).encode()).hexdigest()[: 2 * count])
        return bytes.fromhex(drawn[-1])

    seating: Any = SimpleNamespace(waiting={})
    lobby = Lobby(seating, Limits(), About("software"), Clocks(now_ns=lambda: 0, awake_ns=lambda: 0), random_bytes)
    sessions, streams = [], []
    for name in "abc":
        connection = FakeConnection()
        stream = lobby.play(connection, KnownBot(name))
        for _ in range(2):
            stream.received(HELLO, 0)
        sessions += [said.welcome.session for said in connection.sent if said.HasField("welcome")]
        streams.append(connection.sent[-1].goodbye.trace)
    assert len({*sessions, *streams}) == 6
    assert all(name[0] == "s" and name[1:] in drawn for name in sessions)
    assert all(name[0] == "t" and name[1:] in drawn for name in streams)
    assert all(len(name) == 1 + 2 * NAME_BYTES for name in (*sessions, *streams))
