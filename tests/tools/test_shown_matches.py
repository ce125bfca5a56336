"""`mergemaker matches list`, `get` and `cancel`: what they show of a server's matches."""

import json
from collections.abc import Callable

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from mergemaker.v1 import match_pb2, matches_pb2, public_log_pb2
from mergemaker_testkit.toy_operator import MATCH, Toy
from mergemaker_tools.server import remote
from rich.cells import cell_len

from tests.tools.conftest import Run


def test_matches_are_listed_page_by_page(run: Callable[..., Run], toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PAGE_SIZE_MAX", 2)
    toy.count = 5
    listed = run("matches", "list", "--phase", "playing", "--limit", "4")
    assert [f"m{number}" in listed.out for number in range(5)] == [True] * 4 + [False]
    assert [(request.phase, request.page_size) for request in toy.requests] == [(2, 2), (2, 2)]  # type: ignore[attr-defined]  # list requests
    everything = json.loads(run("matches", "list", "--json").out)["matches"]
    assert [match["match"] for match in everything] == [f"m{number}" for number in range(5)]
    assert everything[0]["phase"] == "playing"
    toy.count = 0
    assert run("matches", "list").out == "no matches\n"


def test_a_list_of_matches_of_six_long_names_is_to_be_read_in_80_columns(run: Callable[..., Run], toy: Toy) -> None:
    names = [f"{number}-{'long-name-of-a-bot' * 4}"[:64] for number in range(4)] + ["4 bot of somebody", "漢字" * 30]
    toy.count = 2
    toy.listed = matches_pb2.MatchSummary(
        match="7b382ec45c28",
        created=Timestamp(seconds=1795020529),
        phase=matches_pb2.MATCH_PHASE_OVER,
        ending=match_pb2.ENDING_DECLARED,
        turn=123,
        clock="a-clock-with-a-name-of-its-own",
        bots=[match_pb2.SeatBot(name=name) for name in names],
    )
    lines = run("matches", "list").out.splitlines()
    assert all(cell_len(line) <= 80 for line in lines)
    assert lines[0].split() == ["match", "made", "(UTC)", "phase", "turn", "clock", "bots"]
    rows = [line for line in lines if "7b382ec45c28" in line]
    assert [row.split()[:6] for row in rows] == [["7b382ec45c28", "2026-11-18", "16:48", "declared", "123", "a-clock-wit…"]] * 2
    bots = " ".join(line[lines[0].index("bots") :].strip() for line in lines[2 : 2 + len(lines[2:]) // 2])
    begins = [name[:8] for name in names[:4]] + ["4 bot of somebody", "漢字"]
    places = [bots.find(begin) for begin in begins]
    assert places == sorted(places), "all in the order of their seats"
    assert -1 not in places
    assert len(lines) - 2 <= 2 * 8, "no name takes more than two lines"


def test_a_match_of_which_nobody_knows_when_it_was_made_is_listed_and_shown(run: Callable[..., Run], toy: Toy) -> None:
    toy.found.ClearField("created")
    assert run("matches", "list").status == 0
    assert "made at an unknown time" in run("matches", "get", MATCH).out
    assert json.loads(run("matches", "get", MATCH, "--json").out)["created"] is None


def test_a_match_that_is_over_is_shown_with_its_standings(run: Callable[..., Run], toy: Toy) -> None:
    shown = run("matches", "get", MATCH)
    assert shown.status == 0
    assert f"match {MATCH}: over, declared\n" in shown.out
    rows = [line.split("  ") for line in shown.out.splitlines()[-2:]]
    assert [[word.strip() for word in row if word.strip()] for row in rows] == [
        ["0", "alice", "2", "$12,300", "never joined", "none"],
        ["1", "bob", "1", "$45,600", "finished", "2 timeout"],
    ]
    document = json.loads(run("matches", "get", MATCH, "--json").out)
    assert (document["ending"], document["standings"][1]["defaults"]) == ("declared", {"timeout": 2})
    assert document["created"] == "2026-11-18T15:38:32Z"
    assert (document["bots"], document["bot_ids"], document["bot_versions"]) == (["alice", "bob"], [None, "bob-2"], [None, "2.1"])
    assert toy.requests == [matches_pb2.GetMatchRequest(match=MATCH)] * 2


def test_a_match_is_cancelled_with_a_reason(run: Callable[..., Run], toy: Toy) -> None:
    cancelled = run("matches", "cancel", MATCH, "--why", "no time")
    assert toy.requests == [matches_pb2.CancelMatchRequest(match=MATCH, why="no time")]
    assert f"match {MATCH}: over, voided\n" in cancelled.out
    assert [line.split() for line in cancelled.out.splitlines()[-2:]] == [["0", "alice", "yes"], ["1", "bob", "no"]]


def test_words_of_newer_servers_are_shown_as_numbers(run: Callable[..., Run], toy: Toy) -> None:
    toy.found.phase = 99  # type: ignore[assignment]  # of a newer protocol
    assert json.loads(run("matches", "get", MATCH, "--json").out)["phase"] == "99"


def test_a_receipt_is_shown(run: Callable[..., Run], toy: Toy) -> None:
    toy.found.receipt.CopyFrom(match_pb2.Receipt(match=MATCH, line=bytes(32), game=bytes([255] * 32)))
    text = f"{MATCH}:{'A' * 43}:{'_' * 42}8"
    assert f"receipt: {text}\n" in run("matches", "get", MATCH).out
    assert json.loads(run("matches", "get", MATCH, "--json").out)["receipt"] == text
    toy.found.receipt.line = b"short"
    refused = run("matches", "get", MATCH)
    assert (refused.status, "a receipt that is none" in refused.err) == (1, True)


@pytest.mark.parametrize(
    ("begin", "end", "text"),
    [
        (1_207, 1_209, "promised in entry 1,207, ended in entry 1,209"),
        (1_207, 0, "promised in entry 1,207, no end yet"),
        (0, 9, "never promised there, ended in entry 9"),
    ],
)
def test_a_matchs_places_in_the_public_log_are_shown(run: Callable[..., Run], toy: Toy, begin: int, end: int, text: str) -> None:
    toy.log_entries = public_log_pb2.LogEntries(begin=begin, end=end)
    assert f"public log: {text}\n" in run("matches", "get", MATCH).out
    found = json.loads(run("matches", "get", MATCH, "--json").out)["log_entries"]
    assert found == {"begin": begin or None, "end": end or None}


def test_nothing_is_shown_of_a_log_that_a_server_does_not_have(run: Callable[..., Run], toy: Toy) -> None:
    assert "public log" not in run("matches", "get", MATCH).out
    assert json.loads(run("matches", "get", MATCH, "--json").out)["log_entries"] is None
    assert toy.found.match == MATCH
