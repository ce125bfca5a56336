"""The columns of an exported table, in their order: name, type, who knows the value, and its meaning.

`EXPORT_VERSION` rises whenever a column is added, removed or moved, or changes its meaning.
"""

from enum import StrEnum
from typing import Final, NamedTuple

EXPORT_VERSION: Final = 2


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    NUMBER = "number"
    YES_NO = "yes/no"
    NUMBERS = "numbers"


class Known(StrEnum):
    """Who knows it, and since when."""

    MATCH = "match"
    """Set before the first tile; and the row's place in the record."""
    TABLE = "table"
    """Known to the whole table when the question is asked."""
    ASSETS = "assets"
    """Known to the whole table if `assets_open`; otherwise each seat knows only its own part."""
    SEAT = "seat"
    """Known to the asked seat when the question is asked."""
    ANSWER = "answer"
    """The answer, how it came and who gave it."""
    AFTER = "after"
    """Known only when the match is over: labels, not inputs."""


class Column(NamedTuple):
    """One column."""

    name: str
    kind: Kind
    known: Known
    says: str
    empty: str = ""
    """When there is no value; empty if there always is one."""


UNSETTLED: Final = "nothing is founded or merged"
NO_DISPOSAL: Final = "no disposal"
NO_REPLY: Final = "no reply is asked"
NO_OFFER: Final = "no offer"

