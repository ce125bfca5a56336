"""One tile and its consequences: nothing, a chain founded or grown, a merger."""

from collections.abc import Generator

from .board import INDEPENDENT, connected_tiles, touched_chains, would_found
from .settlement import pay_bonuses
from .table import Question, Script, Table
from .texts import dispose_text, line


def place_tile(table: Table, square: str) -> Script:
    """Put a tile from the hand of the seat whose turn it is on its square (PLC-1)."""
    seat = table.seat
    table.hands[seat].remove(square)
    table.active_turn = True
    joined = touched_chains(square, table.board)
    founds = would_found(square, table.board)
    table.paint([square], INDEPENDENT)
    table.say("TilePlaced", seat=seat, square=square)
    if founds:  # PLC-4
        yield from _found(table, square)
    elif len(joined) == 1:  # PLC-5
        (chain,) = joined
        table.paint(connected_tiles(square, table.board), chain)
        table.say("ChainGrew", chain=chain, size=table.size(chain))
    elif len(joined) >= 2:  # PLC-6
        yield from _merge(table, square, [chain for chain in table.rules.chains if chain in joined])
    # PLC-3: otherwise nothing happens.


def _found(table: Table, square: str) -> Script:
    seat = table.seat
    options = {f"found {chain}": chain for chain in table.inactive()}  # FND-1
    chain = options[(yield Question(seat, line("ChooseFounded", seat=seat), list(options)))]
    table.paint(connected_tiles(square, table.board), chain)
    table.say("ChainFounded", seat=seat, chain=chain, size=table.size(chain))
    shares = cash = 0
    if table.market[chain] > 0:  # FND-2
        shares = 1
    elif table.rules.founder_without_stock == "cash":
        cash = table.price(chain)
    table.take_shares(seat, chain, shares)
    table.cash[seat] += cash
    table.say("FounderRewarded", seat=seat, chain=chain, shares=shares, cash=cash)


def _merge(table: Table, square: str, chains: list[str]) -> Script:
    seat = table.seat
    table.say("MergerBegan", seat=seat, chains=chains)
    # MRG-1, MRG-11: until the end of this function the tile stays independent and every chain keeps
    # its tiles, so that sizes and prices remain those before the merger.
    survivor = yield from _name_survivor(table, chains)
    table.say("ChainSurvives", chain=survivor)
    to_settle = [chain for chain in chains if chain != survivor]
    while to_settle:  # MRG-4: one at a time, largest first
        acquired = yield from _name_acquired(table, to_settle, survivor)
        to_settle.remove(acquired)
        yield from _settle(table, acquired, survivor)
    # MRG-10: independent tiles now connected come along, but only now.
    table.paint(connected_tiles(square, table.board), survivor)
    table.say("MergerEnded", chain=survivor, size=table.size(survivor))


def _largest(table: Table, chains: list[str]) -> list[str]:
    most = max(table.size(chain) for chain in chains)
    return [chain for chain in chains if table.size(chain) == most]


def _name_survivor(table: Table, chains: list[str]) -> Generator[Question, str, str]:
    largest = _largest(table, chains)
    if len(largest) == 1:  # MRG-1; a safe chain is always the largest (MRG-3, PLC-7)
        return largest[0]
    options = {f"survivor {chain}": chain for chain in largest}  # MRG-2
    text = line("ChooseSurvivor", seat=table.seat)
    return options[(yield Question(table.seat, text, list(options)))]


def _name_acquired(table: Table, to_settle: list[str], survivor: str) -> Generator[Question, str, str]:
    largest = _largest(table, to_settle)
    if len(largest) == 1:
        return largest[0]
    options = {f"acquire {chain}": chain for chain in largest}  # MRG-4
    text = line("ChooseAcquired", seat=table.seat, survivor=survivor)
    return options[(yield Question(table.seat, text, list(options)))]


def _settle(table: Table, acquired: str, survivor: str) -> Script:
    # MRG-9, MRG-5: show holdings, pay bonuses, then dispose of stock.
    holdings = [table.shares[seat][acquired] for seat in range(table.seats)]
    table.say("HoldingsShown", chain=acquired, holdings=holdings)
    pay_bonuses(table, acquired, table.price(acquired))
    for seat in table.seats_from(table.seat):
        if table.shares[seat][acquired] > 0:
            yield from _dispose(table, seat, acquired, survivor)


def list_disposals(held: int, survivor_stock: int) -> dict[str, tuple[int, int]]:
    """List all mixes of selling and trading as texts (MRG-6); the seat keeps the rest."""
    options: dict[str, tuple[int, int]] = {}
    for sell in range(held + 1):
        for trade in range(0, held - sell + 1, 2):  # MRG-8: an even number
            if trade // 2 <= survivor_stock:  # no more than the survivor's market then has
                options[dispose_text(sell, trade)] = (sell, trade)
    return options


def _dispose(table: Table, seat: int, acquired: str, survivor: str) -> Script:
    held = table.shares[seat][acquired]
    options = list_disposals(held, table.market[survivor])
    text = line("ChooseDisposal", seat=seat, acquired=acquired, survivor=survivor)
    sell, trade = options[(yield Question(seat, text, list(options)))]
    cash = sell * table.price(acquired)  # MRG-7
    table.return_shares(seat, acquired, sell + trade)
    table.take_shares(seat, survivor, trade // 2)
    table.cash[seat] += cash
    table.say(
        "StockDisposed",
        seat=seat,
        chain=acquired,
        kept=held - sell - trade,
        sold=sell,
        traded=trade,
        cash=cash,
        received=trade // 2,
    )
