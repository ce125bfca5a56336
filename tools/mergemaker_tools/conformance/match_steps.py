"""Steps about a match: its seat, its questions and answers, its end."""

from collections.abc import Callable, Mapping
from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2
from mergemaker.v1.events_pb2 import Event
from mergemaker.v1.referee_pb2 import PlayResponse

from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.checks import check_answer
from mergemaker_tools.conformance.evidence import REFUSAL_TRACE, SAID, evidence, receipt
from mergemaker_tools.conformance.promises import FALSE_PROMISES, PROMISES
from mergemaker_tools.conformance.session_steps import refuse_seat
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.strange import STRANGE, STRANGE_OFFERS
from mergemaker_tools.conformance.talk import CaseFailed, Match

UNKNOWN_REQUIREMENT: Final = "unknown-requirement"
_DEFAULTS_LEFT: Final = 4


def _seat(stage: Stage, _: Step) -> None:
    """The client asks for a seat in any match."""
    stage.talk.expect("take_seat", "asks for a seat, of any match")


def _claim(stage: Stage, step: Step) -> None:
    """The client asks for the seat that it had before."""
    match = stage.match(step)
    request = stage.talk.expect("take_seat", f"claims its seat of the match {match.name}", match.name)
    if not request.take_seat.HasField("seat") or request.take_seat.seat != match.dialogue.seat:
        raise CaseFailed(f"the client asks for another seat than the one that it had, {match.dialogue.seat}")


def _decline(stage: Stage, step: Step) -> None:
    """The client gives back the seat that it was offered, because it does not know what the match requires."""
    match = stage.match(step)
    declined = stage.talk.expect("decline_seat", f"declines its seat of the match {match.name}", match.name).decline_seat
    if declined.reason != UNKNOWN_REQUIREMENT:
        raise CaseFailed(f"the client declines the seat for {declined.reason!r}, expected is {UNKNOWN_REQUIREMENT!r}")


def _no_seat(stage: Stage, step: Step) -> None:
    """The referee refuses a seat."""
    refuse_seat(stage, step.values[0], stage.match(step).name if "claimed" in step.values else "")


def _offer(stage: Stage, step: Step) -> None:
    """The client gets a seat.

    `server` and `joint` say what is promised of the deal; `other` and `none` make a false promise in server mode. With
    `strange=…` the match is one of a newer referee.
    """
    match = stage.match(step)
    mode = next((value for value in step.values if value in PROMISES), "plain")
    match.promise.make(mode, next((value for value in step.values if value in FALSE_PROMISES), ""))
    stage.talk.send(_offered(match, step))


def _offered(match: Match, step: Step) -> PlayResponse:
    response = referee_pb2.PlayResponse(match=match.name, match_offered=match.dialogue.offered)
    match.promise.put_into(response.match_offered, is_changed="changed" in step.values)
    if "strange" in step.settings:
        STRANGE_OFFERS[step.settings["strange"]](response)
    return response


def _start(stage: Stage, step: Step) -> None:
    """The match starts."""
    match = stage.match(step)
    match.begun = True
    stage.talk.send(referee_pb2.PlayResponse(match=match.name, match_started=match.dialogue.started))


def _again(stage: Stage, step: Step) -> None:
    """After a break: the match as it is now, what the client has missed, and the open question.

    `settled`: no question is open; `changed`: the promise of the deal is another one than before the break.
    """
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
    """The events up to the last question that the client has not seen."""
    happened = (event for question in match.dialogue.questions[: match.asked] for event in question.response.events)
    return [event for event in happened if event.number > seen]


def _ask(stage: Stage, step: Step) -> None:
    """The referee sends the events since the previous question, and asks the next one.

    `from=N` goes on with question N. `strange=…` makes the question one of a newer referee. An `unsent` question is asked while
    there is no stream.
    """
    match = stage.match(step)
    match.asked = int(step.settings.get("from", match.asked + 1)) - 1
    put_next(stage, match, step.settings.get("strange", ""), is_sent="unsent" not in step.values)


def put_next(stage: Stage, match: Match, strange: str = "", *, is_sent: bool = True) -> None:
    """Asks the next question."""
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
    """Sends news of a match: in one response, or in several if the client wants events as they happen."""
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
    """The referee sends the last question again, on the same stream."""
    match = stage.match(step)
    assert match.open is not None, "there is a question to repeat"
    response = referee_pb2.PlayResponse(match=match.name, decision=match.open.response.decision)
    stage.talk.send(response)


