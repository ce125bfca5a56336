"""Explanations for people: of each preset, each knob and its values."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mergemaker_engine.rules import PRESETS, allowed_values

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
"""By knob, the rule that it governs, or the first of them."""

KNOB_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "chains": "the names of the chains: two cheap, three middle, two dear; they are numbered in this order",
        "bonus_chart": "how many holders of a chain's stock have a bonus",
        "start_order": "whose start tile is nearest 1A, so that he goes first",
        "founder_without_stock": "what a founder gets of a chain of which the market has no share left",
        "dead_tiles": "what becomes of a hand's dead tiles at the end of a turn, if the pile is not empty",
        "unplayable_hand": "what happens where not one tile of a hand can be placed; to an empty hand, nothing",
        "after_declaring": "what the player who declares the end may do in the rest of the turn",
        "two_player_market": "whether the market ranks as a holder of stock where two play",
        "assets": "whether the cash and the shares of others are seen",
        "special_powers": "whether there are special powers",
        "trade_offers": "how many trades with other players one may offer in a turn",
    }
)
"""By knob, what it decides."""

VALUE_WORDS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "bonus_chart": {
            "two-holders": "two: ten prices, and five prices",
            "three-holders": "three: ten prices, an amount of the card's own, five prices; where two hold any, the first two",
        },
        "start_order": {
            "letter-first": "letters are compared first: 9A comes before 1B",
            "number-first": "numbers are compared first: 2E comes before 3A, and 2B before 2E",
        },
        "founder_without_stock": {
            "cash": "the price of a share at the new chain's size",
            "nothing": "nothing",
        },
        "dead_tiles": {
            "optional": "the player may exchange them, all or none, once a turn",
            "forced": "all are exchanged without asking, once a turn; a dead tile among the new ones waits for the next turn",
            "forced-then-optional": "all are exchanged without asking; while new ones are dead, the player may exchange those, "
            "too, again and again, until he declines",
        },
        "unplayable_hand": {
            "skip": "placing is skipped, and the hand stays secret",
            "show": "the hand is shown to all, and placing is skipped",
            "redraw": "if the pile is not empty, the turn begins with the hand shown, set aside and drawn anew, once; if "
            "again no tile can be placed, placing is skipped",
        },
        "after_declaring": {
            "finish": "the turn is played to its end",
            "finish-or-stop": "either that, or stop in the place of a tile: nothing more is placed, bought, drawn or exchanged",
        },
        "two_player_market": {
            "yes": "it does, with as many shares as the number on a tile that is drawn for each settlement",
            "no": "only players hold stock",
        },
        "assets": {
            "open": "all see them, at any time",
            "hidden": "a player sees his own alone, until the game is over; what is announced all hear",
        },
        "special_powers": {
            "yes": "each player has five, and may use each once in the game, one a turn",
            "no": "there are none",
        },
    }
)
"""By knob with a list of values, what each of them means."""

_CHAINS_ALLOWED: Final = "seven names, as in A,B/C,D,E/F,G"


def allowed(knob: str) -> str:
    """What a knob may be set to, in words."""
    return _CHAINS_ALLOWED if knob == "chains" else allowed_values(knob)


def value_text(value: object) -> str:
    """A knob's value in words, with a line for each tier of chains."""
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return "\n".join(", ".join(tier) for tier in value)
        case _:
            return str(value)


def values_of(knob: str) -> list[object]:
    """All values of a knob, as plain data; for names and numbers, those of the presets, each once."""
    if knob in VALUE_WORDS:
        return [{"yes": True, "no": False}.get(word, word) for word in VALUE_WORDS[knob]]
    found: list[object] = []
    for rules in PRESETS.values():
        value = rules.knobs()[knob]
        if value not in found:
            found.append(value)
    return found


def presets_with(knob: str, value: object) -> list[str]:
    """The presets in which a knob has a value."""
    return [name for name, rules in PRESETS.items() if rules.knobs()[knob] == value]


def other_values(knob: str, value: object) -> str:
    """What other values a knob may have."""
    if knob == "chains":
        return "seven other names"
    return ", ".join(word for word in allowed(knob).split(", ") if word != value_text(value))
