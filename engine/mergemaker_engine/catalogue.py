"""The catalogue of rules: a numbered statement of each rule that the engine follows.

Code that carries out a rule, errors that refuse an answer, and tests cite these ids.

An entry's `source` says where its rule comes from, by these short names:

- `Renegade 2023`: the 2023 rulebook with its Classic and Tycoon modes;
- `Avalon Hill`: the older rulebook with the variant of special powers;
- `corporations`: the rules with Sackson, Zeta, Hydra, Fusion, America, Phoenix and Quantum;
- `reference`: the compiled rules reference with trading between players;
- `all texts`: all four say it;
- `ruling`: the texts are silent, contradict each other, only imply it or leave it to people; this project decided.

Where texts differ, a knob of the rule set says which one holds. The entry names the knob in backquotes.
"""

import re
from typing import Final

from mergemaker_engine.values import dataclass

_NEAREST_IDS_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One rule: its id, its text, and where it comes from."""

    id: str
    """Three letters for a part of the rules, and a number, as in `MRG-4`."""
    text: str
    """The rule in one line."""
    source: str
    """The texts that hold the rule, by the short names of this module's docstring."""


# A readable page: an id with its source in brackets, and the rule indented below it.
_PAGE: Final = """
SET-1 [all texts]
  The board has rows A to I and columns 1 to 12. Each of its 108 squares has one tile, which is named by
  column, then row: 9F.
SET-2 [all texts; reference for the bank; ruling for the bank of the others]
  There are seven chains with 25 shares each. Each player begins with $6,000. The bank can always pay.
SET-3 [all texts; ruling for the order of drawing, and for the comparison in the reference]
  In seat order each seat lays one tile of the pile on the board. The tile nearest 1A, compared as
  `start_order` says, makes its seat the first to play.
SET-4 [all texts]
  Start tiles form no chain, even side by side. A later tile treats them like any other independent tiles.
SET-5 [all texts; ruling for the order of dealing]
  After the start tiles each seat takes its whole hand of six, seat 0 first. There is one pile, and tiles
  leave it in the order of the deal.
SET-6 [Renegade 2023, Avalon Hill, reference; ruling for corporations]
  Two to six can play. Two cannot play on the chart with three holders. Any other number is refused.

TRN-1 [all texts; ruling where they are silent]
  A turn in order: redraw of an unplayable hand, trading, Take five, Place four, the tiles, a buying
  power, the purchase, the draw, the exchange, the check for the end.

PLC-1 [all texts]
  A player lays exactly one tile a turn, on the square that it names, unless a power allows more. A
  player who can lay a tile may not pass.
PLC-2 [all texts]
  Tiles touch along their sides. Corners do not count.
PLC-3 [all texts]
  A tile that touches no other tile has no effect.
PLC-4 [all texts]
  A tile that touches independent tiles and no chain founds a chain, which takes in all tiles that it
  joins.
PLC-5 [all texts]
  A tile that touches one chain, on one side or several, enlarges it by itself and by the independent
  tiles that it joins to it.
PLC-6 [all texts]
  A tile that touches more than one chain merges them.
PLC-7 [all texts]
  A tile between two or more safe chains is dead: it can never be laid, whatever other tiles or chains it
  touches.
PLC-8 [all texts]
  While all seven chains are active, a tile that would found another has to wait. It can be laid once a
  chain is free, or when it would do something else.
PLC-9 [Avalon Hill, reference; ruling for Renegade 2023 and corporations]
  If none of a player's tiles can be laid, `unplayable_hand` says what happens. The player still buys
  and draws.
PLC-10 [ruling]
  When the pile has run out, hands shrink; the game goes on with short and with empty hands.

FND-1 [all texts; ruling for the building]
  The founder chooses the new chain's name among those not on the board. The place of its building has
  no effect and is not chosen.
FND-2 [all texts]
  The founder gets a share of the new chain for nothing. If none is left, `founder_without_stock` gives
  its price at the new size in cash, or nothing.
FND-3 [all texts]
  Shares that players kept when a chain was acquired regain their worth and their rank when the chain is
  founded again.
FND-4 [ruling for what all texts imply]
  The founder's free share does not count towards the three shares of the purchase.

MRG-1 [all texts]
  The longest chain survives. Until the merger is over, the tile that joins them counts for no chain and
  looks independent.
MRG-2 [all texts]
  Where several are longest, the mergemaker chooses the survivor.
MRG-3 [all texts]
  From 11 tiles a chain is safe: it can take over others, and none can take it over.
MRG-4 [all texts]
  Of several acquired chains, the longest is settled first. The mergemaker decides between equal ones
  just before one is settled; a single one left is not asked about.
MRG-5 [all texts]
  To settle a chain, its bonuses are paid; then each holder of its stock disposes of it, in seat order
  from the mergemaker on.
MRG-6 [all texts]
  Stock of an acquired chain may be kept, sold and traded in any combination.
MRG-7 [all texts]
  The bank buys acquired stock at the price for the chain's length before the merger.
MRG-8 [all texts]
  Two acquired shares buy one of the survivor, as long as its market has any. Shares given up are back
  in their market before the next holder is asked.
MRG-9 [Renegade 2023, Avalon Hill, corporations]
  Before bonuses, each player's shares of the chain being acquired are shown to all, even if assets are
  hidden.
MRG-10 [all texts]
  When all is settled, the survivor holds its own tiles, theirs, the joining tile and the independent
  tiles it now reaches; the acquired names are free.
MRG-11 [ruling]
  First the survivor; then chain by chain: naming, holdings, the market's draw, bonuses, disposal. All
  lengths and prices stay as they were before the tile.

BON-1 [Renegade 2023, corporations, reference; ruling for Avalon Hill]
  A cheap chain's share costs $200 to $500 at 2 to 5 tiles, $600 from 6, $700 from 11, $800 from 21, $900
  from 31, $1,000 from 41; a middle one $100 more, a dear one $200.
BON-2 [Renegade 2023; corporations and reference for two holders]
  First bonus: ten prices. Third: five. Second, for prices $200 to $1,200: 1,500 2,200 3,000 3,700 4,200
  5,000 5,700 6,200 7,000 7,700 8,200; with two holders: five prices.
BON-3 [Renegade 2023; ruling]
  A bonus needs at least one share. A chain of which no player holds a share pays none.
BON-4 [all texts]
  Holders take places by shares. Tied holders fill one place each, pool the bonuses of these places and
  divide them; the next holder takes the place after theirs. Two places pay.
BON-5 [Renegade 2023]
  On the chart with three holders the third place also pays, except when exactly two hold stock.
BON-6 [all texts]
  A sole holder gets the first bonus and the last one of the chart: second of two, or third of three.
BON-7 [ruling]
  Chart with three holders: three or more equal firsts divide all three bonuses, three or more equal
  seconds divide two and three, equals after two firsts divide the third.
BON-8 [all texts]
  A divided bonus is rounded up, player by player, to whole hundreds.

TWO-1 [Renegade 2023, Avalon Hill]
  With two players the market counts as a holder at each settlement. Its shares are the number on a tile
  taken from the pile and returned. The total may exceed 25.
TWO-2 [Renegade 2023, Avalon Hill]
  Only the two greatest of market and players get a bonus; the bank keeps the market's.
TWO-3 [Renegade 2023, Avalon Hill; ruling for the order]
  The market also takes part in the bonuses of the game's end, with a new tile for each active chain, in
  chain order.
TWO-4 [ruling]
  Without a tile in the pile, the market has no shares at that settlement. This is announced like a
  draw.
TWO-5 [ruling]
  The market's tile is picked by chance, independently of the deal, and the order of the pile stays.
  This stands for mixing the pile again.
TWO-6 [ruling]
  The market takes part at tables of two only. Every tile in the pile is equally likely, all see it, and
  it is drawn whenever a player holds the chain, needed or not.
TWO-7 [ruling]
  The market has a place like any holder: its part of a tie stays in the bank, a player's part is
  rounded up, and as sole holder it leaves nothing to the players.

BUY-1 [all texts]
  After the tile, or without one, a player may buy up to three shares of chains on the board, as far as
  market and cash allow. Buying nothing is allowed.
BUY-2 [all texts; ruling for a chain just founded, which they imply]
  A share costs the price of its chain's length at that moment. A chain founded in this turn can be
  bought.
BUY-3 [all texts]
  Shares of active chains cannot be sold to the market, apart from the power to trade two. Nobody borrows,
  and cash is never below zero.

DRW-1 [all texts; ruling for other hands than five]
  A turn ends with a draw that fills a hand of fewer than six to six, or empties the pile. A hand of six
  or more stays as it is.
DRW-2 [all texts; ruling for all or none, and for an empty pile]
  After the draw, `dead_tiles` says how dead tiles are exchanged: all leave the game face up and as many
  are drawn, if the pile has any tile. Just drawn ones count.
DRW-3 [all texts]
  A tile that waits for a free chain is not dead and is not exchanged; only the redraw of a whole
  unplayable hand takes it away.

END-1 [all texts; ruling for an empty board]
  While a chain has 41 tiles or more, or chains exist and all are safe, the player in turn may announce
  the end, or keep silent.
END-2 [all texts; ruling for when the end is announced, and for where stopping is offered]
  The end is announced with a tile or with the purchase; the turn is played to its end, and then the
  game is over in any case. With `after_declaring` one may stop instead of laying.
END-3 [all texts; ruling for ties outside Renegade 2023]
  At the end every active chain pays its bonuses and all its stock is sold at its price; other stock is
  worthless. The richest wins, or several equally rich.
END-4 [ruling]
  The game is stuck and ends after one turn of each seat in a row without a tile laid, drawn or set aside,
  a share from the market, or a power. Players' trades do not help.
END-5 [reference; ruling]
  The end may be announced before each tile of a turn and at the purchase, if the condition holds at
  that moment. If nothing can be bought, it is asked by itself; after Place four breaks off, it is not.
END-6 [ruling]
  When the game is over, everyone sees all cash and all shares.

VIS-1 [all texts]
  Tiles in hand and the order of the pile are secret. Board, market, length of the pile and tiles set
  aside are open at any time.
VIS-2 [Renegade 2023, Avalon Hill]
  Each purchase, founding, disposal, bonus and trade is announced to all.
VIS-3 [Renegade 2023, Avalon Hill, corporations]
  If `assets` is hidden, a player is not shown the cash and shares of others; announcements stay public.
VIS-4 [ruling]
  Hand sizes, skips, exchanges, market draws, powers, free shares and announced ends are open. That a
  decision had only one answer is not.

PWR-1 [Avalon Hill]
  Each player may use each of five powers once in the game, no more than one in a turn, and each in its
  part of the turn. All see which are used.
PWR-2 [Avalon Hill; ruling for at least one]
  Three free: instead of a purchase, one, two or three shares of active chains cost nothing.
PWR-3 [Avalon Hill; ruling for none]
  Buy five: the purchase may have up to five shares. Buying nothing spends the power as well.
PWR-4 [Avalon Hill; ruling for the order, two chains and one trade]
  Trade two: before the purchase, one to three times a pair of one active chain goes to the market for one
  share of another, one swap after the other.
PWR-5 [Avalon Hill]
  Place four: one to four tiles in succession, each with all its consequences before the next; then a
  single purchase at the prices reached.
PWR-6 [Avalon Hill; ruling for the refill]
  Take five: the turn begins with five tiles from the pile, or what it has. Later draws wait until the
  hand is below six.
PWR-7 [ruling]
  A power that would have no effect is not offered: no tile to lay, none in the pile, no share to get,
  or no pair to swap.

TRD-1 [reference]
  Before laying, even if nothing can be laid, the player in turn may offer a trade of shares and cash to
  another player, who accepts or declines. Nobody else offers, and not later.
TRD-2 [reference; ruling]
  Any chain's shares can be traded; tiles cannot. The proposer must own what it gives. A partner who
  does not own what is asked for is still asked, and can only decline.
TRD-3 [ruling]
  Neither side is empty, cash moves in hundreds, and cash or a chain is on one side only. There are no
  counter-offers.
TRD-4 [ruling]
  A turn has room for `trade_offers` offers, accepted or not. Every offer and its answer is announced to
  all.

TBL-1 [Renegade 2023]
  No tile ever lies on a wrong square: such an answer is refused, so nothing needs correction.
TBL-2 [Renegade 2023, Avalon Hill, corporations]
  Nobody has to ask how many shares the market has: every view says so.
TBL-3 [ruling]
  If only one answer is possible, it is given without asking, recorded and announced. The exception is a
  partner who can only decline an offer.
TBL-4 [Avalon Hill]
  The ban on notes about holdings is left to people; no engine can watch over it.
"""

_ENTRY: Final = re.compile(r"(?P<id>[A-Z]{3}-[0-9]+) \[(?P<source>.+)\]\n(?P<text>(?:  .+\n)+)")

CATALOGUE: Final[tuple[RuleEntry, ...]] = tuple(
    RuleEntry(found["id"], " ".join(found["text"].split()), found["source"]) for found in _ENTRY.finditer(_PAGE)
)
"""Every rule, in the order of a rulebook."""

_BY_ID: Final = {rule.id: rule for rule in CATALOGUE}


def entry(rule_id: str) -> RuleEntry:
    """The rule with this id. If there is none, raises LookupError with the nearest ids."""
    found = _BY_ID.get(rule_id)
    if found is None:
        nearest = sorted(_BY_ID, key=lambda known: -_equal_letters_at_start(known, rule_id.upper()))
        raise LookupError(
            f"expected the id of a rule, like 'MRG-4', got {rule_id!r}; nearest are {', '.join(nearest[:_NEAREST_IDS_MAX])}"
        )
    return found


def _equal_letters_at_start(one: str, other: str) -> int:
    differing = (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(one), len(other)))
