"""Suggestions for unknown names."""

import pytest
from mergemaker_engine.near_names import nearest_names
from mergemaker_engine.rules import PRESETS

WORDS = ("match", "matches", "simulate", "rules", "replay", "verify", "bench")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Simulate", "; did you mean simulate?"),
        ("match", "; did you mean match or matches?"),
        ("rules-", "; did you mean rules?"),
        ("mula", "; did you mean simulate?"),
        ("zzz", ""),
    ],
)
def test_nearest_names(name: str, said: str) -> None:
    assert nearest_names(name, WORDS) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tycon", "; did you mean renegade-tycoon?"),
        ("CLASIC", "; did you mean renegade-classic?"),
        ("powrs", "; did you mean avalon-hill-powers?"),
        ("hil", ""),
    ],
)
def test_a_name_of_several_words_is_found_by_what_is_nearly_one_of_them(name: str, said: str) -> None:
    assert nearest_names(name, PRESETS) == said
