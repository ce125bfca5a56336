"""The catalogue of rules: one numbered sentence for each thing that the engine is faithful to.

Code that carries out a rule, errors that refuse an answer, and tests cite the ids of this catalogue.

An entry's `source` names where its rule comes from, by these short names:

- `Renegade 2023`: the 2023 rulebook with its Classic and Tycoon modes;
- `Avalon Hill`: the older rulebook with the variant of special powers;
- `corporations`: the rules with Sackson, Zeta, Hydra, Fusion, America, Phoenix and Quantum;
- `reference`: the compiled rules reference with trading between players;
- `all texts`: each of the four says it;
- `ruling`: the texts are silent, contradict each other or leave it to people, and this project decided.

Where texts differ, a knob of the rule set says which one holds; an entry names the knob in backquotes.
"""

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


_SETUP: Final = (
    RuleEntry(
        "SET-1",
        "The board has rows A to I and columns 1 to 12. Each of its 108 squares has one tile, which is "
        "named by column, then row: 9F.",
        "all texts",
    ),
    RuleEntry(
        "SET-2",
        "There are seven chains with 25 shares each. Each player begins with $6,000. The bank can always pay.",
        "all texts",
    ),
    RuleEntry(
        "SET-3",
        "In seat order each seat lays one tile of the pile on the board. The tile nearest 1A, compared as "
        "`start_order` says, makes its seat the first to play.",
        "all texts; ruling for the order of drawing, and for the comparison in the reference",
    ),
    RuleEntry(
        "SET-4",
        "Start tiles form no chain, even side by side. A later tile treats them like any other "
        "independent tiles.",
        "all texts",
    ),
    RuleEntry(
        "SET-5",
        "After the start tiles each seat takes its whole hand of six, seat 0 first. There is one pile, "
        "and tiles leave it in the order of the deal.",
        "all texts; ruling for the order of dealing",
    ),
    RuleEntry(
        "SET-6",
        "Two to six can play. Two cannot play on the chart with three holders. Any other number is refused.",
        "Renegade 2023, Avalon Hill, reference; ruling for corporations",
    ),
)

_TURN: Final = (
    RuleEntry(
        "TRN-1",
        "A turn in order: redraw of an unplayable hand, trading, Take five, Place four, the tiles, a buying "
        "power, the purchase, the draw, the exchange, the check for the end.",
        "all texts; ruling where they are silent",
    ),
)

_PLACING: Final = (
    RuleEntry(
        "PLC-1",
        "A player lays exactly one tile a turn on the square it names, unless a power allows more, and "
        "may not pass while one of the hand can be laid.",
        "all texts",
    ),
    RuleEntry("PLC-2", "Tiles touch along their sides. Corners do not count.", "all texts"),
    RuleEntry("PLC-3", "A tile that touches no other tile has no effect.", "all texts"),
    RuleEntry(
        "PLC-4",
        "A tile that touches independent tiles and no chain founds a chain, which takes in everything "
        "joined up by it.",
        "all texts",
    ),
    RuleEntry(
        "PLC-5",
        "A tile that touches one chain, be it on several sides, enlarges it, by itself and by the "
        "independent tiles that it joins to it.",
        "all texts",
    ),
    RuleEntry("PLC-6", "A tile that touches more than one chain merges them.", "all texts"),
    RuleEntry(
        "PLC-7",
        "A tile between two or more safe chains is dead: it can never be laid, whatever other tiles or "
        "chains it touches.",
        "all texts",
    ),
    RuleEntry(
        "PLC-8",
        "While all seven chains are active, a tile that would found another has to wait. It can be laid "
        "once a chain is free, or when it would do something else.",
        "all texts",
    ),
    RuleEntry(
        "PLC-9",
        "A player none of whose tiles can be laid does what `unplayable_hand` says, and buys and draws all "
        "the same.",
        "Avalon Hill, reference; ruling for Renegade 2023 and corporations",
    ),
    RuleEntry(
        "PLC-10",
        "When the pile has run out, hands shrink; the game goes on with short and with empty hands.",
        "ruling",
    ),
)

_FOUNDING: Final = (
    RuleEntry(
        "FND-1",
        "The founder chooses the new chain's name among those not on the board. The place of its building "
        "matters to nothing and is not chosen.",
        "all texts; ruling for the building",
    ),
    RuleEntry(
        "FND-2",
        "The founder gets a share of the new chain for nothing. If none is left, `founder_without_stock` "
        "gives its price at the new size in cash, or nothing.",
        "all texts",
    ),
    RuleEntry(
        "FND-3",
        "Shares that players kept when a chain was acquired have their worth and their rank again as soon "
        "as it is founded anew.",
        "all texts",
    ),
    RuleEntry(
        "FND-4",
        "The free share of the founder leaves the allowance of three shares for the purchase whole.",
        "all texts",
    ),
)

