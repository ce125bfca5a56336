"""A set of rules: an immutable value of knobs, and the presets by name.

Nothing in the engine depends on a preset's name. Every difference between two rule texts is a knob, and every knob can
be set by itself.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field, fields, replace
from enum import StrEnum
from typing import Final

from mergemaker_engine.board import CHAINS
from mergemaker_engine.chains import TIERS, BonusChart
from mergemaker_engine.errors import SetupError
from mergemaker_engine.shown import shown
from mergemaker_engine.values import dataclass

RULES_VERSION: Final = 1
"""Goes up when a rule is corrected. The old behaviour stays, as a knob value that only old versions use."""

KNOBS_VERSION: Final = 1
"""Goes up when a release adds knobs. `KNOB_SINCE` says in which version each knob was added."""

SEATS_MIN: Final = 2
SEATS_MAX: Final = 6
TRADE_OFFERS_MAX: Final = 10
CHAINS_OF_TIERS: Final = (2, 3, 2)
"""The numbers of cheap, middle and dear chains."""
CHAIN_NAME_CHARACTERS_MAX: Final = 16
FINGERPRINT_BYTES: Final = 16


class StartOrder(StrEnum):
    """Which start tile plays first (the knob `start_order`, SET-3)."""

    LETTER_FIRST = "letter-first"
    NUMBER_FIRST = "number-first"


class FounderWithoutStock(StrEnum):
    """What a founder gets when the market has no share left (the knob `founder_without_stock`, FND-2)."""

    CASH = "cash"
    NOTHING = "nothing"


class DeadTiles(StrEnum):
    """How dead tiles are exchanged at the end of a turn (the knob `dead_tiles`, DRW-2)."""

    OPTIONAL = "optional"
    FORCED = "forced"
    FORCED_THEN_OPTIONAL = "forced-then-optional"


class UnplayableHand(StrEnum):
    """What happens when no tile of a hand can be placed (the knob `unplayable_hand`, PLC-9)."""

    SKIP = "skip"
    SHOW = "show"
    REDRAW = "redraw"


class AfterDeclaring(StrEnum):
    """Whether a player who declares the end may stop at once (the knob `after_declaring`, END-2)."""

    FINISH = "finish"
    FINISH_OR_STOP = "finish-or-stop"


class Assets(StrEnum):
    """Whether a view shows the cash and shares of others (the knob `assets`, VIS-3)."""

    OPEN = "open"
    HIDDEN = "hidden"


def _are_chains(chains: object) -> bool:
    """Whether these are tuples of names, with the right number in each price class (SET-2, BON-1)."""
    if not isinstance(chains, tuple) or not all(isinstance(tier, tuple) for tier in chains):
        return False
    names = [name for tier in chains for name in tier]
    return (
        tuple(map(len, chains)) == CHAINS_OF_TIERS
        and all(isinstance(name, str) and name.isalpha() and name.isascii() and name.istitle() for name in names)
        and len({name[0] for name in names}) == len(names)
        and max(map(len, names)) <= CHAIN_NAME_CHARACTERS_MAX
    )


def _check_chains(chains: object) -> None:
    if not _are_chains(chains):
        groups = ", ".join(f"{count} {tier}" for count, tier in zip(CHAINS_OF_TIERS, TIERS, strict=True))
        raise SetupError(
            "bad-knob",
            f"the knob chains is {CHAINS} names in {len(TIERS)} groups ({groups}), each name a capital letter and small "
            f"letters, at most {CHAIN_NAME_CHARACTERS_MAX} in all, no two with the same first letter, not {shown(chains)}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One set of rules. Two sets with equal knobs are equal, whatever preset they came from.

    Add a knob after the others, with the version that adds it: `name: bool = field(default=False,
    metadata={"since": 2})`. Its default is its neutral value, with which games are played as before it existed. Records,
    fingerprints and messages leave a neutral knob out, so they stay the same and older programs can read them.
    """

    chains: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    """The names of the chains: cheap, middle, dear. Their order numbers them from 0."""
    bonus_chart: BonusChart = BonusChart.TWO_HOLDERS
    start_order: StartOrder = StartOrder.LETTER_FIRST
    founder_without_stock: FounderWithoutStock = FounderWithoutStock.CASH
    dead_tiles: DeadTiles = DeadTiles.OPTIONAL
    unplayable_hand: UnplayableHand = UnplayableHand.SKIP
    after_declaring: AfterDeclaring = AfterDeclaring.FINISH
    two_player_market: bool = True
    """Whether the market counts as a stockholder in games of two (TWO-1)."""
    assets: Assets = Assets.OPEN
    special_powers: bool = False
    """Whether every seat has the five special powers (PWR-1)."""
    trade_offers: int = 0
    """How many offers a player may make in a turn; 0 means no trading between players (TRD-4)."""
    version: int = RULES_VERSION

    chain_names: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """The seven names in chain order."""

    def __post_init__(self) -> None:
        """Refuses values that no rule set can have, and says what is allowed."""
        for knob, kind in _ENUM_KNOBS.items():
            if not isinstance(getattr(self, knob), kind):
                _refuse_knob(knob, getattr(self, knob))
        for knob in _FLAG_KNOBS:
            if type(getattr(self, knob)) is not bool:
                _refuse_knob(knob, getattr(self, knob))
        if type(self.trade_offers) is not int or not 0 <= self.trade_offers <= TRADE_OFFERS_MAX:
            _refuse_knob("trade_offers", self.trade_offers)
        if type(self.version) is not int or not 1 <= self.version <= RULES_VERSION:
            raise SetupError(
                "unknown-rules-version",
                f"this engine knows the rules versions 1 to {RULES_VERSION}, not {shown(self.version)}; a newer one may know it",
            )
        _check_chains(self.chains)
        object.__setattr__(self, "chain_names", tuple(name for tier in self.chains for name in tier))

    def knobs(self) -> dict[str, object]:
        """Every knob as plain data (text, truth values, whole numbers, lists), in a fixed order."""
        plain: dict[str, object] = {"chains": [list(tier) for tier in self.chains]}
        for knob in KNOB_NAMES[1:]:
            value = getattr(self, knob)
            plain[knob] = str(value) if isinstance(value, StrEnum) else value
        return plain

    def newer_knobs(self) -> tuple[str, ...]:
        """The knobs newer than version 1 that are not neutral. A program must know them to play by these rules."""
        return tuple(knob for knob, neutral in _NEUTRAL.items() if getattr(self, knob) != neutral)

    def written_knobs(self) -> dict[str, object]:
        """The knobs in records and fingerprints: those of version 1, and `newer_knobs()`."""
        newer = self.newer_knobs()
        return {knob: value for knob, value in self.knobs().items() if knob not in _NEUTRAL or knob in newer}

    def with_knobs(self, changes: Mapping[str, object]) -> "Rules":
        """These rules with some knobs changed. Values are plain data, as in `knobs()`."""
        if not isinstance(changes, Mapping):
            raise SetupError("bad-knob", f"knobs are changed by a mapping of names to values, not {shown(changes)}")
        values: dict[str, object] = {}
        for knob, value in changes.items():
            if knob not in KNOB_NAMES:
                raise _unknown_knob(knob)
            values[knob] = _knob_value(knob, value)
        return replace(self, **values)  # type: ignore[arg-type]  # __post_init__ checks every value's type

    def fingerprint(self) -> str:
        """A hash of the written knobs and the rules version. It is equal exactly for rules that play alike in every way."""
        document = {"rules_version": self.version, **self.written_knobs()}
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()[: 2 * FINGERPRINT_BYTES]

    def tier(self, chain: int) -> int:
        """The price class of a chain: 0 cheap, 1 middle, 2 dear."""
        if type(chain) is not int or not 0 <= chain < CHAINS:
            raise SetupError("no-such-chain", f"the chains are numbered from 0 to {CHAINS - 1}; there is no {shown(chain)}")
        name = self.chain_names[chain]
        return next(tier for tier, names in enumerate(self.chains) if name in names)


