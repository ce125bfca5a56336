"""The buying part of a turn: its three powers and the purchase."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from itertools import combinations_with_replacement

from .table import Question, Script, Table
from .texts import buy_text, counts, line

USUAL_SHARES = 3  # BUY-1
BUY_FIVE_SHARES = 5  # PWR-3
FREE_SHARES = 3  # PWR-2
TRADE_TWO_TIMES = 3  # PWR-4


def list_baskets(prices: Mapping[str, int], stock: Mapping[str, int], cash: int, most: int) -> list[list[str]]:
    """List all purchases: what fits the market's stock and the cash, shortest first, then by chain."""
    return [
        list(basket)
        for length in range(most + 1)
        for basket in combinations_with_replacement(prices, length)
        if sum(prices[chain] for chain in basket) <= cash and all(basket.count(chain) <= stock[chain] for chain in basket)
    ]


def baskets(table: Table, most: int, *, free: bool = False) -> list[list[str]]:
    """List the purchases open to the seat whose turn it is (BUY-1, BUY-2)."""
    prices = {chain: 0 if free else table.price(chain) for chain in table.active()}
    return list_baskets(prices, table.market, table.cash[table.seat], most)


def swap_text(give: str, take: str) -> str:
    """Write one trade of the power Trade two."""
    return f"swap 2 {give} for 1 {take}"


def list_swaps(table: Table) -> dict[str, tuple[str, str]]:
    """List the trades of Trade two that are possible now, as texts (PWR-4)."""
    active = table.active()
    return {
        swap_text(give, take): (give, take)
        for give in active
        for take in active
        if give != take and table.shares[table.seat][give] >= 2 and table.market[take] >= 1
    }


def useful_buying_powers(table: Table) -> list[str]:
    """List the buying powers that can have an effect (PWR-7), used up or not."""
    useful = []
    if any(table.market[chain] > 0 for chain in table.active()):
        useful.append("three-free")
    if len(baskets(table, 1)) > 1:
        useful.append("buy-five")
    if list_swaps(table):
        useful.append("trade-two")
    return useful


def trade_two(table: Table) -> Script:
    """Carry out the trades of Trade two, one after another; at least one (PWR-4)."""
    seat = table.seat
    for number in range(1, TRADE_TWO_TIMES + 1):
        swaps = list_swaps(table)
        if not swaps:
            return
        answers = list(swaps) if number == 1 else [*swaps, "enough swaps"]
        answer = yield Question(seat, line("ChoosePairTrade", seat=seat, number=number), answers)
        if answer not in swaps:
            return
        give, take = swaps[answer]
        table.return_shares(seat, give, 2)  # the pair goes to the market first
        table.take_shares(seat, take, 1)
        table.say("PairTraded", seat=seat, give=give, take=take)


def _purchases(choices: Sequence[list[str]], chains: Sequence[str], *, may_declare: bool) -> dict[str, tuple[list[str], bool]]:
    # In ascending code: up to three shares without and with 'end', then four and five likewise.
    options: dict[str, tuple[list[str], bool]] = {}
    small = [basket for basket in choices if len(basket) <= USUAL_SHARES]
    large = [basket for basket in choices if len(basket) > USUAL_SHARES]
    for group in (small, large):
        for declare in (False, True) if may_declare else (False,):
            for basket in group:
                options[buy_text(basket, chains, declare=declare)] = (basket, declare)
    return options


def purchase(table: Table, power: str | None) -> Script:
    """Ask what to buy, and whether to declare the end with it (END-5), and carry it out."""
    seat = table.seat
    terms = power if power in ("three-free", "buy-five") else "usual"
    if terms == "three-free":
        # PWR-2 (ruling): at least one free share.
        choices = [basket for basket in baskets(table, FREE_SHARES, free=True) if basket]
    else:
        choices = baskets(table, BUY_FIVE_SHARES if terms == "buy-five" else USUAL_SHARES)
    options = _purchases(choices, table.rules.chains, may_declare=table.end_may_be_declared())
    text = line("ChoosePurchase", seat=seat, terms=terms)
    basket, declare = options[(yield Question(seat, text, list(options)))]
    if declare:
        table.declared = True
        table.say("EndDeclared", seat=seat)
    cost = 0 if terms == "three-free" else sum(table.price(chain) for chain in basket)
    table.cash[seat] -= cost
    bought = Counter(basket)
    for chain, count in bought.items():
        table.take_shares(seat, chain, count)
    table.say("SharesBought", seat=seat, shares=counts(bought, table.rules.chains), cost=cost)


def choose_power(table: Table, phase: str, useful: Sequence[str]) -> Generator[Question, str, str | None]:
    """Offer the remaining powers of a phase that can have an effect; give the one used (PWR-1)."""
    seat = table.seat
    left = [power for power in useful if power not in table.powers[seat]]
    if not table.rules.special_powers or table.power_this_turn or not left:
        return None
    options: dict[str, str | None] = {"no power": None}
    options.update({f"power {power}": power for power in left})
    power = options[(yield Question(seat, line("ChoosePower", seat=seat, phase=phase), list(options)))]
    if power is not None:
        table.powers[seat].add(power)
        table.power_this_turn = True
        table.active_turn = True
        table.say("PowerUsed", seat=seat, power=power)
    return power
