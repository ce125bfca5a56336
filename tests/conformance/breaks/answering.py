"""Breaks of what a client sends: answers, pings, seats and promises."""

from collections.abc import Callable
from typing import Any, Final

from mergemaker.v1.referee_pb2 import Decision, PlayRequest
from mergemaker.v1.rules_pb2 import Rules
from mergemaker_client import protocol, reading
from mergemaker_client.outputs import Output, Send
from mergemaker_client.playing import Player
from mergemaker_client.protocol import Conversation
from mergemaker_engine.actions import Buy, Dispose

from tests.conformance.breaks.registry import breaks, put

MANY: Final = 16


@breaks
def answers_no_pings() -> None:
    """Ignores pings."""
    put(Conversation, "_ping", lambda *_: None)


@breaks
def answers_pings_after_thinking() -> None:
    """Answers a ping only after the bot has answered."""
    kept: list[Output] = []

    def ping(self: Conversation, outputs: list[Output], about: str, message: object) -> None:
        is_thinking = any(match.is_open and match.answer is None for match in self._progress.matches.values())
        real_ping(self, kept if is_thinking else outputs, about, message)

    def answered(self: Conversation, *answer: Any) -> list[Output]:
        outputs: list[Output] = real_answered(self, *answer)
        outputs.extend(kept)
        kept.clear()
        return outputs

    real_ping = put(Conversation, "_ping", ping)
    real_answered = put(Conversation, "answered", answered)


def _on_decision(before: Callable[[Conversation, str, Decision], None]) -> None:
    def decision(self: Conversation, outputs: list[Output], about: str, message: Decision) -> None:
        before(self, about, message)
        real(self, outputs, about, message)

    real = put(Conversation, "_decision", decision)


@breaks
def answers_repeated_questions_anew() -> None:
    """Answers a repeated question with its last legal answer."""

    def other(self: Conversation, about: str, message: Decision) -> None:
        match = self._progress.matches.get(about)
        if match and match.decision and match.decision.id == message.id and match.answer is not None:
            self._answer(match, message.answers.count - 1, "")

    _on_decision(other)


@breaks
def answers_old_questions() -> None:
    """Answers an old question as if it were new."""

    def forget(self: Conversation, about: str, message: Decision) -> None:
        match = self._progress.matches.get(about)
        if match and match.decision and message.id < match.decision.id:
            match.decision = None

    _on_decision(forget)


@breaks
def guesses_at_unknown_kinds() -> None:
    """Answers what it cannot read with the last legal answer, not with the default."""

    def guess(_: Conversation, __: str, message: Decision) -> None:
        if None in (message.view.asked.WhichOneof("kind"), message.answers.WhichOneof("kind")):
            message.default_index = max(message.answers.count, 1) - 1

    _on_decision(guess)


@breaks
def plays_by_unknown_knobs() -> None:
    """Takes a seat in a match that requires something unknown to it, such as a knob of the rules."""

    def read(message: Rules) -> object:
        known = Rules()
        known.CopyFrom(message)
        known.ClearField("newer_knobs")
        return real(known)

    real = put(reading, "rules_from_message", read)
    put(protocol, "unknown_requirement", lambda _: None)


@breaks
def answers_settled_questions() -> None:
    """Sends the bot's answer although the question was settled and another one is open."""

    def answered(self: Conversation, about: str, decision: int, *answer: Any) -> list[Output]:
        match = self._progress.matches.get(about)
        if match is None or match.decision is None or match.decision.id == decision:
            found: list[Output] = real(self, about, decision, *answer)
            return found
        request = PlayRequest(match=about)
        request.answer.decision = decision
        request.answer.index = 0
        return [Send(request)]

    real = put(Conversation, "answered", answered)


@breaks
def answers_every_refusal() -> None:
    """Answers with the default after every refusal, however often, and for any reason."""

    def refused(self: Conversation, outputs: list[Output], about: str, message: Any) -> None:
        real(self, outputs, about, message)
        match = self._progress.matches.get(about)
        if match and match.decision and not any(isinstance(output, Send) for output in outputs):
            outputs.extend(self._answer(match, match.decision.default_index, ""))

    real = put(Conversation, "_answer_refused", refused)


def _lists(kind: type, order: Callable[[Any], Any]) -> None:
    """Answers by index, from a list in its own order."""

    def returned(self: Player, output: Any, turn: Any, answer: Any) -> None:
        chosen = turn.answers[answer]
        if isinstance(chosen, kind):
            self._answer(output.match, turn.number, sorted(turn.answers, key=order).index(chosen))
        else:
            real(self, output, turn, answer)

    real = put(Player, "returned", returned)


@breaks
def lists_disposals_by_trade() -> None:
    """Lists disposals by the shares traded first, then by those sold."""
    _lists(Dispose, lambda each: (each.trade, each.sell))


@breaks
def lists_declared_purchases_first() -> None:
    """Lists all purchases that declare the end before those that do not."""
    _lists(Buy, lambda each: not each.declare)


@breaks
def promises_nothing() -> None:
    """Contributes no part to the deal in joint mode."""

    def offered(self: Conversation, outputs: list[Output], *message: Any) -> None:
        real(self, outputs, *message)
        outputs[:] = [each for each in outputs if not (isinstance(each, Send) and each.request.HasField("seat_ready"))]

    real = put(Conversation, "_match_offered", offered)


@breaks
def asks_for_too_many_seats() -> None:
    """Ignores how many matches the referee allows."""

    def more(self: Conversation, outputs: list[Output]) -> None:
        self._limit = MANY
        real(self, outputs)

    real = put(Conversation, "_take_seats", more)
