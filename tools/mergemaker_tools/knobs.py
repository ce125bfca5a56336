"""What people are told of presets and knobs: words on each preset, each knob's rule and its values."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mergemaker_engine.rules import allowed_values

if TYPE_CHECKING:
    from collections.abc import Mapping

PRESET_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "renegade-classic": "the 2023 rulebook, Classic mode: two bonuses, open cash and shares",
        "renegade-tycoon": "the 2023 rulebook, Tycoon mode: three bonuses; three to six players",
        "avalon-hill": "the older rulebook: hidden cash and shares; who declares the end may stop at once",
        "avalon-hill-powers": "the older rulebook with its five special powers for each player",
        "corporations": "the edition with corporations: dead tiles must go; no market as third of two",
        "reference": "the compiled rules reference: a hand without a playable tile is drawn anew",
        "reference-trading": "the compiled rules reference with trades between players",
    }
)

KNOB_RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "chains": "BON-1",
        "bonus_chart": "BON-2",
        "start_order": "SET-3",
        "founder_without_stock": "FND-2",
        "dead_tiles": "DRW-2",
        "unplayable_hand": "PLC-9",
        "after_declaring": "END-2",
        "two_player_market": "TWO-1",
        "assets": "VIS-3",
        "special_powers": "PWR-1",
        "trade_offers": "TRD-4",
    }
)
"""For each knob the rule that it governs, or the first of them."""

_CHAINS_ALLOWED: Final = "seven names, as in A,B/C,D,E/F,G"


def allowed(knob: str) -> str:
    """What a knob may be set to, in words."""
    return _CHAINS_ALLOWED if knob == "chains" else allowed_values(knob)


def value_text(value: object) -> str:
    """A knob's value as it is read, with a line for each tier of chains."""
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return "\n".join(", ".join(tier) for tier in value)
        case _:
            return str(value)


def other_values(knob: str, value: object) -> str:
    """What else a knob may be set to."""
    if knob == "chains":
        return "seven other names"
    return ", ".join(word for word in allowed(knob).split(", ") if word != value_text(value))
