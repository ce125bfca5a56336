"""The Python client with one thing broken: `python broken_client.py BREAK [what `mergemaker bot greedy` takes]`.

Every break is a function that replaces one part of the client before anything is played. Everything else stays as it is, so
what fails is due to the break. broken.py lists which cases must fail.
"""

import inspect
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mergemaker.v1.referee_pb2 import Decision, PlayRequest, Welcome
from mergemaker.v1.rules_pb2 import Rules
from mergemaker_client import connection, deal_check, evidence, playing, protocol, reading, running, trace
from mergemaker_client.environment import SERVER_VARIABLE, TOKEN_VARIABLE
from mergemaker_client.outputs import Again, Notice, Output, Over, Send
from mergemaker_client.playing import Player
from mergemaker_client.problems import FalseDeal, TakenOver
from mergemaker_client.protocol import Conversation
from mergemaker_client.reconnecting import Backoff
from mergemaker_client.turn import DealFinding
from mergemaker_engine.actions import Buy, Dispose
from mergemaker_tools import cli
from mergemaker_tools.commands import bot as bot_command
from mergemaker_tools.conformance.certificates import AUTHORITY
from mergemaker_tools.conformance.frames import acknowledged_ping
from mergemaker_tools.conformance.relay import Relay
from mergemaker_tools.problems import DONE, FAILED, WRONG_USE

ENDLESS_MS: Final = 3_600_000
MANY: Final = 16
MIDDLE: Final = 0.5
"""Out of chances from 0 to 1."""
WAIT: Final = re.compile(r"in (\d+) ms")
BREAKS: Final[dict[str, Callable[[], None]]] = {}
"""What each break does, by its name."""


def _break(function: Callable[[], None]) -> Callable[[], None]:
    BREAKS[function.__name__.strip("_").replace("_", "-")] = function
    return function


def _put(owner: Any, name: str, value: object) -> Any:
    """Replaces a part, and returns the old one."""
    part = getattr(owner, name)
    setattr(owner, name, value)
    return part


def _comes_back(if_so: Callable[[Conversation, Over], bool]) -> None:
    """Comes back after an end that was final."""

    def broke(self: Conversation, code: str, text: str) -> Again | Over:
        found: Again | Over = real(self, code, text)
        is_done = self._closing is not None
        return Again(0) if isinstance(found, Over) and not is_done and if_so(self, found) else found

    real = _put(Conversation, "broke", broke)


@_break
def comes_back_after_take_over() -> None:
    """Takes its place back from another process."""
    _comes_back(lambda _, over: isinstance(over.problem, TakenOver))


@_break
def comes_back_after_goodbye() -> None:
    """Takes no goodbye as final."""
    _comes_back(lambda talk, over: talk._goodbye is not None and not isinstance(over.problem, TakenOver))


@_break
def comes_back_after_refusal() -> None:
    """Tries again, whatever the status says."""
    _comes_back(lambda talk, over: talk._goodbye is None and not isinstance(over.problem, TakenOver))


@_break
def comes_back_at_once() -> None:
    """Does not wait before it comes back."""

    def wait_ms(self: Backoff, now_ms: int, least_ms: int, *, is_playing: bool = False) -> int | None:
        wait = real(self, now_ms, least_ms, is_playing=is_playing)
        return None if wait is None else 0

    real = _put(Backoff, "wait_ms", wait_ms)


@_break
def answers_no_pings() -> None:
    """Ignores pings."""
    _put(Conversation, "_ping", lambda *_: None)


@_break
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

    real_ping = _put(Conversation, "_ping", ping)
    real_answered = _put(Conversation, "answered", answered)


def _on_decision(before: Callable[[Conversation, str, Decision], None]) -> None:
    def decision(self: Conversation, outputs: list[Output], about: str, message: Decision) -> None:
        before(self, about, message)
        real(self, outputs, about, message)

    real = _put(Conversation, "_decision", decision)


@_break
def answers_repeated_questions_anew() -> None:
    """Answers a repeated question with its last legal answer."""

    def other(self: Conversation, about: str, message: Decision) -> None:
        match = self._progress.matches.get(about)
        if match and match.decision and match.decision.id == message.id and match.answer is not None:
            self._answer(match, message.answers.count - 1, "")

    _on_decision(other)


