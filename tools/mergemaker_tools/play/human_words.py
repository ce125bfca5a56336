"""Questions to a person in words, and the meaning of typed answers. This module does no I/O."""

import re
from typing import Final

from mergemaker_client.turn import TileChoice, Turn
from mergemaker_engine.actions import Action, Buy, Place
from mergemaker_engine.board import LETTERS, NUMBERS
from mergemaker_engine.decisions import (
    ChooseDisposal,
    ChooseExchange,
    ChoosePurchase,
    ChooseReply,
    ChooseTile,
)
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.errors import EngineError
from mergemaker_engine.wording import action_text, parse_action, shares_text, square_name
from rich.text import Text

from mergemaker_tools.board_picture import board_picture
from mergemaker_tools.phrases import ASKED, VERBS, bought_text

LISTED_MAX: Final = 24
"""Up to this many answers are listed with numbers; for more, only their form is shown."""
_CELL_CHARACTERS: Final = 3
_PLAYABLE: Final = "bold reverse"

HELP: Final = (
    "Type an answer as it is shown, in small or large letters; chains by name or first letter.",
    "  5f            places the tile 5F       5f end      and declares the end",
    "  2 tower 1 i   buys shares              Enter       buys nothing",
    "  sell 1 trade 2   the rest is kept      3           the third answer of a list",
    "board shows the board again, help this, and quit resigns: your seat then plays its defaults.",
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


def holdings_lines(turn: Turn) -> list[str]:
    """What each seat has, as far as the person may know it."""
    lines = []
    for seat, (cash, shares) in enumerate(zip(turn.view.cash, turn.view.shares, strict=True)):
        who = "you" if seat == turn.seat else turn.match.bots[seat]
        money = "cash hidden" if cash is None else f"${cash:,}"
        held = "shares hidden" if shares is None else shares_text(shares, turn.match.rules) or "no shares"
        lines.append(f"seat {seat} ({who}): {money}, {held}")
    return lines


def question_lines(turn: Turn) -> list[str]:
    """The question, and its possible answers."""
    match turn.decision:
        case ChooseTile():
            lines = [ASKED[ChooseTile], *_tile_lines(turn)]
        case ChoosePurchase():
            lines = _purchase_lines(turn)
        case ChooseDisposal(acquired=acquired, survivor=survivor):
            lines = _disposal_lines(turn, acquired, survivor)
        case _:
            lines = [ASKED[type(turn.decision)], *_listed(turn)]
    if turn.may_declare:
        lines.append("The end may be declared: add `end` to the answer.")
    return lines


def _tile_lines(turn: Turn) -> list[str]:
    lines = [f"  {square_name(tile.action.square):4} {_effect_text(tile, turn)}" for tile in turn.tiles]
    dead = [square_name(square) for square in turn.view.hand if square not in {tile.action.square for tile in turn.tiles}]
    if dead:
        lines.append(f"  {' '.join(dead)} cannot be placed now")
    others = [action_text(answer, turn.match.rules) for answer in turn.answers if not isinstance(answer, Place)]
    return lines + [f"  {text}" for text in others]


def _effect_text(tile: TileChoice, turn: Turn) -> str:
    names, effect = turn.names, tile.effect
    match tile.kind:
        case EffectKind.LONE:
            return "stays alone"
        case EffectKind.FOUNDS:
            return f"founds a chain of {effect.size}"
        case EffectKind.GROWS:
            return f"grows {names[tile.chains[0]]} to {effect.size}"
        case EffectKind.MERGES:
            survivors = " or ".join(names[chain] for chain in effect.survivors)
            return f"merges {', '.join(names[chain] for chain in tile.chains)}; {survivors} survives with {effect.size}"


def _purchase_lines(turn: Turn) -> list[str]:
    most = max((sum(answer.shares) for answer in turn.answers if isinstance(answer, Buy)), default=0)
    if not most:
        return ["You can buy nothing: Enter goes on."]
    view = turn.view
    offered = [
        f"  {name:12} ${view.prices[chain]:,}, {view.market[chain]} left"
        for chain, name in enumerate(turn.names)
        if view.sizes[chain] and view.market[chain]
    ]
    return [f"Buy up to {most} shares, as in `1 {turn.names[0]}`, or Enter for nothing. You have ${turn.cash:,}:", *offered]


def _disposal_lines(turn: Turn, acquired: int, survivor: int) -> list[str]:
    names, held = turn.names, turn.mine[acquired]
    return [
        f"{names[acquired]} is acquired by {names[survivor]}, and you hold {held}. Sell some, trade some, keep the rest:",
        f"  two shares are traded for one of {names[survivor]}, of which {turn.view.market[survivor]} are left",
        "  as in `sell 1 trade 2`, or `keep` for all of them",
    ]


def _listed(turn: Turn) -> list[str]:
    if len(turn.answers) > LISTED_MAX:
        first = action_text(turn.answers[0], turn.match.rules)
        return [f"  `{first}`, or as in `offer seat 1: 2 {turn.names[0]} $300 for 1 {turn.names[-1]}`"]
    return [f"  {number}. {action_text(answer, turn.match.rules)}" for number, answer in enumerate(turn.answers, 1)]


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
        return _disposal_spelled(text.lower())
    if isinstance(decision, ChooseExchange | ChooseReply) and text.lower() in ("yes", "y", "no", "n"):
        yes, no = ("exchange", "no exchange") if isinstance(decision, ChooseExchange) else ("accept", "decline")
        return yes if text.lower().startswith("y") else no
    return " ".join(_word(word, turn) for word in text.split(" "))


def _disposal_spelled(text: str) -> str:
    """Expands `trade 2` and `keep`."""
    if text in ("keep", "keep all"):
        return "sell 0 trade 0"
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
