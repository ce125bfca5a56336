"""The catalogue of rules: one numbered sentence for each thing that the engine is faithful to.

Code that carries out a rule, errors that refuse an answer, and tests cite the ids of this catalogue.

An entry's `source` names where its rule comes from, by these short names:

- `Renegade 2023`: the 2023 rulebook with its Classic and Tycoon modes;
- `Avalon Hill`: the older rulebook with the variant of special powers;
- `corporations`: the rules with Sackson, Zeta, Hydra, Fusion, America, Phoenix and Quantum;
- `reference`: the compiled rules reference with trading between players;
- `all texts`: each of the four says it;
- `ruling`: the texts are silent, contradict each other, only imply it or leave it to people, and this project decided.

Where texts differ, a knob of the rule set says which one holds; an entry names the knob in backquotes.
"""

import re
from dataclasses import dataclass
from typing import Final

_NEAREST_IDS_MAX: Final = 3


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One rule: its id, what it says in a line, and where it comes from."""

    id: str
    """Three letters for the part of the rules and a number within it, like `MRG-4`."""
    text: str
    """The rule in one line."""
    source: str
    """The texts that hold the rule, by the short names of this module's docstring."""


# Written as a page to read: an id with its source in brackets, and the rule indented below it.
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
  A player lays exactly one tile a turn on the square it names, unless a power allows more, and may not
  pass while one of the hand can be laid.
PLC-2 [all texts]
  Tiles touch along their sides. Corners do not count.
PLC-3 [all texts]
  A tile that touches no other tile has no effect.
PLC-4 [all texts]
  A tile that touches independent tiles and no chain founds a chain, which takes in everything joined up
  by it.
PLC-5 [all texts]
  A tile that touches one chain, be it on several sides, enlarges it, by itself and by the independent
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
  A player none of whose tiles can be laid does what `unplayable_hand` says, and buys and draws all the
  same.
PLC-10 [ruling]
  When the pile has run out, hands shrink; the game goes on with short and with empty hands.

FND-1 [all texts; ruling for the building]
  The founder chooses the new chain's name among those not on the board. The place of its building matters
  to nothing and is not chosen.
FND-2 [all texts]
  The founder gets a share of the new chain for nothing. If none is left, `founder_without_stock` gives
  its price at the new size in cash, or nothing.
FND-3 [all texts]
  Shares that players kept when a chain was acquired have their worth and their rank again as soon as it
  is founded anew.
FND-4 [ruling for what all texts imply]
  The free share of the founder leaves the allowance of three shares for the purchase whole.

MRG-1 [all texts]
  The longest chain survives. The tile that joins them is in no chain's count, and looks independent, till
  the merger is over.
MRG-2 [all texts]
  Where several are longest, the mergemaker chooses the survivor.
MRG-3 [all texts]
  From 11 tiles a chain is safe: it can take over others, and none can take it over.
MRG-4 [all texts]
  Of several acquired chains the longest is settled first. The mergemaker decides between equal ones just
  before one is taken up; a single one left is not asked about.
MRG-5 [all texts]
  Settling a chain: its bonuses are paid, then everyone with stock in it disposes of it, from the
  mergemaker on in seat order.
MRG-6 [all texts]
  Stock of an acquired chain may be kept, sold and traded in any combination.
MRG-7 [all texts]
  The bank buys acquired stock at the price that belonged to the chain's length before the merger.
MRG-8 [all texts]
  Two acquired shares buy one of the survivor, while the survivor's market lasts. Shares given back are in
  their market before the next holder is asked.
MRG-9 [Renegade 2023, Avalon Hill, corporations]
  Before bonuses everyone's shares of the chain being acquired are laid open, even where assets are
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
  Holders take places by shares. Equals fill as many places as they are, pool the bonuses of those places
  and divide them; the next holder's place comes after. Two places pay.
BON-5 [Renegade 2023]
  On the chart with three holders the third place pays, too, except when exactly two hold stock.
BON-6 [all texts]
  Whoever is the only holder gets the first bonus and the last one of the chart: second of two, or third
  of three.
BON-7 [ruling]
  Chart with three holders: three or more equal firsts divide all three bonuses, three or more equal
  seconds divide two and three, equals behind two firsts divide the third.
BON-8 [all texts]
  A divided bonus is rounded up, player by player, to whole hundreds.

TWO-1 [Renegade 2023, Avalon Hill]
  With two players the market counts as a holder at each settlement. Its shares are the number on a tile
  taken from the pile and returned; more than 25 in all is no matter.
TWO-2 [Renegade 2023, Avalon Hill]
  Only the two greatest of market and players have a bonus; the bank keeps the market's.
TWO-3 [Renegade 2023, Avalon Hill; ruling for the order]
  The market also takes part in the bonuses of the game's end, with a new tile for each active chain, in
  chain order.
TWO-4 [ruling]
  Without a tile in the pile the market has no shares at that settlement. That is announced like a draw.