def _old(stage: Stage, step: Step) -> None:
    """The referee sends the question before the last one again."""
    match = stage.match(step)
    decision = match.dialogue.questions[match.asked - 2].response.decision
    stage.talk.send(referee_pb2.PlayResponse(match=match.name, decision=decision))


def _answer(stage: Stage, step: Step) -> None:
    """The client answers the open question. `default`: by its default; `legal`: by any legal answer; `same`: as before."""
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
    """The referee acknowledges the answer in a response of its own, perhaps for a second time."""
    match = stage.match(step)
    assert match.open is not None, "there is an answer to acknowledge"
    response = referee_pb2.PlayResponse(match=match.name)
    response.answer_accepted.decision = match.open.number
    match.to_accept = 0
    stage.talk.send(response)


def _refuse(stage: Stage, step: Step) -> None:
    """The referee refuses the answer, with a reason.

    `left=N` says how many more refusals may follow, `evidence` adds what was measured.
    """
    match = stage.match(step)
    assert match.open is not None, "there is an answer to refuse"
    response = referee_pb2.PlayResponse(match=match.name)
    refused = response.answer_refused
    refused.decision = int(step.settings.get("decision", match.open.number))
    refused.problem.reason = step.values[0]
    refused.problem.text = SAID
    refused.problem.trace = REFUSAL_TRACE
    if "evidence" in step.values:
        refused.evidence.CopyFrom(evidence())
    if "left" in step.settings:
        refused.refusals_left = int(step.settings["left"])
        match.to_accept = 0
    stage.talk.send(response)


def _default(stage: Stage, step: Step) -> None:
    """The referee takes a default; `evidence` adds what was measured."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse(match=match.name, default_taken=_taken(match, step))
    match.to_accept = 0
    stage.talk.send(response)


def _taken(match: Match, step: Step) -> referee_pb2.DefaultTaken:
    assert match.open is not None, "there is a question to settle"
    taken = referee_pb2.DefaultTaken(decision=match.open.number, text=SAID, defaults_left=_DEFAULTS_LEFT)
    taken.cause = match_pb2.FaultCause.Value(f"FAULT_CAUSE_{step.values[0].upper()}")
    if "evidence" in step.values:
        taken.evidence.CopyFrom(evidence())
    return taken


def _play(stage: Stage, step: Step) -> None:
    """The referee asks this many questions, or all that are left, and the client answers each."""
    match = stage.match(step)
    left = len(match.dialogue.questions) - match.asked
    count = left if "all" in step.values else int(step.values[0])
    for _ in range(count):
        put_next(stage, match)
        take_answer(stage, match)


def _end(stage: Stage, step: Step) -> None:
    """The match ends as it was recorded; `proof=…` is what the referee shows of the deal, `receipt` adds a receipt."""
    match = stage.match(step)
    response = referee_pb2.PlayResponse()
    response.CopyFrom(match.dialogue.end)
    _over(stage, match, step, response)


def _void(stage: Stage, step: Step) -> None:
    """The match ends early, and nobody wins.

    `proof=…` is what the referee shows of the deal, `evidence` adds why the match is void. `timeout` says that a default was
    taken for the open question, of which the client was not told before. `receipt` adds a receipt.
    """
    match = stage.match(step)
    response = referee_pb2.PlayResponse(match=match.name)
    ended = response.match_ended
    ended.ending = match_pb2.ENDING_VOIDED
    ended.text = "voided by the case"
    if "timeout" in step.values:
        ended.defaults.append(_taken(match, step))
    elif "evidence" in step.values:
        ended.voided.CopyFrom(evidence())
    _over(stage, match, step, response)


def _over(stage: Stage, match: Match, step: Step, response: PlayResponse) -> None:
    if "proof" in step.settings:
        response.match_ended.proof.CopyFrom(match.promise.proof(step.settings["proof"]))
    if "receipt" in step.values:
        response.match_ended.receipt.CopyFrom(receipt(match.name))
    match.over = True
    _send(stage, match, response)


def _stranger(stage: Stage, step: Step) -> None:
    """The referee sends a question about a match that the client does not know."""
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