_KNOBS: Final = tuple(knob for knob in fields(Rules) if knob.name not in {"version", "chain_names"})
_ENUM_KNOBS: Final[dict[str, type[StrEnum]]] = {
    knob.name: knob.type for knob in _KNOBS if isinstance(knob.type, type) and issubclass(knob.type, StrEnum)
}
_FLAG_KNOBS: Final = tuple(knob.name for knob in _KNOBS if knob.type is bool)
KNOB_NAMES: Final = tuple(knob.name for knob in _KNOBS)
KNOB_SINCE: Final[Mapping[str, int]] = {knob.name: knob.metadata.get("since", 1) for knob in _KNOBS}
"""By knob: the `KNOBS_VERSION` that added it."""
_NEUTRAL: Final = {knob.name: knob.default for knob in _KNOBS if KNOB_SINCE[knob.name] > 1}


def _unknown_knob(knob: object) -> SetupError:
    return SetupError("unknown-knob", f"there is no knob {shown(knob)}; the knobs are {', '.join(KNOB_NAMES)}")


def allowed_values(knob: str) -> str:
    """The allowed values of a knob, in words."""
    if knob not in KNOB_NAMES:
        raise _unknown_knob(knob)
    if knob in _ENUM_KNOBS:
        return ", ".join(_ENUM_KNOBS[knob])
    if knob == "chains":
        return "lists of two cheap, three middle and two dear names"
    if knob == "trade_offers":
        return f"a whole number from 0 to {TRADE_OFFERS_MAX}"
    return "yes, no"


