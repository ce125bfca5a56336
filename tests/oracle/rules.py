"""The knobs of a rule set, read once from a plain mapping, and refused if impossible (SET-6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FEWEST_SEATS = 2
MOST_SEATS = 6

CHOICES: dict[str, tuple[str, ...]] = {
    "bonus_chart": ("two-holders", "three-holders"),
    "start_order": ("letter-first", "number-first"),
    "founder_without_stock": ("cash", "nothing"),
    "dead_tiles": ("optional", "forced", "forced-then-optional"),
    "unplayable_hand": ("skip", "show", "redraw"),
    "after_declaring": ("finish", "finish-or-stop"),
    "assets": ("open", "hidden"),
}
SWITCHES = ("two_player_market", "special_powers")
KNOBS = {"chains", "trade_offers", *CHOICES, *SWITCHES}


@dataclass(frozen=True, slots=True)
class Rules:
    """The knobs, checked; `tier` says for each chain whether it is cheap, middle or dear."""

    chains: tuple[str, ...]
    tier: Mapping[str, str]
    bonus_chart: str
    start_order: str
    founder_without_stock: str
    dead_tiles: str
    unplayable_hand: str
    after_declaring: str
    two_player_market: bool
    special_powers: bool
    trade_offers: int


def read_rules(knobs: Mapping[str, object], seats: int) -> Rules:
    """Check the knobs and the number of seats; ValueError says which one is wrong."""
    if set(knobs) != KNOBS:
        raise ValueError(
            f"Expected the knobs {sorted(KNOBS)}; missing {sorted(KNOBS - set(knobs))}, "
            f"unknown {sorted(set(knobs) - KNOBS)}. Give each of them once."
        )
    chosen = {knob: _choice(knobs, knob) for knob in CHOICES}
    switched = {knob: _switch(knobs, knob) for knob in SWITCHES}
    _check_seats(seats, chosen["bonus_chart"])
    tier = _tiers(knobs["chains"])
    return Rules(
        chains=tuple(tier),
        tier=tier,
        bonus_chart=chosen["bonus_chart"],
        start_order=chosen["start_order"],
        founder_without_stock=chosen["founder_without_stock"],
        dead_tiles=chosen["dead_tiles"],
        unplayable_hand=chosen["unplayable_hand"],
        after_declaring=chosen["after_declaring"],
        two_player_market=switched["two_player_market"],
        special_powers=switched["special_powers"],
        trade_offers=_trade_offers(knobs["trade_offers"]),
    )


def _check_seats(seats: int, bonus_chart: str) -> None:
    # SET-6, by the knobs and not by a preset's name.
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        raise ValueError(f"Expected {FEWEST_SEATS} to {MOST_SEATS} seats, got {seats}. Choose within these.")
    if seats == 2 and bonus_chart == "three-holders":
        raise ValueError(
            "Expected three seats or more with the chart for three holders, got two. "
            "Take bonus_chart 'two-holders' or more seats."
        )


def _choice(knobs: Mapping[str, object], knob: str) -> str:
    value = knobs[knob]
    if not isinstance(value, str) or value not in CHOICES[knob]:
        raise ValueError(f"Knob {knob}: expected one of {CHOICES[knob]}, got {value!r}. Choose one of them.")
    return value


def _switch(knobs: Mapping[str, object], knob: str) -> bool:
    value = knobs[knob]
    if isinstance(value, bool):
        return value
    raise ValueError(f"Knob {knob}: expected True or False, got {value!r}. Choose one of them.")


def _trade_offers(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"Knob trade_offers: expected a whole number from 0, got {value!r}. Give such a number.")
    return value


def _tiers(chains: object) -> dict[str, str]:
    # BON-1, SET-2: two cheap, three middle and two dear chains, in this order.
    wrong = ValueError(
        "Knob chains: expected three tuples of two, three and two different names without spaces "
        f"(cheap, middle, dear), got {chains!r}. Name the seven chains so."
    )
    if not isinstance(chains, Sequence) or isinstance(chains, str) or len(chains) != 3:
        raise wrong
    tier: dict[str, str] = {}
    for name, members, expected in zip(("cheap", "middle", "dear"), chains, (2, 3, 2), strict=True):
        if not isinstance(members, Sequence) or isinstance(members, str) or len(members) != expected:
            raise wrong
        for chain in members:
            # Spaces separate the words of a text, so a name with a space could not be read back.
            if not isinstance(chain, str) or not chain or len(chain.split()) != 1 or chain in tier:
                raise wrong
            tier[chain] = name
    return tier