_MERGERS: Final = (
    RuleEntry(
        "MRG-1",
        "The longest chain survives. The tile that joins them is in no chain's count, and looks "
        "independent, till the merger is over.",
        "all texts",
    ),
    RuleEntry("MRG-2", "Where several are longest, the mergemaker chooses the survivor.", "all texts"),
    RuleEntry("MRG-3", "From 11 tiles a chain is safe: it can take over others, and none can take it over.", "all texts"),
    RuleEntry(
        "MRG-4",
        "Of several acquired chains the longest is settled first. The mergemaker decides between equal ones "
        "just before one is taken up; a single one left is not asked about.",
        "all texts",
    ),
    RuleEntry(
        "MRG-5",
        "Settling a chain: its bonuses are paid, then everyone with stock in it disposes of it, from the "
        "mergemaker on in seat order.",
        "all texts",
    ),
    RuleEntry("MRG-6", "Stock of an acquired chain may be kept, sold and traded in any combination.", "all texts"),
    RuleEntry(
        "MRG-7",
        "The bank buys acquired stock at the price that belonged to the chain's length before the merger.",
        "all texts",
    ),
    RuleEntry(
        "MRG-8",
        "Two acquired shares buy one of the survivor, while the survivor's market lasts. Shares given back "
        "are in their market before the next holder is asked.",
        "all texts",
    ),
    RuleEntry(
        "MRG-9",
        "Before bonuses everyone's shares of the chain being acquired are laid open, even where assets are "
        "hidden.",
        "Renegade 2023, Avalon Hill, corporations",
    ),
    RuleEntry(
        "MRG-10",
        "When all is settled, the survivor holds its own tiles, theirs, the joining tile and the independent "
        "tiles it now reaches; the acquired names are free.",
        "all texts",
    ),
    RuleEntry(
        "MRG-11",
        "First the survivor; then chain by chain: naming, holdings, the market's draw, bonuses, disposal. "
        "All lengths and prices stay as they were before the tile.",
        "ruling",
    ),
)

_PRICES_AND_BONUSES: Final = (
    RuleEntry(
        "BON-1",
        "A cheap chain's share costs $200 to $500 at 2 to 5 tiles, $600 from 6, $700 from 11, $800 from 21, "
        "$900 from 31, $1,000 from 41; a middle one $100 more, a dear one $200.",
        "Renegade 2023, corporations, reference; ruling for Avalon Hill",
    ),
    RuleEntry(
        "BON-2",
        "First bonus: ten prices. Third: five. Second, for prices $200 to $1,200: 1,500 2,200 3,000 3,700 "
        "4,200 5,000 5,700 6,200 7,000 7,700 8,200; with two holders: five prices.",
        "Renegade 2023; corporations and reference for two holders",
    ),
    RuleEntry(
        "BON-3",
        "A bonus needs at least one share. A chain of which no player holds a share pays none.",
        "Renegade 2023; ruling",
    ),
    RuleEntry(
        "BON-4",
        "Holders take places by shares. Equals fill as many places as they are, pool the bonuses of those "
        "places and divide them; the next holder's place comes after. Two places pay.",
        "all texts",
    ),
    RuleEntry(
        "BON-5",
        "On the chart with three holders the third place pays, too, except when exactly two hold stock.",
        "Renegade 2023",
    ),
    RuleEntry(
        "BON-6",
        "Whoever is the only holder gets the first bonus and the last one of the chart: second of two, or "
        "third of three.",
        "all texts",
    ),
    RuleEntry(
        "BON-7",
        "Chart with three holders: three or more equal firsts divide all three bonuses, three or more equal "
        "seconds divide two and three, equals behind two firsts divide the third.",
        "ruling",
    ),
    RuleEntry(
        "BON-8",
        "A divided bonus is rounded up, player by player, to whole hundreds.",
        "all texts",
    ),
)

