"""An instant bot: it derives its answer from its decision's id, and reads no more of a message than it needs."""

from typing import Final

from mergemaker.v1 import referee_pb2

SEATS: Final = 4
PROTOCOL: Final = 1
_MIX: Final = 0x9E37_79B1
"""Spreads the ids of decisions over 32 bits."""


def bot_name(table: int, seat: int) -> str:
    """The name of the bot at a seat."""
    return f"bench-{table}-{seat}"


def bot_token(table: int, seat: int) -> str:
    """Its token."""
    return f"mmb_{bot_name(table, seat)}"


def place_of(token: str | None) -> tuple[int, int]:
    """The table and the seat whose bot has a token."""
    _, table, seat = (token or "").split("-")
    return int(table), int(seat)


def hello(*, held: bool) -> bytes:
    """The first request of a stream."""
    mode = referee_pb2.EVENT_MODE_HELD if held else referee_pb2.EVENT_MODE_IMMEDIATE
    return referee_pb2.PlayRequest(
        hello=referee_pb2.Hello(protocols=[PROTOCOL], library="benchmark", event_mode=mode)
    ).SerializeToString()


def take_seat() -> bytes:
    """The request for a seat, of whatever match has one for this bot."""
    return referee_pb2.PlayRequest(take_seat=referee_pb2.TakeSeat()).SerializeToString()


def pong(ping: referee_pb2.Ping) -> bytes:
    """The sign of life for a request."""
    return referee_pb2.PlayRequest(pong=referee_pb2.Pong(id=ping.id)).SerializeToString()


def answer_to(response: referee_pb2.PlayResponse) -> bytes:
    """The answer to the decision in a response: one of the legal ones, and not always the same."""
    decision = response.decision
    index = (decision.id * _MIX % 2**32) * decision.answers.count >> 32
    return referee_pb2.PlayRequest(
        match=response.match, answer=referee_pb2.Answer(decision=decision.id, index=index)
    ).SerializeToString()
