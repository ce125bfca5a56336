"""What a bot's author reads about a fault: whose it was, the measurements, and the name by which the operator finds it."""

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_client.outputs import Notice
from mergemaker_testkit.client_stream import MATCH, in_match, question


def evidence() -> match_pb2.Evidence:
    return match_pb2.Evidence(
        at_fault=match_pb2.AT_FAULT_BOT,
        reason="no-answer",
        text="no answer came in the 2000 ms that there were",
        moments=[
            match_pb2.Moment(kind=match_pb2.MOMENT_KIND_ASKED, at_us=0),
            match_pb2.Moment(kind=match_pb2.MOMENT_KIND_HANDED, at_us=1_250),
        ],
        referee_lag_us=200_000,
        trace="7b38.0.1",
    )


def test_the_author_reads_whose_fault_a_default_was_and_by_what_name_to_ask() -> None:
    talk = in_match()
    talk.received(PlayResponse(match=MATCH, decision=question(1)))
    taken = referee_pb2.DefaultTaken(decision=1, cause=match_pb2.FAULT_CAUSE_TIMEOUT, text="2,000 ms", evidence=evidence())
    (notice,) = talk.received(PlayResponse(match=MATCH, default_taken=taken))
    assert isinstance(notice, Notice)
    assert "the bot's fault: no answer came in the 2000 ms that there were (in ms: asked 0.0, handed 1.2)" in notice.text
    assert "the referee was held up meanwhile, its transport for 0.0 ms, itself for 200.0 ms" in notice.text
    assert notice.text.endswith("; ask the operator about 7b38.0.1")


def test_evidence_of_a_newer_referee_is_shown_as_far_as_it_is_known() -> None:
    talk = in_match()
    talk.received(PlayResponse(match=MATCH, decision=question(1)))
    strange = match_pb2.Evidence(text="so it was", moments=[match_pb2.Moment(at_us=7)])
    strange.at_fault = 77  # type: ignore[assignment]  # a number that this version does not know
    strange.moments[0].kind = 99  # type: ignore[assignment]  # likewise
    answer = referee_pb2.AnswerRefused(decision=1, problem=referee_pb2.Problem(reason="late"), evidence=strange)
    (notice,) = talk.received(PlayResponse(match=MATCH, answer_refused=answer))
    assert isinstance(notice, Notice)
    assert "fault of 77: so it was (in ms: 99 0.0)" in notice.text


def test_an_error_without_evidence_has_a_name_to_ask_by() -> None:
    talk = in_match()
    answer = referee_pb2.AnswerRefused(decision=9, problem=referee_pb2.Problem(reason="not-asked", text="no", trace="7b38.0.9"))
    (notice,) = talk.received(PlayResponse(match=MATCH, answer_refused=answer))
    assert isinstance(notice, Notice)
    assert notice.text.endswith("(not-asked): no; ask the operator about 7b38.0.9")
    (notice,) = talk.received(PlayResponse(goodbye=referee_pb2.Goodbye(reason="no-pong", text="gone", trace="t9c0d41e2aa17")))
    assert isinstance(notice, Notice)
    assert notice.text.endswith("(no-pong): gone; ask the operator about t9c0d41e2aa17")


def test_defaults_that_were_taken_while_the_bot_was_away_are_reported_at_the_end() -> None:
    talk = in_match()
    talk.received(PlayResponse(match=MATCH, decision=question(2)))
    heard = referee_pb2.DefaultTaken(decision=2, cause=match_pb2.FAULT_CAUSE_TIMEOUT, text="heard of")
    talk.received(PlayResponse(match=MATCH, default_taken=heard))
    missed = referee_pb2.DefaultTaken(decision=1, cause=match_pb2.FAULT_CAUSE_DISCONNECTED, text="missed", evidence=evidence())
    told = talk.received(
        PlayResponse(match=MATCH, match_ended=referee_pb2.MatchEnded(ending=match_pb2.ENDING_DECLARED, defaults=[missed, heard]))
    )
    notices = [output.text for output in told if isinstance(output, Notice)]
    assert len(notices) == 1
    assert "decision 1 (disconnected): missed" in notices[0]


def test_whose_fault_a_voided_match_was_is_reported() -> None:
    talk = in_match()
    voided = match_pb2.Evidence(at_fault=match_pb2.AT_FAULT_REFEREE, reason="fault", text="the disk failed", trace="7b38")
    ended = referee_pb2.MatchEnded(ending=match_pb2.ENDING_VOIDED, text="the disk failed", voided=voided)
    (notice,) = [output for output in talk.received(PlayResponse(match=MATCH, match_ended=ended)) if isinstance(output, Notice)]
    assert notice.text == (
        "the match was voided; the referee's fault, and nothing is charged: the disk failed; ask the operator about 7b38"
    )
