"""Tables laid out by hand, and answers for a script: for the tests of the oracle."""

from collections.abc import Mapping, Sequence

from .board import INDEPENDENT, SQUARES
from .presets import PRESETS
from .rules import read_rules
from .table import Question, Script, Table


def no_draw(number: int, pile: Sequence[str]) -> str:
    """Replace market draws in tests where none may happen."""
    raise AssertionError(f"draw {number} from {len(pile)} tiles was not expected")


def lay_table(
    preset: str,
    seats: int,
    chains: Mapping[str, str],
    *,
    hand: str = "",
    pile: str | None = None,
    **changed: object,
) -> Table:
    """Lay a table: chains (or 'independent') with their squares as words, seat 0's hand, the pile.

    Without a given pile, it has all squares not used elsewhere. Further arguments override knobs.
    """
    table = Table(read_rules({**PRESETS[preset], **changed}, seats), seats, [], no_draw)
    for owner, squares in chains.items():
        if owner != INDEPENDENT and owner not in table.rules.chains:
            raise ValueError(f"Expected 'independent' or one of {table.rules.chains}, got {owner!r}. Name one.")
        table.paint(squares.split(), owner)
    table.hands[0] = hand.split()
    rest = [square for square in SQUARES if square not in table.board and square not in table.hands[0]]
    table.pile = rest if pile is None else pile.split()
    return table


def give_shares(table: Table, chain: str, held: Sequence[int]) -> None:
    """Give each seat this many shares of a chain, taken from its market."""
    for seat, count in enumerate(held):
        table.take_shares(seat, chain, count)


def run(script: Script, *answers: str) -> list[Question]:
    """Feed answers to a script until it ends; give its questions, one per answer."""
    asked: list[Question] = []
    to_give = list(answers)
    try:
        question = next(script)
        while True:
            asked.append(question)
            if not to_give:
                raise AssertionError(f"no answer is left for {question}")
            answer = to_give.pop(0)
            if question.answers is not None and answer not in question.answers:
                raise AssertionError(f"{answer!r} is no answer to {question}")
            question = script.send(answer)
    except StopIteration:
        if to_give:
            raise AssertionError(f"the script ended before {to_give}") from None
    return asked


def row(letter: str, first: int, last: int) -> str:
    """Name the squares of one row from a column to another, as words."""
    return " ".join(f"{column}{letter}" for column in range(first, last + 1))
