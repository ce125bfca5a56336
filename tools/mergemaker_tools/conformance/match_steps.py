"""Steps of a script that are about a match: its seat, its questions and answers, its end."""

from collections.abc import Callable, Mapping
from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.events_pb2 import Event
from mergemaker.v1.referee_pb2 import PlayResponse
from mergemaker_engine.record.commitments import CONTRIBUTION_BYTES, seat_commitment

from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.checks import check_answer
from mergemaker_tools.conformance.session_steps import refuse_seat
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.strange import STRANGE, STRANGE_OFFERS
from mergemaker_tools.conformance.talk import CaseFailed, Match

UNKNOWN_REQUIREMENT: Final = "unknown-requirement"
COMMITMENT: Final = bytes(range(32))
"""The referee's promise in joint mode: of nothing, since such a match has no end here."""


def _seat(stage: Stage, _: Step) -> None:
    """The client asks for a seat."""
    stage.talk.expect("take_seat", "asks for a seat, of any match")


def _claim(stage: Stage, step: Step) -> None:
    """The client asks for the seat that it had."""
    match = stage.match(step)
    request = stage.talk.expect("take_seat", f"claims its seat of the match {match.name}", match.name)
    if not request.take_seat.HasField("seat") or request.take_seat.seat != match.dialogue.seat:
        raise CaseFailed(f"the client asks for another seat than the one that it had, {match.dialogue.seat}")


def _decline(stage: Stage, step: Step) -> None:
    """The client gives the seat back that it was offered, since it does not know what the match requires."""
    match = stage.match(step)
    declined = stage.talk.expect("decline_seat", f"declines its seat of the match {match.name}", match.name).decline_seat
    if declined.reason != UNKNOWN_REQUIREMENT:
        raise CaseFailed(f"the client declines the seat for {declined.reason!r}, expected is {UNKNOWN_REQUIREMENT!r}")


def _no_seat(stage: Stage, step: Step) -> None:
    """No seat is given."""
    refuse_seat(stage, step.values[0], stage.match(step).name if "claimed" in step.values else "")


def _offer(stage: Stage, step: Step) -> None:
    """A seat is given; with `joint`, in a match whose deal comes from all, with `strange=…` in one of a newer referee's."""
    match = stage.match(step)
    stage.talk.send(_offered(match, step))


def _offered(match: Match, step: Step) -> PlayResponse:
    response = referee_pb2.PlayResponse(match=match.name, match_offered=match.dialogue.offered)
    if "joint" in step.values:
        response.match_offered.deal_mode = match_pb2.DEAL_MODE_JOINT
        response.match_offered.commitment = COMMITMENT
        response.match_offered.requires.append("joint-deal")
    if "strange" in step.settings:
        STRANGE_OFFERS[step.settings["strange"]](response)
    return response


def _ready(stage: Stage, step: Step) -> None:
    """In joint mode the client promises its part of the seed, after a break the same one."""
    match = stage.match(step)
    ready = stage.talk.expect("seat_ready", "promises its part of the seed", match.name).seat_ready
    if match.promise and match.promise != ready.commitment:
        raise CaseFailed("the part of the seed that is promised is another one than before the break")
    match.promise = ready.commitment


