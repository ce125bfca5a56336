"""Turns messages into what a bot sees."""

from collections.abc import Sequence
from typing import Final

from mergemaker.v1 import events_pb2, match_pb2, referee_pb2
from mergemaker_engine.events import Event
from mergemaker_engine.record.lines import Ending
from mergemaker_engine.record.receipts import Receipt
from mergemaker_wire.answers import answers_from_message, effects_from_messages
from mergemaker_wire.errors import UNKNOWN_KIND, WireError
from mergemaker_wire.events import event_from_message
from mergemaker_wire.matches import receipt_from_message, standing_from_message
from mergemaker_wire.rules import rules_from_message
from mergemaker_wire.views import view_from_message

from mergemaker_client.turn import Clock, MatchInfo, MatchResult, Standing, Turn

_ENDINGS: Final = {
    match_pb2.ENDING_DECLARED: Ending.DECLARED,
    match_pb2.ENDING_STUCK: Ending.STUCK,
    match_pb2.ENDING_VOIDED: Ending.VOIDED,
}


def match_info(match: str, offered: referee_pb2.MatchOffered, started: referee_pb2.MatchStarted) -> MatchInfo:
    """What a bot knows of its match before the first tile."""
    return MatchInfo(
        match,
        rules_from_message(offered.rules),
        offered.seats,
        offered.seat,
        tuple(bot.name for bot in started.bots),
        started.nonce,
        _clock(offered.clock),
    )


def _clock(terms: match_pb2.ClockTerms) -> Clock:
    return Clock(
        terms.name or "none",
        terms.allowance_ms if terms.HasField("allowance_ms") else None,
        terms.bank_ms if terms.HasField("bank_ms") else None,
        terms.increment_ms,
    )


def events_of(messages: Sequence[events_pb2.Event]) -> tuple[Event, ...]:
    """The events in messages. Those that only a newer client knows are skipped."""
    events: list[Event] = []
    for message in messages:
        try:
            events.append(event_from_message(message))
        except WireError as error:
            if error.reason != UNKNOWN_KIND:
                raise
    return tuple(events)


def turn_of(info: MatchInfo, message: referee_pb2.Decision, events: Sequence[Event], waited_ms: int) -> Turn:
    """A question that came `waited_ms` ago."""
    view = view_from_message(message.view, info.rules)
    if view.decision is None:
        raise WireError("not-set", "decision.view.asked is not set; expected a question")
    answers = answers_from_message(message.answers).answers()
    if message.default_index >= len(answers):
        raise WireError("out-of-range", f"decision.default_index is below {len(answers)}, not {message.default_index}")
    return Turn(
        info,
        message.id,
        view,
        view.decision,
        answers,
        answers[message.default_index],
        effects_from_messages(message.effects),
        tuple(events),
        message.view.last_event,
        max(0, message.time_left_ms - waited_ms) if message.HasField("time_left_ms") else None,
        message.bank_ms if message.HasField("bank_ms") else None,
    )


def result_of(match: str, ended: referee_pb2.MatchEnded) -> MatchResult:
    """A match's result."""
    ending = _ENDINGS.get(ended.ending)
    why = str(ending) if ending in (Ending.DECLARED, Ending.STUCK) else ended.text or "voided"
    return MatchResult(why, tuple(_standing(standing) for standing in ended.standings), receipt=_receipt(match, ended))


def _receipt(match: str, ended: referee_pb2.MatchEnded) -> Receipt | None:
    """What to keep of a match, if what came is that."""
    try:
        receipt = receipt_from_message(ended.receipt)
    except WireError:
        return None
    return receipt if receipt.match == match else None


def _standing(message: match_pb2.Standing) -> Standing:
    read = standing_from_message(message)
    return Standing(read.seat, read.bot, read.cash or 0, read.place or 0, str(read.status))
