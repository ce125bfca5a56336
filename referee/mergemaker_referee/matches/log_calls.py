"""The public log as everybody may read it."""

from collections.abc import Callable
from typing import Final

from mergemaker.v1 import public_log_pb2
from mergemaker_engine.record.public_log import Head

from mergemaker_referee.connections import CloseCode
from mergemaker_referee.matches.operator_calls import CallProblem, read
from mergemaker_referee.records.public_log import PublicLog

LINES_MAX: Final = 1_000
"""The most lines of a page. A page has fewer if its bytes are at their limit."""


def _head_message(head: Head) -> public_log_pb2.LogHead:
    return public_log_pb2.LogHead(entries=head.entries, hash=head.hash)


def log_heads(log: PublicLog | None) -> Callable[[], public_log_pb2.LogHead] | None:
    """Finds the head at the time, as a Welcome has it; None if there is no log."""
    return None if log is None else lambda: _head_message(log.head)


def log_entries(log: PublicLog | None, match: str) -> public_log_pb2.LogEntries | None:
    """Where the log tells of a match; None if there is no log."""
    if log is None:
        return None
    begin, end = log.numbers_of(match)
    return public_log_pb2.LogEntries(begin=begin, end=end)


async def read_log(log: PublicLog | None, data: bytes) -> bytes:
    """The response to a call that asks for a page."""
    request = read(public_log_pb2.ReadLogRequest, data)
    if log is None:
        raise CallProblem(CloseCode.UNIMPLEMENTED, "no-public-log", "this referee keeps no public log")
    if request.lines_max > LINES_MAX:
        text = f"a page has 1 to {LINES_MAX} lines, not {request.lines_max}"
        raise CallProblem(CloseCode.INVALID_ARGUMENT, "bad-page-size", text)
    head, lines = await log.page(request.first or 1, request.lines_max or LINES_MAX)
    return public_log_pb2.ReadLogResponse(head=_head_message(head), lines=lines).SerializeToString()