COLUMNS: Final = (
    Column("export_version", Kind.NUMBER, Known.MATCH, f"{EXPORT_VERSION}: the version of these columns"),
    Column("file", Kind.TEXT, Known.MATCH, "the path of the record, as it was given or found"),
    Column("match", Kind.TEXT, Known.MATCH, "the match's id"),
    Column("parent", Kind.TEXT, Known.MATCH, "the id of the match that this one is a fork of", "not a fork"),
    Column("repeated", Kind.YES_NO, Known.MATCH, "whether the fork repeats this decision of its parent"),
    Column("rules", Kind.TEXT, Known.MATCH, "the rules, as a preset and the knobs that differ from it"),
    Column("fingerprint", Kind.TEXT, Known.MATCH, "the rules' fingerprint"),
    Column("seats", Kind.NUMBER, Known.MATCH, "how many play"),
    Column("codes", Kind.NUMBER, Known.MATCH, "how many action codes these rules have: the length of a mask"),
    Column("assets_open", Kind.YES_NO, Known.MATCH, "whether all see each other's cash and shares (VIS-3)"),
    Column("n", Kind.NUMBER, Known.MATCH, "the decision's number in the match, from 1"),
    Column("line", Kind.NUMBER, Known.MATCH, "its line in the record, from 1"),
    Column("seat", Kind.NUMBER, Known.TABLE, "who is asked, from 0"),
    Column("bot", Kind.TEXT, Known.MATCH, "the name of that seat's bot"),
    Column("turn", Kind.NUMBER, Known.TABLE, "the turn's number"),
    Column("turn_seat", Kind.NUMBER, Known.TABLE, "whose turn it is"),
    Column("kind", Kind.TEXT, Known.TABLE, "the kind of the question: `ChooseTile`"),
    Column("asked", Kind.TEXT, Known.TABLE, "the question: its kind, and those fields that are not as usual"),
    Column("board", Kind.TEXT, Known.TABLE, "108 digits, one for each square: 0 empty, 1 independent, 2 + c chain c"),
    Column("sizes", Kind.NUMBERS, Known.TABLE, "7 numbers: tiles of each chain"),
    Column("prices", Kind.NUMBERS, Known.TABLE, "7 numbers: dollars a share of each chain costs, 0 if it is not on the board"),
    Column("market", Kind.NUMBERS, Known.TABLE, "7 numbers: shares of each chain that are left"),
    Column("pile", Kind.NUMBER, Known.TABLE, "tiles that are left in the pile"),
    Column("set_aside", Kind.NUMBERS, Known.TABLE, "the squares of tiles that are out of the game, ascending"),
    Column("hand_sizes", Kind.NUMBERS, Known.TABLE, "for each seat: how many tiles it has"),
    Column("powers_used", Kind.NUMBERS, Known.TABLE, "for each seat: the powers it has used, 2 to the power's place added up"),
    Column("declared", Kind.YES_NO, Known.TABLE, "whether the end has been declared in this turn"),
    Column("end_allowed", Kind.YES_NO, Known.TABLE, "whether the end may be declared now (END-1)"),
    Column("tile", Kind.NUMBER, Known.TABLE, "the square of the tile that founds or merges, until that is settled", UNSETTLED),
    Column(
        "tile_size", Kind.NUMBER, Known.TABLE, "tiles of the chain that comes of it: the founded one, or the survivor", UNSETTLED
    ),
    Column("merged", Kind.NUMBERS, Known.TABLE, "all chains of the merger, ascending", "no merger"),
    Column("survivor", Kind.NUMBER, Known.TABLE, "the chain that survives the merger", "no merger, or not named yet"),
    Column("acquired", Kind.NUMBER, Known.TABLE, "the chain whose shares are kept, sold or traded now", NO_DISPOSAL),
    Column("offer_seat", Kind.NUMBER, Known.TABLE, "who made the offer that is to be answered", NO_REPLY),
    Column("offer_give_shares", Kind.NUMBERS, Known.TABLE, "7 numbers: shares of each chain that this seat gives", NO_REPLY),
    Column("offer_give_cash", Kind.NUMBER, Known.TABLE, "dollars that it gives", NO_REPLY),
    Column("offer_take_shares", Kind.NUMBERS, Known.TABLE, "7 numbers: shares of each chain that it asks for", NO_REPLY),
    Column("offer_take_cash", Kind.NUMBER, Known.TABLE, "dollars that it asks for", NO_REPLY),
    Column("cash", Kind.NUMBERS, Known.ASSETS, "for each seat: dollars"),
    Column("shares", Kind.NUMBERS, Known.ASSETS, "for each seat 7 numbers, one seat after the other: shares of each chain"),
    Column("hand", Kind.NUMBERS, Known.SEAT, "the squares of the tiles in the seat's hand, ascending"),
    Column("legal", Kind.NUMBER, Known.SEAT, "how many answers were legal"),
    Column("legal_codes", Kind.NUMBERS, Known.SEAT, "the codes of all legal answers, ascending", "player trading"),
    Column("answer", Kind.TEXT, Known.ANSWER, "the answer's text"),
    Column("code", Kind.NUMBER, Known.ANSWER, "the answer's code, one of `legal_codes`", "player trading"),
    Column("answer_partner", Kind.NUMBER, Known.ANSWER, "the seat that the answer offers a trade", NO_OFFER),
    Column("answer_give_shares", Kind.NUMBERS, Known.ANSWER, "7 numbers: shares of each chain that the answer gives", NO_OFFER),
    Column("answer_give_cash", Kind.NUMBER, Known.ANSWER, "dollars that it gives", NO_OFFER),
    Column("answer_take_shares", Kind.NUMBERS, Known.ANSWER, "7 numbers: shares of each chain that it asks for", NO_OFFER),
    Column("answer_take_cash", Kind.NUMBER, Known.ANSWER, "dollars that it asks for", NO_OFFER),
    Column("answered_by", Kind.TEXT, Known.ANSWER, "`bot`, `automatic` (one answer was legal), or `default: ` and the cause"),
    Column("used_ms", Kind.NUMBER, Known.ANSWER, "milliseconds the answer took", "not in the record"),
    Column("bank_ms", Kind.NUMBER, Known.ANSWER, "milliseconds then left in the seat's bank", "not in the record"),
    Column("ended", Kind.TEXT, Known.AFTER, "how the match ended: `declared`, `stuck` or `voided`"),
    Column("final_money", Kind.NUMBER, Known.AFTER, "the seat's dollars at the end", "voided"),
    Column("place", Kind.NUMBER, Known.AFTER, "the seat's place, 1 the best; equals share one", "voided"),
    Column("won", Kind.YES_NO, Known.AFTER, "whether that place is 1", "voided"),
)
NAMES: Final = tuple(column.name for column in COLUMNS)
