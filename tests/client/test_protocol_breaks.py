"""The client's side of a broken stream: what it resumes, what is lost, and when it is over."""

from collections import deque
from collections.abc import Iterator
from typing import Any, NoReturn, cast

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_client.outputs import Again, Ask, Close, End, Notice, Over, Send, Tell
from mergemaker_client.problems import RefusedByReferee, TakenOver
from mergemaker_client.protocol import Conversation
from mergemaker_client.statuses import FINAL
from mergemaker_client.wishes import Wishes
from mergemaker_testkit.client_stream import (
    FIRST,
    MATCH,
    SECOND,
    accepted,
    asked,
    conversation,
    ended,
    events,
    in_match,
    no_seat,
    offered,
    only,
    requests,
    started,
    welcome,
)
from mergemaker_testkit.toy_referee import TOKEN, Plan, ToyReferee


def goodbye(reason: str, *, reconnect: bool, after_ms: int = 0) -> PlayResponse:
    said = referee_pb2.Goodbye(reason=reason, text="so it is", reconnect=reconnect, reconnect_after_ms=after_ms)
    return PlayResponse(goodbye=said)


def test_after_a_break_the_session_is_taken_up_from_the_last_event() -> None:
    talk = in_match()
    talk.received(PlayResponse(match=MATCH, events=events(1, 2, 3)))
    assert talk.broke("UNAVAILABLE", "") == Again(0)
    resume = talk.hello().hello.resume
    assert resume.resume_token == FIRST
    assert [(seen.match, seen.last_event) for seen in resume.seen] == [(MATCH, 3)]
    talk.received(welcome(SECOND, resumed=True))
    assert talk.broke("UNAVAILABLE", "") == Again(0)
    assert talk.hello().hello.resume.resume_token == SECOND


def test_an_answer_without_acknowledgement_is_sent_again_and_the_bot_is_not_asked_again() -> None:
    talk = in_match()
    talk.received(asked())
    (first,) = requests(talk.answered(MATCH, 1, 2, "note"))
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    for response in (welcome("b", resumed=True), offered(), started()):
        assert talk.received(response) == []
    outputs = talk.received(asked())
    assert [type(output) for output in outputs] == [Send]
    assert requests(outputs) == [first]
    assert talk.received(accepted(1)) == []


def test_an_answer_that_was_found_without_a_stream_is_sent_when_there_is_one() -> None:
    talk = in_match()
    talk.received(asked())
    talk.broke("UNAVAILABLE", "")
    assert talk.answered(MATCH, 1, 2) == []
    talk.hello()
    assert talk.answered(MATCH, 1, 3) == []
    talk.received(welcome("b", resumed=True))
    (sent,) = requests(talk.received(asked()))
    assert sent.answer.index == 2


def test_a_bot_that_still_thinks_after_a_resume_is_not_asked_twice() -> None:
    talk = in_match()
    talk.received(asked())
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    talk.received(welcome("b", resumed=True))
    assert talk.received(asked()) == []
    assert len(talk.answered(MATCH, 1, 2)) == 1


def test_no_answer_goes_before_the_welcome() -> None:
    talk = in_match()
    talk.received(asked())
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    assert talk.answered(MATCH, 1, 2) == []


def test_a_seat_has_one_part_however_often_its_stream_breaks() -> None:
    parts = iter([bytes([1]) * 32, bytes([2]) * 32])
    talk = Conversation(Wishes(), lambda: next(parts))
    talk.hello()
    talk.received(welcome())
    first = requests(talk.received(offered(mode=match_pb2.DEAL_MODE_JOINT)))
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    talk.received(welcome(resumed=True))
    assert requests(talk.received(offered(mode=match_pb2.DEAL_MODE_JOINT))) == first


def test_who_was_taken_over_does_not_come_back() -> None:
    talk = in_match()
    talk.received(goodbye("taken-over", reconnect=True))
    outcome = talk.broke("UNAVAILABLE", "")
    assert isinstance(outcome, Over)
    assert isinstance(outcome.problem, TakenOver)
    by_status = in_match().broke("ABORTED", "")
    assert isinstance(by_status, Over)
    assert isinstance(by_status.problem, TakenOver)


def test_a_goodbye_says_whether_and_when_to_come_back() -> None:
    talk = in_match()
    talk.received(goodbye("referee-closing", reconnect=True, after_ms=700))
    assert talk.broke("UNAVAILABLE", "") == Again(700)
    talk.hello()
    talk.received(welcome())
    talk.received(goodbye("banned", reconnect=False))
    outcome = talk.broke("OK", "")
    assert isinstance(outcome, Over)
    assert isinstance(outcome.problem, RefusedByReferee)
    assert outcome.problem.reason == "banned"