def _refuse_knob(knob: str, value: object) -> None:
    raise SetupError("bad-knob", f"the knob {knob} takes {allowed_values(knob)}, not {shown(value)}")


def _knob_value(knob: str, value: object) -> object:
    """A knob's value from plain data. The constructor refuses what does not fit."""
    if knob == "chains":
        if isinstance(value, list | tuple) and all(isinstance(tier, list | tuple) for tier in value):
            tiers = tuple(tuple(tier) for tier in value)
            if all(isinstance(name, str) and name for tier in tiers for name in tier):
                return tiers
        _refuse_knob(knob, value)
    if knob in _ENUM_KNOBS and isinstance(value, str):
        kind = _ENUM_KNOBS[knob]
        if value not in list(kind):
            _refuse_knob(knob, value)
        return kind(value)
    return value


_RENEGADE_CHAINS: Final = (("Tower", "Sackson"), ("American", "Festival", "Worldwide"), ("Continental", "Imperial"))
_AVALON_HILL_CHAINS: Final = (("Luxor", "Tower"), ("American", "Festival", "Worldwide"), ("Continental", "Imperial"))
_CORPORATION_CHAINS: Final = (("Sackson", "Zeta"), ("Hydra", "Fusion", "America"), ("Phoenix", "Quantum"))
_REFERENCE_CHAINS: Final = (("Luxor", "Tower"), ("American", "Worldwide", "Festival"), ("Imperial", "Continental"))

_CLASSIC: Final = Rules(chains=_RENEGADE_CHAINS)
_AVALON_HILL: Final = Rules(
    chains=_AVALON_HILL_CHAINS,
    start_order=StartOrder.NUMBER_FIRST,
    founder_without_stock=FounderWithoutStock.NOTHING,
    unplayable_hand=UnplayableHand.SHOW,
    after_declaring=AfterDeclaring.FINISH_OR_STOP,
    assets=Assets.HIDDEN,
)
_REFERENCE: Final = Rules(
    chains=_REFERENCE_CHAINS,
    dead_tiles=DeadTiles.FORCED_THEN_OPTIONAL,
    unplayable_hand=UnplayableHand.REDRAW,
    two_player_market=False,
)

PRESETS: Final[Mapping[str, Rules]] = {
    "renegade-classic": _CLASSIC,
    "renegade-tycoon": replace(_CLASSIC, bonus_chart=BonusChart.THREE_HOLDERS),
    "avalon-hill": _AVALON_HILL,
    "avalon-hill-powers": replace(_AVALON_HILL, special_powers=True),
    "corporations": Rules(
        chains=_CORPORATION_CHAINS,
        founder_without_stock=FounderWithoutStock.NOTHING,
        dead_tiles=DeadTiles.FORCED,
        after_declaring=AfterDeclaring.FINISH_OR_STOP,
        two_player_market=False,
    ),
    "reference": _REFERENCE,
    "reference-trading": replace(_REFERENCE, trade_offers=3),
}


def preset(name: str) -> Rules:
    """The rules of a preset by its name."""
    if not isinstance(name, str) or name not in PRESETS:
        raise SetupError("unknown-preset", f"there is no preset {shown(name)}; the presets are {', '.join(PRESETS)}")
    return PRESETS[name]


def check_rules(rules: object) -> None:
    """Refuses anything but a set of rules."""
    if type(rules) is not Rules:
        raise SetupError("bad-rules", f"rules are a Rules value, such as preset('renegade-classic'), not {shown(rules)}")
