"""What the scripted referee says of a fault or an end, so that a case can look for it on the client's standard error."""

from typing import Final

from mergemaker.v1 import match_pb2
from mergemaker_engine.record.receipts import END_HASH_BYTES

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


def receipt(match: str) -> match_pb2.Receipt:
    """What to keep of a match: its text has all characters that other kinds of base64 write otherwise."""
    return match_pb2.Receipt(match=match, line=b"\xfb" * END_HASH_BYTES, game=bytes(END_HASH_BYTES))
