"""A match as one file: its size, what it may load, and what is left out when it is large."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from mergemaker_web.carried import Carried, Drawn, carried
from mergemaker_web.page import PAGE_BYTES_MAX, PageTooLarge, match_page
from toy_checkout import CHECKOUT

GOLDEN = sorted((CHECKOUT / "tests" / "golden").glob("*.jsonl.gz"))
CLASSIC = CHECKOUT / "tests" / "golden" / "classic-6.jsonl.gz"


def lines_of(path: Path = CLASSIC) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def inside(page: bytes) -> dict[str, Any]:
    """What a page carries: the viewer's script, and the match."""
    (packed,) = re.findall(rb'id="packed">([A-Za-z0-9+/=]+)</script>', page)
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return found


def noted(lines: list[bytes], note: str) -> list[bytes]:
    """The same lines, where every decision has this note with its number."""
    changed = [json.loads(line) for line in lines]
    for line in changed:
        if line["kind"] == "decision":
            chances = (hashlib.sha512(f"{line['n']} {part}".encode()).hexdigest() for part in range(7))
            line["run"]["note"] = f"{''.join(chances)}{note}"
    return [json.dumps(line).encode() for line in changed]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.partition(".")[0])
def test_every_golden_record_fits_in_whole(path: Path) -> None:
    page = match_page(carried(lines_of(path)))
    assert len(page) <= PAGE_BYTES_MAX
    match = inside(page)["match"]
    assert match["left_out"] == []
    recorded = [json.loads(line) for line in lines_of(path)]
    assert match["lines"] == [{name: part for name, part in line.items() if name not in ("game", "line")} for line in recorded]


def test_a_page_runs_its_own_scripts_and_reaches_nothing() -> None:
    page = match_page(carried(lines_of())).decode()
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    allowed = set(re.findall("'sha256-([^']+)'", policy))
    script = re.findall('<script type="module">(.*?)</script>', page, re.DOTALL)
    style = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    texts = [*script, *style, inside(page.encode())["script"]]
    assert {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts} == allowed
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not re.search(r"""(?:src|href)=|https?:(?!//www\.w3\.org/2000/svg)""", page)


def test_the_same_match_makes_the_same_page() -> None:
    assert match_page(carried(lines_of())) == match_page(carried(lines_of()))


def test_hostile_names_are_only_data() -> None:
    lines = lines_of()
    header = json.loads(lines[0])
    header["run"]["bots"][0] = "</script><script>alert(1)</script>"
    page = match_page(carried([json.dumps(header).encode(), *lines[1:]]))
    assert b"alert(1)" not in page
    assert inside(page)["match"]["lines"][0]["run"]["bots"][0] == "</script><script>alert(1)</script>"


def test_long_notes_are_cut_and_the_page_says_so() -> None:
    page = match_page(carried(noted(lines_of(), "x")))
    match = inside(page)["match"]
    assert len(page) <= PAGE_BYTES_MAX
    assert [*map(bool, match["left_out"])] == [True, True]
    notes = [line["run"]["note"] for line in match["lines"] if line["kind"] == "decision"]
    assert {len(note) for note in notes} == {256}
    assert all(note.endswith("…") for note in notes)
    decision = next(line for line in match["lines"] if line["kind"] == "decision")
    assert "digest" not in decision


def test_a_match_that_cannot_fit_is_refused() -> None:
    header = {"kind": "header", "run": {"match": "m"}}
    chances = (hashlib.sha512(bytes([number // 256, number % 256])).hexdigest() for number in range(4_000))
    lines = [json.dumps({"kind": "incident", "what": chance}).encode() for chance in chances]
    with pytest.raises(PageTooLarge, match=r"has at most 150,000"):
        match_page(carried([json.dumps(header).encode(), *lines]))


def test_an_unfinished_match_carries_the_drawn_tiles_and_no_notes() -> None:
    lines = noted(lines_of()[:40], "secret")
    found = carried(lines, Drawn((3, 1), (7,)), at=4)
    assert found.document()["known"] == {"drawn": [3, 1], "market": [7]}
    assert found.at == 4
    assert "secret" not in json.dumps(found.document())


def test_a_finished_match_needs_no_tiles_beside_its_seed() -> None:
    assert carried(lines_of(), Drawn((3, 1), ())) == carried(lines_of())
    assert isinstance(carried(lines_of()), Carried)


def test_lists_that_no_page_knows_are_not_carried() -> None:
    line = {
        "kind": "incident",
        "game": "g",
        "run": {"what": "noise", "unknown": [{"a": 0}], "evidence": {"fault": "bot"}},
        "line": "l",
    }
    (kept,) = carried([json.dumps(line).encode()]).lines
    assert kept == {"kind": "incident", "run": {"what": "noise", "evidence": {"fault": "bot"}}}