@_break
def answers_old_questions() -> None:
    """Answers an old question as if it were new."""

    def forget(self: Conversation, about: str, message: Decision) -> None:
        match = self._progress.matches.get(about)
        if match and match.decision and message.id < match.decision.id:
            match.decision = None

    _on_decision(forget)


@_break
def guesses_at_unknown_kinds() -> None:
    """Answers what it cannot read with the last legal answer, not with the default."""

    def guess(_: Conversation, __: str, message: Decision) -> None:
        if None in (message.view.asked.WhichOneof("kind"), message.answers.WhichOneof("kind")):
            message.default_index = max(message.answers.count, 1) - 1

    _on_decision(guess)


@_break
def plays_by_unknown_knobs() -> None:
    """Takes a seat in a match that requires something unknown to it, such as a knob of the rules."""

    def read(message: Rules) -> object:
        known = Rules()
        known.CopyFrom(message)
        known.ClearField("newer_knobs")
        return real(known)

    real = _put(reading, "rules_from_message", read)
    _put(protocol, "unknown_requirement", lambda _: None)


@_break
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

    real = _put(Conversation, "answered", answered)


@_break
def answers_every_refusal() -> None:
    """Answers with the default after every refusal, however often, and for any reason."""

    def refused(self: Conversation, outputs: list[Output], about: str, message: Any) -> None:
        real(self, outputs, about, message)
        match = self._progress.matches.get(about)
        if match and match.decision and not any(isinstance(output, Send) for output in outputs):
            outputs.extend(self._answer(match, match.decision.default_index, ""))

    real = _put(Conversation, "_answer_refused", refused)


def _lists(kind: type, order: Callable[[Any], Any]) -> None:
    """Answers by index, from a list in its own order."""

    def returned(self: Player, output: Any, turn: Any, answer: Any) -> None:
        chosen = turn.answers[answer]
        if isinstance(chosen, kind):
            self._answer(output.match, turn.number, sorted(turn.answers, key=order).index(chosen))
        else:
            real(self, output, turn, answer)

    real = _put(Player, "returned", returned)


@_break
def lists_disposals_by_trade() -> None:
    """Lists disposals by the shares traded first, then by those sold."""
    _lists(Dispose, lambda each: (each.trade, each.sell))


@_break
def lists_declared_purchases_first() -> None:
    """Lists all purchases that declare the end before those that do not."""
    _lists(Buy, lambda each: not each.declare)


@_break
def uses_a_proxy() -> None:
    """Lets gRPC use a proxy even for the loopback."""

    def options(target: Any) -> list[tuple[str, int]]:
        return [option for option in real(target) if option[0] != "grpc.enable_http_proxy"]

    real = _put(connection, "channel_options", options)


@_break
def traces_tokens() -> None:
    """Writes resume tokens into its trace."""
    _put(trace, "without_tokens", lambda content: content)


def _on_welcome(change: Callable[[Conversation, Welcome, list[Output], str], None]) -> None:
    """Changes the effect of a Welcome; gets the token from before."""

    def welcomed(self: Conversation, outputs: list[Output], about: str, message: Welcome) -> None:
        before = self._resume_token
        real(self, outputs, about, message)
        change(self, message, outputs, before)

    real = _put(Conversation, "_welcome", welcomed)


@_break
def resumes_with_its_first_token() -> None:
    """Keeps the first resume token, and ignores later ones."""

    def keep(self: Conversation, _: Welcome, __: list[Output], before: str) -> None:
        self._resume_token = before or self._resume_token

    _on_welcome(keep)


@_break
def claims_no_seat() -> None:
    """Does not ask for its seats after the session is lost."""

    def drop(_: Conversation, __: Welcome, outputs: list[Output], ___: str) -> None:
        outputs[:] = [output for output in outputs if not (isinstance(output, Send) and output.request.match)]

    _on_welcome(drop)


@_break
def says_nothing_of_events() -> None:
    """Claims at each resume that it has seen no event."""

    def hello(self: Conversation) -> PlayRequest:
        request: PlayRequest = real(self)
        for seen in request.hello.resume.seen:
            seen.last_event = 0
        return request

    real = _put(Conversation, "hello", hello)


