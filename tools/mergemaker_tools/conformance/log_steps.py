"""Steps about what the client writes: standard error, and the trace.

They belong after the step that ends the client's process, when everything is written.
"""

import json
from collections.abc import Callable, Mapping
from typing import Final

from google.protobuf.json_format import ParseDict, ParseError
from mergemaker.v1 import referee_pb2

from mergemaker_tools.conformance.backoff import problem_of, said_waits
from mergemaker_tools.conformance.cases import Step
from mergemaker_tools.conformance.stage import Stage
from mergemaker_tools.conformance.talk import CaseFailed


def _standard_error(stage: Stage) -> str:
    return stage.said.read_text("utf-8", errors="replace")


def _says(stage: Stage, step: Step) -> None:
    """One line of the client's standard error has all of these; without any, there is a line."""
    lines = [line for line in _standard_error(stage).splitlines() if line.strip()]
    if any(all(value in line for value in step.values) for line in lines):
        return
    if not lines:
        raise CaseFailed("the client says nothing on standard error")
    for value in step.values:
        if not any(value in line for line in lines):
            raise CaseFailed(f"the client says nothing of {value!r} on standard error")
    raise CaseFailed(f"no line of the client's standard error has all of {', '.join(map(repr, step.values))}")


def _hides(stage: Stage, _: Step) -> None:
    """The client's standard error shows no token."""
    said = _standard_error(stage)
    if any(token in said for token in (stage.token, *stage.talk.session.tokens)):
        raise CaseFailed("a token stands on the client's standard error")


def _waits(stage: Stage, _: Step) -> None:
    """The client waited between its attempts as the guide says, and said so."""
    problem = problem_of(stage.waits, said_waits(_standard_error(stage)))
    if problem is not None:
        raise CaseFailed(problem)


def _traced(stage: Stage, _: Step) -> None:
    """The trace holds every message that was sent and received, and no token."""
    text = stage.trace.read_text("utf-8") if stage.trace.exists() else ""
    if stage.token in text or any(token in text for token in stage.talk.session.tokens):
        raise CaseFailed("a token stands in the trace")
    counts = {"sent": 0, "received": 0, "stream": 0}
    kinds = {"sent": referee_pb2.PlayRequest, "received": referee_pb2.PlayResponse}
    for line in text.splitlines():
        try:
            entry = json.loads(line)
            counts[entry["direction"]] += 1
            assert entry["at"]
            if entry["direction"] in kinds:
                ParseDict(entry["message"], kinds[entry["direction"]](), ignore_unknown_fields=True)
        except (ValueError, KeyError, AssertionError, ParseError) as error:
            raise CaseFailed(f"a line of the trace is not as in the guide ({error!r}): {line[:300]}") from error
    for direction, count in (("sent", stage.transcript.requests), ("received", stage.transcript.responses)):
        if counts[direction] != count:
            raise CaseFailed(f"the trace has {counts[direction]} messages that were {direction}, expected are {count}")


STEPS: Final[Mapping[str, Callable[[Stage, Step], None]]] = {
    "says": _says,
    "hides": _hides,
    "waits": _waits,
    "traced": _traced,
}
"""By word."""
