"""The client's side of a stream, message by message."""

from collections import deque
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar, cast

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mergemaker.v1 import actions_pb2, answers_pb2, events_pb2, match_pb2, questions_pb2, referee_pb2, view_pb2
from mergemaker.v1.referee_pb2 import PlayRequest, PlayResponse
from mergemaker_client.outputs import Again, Ask, Begin, Close, Decline, End, Notice, Output, Over, Send, Tell
from mergemaker_client.problems import RefusedByReferee, TakenOver
from mergemaker_client.protocol import PROTOCOL, Conversation, EventMode, Wishes
from mergemaker_client.statuses import FINAL
from mergemaker_engine.record.commitments import seat_commitment
from mergemaker_testkit.toy_referee import TOKEN, Plan, ToyReferee

MATCH = "m-1"
FIRST, SECOND = "resume-1", "resume-2"
PART = bytes(range(32))
COMMITMENT = bytes(32)

Kind = TypeVar("Kind")


def conversation(wishes: Wishes | None = None) -> Conversation:
    return Conversation(wishes or Wishes(), lambda: PART)


def welcome(token: str = FIRST, *, resumed: bool = False, matches_max: int = 4) -> PlayResponse:
    limits = referee_pb2.Limits(matches_max=matches_max)
    return PlayResponse(welcome=referee_pb2.Welcome(protocol=1, resume_token=token, limits=limits, resumed=resumed))


def offered(match: str = MATCH, mode: match_pb2.DealMode.ValueType = match_pb2.DEAL_MODE_SERVER) -> PlayResponse:
    offer = referee_pb2.MatchOffered(seat=2, seats=4, deal_mode=mode, commitment=COMMITMENT)
    return PlayResponse(match=match, match_offered=offer)


def started(match: str = MATCH) -> PlayResponse:
    return PlayResponse(match=match, match_started=referee_pb2.MatchStarted(bots=["a", "b", "c", "d"]))


def events(*numbers: int) -> list[events_pb2.Event]:
    return [events_pb2.Event(number=number, turn_began=events_pb2.TurnBegan(seat=1, turn=number)) for number in numbers]


def question(number: int = 1, default: int = 3) -> referee_pb2.Decision:
    asked = questions_pb2.Question(seat=2, choose_tile=questions_pb2.ChooseTile(number=1, most=1))
    answers = answers_pb2.LegalAnswers(count=5, listed=answers_pb2.ListedAnswers())
    return referee_pb2.Decision(id=number, view=view_pb2.View(asked=asked), answers=answers, default_index=default)


def asked(number: int = 1) -> PlayResponse:
    return PlayResponse(match=MATCH, decision=question(number))


def accepted(number: int) -> PlayResponse:
    return PlayResponse(match=MATCH, answer_accepted=referee_pb2.AnswerAccepted(decision=number))


def refused(number: int, left: int | None) -> PlayResponse:
    problem = referee_pb2.Problem(reason="dead-tile", text="it would merge two safe chains", rule="PLC-7")
    answer = referee_pb2.AnswerRefused(decision=number, problem=problem, refusals_left=left)
    return PlayResponse(match=MATCH, answer_refused=answer)


def ended(match: str = MATCH) -> PlayResponse:
    return PlayResponse(match=match, match_ended=referee_pb2.MatchEnded(ending=match_pb2.ENDING_DECLARED))


def no_seat(match: str = "", reason: str = "no-match") -> PlayResponse:
    problem = referee_pb2.Problem(reason=reason, text="there is none")
    return PlayResponse(match=match, request_refused=referee_pb2.RequestRefused(request="take_seat", problem=problem))


def only(kind: type[Kind], outputs: list[Output]) -> list[Kind]:
    return [output for output in outputs if isinstance(output, kind)]


def requests(outputs: list[Output]) -> list[PlayRequest]:
    return [output.request for output in only(Send, outputs)]


def in_match(wishes: Wishes | None = None) -> Conversation:
    talk = conversation(wishes)
    talk.hello()
    for response in (welcome(), offered(), started()):
        talk.received(response)
    return talk


def test_the_first_request_says_what_the_bot_wants() -> None:
    wishes = Wishes(name="Ann", version="2", events=EventMode.IMMEDIATE, matches_at_once=3, evict=True)
    hello = conversation(wishes).hello().hello
    assert (hello.protocol, hello.bot_name, hello.bot_version) == (PROTOCOL, "Ann", "2")
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
    # When the match is over it is tried again: there may be one by then.
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