@_break
def promises_nothing() -> None:
    """Contributes no part to the deal in joint mode."""

    def offered(self: Conversation, outputs: list[Output], *message: Any) -> None:
        real(self, outputs, *message)
        outputs[:] = [each for each in outputs if not (isinstance(each, Send) and each.request.HasField("seat_ready"))]

    real = _put(Conversation, "_match_offered", offered)


@_break
def asks_for_too_many_seats() -> None:
    """Ignores how many matches the referee allows."""

    def more(self: Conversation, outputs: list[Output]) -> None:
        self._limit = MANY
        real(self, outputs)

    real = _put(Conversation, "_take_seats", more)


@_break
def waits_for_ever_for_the_welcome() -> None:
    """Never gives up a stream that gets no Welcome."""
    _put(connection, "WELCOME_MS_MAX", ENDLESS_MS)


@_break
def trusts_without_being_told() -> None:
    """Trusts a certificate that no setting names."""

    def trusted(told: Path | None) -> bytes | None:
        found: bytes | None = AUTHORITY.read_bytes() if told is None else real(told)
        return found

    real = _put(connection, "_trusted", trusted)


@_break
def sends_no_keepalive() -> None:
    """Sends no HTTP/2 pings, so it never notices a dead connection."""

    def options(target: Any) -> list[tuple[str, int]]:
        return [option for option in real(target) if "keepalive" not in option[0] and "ping" not in option[0]]

    real = _put(connection, "channel_options", options)


@_break
def acknowledges_no_http_pings() -> None:
    """Drops its acknowledgement of every HTTP/2 ping."""
    host, port = os.environ[SERVER_VARIABLE].rsplit(":", 1)
    relay = Relay(keeps=lambda frame: acknowledged_ping(frame) is None)
    relay.target = int(port)
    os.environ[SERVER_VARIABLE] = f"{host}:{relay.port}"


def _on_backoff(change: Callable[[Backoff], None]) -> None:
    """Changes what happens before each wait."""

    def wait_ms(self: Backoff, now_ms: int, least_ms: int, *, is_playing: bool = False) -> int | None:
        change(self)
        wait: int | None = real(self, now_ms, least_ms, is_playing=is_playing)
        return wait

    real = _put(Backoff, "wait_ms", wait_ms)


@_break
def waits_without_chance() -> None:
    """Waits longer each time, but without chance."""

    def no_chance(self: Backoff) -> None:
        self._chance = lambda: MIDDLE

    _on_backoff(no_chance)


@_break
def waits_no_longer_each_time() -> None:
    """Waits the first, short wait before every attempt."""

    def first(self: Backoff) -> None:
        self._attempts = 0

    _on_backoff(first)


@_break
def keeps_counting_attempts() -> None:
    """Does not return to short waits after progress."""
    _put(Backoff, "progressed", lambda _: None)


@_break
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

    real = _put(connection.Connection, "__init__", deliver)


def _keeps_quiet(about: Callable[[str], bool]) -> None:
    """Leaves some messages out of standard error."""

    def complain(text: str) -> None:
        if not about(text):
            real(text)

    real = _put(running, "complain", complain)
    assert running.play.__kwdefaults__ is not None, "what is reported goes where this says"
    running.play.__kwdefaults__["report"] = complain


@_break
def reports_no_waits() -> None:
    """Does not report when it tries again."""
    _keeps_quiet(lambda text: "trying again" in text)


@_break
def reports_no_refusals() -> None:
    """Does not report an answer that was refused."""
    _keeps_quiet(lambda text: "was refused (" in text)


@_break
def reports_no_defaults() -> None:
    """Does not report a default that was taken, neither at once nor at the end."""
    _keeps_quiet(lambda text: "a default was taken" in text)


@_break
def reports_no_missed_defaults() -> None:
    """Does not report the defaults that it learns of only at the end."""

    def ended(self: Conversation, outputs: list[Output], about: str, message: Any) -> None:
        match = self._progress.matches.get(about)
        if match is not None:
            match.told_defaults.update(taken.decision for taken in message.defaults)
        real(self, outputs, about, message)

    real = _put(Conversation, "_match_ended", ended)


