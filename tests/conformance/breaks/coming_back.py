"""Breaks of how a client comes back after its stream has ended, and how long it waits."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from mergemaker.v1.referee_pb2 import PlayRequest, Welcome
from mergemaker_client import connection
from mergemaker_client.outputs import Again, Notice, Output, Over, Send
from mergemaker_client.problems import TakenOver
from mergemaker_client.protocol import Conversation
from mergemaker_client.reconnecting import Backoff

from tests.conformance.breaks.registry import breaks, put

MIDDLE: Final = 0.5
"""Out of chances from 0 to 1."""
WAIT: Final = re.compile(r"in (\d+) ms")


def _comes_back(if_so: Callable[[Conversation, Over], bool]) -> None:
    """Comes back after an end that was final."""

    def broke(self: Conversation, code: str, text: str) -> Again | Over:
        found: Again | Over = real(self, code, text)
        is_done = self._closing is not None
        return Again(0) if isinstance(found, Over) and not is_done and if_so(self, found) else found

    real = put(Conversation, "broke", broke)


@breaks
def comes_back_after_take_over() -> None:
    """Takes its place back from another process."""
    _comes_back(lambda _, over: isinstance(over.problem, TakenOver))


@breaks
def comes_back_after_goodbye() -> None:
    """Takes no goodbye as final."""
    _comes_back(lambda talk, over: talk._goodbye is not None and not isinstance(over.problem, TakenOver))


@breaks
def comes_back_after_refusal() -> None:
    """Tries again, whatever the status says."""
    _comes_back(lambda talk, over: talk._goodbye is None and not isinstance(over.problem, TakenOver))


@breaks
def comes_back_at_once() -> None:
    """Does not wait before it comes back."""

    def wait_ms(self: Backoff, now_ms: int, least_ms: int, *, is_playing: bool = False) -> int | None:
        wait = real(self, now_ms, least_ms, is_playing=is_playing)
        return None if wait is None else 0

    real = put(Backoff, "wait_ms", wait_ms)


def _on_welcome(change: Callable[[Conversation, Welcome, list[Output], str], None]) -> None:
    """Changes the effect of a Welcome; gets the token from before."""

    def welcomed(self: Conversation, outputs: list[Output], about: str, message: Welcome) -> None:
        before = self._resume_token
        real(self, outputs, about, message)
        change(self, message, outputs, before)

    real = put(Conversation, "_welcome", welcomed)


@breaks
def resumes_with_its_first_token() -> None:
    """Keeps the first resume token, and ignores later ones."""

    def keep(self: Conversation, _: Welcome, __: list[Output], before: str) -> None:
        self._resume_token = before or self._resume_token

    _on_welcome(keep)


@breaks
def claims_no_seat() -> None:
    """Does not ask for its seats after the session is lost."""

    def drop(_: Conversation, __: Welcome, outputs: list[Output], ___: str) -> None:
        outputs[:] = [output for output in outputs if not (isinstance(output, Send) and output.request.match)]

    _on_welcome(drop)


@breaks
def says_nothing_of_events() -> None:
    """Claims at each resume that it has seen no event."""

    def hello(self: Conversation) -> PlayRequest:
        request: PlayRequest = real(self)
        for seen in request.hello.resume.seen:
            seen.last_event = 0
        return request

    real = put(Conversation, "hello", hello)


def _on_backoff(change: Callable[[Backoff], None]) -> None:
    """Changes what happens before each wait."""

    def wait_ms(self: Backoff, now_ms: int, least_ms: int, *, is_playing: bool = False) -> int | None:
        change(self)
        wait: int | None = real(self, now_ms, least_ms, is_playing=is_playing)
        return wait

    real = put(Backoff, "wait_ms", wait_ms)


@breaks
def waits_without_chance() -> None:
    """Waits longer each time, but without chance."""

    def no_chance(self: Backoff) -> None:
        self._chance = lambda: MIDDLE

    _on_backoff(no_chance)


@breaks
def waits_no_longer_each_time() -> None:
    """Waits the first, short wait before every attempt."""

    def first(self: Backoff) -> None:
        self._attempts = 0

    _on_backoff(first)


@breaks
def keeps_counting_attempts() -> None:
    """Does not return to short waits after progress."""
    put(Backoff, "progressed", lambda _: None)


@breaks
def says_other_waits() -> None:
    """Reports waits three times as long as they are."""

    def deliver(self: Any, *arguments: Any, **others: Any) -> None:
        real(self, *arguments, **others)
        given = self._deliver

        def tripled(output: Output) -> None:
            if isinstance(output, Notice):
                output = replace(output, text=WAIT.sub(lambda found: f"in {3 * int(found[1])} ms", output.text))
            given(output)

        self._deliver = tripled

    real = put(connection.Connection, "__init__", deliver)
