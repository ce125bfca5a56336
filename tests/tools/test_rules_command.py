"""`mergemaker rules`: presets, knobs, the information card and the catalogue."""

import json
import re
from collections.abc import Callable

import pytest
from mergemaker_engine.catalogue import CATALOGUE, entry
from mergemaker_engine.rules import KNOB_NAMES, PRESETS, allowed_values, preset
from mergemaker_tools.information_card import card_of, sizes_text
from mergemaker_tools.knobs import KNOB_RULES, KNOB_WORDS, PRESET_WORDS, VALUE_WORDS, allowed
from mergemaker_tools.options import SETTING_CHARACTERS_MAX

from tests.tools.conftest import Run

COLUMNS = 80


def test_all_presets_with_a_word_on_each(run: Callable[..., Run]) -> None:
    listed = run("rules")
    assert (listed.status, listed.err) == (0, "")
    for name in PRESETS:
        assert f"\n{name} " in listed.out
    assert list(PRESET_WORDS) == list(PRESETS)


def test_all_presets_as_json(run: Callable[..., Run]) -> None:
    document = json.loads(run("rules", "--json").out)
    assert document == {
        "presets": [
            {"name": name, "about": PRESET_WORDS[name], "fingerprint": rules.fingerprint()} for name, rules in PRESETS.items()
        ]
    }


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_with_all_its_knobs_and_their_rules(run: Callable[..., Run], name: str) -> None:
    shown = run("rules", name)
    assert shown.status == 0
    for knob in KNOB_NAMES:
        assert re.search(rf"^{knob} .* {KNOB_RULES[knob]}$", shown.out, re.MULTILINE)
    for chain in preset(name).chain_names:
        assert chain in shown.out
    assert preset(name).fingerprint() in shown.out
    assert max(map(len, shown.out.splitlines())) <= COLUMNS


def test_the_knobs_rules_are_those_that_name_them() -> None:
    assert tuple(KNOB_RULES) == KNOB_NAMES
    named = {knob: rule.id for rule in CATALOGUE for knob in re.findall("`([a-z_]+)`", rule.text)}
    assert named
    assert {knob: KNOB_RULES[knob] for knob in named} == named
    for rule in KNOB_RULES.values():
        entry(rule)


def test_a_preset_as_json(run: Callable[..., Run]) -> None:
    document = json.loads(run("rules", "renegade-tycoon", "--set", "dead_tiles=forced", "--json").out)
    rules = preset("renegade-tycoon").with_knobs({"dead_tiles": "forced"})
    assert document["rules"] == "renegade-tycoon dead_tiles=forced"
    assert document["rules_version"] == rules.version
    assert document["fingerprint"] == rules.fingerprint() != preset("renegade-tycoon").fingerprint()
    assert {knob: told["value"] for knob, told in document["knobs"].items()} == rules.knobs()
    assert document["knobs"]["dead_tiles"] == {
        "value": "forced",
        "allowed": "optional, forced, forced-then-optional",
        "rule": "DRW-2",
    }
    assert document["card"][0] == {
        "price": 200,
        "sizes": {"cheap": [2, 2], "middle": None, "dear": None},
        "bonuses": [2000, 1500, 1000],
    }
    assert document["card"][-1] == {
        "price": 1200,
        "sizes": {"cheap": None, "middle": None, "dear": [41, None]},
        "bonuses": [12000, 8200, 6000],
    }


def test_every_knob_and_every_value_that_can_be_listed_has_its_words() -> None:
    assert tuple(KNOB_WORDS) == KNOB_NAMES
    assert [knob for knob in KNOB_NAMES if knob not in VALUE_WORDS] == ["chains", "trade_offers"]
    for knob, words in VALUE_WORDS.items():
        assert ", ".join(words) == allowed_values(knob)


@pytest.mark.parametrize("knob", KNOB_NAMES)
def test_a_knob_with_the_presets_that_have_each_of_its_values(run: Callable[..., Run], knob: str) -> None:
    document = json.loads(run("rules", knob, "--json").out)
    assert (document["knob"], document["about"], document["rule"]) == (knob, KNOB_WORDS[knob], KNOB_RULES[knob])
    assert document["allowed"] == allowed(knob)
    for told in document["values"]:
        assert told["presets"] == [name for name, rules in PRESETS.items() if rules.knobs()[knob] == told["value"]]
        assert (told["means"] is not None) == (knob in VALUE_WORDS)
    assert sorted(name for told in document["values"] for name in told["presets"]) == sorted(PRESETS)
    shown = run("rules", knob.upper())
    assert (shown.status, shown.err) == (0, "")
    words = " ".join(shown.out.split())
    assert words.startswith(f"{knob}: {KNOB_WORDS[knob]} value ")
    assert f"`mergemaker rules {KNOB_RULES[knob]}` shows its rule." in words
    assert all(name in shown.out for name in PRESETS)
    assert max(map(len, shown.out.splitlines())) <= COLUMNS


