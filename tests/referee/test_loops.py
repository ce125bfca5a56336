"""The transport's loop: where a call is over, gRPC gets no exception, so that it frees what it could not send."""

import asyncio
from collections.abc import Callable

import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # gRPC's types leave it out
from mergemaker_referee.rpc.loops import CALL_IS_OVER, new_loop

SENT_S = 10.0
"""A guard against a hang."""


@pytest.fixture(params=[True, False], ids=["fast", "usual"])
def loop(request: pytest.FixtureRequest) -> object:
    made = new_loop(fast=request.param)
    yield made
    made.close()


def test_this_version_of_grpc_has_the_exception() -> None:
    assert CALL_IS_OVER is cygrpc.ExecuteBatchError, "look up what gRPC raises now, and whether it still keeps the message"


def test_a_call_that_is_over_is_no_exception(loop: asyncio.AbstractEventLoop) -> None:
    future = loop.create_future()
    future.set_exception(CALL_IS_OVER("the call is over"))
    assert loop.run_until_complete(asyncio.wait_for(future, SENT_S)) is None


@pytest.mark.parametrize("other", [cygrpc.UsageError, cygrpc.InternalError, ValueError])
def test_all_other_exceptions_are_raised(loop: asyncio.AbstractEventLoop, other: Callable[[str], Exception]) -> None:
    future = loop.create_future()
    future.set_exception(other("something else"))
    with pytest.raises(Exception, match="something else"):
        loop.run_until_complete(asyncio.wait_for(future, SENT_S))
