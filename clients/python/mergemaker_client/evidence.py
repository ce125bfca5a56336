"""The referee's measurements of a fault, and its name for the operator, as a line for the bot's author."""

from typing import Final

from mergemaker.v1 import match_pb2, referee_pb2

_WHOSE: Final = {
    match_pb2.AT_FAULT_BOT: "the bot's fault",
    match_pb2.AT_FAULT_NETWORK: "the way's fault",
    match_pb2.AT_FAULT_REFEREE: "the referee's fault, and nothing is charged",
    match_pb2.AT_FAULT_NOBODY: "nobody's fault",
}
_US_PER_MS: Final = 1_000


def evidence_text(evidence: match_pb2.Evidence) -> str:
    """Whose fault it was, why, and when things happened. A value that is newer than this library is shown as its number."""
    whose = _WHOSE.get(evidence.at_fault, f"fault of {evidence.at_fault}")
    text = f"{whose}: {evidence.text}"
    if evidence.moments:
        moments = ", ".join(f"{_moment_name(moment.kind)} {_ms(moment.at_us)}" for moment in evidence.moments)
        text += f" (in ms: {moments})"
    if evidence.transport_lag_us or evidence.referee_lag_us:
        lags = f"its transport for {_ms(evidence.transport_lag_us)} ms, itself for {_ms(evidence.referee_lag_us)} ms"
        text += f"; the referee was held up meanwhile, {lags}"
    return text + asked_by(evidence.trace)


def problem_text(problem: referee_pb2.Problem) -> str:
    """What was wrong with a request: its stable reason, the text, and the rule if there is one."""
    rule = f" [{problem.rule}]" if problem.rule else ""
    return f"({problem.reason}): {problem.text}{rule}"


def asked_by(trace: str) -> str:
    """The name for questions to the operator; empty if there is none."""
    return f"; ask the operator about {trace}" if trace else ""


def default_text(taken: referee_pb2.DefaultTaken) -> str:
    """A default that was taken for the bot."""
    cause = match_pb2.FaultCause.Name(taken.cause) if taken.cause in match_pb2.FaultCause.values() else str(taken.cause)
    word = cause.removeprefix("FAULT_CAUSE_").lower().replace("_", " ")
    said = (
        f"a default was taken for decision {taken.decision} ({word}): {taken.text}; "
        f"{taken.defaults_left} more, and the seat is no longer asked"
    )
    return f"{said}; {evidence_text(taken.evidence)}" if taken.HasField("evidence") else said


def _moment_name(kind: int) -> str:
    name = match_pb2.MomentKind.Name(kind) if kind in match_pb2.MomentKind.values() else str(kind)  # type: ignore[arg-type]  # looked up before
    return name.removeprefix("MOMENT_KIND_").lower()


def _ms(microseconds: int) -> str:
    return f"{microseconds / _US_PER_MS:,.1f}"
