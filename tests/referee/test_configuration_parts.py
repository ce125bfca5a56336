"""Parts of a configuration: keys on their lines, addresses, limits, remarks, and the page that documents it."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from mergemaker_referee.configuration.entries import SECTIONS
from mergemaker_referee.configuration.file import (
    KeyLines,
)
from mergemaker_referee.configuration.limits import Limits, limit_bounds
from mergemaker_referee.configuration.page import settings_tables, toml_text
from mergemaker_referee.configuration.settings import Address, Settings, Tls
from mergemaker_referee.errors import RefereeError
from mergemaker_referee.tokens import token_hash

HASH = token_hash("mmo_operator")
OTHER_HASH = token_hash("mmb_bot")
PAGE = Path(__file__).parents[2] / "referee" / "CONFIGURATION.md"


# --- where keys stand ---------------------------------------------------------------------------------------


def test_keys_are_found_on_their_lines() -> None:
    texts = ["# a = 1", 'a = """', "b = 2", "[c]", '"""', "b = 3", '[ "x y" . z ]', "  'q r'.s = 4", "[[list]]"]
    texts += ["n = [", "  1,", "]", '"bad\\q" = 5', "m = { o = 6 }"]
    lines = KeyLines("\n".join(texts))
    found = [lines.line(*path) for path in (("a",), ("b",), ("x y", "z"), ("x y", "z", "q r", "s"), ("list",), ("list", "n"))]
    assert found == [2, 6, 7, 8, 9, 10]
    assert lines.line("list", "m", "o") == 14
    assert lines.line("list", "never") == 9
    assert lines.line("c") is None


# --- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "address", "is_loopback"),
    [
        ("127.0.0.1:0", Address("127.0.0.1", 0), True),
        ("127.8.9.1:65535", Address("127.8.9.1", 65_535), True),
        ("localhost:80", Address("localhost", 80), True),
        ("[::1]:80", Address("::1", 80), True),
        ("[::]:80", Address("::", 80), False),
        ("10.0.0.1:80", Address("10.0.0.1", 80), False),
        ("referee.example:80", Address("referee.example", 80), False),
    ],
)
def test_addresses_are_read_and_written(text: str, address: Address, is_loopback: bool) -> None:
    assert Address.parse(text) == address
    assert str(address) == text
    assert address.is_loopback is is_loopback


@pytest.mark.parametrize(
    "text", ["", ":80", "a", "a:", "a:b", "a b:80", "::1:80", "[::1]", "a:-1", "a:65536", "a:123456", "grpc://a:80"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(RefereeError) as found:
        Address.parse(text)
    assert found.value.reason == "bad-address"


@pytest.mark.parametrize("limit", fields(Limits), ids=lambda limit: limit.name)
def test_a_limit_has_bounds(limit: object) -> None:
    name = limit.name  # type: ignore[attr-defined]  # a field
    low, high = limit_bounds(limit)  # type: ignore[arg-type]  # likewise
    for value in (low, high):
        assert getattr(Limits(**{name: value}), name) == value
    for wrong in (low - 1, high + 1, "5", True, None):
        with pytest.raises(RefereeError, match=f"{name} is a whole number from {low} to {high}"):
            Limits(**{name: wrong})  # type: ignore[arg-type]  # that is what is tested


def test_what_is_probably_not_meant_is_remarked(tmp_path: Path) -> None:
    safe = Settings(operator_token_hash=HASH)
    beyond = replace(safe, listen=(Address("0.0.0.0", 1), Address("::1", 1)))  # noqa: S104 - likewise
    assert safe.remarks() == ()
    assert [remark.partition(" ")[0] for remark in beyond.remarks()] == ["0.0.0.0:1"]
    assert (beyond.problem() or "").partition(" ")[0] == "0.0.0.0:1"
    assert replace(beyond, plain_text_allowed=True).problem() is None
    assert replace(beyond, tls=Tls(tmp_path, tmp_path)).problem() is None
    assert replace(beyond, tls=Tls(tmp_path, tmp_path)).remarks() == ()
    assert replace(safe, metrics_listen=Address("127.0.0.1", 1)).remarks() == ()
    assert "metrics at [::]:1 can be read" in replace(safe, metrics_listen=Address("::", 1)).remarks()[0]
    assert "nobody can make matches" in Settings().remarks()[0]


def test_a_clock_that_is_not_there_is_said() -> None:
    with pytest.raises(RefereeError) as found:
        Settings().clock_named("blitz")
    assert (found.value.reason, "there are fast, standard, slow, none" in str(found.value)) == ("unknown-clock", True)


# --- the page -----------------------------------------------------------------------------------------------


def test_the_page_has_the_settings_as_they_are() -> None:
    page = PAGE.read_text("utf-8")
    assert page.partition("## The settings\n\n")[2] == settings_tables()


def test_tables_name_each_setting_and_its_default() -> None:
    tables = settings_tables()
    for section in SECTIONS:
        assert f"### [{section.name}]" in tables
        for entry in section.entries:
            default = "not set" if entry.default is None else f"`{toml_text(entry.default)}`"
            assert f"| `{entry.name}` | {entry.kind.expected} | {default} | {entry.text} |" in tables
