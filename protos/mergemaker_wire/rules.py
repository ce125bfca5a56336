"""Rule sets as messages, and back."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from mergemaker.v1 import rules_pb2 as pb
from mergemaker_engine.board import CHAINS
from mergemaker_engine.errors import SetupError
from mergemaker_engine.rules import CHAINS_OF_TIERS, KNOB_SINCE, KNOBS_VERSION, Rules
from mergemaker_engine.shown import shown

from mergemaker_wire.enums import (
    AFTER_DECLARING,
    ASSETS,
    BONUS_CHARTS,
    DEAD_TILES,
    FOUNDER_REWARDS,
    START_ORDERS,
    UNPLAYABLE_HANDS,
)
from mergemaker_wire.errors import WireError, out_of_range, wrong_length
from mergemaker_wire.fields import at_least_one

_MESSAGES_KEPT_MAX: Final = 64
# Where the names of each price class begin and end.
_TIERS: Final = tuple(pairwise(accumulate(CHAINS_OF_TIERS, initial=0)))


@lru_cache(maxsize=_MESSAGES_KEPT_MAX)
def _kept_rules(rules: Rules) -> pb.Rules:
    return pb.Rules(
        version=rules.version,
        chain_names=rules.chain_names,
        bonus_chart=BONUS_CHARTS.numbers[rules.bonus_chart],
        start_order=START_ORDERS.numbers[rules.start_order],
        founder_without_stock=FOUNDER_REWARDS.numbers[rules.founder_without_stock],
        dead_tiles=DEAD_TILES.numbers[rules.dead_tiles],
        unplayable_hand=UNPLAYABLE_HANDS.numbers[rules.unplayable_hand],
        after_declaring=AFTER_DECLARING.numbers[rules.after_declaring],
        two_player_market=rules.two_player_market,
        assets=ASSETS.numbers[rules.assets],
        special_powers=rules.special_powers,
        trade_offers=rules.trade_offers,
        fingerprint=rules.fingerprint(),
        newer_knobs=rules.newer_knobs(),
    )


def rules_to_message(rules: Rules) -> pb.Rules:
    """The message of a set of rules, with its fingerprint."""
    message = pb.Rules()
    message.CopyFrom(_kept_rules(rules))
    return message


def rules_from_message(message: pb.Rules) -> Rules:
    """The set of rules in a message. A fingerprint must match it if it is set, and all newer knobs must be known."""
    _check_newer_knobs(message.newer_knobs)
    names = tuple(message.chain_names)
    if len(names) != CHAINS:
        raise wrong_length("rules.chain_names", f"{CHAINS} names", len(names))
    cheap, middle, dear = (names[start:end] for start, end in _TIERS)
    try:
        rules = Rules(
            chains=(cheap, middle, dear),
            bonus_chart=BONUS_CHARTS.read(message.bonus_chart, "rules.bonus_chart"),
            start_order=START_ORDERS.read(message.start_order, "rules.start_order"),
            founder_without_stock=FOUNDER_REWARDS.read(message.founder_without_stock, "rules.founder_without_stock"),
            dead_tiles=DEAD_TILES.read(message.dead_tiles, "rules.dead_tiles"),
            unplayable_hand=UNPLAYABLE_HANDS.read(message.unplayable_hand, "rules.unplayable_hand"),
            after_declaring=AFTER_DECLARING.read(message.after_declaring, "rules.after_declaring"),
            two_player_market=message.two_player_market,
            assets=ASSETS.read(message.assets, "rules.assets"),
            special_powers=message.special_powers,
            trade_offers=message.trade_offers,
            version=at_least_one(message.version),
        )
    except SetupError as error:
        raise WireError(error.reason, f"rules: {error.message}", error.rule) from error
    if sorted(message.newer_knobs) != sorted(rules.newer_knobs()):
        raise out_of_range(
            "rules.newer_knobs", f"the names {list(rules.newer_knobs())} for these rules", list(message.newer_knobs)
        )
    if message.fingerprint and message.fingerprint != rules.fingerprint():
        raise WireError(
            "fingerprint-differs",
            f"rules.fingerprint is {rules.fingerprint()} for these rules, not {message.fingerprint[:64]}: "
            "they have a knob that is not known here, or were changed on the way",
        )
    return rules


def _check_newer_knobs(names: Iterable[str]) -> None:
    for name in names:
        if name not in KNOB_SINCE:
            raise WireError(
                "unknown-knob",
                f"rules.newer_knobs names the knob {shown(name)}, which is not known here: known are the knobs up to version "
                f"{KNOBS_VERSION}, and a newer version of this program may know more",
            )
