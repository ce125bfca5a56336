"""The client's side of a stream: which answers go out, and what happens to late, refused or unreadable ones."""

import pytest
from mergemaker.v1 import actions_pb2, match_pb2, referee_pb2
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_client.outputs import Ask, Decline, Notice, Send
from mergemaker_testkit.client_stream import MATCH, accepted, asked, in_match, only, question, refused, requests


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