_TWO_PLAYERS: Final = (
    RuleEntry(
        "TWO-1",
        "With two players the market counts as a holder at each settlement. Its shares are the number on a "
        "tile taken from the pile and returned; more than 25 in all is no matter.",
        "Renegade 2023, Avalon Hill",
    ),
    RuleEntry(
        "TWO-2",
        "Only the two greatest of market and players have a bonus; the bank keeps the market's.",
        "Renegade 2023, Avalon Hill",
    ),
    RuleEntry(
        "TWO-3",
        "The market also takes part in the bonuses of the game's end, with a new tile for each active chain, "
        "in chain order.",
        "Renegade 2023, Avalon Hill; ruling for the order",
    ),
    RuleEntry(
        "TWO-4",
        "Without a tile in the pile the market has no shares at that settlement. That is announced like a "
        "draw.",
        "ruling",
    ),
    RuleEntry(
        "TWO-5",
        "The market's tile is picked by chance apart from the deal, and the order of the pile stays. This "
        "stands for mixing the pile again.",
        "ruling",
    ),
    RuleEntry(
        "TWO-6",
        "The market joins in at tables of two only. Every tile in the pile is equally likely, all see it, and "
        "it is drawn whenever a player holds the chain, needed or not.",
        "ruling",
    ),
    RuleEntry(
        "TWO-7",
        "The market has a place like anyone: its part of a tie stays in the bank, a player's part is rounded "
        "up, and as sole holder it leaves nothing to the players.",
        "ruling",
    ),
)

_BUYING: Final = (
    RuleEntry(
        "BUY-1",
        "After the tile, or without one, up to three shares may be bought, of chains on the board, out of "
        "what the market has and the player can pay. Buying nothing is allowed.",
        "all texts",
    ),
    RuleEntry(
        "BUY-2",
        "A share costs the price of its chain's length at that moment. A chain founded in this turn can be "
        "bought.",
        "all texts",
    ),
    RuleEntry(
        "BUY-3",
        "Shares of active chains cannot be sold to the market, apart from the power to trade two. Nobody "
        "borrows, and cash is never below zero.",
        "all texts",
    ),
)

_DRAWING: Final = (
    RuleEntry(
        "DRW-1",
        "A turn ends with a draw that fills a hand of fewer than six to six, or empties the pile. A hand of "
        "six or more is left alone.",
        "all texts; ruling for other hands than five",
    ),
    RuleEntry(
        "DRW-2",
        "After the draw `dead_tiles` governs the exchange: all dead tiles of the hand leave the game face up "
        "and as many are drawn, if the pile has any tile. Just drawn ones count.",
        "all texts; ruling for all or none, and for an empty pile",
    ),
    RuleEntry(
        "DRW-3",
        "A tile that waits for a free chain is no dead tile and is not exchanged; only the redraw of a whole "
        "unplayable hand takes it away.",
        "all texts",
    ),
)

_END: Final = (
    RuleEntry(
        "END-1",
        "While a chain has 41 tiles or more, or chains exist and all are safe, the player in turn may announce "
        "the end, or keep silent.",
        "all texts; ruling for an empty board",
    ),
    RuleEntry(
        "END-2",
        "The end is announced with a tile or with the purchase; the turn is played out and then the game is "
        "over, come what may. With `after_declaring` one may stop instead of laying.",
        "all texts; ruling for where stopping is offered",
    ),
    RuleEntry(
        "END-3",
        "At the end every active chain pays its bonuses and all its stock is sold at its price; other stock is "
        "worthless. The richest wins, or several equally rich.",
        "all texts; ruling for ties outside Renegade 2023",
    ),
    RuleEntry(
        "END-4",
        "The game is stuck and ends after one turn of each seat in a row without a tile laid, drawn or set "
        "aside, a share from the market, or a power. Players' trades do not help.",
        "ruling",
    ),
    RuleEntry(
        "END-5",
        "Announcing is possible before any tile of the turn and at the purchase, if the condition holds there "
        "and then; without a purchase it is asked by itself, after Place four it is not.",
        "reference; ruling",
    ),
    RuleEntry("END-6", "When the game is over, everyone sees all cash and all shares.", "ruling"),
)

_VISIBILITY: Final = (
    RuleEntry(
        "VIS-1",
        "Tiles in hand and the order of the pile are secret. Board, market, length of the pile and tiles set "
        "aside are open at any time.",
        "all texts",
    ),
    RuleEntry(
        "VIS-2",
        "All are told of each purchase, founding, disposal, bonus and trade.",
        "Renegade 2023, Avalon Hill",
    ),
    RuleEntry(
        "VIS-3",
        "Where `assets` is hidden, a player is shown no other's cash and shares; announcements are not taken "
        "back.",
        "Renegade 2023, Avalon Hill, corporations",
    ),
    RuleEntry(
        "VIS-4",
        "Hand sizes, skips, exchanges, market draws, powers, free shares and announced ends are open; that a "
        "decision had one answer only is not.",
        "ruling",
    ),
)

