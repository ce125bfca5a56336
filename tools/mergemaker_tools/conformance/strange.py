"""Responses as a newer referee might send them, with fields, kinds and values that no client can know today."""

from collections.abc import Callable, Mapping
from typing import Final

from google.protobuf.message import Message
from mergemaker.v1.referee_pb2 import PlayResponse

from mergemaker_tools.conformance.talk import UNKNOWN_FIELD

UNKNOWN_VALUE: Final = 1_001
"""A value that no enum has."""


def _newer(message: Message, oneof: str = "") -> None:
    """Gives a message an unknown field. If a oneof is named, its value is removed."""
    if oneof:
        message.ClearField(message.WhichOneof(oneof) or "")
    message.MergeFromString(UNKNOWN_FIELD)


def _event(response: PlayResponse) -> None:
    _newer(response.events[0], "kind")


def _question(response: PlayResponse) -> None:
    _newer(response.decision.view.asked, "kind")


def _answers(response: PlayResponse) -> None:
    _newer(response.decision.answers, "kind")


def _action(response: PlayResponse) -> None:
    _newer(response.decision.answers.listed.actions[-1], "kind")


def _effect(response: PlayResponse) -> None:
    response.decision.effects[0].kind = UNKNOWN_VALUE  # type: ignore[assignment]  # a value that there is not


def _terms(response: PlayResponse) -> None:
    response.decision.view.asked.choose_purchase.terms = UNKNOWN_VALUE  # type: ignore[assignment]  # likewise


def _step(response: PlayResponse) -> None:
    _newer(response.decision.view.agenda.add())


def _fields(response: PlayResponse) -> None:
    decision = response.decision
    parts = (decision, decision.view, decision.view.asked, decision.answers, *decision.view.players, *response.events)
    for message in (*parts, *decision.effects, *decision.answers.listed.actions):
        _newer(message)


def _knob(response: PlayResponse) -> None:
    response.match_offered.rules.newer_knobs.append("weather")
    response.match_offered.requires.append("knob:weather")
    _newer(response.match_offered.rules)


def _requirement(response: PlayResponse) -> None:
    response.match_offered.requires.append("telepathy")


def _neutral_knob(response: PlayResponse) -> None:
    _newer(response.match_offered.rules)


STRANGE_OFFERS: Final[Mapping[str, Callable[[PlayResponse], None]]] = {
    "knob": _knob,
    "neutral-knob": _neutral_knob,
    "requirement": _requirement,
}
"""What is made newer in an offer, by name."""

STRANGE: Final[Mapping[str, Callable[[PlayResponse], None]]] = {
    "event": _event,
    "question": _question,
    "answers": _answers,
    "action": _action,
    "effect": _effect,
    "terms": _terms,
    "step": _step,
    "fields": _fields,
}
"""What is made newer in a question, by name."""
