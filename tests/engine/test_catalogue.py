"""The catalogue of rules: its entries are well formed, each has a test, and only its rules are cited.

A test cites rules by `@pytest.mark.rule("PLC-7")`, a scenario in the brackets of its title. Code and documents
write the id.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mergemaker_engine.catalogue import CATALOGUE, RuleEntry, entry
from mergemaker_testkit.scenario import read_folder

ROOT = Path(__file__).parents[2]
RULES_COUNT = 78
TEXT_CHARACTERS_MAX = 200
SOURCES = {"Renegade 2023", "Avalon Hill", "corporations", "reference", "all texts", "ruling"}
# Names that look like the id of a rule.
NO_RULES = {"SHA-256", "UTF-8"}

PARTS = {
    "SET": 6, "TRN": 1, "PLC": 10, "FND": 4, "MRG": 11, "BON": 8, "TWO": 7, "BUY": 3, "DRW": 3, "END": 6,
    "VIS": 4, "PWR": 7, "TRD": 4, "TBL": 4,
}  # fmt: skip

IDS = [rule.id for rule in CATALOGUE]


def _cited_by_marks(source: str) -> set[str]:
    """The ids that the `pytest.mark.rule(...)` of a test module name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
            found |= {str(ast.literal_eval(argument)) for argument in node.args}
    return found


def _cited_in_text(text: str) -> set[str]:
    return set(re.findall(r"\b[A-Z]{3}-[0-9]+\b", text)) - NO_RULES


def _tests_by_place() -> Iterator[tuple[str, set[str]]]:
    for scenario in read_folder(ROOT / "tests" / "engine" / "scenarios"):
        yield f"{scenario.file}:{scenario.line}", set(scenario.rules)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        yield str(path.relative_to(ROOT)), _cited_by_marks(path.read_text(encoding="utf-8"))


def test_ids_are_numbered_within_their_parts_and_in_order() -> None:
    assert [f"{part}-{number}" for part, count in PARTS.items() for number in range(1, count + 1)] == IDS
    assert len(IDS) == RULES_COUNT


@pytest.mark.parametrize("rule", CATALOGUE, ids=IDS)
def test_an_entry_is_one_line_with_known_sources(rule: RuleEntry) -> None:
    assert entry(rule.id) is rule
    assert rule.text.endswith(".")
    assert "\n" not in rule.text
    assert 20 < len(rule.text) <= TEXT_CHARACTERS_MAX
    for part in rule.source.split("; "):
        names = part.partition(" for ")[0].removesuffix(" where they are silent")
        assert set(re.split(", | and ", names)) <= SOURCES


@pytest.mark.parametrize(
    ("rule", "decided"),
    [
        ("SET-2", "the bank of the others"),
        ("FND-4", "what all texts imply"),
        ("BUY-2", "a chain just founded"),
        ("END-2", "when the end is announced"),
        ("END-2", "where stopping is offered"),
    ],
)
def test_what_the_texts_do_not_say_is_a_ruling(rule: str, decided: str) -> None:
    assert decided in entry(rule).source.partition("ruling for ")[2]


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [("MRG-99", "MRG-9"), ("mrg-12", "MRG-1"), ("PLC7", "PLC-1"), ("", "SET-1"), ("XYZ-1", "SET-1")],
)
def test_an_unknown_id_is_refused_with_the_nearest_ones_named(asked: str, nearest: str) -> None:
    with pytest.raises(LookupError, match=f"got '{asked}'; nearest are {nearest}"):
        entry(asked)


def test_every_rule_has_a_test() -> None:
    cited = set[str]().union(*(rules for _, rules in _tests_by_place()))
    missing = [rule for rule in IDS if rule not in cited]
    assert missing == []


def test_no_test_cites_a_rule_that_is_not_there() -> None:
    unknown = [(place, rule) for place, rules in _tests_by_place() for rule in sorted(rules - set(IDS))]
    assert unknown == []


def test_code_and_documents_cite_only_rules_that_are_there() -> None:
    files = [
        *(ROOT / "engine").rglob("*.py"),
        *(ROOT / "engine").glob("*.md"),
        *(ROOT / "tests").rglob("*.py"),
    ]
    # This file names ids that must not exist.
    texts = {path: path.read_text(encoding="utf-8") for path in files if path != Path(__file__)}
    unknown = [
        (str(path.relative_to(ROOT)), rule) for path, text in texts.items() for rule in sorted(_cited_in_text(text) - set(IDS))
    ]
    assert len(texts) > 20
    assert unknown == []


def test_citations_are_found() -> None:
    source = '@pytest.mark.rule("PLC-7", "MRG-3")\ndef test_one() -> None: ...\n'
    assert _cited_by_marks(source) == {"PLC-7", "MRG-3"}
    assert _cited_by_marks('"PLC-7"  # MRG-3') == set()
    assert _cited_in_text("dead (PLC-7), by SHA-256, not XPLC-71a nor PLC_7, but PLC-99") == {
        "PLC-7",
        "PLC-99",
    }