_POWERS: Final = (
    RuleEntry(
        "PWR-1",
        "Each player may use each of five powers once in the game, no more than one in a turn, and each in its "
        "part of the turn. All see which are used.",
        "Avalon Hill",
    ),
    RuleEntry(
        "PWR-2",
        "Three free: instead of a purchase, one, two or three shares of active chains cost nothing.",
        "Avalon Hill; ruling for at least one",
    ),
    RuleEntry(
        "PWR-3",
        "Buy five: the purchase may have up to five shares. Buying nothing spends the power as well.",
        "Avalon Hill; ruling for none",
    ),
    RuleEntry(
        "PWR-4",
        "Trade two: before the purchase, one to three times a pair of one active chain goes to the market for "
        "one share of another, one swap after the other.",
        "Avalon Hill; ruling for the order, two chains and one trade",
    ),
    RuleEntry(
        "PWR-5",
        "Place four: one to four tiles in succession, each with all its consequences before the next; then a "
        "single purchase at the prices reached.",
        "Avalon Hill",
    ),
    RuleEntry(
        "PWR-6",
        "Take five: the turn begins with five tiles from the pile, or what it has. Later draws wait until the "
        "hand is below six.",
        "Avalon Hill; ruling for the refill",
    ),
    RuleEntry(
        "PWR-7",
        "A power without any effect is not offered: no tile to lay, none in the pile, no share to get, or no "
        "pair to swap.",
        "ruling",
    ),
)

_TRADING: Final = (
    RuleEntry(
        "TRD-1",
        "Before laying, even if nothing can be laid, the player in turn may offer another one a trade of shares "
        "and cash, who takes it or not. Nobody else offers, and not later.",
        "reference",
    ),
    RuleEntry(
        "TRD-2",
        "Any chain's shares can be traded, tiles cannot. The proposer must own what he gives; a partner who "
        "does not own what is asked is asked, and can but decline.",
        "reference; ruling",
    ),
    RuleEntry(
        "TRD-3",
        "Neither side is empty, cash moves in hundreds, and cash or a chain is on one side only. Nobody "
        "answers with an offer of his own.",
        "ruling",
    ),
    RuleEntry(
        "TRD-4",
        "A turn has room for `trade_offers` offers, taken or not. Every offer and its answer is told to all.",
        "ruling",
    ),
)

_TABLE: Final = (
    RuleEntry(
        "TBL-1",
        "No tile ever lies on a wrong square: such an answer is refused, so there is nothing to put right.",
        "Renegade 2023",
    ),
    RuleEntry(
        "TBL-2",
        "Nobody has to ask how many shares the market has: every view says so.",
        "Renegade 2023, Avalon Hill, corporations",
    ),
    RuleEntry(
        "TBL-3",
        "A sole possible answer is given without asking, and is recorded and announced; a partner who can only "
        "decline an offer is the exception.",
        "ruling",
    ),
    RuleEntry("TBL-4", "The ban on notes about holdings is left to people; no engine can watch over it.", "Avalon Hill"),
)

CATALOGUE: Final[tuple[RuleEntry, ...]] = (
    *_SETUP,
    *_TURN,
    *_PLACING,
    *_FOUNDING,
    *_MERGERS,
    *_PRICES_AND_BONUSES,
    *_TWO_PLAYERS,
    *_BUYING,
    *_DRAWING,
    *_END,
    *_VISIBILITY,
    *_POWERS,
    *_TRADING,
    *_TABLE,
)
"""Every rule, in the order in which a rulebook would tell them."""

_BY_ID: Final = {rule.id: rule for rule in CATALOGUE}


def entry(rule_id: str) -> RuleEntry:
    """Returns the rule of this id; raises LookupError, naming the nearest ids, if there is none."""
    found = _BY_ID.get(rule_id)
    if found is None:
        nearest = sorted(_BY_ID, key=lambda known: -_equal_letters_at_start(known, rule_id.upper()))
        raise LookupError(
            f"expected the id of a rule, like 'MRG-4', got {rule_id!r}; "
            f"nearest are {', '.join(nearest[:_NEAREST_IDS_MAX])}"
        )
    return found


def _equal_letters_at_start(one: str, other: str) -> int:
    differing = (place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(one), len(other)))
