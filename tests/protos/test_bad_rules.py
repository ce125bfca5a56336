"""Impossible rule sets are refused, and so are unknown newer knobs."""

import pytest
from mergemaker.v1 import rules_pb2
from mergemaker_engine.rules import preset
from mergemaker_wire import (
    UNKNOWN_KIND,
    WireError,
    rules_from_message,
    rules_to_message,
)

CLASSIC = preset("renegade-classic")


def _rules_with(**fields: object) -> rules_pb2.Rules:
    message = rules_to_message(CLASSIC)
    message.ClearField("fingerprint")
    for name, value in fields.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize(
    ("fields", "reason", "text"),
    [
        ({"version": 99}, "unknown-rules-version", "rules: this engine knows the rules versions 1 to "),
        ({"trade_offers": 11}, "bad-knob", "rules: the knob trade_offers takes a whole number from 0 to 10, not 11"),
        ({"assets": 0}, "not-set", "rules.assets is not set; expected one of open, hidden"),
        ({"assets": 9}, UNKNOWN_KIND, "rules.assets is one of open, hidden; 9 is not known here: a newer version may know it"),
        ({"fingerprint": "0" * 32}, "fingerprint-differs", "rules.fingerprint is "),
    ],
)
def test_rules_that_cannot_be(fields: dict[str, object], reason: str, text: str) -> None:
    with pytest.raises(WireError) as refusal:
        rules_from_message(_rules_with(**fields))
    assert refusal.value.reason == reason
    assert str(refusal.value).startswith(text)


@pytest.mark.parametrize(
    ("names", "reason", "text"),
    [
        (["weather"], "unknown-knob", "rules.newer_knobs names the knob 'weather', which is not known here: "),
        (["x" * 100], "unknown-knob", "…, which is not known here: "),
        (["assets"], "out-of-range", "rules.newer_knobs is the names [] for these rules, not ['assets']"),
    ],
)
def test_newer_knobs_that_are_not_known_or_are_none(names: list[str], reason: str, text: str) -> None:
    message = rules_to_message(CLASSIC)
    message.newer_knobs.extend(names)
    with pytest.raises(WireError) as refusal:
        rules_from_message(message)
    assert refusal.value.reason == reason
    assert text in str(refusal.value)


def test_rules_with_a_chain_name_that_cannot_be() -> None:
    message = _rules_with()
    message.chain_names[3] = "no name"
    with pytest.raises(WireError, match="rules: the knob chains is 7 names") as refusal:
        rules_from_message(message)
    assert refusal.value.reason == "bad-knob"
