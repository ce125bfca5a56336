"""A game in a link: made by the engine, played by the display engine."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mergemaker_referee.records.files import open_record
from mergemaker_web.link import NoLink, game_link

from tests.web.conftest import FOLDER, SIX
from tests.web.test_display_engine import GOLDEN, golden, played

LINK_CHARACTERS_MAX = 1_000


def test_every_golden_record_is_the_same_game_by_its_link() -> None:
    links = [game_link(open_record(path)) for path in GOLDEN]
    for path, found in zip(GOLDEN, played(*(f"game={link}" for link in links)), strict=True):
        expected = golden()[path.name]
        assert found["trouble"] == "", path.name
        assert found["match"] == expected["match"], path.name
        assert found["start"] == expected["start"]
        assert found["steps"] == expected["steps"], path.name


def test_links_are_short_and_have_no_character_that_addresses_escape() -> None:
    for path in GOLDEN:
        link = game_link(open_record(path))
        assert len(link) <= LINK_CHARACTERS_MAX, path.name
        assert link.replace("-", "").replace("_", "").replace(".", "").isalnum()


def test_a_match_without_a_known_deal_has_no_link(tmp_path: Path) -> None:
    lines = gzip.decompress((FOLDER / f"{SIX}.jsonl.gz").read_bytes()).splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[:60]))
    with pytest.raises(NoLink, match="this match has none to show"):
        game_link(open_record(tmp_path / "a.jsonl"))


def packed(about: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(gzip.compress(json.dumps(about).encode())).decode().rstrip("=")


def with_about(link: str, **changes: Any) -> str:
    about, _, moves = link.partition(".")
    plain = json.loads(gzip.decompress(base64.urlsafe_b64decode(about + "=" * (-len(about) % 4))))
    return f"{packed(plain | changes)}.{moves}"


BAD: dict[str, tuple[Callable[[str], str], str]] = {
    "cut": (lambda link: link[:-40], "the link is cut off"),
    "without moves": (lambda link: link.partition(".")[0], "the link is cut off"),
    "another move": (lambda link: link[:-20] + "_" * 20, "cut off|does not allow|not an answer"),
    "too many seats": (lambda link: with_about(link, seats=10**9), "2 to 6 seats can play, not 1000000000"),
    "unknown knob": (lambda link: with_about(link, rules={"chains": [], "fog": True}), "does not know the knob fog"),
    "bad chains": (lambda link: with_about(link, rules={"chains": [["<b>"] * 7]}), "rules name seven chains"),
    "newer rules": (lambda link: with_about(link, rules_version=2), "knows version 1 of the rules, not 2"),
}


def test_bad_links_are_refused() -> None:
    good = game_link(open_record(FOLDER / f"{SIX}.jsonl.gz"))
    found = played(*(f"game={change(good)}" for change, _ in BAD.values()))
    for (name, (_, words)), shown in zip(BAD.items(), found, strict=True):
        assert any(word in shown.get("refused", "") for word in words.split("|")), (name, shown.get("refused"))
