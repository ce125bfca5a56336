"""`mergemaker replay` as JSON, as numbers, and for one seat alone."""

import gzip
import hashlib
import json
import re
from collections.abc import Callable

import pytest
from mergemaker_engine.record.canonical import encoded, hash_text
from mergemaker_engine.record.lines import AnsweredBy, Incident
from mergemaker_engine.rules import PRESETS
from mergemaker_testkit.recorded import opened
from mergemaker_testkit.replayed import altered, decisions_of, match_of, with_incidents

from tests.tools.conftest import Run

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
    path = written(altered(match_of(name, 3), 4, by=AnsweredBy.TIMEOUT))
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


def test_a_mergers_sizes_are_from_before_it(run: Callable[..., Run], written: Callable[..., str]) -> None:
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
def test_a_seat_is_not_shown_others_notes_nor_how_their_answers_came(
    run: Callable[..., Run], written: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    lines = match_of("avalon-hill")
    theirs = [line.number for line in decisions_of(opened(lines)) if line.seat != 1]
    changed = lines
    for number, cause in zip(theirs[::7], (*AnsweredBy, *AnsweredBy), strict=False):
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