@_break
def reports_no_voids() -> None:
    """Does not report why a match was voided."""
    _keeps_quiet(lambda text: "the match was voided" in text)


@_break
def reports_no_receipts() -> None:
    """Does not report the receipt of a match."""
    _keeps_quiet(lambda text: "; receipt " in text)


@_break
def reports_no_goodbyes() -> None:
    """Does not report a goodbye."""
    _keeps_quiet(lambda text: "the referee ends the stream" in text)


@_break
def reports_no_evidence() -> None:
    """Reports refusals, defaults and voided matches without what the referee measured."""
    for module in (evidence, protocol):
        _put(module, "evidence_text", lambda _: "somebody was at fault")


@_break
def reports_no_traces() -> None:
    """Reports everything without the trace by which the operator finds it."""
    for module in (evidence, protocol):
        _put(module, "asked_by", lambda _: "")


@_break
def stops_without_a_word() -> None:
    """Does not report what stopped it."""
    _put(cli, "_complain", lambda _speaker, _text, status: status)


@_break
def shows_its_token() -> None:
    """Writes its token to standard error."""
    print(f"playing with {os.environ[TOKEN_VARIABLE]}", file=sys.stderr, flush=True)


@_break
def checks_no_deal() -> None:
    """Does not compare any deal with what was promised."""
    _put(playing, "check_deal", lambda *_: DealFinding.NOT_RELEASED)


@_break
def checks_no_commitment() -> None:
    """Does not compare the referee's part of the seed with its commitment."""
    _put(deal_check, "_check_commitment", lambda *_: None)


@_break
def checks_no_seed() -> None:
    """Does not check that the seed of the deal follows from what was promised."""
    _put(deal_check, "_check_seed", lambda *_: True)


@_break
def checks_no_parts() -> None:
    """Does not compare the seats' parts of the seed with their promises."""
    _put(deal_check, "_check_parts", lambda *_: None)


@_break
def checks_no_tiles() -> None:
    """Does not compare the tiles with the deal."""
    _put(deal_check, "_check_tiles", lambda *_: None)


@_break
def takes_another_promise() -> None:
    """Does not check that the promise is the same after a break."""
    _put(deal_check.Promise, "shown_again", lambda *_: None)


@_break
def plays_without_a_promise() -> None:
    """Accepts a match whose commitment never came."""
    _put(deal_check.Promise, "is_made", property(lambda _: True))
    _put(deal_check, "_check_commitment", lambda *_: None)


@_break
def doubts_every_deal() -> None:
    """Reports every deal as false, even the promised one."""

    def false(*what: Any) -> DealFinding:
        real(*what)
        raise FalseDeal("tiles-differ", "the tiles are not those of the deal")

    real = _put(playing, "check_deal", false)


@_break
def ends_well_after_false_deals() -> None:
    """Reports a false deal, but ends with status 0. `main` handles this."""


@_break
def reports_no_false_deals() -> None:
    """Does not report a false deal."""
    _keeps_quiet(lambda text: "THE DEAL IS NOT" in text)


@_break
def ignores_sigterm() -> None:
    """Continues when it is asked to stop."""
    _put(bot_command, "_stop", lambda *_: None)


@_break
def fails_on_wrong_settings() -> None:
    """Ends with a failure's status after wrong settings. `main` handles this."""


def main(arguments: list[str]) -> int:
    """Plays as `greedy`, with one break."""
    if not arguments or arguments[0] not in BREAKS:
        names = [f"  {name:32}  {inspect.getdoc(function)}" for name, function in BREAKS.items()]
        print("\n".join(["say what is to be broken:", *names]), file=sys.stderr)
        return WRONG_USE
    name, *others = arguments
    broken = BREAKS[name]
    broken()
    status = cli.main(["bot", "greedy", *others])
    if broken is fails_on_wrong_settings and status == WRONG_USE:
        return FAILED
    if broken is ends_well_after_false_deals and status == FAILED:
        return DONE
    return status


# It is started as a file, because `python -m` would import the package of the tests.
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
