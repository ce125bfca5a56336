"""Breaks of what a client reports on standard error and in its trace."""

import os
import sys
from collections.abc import Callable
from typing import Any

from mergemaker_client import evidence, protocol, running, trace
from mergemaker_client.environment import TOKEN_VARIABLE
from mergemaker_client.outputs import Output
from mergemaker_client.protocol import Conversation
from mergemaker_tools import cli

from tests.conformance.breaks.registry import breaks, put


@breaks
def traces_tokens() -> None:
    """Writes resume tokens into its trace."""
    put(trace, "without_tokens", lambda content: content)


def _keeps_quiet(about: Callable[[str], bool]) -> None:
    """Leaves some messages out of standard error."""

    def complain(text: str) -> None:
        if not about(text):
            real(text)

    real = put(running, "complain", complain)
    assert running.play.__kwdefaults__ is not None, "what is reported goes where this says"
    running.play.__kwdefaults__["report"] = complain


@breaks
def reports_no_waits() -> None:
    """Does not report when it tries again."""
    _keeps_quiet(lambda text: "trying again" in text)


@breaks
def reports_no_refusals() -> None:
    """Does not report an answer that was refused."""
    _keeps_quiet(lambda text: "was refused (" in text)


@breaks
def reports_no_defaults() -> None:
    """Does not report a default that was taken, neither at once nor at the end."""
    _keeps_quiet(lambda text: "a default was taken" in text)


@breaks
def reports_no_missed_defaults() -> None:
    """Does not report the defaults that it learns of only at the end."""

    def ended(self: Conversation, outputs: list[Output], about: str, message: Any) -> None:
        match = self._progress.matches.get(about)
        if match is not None:
            match.told_defaults.update(taken.decision for taken in message.defaults)
        real(self, outputs, about, message)

    real = put(Conversation, "_match_ended", ended)


@breaks
def reports_no_voids() -> None:
    """Does not report why a match was voided."""
    _keeps_quiet(lambda text: "the match was voided" in text)


@breaks
def reports_no_receipts() -> None:
    """Does not report the receipt of a match."""
    _keeps_quiet(lambda text: "; receipt " in text)


@breaks
def reports_no_goodbyes() -> None:
    """Does not report a goodbye."""
    _keeps_quiet(lambda text: "the referee ends the stream" in text)


@breaks
def reports_no_evidence() -> None:
    """Reports refusals, defaults and voided matches without what the referee measured."""
    for module in (evidence, protocol):
        put(module, "evidence_text", lambda _: "somebody was at fault")


@breaks
def reports_no_traces() -> None:
    """Reports everything without the trace by which the operator finds it."""
    for module in (evidence, protocol):
        put(module, "asked_by", lambda _: "")


@breaks
def stops_without_a_word() -> None:
    """Does not report what stopped it."""
    put(cli, "_complain", lambda _speaker, _text, status: status)


@breaks
def shows_its_token() -> None:
    """Writes its token to standard error."""
    print(f"playing with {os.environ[TOKEN_VARIABLE]}", file=sys.stderr, flush=True)


@breaks
def reports_no_false_deals() -> None:
    """Does not report a false deal."""
    _keeps_quiet(lambda text: "THE DEAL IS NOT" in text)
