"""Steps about the stream and the process: hello and goodbye, pings, the end."""

import time
from collections.abc import Callable, Mapping
from typing import Final

from mergemaker.v1 import referee_pb2
from mergemaker_processes.endings import Exited

from mergemaker_tools.conformance.backoff import Wait
from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.checks import PROTOCOL, check_hello, check_resume
from mergemaker_tools.conformance.evidence import GOODBYE_TRACE, SAID
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.talk import MATCHES_MAX, NOTE_BYTES_MAX, POLL_S, REQUEST_BYTES_MAX, UNKNOWN_FIELD, CaseFailed

PONG_MS_MAX: Final = 30_000
NANOSECONDS_IN_MS: Final = 1_000_000
_EVENT_MODES: Final = {"held": referee_pb2.EVENT_MODE_HELD, "immediate": referee_pb2.EVENT_MODE_IMMEDIATE}


def _hello(stage: Stage, step: Step) -> None:
    """The client opens a stream, and says Hello.

    `after=MS`: not earlier than that after the break. `attempt=N`: this was attempt N, so that `waits` judges the wait before it.
    """
    talk = stage.talk
    stream = talk.next_stream()
    request = talk.expect("hello", "says Hello first")
    check_hello(request.hello, stream.authorization, stage.token)
    seen = check_resume(request.hello, talk.session, talk.matches.values(), expected=bool(talk.session.tokens))
    talk.session.hello = request.hello
    for match in talk.matches.values():
        match.seen = seen.get(match.name, 0)
    waited_ms = (stream.opened_ns - talk.broke_ns) // NANOSECONDS_IN_MS
    if "attempt" in step.settings:
        is_playing = any(match.begun and not match.over for match in talk.matches.values())
        stage.waits.append(Wait(int(step.settings["attempt"]), is_playing, talk.least_ms, waited_ms))
    if "after" in step.settings and waited_ms < int(step.settings["after"]):
        raise CaseFailed(f"the client came back after {waited_ms} ms, expected are at least {step.settings['after']}")
    if "matches" in step.settings and request.hello.matches_max != int(step.settings["matches"]):
        raise CaseFailed(f"Hello.matches_max is {request.hello.matches_max}, expected is {step.settings['matches']}")
    if "events" in step.settings and request.hello.event_mode != _EVENT_MODES[step.settings["events"]]:
        raise CaseFailed(f"Hello.event_mode is {request.hello.event_mode}, expected are {step.settings['events']} events")


def _welcome(stage: Stage, step: Step) -> None:
    """The referee answers the Hello; `lost`: it does not know the earlier session."""
    session = stage.talk.session
    response = referee_pb2.PlayResponse()
    welcome = response.welcome
    welcome.resumed = bool(session.tokens) and "lost" not in step.values
    session.tokens.append(f"resume-{len(session.tokens) + 1}-{stage.token[:8]}")
    welcome.protocol = PROTOCOL
    welcome.session = "conformance-1"
    welcome.resume_token = session.tokens[-1]
    welcome.software = "mergemaker conform"
    welcome.bot_name = session.hello.bot_name
    limits = welcome.limits
    limits.request_bytes_max = REQUEST_BYTES_MAX
    limits.note_bytes_max = NOTE_BYTES_MAX
    limits.unread_bytes_max = 1_048_576
    limits.requests_per_s_max = 1_000
    limits.matches_max = int(step.settings.get("matches", MATCHES_MAX))
    limits.pong_ms_max = PONG_MS_MAX
    stage.talk.send(response)


def _status(stage: Stage, step: Step) -> None:
    """The referee ends the stream with a status."""
    assert stage.talk.stream is not None, "there is a stream to end"
    stage.talk.broke_ns = time.monotonic_ns()
    stage.talk.least_ms = 0
    stage.talk.stream.end(step.values[0], SAID)


def _goodbye(stage: Stage, step: Step) -> None:
    """The referee ends the stream, and says why."""
    response = referee_pb2.PlayResponse()
    response.goodbye.reason = step.values[0]
    response.goodbye.text = SAID
    response.goodbye.trace = GOODBYE_TRACE
    response.goodbye.reconnect = "reconnect" in step.values
    response.goodbye.reconnect_after_ms = stage.talk.least_ms = int(step.settings.get("wait", "0"))
    stage.talk.send(response)
    stage.talk.broke_ns = time.monotonic_ns()
    assert stage.talk.stream is not None, "there is a stream to end"
    stage.talk.stream.end(step.settings.get("status", "UNAVAILABLE"), SAID)


