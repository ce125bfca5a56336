"""How a bot learns where to connect."""

from pathlib import Path

import pytest
from mergemaker_client.environment import Environment, Target
from mergemaker_client.problems import BadSetting

GOOD = {"MERGEMAKER_SERVER": "grpc://127.0.0.1:7350", "MERGEMAKER_TOKEN": "mms_x"}


@pytest.mark.parametrize(
    ("text", "target", "loopback"),
    [
        ("grpc://127.0.0.1:7350", Target("127.0.0.1", 7350), True),
        ("grpc://127.9.9.9:1", Target("127.9.9.9", 1), True),
        ("grpc://localhost:65535", Target("localhost", 65535), True),
        ("grpc://[::1]:7350", Target("::1", 7350), True),
        ("grpcs://referee.example:443", Target("referee.example", 443, secure=True), False),
        ("grpc://10.0.0.1:7350", Target("10.0.0.1", 7350), False),
        ("grpc://[2001:db8::1]:7350", Target("2001:db8::1", 7350), False),
    ],
)
def test_an_address_is_read_and_written(text: str, target: Target, loopback: bool) -> None:
    assert Target.parse(text) == target
    assert str(target) == text
    assert target.is_loopback is loopback


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:7350",
        "http://127.0.0.1:7350",
        "grpc://127.0.0.1",
        "grpc://:7350",
        "grpc://host:0",
        "grpc://host:65536",
        "grpc://host:٣",
        "grpc://host:7350/path",
        "grpc://user@host:7350",
        "grpc://ho st:7350",
        "grpc://[::1:7350",
        "grpc://1:2:7350",
        "grpc://[nonsense]:7350:1",
        "grpc://",
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadSetting, match=r"grpc://127\.0\.0\.1:7350") as caught:
        Target.parse(text)
    assert caught.value.reason == "bad-server"


def test_the_variables_say_all() -> None:
    variables = {**GOOD, "MERGEMAKER_BOT": "Ann", "MERGEMAKER_CA": "ca.pem", "MERGEMAKER_TRACE": "t.jsonl"}
    assert Environment.read(variables) == Environment(Target("127.0.0.1", 7350), "mms_x", "Ann", Path("ca.pem"), Path("t.jsonl"))


def test_what_is_given_goes_before_the_variables() -> None:
    read = Environment.read({**GOOD, "MERGEMAKER_BOT": "Ann"}, server="grpcs://b:2", token="mms_y", name="Bob")  # noqa: S106 - a toy
    assert (str(read.target), read.token, read.name) == ("grpcs://b:2", "mms_y", "Bob")


@pytest.mark.parametrize("missing", [["MERGEMAKER_SERVER"], ["MERGEMAKER_TOKEN"], ["MERGEMAKER_SERVER", "MERGEMAKER_TOKEN"]])
def test_missing_variables_are_named_with_what_they_look_like(missing: list[str]) -> None:
    with pytest.raises(BadSetting) as caught:
        Environment.read({name: value for name, value in GOOD.items() if name not in missing})
    assert caught.value.reason == "missing-variable"
    for name in GOOD:
        assert (f"  {name}=" in str(caught.value)) is (name in missing)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("MERGEMAKER_TOKEN", "two words", "bad-token"),
        ("MERGEMAKER_TOKEN", "x\n", "bad-token"),
        ("MERGEMAKER_TOKEN", "ключ", "bad-token"),
        ("MERGEMAKER_BOT", "x" * 65, "bad-name"),
    ],
)
def test_a_bad_value_is_refused(name: str, value: str, reason: str) -> None:
    with pytest.raises(BadSetting) as caught:
        Environment.read({**GOOD, name: value})
    assert caught.value.reason == reason
    assert value not in str(caught.value)


BEYOND = {**GOOD, "MERGEMAKER_SERVER": "grpc://referee.example:7350"}


def test_a_token_does_not_leave_the_machine_in_plain_text_unless_that_is_allowed() -> None:
    with pytest.raises(BadSetting, match=r"use grpcs://referee\.example:7350, .*set MERGEMAKER_PLAIN_TEXT=allowed") as caught:
        Environment.read(BEYOND)
    assert caught.value.reason == "plain-text"
    allowed = Environment.read({**BEYOND, "MERGEMAKER_PLAIN_TEXT": "allowed"})
    assert (allowed.target.host, allowed.target.secure) == ("referee.example", False)
    assert Environment.read({**BEYOND, "MERGEMAKER_SERVER": "grpcs://referee.example:7350"}).target.secure
    for unclear in ("1", "yes", "ALLOWED"):
        with pytest.raises(BadSetting, match="MERGEMAKER_PLAIN_TEXT is 'allowed' or not set"):
            Environment.read({**BEYOND, "MERGEMAKER_PLAIN_TEXT": unclear})
