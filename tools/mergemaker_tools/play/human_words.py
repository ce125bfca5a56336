"""The board with a person's hand, and the meaning of typed answers. This module does no I/O."""

import re
from typing import Final

from mergemaker_client.turn import Turn
from mergemaker_engine.actions import Action, Buy, Place
from mergemaker_engine.board import LETTERS, NUMBERS
from mergemaker_engine.decisions import (
    ChooseDisposal,
    ChooseExchange,
    ChoosePurchase,
    ChooseReply,
    ChooseTile,
)
from mergemaker_engine.errors import EngineError
from mergemaker_engine.wording import action_text, parse_action, square_name
from rich.text import Text

from mergemaker_tools.board_picture import board_picture
from mergemaker_tools.phrases import VERBS, bought_text
from mergemaker_tools.play.human_questions import LISTED_MAX

_CELL_CHARACTERS: Final = 3
_PLAYABLE: Final = "bold reverse"

HELP: Final = (
    "Type an answer as it is shown, in small or large letters; chains by name or first letter.",
    "  5f            places the tile 5F       5f end      and declares the end",
    "  2 tower 1 i   buys shares              Enter       buys nothing",
    "  sell 1 trade 2   the rest is kept      3           the third answer of a list",
    "board shows the board again, card all prices and bonuses, hint what the bot greedy would do and why,",
    "help this, and quit resigns: your seat then plays its defaults.",
    "On the board, [ ] are your tiles, ( ) those that cannot be placed now, and o tiles that belong to no chain.",
)


class NotUnderstood(Exception):
    """The typed text is no valid answer now; the message says why."""


def board_with_hand(turn: Turn) -> Text:
    """The board with the hand's tiles: `[ ]` around those that can be placed now, `( )` around the others."""
    view = turn.view
    playable = {tile.action.square for tile in turn.tiles}
    asks_tile = isinstance(turn.decision, ChooseTile)
    rows = list(board_picture(view).split("\n"))
    for square in view.hand:
        row, column = square // NUMBERS + 1, _CELL_CHARACTERS * (square % NUMBERS + 1)
        is_lit = square in playable or not asks_tile
        marks = "[.]" if is_lit else "(.)"
        line = rows[row]
        rows[row] = line[:column] + Text(marks, style=_PLAYABLE if is_lit else "") + line[column + _CELL_CHARACTERS :]
    assert len(rows) == len(LETTERS) + 1, "the picture has a line for the numbers, and one for each row"
    return Text("\n").join(rows)


# --- what was typed ---


def answer_in(typed: str, turn: Turn) -> Action:
    """The answer in a typed text; `NotUnderstood` if there is none, or it is not possible now."""
    text = " ".join(typed.split())
    decision = turn.decision
    is_listed = not isinstance(decision, ChooseTile | ChoosePurchase | ChooseDisposal) and len(turn.answers) <= LISTED_MAX
    if is_listed and text.isascii() and text.isdigit() and len(text) <= len(str(LISTED_MAX)):
        if 1 <= int(text) <= len(turn.answers):
            return turn.answers[int(text) - 1]
        raise NotUnderstood(f"the list has the answers 1 to {len(turn.answers)}")
    action = _read(_spelled(text, turn), turn, typed=text)
    if action in turn.answers:
        return action
    raise NotUnderstood(_why_not(action, turn))


def _spelled(text: str, turn: Turn) -> str:
    """The typed text in the vocabulary's form: with its upper and lower case, and with omitted words."""
    decision = turn.decision
    if isinstance(decision, ChoosePurchase) and text.lower() in ("", "end", "nothing", "nothing end"):
        return "buy nothing end" if text.lower().endswith("end") else "buy nothing"
    if isinstance(decision, ChooseDisposal):
        return _disposal_spelled(text.lower(), turn.mine[decision.acquired])
    if isinstance(decision, ChooseExchange | ChooseReply) and text.lower() in ("yes", "y", "no", "n"):
        yes, no = ("exchange", "no exchange") if isinstance(decision, ChooseExchange) else ("accept", "decline")
        return yes if text.lower().startswith("y") else no
    return " ".join(_word(word, turn) for word in text.split(" "))


def _disposal_spelled(text: str, held: int) -> str:
    """Expands `trade 2`, `sell all` and `keep`."""
    if text in ("keep", "keep all"):
        return "sell 0 trade 0"
    if text in ("sell", "sell all"):
        return f"sell {held} trade 0"
    if not re.fullmatch(r"(?:(?:sell|trade) [0-9]{1,6} ?){1,2}", text):
        return text
    counts = {"sell": "0", "trade": "0"} | dict(re.findall(r"(sell|trade) ([0-9]{1,6})", text))
    return f"sell {counts['sell']} trade {counts['trade']}"


def _word(word: str, turn: Turn) -> str:
    lower = word.lower()
    if re.fullmatch("[0-9]{1,2}[a-i]", lower):
        return lower.upper()
    named = [name for name in turn.names if lower in (name.lower(), name[0].lower())]
    return named[0] if named else lower


def _read(text: str, turn: Turn, *, typed: str) -> Action:
    verb = VERBS.get(type(turn.decision))
    forms = [text] if verb is None else [text, f"{verb} {text}"]
    for form in forms:
        try:
            return parse_action(form, turn.match.rules)
        except EngineError:
            continue
    raise NotUnderstood(f"{typed!r} is no answer to this; `help` shows how answers are written" if typed else "type an answer")


def _why_not(action: Action, turn: Turn) -> str:
    rules = turn.match.rules
    if isinstance(action, Place):
        name = square_name(action.square)
        if action.square not in turn.view.hand:
            return f"{name} is not one of your tiles"
        return f"{name} cannot be placed now" if not action.declare else "the end cannot be declared now"
    if isinstance(action, Buy) and isinstance(turn.decision, ChoosePurchase):
        return _why_no_purchase(action, turn)
    return f"`{action_text(action, rules)}` is not possible now"


def _why_no_purchase(action: Buy, turn: Turn) -> str:
    view = turn.view
    for chain, count in enumerate(action.shares):
        if count and not view.sizes[chain]:
            return f"{turn.names[chain]} is not on the board"
        if count > view.market[chain]:
            return f"{turn.names[chain]} has {view.market[chain]} left"
    cost = sum(count * price for count, price in zip(action.shares, view.prices, strict=True))
    if cost > turn.cash:
        return f"{bought_text(action.shares, turn.names)} cost ${cost:,}, and you have ${turn.cash:,}"
    return "the end cannot be declared now" if action.declare and not turn.may_declare else "you cannot buy that many now"