def _reveal(stage: Stage, step: Step) -> None:
    """The client is told what all have promised, and reveals its part."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse(match=match.name)
    for seat in range(match.dialogue.offered.seats):
        response.seats_committed.commitments.append(match.promise if seat == match.dialogue.seat else COMMITMENT)
    stage.talk.send(response)
    part = stage.talk.expect("seat_reveal", "reveals its part of the seed", match.name).seat_reveal.part
    if len(part) != CONTRIBUTION_BYTES:
        raise CaseFailed(f"the part of the seed has {len(part)} bytes, expected are {CONTRIBUTION_BYTES}")
    if len(set(part)) == 1:
        raise CaseFailed("the part of the seed is no chance: all its bytes are the same")
    if match.promise != seat_commitment(COMMITMENT, match.dialogue.seat, part):
        raise CaseFailed("the part of the seed is not the one that was promised")


def _start(stage: Stage, step: Step) -> None:
    """The match starts."""
    match = stage.match(step)
    match.begun = True
    stage.talk.send(referee_pb2.PlayResponse(match=match.name, match_started=match.dialogue.started))


def _again(stage: Stage, step: Step) -> None:
    """After a break: the match as it is now, what the client has missed, and, unless it is `settled`, the open question."""
    match = stage.match(step)
    response = _offered(match, step)
    if match.begun:
        response.match_started.CopyFrom(match.dialogue.started)
        question = match.open
        if question is not None:
            response.match_started.view.CopyFrom(question.response.decision.view)
            if "settled" not in step.values:
                response.decision.CopyFrom(question.response.decision)
            match.told = question.response.decision.view.last_event
        response.events.extend(_events(match, match.seen))
    stage.talk.send(response)


def _events(match: Match, seen: int) -> list[Event]:
    """What has happened up to the last question that was put, and was not seen."""
    happened = (event for question in match.dialogue.questions[: match.asked] for event in question.response.events)
    return [event for event in happened if event.number > seen]


def _ask(stage: Stage, step: Step) -> None:
    """The next question, behind what has happened.

    `from=N` goes on with question N, `strange=…` makes it a newer referee's; an `unsent` one is put while there is no stream.
    """
    match = stage.match(step)
    match.asked = int(step.settings.get("from", match.asked + 1)) - 1
    put_next(stage, match, step.settings.get("strange", ""), is_sent="unsent" not in step.values)


def put_next(stage: Stage, match: Match, strange: str = "", *, is_sent: bool = True) -> None:
    """Puts the next question."""
    question = match.open = match.dialogue.questions[match.asked]
    match.answer = None
    match.asked += 1
    if not is_sent:
        match.to_accept = 0
        return
    response = referee_pb2.PlayResponse(match=match.name, decision=question.response.decision)
    response.events.extend(_events(match, match.told))
    if strange:
        STRANGE[strange](response)
    match.told = response.decision.view.last_event
    _send(stage, match, response)


def _send(stage: Stage, match: Match, response: PlayResponse) -> None:
    """Sends news of a match: at once, or each by itself where the client wants events as they happen."""
    is_immediate = stage.talk.session.hello.event_mode == referee_pb2.EVENT_MODE_IMMEDIATE
    if match.to_accept:
        accepted = referee_pb2.PlayResponse(match=match.name)
        accepted.answer_accepted.decision = match.to_accept
        match.to_accept = 0
        if is_immediate:
            stage.talk.send(accepted)
        else:
            response.answer_accepted.CopyFrom(accepted.answer_accepted)
    if is_immediate:
        for event in response.events:
            stage.talk.send(referee_pb2.PlayResponse(match=match.name, events=[event]))
        del response.events[:]
    stage.talk.send(response)


def _repeat(stage: Stage, step: Step) -> None:
    """The last question comes again, on the same stream."""
    match = stage.match(step)
    assert match.open is not None, "there is a question to repeat"
    response = referee_pb2.PlayResponse(match=match.name, decision=match.open.response.decision)
    stage.talk.send(response)


def _old(stage: Stage, step: Step) -> None:
    """The question before the last one comes again."""
    match = stage.match(step)
    decision = match.dialogue.questions[match.asked - 2].response.decision
    stage.talk.send(referee_pb2.PlayResponse(match=match.name, decision=decision))


def _answer(stage: Stage, step: Step) -> None:
    """The client answers the open question; with `default`, by its default; with `legal`, as it likes; with `same`, as before."""
    wanted = next((value for value in step.values if value in ("default", "legal", "same")), "")
    take_answer(stage, stage.match(step), wanted)


def take_answer(stage: Stage, match: Match, wanted: str = "") -> None:
    """Waits for an answer, and checks it."""
    question = match.open
    assert question is not None, "there is a question to answer"
    request = stage.talk.expect("answer", f"answers decision {question.number}", match.name)
    claim = type(stage.claim).ANY if wanted == "legal" else stage.claim
    check_answer(request.answer, question, claim, wanted="default" if wanted == "default" else "")
    if wanted == "same" and match.answer is not None and request.answer != match.answer.answer:
        raise CaseFailed(f"the answer to decision {question.number} is another one than before")
    match.answer = request
    match.confirmed = match.told
    match.to_accept = question.number


def _accept(stage: Stage, step: Step) -> None:
    """The answer is acknowledged by itself, perhaps once more."""
    match = stage.match(step)
    assert match.open is not None, "there is an answer to acknowledge"
    response = referee_pb2.PlayResponse(match=match.name)
    response.answer_accepted.decision = match.open.number
    match.to_accept = 0
    stage.talk.send(response)


def _refuse(stage: Stage, step: Step) -> None:
    """The answer is refused, with a reason; `left=N` says how many more may be."""
    match = stage.match(step)
    assert match.open is not None, "there is an answer to refuse"
    response = referee_pb2.PlayResponse(match=match.name)
    refused = response.answer_refused
    refused.decision = int(step.settings.get("decision", match.open.number))
    refused.problem.reason = step.values[0]
    refused.problem.text = "said by the case"
    if "left" in step.settings:
        refused.refusals_left = int(step.settings["left"])
        match.to_accept = 0
    stage.talk.send(response)


def _default(stage: Stage, step: Step) -> None:
    """A default is taken."""
    match = stage.match(step)
    assert match.open is not None, "there is a question to settle"
    response = referee_pb2.PlayResponse(match=match.name)
    taken = response.default_taken
    taken.decision = match.open.number
    taken.cause = match_pb2.FaultCause.Value(f"FAULT_CAUSE_{step.values[0].upper()}")
    taken.text = "said by the case"
    taken.defaults_left = 4
    match.to_accept = 0
    stage.talk.send(response)


def _play(stage: Stage, step: Step) -> None:
    """So many questions, or all that are left, and their answers."""
    match = stage.match(step)
    left = len(match.dialogue.questions) - match.asked
    count = left if "all" in step.values else int(step.values[0])
    for _ in range(count):
        put_next(stage, match)
        take_answer(stage, match)


def _end(stage: Stage, step: Step) -> None:
    """The match is over, as it was when it was recorded."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse()
    response.CopyFrom(match.dialogue.end)
    match.over = True
    _send(stage, match, response)


def _void(stage: Stage, step: Step) -> None:
    """The match is over before its end, and nobody has won."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse(match=match.name)
    response.match_ended.ending = match_pb2.ENDING_VOIDED
    response.match_ended.text = "voided by the case"
    match.over = True
    _send(stage, match, response)


def _stranger(stage: Stage, step: Step) -> None:
    """Something about a match that the client does not know."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse()
    response.CopyFrom(match.dialogue.questions[0].response)
    response.match = "no-match-of-yours"
    stage.talk.send(response)


STEPS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {
    "seat": _seat,
    "claim": _claim,
    "decline": _decline,
    "no-seat": _no_seat,
    "offer": _offer,
    "ready": _ready,
    "reveal": _reveal,
    "start": _start,
    "again": _again,
    "ask": _ask,
    "repeat": _repeat,
    "old": _old,
    "answer": _answer,
    "accept": _accept,
    "refuse": _refuse,
    "default": _default,
    "play": _play,
    "end": _end,
    "void": _void,
    "stranger": _stranger,
}
"""By word."""
