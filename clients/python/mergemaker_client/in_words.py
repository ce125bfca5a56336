"""A question as text, for players that read: language models. And the answer in what they write.

prompt = turn_text(turn)                      # what happened, the position, the question, the legal answers
    noted = read_reply("ANSWER: 5C", turn)        # the action; what stands before it becomes the note
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from mergemaker_engine.actions import Action, Place
from mergemaker_engine.board import LETTERS, NUMBERS
from mergemaker_engine.chains import SAFE_SIZE, TIERS
from mergemaker_engine.decisions import ChooseTile
from mergemaker_engine.effects import EffectKind
from mergemaker_engine.errors import EngineError
from mergemaker_engine.tables import tables_for
from mergemaker_engine.views import EMPTY_SQUARE, FIRST_CHAIN_SQUARE, View
from mergemaker_engine.wording import action_text, event_text, parse_action, question_text, shares_text, square_name

from mergemaker_client.answer import NOTE_BYTES_MAX, Noted
from mergemaker_client.errors import BotError
from mergemaker_client.turn import TileChoice, Turn

LISTED_MAX: Final = 300
"""Up to this many legal answers are listed."""
DEFAULT: Final = "default"
"""The word for the referee's own choice."""
ANSWER: Final = "ANSWER:"
HOW_TO_REPLY: Final = (
    "Think it over in a few sentences. Then write one last line with your answer, by its number or in its words, as in\n"
    f"{ANSWER} 1\nor `{ANSWER} {DEFAULT}` for the referee's choice."
)
FORMS: Final = (
    "Answers are written as in: 5C · 5C end · found Tower · survivor Tower · acquire Tower · sell 2 trade 4 · "
    "buy 2 Tower 1 Luxor · buy nothing · buy nothing end · exchange · no exchange · accept · decline · power buy-five · no power"
)
RULES_IN_SHORT: Final = (
    "You play the board game Acquire. Each turn: place a tile, buy up to three shares of chains on the board, draw a tile. "
    "Two or more tiles side by side are a chain; its founder gets a share. A larger chain costs more. When a tile joins "
    "chains, the largest survives; those who hold most shares of the others are paid bonuses, and sell, trade two for one, "
    f"or keep. {SAFE_SIZE} tiles make a chain safe: it is never taken over. The end may be declared when a chain has 41 tiles "
    "or all chains are safe; then bonuses are paid and all shares sold. The most money wins."
)
_MARKS: Final = r"[ \t>*`_#.-]*"
"""What models put around a line, as in `**ANSWER:** 5C.`"""
_ANSWER_LINE: Final = re.compile(rf"^{_MARKS}answer{_MARKS}:{_MARKS}(?P<answer>[^\n]*?){_MARKS}$", re.IGNORECASE | re.MULTILINE)


def turn_text(turn: Turn, *, answers: bool = True) -> str:
    """A question with all that the seat knows. Without `answers`, the legal ones are not listed."""
    parts = [
        "\n".join(["What happened since you were last asked:", *(f"  {line}" for line in _news(turn))]),
        "\n".join(_position(turn)),
        "\n".join(_question(turn, answers=answers)),
    ]
    return "\n\n".join(parts)


def _news(turn: Turn) -> Iterator[str]:
    for event in turn.events:
        yield event_text(event, turn.match.rules)
    if not turn.events:
        yield "nothing"


def _position(turn: Turn) -> Iterator[str]:
    view, names = turn.view, turn.names
    yield f"Turn {view.turn}, of seat {view.turn_seat}. You are seat {turn.seat} of {view.seats}. {view.pile} tiles in the pile."
    yield "Board (. empty, o a tile of no chain, otherwise the first letter of its chain):"
    yield "    " + "".join(f"{number:>3}" for number in range(1, NUMBERS + 1))
    for row, letter in enumerate(LETTERS):
        marks = view.board[row * NUMBERS : (row + 1) * NUMBERS]
        yield f"  {letter} " + "".join(f"{_mark(names, held):>3}" for held in marks)
    for chain, name in enumerate(names):
        tier = TIERS[view.rules.tier(chain)]
        if view.sizes[chain]:
            bonuses = ", ".join(f"${amount:,}" for amount in tables_for(view.rules, view.seats).places[view.prices[chain]])
            safe = ", safe" if view.sizes[chain] >= SAFE_SIZE else ""
            state = f"{view.sizes[chain]} tiles{safe}, ${view.prices[chain]:,} a share, bonuses {bonuses}"
        else:
            state = "not on the board"
        yield f"  {name} ({tier}): {state}; {view.market[chain]} shares left to buy"
    yield from _seats(turn, view)
    yield f"Your tiles: {' '.join(map(square_name, view.hand)) or 'none'}"


