"""Breaks of how a client compares a deal with what was promised."""

from typing import Any

from mergemaker_client import deal_check, playing
from mergemaker_client.problems import FalseDeal
from mergemaker_client.turn import DealFinding

from tests.conformance.breaks.registry import breaks, put


@breaks
def checks_no_deal() -> None:
    """Does not compare any deal with what was promised."""
    put(playing, "check_deal", lambda *_: DealFinding.NOT_RELEASED)


@breaks
def checks_no_commitment() -> None:
    """Does not compare the referee's part of the seed with its commitment."""
    put(deal_check, "_check_commitment", lambda *_: None)


@breaks
def checks_no_seed() -> None:
    """Does not check that the seed of the deal follows from what was promised."""
    put(deal_check, "_check_seed", lambda *_: True)


@breaks
def checks_no_parts() -> None:
    """Does not compare the seats' parts of the seed with their promises."""
    put(deal_check, "_check_parts", lambda *_: None)


@breaks
def checks_no_tiles() -> None:
    """Does not compare the tiles with the deal."""
    put(deal_check, "_check_tiles", lambda *_: None)


@breaks
def takes_another_promise() -> None:
    """Does not check that the promise is the same after a break."""
    put(deal_check.Promise, "shown_again", lambda *_: None)


@breaks
def plays_without_a_promise() -> None:
    """Accepts a match whose commitment never came."""
    put(deal_check.Promise, "is_made", property(lambda _: True))
    put(deal_check, "_check_commitment", lambda *_: None)


@breaks
def doubts_every_deal() -> None:
    """Reports every deal as false, even the promised one."""

    def false(*what: Any) -> DealFinding:
        real(*what)
        raise FalseDeal("tiles-differ", "the tiles are not those of the deal")

    real = put(playing, "check_deal", false)


@breaks
def ends_well_after_false_deals() -> None:
    """Reports a false deal, but ends with status 0. `main` handles this."""