TWO-5 [ruling]
  The market's tile is picked by chance apart from the deal, and the order of the pile stays. This stands
  for mixing the pile again.
TWO-6 [ruling]
  The market joins in at tables of two only. Every tile in the pile is equally likely, all see it, and it
  is drawn whenever a player holds the chain, needed or not.
TWO-7 [ruling]
  The market has a place like anyone: its part of a tie stays in the bank, a player's part is rounded up,
  and as sole holder it leaves nothing to the players.

BUY-1 [all texts]
  After the tile, or without one, up to three shares may be bought, of chains on the board, out of what
  the market has and the player can pay. Buying nothing is allowed.
BUY-2 [all texts; ruling for a chain just founded, which they imply]
  A share costs the price of its chain's length at that moment. A chain founded in this turn can be
  bought.
BUY-3 [all texts]
  Shares of active chains cannot be sold to the market, apart from the power to trade two. Nobody borrows,
  and cash is never below zero.

DRW-1 [all texts; ruling for other hands than five]
  A turn ends with a draw that fills a hand of fewer than six to six, or empties the pile. A hand of six
  or more is left alone.
DRW-2 [all texts; ruling for all or none, and for an empty pile]
  After the draw `dead_tiles` governs the exchange: all dead tiles of the hand leave the game face up and
  as many are drawn, if the pile has any tile. Just drawn ones count.
DRW-3 [all texts]
  A tile that waits for a free chain is no dead tile and is not exchanged; only the redraw of a whole
  unplayable hand takes it away.

END-1 [all texts; ruling for an empty board]
  While a chain has 41 tiles or more, or chains exist and all are safe, the player in turn may announce
  the end, or keep silent.
END-2 [all texts; ruling for when the end is announced, and for where stopping is offered]
  The end is announced with a tile or with the purchase; the turn is played out and then the game is over,
  come what may. With `after_declaring` one may stop instead of laying.
END-3 [all texts; ruling for ties outside Renegade 2023]
  At the end every active chain pays its bonuses and all its stock is sold at its price; other stock is
  worthless. The richest wins, or several equally rich.
END-4 [ruling]
  The game is stuck and ends after one turn of each seat in a row without a tile laid, drawn or set aside,
  a share from the market, or a power. Players' trades do not help.
END-5 [reference; ruling]
  Announcing is possible before any tile of the turn and at the purchase, if the condition holds there and
  then; without a purchase it is asked by itself, after Place four it is not.
END-6 [ruling]
  When the game is over, everyone sees all cash and all shares.

VIS-1 [all texts]
  Tiles in hand and the order of the pile are secret. Board, market, length of the pile and tiles set
  aside are open at any time.
VIS-2 [Renegade 2023, Avalon Hill]
  All are told of each purchase, founding, disposal, bonus and trade.
VIS-3 [Renegade 2023, Avalon Hill, corporations]
  Where `assets` is hidden, a player is shown no other's cash and shares; announcements are not taken
  back.
VIS-4 [ruling]
  Hand sizes, skips, exchanges, market draws, powers, free shares and announced ends are open; that a
  decision had one answer only is not.

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
  A power without any effect is not offered: no tile to lay, none in the pile, no share to get, or no pair
  to swap.

TRD-1 [reference]
  Before laying, even if nothing can be laid, the player in turn may offer another one a trade of shares
  and cash, who takes it or not. Nobody else offers, and not later.
TRD-2 [reference; ruling]
  Any chain's shares can be traded, tiles cannot. The proposer must own what he gives; a partner who does
  not own what is asked is asked, and can but decline.
TRD-3 [ruling]
  Neither side is empty, cash moves in hundreds, and cash or a chain is on one side only. Nobody answers
  with an offer of his own.
TRD-4 [ruling]
  A turn has room for `trade_offers` offers, taken or not. Every offer and its answer is told to all.

TBL-1 [Renegade 2023]
  No tile ever lies on a wrong square: such an answer is refused, so there is nothing to put right.
TBL-2 [Renegade 2023, Avalon Hill, corporations]
  Nobody has to ask how many shares the market has: every view says so.
TBL-3 [ruling]
  A sole possible answer is given without asking, and is recorded and announced; a partner who can only
  decline an offer is the exception.
TBL-4 [Avalon Hill]
  The ban on notes about holdings is left to people; no engine can watch over it.
"""

_ENTRY: Final = re.compile(r"(?P<id>[A-Z]{3}-[0-9]+) \[(?P<source>.+)\]\n(?P<text>(?:  .+\n)+)")

CATALOGUE: Final[tuple[RuleEntry, ...]] = tuple(
    RuleEntry(found["id"], " ".join(found["text"].split()), found["source"]) for found in _ENTRY.finditer(_PAGE)
)
"""Every rule, in the order in which a rulebook would tell them."""

_BY_ID: Final = {rule.id: rule for rule in CATALOGUE}


def entry(rule_id: str) -> RuleEntry:
    """Returns the rule of this id; raises LookupError, naming the nearest ids, if there is none."""
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