def _ping(stage: Stage, step: Step) -> None:
    """The referee sends a Ping."""
    response = referee_pb2.PlayResponse()
    response.ping.id = int(step.values[0])
    stage.talk.pings.add(response.ping.id)
    stage.talk.send(response)


def _pong(stage: Stage, _: Step) -> None:
    """The client answers every Ping before it sends anything else."""
    stage.talk.await_pongs()


def _wait(stage: Stage, step: Step) -> None:
    """The referee does nothing for this many milliseconds."""
    del stage
    time.sleep(int(step.values[0]) / 1_000)


def _nothing(stage: Stage, step: Step) -> None:
    """The client sends nothing for this many milliseconds."""
    time.sleep(int(step.values[0]) / 1_000)
    stage.check_nothing()


def _newer(stage: Stage, _: Step) -> None:
    """From here on every response has an unknown field."""
    stage.talk.extra = UNKNOWN_FIELD


def _closed(stage: Stage, _: Step) -> None:
    """The client closes its side of the stream, and the referee ends it."""
    request = stage.talk.next("closes its side of the stream")
    if request is not None:
        raise CaseFailed(f"expected that the client closes its side of the stream; what came is {request.WhichOneof('kind')}")
    assert stage.talk.stream is not None, "it was listened to"
    stage.talk.stream.end()


def _leave(stage: Stage, step: Step) -> None:
    """The client gets no more seats, closes its side of the stream, and ends with this status, usually 0."""
    talk = stage.talk
    while (request := talk.next_of_any("asks for another seat, or closes its side of the stream")) is not None:
        kind = request.WhichOneof("kind")
        if kind == "take_seat":
            refuse_seat(stage, "match-over")
        elif kind != "answer" or not talk.has_crossed(request):
            raise CaseFailed(f"expected is a request for a seat, or the end of the stream; what came is {kind}")
    assert talk.stream is not None, "it was listened to"
    talk.stream.end()
    _end_with(stage, tuple(map(int, step.values)) or (0,))


def refuse_seat(stage: Stage, reason: str, match: str = "") -> None:
    """Refuses a seat."""
    response = referee_pb2.PlayResponse(match=match)
    response.request_refused.request = "take_seat"
    response.request_refused.problem.reason = reason
    response.request_refused.problem.text = SAID
    stage.talk.send(response)


def _exit(stage: Stage, step: Step) -> None:
    """The client's process ends with one of these statuses, and does not come back."""
    _end_with(stage, tuple(map(int, step.values)))


def _end_with(stage: Stage, statuses: tuple[int, ...]) -> None:
    process = stage.process
    assert process is not None, "the client was started"
    until = time.monotonic() + stage.limit_s
    while (ending := process.wait(POLL_S)) is None and not stage.talk.has_stream():
        if time.monotonic() > until:
            raise CaseFailed(f"the client's process did not end within {stage.limit_s:.0f} s")
    if stage.talk.has_stream():
        raise CaseFailed("the client has opened another stream, which it should not")
    if not isinstance(ending, Exited) or ending.status not in statuses:
        raise CaseFailed(f"the client's process ended: {ending}; expected is exit status {' or '.join(map(str, statuses))}")


def _terminate(stage: Stage, _: Step) -> None:
    """The client's process gets SIGTERM."""
    assert stage.process is not None, "the client was started"
    stage.process.ask_to_stop(stage.limit_s)


def _unheard(stage: Stage, _: Step) -> None:
    """The client has opened no stream."""
    if stage.talk.has_stream():
        raise CaseFailed("the client has opened a stream, which it should not")


STEPS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {
    "hello": _hello,
    "welcome": _welcome,
    "status": _status,
    "goodbye": _goodbye,
    "ping": _ping,
    "pong": _pong,
    "wait": _wait,
    "nothing": _nothing,
    "newer": _newer,
    "closed": _closed,
    "leave": _leave,
    "exit": _exit,
    "terminate": _terminate,
    "unheard": _unheard,
}
"""By word."""