def _mark(names: tuple[str, ...], held: int) -> str:
    if held >= FIRST_CHAIN_SQUARE:
        return names[held - FIRST_CHAIN_SQUARE][0]
    return "." if held == EMPTY_SQUARE else "o"


def _seats(turn: Turn, view: View) -> Iterator[str]:
    for seat, (cash, shares) in enumerate(zip(view.cash, view.shares, strict=True)):
        who = "you" if seat == turn.seat else turn.match.bots[seat]
        money = "cash hidden" if cash is None else f"${cash:,}"
        held = "shares hidden" if shares is None else shares_text(shares, view.rules) or "no shares"
        yield f"  seat {seat} ({who}): {money}, {held}"


def _question(turn: Turn, *, answers: bool) -> Iterator[str]:
    yield f"Question: {question_text(turn.decision, turn.match.rules)}"
    if isinstance(turn.decision, ChooseTile):
        for tile in turn.tiles:
            yield f"  {square_name(tile.action.square)} {_effect(turn, tile)}"
    if turn.may_declare:
        yield "You may declare the end: add `end` to the answer."
    if answers and len(turn.answers) <= LISTED_MAX:
        yield "Legal answers:"
        for number, answer in enumerate(turn.answers, 1):
            yield f"  {number}. {action_text(answer, turn.match.rules)}"
    elif answers:
        yield f"There are {len(turn.answers):,} legal answers, such as `{action_text(turn.answers[0], turn.match.rules)}`."
    else:
        yield FORMS


def _effect(turn: Turn, tile: TileChoice) -> str:
    chains = ", ".join(turn.names[chain] for chain in tile.chains)
    match tile.kind:
        case EffectKind.LONE:
            return "stays alone"
        case EffectKind.FOUNDS:
            return f"founds a chain of {tile.effect.size}"
        case EffectKind.GROWS:
            return f"grows {chains} to {tile.effect.size}"
        case EffectKind.MERGES:
            survivors = " or ".join(turn.names[chain] for chain in tile.effect.survivors)
            return f"merges {chains}; {survivors} survives with {tile.effect.size}"


# --- replies ---------------------------------------------------------------------------------------------------


def read_reply(text: str, turn: Turn) -> Noted:
    """The answer in a text, and what was written before it as its note. A `BotError` says what is wrong.

    The answer is after the last `ANSWER:`, or `answer` of a JSON object with a `reason`; or the text is nothing but an answer.
    """
    answer, reason = _parts(text)
    return Noted(answer_in(answer, turn), note_of(reason))


def answer_in(text: str, turn: Turn) -> Action:
    """The legal answer that a text means: its number, its words, or `default`. A `BotError` says why it is none."""
    words = " ".join(text.strip().strip("`'\"").split())
    if words.lower() == DEFAULT:
        return turn.default
    if words.isascii() and words.isdigit():
        if not 1 <= int(words[:9]) <= len(turn.answers):
            raise BotError("bad-answer", f"there is no answer {words[:9]}: they are numbered 1 to {len(turn.answers):,}")
        return turn.answers[int(words) - 1]
    try:
        action = parse_action(_spelled(words), turn.match.rules)
    except EngineError as error:
        raise BotError("bad-answer", f"{error}; or give the number of a legal answer, or `{DEFAULT}`") from error
    if action not in turn.answers:
        why = f"{square_name(action.square)} cannot be placed now" if isinstance(action, Place) else f"`{words}` is not legal now"
        raise BotError("illegal-answer", f"{why}; the question is {question_text(turn.decision, turn.match.rules)}")
    return action


def _spelled(words: str) -> str:
    """Squares in large letters, as models often write them in small ones."""
    return re.sub(r"^([0-9]{1,2})([a-i])\b", lambda found: found[1] + found[2].upper(), words)


def _parts(text: str) -> tuple[str, str]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and "answer" in found:
        return str(found["answer"]), str(found.get("reason", ""))
    lines = list(_ANSWER_LINE.finditer(text))
    if lines:
        return lines[-1]["answer"], text[: lines[-1].start()].strip()
    if "\n" in text.strip():
        raise BotError("no-answer", f"the reply has no line `{ANSWER} …`; it ends with {text.strip()[-80:]!r}")
    return text, ""


def note_of(reason: str) -> str:
    """A reason as a note of the largest size: its beginning."""
    content = reason.strip().encode("utf-8", "replace")
    return content[:NOTE_BYTES_MAX].decode("utf-8", "ignore")
