"""`mergemaker replay` as text: the score of a match, a decision's table, and the phrases in both."""

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest
from mergemaker_engine import events
from mergemaker_engine.record.lines import AnsweredBy, EndLine, Header, Incident, Parent
from mergemaker_engine.rules import PRESETS, preset
from mergemaker_testkit.recorded import game_hash_before, of_kind, opened, sealed
from mergemaker_testkit.replayed import altered, decisions_of, match_of, with_incidents
from mergemaker_tools.phrases import Phrases

from tests.tools.conftest import Run

WIDTH = 100
# A guard against a hang.
LIMIT_S = 60


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
    run: Callable[..., Run], written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = match_of()
    monkeypatch.setenv("COLUMNS", str(WIDTH))
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


def test_the_effects_of_a_decision_follow_the_tile_that_caused_them(run: Callable[..., Run], written: Callable[..., str]) -> None:
    score = run("replay", written(match_of()), "--text").out
    assert re.search(r"  \d+[A-I] founds [A-Z]", score)
    assert re.search(r"  \d+[A-I] merges [A-Z][a-z]+ into [A-Z]", score)
    assert "· founds" not in score


def test_defaults_and_incidents_are_told(run: Callable[..., Run], written: Callable[..., str]) -> None:
    silent = next(line for line in decisions_of(opened(match_of())) if line.answer == "buy nothing")
    lines = altered(match_of(), 1, by=AnsweredBy.ILLEGAL)
    lines = altered(lines, silent.number, by=AnsweredBy.TIMEOUT)
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


def test_one_decision_as_text_is_the_question_and_its_outcome(run: Callable[..., Run], written: Callable[..., str]) -> None:
    path = written(altered(match_of(), 5, note="I like this one"))
    glued, apart = run("replay", f"{path}@5", "--text"), run("replay", path, "@5", "--text")
    assert glued == apart
    decision = json.loads(run("replay", path, "@5", "--json").out)["decisions"][0]
    assert glued.out.startswith(f"decision 5 of {len(decisions_of(opened(match_of())))} · turn {decision['turn']} · m-1 · ")
    assert f"asked     seat {decision['seat']} (random {decision['seat']}): {decision['asked']}\n" in glued.out
    assert f"answered  {decision['answer']} [bot]\n" in glued.out
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


def test_a_phrase_continues_from_the_decision_before() -> None:
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