def test_a_knobs_values_are_told_in_the_catalogues_sense(run: Callable[..., Run]) -> None:
    document = json.loads(run("rules", "dead_tiles", "--json").out)
    assert [(told["value"], told["presets"][-1]) for told in document["values"]] == [
        ("optional", "avalon-hill-powers"),
        ("forced", "corporations"),
        ("forced-then-optional", "reference-trading"),
    ]
    market = json.loads(run("rules", "two_player_market", "--json").out)
    assert [told["value"] for told in market["values"]] == [True, False]
    assert "It takes a whole number from 0 to 10." in run("rules", "trade_offers").out


@pytest.mark.rule("BON-1", "BON-2")
def test_the_information_card_is_the_rulebooks() -> None:
    card = [(*map(sizes_text, line.sizes), line.price, *line.bonuses) for line in card_of(preset("renegade-classic"))]
    assert card == [
        ("2", "-", "-", 200, 2000, 1000),
        ("3", "2", "-", 300, 3000, 1500),
        ("4", "3", "2", 400, 4000, 2000),
        ("5", "4", "3", 500, 5000, 2500),
        ("6-10", "5", "4", 600, 6000, 3000),
        ("11-20", "6-10", "5", 700, 7000, 3500),
        ("21-30", "11-20", "6-10", 800, 8000, 4000),
        ("31-40", "21-30", "11-20", 900, 9000, 4500),
        ("41+", "31-40", "21-30", 1000, 10000, 5000),
        ("-", "41+", "31-40", 1100, 11000, 5500),
        ("-", "-", "41+", 1200, 12000, 6000),
    ]


@pytest.mark.parametrize("asked", ["PLC-7", "plc-7"])
def test_a_rule_by_its_id(run: Callable[..., Run], asked: str) -> None:
    rule = entry("PLC-7")
    assert json.loads(run("rules", asked, "--json").out) == {"rules": [{"id": "PLC-7", "text": rule.text, "source": rule.source}]}
    shown = " ".join(run("rules", asked).out.split())
    assert f"PLC-7 {rule.text} ({rule.source})" in shown


@pytest.mark.parametrize("asked", ["PLC", "PLC-", "plc-"])
def test_a_part_of_the_catalogue(run: Callable[..., Run], asked: str) -> None:
    listed = json.loads(run("rules", asked, "--json").out)["rules"]
    assert [rule["id"] for rule in listed] == [f"PLC-{number}" for number in range(1, 11)]


def test_the_whole_catalogue(run: Callable[..., Run]) -> None:
    listed = json.loads(run("rules", "--all", "--json").out)["rules"]
    assert [rule["id"] for rule in listed] == [rule.id for rule in CATALOGUE]
    shown = run("rules", "--all").out
    assert [line.split()[0] for line in shown.splitlines() if re.match("[A-Z]{3}-", line)] == [rule.id for rule in CATALOGUE]
    assert max(map(len, shown.splitlines())) <= COLUMNS


def test_what_every_knob_allows_is_told() -> None:
    assert allowed("two_player_market") == "yes, no"
    assert allowed("trade_offers") == "a whole number from 0 to 10"
    assert allowed("chains").startswith("seven names")


LONG = "A" * SETTING_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("renegade-clasic",), "'renegade-clasic'; did you mean renegade-classic"),
        (("PLC-7X",), "no preset, knob, rule or part 'PLC-7X'; did you mean PLC-7"),
        (("dead_tile",), "'dead_tile'; did you mean dead_tiles"),
        (("",), "no preset, knob, rule or part ''"),
        (("assets", "--set", "assets=hidden"), "--set changes a preset"),
        (("--set", "assets=hidden"), "--set changes a preset"),
        (("PLC", "--set", "assets=hidden"), "--set changes a preset"),
        (("avalon-hill", "--all"), "leave out either --all or 'avalon-hill'"),
        (("avalon-hill", "--set", "asets=hidden"), "no knob 'asets'; did you mean assets?"),
        (("avalon-hill", "--set", "assets=secret"), "the knob assets takes open, hidden, not 'secret'"),
        (("avalon-hill", "--set", "assets"), "--set takes KNOB=VALUE"),
        (("avalon-hill", "--set", "assets="), "--set takes KNOB=VALUE"),
        (("avalon-hill", "--set", "chains=A B/C"), "without spaces"),
        (("avalon-hill", "--set", f"chains={LONG}"), f"at most {SETTING_CHARACTERS_MAX} characters"),
        (("avalon-hill", "--set", "chains=A,B"), "the knob chains is 7 names"),
        (("avalon-hill", "--set", "trade_offers=11"), "a whole number from 0 to 10, not 11"),
        (("avalon-hill", "--set", f"trade_offers={'9' * 100}"), "a whole number from 0 to 10"),
        (("avalon-hill", "--set", "special_powers=1"), "the knob special_powers takes yes, no"),
        (("avalon-hill", "--set", "assets=open", "--set", "assets=hidden"), "the knob assets is set twice"),
    ],
)
def test_what_is_refused(run: Callable[..., Run], arguments: tuple[str, ...], said: str) -> None:
    refused = run("rules", *arguments)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err
