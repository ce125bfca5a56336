"""Trades between players (TRD): offers read from their texts, judged, counted, carried out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from .table import SHARES_OF_A_CHAIN, Question, Script, Table
from .texts import counts, line, offer_text, side_text

MOST_ASKED_SHARES = SHARES_OF_A_CHAIN  # of one chain, in any hands
MOST_CASH = 100_000  # dollars on either side
CASH_STEP = 100  # dollars, TRD-3
NO_OFFER = "no offer"

OFFER_PATTERN = re.compile(r"offer seat ([0-9]{1,9}): (\S+(?: \S+)*?) for (\S+(?: \S+)*)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A seat's offer to a partner: what it gives and asks for; chains not named count 0."""

    partner: int
    give_shares: dict[str, int]
    give_cash: int
    take_shares: dict[str, int]
    take_cash: int

    def text(self, chains: Sequence[str]) -> str:
        """Write the offer in the one way that VOCABULARY.md has for it."""
        given = side_text(self.give_shares, self.give_cash, chains)
        taken = side_text(self.take_shares, self.take_cash, chains)
        return offer_text(self.partner, given, taken)


def read_offer(text: str, chains: Sequence[str]) -> Offer:
    """Read an offer from its text; ValueError if it is not written as VOCABULARY.md writes it."""
    match = OFFER_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"Expected an offer such as 'offer seat 2: 3 Tower $500 for 1 Luxor', got {text!r}. Write it so.")
    give_shares, give_cash = _read_side(match[2].split(" "), chains)
    take_shares, take_cash = _read_side(match[3].split(" "), chains)
    offer = Offer(int(match[1]), give_shares, give_cash, take_shares, take_cash)
    if offer.text(chains) != text:
        raise ValueError(f"Expected {offer.text(chains)!r}, got {text!r}. Keep the chains' order, cash last.")
    return offer


def _read_side(words: list[str], chains: Sequence[str]) -> tuple[dict[str, int], int]:
    shares: dict[str, int] = {}
    cash = 0
    if len(words) % 2 == 1:  # an odd word left over can only be cash, at the end
        match = re.fullmatch(r"\$([0-9]{1,9})", words[-1])
        if match is None:
            raise ValueError(f"Expected an amount such as $500, got {words[-1]!r}. Put the cash last.")
        cash = int(match[1])
    for count, chain in zip(words[0::2], words[1::2], strict=False):
        if not re.fullmatch(r"[0-9]{1,9}", count) or chain not in chains or chain in shares:
            raise ValueError(f"Expected a number and one of {list(chains)}, each once, got {count!r} {chain!r}. Write them so.")
        shares[chain] = int(count)
    return shares, cash


def is_allowed(table: Table, offer: Offer) -> bool:
    """Judge an offer by the seat whose turn it is (TRD-1, TRD-2, TRD-3)."""
    own_shares, own_cash = table.shares[table.seat], table.cash[table.seat]
    given, taken = offer.give_shares, offer.take_shares
    return all(
        [
            offer.partner != table.seat,
            offer.partner in range(table.seats),
            # TRD-3: each side gives something; cash on one side at most, each chain on one side at most.
            sum(given.values()) > 0 or offer.give_cash > 0,
            sum(taken.values()) > 0 or offer.take_cash > 0,
            offer.give_cash == 0 or offer.take_cash == 0,
            not set(given) & set(taken),
            offer.give_cash % CASH_STEP == 0 and offer.take_cash % CASH_STEP == 0,
            # TRD-2: a seat must have what it gives; it may ask for shares in any hands.
            all(1 <= count <= own_shares[chain] for chain, count in given.items()),
            0 <= offer.give_cash <= min(own_cash, MOST_CASH),
            all(1 <= count <= MOST_ASKED_SHARES for count in taken.values()),
            0 <= offer.take_cash <= MOST_CASH,
        ]
    )


def is_legal_text(table: Table, text: str) -> bool:
    """Read and judge an answer to ChooseOffer."""
    if text == NO_OFFER:
        return True
    try:
        offer = read_offer(text, table.rules.chains)
    except ValueError:
        return False
    return is_allowed(table, offer)


def count_answers(partners: int, own: Sequence[int], asked: Sequence[int]) -> int:
    """Count the answers to ChooseOffer, 'no offer' included.

    There is one entry for each thing (seven chains, and cash in steps): `own` how many can be
    given, `asked` how many can be asked for. A thing is on neither side (1 way), given (own ways) or
    asked (asked ways), whatever the others do. Some of these combinations do not count: those
    that give nothing (each thing: 1 + asked) and those that ask nothing (1 + own); this removes the
    combination with nothing on either side twice, so it is added back once.
    """
    everything = prod(1 + have + want for have, want in zip(own, asked, strict=True))
    nothing_given = prod(1 + want for want in asked)
    nothing_asked = prod(1 + have for have in own)
    return 1 + partners * (everything - nothing_given - nothing_asked + 1)


def count_offers(table: Table) -> int:
    """Count the legal answers of the seat whose turn it is."""
    own = [table.shares[table.seat][chain] for chain in table.rules.chains]
    own.append(min(table.cash[table.seat], MOST_CASH) // CASH_STEP)
    asked = [MOST_ASKED_SHARES for _ in table.rules.chains]
    asked.append(MOST_CASH // CASH_STEP)
    return count_answers(table.seats - 1, own, asked)


def trade_with_players(table: Table) -> Script:
    """Let the seat whose turn it is make its offers, one after another (TRD-1, TRD-4)."""
    seat = table.seat
    for left in range(table.rules.trade_offers, 0, -1):
        if sum(table.shares[seat].values()) == 0 and table.cash[seat] < CASH_STEP:
            return
        text = yield Question(seat, line("ChooseOffer", seat=seat, left=left), None)
        if text == NO_OFFER:
            return
        yield from _ask_partner(table, read_offer(text, table.rules.chains))


def _ask_partner(table: Table, offer: Offer) -> Script:
    seat, chains = table.seat, table.rules.chains
    table.say(
        "TradeOffered",
        seat=seat,
        partner=offer.partner,
        give_shares=counts(offer.give_shares, chains),
        give_cash=offer.give_cash,
        take_shares=counts(offer.take_shares, chains),
        take_cash=offer.take_cash,
    )
    theirs = table.shares[offer.partner]
    has_it = offer.take_cash <= table.cash[offer.partner] and all(
        count <= theirs[chain] for chain, count in offer.take_shares.items()
    )
    # TRD-2: a partner who lacks what is asked still gets the question, and can only decline.
    answers = ["decline", "accept"] if has_it else ["decline"]
    text = line("ChooseReply", seat=offer.partner, proposer=seat)
    accepted = (yield Question(offer.partner, text, answers)) == "accept"
    table.say("TradeAnswered", seat=offer.partner, accepted=accepted)
    if accepted:
        _exchange(table, offer)


def _exchange(table: Table, offer: Offer) -> None:
    mine, theirs = table.shares[table.seat], table.shares[offer.partner]
    for chain, count in offer.give_shares.items():
        mine[chain] -= count
        theirs[chain] += count
    for chain, count in offer.take_shares.items():
        theirs[chain] -= count
        mine[chain] += count
    table.cash[table.seat] += offer.take_cash - offer.give_cash
    table.cash[offer.partner] += offer.give_cash - offer.take_cash
