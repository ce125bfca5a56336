"""`mergemaker replay` as text, as JSON and in numbers; what is refused; records that are not whole."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from mergemaker_engine import events
from mergemaker_engine.record.canonical import encoded, hash_text
from mergemaker_engine.record.lines import By, DecisionLine, EndLine, Header, Incident, Parent
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_testkit.recorded import game_hash_before, of_kind, opened, recorded_match, sealed
from mergemaker_tools.replaying.phrases import Phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mergemaker_engine.record.lines import Line

    from tests.tools.conftest import Run

SEED = hashlib.sha256(b"replay").digest()
WIDTH = 100
# How long anything here may take on a slow machine.
LIMIT_S = 60


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Sequence[bytes]], str]:
    """Writes a record's lines to a file, and gives its path."""

    def write(lines: Sequence[bytes], name: str = "match.jsonl") -> str:
        path = tmp_path / name
        path.write_bytes(b"".join(lines))
        return str(path)

    return write


def match_of(
    name: str = "renegade-classic", seats: int = 4, note: str | None = None, decisions: int | None = None
) -> list[bytes]:
    return recorded_match(preset(name), seats, SEED, note=note, decisions=decisions)


def decisions_of(lines: Sequence[Line]) -> list[DecisionLine]:
    return [line for line in lines if isinstance(line, DecisionLine)]


# --- text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_score_has_a_line_for_each_turn(run: Callable[..., Run], written: Callable[..., str], name: str) -> None:
    path = written(match_of(name, 3))
    shown = run("replay", path, "--text")
    assert (shown.status, shown.err) == (0, "")
    document = json.loads(run("replay", path, "--json").out)
    turns = document["decisions"][-1]["turn"]
    assert [int(turn) for turn in re.findall(r"^ *(\d+)\. seat \d \(", shown.out, re.MULTILINE)] == list(range(1, turns + 1))
    assert max(map(len, shown.out.splitlines())) <= WIDTH