def test_an_old_goodbye_does_not_count_for_a_new_stream() -> None:
    talk = in_match()
    talk.received(goodbye("referee-closing", reconnect=True, after_ms=700))
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    assert talk.broke("UNAVAILABLE", "") == Again(0)


@pytest.mark.parametrize("code", sorted(FINAL))
def test_a_status_that_would_come_again_is_an_error_that_says_what_to_do(code: str) -> None:
    outcome = conversation().broke(code, "because")
    assert isinstance(outcome, Over)
    assert isinstance(outcome.problem, RefusedByReferee)
    assert outcome.problem.reason == code.lower().replace("_", "-")
    assert "because; " in str(outcome.problem)


def test_a_session_that_is_alive_may_be_our_own_after_a_break() -> None:
    talk = conversation()
    talk.hello()
    talk.received(goodbye("session-alive", reconnect=False))
    outcome = talk.broke("ALREADY_EXISTS", "so it is")
    assert isinstance(outcome, Over)
    assert isinstance(outcome.problem, RefusedByReferee)
    assert outcome.problem.reason == "session-alive"
    assert "evict=True" in str(outcome.problem)
    talk = in_match()
    talk.received(goodbye("session-alive", reconnect=False))
    assert talk.broke("ALREADY_EXISTS", "so it is") == Again(0)


@pytest.mark.parametrize(
    "code", ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "OK"]
)
def test_after_any_other_status_the_client_comes_back(code: str) -> None:
    assert in_match().broke(code, "") == Again(0)


def test_a_stream_that_ends_well_behind_the_last_match_is_not_opened_again() -> None:
    talk = in_match()
    talk.received(ended())
    assert talk.broke("OK", "") == Over(None)


def test_where_the_session_is_not_known_any_more_the_seats_are_claimed_again() -> None:
    talk = in_match()
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    outputs = talk.received(welcome("b", resumed=False))
    (claim,) = requests(outputs)
    assert (claim.match, claim.take_seat.seat) == (MATCH, 2)
    assert only(Notice, outputs)
    assert talk.received(offered()) == []


def test_a_seat_that_cannot_be_claimed_again_is_lost() -> None:
    talk = in_match()
    talk.broke("UNAVAILABLE", "")
    talk.hello()
    talk.received(welcome("b", resumed=False))
    outputs = talk.received(no_seat(MATCH, "seat-taken"))
    assert [type(output) for output in outputs] == [Notice, End, Close]
    assert only(End, outputs)[0].ended.ending == match_pb2.ENDING_VOIDED


class Dropped(Exception):
    pass


class FakeContext:
    """As much of a server's context as the toy needs."""

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return [("authorization", f"Bearer {TOKEN}")]

    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        raise Dropped(code.name, details)


def taken(waiting: deque[PlayRequest]) -> Iterator[PlayRequest]:
    while waiting:
        yield waiting.popleft()


counts = st.sets(st.integers(1, 60), max_size=8)


@given(unanswered=counts, unacknowledged=counts, forget=st.booleans())
@settings(max_examples=12, deadline=None)
def test_whatever_is_dropped_every_answer_counts_once_and_every_event_is_told_once(
    unanswered: set[int], unacknowledged: set[int], forget: bool
) -> None:
    plan = Plan(drop_unanswered=unanswered, drop_unacknowledged=unacknowledged, forget_sessions=forget)
    toy = ToyReferee(plan)
    talk = conversation()
    told: list[int] = []
    numbers: list[int] = []
    outcome: Again | Over = Again(0)
    while not isinstance(outcome, Over):
        waiting = deque([talk.hello()])
        try:
            for response in toy.Play(taken(waiting), cast("Any", FakeContext())):
                for output in talk.received(PlayResponse.FromString(response.SerializeToString())):
                    if isinstance(output, Send):
                        waiting.append(output.request)
                    if isinstance(output, Tell):
                        told += [event.number for event in output.events]
                    if isinstance(output, Ask):
                        numbers.append(output.decision.id)
                        waiting += requests(talk.answered(output.match, output.decision.id, output.decision.default_index))
            outcome = talk.broke("OK", "")
        except Dropped as dropped:
            outcome = talk.broke(*dropped.args)
    match = toy.matches[0]
    assert outcome.problem is None
    assert match.ended
    assert numbers == [number for number, _ in match.answers] == list(range(1, len(numbers) + 1))
    assert told == list(range(1, len(match.seen) + 1))
