"""Rule sets as values: every knob of every preset, a knob's values, and the fingerprint."""

import hashlib
import json
from dataclasses import FrozenInstanceError, replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from mergemaker_engine.deal import Deal
from mergemaker_engine.errors import SetupError
from mergemaker_engine.game import Game
from mergemaker_engine.rules import KNOB_NAMES, PRESETS, Rules, allowed_values, preset
from mergemaker_testkit.strategies import STEADY, rule_sets

CLASSIC: Final = preset("renegade-classic")
RENEGADE_CHAINS: Final = [["Tower", "Sackson"], ["American", "Festival", "Worldwide"], ["Continental", "Imperial"]]
AVALON_HILL_CHAINS: Final = [["Luxor", "Tower"], ["American", "Festival", "Worldwide"], ["Continental", "Imperial"]]
CORPORATION_CHAINS: Final = [["Sackson", "Zeta"], ["Hydra", "Fusion", "America"], ["Phoenix", "Quantum"]]
REFERENCE_CHAINS: Final = [["Luxor", "Tower"], ["American", "Worldwide", "Festival"], ["Imperial", "Continental"]]

# The table of knobs and presets, one column each.
KNOBS: Final = (
    "chains", "bonus_chart", "start_order", "founder_without_stock", "dead_tiles", "unplayable_hand",
    "after_declaring", "two_player_market", "assets", "special_powers", "trade_offers",
)  # fmt: skip
COLUMNS: Final[dict[str, tuple[object, ...]]] = {
    "renegade-classic": (
        RENEGADE_CHAINS, "two-holders", "letter-first", "cash", "optional", "skip", "finish", True, "open", False, 0,
    ),
    "renegade-tycoon": (
        RENEGADE_CHAINS, "three-holders", "letter-first", "cash", "optional", "skip", "finish", True, "open", False, 0,
    ),
    "avalon-hill": (
        AVALON_HILL_CHAINS, "two-holders", "number-first", "nothing", "optional", "show", "finish-or-stop", True,
        "hidden", False, 0,
    ),
    "avalon-hill-powers": (
        AVALON_HILL_CHAINS, "two-holders", "number-first", "nothing", "optional", "show", "finish-or-stop", True,
        "hidden", True, 0,
    ),
    "corporations": (
        CORPORATION_CHAINS, "two-holders", "letter-first", "nothing", "forced", "skip", "finish-or-stop", False,
        "open", False, 0,
    ),
    "reference": (
        REFERENCE_CHAINS, "two-holders", "letter-first", "cash", "forced-then-optional", "redraw", "finish", False,
        "open", False, 0,
    ),
    "reference-trading": (
        REFERENCE_CHAINS, "two-holders", "letter-first", "cash", "forced-then-optional", "redraw", "finish", False,
        "open", False, 3,
    ),
}  # fmt: skip

OTHER_VALUES: Final[dict[str, object]] = {
    "chains": AVALON_HILL_CHAINS,
    "bonus_chart": "three-holders",
    "start_order": "number-first",
    "founder_without_stock": "nothing",
    "dead_tiles": "forced",
    "unplayable_hand": "show",
    "after_declaring": "finish-or-stop",
    "two_player_market": False,
    "assets": "hidden",
    "special_powers": True,
    "trade_offers": 1,
}


def test_the_table_has_every_preset_and_every_knob() -> None:
    assert tuple(COLUMNS) == tuple(PRESETS)
    assert KNOB_NAMES == KNOBS == tuple(OTHER_VALUES)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_preset_has_the_knobs_of_the_table(name: str) -> None:
    assert preset(name).knobs() == dict(zip(KNOBS, COLUMNS[name], strict=True))


@settings(STEADY, max_examples=150)
@given(rules=rule_sets())
def test_knobs_are_plain_data_that_make_the_same_rules(rules: Rules) -> None:
    knobs = rules.knobs()
    assert tuple(knobs) == KNOBS
    assert json.loads(json.dumps(knobs)) == knobs
    for base in PRESETS.values():
        again = base.with_knobs(knobs)
        assert again == rules
        assert hash(again) == hash(rules)
        assert again.fingerprint() == rules.fingerprint()
        assert again.chain_names == rules.chain_names


@pytest.mark.parametrize("knob", KNOBS)
def test_every_knob_is_set_by_itself_and_in_the_fingerprint(knob: str) -> None:
    changed = CLASSIC.with_knobs({knob: OTHER_VALUES[knob]})
    assert [name for name in KNOBS if changed.knobs()[name] != CLASSIC.knobs()[name]] == [knob]
    assert changed.knobs()[knob] == OTHER_VALUES[knob]
    assert changed != CLASSIC
    assert changed.fingerprint() != CLASSIC.fingerprint()
    assert allowed_values(knob)


def test_the_order_of_the_chains_is_in_the_fingerprint() -> None:
    other = CLASSIC.with_knobs({"chains": [["Sackson", "Tower"], *RENEGADE_CHAINS[1:]]})
    assert other.fingerprint() != CLASSIC.fingerprint()