def test_an_answer_names_its_decision_and_comes_as_action_or_index() -> None:
    talk = in_match()
    talk.received(asked(7))
    action = actions_pb2.Action(place=actions_pb2.Place(square=5))
    (sent,) = requests(talk.answered(MATCH, 7, action, "why"))
    assert (sent.match, sent.answer.decision, sent.answer.note) == (MATCH, 7, "why")
    assert sent.answer.action.place.square == 5
    talk.received(asked(8))
    (sent,) = requests(talk.answered(MATCH, 8, 0))
    assert sent.answer.WhichOneof("choice") == "index"


def test_a_decision_is_answered_once() -> None:
    talk = in_match()
    talk.received(asked())
    assert talk.answered(MATCH, 1, 0)
    assert talk.answered(MATCH, 1, 1) == []


@pytest.mark.parametrize(("match", "number"), [("other", 1), (MATCH, 2), (MATCH, 0)])
def test_an_answer_to_what_is_not_asked_is_dropped(match: str, number: int) -> None:
    talk = in_match()
    talk.received(asked())
    assert talk.answered(match, number, 0) == []


def test_an_answer_that_comes_behind_the_default_is_dropped() -> None:
    talk = in_match()
    talk.received(asked())
    taken = referee_pb2.DefaultTaken(decision=1, cause=match_pb2.FAULT_CAUSE_TIMEOUT, text="2,000 ms", defaults_left=4)
    (notice,) = talk.received(PlayResponse(match=MATCH, default_taken=taken))
    assert isinstance(notice, Notice)
    assert "timeout" in notice.text
    assert "2,000 ms" in notice.text
    assert talk.answered(MATCH, 1, 0) == []


def test_an_older_decision_is_passed_over() -> None:
    talk = in_match()
    talk.received(asked(3))
    assert talk.received(asked(2)) == []


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


def test_a_late_acknowledgement_does_not_close_the_next_decision() -> None:
    talk = in_match()
    talk.received(asked(1))
    talk.answered(MATCH, 1, 0)
    talk.received(asked(2))
    talk.received(accepted(1))
    assert talk.answered(MATCH, 2, 0)


@pytest.mark.parametrize("part", ["question", "answers"])
def test_a_kind_that_is_not_known_is_answered_with_the_default(part: str) -> None:
    decision = question(default=3)
    if part == "question":
        decision.view.asked.ClearField("choose_tile")
    else:
        decision.answers.ClearField("listed")
    outputs = in_match().received(PlayResponse(match=MATCH, decision=decision))
    assert [type(output) for output in outputs] == [Notice, Send]
    assert requests(outputs)[0].answer.index == 3


def test_fields_that_are_not_known_are_passed_over() -> None:
    unknown = bytes([0xA2, 0x06, 3]) + b"new"  # field 100, three bytes
    response = PlayResponse.FromString(asked().SerializeToString() + unknown)
    assert [type(output) for output in in_match().received(response)] == [Ask]


def test_a_refused_answer_is_reported_and_the_default_is_answered_instead_but_once() -> None:
    talk = in_match()
    talk.received(asked())
    talk.answered(MATCH, 1, 1)
    first = talk.received(refused(1, 2))
    assert [type(output) for output in first] == [Decline, Send]
    assert "PLC-7" in only(Decline, first)[0].text
    assert requests(first)[0].answer.index == 3
    assert [type(output) for output in talk.received(refused(1, 1))] == [Decline]


def test_a_last_refusal_is_not_answered() -> None:
    talk = in_match()
    talk.received(asked())
    talk.answered(MATCH, 1, 1)
    assert [type(output) for output in talk.received(refused(1, 0))] == [Decline]


def test_a_stale_answer_is_reported_and_changes_nothing() -> None:
    talk = in_match()
    talk.received(asked(2))
    assert [type(output) for output in talk.received(refused(1, None))] == [Notice]
    assert talk.answered(MATCH, 2, 0)


def test_in_joint_mode_the_seat_promises_its_part_and_reveals_it() -> None:
    talk = conversation()
    talk.hello()
    talk.received(welcome())
    (ready,) = requests(talk.received(offered(mode=match_pb2.DEAL_MODE_JOINT)))
    assert ready.seat_ready.commitment == seat_commitment(COMMITMENT, 2, PART)
    committed = PlayResponse(match=MATCH, seats_committed=referee_pb2.SeatsCommitted(commitments=[b""] * 4))
    (reveal,) = requests(talk.received(committed))
    assert reveal.seat_reveal.part == PART


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


def goodbye(reason: str, *, reconnect: bool, after_ms: int = 0) -> PlayResponse:
    said = referee_pb2.Goodbye(reason=reason, text="so it is", reconnect=reconnect, reconnect_after_ms=after_ms)
    return PlayResponse(goodbye=said)


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
