"""What the scripted referee says of a fault, so that a case can look for it on the client's standard error."""

from typing import Final

from mergemaker.v1 import match_pb2

SAID: Final = "said by the case"
"""What the referee says in words."""
REFUSAL_TRACE: Final = "trace-of-the-refusal"
GOODBYE_TRACE: Final = "trace-of-the-goodbye"
"""By what name the operator finds it."""


def evidence() -> match_pb2.Evidence:
    """What the referee measured: 0.5 and 123.5 ms after the question, by the bot's fault."""
    found = match_pb2.Evidence(
        at_fault=match_pb2.AT_FAULT_BOT, reason="refused", text="measured by the case", trace="trace-of-the-evidence"
    )
    found.moments.add(kind=match_pb2.MOMENT_KIND_HANDED, at_us=500)
    found.moments.add(kind=match_pb2.MOMENT_KIND_RECEIVED, at_us=123_500)
    return found