@pytest.mark.parametrize("name", COLUMNS)
def test_a_fingerprint_is_a_hash_of_the_version_and_all_knobs(name: str) -> None:
    document: dict[str, Any] = {"rules_version": 1, **dict(zip(KNOBS, COLUMNS[name], strict=True))}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert preset(name).fingerprint() == hashlib.sha256(text.encode()).hexdigest()[:32]


def test_rules_are_equal_by_their_knobs_wherever_they_come_from() -> None:
    assert preset("reference-trading").with_knobs({"trade_offers": 0}) == preset("reference")
    assert CLASSIC.with_knobs({}) == CLASSIC
    assert len({rules.fingerprint() for rules in PRESETS.values()}) == len(PRESETS)


@pytest.mark.rule("BON-1")
def test_a_chain_has_the_price_class_of_its_group() -> None:
    assert [CLASSIC.tier(chain) for chain in range(7)] == [0, 0, 1, 1, 1, 2, 2]
    assert CLASSIC.chain_names == tuple(name for group in RENEGADE_CHAINS for name in group)


def test_rules_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CLASSIC.trade_offers = 3  # type: ignore[misc]  # tries what must be impossible
    CLASSIC.knobs()["chains"] = []
    assert CLASSIC.knobs()["chains"] == RENEGADE_CHAINS


BAD_VALUES: Final = tuple(
    (knob, value)
    for knob in KNOBS
    for value in (
        *(None, -1, 11, 1.0, "yes", "", "TWO-HOLDERS", [], ["open"], {}, ()),
        *(() if knob in {"two_player_market", "special_powers"} else (True,)),
        *((0,) if knob != "trade_offers" else ("0", False)),
    )
)


@pytest.mark.parametrize(("knob", "value"), BAD_VALUES)
def test_a_knob_takes_its_values_only(knob: str, value: object) -> None:
    with pytest.raises(SetupError) as refusal:
        CLASSIC.with_knobs({knob: value})
    assert refusal.value.reason == "bad-knob"
    assert f"the knob {knob}" in str(refusal.value)


@pytest.mark.parametrize(
    "chains",
    [
        RENEGADE_CHAINS[:2],
        [*RENEGADE_CHAINS, []],
        [["Tower"], *RENEGADE_CHAINS[1:]],
        [["Tower", "Sackson", "Luxor"], *RENEGADE_CHAINS[1:]],
        [["Tower", "Tower"], *RENEGADE_CHAINS[1:]],
        [["Tower", "Trump"], *RENEGADE_CHAINS[1:]],
        [["tower", "Sackson"], *RENEGADE_CHAINS[1:]],
        [["TOWER", "Sackson"], *RENEGADE_CHAINS[1:]],
        [["Tower 2", "Sackson"], *RENEGADE_CHAINS[1:]],
        [["Tower,", "Sackson"], *RENEGADE_CHAINS[1:]],
        [["Täufer", "Sackson"], *RENEGADE_CHAINS[1:]],
        [["", "Sackson"], *RENEGADE_CHAINS[1:]],
        [[5, "Sackson"], *RENEGADE_CHAINS[1:]],
        [None, *RENEGADE_CHAINS],
        ["TS", "AFW", "CI"],
        [["T" + "o" * 16, "Sackson"], *RENEGADE_CHAINS[1:]],
        "Tower",
        {"Tower": 1},
    ],
    ids=repr,
)
def test_chains_are_seven_short_names_with_different_first_letters(chains: object) -> None:
    with pytest.raises(SetupError) as refusal:
        CLASSIC.with_knobs({"chains": chains})
    assert refusal.value.reason == "bad-knob"


@pytest.mark.parametrize("version", [0, 2, -1, 1.0, True, None, "1"], ids=repr)
def test_only_versions_that_this_engine_knows_are_played(version: int) -> None:
    with pytest.raises(SetupError, match="a newer one may know it") as refusal:
        replace(CLASSIC, version=version)
    assert refusal.value.reason == "unknown-rules-version"


def test_a_name_of_sixteen_letters_is_short_enough() -> None:
    name = "T" + "o" * 15
    rules = CLASSIC.with_knobs({"chains": [[name, "Sackson"], *RENEGADE_CHAINS[1:]]})
    assert rules.chain_names[0] == name


@pytest.mark.rule("SET-6")
def test_a_preset_plays_with_every_number_of_seats_but_two_on_the_three_holder_chart() -> None:
    for name, rules in PRESETS.items():
        for seats in range(2, 7):
            if name == "renegade-tycoon" and seats == 2:
                with pytest.raises(SetupError, match="two-holder chart"):
                    Game(rules, seats, Deal.from_seed(bytes(32)))
            else:
                assert Game(rules, seats, Deal.from_seed(bytes(32))).seats == seats
