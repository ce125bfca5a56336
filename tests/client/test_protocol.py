"""The client's side of a stream, message by message: seats, matches, events, and parts of joint deals."""

import pytest
from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_client.outputs import Ask, Begin, Close, End, Notice, Over, Send, Tell
from mergemaker_client.problems import RefusedByReferee
from mergemaker_client.protocol import PROTOCOL
from mergemaker_client.wishes import EventMode, Wishes
from mergemaker_engine.record.commitments import seat_commitment
from mergemaker_testkit.client_stream import (
    COMMITMENT,
    MATCH,
    PART,
    asked,
    conversation,
    ended,
    events,
    in_match,
    no_seat,
    offered,
    only,
    question,
    requests,
    started,
    welcome,
)


def test_the_first_request_says_what_the_bot_wants() -> None:
    wishes = Wishes(name="Ann", version="2", events=EventMode.IMMEDIATE, matches_at_once=3, evict=True)
    hello = conversation(wishes).hello().hello
    assert (list(hello.protocols), hello.bot_name, hello.bot_version) == ([PROTOCOL], "Ann", "2")
    assert (hello.event_mode, hello.matches_max, hello.evict) == (referee_pb2.EVENT_MODE_IMMEDIATE, 3, True)
    assert hello.library
    assert not hello.HasField("resume")


@pytest.mark.parametrize(
    ("matches", "at_once", "limit", "seats"),
    [(None, 1, 4, 1), (None, 3, 4, 3), (None, 9, 4, 4), (2, 3, 4, 2), (5, 3, 4, 3), (1, 1, 0, 1)],
)
def test_as_many_seats_are_asked_for_as_are_wanted_and_allowed(matches: int | None, at_once: int, limit: int, seats: int) -> None:
    talk = conversation(Wishes(matches=matches, matches_at_once=at_once))
    talk.hello()
    sent = requests(talk.received(welcome(matches_max=limit)))
    assert [request.WhichOneof("kind") for request in sent] == ["take_seat"] * seats


def test_the_head_of_the_public_log_is_told_to_who_keeps_the_bots_log() -> None:
    talk = conversation()
    talk.hello()
    response = welcome()
    response.welcome.log_head.entries, response.welcome.log_head.hash = 7, bytes(32)
    (notice,) = only(Notice, talk.received(response))
    assert notice.text == f"the referee's public log: head 7:{'A' * 43}"
    response.welcome.log_head.hash = b"short"
    assert all("public log" not in notice.text for notice in only(Notice, talk.received(response)))


def test_another_seat_is_asked_for_when_a_match_is_over() -> None:
    talk = in_match(Wishes(matches=2))
    first = talk.received(ended())
    assert [type(output) for output in first] == [End, Send]
    talk.received(offered("m-2"))
    second = talk.received(ended("m-2"))
    assert [type(output) for output in second] == [End, Close]
    assert only(Close, second)[0].problem is None
    assert not talk.is_playing
    assert talk.is_closed


def test_a_seat_that_is_refused_behind_a_match_ends_it_well() -> None:
    talk = in_match()
    talk.received(ended())
    outputs = talk.received(no_seat())
    assert outputs == [Close(None)]
    assert talk.broke("OK", "") == Over(None)


def test_a_seat_that_brings_the_same_match_again_brings_no_other() -> None:
    talk = in_match()
    talk.received(ended())
    assert talk.received(offered()) == [Close(None)]
    assert talk.received(started()) == talk.received(ended()) == []


def test_a_seat_that_is_refused_at_the_start_is_an_error_with_the_reason() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    close = only(Close, talk.received(no_seat(reason="seat-taken")))[0]
    assert isinstance(close.problem, RefusedByReferee)
    assert close.problem.reason == "seat-taken"
    assert "there is none" in str(close.problem)
    assert talk.broke("OK", "") == Over(close.problem)


def test_a_seat_that_is_refused_while_a_match_goes_on_stops_nothing() -> None:
    talk = in_match(Wishes(matches_at_once=2))
    assert talk.received(no_seat()) == []
    assert only(Ask, talk.received(asked()))
    # It tries again after the match is over: there may be a seat by then.
    assert len(requests(talk.received(ended()))) == 2


def test_a_match_goes_on_from_its_offer_to_its_end() -> None:
    assert not conversation().is_playing
    assert in_match().is_playing