def test_the_score_begins_with_what_was_played_and_ends_with_the_result(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    lines = match_of()
    out = run("replay", written(lines), "--text").out
    assert out.startswith("match m-1 · renegade-classic · 4 seats · deal: server · 2026-11-18T15:38:32Z · mergemaker\n")
    assert "seat 0: random 0 · seat 1: random 1" in out
    end = of_kind(opened(lines)[-1], EndLine)
    assert end.cash
    assert end.places
    result = re.findall(r"^ +(\d)\. seat (\d) +\$([\d,]+)  random", out.partition("result: ")[2], re.MULTILINE)
    assert sorted((int(seat), int(place), int(cash.replace(",", ""))) for place, seat, cash in result) == [
        (seat, end.places[seat], end.cash[seat]) for seat in range(4)
    ]
    assert [int(place) for place, _, _ in result] == sorted(end.places)


def test_a_score_tells_every_tile_purchase_bonus_and_disposal(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of("avalon-hill-powers", 6))
    score = " ".join(run("replay", path, "--text").out.split())
    events = [event for decision in json.loads(run("replay", path, "--json").out)["decisions"] for event in decision["events"]]
    kinds = {event.split()[0] for event in events}
    assert {"TilePlaced", "BonusPaid", "StockDisposed", "ChainFounded", "MergerBegan", "PowerUsed"} <= kinds
    for event in events:
        kind, *rest = event.split()
        told = dict(part.split("=") for part in rest)
        match kind:
            case "TilePlaced":
                assert re.search(rf"\b{told['square']}\b", score)
            case "BonusPaid":
                assert f"seat {told['seat']} ${int(told['amount']):,}" in score
            case "SharesBought" if set(told["shares"]) != {"0", ","}:
                assert f"(${int(told['cost']):,})" in score or told["cost"] == "0"
            case "ChainFounded":
                assert f"founds {told['chain']}" in score
            case "StockDisposed":
                assert re.search(rf"seat {told['seat']} [a-z0-9, ]+ {told['chain']}\b", score)


def test_what_one_decision_did_stands_behind_the_tile_that_caused_it(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    score = run("replay", written(match_of()), "--text").out
    assert re.search(r"  \d+[A-I] founds [A-Z]", score)
    assert re.search(r"  \d+[A-I] merges [A-Z][a-z]+ into [A-Z]", score)
    assert "· founds" not in score


def altered(lines: Sequence[bytes], number: int, **changes: Any) -> list[bytes]:
    """A record in which a decision's line has other members, its chains right."""
    return sealed(
        replace(line, **changes) if isinstance(line, DecisionLine) and line.number == number else line for line in opened(lines)
    )


def with_incidents(lines: Sequence[bytes], *incidents: Incident) -> list[bytes]:
    """A record with incidents in front of its third decision."""
    parts = opened(lines)
    at = parts.index(decisions_of(parts)[2])
    return sealed([*parts[:at], *incidents, *parts[at:]])


def test_defaults_and_incidents_are_told(run: Callable[..., Run], written: Callable[..., str]) -> None:
    silent = next(line for line in decisions_of(opened(match_of())) if line.answer == "buy nothing")
    lines = altered(match_of(), 1, by=By.ILLEGAL)
    lines = altered(lines, silent.number, by=By.TIMEOUT)
    lines = with_incidents(lines, Incident(what="autopilot", seat=1, why="3 faults"), Incident(what="restarted"))
    out = run("replay", written(lines), "--text").out
    said = " ".join(out.split())
    first = decisions_of(opened(lines))[0]
    assert (
        f"1. seat {first.seat} (random {first.seat}) {first.answer} · [seat {first.seat}, default: illegal: {first.answer}]"
        in said
    )
    assert f"[seat {silent.seat}, default: timeout: buy nothing]" in said
    assert "      ! seat 1: autopilot (3 faults)\n" in out
    assert "      ! restarted\n" in out


def test_no_text_from_outside_moves_the_cursor(run: Callable[..., Run], written: Callable[..., str]) -> None:
    first, *rest = opened(altered(match_of(), 2, note="a\x1b[2Jb\x07\n\u202ec"))
    header = of_kind(first, Header)
    path = written(sealed([replace(header, bots=("\x1b]0;x\x07", "b\rb", "c", "d"), started="\x9b2J"), *rest]))
    for arguments in (("--text",), ("--stats",), ("@2", "--text"), ("--json",)):
        out = run("replay", path, *arguments).out
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out), arguments


def test_one_decision_as_text_is_the_table_as_it_left_it(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(altered(match_of(), 5, note="I like this one"))
    glued, apart = run("replay", f"{path}@5", "--text"), run("replay", path, "@5", "--text")
    assert glued == apart
    decision = json.loads(run("replay", path, "@5", "--json").out)["decisions"][0]
    assert glued.out.startswith(f"decision 5 of {len(decisions_of(opened(match_of())))} · turn {decision['turn']} · m-1 · ")
    asked = f"seat {decision['seat']} (random {decision['seat']}): {decision['asked']} → {decision['answer']} [bot]"
    assert f"asked     {asked}\n" in glued.out
    assert "note      I like this one\n" in glued.out
    assert max(map(len, glued.out.splitlines())) <= 80


def test_an_encoding_without_the_characters_gets_plainer_ones(
    run: Callable[..., Run], written: Callable[..., str], command_line: list[str], plain_environment: dict[str, str]
) -> None:
    path = written(match_of())
    done = subprocess.run(
        [*command_line, "replay", path, "--text"],
        env=plain_environment | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    assert done.stdout.decode("ascii") == run("replay", path, "--text").out.replace("·", "-")


# --- JSON ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_the_states_are_what_the_digests_hash(run: Callable[..., Run], written: Callable[..., str], name: str) -> None:
    lines = match_of(name, 3)
    shown = run("replay", written(lines), "--json")
    assert (shown.status, shown.err) == (0, "")
    document = json.loads(shown.out)
    recorded = decisions_of(opened(lines))
    assert len(document["decisions"]) == len(recorded)
    for told, line in zip(document["decisions"], recorded, strict=True):
        assert hash_text(hashlib.sha256(encoded(told["state"]).encode()).digest()[:16]) == line.digest
        assert (told["number"], told["seat"], told["asked"], told["answer"], told["by"], told["note"]) == (
            (line.number, line.seat, line.asked, line.answer, str(line.by), line.note)
        )
        assert told["run"] == dict(line.run)


def test_the_document_has_the_header_and_the_end_as_they_are_recorded(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    lines = with_incidents(match_of(note="so be it"), Incident(what="autopilot", seat=1, why="3 faults"))
    document = json.loads(run("replay", written(lines), "--json").out)
    for told, text in ((document["header"], lines[0]), (document["end"], lines[-1])):
        recorded = json.loads(text)
        assert told == {name: value for name, value in recorded.items() if name not in ("game", "line")}
    assert document["knows"] is None
    assert {decision["note"] for decision in document["decisions"]} == {"so be it"}
    assert document["decisions"][2]["incidents"] == [{"what": "autopilot", "seat": 1, "why": "3 faults", "run": {}}]
    assert document["start"]["events"][-1] == f"TurnBegan seat={document['decisions'][0]['seat']} turn=1"
    assert document["start"]["state"]["turn"] == 1


def test_one_decision_as_json(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of())
    every = json.loads(run("replay", path, "--json").out)
    assert json.loads(run("replay", f"{path}@7", "--json").out)["decisions"] == [every["decisions"][6]]
    assert json.loads(run("replay", f"{path}@0", "--json").out)["decisions"] == []


def test_packed_records_are_opened(run: Callable[..., Run], written: Callable[..., str]) -> None:
    lines = match_of()
    packed = written([gzip.compress(b"".join(lines))], name="match.jsonl.gz")
    assert run("replay", packed, "--json") == run("replay", written(lines), "--json")


# --- numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["renegade-classic", "avalon-hill-powers", "renegade-tycoon"])
def test_the_numbers_add_up(run: Callable[..., Run], written: Callable[..., str], name: str) -> None:
    path = written(altered(match_of(name, 3), 4, by=By.TIMEOUT))
    found = json.loads(run("replay", path, "--stats", "--json").out)
    document = json.loads(run("replay", path, "--json").out)
    decisions = document["decisions"]
    events = [event for decision in decisions for event in decision["events"]]
    assert found["turns"] == decisions[-1]["turn"]
    assert found["decisions"] == len(decisions)
    for kind, told in (("ChainFounded", found["foundings"]), ("MergerBegan", found["mergers"])):
        assert len(told) == sum(event.startswith(f"{kind} ") for event in events) > 0
    paid = [0, 0, 0]
    for event in events:
        if bonus := re.fullmatch(r"BonusPaid seat=(\d) chain=\w+ amount=(\d+)", event):
            paid[int(bonus[1])] += int(bonus[2])
    assert [a + b for a, b in zip(found["merger_bonuses"], found["end_bonuses"], strict=True)] == paid
    assert found["merger_bonuses"] == [sum(merger["bonuses"][seat] for merger in found["mergers"]) for seat in range(3)]
    assert found["worth"][0] == {"turn": 0, "seats": [6000] * 3}
    assert [row["turn"] for row in found["worth"]] == list(range(found["turns"] + 1))
    assert found["worth"][-1]["seats"] == found["money"] == document["end"]["cash"]
    answers = [sum(counted.values()) for counted in found["answers"]]
    assert answers == [sum(decision["seat"] == seat for decision in decisions) for seat in range(3)]
    assert sum(counted.get("default: timeout", 0) for counted in found["answers"]) == 1
    asked = [decision for decision in decisions if decision["by"] != "automatic"]
    assert [time["total_ms"] for time in found["time"]] == [12 * sum(one["seat"] == seat for one in asked) for seat in range(3)]


def test_a_mergers_sizes_are_those_before_it(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of())
    merger = json.loads(run("replay", path, "--stats", "--json").out)["mergers"][0]
    decisions = json.loads(run("replay", path, "--json").out)["decisions"]
    began = next(at for at, told in enumerate(decisions) if any(event.startswith("MergerBegan") for event in told["events"]))
    board = decisions[began - 1]["state"]["board"]
    assert merger["square"] == decisions[began]["answer"].split()[0]
    for gone in merger["acquired"]:
        assert gone["size"] == board.count(gone["chain"][0])


def test_the_numbers_fit_the_screen(run: Callable[..., Run], written: Callable[..., str]) -> None:
    shown = run("replay", written(match_of("avalon-hill-powers", 6)), "--stats")
    assert (shown.status, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    rows = re.findall(r"^ *(\d+)(?: +\$[\d,]+){6}$", shown.out, re.MULTILINE)
    assert 2 < len(rows) <= 13
    assert rows[0] == "0"
    assert f": {rows[-1]} turns, " in shown.out


# --- what one seat knew -------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("--text",), ("--json",)])
def test_what_others_noted_and_how_they_came_to_answer_is_not_shown_to_a_seat(
    run: Callable[..., Run], written: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    lines = match_of("avalon-hill")
    theirs = [line.number for line in decisions_of(opened(lines)) if line.seat != 1]
    changed = lines
    for number, cause in zip(theirs[::7], (*By, *By), strict=False):
        changed = altered(changed, number, note=f"secret {number}", by=cause, run={"used_ms": 7 * number})
    changed = with_incidents(changed, Incident(what="slow", seat=2, why="has 9I"))
    first = run("replay", written(lines), *arguments, "--seat", "1")
    second = run("replay", written(changed), *arguments, "--seat", "1")
    assert first.status == 0
    assert first.out == second.out
    assert run("replay", written(changed), *arguments).out != run("replay", written(lines), *arguments).out


def test_a_seat_is_told_what_it_was_asked_and_the_events_of_others(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of("avalon-hill", 3, note="mine"))
    every = json.loads(run("replay", path, "--json").out)["decisions"]
    document = json.loads(run("replay", path, "--json", "--seat", "2").out)
    assert document["knows"] == 2
    assert "seed" not in document["end"]
    assert "run" not in document["end"]
    by_number = {decision["number"]: decision for decision in every}
    for told in document["decisions"]:
        whole = by_number[told["number"]]
        if told["seat"] == 2:
            names = ("asked", "answer", "by", "note", "run")
            assert [told[name] for name in names] == [whole[name] for name in names]
        else:
            assert {told[name] for name in ("asked", "answer", "by", "note", "run")} == {None}
        assert told["events"] == [
            event for event in whole["events"] if not event.startswith("TilesReceived") or "seat=2" in event
        ]
        assert told["view"]["hand"] == sorted(whole["state"]["hands"][2], key=lambda name: (name[-1], int(name[:-1])))
        if told["view"]["ended"] is None:
            assert told["view"]["cash"] == [None, None, whole["state"]["cash"][2]]
            assert told["view"]["shares"] == [None, None, whole["state"]["shares"][2]]
    assert all(told["seat"] == 2 or told["events"] for told in document["decisions"])


# --- what is refused, and what is not whole -----------------------------------------------------------------


def test_a_match_that_has_not_ended_is_shown_as_far_as_it_goes(run: Callable[..., Run], written: Callable[..., str]) -> None:
    whole = match_of("avalon-hill-powers", 3)
    lines = altered(whole, 2, by=By.TIMEOUT)[:40]
    for torn in (b"", lines[-1][:20]):
        path = written([*lines, torn])
        shown = run("replay", path, "--text")
        assert shown.status == 1
        assert "has no end line: the match is running, or was broken off" in shown.err
        told = re.findall(r"^ +(\d+)\. seat (\d) \(random \d\)  (.+?): (.+?)(  \[.*\])?$", shown.out, re.MULTILINE)
        assert [(int(number), int(seat), asked, answer) for number, seat, asked, answer, _ in told] == [
            (line.number, line.seat, line.asked, line.answer) for line in decisions_of(opened(lines))
        ]
        assert [mark for *_, mark in told if mark] == ["  [default: timeout]"]
        for arguments in ((), ("--json",), ("--stats",)):
            if not arguments:
                continue  # the screen needs a terminal first
            refused = run("replay", path, *arguments)
            assert (refused.status, refused.out) == (1, "")
            assert "--text shows its header and the answers so far" in refused.err


def test_of_a_match_that_has_not_ended_a_seat_is_told_what_was_announced(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    lines = match_of("avalon-hill-powers", 3)
    recorded = decisions_of(opened(lines[:-1]))
    out = run("replay", written(lines[:-1]), "--text", "--seat", "0").out
    assert any(line.answer == "no power" and line.seat != 0 for line in recorded)
    assert not re.search(r"seat [12] \(random [12]\)  (no power|Choose)", out)
    assert "seat 0 (random 0)  ChoosePower phase=buying: no power" in out


def test_a_voided_match_is_shown_as_far_as_it_went(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(match_of(decisions=20))
    for arguments in (("--text",), ("--stats",), ("@20", "--text"), ("--stats", "--json")):
        shown = run("replay", path, *arguments)
        assert (shown.status, shown.err) == (0, "")
        assert "voided" in shown.out
    assert len(json.loads(run("replay", path, "--json").out)["decisions"]) == 20


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--text", "--json"), "--text and --json are two ways to show a record: leave one out"),
        (("--text", "--stats"), "--text and --stats"),
        (("--stats", "--seat", "0"), "--stats counts what no single seat knows"),
        (("--text", "--seat", "4"), "--seat takes a seat of this match, 0 to 3, not 4"),
        (("--text", "--seat", "x"), "takes a whole number from 0 to 5, not 'x'"),
        (("@99999", "--text"), "@N takes a decision of this match, 0 (before the first) to "),
        (("57", "--text"), "behind the record stands @ and the number of a decision, as in @57, not '57'"),
        (("@x", "--text"), "not '@x'"),
        (("@12345678", "--text"), "not '@12345678'"),
        ((), "the full-screen view needs a terminal with single keys, and standard input is no terminal:\n`mergemaker replay "),
    ],
)
def test_what_is_refused(
    run: Callable[..., Run], written: Callable[..., str], arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    refused = run("replay", written(match_of()), *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_paths_that_are_no_files_are_refused(run: Callable[..., Run], written: Callable[..., str], tmp_path: Path) -> None:
    missing = str(tmp_path / "none.jsonl")
    for path in (missing, f"{missing}@3", str(tmp_path), f"{written(match_of())}/x", "a\0b"):
        refused = run("replay", path, "--text")
        assert (refused.status, refused.out) == (2, ""), path
        assert "RECORD takes the path of a record's file" in refused.err
    twice = run("replay", f"{missing}@3", "@4", "--text")
    assert twice.status == 2
    assert "two decisions are named" in twice.err


def test_a_name_with_an_at_sign_is_a_name_where_there_is_such_a_file(
    run: Callable[..., Run], written: Callable[..., str]
) -> None:
    path = written(match_of(), name="match@3")
    assert "result: " in run("replay", path, "--text").out
    assert run("replay", f"{path}@2", "--text").out.startswith("decision 2 of ")


def bad_records() -> dict[str, list[bytes]]:
    whole = match_of()
    digest = "A" * 22
    return {
        "empty": [],
        "no record": [b"{}\n"],
        "not text": [b"\xff\xfe\n"],
        "a bit": [*whole[:9], whole[9].replace(b'"n":', b'"m":'), *whole[10:]],
        "behind the end": [*whole, b"x"],
        "another state": altered(whole, 9, digest=digest),
        "another answer": altered(whole, 9, answer="buy 25 Tower"),
        "another deal": sealed([replace(line, seed=bytes(32)) if isinstance(line, EndLine) else line for line in opened(whole)]),
        "packing": [gzip.compress(b"".join(whole))[:-20]],
    }


@pytest.mark.parametrize("name", bad_records())
def test_a_bad_record_is_said_to_be_one(run: Callable[..., Run], written: Callable[..., str], name: str) -> None:
    path = written(bad_records()[name])
    for way in ("--text", "--json", "--stats"):
        refused = run("replay", path, way)
        assert (refused.status, refused.out) == (1, "")
        assert path in refused.err
        assert "record" in refused.err or "game" in refused.err


# --- phrases ------------------------------------------------------------------------------------------------

NONE = (0,) * 7


@pytest.mark.parametrize(
    ("heard", "phrases"),
    [
        ([], []),
        ([events.TilePlaced(0, 28), events.ChainGrew(0, 5)], ["5C grows Tower to 5"]),
        ([events.TilePlaced(0, 28)], ["5C"]),
        ([events.ChainFounded(0, 1, 2), events.FounderRewarded(0, 1, 1, 0)], ["founds Sackson"]),
        ([events.ChainFounded(0, 1, 4), events.FounderRewarded(0, 1, 0, 300)], ["founds Sackson with 4 (gets $300)"]),
        ([events.ChainFounded(0, 1, 2), events.FounderRewarded(0, 1, 0, 0)], ["founds Sackson (no share left)"]),
        (
            [events.TilePlaced(0, 28), events.MergerBegan(0, (0, 1, 2)), events.ChainSurvives(1)],
            ["5C merges Tower, American into Sackson"],
        ),
        (
            [events.MarketDrew(0, 28, 5), events.MarketDrew(0, None, 0)],
            ["the market holds 5 Tower by 5C", "the market holds 0 Tower"],
        ),
        (
            [events.BonusPaid(0, 1, 3000), events.BonusPaid(2, 1, 1500), events.BonusPaid(0, 2, 100)],
            ["Sackson pays seat 0 $3,000, seat 2 $1,500", "American pays seat 0 $100"],
        ),
        (
            [events.SharesSold(0, 1, 3, 900), events.SharesSold(1, 1, 1, 300), events.BonusPaid(0, 1, 5)],
            ["Sackson sold: seat 0 3 ($900), seat 1 1 ($300)", "Sackson pays seat 0 $5"],
        ),
        ([events.StockDisposed(1, 0, 1, 2, 4, 400, 2)], ["seat 1 keeps 1, sells 2, trades 4 Tower"]),
        ([events.SharesBought(0, (2, 1, 0, 0, 0, 0, 0), 700)], ["buys 2 Tower, 1 Sackson ($700)"]),
        ([events.SharesBought(0, (0, 1, 0, 0, 0, 0, 0), 0), events.SharesBought(0, NONE, 0)], ["buys 1 Sackson (free)"]),
        (
            [events.HandShown(1, (0, 28)), events.TilesSetAside(1, (0, 28)), events.TilesSetAside(1, ())],
            ["shows 1A 5C", "sets 1A 5C aside"],
        ),
        ([events.HandShown(1, ()), events.PlacingSkipped(1)], ["shows nothing", "places nothing"]),
        ([events.PairTraded(0, 1, 2)], ["swaps 2 Sackson for 1 American"]),
        (
            [events.TradeOffered(0, 2, (1, 0, 0, 0, 0, 0, 0), 500, (0, 2, 0, 0, 0, 0, 0), 0), events.TradeAnswered(2, True)],
            ["offers seat 2 1 Tower, $500 for 2 Sackson", "seat 2 accepts"],
        ),
        ([events.TradeAnswered(2, False)], ["seat 2 declines"]),
        ([events.HoldingsShown(1, (1, 2, 3)), events.TilesDrawn(0, 1), events.TurnBegan(0, 2)], []),
    ],
)
def test_phrases(heard: list[events.Event], phrases: list[str]) -> None:
    made = Phrases(preset("renegade-classic"))
    made.hear(heard)
    assert made.take() == phrases


def test_a_phrase_goes_on_from_the_decision_before() -> None:
    phrases = Phrases(preset("renegade-classic"))
    said: list[str] = []
    phrases.take_onto(said)
    assert said == []
    for heard in ([events.TilePlaced(0, 28)], [events.ChainFounded(0, 0, 2)], [events.SharesBought(0, (1, *NONE[1:]), 200)]):
        phrases.hear(heard)
        phrases.take_onto(said)
    assert said == ["5C founds Tower", "buys 1 Tower ($200)"]


def test_a_fork_says_where_it_comes_from(run: Callable[..., Run], written: Callable[..., str]) -> None:
    first, *rest = opened([*match_of()[:-1]])
    end = opened(match_of())[-1]
    header = replace(of_kind(first, Header), parent=Parent("m-0", 57, game_hash_before([first, *rest], 57)))
    path = written(sealed([header, *rest, Incident(what="counted", why="at last"), end]))
    assert "goes on from decision 57 of match m-0" in " ".join(run("replay", path, "--text").out.split())
    assert "\n      ! counted (at last)\n" in run("replay", path, "--text").out
    assert json.loads(run("replay", path, "--json").out)["last_incidents"][0]["what"] == "counted"
    last = len(decisions_of(rest))
    assert "incident  counted (at last)\n" in run("replay", f"{path}@{last}", "--text").out
    unfinished = run("replay", written(sealed([header, *rest, Incident(what="counted")])), "--text").out
    assert unfinished.endswith("      ! counted\n")