def test_a_match_begins_once_also_when_its_start_comes_again() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    talk.received(offered())
    assert len(only(Begin, talk.received(started()))) == 1
    assert talk.received(offered()) == []
    assert talk.received(started()) == []


def test_events_that_were_seen_are_not_told_again() -> None:
    talk = in_match()
    told = [
        only(Tell, talk.received(PlayResponse(match=MATCH, events=events(*numbers)))) for numbers in ((1, 2), (1, 2, 3), (2, 3))
    ]
    assert [[event.number for tell in tells for event in tell.events] for tells in told] == [[1, 2], [3], []]


def test_what_comes_together_is_handled_in_the_order_of_the_fields() -> None:
    talk = in_match()
    response = PlayResponse(match=MATCH, events=events(1), decision=question(), ping=referee_pb2.Ping(id=4))
    response.match_ended.SetInParent()
    assert [type(output) for output in talk.received(response)] == [Tell, Ask, End, Send, Send]


def test_in_joint_mode_the_seat_promises_its_part_and_reveals_it() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    (ready,) = requests(talk.received(offered(mode=match_pb2.DEAL_MODE_JOINT)))
    assert ready.seat_ready.commitment == seat_commitment(COMMITMENT, 2, PART)
    committed = PlayResponse(match=MATCH, seats_committed=referee_pb2.SeatsCommitted(commitments=[b""] * 4))
    (reveal,) = requests(talk.received(committed))
    assert reveal.seat_reveal.part == PART


def test_a_ping_is_answered_with_its_number() -> None:
    (pong,) = requests(conversation().received(PlayResponse(ping=referee_pb2.Ping(id=9))))
    assert pong.pong.id == 9


@pytest.mark.parametrize(
    "response",
    [started("x"), ended("x"), PlayResponse(match="x", events=events(1)), PlayResponse(match="x", decision=question())],
    ids=["started", "ended", "events", "decision"],
)
def test_what_is_said_of_a_match_that_was_never_offered_is_passed_over(response: PlayResponse) -> None:
    assert in_match().received(response) == []


def in_a_match_that_requires(*names: str, knobs: tuple[str, ...] = ()) -> PlayResponse:
    response = offered()
    response.match_offered.requires.extend(names)
    response.match_offered.rules.newer_knobs.extend(knobs)
    return response


@pytest.mark.parametrize(
    ("response", "named"),
    [
        (in_a_match_that_requires("joint-deal", "telepathy"), "telepathy"),
        (in_a_match_that_requires("knob:weather", knobs=("weather",)), "knob:weather"),
        (in_a_match_that_requires(knobs=("weather",)), "knob:weather"),
        (in_a_match_that_requires("x" * 1_000), "x" * 64),
    ],
)
def test_a_seat_in_a_match_that_requires_the_unknown_is_declined_and_another_asked_for(
    response: PlayResponse, named: str
) -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    outputs = talk.received(response)
    notice, declined, again = outputs
    assert f"requires '{named}', which this library does not know" in only(Notice, [notice])[0].text
    (request,) = requests([declined])
    assert (request.match, request.decline_seat.reason) == (MATCH, "unknown-requirement")
    assert named in request.decline_seat.text
    assert len(request.decline_seat.text) <= 200
    assert [each.WhichOneof("kind") for each in requests([again])] == ["take_seat"]
    assert talk.received(started()) == talk.received(ended()) == [], "nothing of that match is of any concern"
    problem = only(Close, talk.received(no_seat()))[0].problem
    assert isinstance(problem, RefusedByReferee)
    assert problem.reason == "unknown-requirement"
    assert named in str(problem)


def test_a_match_that_requires_what_is_known_is_played() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    assert talk.received(in_a_match_that_requires("joint-deal", "knob:two_player_market", knobs=("two_player_market",))) == []
    assert talk.is_playing


def test_a_seat_that_is_declined_is_declined_again_and_no_more_seats_are_asked_for() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    assert len(talk.received(in_a_match_that_requires("telepathy"))) == 3
    again = talk.received(in_a_match_that_requires("telepathy"))
    assert [type(output) for output in again] == [Notice, Send, Close]


def test_another_match_is_played_after_a_seat_was_declined() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    talk.received(in_a_match_that_requires("telepathy"))
    talk.received(offered("m-2"))
    talk.received(ended("m-2"))
    assert only(Close, talk.received(no_seat()))[0].problem is None
